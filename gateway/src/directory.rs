//! Which repositories there are, and who answers for each: the union of what the workers advertise.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use model::{GenerationId, RepoId, ShardState};
use proto::v1;

/// The last that was heard of a worker.
#[derive(Debug, Clone)]
pub(crate) struct WorkerView {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    /// The last good inventory, kept while the worker cannot be reached.
    pub(crate) inventory: Option<v1::InventoryResponse>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    Reachable,
    /// It answers, and is about to stop: whoever has a choice asks another one.
    Draining,
    /// With the reason, as one line.
    Unreachable(String),
}

impl Reach {
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Reach::Unreachable(_))
    }
}

/// A repository, and the workers that answer for it.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    pub(crate) id: RepoId,
    /// What its workers call it, fit to be shown. Access is granted by it, since it depends on nothing else that there is; for
    /// the same reason it need not be unique, and each caller has names of its own (`plan::Readable`).
    pub(crate) own_alias: String,
    /// Every worker that says that it has it, whether or not it can be asked, in the order of their names.
    told_by: Vec<usize>,
    pub(crate) worker_idx: usize,
    /// All that can be asked for this very generation, in the order in which they are; the first is `worker_idx`.
    pub(crate) holders: Vec<usize>,
    pub(crate) standing: Standing,
    pub(crate) advertised: v1::Repository,
}

/// Whether a repository can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    Serving(GenerationId),
    /// It cannot, with the reason as one line.
    Short(ShardState, String),
}

/// Every known repository, in the order of aliases, which is the same for any part of them. Immutable: a change makes
/// another one.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    pub(crate) repositories: Vec<Repository>,
    pub(crate) workers: Vec<Worker>,
}

/// A worker as an answer speaks of it.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    pub(crate) name: String,
    /// Its name without what separates aliases from paths and from each other.
    suffix: String,
    pub(crate) reach: Reach,
    /// Whether it ever said what it holds.
    pub(crate) is_known: bool,
}

impl Directory {
    pub(crate) fn build(views: &[WorkerView]) -> Directory {
        let mut repositories = best_holders(views);
        repositories.extend(missing(&repositories, views));
        let workers: Vec<Worker> = views
            .iter()
            .map(|view| Worker {
                name: view.name.clone(),
                suffix: suffix(&view.name),
                reach: view.reach.clone(),
                is_known: view.inventory.is_some(),
            })
            .collect();
        for repository in &mut repositories {
            repository.told_by.sort_by(|a, b| workers[*a].suffix.cmp(&workers[*b].suffix));
        }
        let first = |repository: &Repository| repository.told_by.first().map(|worker_idx| &workers[*worker_idx].suffix);
        repositories.sort_by(|a, b| (&a.own_alias, first(a), a.id).cmp(&(&b.own_alias, first(b), b.id)));
        Directory { repositories, workers }
    }

    /// Returns the positions of the repositories that their workers call by this alias.
    pub(crate) fn called(&self, alias: &str) -> std::ops::Range<usize> {
        let start = self.repositories.partition_point(|repository| repository.own_alias.as_str() < alias);
        let n_called = self.repositories[start..].partition_point(|repository| repository.own_alias == alias);
        start..start + n_called
    }

    /// Returns the workers that say that they have a repository, each as it stands in names.
    pub(crate) fn tellers<'a>(&'a self, repository: &'a Repository) -> impl Iterator<Item = &'a str> + Clone {
        repository.told_by.iter().map(|worker_idx| self.workers[*worker_idx].suffix.as_str())
    }

    /// Returns the aliases by which workers call several repositories.
    pub(crate) fn shared_aliases(&self) -> BTreeSet<&str> {
        let alike = self.repositories.chunk_by(|a, b| a.own_alias == b.own_alias);
        alike.filter(|alike| alike.len() > 1).map(|alike| alike[0].own_alias.as_str()).collect()
    }
}

/// Returns each repository once, held by the workers that can best answer for it.
///
/// Holders of one id under one alias are replicas. Under two aliases they are two repositories: an id tells where a
/// history began, and two that began alike may have gone different ways.
fn best_holders(views: &[WorkerView]) -> Vec<Repository> {
    let mut held: BTreeMap<(RepoId, String), Vec<Repository>> = BTreeMap::new();
    for (worker_idx, view) in views.iter().enumerate() {
        let Some(inventory) = &view.inventory else { continue };
        for advertised in &inventory.repositories {
            let Ok(id) = proto::convert::parse_repo(&advertised.id) else {
                tracing::warn!(worker = view.name, id = advertised.id, "a repository with a malformed id is left out");
                continue;
            };
            let repository = Repository {
                id,
                own_alias: text::sanitise_name(&advertised.alias).into_owned(),
                told_by: Vec::new(),
                worker_idx,
                holders: Vec::new(),
                standing: standing(view, inventory, advertised),
                advertised: advertised.clone(),
            };
            held.entry((id, repository.own_alias.clone())).or_default().push(repository);
        }
    }
    let one = |replicas: Vec<Repository>| {
        let told_by = replicas.iter().map(|replica| replica.worker_idx).collect();
        Some(Repository { told_by, ..best(replicas, views)? })
    };
    held.into_values().filter_map(one).collect()
}

/// Returns the repositories that workers know of and nobody holds: without them, an answer that lacks them would count as
/// complete.
fn missing(held: &[Repository], views: &[WorkerView]) -> Vec<Repository> {
    let held: HashSet<&str> = held.iter().map(|repository| repository.own_alias.as_str()).collect();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    for (worker_idx, view) in views.iter().enumerate().filter(|(_, view)| !view.reach.is_gone()) {
        let expected = view.inventory.iter().flat_map(|inventory| &inventory.expected);
        for alias in expected.map(|alias| text::sanitise_name(alias).into_owned()) {
            if !held.contains(alias.as_str()) {
                missing.entry(alias).or_insert(worker_idx);
            }
        }
    }
    let repository = |(alias, worker_idx): (String, usize)| {
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(alias.as_bytes()).as_bytes()[..16]);
        let id = RepoId(id);
        let reason = "no worker within reach holds it".to_owned();
        Repository {
            id,
            worker_idx,
            // Nobody has it: no name of a worker covers it.
            told_by: Vec::new(),
            holders: Vec::new(),
            standing: Standing::Short(ShardState::NotReady, reason),
            advertised: v1::Repository { id: id.to_string(), alias: alias.clone(), ..Default::default() },
            own_alias: alias,
        }
    };
    missing.into_iter().map(repository).collect()
}

/// Returns one of several replicas, with all those that hold the same generation.
///
/// One that can be asked comes first, then the commit that was the repository's head later, whatever its date, then the newer
/// generation of that. Among equals a hash decides, so that each of two workers that hold the same is asked for half of it;
/// one that is about to stop, or to give the repository away, comes last.
fn best(replicas: Vec<Repository>, views: &[WorkerView]) -> Option<Repository> {
    let is_serving = |repository: &Repository| matches!(repository.standing, Standing::Serving(_));
    let age = |repository: &&Repository| {
        (is_serving(repository), repository.advertised.head_since, repository.advertised.committed_at)
    };
    let commit = &replicas.iter().max_by_key(age)?.advertised.commit;
    let of_commit = replicas.iter().filter(|repository| repository.advertised.commit == *commit);
    let newest = of_commit.max_by_key(|repository| (is_serving(repository), repository.advertised.indexed_at))?;
    let generation = newest.advertised.generation.clone();
    let order = |repository: &Repository| {
        let view = &views[repository.worker_idx];
        let is_serving = matches!(repository.standing, Standing::Serving(_));
        let is_leaving = view.reach == Reach::Draining || repository.advertised.leaving;
        (!is_serving, is_leaving, share(repository, view), repository.worker_idx)
    };
    let mut same: Vec<Repository> =
        replicas.into_iter().filter(|repository| repository.advertised.generation == generation).collect();
    same.sort_by_cached_key(order);
    let can_be_asked = |repository: &&Repository| matches!(repository.standing, Standing::Serving(_));
    let holders = same.iter().filter(can_be_asked).map(|repository| repository.worker_idx).collect();
    Some(Repository { holders, ..same.into_iter().next()? })
}

/// Returns a number by which replicas share the work: the same in every gateway, whatever the order of its workers.
fn share(repository: &Repository, view: &WorkerView) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&repository.id.0).update(view.name.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

fn standing(view: &WorkerView, inventory: &v1::InventoryResponse, advertised: &v1::Repository) -> Standing {
    if let Reach::Unreachable(reason) = &view.reach {
        return Standing::Short(ShardState::Unreachable, format!("worker {}: {reason}", view.name));
    }
    if inventory.analyser_version != ranking::ANALYSER_VERSION {
        let reason = format!(
            "worker {} splits text by version {}, this gateway by version {}: run the same release on both",
            view.name,
            inventory.analyser_version,
            ranking::ANALYSER_VERSION
        );
        return Standing::Short(ShardState::Failed, reason);
    }
    if let Ok(generation) = advertised.generation.parse() {
        return Standing::Serving(generation);
    }
    let reason = |otherwise: &str| match text::sanitise_name(&advertised.reason) {
        reason if reason.is_empty() => otherwise.to_owned(),
        reason => reason.into_owned(),
    };
    match advertised.state() {
        v1::RepositoryState::Failed => Standing::Short(ShardState::Failed, reason("indexing failed")),
        _ => Standing::Short(ShardState::NotReady, reason("its first index is still being made")),
    }
}

/// Returns a worker's name without what separates aliases from paths and from each other.
fn suffix(worker: &str) -> String {
    worker.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(id: u8, alias: &str, committed_at: i64) -> v1::Repository {
        v1::Repository {
            id: RepoId([id; 16]).to_string(),
            alias: alias.to_owned(),
            state: v1::RepositoryState::Ready.into(),
            generation: GenerationId([committed_at as u8; 16]).to_string(),
            commit: format!("commit {committed_at}"),
            committed_at,
            ..Default::default()
        }
    }

    fn view(name: &str, repositories: Vec<v1::Repository>) -> WorkerView {
        let inventory =
            v1::InventoryResponse { analyser_version: ranking::ANALYSER_VERSION, repositories, ..Default::default() };
        WorkerView { name: name.to_owned(), reach: Reach::Reachable, inventory: Some(inventory) }
    }

    fn check(views: &[WorkerView], expected: &[&str]) {
        let directory = Directory::build(views);
        let lines: Vec<String> = directory
            .repositories
            .iter()
            .map(|repo| {
                let standing = match &repo.standing {
                    Standing::Serving(generation) => format!("{}", generation.0[0]),
                    Standing::Short(state, _) => state.name().to_owned(),
                };
                format!("{} {} {standing}", repo.own_alias, views[repo.worker_idx].name)
            })
            .collect();
        assert_eq!(lines, expected);
        for (idx, repo) in directory.repositories.iter().enumerate() {
            assert!(directory.called(&repo.own_alias).contains(&idx));
        }
    }

    #[test]
    fn the_newer_generation_answers() {
        let views = [view("w1", vec![repository(1, "api", 5)]), view("w2", vec![repository(1, "api", 6)])];
        check(&views, &["api w2 6"]);
    }

    #[test]
    fn what_was_the_head_later_answers_whatever_its_date() {
        let seen = |committed_at, head_since| v1::Repository { head_since, ..repository(1, "api", committed_at) };
        check(&[view("w1", vec![seen(5, 20)]), view("w2", vec![seen(6, 10)])], &["api w1 5"]);
        check(&[view("w1", vec![seen(5, 20)]), view("w2", vec![seen(6, 0)])], &["api w1 5"]);
        // Of one commit, the generation counts that was made last.
        let mut anew = seen(5, 10);
        (anew.generation, anew.indexed_at) = (GenerationId([9; 16]).to_string(), 1);
        check(&[view("w1", vec![seen(5, 20)]), view("w2", vec![anew])], &["api w2 9"]);
    }

    #[test]
    fn one_id_under_two_aliases_is_two_repositories() {
        let views = [
            view("w1", vec![repository(1, "api", 5)]),
            view("w2", vec![repository(1, "fork", 6)]),
            view("w3", vec![repository(1, "api", 4)]),
        ];
        check(&views, &["api w1 5", "fork w2 6"]);
    }

    #[test]
    fn what_nobody_holds_is_missing() {
        let mut first = view("w1", vec![repository(1, "api", 5)]);
        first.inventory.as_mut().unwrap().expected = vec!["api".to_owned(), "web".to_owned()];
        check(&[first.clone(), view("w2", vec![repository(2, "web", 4)])], &["api w1 5", "web w2 4"]);
        check(std::slice::from_ref(&first), &["api w1 5", "web w1 not_ready"]);
        first.reach = Reach::Unreachable("gone".to_owned());
        check(&[first], &["api w1 unreachable"]);
    }

    #[test]
    fn replicas_share_the_work_and_stand_in() {
        let same: Vec<v1::Repository> = (0..64).map(|id| repository(id, &format!("r{id:02}"), 5)).collect();
        let mut views = [view("w1", same.clone()), view("w2", same.clone()), view("w3", same)];
        let loads = |views: &[WorkerView]| {
            let directory = Directory::build(views);
            let n_of = |worker_idx| directory.repositories.iter().filter(|repo| repo.worker_idx == worker_idx).count();
            let n_holders = directory.repositories.iter().map(|repo| repo.holders.len()).sum::<usize>();
            ([n_of(0), n_of(1), n_of(2)], n_holders)
        };
        let (shares, n_holders) = loads(&views);
        assert!(n_holders == 3 * 64 && shares.iter().all(|share| (10..=33).contains(share)), "{shares:?}");
        views[1].reach = Reach::Draining;
        let (shares, n_holders) = loads(&views);
        assert!(n_holders == 3 * 64 && shares[1] == 0, "{shares:?}");
        views[1].reach = Reach::Unreachable("gone".to_owned());
        let (shares, n_holders) = loads(&views);
        assert!(n_holders == 2 * 64 && shares[1] == 0, "{shares:?}");
        // One that is a commit behind stands in for nobody.
        views[2].inventory.as_mut().unwrap().repositories.iter_mut().for_each(|repo| {
            (repo.committed_at, repo.commit) = (4, "commit 4".to_owned());
            repo.generation = GenerationId([4; 16]).to_string();
        });
        assert_eq!(loads(&views), ([64, 0, 0], 64));
    }

    #[test]
    fn an_older_generation_is_better_than_none() {
        let mut newer = view("w2", vec![repository(1, "api", 6)]);
        newer.reach = Reach::Unreachable("gone".to_owned());
        check(&[view("w1", vec![repository(1, "api", 5)]), newer], &["api w1 5"]);
    }

    #[test]
    fn equal_aliases_are_neighbours() {
        let views = [
            view("w2", vec![repository(1, "api", 6), repository(3, "web", 1)]),
            view("w1:1", vec![repository(2, "api", 5)]),
        ];
        check(&views, &["api w1:1 5", "api w2 6", "web w2 1"]);
        let directory = Directory::build(&views);
        assert_eq!(directory.shared_aliases(), BTreeSet::from(["api"]));
        assert_eq!((directory.called("api"), directory.called("b"), directory.called("web")), (0..2, 2..2, 2..3));
    }

    #[test]
    fn what_cannot_be_asked_says_why() {
        let without = |state: v1::RepositoryState| {
            let mut repo = repository(state as u8, state.as_str_name(), 0);
            repo.generation = String::new();
            repo.state = state.into();
            repo
        };
        let mut other_version = view("w2", vec![repository(9, "old", 4)]);
        other_version.inventory.as_mut().unwrap().analyser_version += 1;
        let stale = v1::Repository { state: v1::RepositoryState::Failed.into(), ..repository(8, "served", 7) };
        let mut malformed = repository(7, "nonsense", 1);
        malformed.id = "xyz".to_owned();
        let views = [
            view(
                "w1",
                vec![without(v1::RepositoryState::Pending), without(v1::RepositoryState::Failed), stale, malformed],
            ),
            other_version,
        ];
        check(
            &views,
            &[
                "REPOSITORY_STATE_FAILED w1 failed",
                "REPOSITORY_STATE_PENDING w1 not_ready",
                "old w2 failed",
                "served w1 7",
            ],
        );
    }
}
