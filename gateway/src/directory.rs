//! Which repositories there are, and who answers for each: the union of what the workers advertise.

use std::collections::{BTreeMap, HashMap, HashSet};

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
    /// Unique, and fit to be shown.
    pub(crate) alias: String,
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

/// Every known repository, in the order of aliases. Immutable: a change makes another one.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    pub(crate) repositories: Vec<Repository>,
    pub(crate) workers: Vec<Worker>,
    by_alias: HashMap<String, usize>,
}

/// A worker as an answer speaks of it.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    /// Whether it ever said what it holds.
    pub(crate) is_known: bool,
}

impl Directory {
    pub(crate) fn build(views: &[WorkerView]) -> Directory {
        let mut repositories = best_holders(views);
        repositories.extend(missing(&repositories, views));
        name_apart(&mut repositories, views);
        repositories.sort_by(|a, b| a.alias.cmp(&b.alias));
        let by_alias = repositories.iter().enumerate().map(|(idx, repo)| (repo.alias.clone(), idx)).collect();
        let workers = views
            .iter()
            .map(|view| Worker {
                name: view.name.clone(),
                reach: view.reach.clone(),
                is_known: view.inventory.is_some(),
            })
            .collect();
        Directory { repositories, workers, by_alias }
    }

    /// Returns the position of the repository with this alias.
    pub(crate) fn position(&self, alias: &str) -> Option<usize> {
        self.by_alias.get(alias).copied()
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
                alias: text::sanitise_name(&advertised.alias).into_owned(),
                worker_idx,
                holders: Vec::new(),
                standing: standing(view, inventory, advertised),
                advertised: advertised.clone(),
            };
            held.entry((id, repository.alias.clone())).or_default().push(repository);
        }
    }
    held.into_values().filter_map(|replicas| best(replicas, views)).collect()
}

/// Returns the repositories that workers know of and nobody holds: without them, an answer that lacks them would count as
/// complete.
fn missing(held: &[Repository], views: &[WorkerView]) -> Vec<Repository> {
    let held: HashSet<&str> = held.iter().map(|repository| repository.alias.as_str()).collect();
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
            holders: Vec::new(),
            standing: Standing::Short(ShardState::NotReady, reason),
            advertised: v1::Repository { id: id.to_string(), alias: alias.clone(), ..Default::default() },
            alias,
        }
    };
    missing.into_iter().map(repository).collect()
}

/// Returns one of several replicas, with all those that hold the same generation.
///
/// One that can be asked comes first, then the newer generation. Among equals a hash decides, so that each of two workers
/// that hold the same is asked for half of it; one that is about to stop, or to give the repository away, comes last.
fn best(replicas: Vec<Repository>, views: &[WorkerView]) -> Option<Repository> {
    let age = |repository: &Repository| {
        let is_serving = matches!(repository.standing, Standing::Serving(_));
        (is_serving, repository.advertised.committed_at, repository.advertised.indexed_at)
    };
    let generation = replicas.iter().max_by_key(|repository| age(repository))?.advertised.generation.clone();
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

/// Gives repositories of different workers that share an alias the name of their worker as a suffix.
fn name_apart(repositories: &mut [Repository], views: &[WorkerView]) {
    let mut n_with_alias: HashMap<String, usize> = HashMap::new();
    for repository in repositories.iter() {
        *n_with_alias.entry(repository.alias.clone()).or_default() += 1;
    }
    for repository in repositories.iter_mut().filter(|repository| n_with_alias[&repository.alias] > 1) {
        let worker = suffix(&views[repository.worker_idx].name);
        repository.alias = format!("{}@{worker}", repository.alias);
    }
    // Worker names may be equal too, and a suffixed alias may be somebody's own.
    let mut taken: HashSet<String> = HashSet::new();
    repositories.sort_by(|a, b| (a.id, &a.advertised.alias).cmp(&(b.id, &b.advertised.alias)));
    for repository in repositories {
        while !taken.insert(repository.alias.clone()) {
            repository.alias = format!("{}@{}", repository.alias, repository.id.short());
        }
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
                format!("{} {} {standing}", repo.alias, views[repo.worker_idx].name)
            })
            .collect();
        assert_eq!(lines, expected);
        for (idx, repo) in directory.repositories.iter().enumerate() {
            assert_eq!(directory.position(&repo.alias), Some(idx));
        }
    }

    #[test]
    fn the_newer_generation_answers() {
        let views = [view("w1", vec![repository(1, "api", 5)]), view("w2", vec![repository(1, "api", 6)])];
        check(&views, &["api w2 6"]);
    }

    #[test]
    fn one_id_under_two_aliases_is_two_repositories() {
        let views = [
            view("w1", vec![repository(1, "api", 5)]),
            view("w2", vec![repository(1, "fork", 6)]),
            view("w3", vec![repository(1, "api", 4)]),
        ];
        check(&views, &["api w1 5", "fork w2 6"]);
        // However odd the names are, none goes.
        let views = [
            view("w", vec![repository(1, "api", 5), repository(2, "api@w", 5)]),
            view("w", vec![repository(3, "api", 6), repository(2, "api@w@030303030303", 5)]),
        ];
        assert_eq!(Directory::build(&views).by_alias.len(), 4);
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
            (repo.committed_at, repo.generation) = (4, GenerationId([4; 16]).to_string());
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
    fn equal_aliases_are_told_apart() {
        let views = [
            view("w1:1", vec![repository(1, "api", 5), repository(3, "web", 1)]),
            view("w2", vec![repository(2, "api", 6)]),
        ];
        check(&views, &["api@w1-1 w1:1 5", "api@w2 w2 6", "web w1:1 1"]);
        let views = [view("w", vec![repository(1, "api", 5)]), view("w", vec![repository(2, "api", 6)])];
        check(&views, &["api@w w 5", "api@w@020202020202 w 6"]);
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
