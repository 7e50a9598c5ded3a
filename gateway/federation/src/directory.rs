//! The directory: the union of the repositories that workers advertise, each with its replicas.

mod drafts;
mod replicas;

use std::{collections::BTreeSet, ops::Index};

use model::{GenerationId, RepoId, ShardState};
use proto::v1;

use crate::repo_idx::RepoIdx;
pub use drafts::DraftReads;
use replicas::{best_holders, missing};

/// The latest known state of a worker.
#[derive(Debug, Clone)]
pub struct WorkerView {
    /// The display name, which need not be unique.
    pub name: String,
    /// The latest known reachability.
    pub reach: Reachability,
    /// The last good inventory, kept while the worker cannot be reached.
    pub inventory: Option<v1::InventoryResponse>,
}

/// The reachability of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reachability {
    /// It answers.
    Reachable,
    /// It answers and is about to stop: calls prefer other replicas.
    Draining,
    /// With the reason, as one line.
    Unreachable(String),
}

impl Reachability {
    /// Returns true if no call can reach the worker; a draining worker still answers.
    pub fn is_gone(&self) -> bool {
        matches!(self, Reachability::Unreachable(_))
    }
}

/// A repository, and the workers that hold it.
#[derive(Debug, Clone)]
pub struct RepositoryEntry {
    /// Identifies the root of its history, which forks share; made of the alias if no worker holds it.
    pub id: RepoId,
    /// The alias that its workers advertise, sanitised. Access rules match it, since it depends on no other repository. It need
    /// not be unique; `plan::Readable` makes unique names per caller.
    pub own_alias: String,
    /// The repository that this is another view of; `None` for the default view of a repository.
    pub view_of: Option<RepoId>,
    /// Every worker that advertises it, reachable or not, in the order of their names.
    advertised_by: Vec<usize>,
    /// The index of the worker that answers for it; if no worker holds it, of one that expects it.
    pub worker_idx: usize,
    /// The workers that serve this generation, in order of preference; the first is `worker_idx`.
    pub holders: Vec<usize>,
    /// The availability of its best replica.
    pub availability: Availability,
    /// True if this is a draft, and another worker serves the generation below.
    pub has_replica_below: bool,
    /// Its entry in the inventory of worker `worker_idx`, unsanitised.
    pub advertised: v1::Repository,
}

/// The availability of a repository for requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It serves this generation.
    Serving(GenerationId),
    /// It cannot serve; with the state and a one-line reason.
    Short(ShardState, String),
}

impl RepositoryEntry {
    /// Returns true if files were saved, or a commit was made, since it was read.
    pub fn is_outdated(&self) -> bool {
        let v1::Repository { commit, live_head, newer_paths, .. } = &self.advertised;
        !newer_paths.is_empty() || (!live_head.is_empty() && live_head != commit)
    }
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
    /// Indexed by `RepoIdx`.
    pub repositories: Vec<RepositoryEntry>,
    /// In the order of the connections.
    pub workers: Vec<WorkerEntry>,
}

/// A worker as answers show it.
#[derive(Debug, Clone)]
pub struct WorkerEntry {
    /// The display name, which need not be unique.
    pub name: String,
    /// Its name without the characters that separate aliases and paths.
    suffix: String,
    /// The latest known reachability.
    pub reach: Reachability,
    /// True if it ever sent an inventory.
    pub is_known: bool,
    /// Its problems as a whole, each in one line for operators.
    pub problems: Vec<String>,
}

impl Directory {
    /// Builds the directory from the latest state of every worker; `workers` keeps their order.
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
                problems: view.inventory.as_ref().map_or_else(Vec::new, |inventory| inventory.problems.clone()),
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

    /// Returns the default view of the repository that a view belongs to. A view and its repository are at one worker.
    pub fn repository_of_view(&self, view: RepoIdx) -> Option<RepoIdx> {
        let entry = &self[view];
        let id = entry.view_of?;
        let is_repository = |other: &RepoIdx| {
            let other = &self[*other];
            (other.id, other.view_of) == (id, None)
                && other.advertised_by.iter().any(|worker_idx| entry.advertised_by.contains(worker_idx))
        };
        self.repo_idxs().find(is_repository)
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

impl Index<RepoIdx> for Directory {
    type Output = RepositoryEntry;

    fn index(&self, repo_idx: RepoIdx) -> &RepositoryEntry {
        &self.repositories[repo_idx.0]
    }
}

/// Replaces the characters of a worker's name that separate aliases and paths.
fn suffix(worker: &str) -> String {
    worker.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn repository(id: u8, alias: &str, committed_at: i64) -> v1::Repository {
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

    pub(super) fn view(name: &str, repositories: Vec<v1::Repository>) -> WorkerView {
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
        // For one commit, the latest generation counts.
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
        check(std::slice::from_ref(&first), &["api w1 5", "web w1 unreachable"]);
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
        // A replica at an older commit replaces none.
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
