//! The directory: the union of the repositories that workers advertise, each with its replicas.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use model::{GenerationId, RepoId, ShardState};
use proto::v1;

use crate::repo_idx::RepoIdx;

/// The latest known state of a worker.
#[derive(Debug, Clone)]
pub struct WorkerView {
    pub name: String,
    pub reach: Reachability,
    /// The last good inventory, kept while the worker cannot be reached.
    pub inventory: Option<v1::InventoryResponse>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reachability {
    Reachable,
    /// It answers and is about to stop: calls prefer other replicas.
    Draining,
    /// With the reason, as one line.
    Unreachable(String),
}

impl Reachability {
    pub fn is_gone(&self) -> bool {
        matches!(self, Reachability::Unreachable(_))
    }
}

/// A repository, and the workers that hold it.
#[derive(Debug, Clone)]
pub struct RepositoryEntry {
    pub id: RepoId,
    /// The alias that its workers advertise, sanitised. Access rules match it, since it depends on no other repository. It need
    /// not be unique; `plan::Readable` makes unique names per caller.
    pub own_alias: String,
    /// Every worker that advertises it, reachable or not, in the order of their names.
    advertised_by: Vec<usize>,
    pub worker_idx: usize,
    /// The workers that serve this generation, in order of preference; the first is `worker_idx`.
    pub holders: Vec<usize>,
    pub availability: Availability,
    pub advertised: v1::Repository,
}

/// Whether a repository can serve requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    Serving(GenerationId),
    /// It cannot serve; with the state and a one-line reason.
    Short(ShardState, String),
}

impl Availability {
    /// Returns the name of the state, as metrics and `list_repos` show it.
    pub fn name(&self) -> &'static str {
        match self {
            Availability::Serving(_) => "serving",
            Availability::Short(state, _) => state.name(),
        }
    }
}

/// All known repositories, in the order of aliases. Immutable: each change builds a new directory.
#[derive(Debug, Default)]
pub struct Directory {
    pub repositories: Vec<RepositoryEntry>,
    pub workers: Vec<WorkerEntry>,
}

/// A worker as answers show it.
#[derive(Debug, Clone)]
pub struct WorkerEntry {
    pub name: String,
    /// Its name without the characters that separate aliases and paths.
    suffix: String,
    pub reach: Reachability,
    /// Whether it ever sent an inventory.
    pub is_known: bool,
}

impl Directory {
    pub fn build(views: &[WorkerView]) -> Directory {
        let mut repositories = best_holders(views);
        repositories.extend(missing(&repositories, views));
        let workers: Vec<WorkerEntry> = views
            .iter()
            .map(|view| WorkerEntry {
                name: view.name.clone(),
                suffix: suffix(&view.name),
                reach: view.reach.clone(),
                is_known: view.inventory.is_some(),
            })
            .collect();
        for repository in &mut repositories {
            repository.advertised_by.sort_by(|a, b| workers[*a].suffix.cmp(&workers[*b].suffix));
        }
        let first = |repository: &RepositoryEntry| {
            repository.advertised_by.first().map(|worker_idx| &workers[*worker_idx].suffix)
        };
        repositories.sort_by(|a, b| (&a.own_alias, first(a), a.id).cmp(&(&b.own_alias, first(b), b.id)));
        Directory { repositories, workers }
    }

    /// Returns the indices of all repositories, ascending.
    pub fn repo_idxs(&self) -> impl Iterator<Item = RepoIdx> + use<> {
        (0..self.repositories.len()).map(RepoIdx)
    }

    /// Returns the repositories with this alias.
    pub fn called(&self, alias: &str) -> impl Iterator<Item = RepoIdx> + use<> {
        let start = self.repositories.partition_point(|repository| repository.own_alias.as_str() < alias);
        let n_called = self.repositories[start..].partition_point(|repository| repository.own_alias == alias);
        (start..start + n_called).map(RepoIdx)
    }

    /// Returns the suffixes of the workers that advertise a repository.
    pub fn advertisers<'a>(&'a self, repository: &'a RepositoryEntry) -> impl Iterator<Item = &'a str> + Clone {
        repository.advertised_by.iter().map(|worker_idx| self.workers[*worker_idx].suffix.as_str())
    }

    /// Returns the aliases that several repositories share.
    pub fn shared_aliases(&self) -> BTreeSet<&str> {
        let alike = self.repositories.chunk_by(|a, b| a.own_alias == b.own_alias);
        alike.filter(|alike| alike.len() > 1).map(|alike| alike[0].own_alias.as_str()).collect()
    }
}

/// Returns each repository once, with its best replica.
///
/// Entries with the same id and alias are replicas. The same id under two aliases means two repositories: an id identifies the
/// root of a history, and forks share it.
fn best_holders(views: &[WorkerView]) -> Vec<RepositoryEntry> {
    let mut held: BTreeMap<(RepoId, String), Vec<RepositoryEntry>> = BTreeMap::new();
    for (worker_idx, view) in views.iter().enumerate() {
        let Some(inventory) = &view.inventory else { continue };
        for advertised in &inventory.repositories {
            let Ok(id) = proto::convert::parse_repo(&advertised.id) else {
                tracing::warn!(worker = view.name, id = advertised.id, "a repository with a malformed id is left out");
                continue;
            };
            let repository = RepositoryEntry {
                id,
                own_alias: text::sanitise_name(&advertised.alias).into_owned(),
                advertised_by: Vec::new(),
                worker_idx,
                holders: Vec::new(),
                availability: availability(view, inventory, advertised),
                advertised: advertised.clone(),
            };
            held.entry((id, repository.own_alias.clone())).or_default().push(repository);
        }
    }
    let one = |replicas: Vec<RepositoryEntry>| {
        let advertised_by = replicas.iter().map(|replica| replica.worker_idx).collect();
        Some(RepositoryEntry { advertised_by, ..best(replicas, views)? })
    };
    held.into_values().filter_map(one).collect()
}

/// Returns the expected repositories that no worker holds: without them, an incomplete answer would count as complete.
fn missing(held: &[RepositoryEntry], views: &[WorkerView]) -> Vec<RepositoryEntry> {
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
        RepositoryEntry {
            id,
            worker_idx,
            // No worker advertises it, so that no worker name matches it.
            advertised_by: Vec::new(),
            holders: Vec::new(),
            availability: Availability::Short(ShardState::NotReady, reason),
            advertised: v1::Repository { id: id.to_string(), alias: alias.clone(), ..Default::default() },
            own_alias: alias,
        }
    };
    missing.into_iter().map(repository).collect()
}

/// Selects the best of several replicas, with all holders of the same generation.
///
/// Serving replicas come first, then the commit that became head later, whatever its date, then its newer generation. Among
/// equal replicas a hash decides, which spreads the load. A replica that is draining or leaving comes last.
fn best(replicas: Vec<RepositoryEntry>, views: &[WorkerView]) -> Option<RepositoryEntry> {
    let is_serving = |repository: &RepositoryEntry| matches!(repository.availability, Availability::Serving(_));
    let age = |repository: &&RepositoryEntry| {
        (is_serving(repository), repository.advertised.head_since, repository.advertised.committed_at)
    };
    let commit = &replicas.iter().max_by_key(age)?.advertised.commit;
    let of_commit = replicas.iter().filter(|repository| repository.advertised.commit == *commit);
    let newest = of_commit.max_by_key(|repository| (is_serving(repository), repository.advertised.indexed_at))?;
    let generation = newest.advertised.generation.clone();
    let order = |repository: &RepositoryEntry| {
        let view = &views[repository.worker_idx];
        let is_serving = matches!(repository.availability, Availability::Serving(_));
        let is_leaving = view.reach == Reachability::Draining || repository.advertised.leaving;
        (!is_serving, is_leaving, share(repository, view), repository.worker_idx)
    };
    let mut same: Vec<RepositoryEntry> =
        replicas.into_iter().filter(|repository| repository.advertised.generation == generation).collect();
    same.sort_by_cached_key(order);
    let can_be_asked = |repository: &&RepositoryEntry| matches!(repository.availability, Availability::Serving(_));
    let holders = same.iter().filter(can_be_asked).map(|repository| repository.worker_idx).collect();
    Some(RepositoryEntry { holders, ..same.into_iter().next()? })
}

/// Returns the load-balancing hash of a replica: equal in every gateway, whatever the order of its workers.
fn share(repository: &RepositoryEntry, view: &WorkerView) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&repository.id.0).update(view.name.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

fn availability(view: &WorkerView, inventory: &v1::InventoryResponse, advertised: &v1::Repository) -> Availability {
    if let Reachability::Unreachable(reason) = &view.reach {
        return Availability::Short(ShardState::Unreachable, format!("worker {}: {reason}", view.name));
    }
    if inventory.analyser_version != ranking::ANALYSER_VERSION {
        let reason = format!(
            "worker {} splits text by version {}, this gateway by version {}: run the same release on both",
            view.name,
            inventory.analyser_version,
            ranking::ANALYSER_VERSION
        );
        return Availability::Short(ShardState::Failed, reason);
    }
    if let Ok(generation) = advertised.generation.parse() {
        return Availability::Serving(generation);
    }
    let reason = |otherwise: &str| match text::sanitise_name(&advertised.reason) {
        reason if reason.is_empty() => otherwise.to_owned(),
        reason => reason.into_owned(),
    };
    match advertised.state() {
        v1::RepositoryState::Failed => Availability::Short(ShardState::Failed, reason("indexing failed")),
        _ => Availability::Short(ShardState::NotReady, reason("its first index is still being made")),
    }
}

/// Replaces the characters of a worker's name that separate aliases and paths.
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
        WorkerView { name: name.to_owned(), reach: Reachability::Reachable, inventory: Some(inventory) }
    }

    fn check(views: &[WorkerView], expected: &[&str]) {
        let directory = Directory::build(views);
        let lines: Vec<String> = directory
            .repositories
            .iter()
            .map(|repo| {
                let availability = match &repo.availability {
                    Availability::Serving(generation) => format!("{}", generation.0[0]),
                    Availability::Short(state, _) => state.name().to_owned(),
                };
                format!("{} {} {availability}", repo.own_alias, views[repo.worker_idx].name)
            })
            .collect();
        assert_eq!(lines, expected);
        for repo_idx in directory.repo_idxs() {
            assert!(directory.called(&directory[repo_idx].own_alias).any(|called| called == repo_idx));
        }
    }

    #[test]
    fn the_newer_generation_answers() {
        let views = [view("w1", vec![repository(1, "api", 5)]), view("w2", vec![repository(1, "api", 6)])];
        check(&views, &["api w2 6"]);
    }

    #[test]
    fn the_later_head_wins_regardless_of_commit_date() {
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
    fn expected_repositories_without_holder_are_missing() {
        let mut first = view("w1", vec![repository(1, "api", 5)]);
        first.inventory.as_mut().unwrap().expected = vec!["api".to_owned(), "web".to_owned()];
        check(&[first.clone(), view("w2", vec![repository(2, "web", 4)])], &["api w1 5", "web w2 4"]);
        check(std::slice::from_ref(&first), &["api w1 5", "web w1 not_ready"]);
        first.reach = Reachability::Unreachable("gone".to_owned());
        check(&[first], &["api w1 unreachable"]);
    }

    #[test]
    fn replicas_balance_load_and_fail_over() {
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
        views[1].reach = Reachability::Draining;
        let (shares, n_holders) = loads(&views);
        assert!(n_holders == 3 * 64 && shares[1] == 0, "{shares:?}");
        views[1].reach = Reachability::Unreachable("gone".to_owned());
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
        newer.reach = Reachability::Unreachable("gone".to_owned());
        check(&[view("w1", vec![repository(1, "api", 5)]), newer], &["api w1 5"]);
    }

    #[test]
    fn equal_aliases_are_adjacent() {
        let views = [
            view("w2", vec![repository(1, "api", 6), repository(3, "web", 1)]),
            view("w1:1", vec![repository(2, "api", 5)]),
        ];
        check(&views, &["api w1:1 5", "api w2 6", "web w2 1"]);
        let directory = Directory::build(&views);
        assert_eq!(directory.shared_aliases(), BTreeSet::from(["api"]));
        let called = |alias: &str| directory.called(alias).map(|repo_idx| repo_idx.0).collect::<Vec<_>>();
        assert_eq!((called("api"), called("b"), called("web")), (vec![0, 1], vec![], vec![2]));
    }

    #[test]
    fn unavailable_repositories_have_a_reason() {
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
