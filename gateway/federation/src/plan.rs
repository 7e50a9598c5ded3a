//! The plan of a request: resolves the `repo` argument to repositories at pinned generations, grouped by worker. The plan lists
//! every repository that cannot be asked.

use std::{collections::HashMap, sync::Arc};

use model::ShardState;
use proto::v1;

use crate::{
    answer::Shortfalls,
    directory::{Directory, RepositoryEntry},
    repo_idx::RepoIdx,
};

mod readable;
mod replicas;
mod visible;

pub use readable::Readable;
pub use replicas::ReplicaGroups;
pub use visible::{Visible, no_aliases};

/// The repositories that a request asks, by the worker that answers for each. It never changes: a step that falls short leads to
/// another plan ([`Plan::without`]).
#[derive(Clone)]
pub struct Plan {
    /// The snapshot that all indices of the plan refer to.
    pub directory: Arc<Directory>,
    /// The repositories that the caller may read, asked or not: requests are signed for them.
    readable: Arc<Readable>,
    /// The repositories asked, ascending, which is the order of their aliases.
    pub asked: Vec<RepoIdx>,
    /// The serving ones among them, by the worker that serves them.
    pub groups: Vec<Group>,
    /// Repositories that fell short before this plan, or cannot be asked at all.
    pub shortfalls: Shortfalls,
    /// Workers without an inventory, which may hold more repositories.
    pub unknown_workers: Vec<usize>,
}

/// The repositories of one call to one worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The index among the workers of the directory.
    pub worker_idx: usize,
    /// Ascending.
    pub repo_idxs: Vec<RepoIdx>,
}

impl Plan {
    /// Returns true if the caller may read the repository.
    pub fn may_read(&self, repo_idx: RepoIdx) -> bool {
        self.readable.contains(repo_idx)
    }

    /// Returns the readable repositories that are not asked, ascending.
    pub fn unqueried(&self) -> impl Iterator<Item = RepoIdx> {
        let readable = self.readable.repo_idxs().iter().copied();
        readable.filter(|repo_idx| self.asked.binary_search(repo_idx).is_err())
    }

    /// Returns true if the caller may read every repository there is.
    pub(crate) fn reads_everything(&self) -> bool {
        self.readable.is_everything
    }

    /// Returns true if the plan asks every repository that the caller may read.
    pub fn is_everything(&self) -> bool {
        self.asked == self.readable.repo_idxs()
    }

    /// Returns the repositories asked that have changed since they were read.
    pub fn outdated(&self) -> impl Iterator<Item = RepoIdx> {
        let asked = self.groups.iter().flat_map(|group| group.repo_idxs.iter().copied());
        asked.filter(|repo_idx| self.repository(*repo_idx).is_outdated())
    }

    /// Returns true if a worker failed whose draft was asked, and another one serves the generation below.
    pub fn has_lost_draft(&self) -> bool {
        let is_of_worker = |state| matches!(state, ShardState::Failed | ShardState::NotReady | ShardState::Unreachable);
        let mut shortfalls = self.shortfalls.iter();
        shortfalls.any(|(repo_idx, state, _)| is_of_worker(state) && self.repository(repo_idx).has_replica_below)
    }

    /// Returns the directory entry of a repository.
    pub fn repository(&self, repo_idx: RepoIdx) -> &RepositoryEntry {
        &self.directory[repo_idx]
    }

    /// Returns the name of the repository for the caller, which is unique.
    pub fn alias(&self, repo_idx: RepoIdx) -> &str {
        self.readable.alias(&self.directory, repo_idx)
    }

    /// Maps the repository ids of a worker's reply to indices: ids are unique only within one worker.
    pub fn by_id(&self, group: &Group) -> HashMap<&str, RepoIdx> {
        let repo_idxs = group.repo_idxs.iter().copied();
        repo_idxs.map(|repo_idx| (self.repository(repo_idx).advertised.id.as_str(), repo_idx)).collect()
    }

    /// Returns when the newest commit of all repositories asked was made, in seconds since the epoch.
    pub fn newest_commit(&self) -> i64 {
        self.asked.iter().map(|repo_idx| self.repository(*repo_idx).advertised.committed_at).max().unwrap_or(0)
    }

    /// Returns the wire form of a repository at its pinned generation.
    pub fn target(&self, repo_idx: RepoIdx) -> v1::Target {
        let repository = self.repository(repo_idx);
        v1::Target {
            repository: repository.advertised.id.clone(),
            generation: repository.advertised.generation.clone(),
        }
    }

    /// Returns the plan for the step after one with these shortfalls: repositories that fell short are asked nothing more, and
    /// partial answers are followed up.
    pub fn without(&self, shortfalls: &Shortfalls) -> Plan {
        let shortfalls = self.shortfalls.clone().and(shortfalls);
        let is_asked = |repo_idx: &RepoIdx| shortfalls.get(*repo_idx).is_none_or(|state| state == ShardState::Partial);
        let remaining = |group: &Group| Group {
            worker_idx: group.worker_idx,
            repo_idxs: group.repo_idxs.iter().copied().filter(is_asked).collect(),
        };
        let groups = self.groups.iter().map(remaining).filter(|group| !group.repo_idxs.is_empty()).collect();
        Plan { groups, shortfalls, ..self.clone() }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use model::{GenerationId, RepoId};

    use super::*;
    use crate::{
        directory::{DraftReads, Reachability, WorkerView},
        principal::Principal,
    };

    pub(super) fn visible(aliases: &[&str], principal: &Principal) -> Visible {
        let repository = |(idx, alias): (usize, &&str)| v1::Repository {
            id: RepoId([idx as u8; 16]).to_string(),
            alias: (*alias).to_owned(),
            generation: if alias.starts_with("new") { String::new() } else { GenerationId([1; 16]).to_string() },
            ..Default::default()
        };
        let repositories: Vec<v1::Repository> = aliases.iter().enumerate().map(repository).collect();
        let half = repositories.len() / 2;
        let view = |name: &str, repositories: &[v1::Repository]| WorkerView {
            name: name.to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: repositories.to_vec(),
                ..Default::default()
            }),
        };
        let directory = Directory::build(&[view("w1", &repositories[..half]), view("w2", &repositories[half..])]);
        Visible::new(Arc::new(directory), principal)
    }

    #[test]
    fn groups_are_by_worker_and_absences_are_noted() {
        let plan = visible(&["api", "new", "lib", "web"], &Principal::local()).plan(None).unwrap();
        let groups: Vec<(usize, usize)> = plan.groups.iter().map(|g| (g.worker_idx, g.repo_idxs.len())).collect();
        assert_eq!(groups, [(0, 1), (1, 2)]);
        let short: Vec<&str> = plan.shortfalls.iter().map(|(repo_idx, ..)| plan.alias(repo_idx)).collect();
        assert_eq!(short, ["new"]);
    }

    #[test]
    fn a_failing_worker_loses_a_draft_that_has_a_replica_below() {
        let generation = |byte| GenerationId([byte; 16]).to_string();
        let served = v1::Repository {
            id: RepoId([1; 16]).to_string(),
            alias: "api".to_owned(),
            generation: generation(1),
            ..Default::default()
        };
        let draft = v1::RepositoryDraft { generation: generation(2), ..Default::default() };
        let edited = v1::Repository { draft: Some(draft), ..served.clone() };
        let view = |name: &str, repository: &v1::Repository| WorkerView {
            name: name.to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: vec![repository.clone()],
                ..Default::default()
            }),
        };
        let plan = |views: &[WorkerView], state| {
            let visible = Visible::new(Arc::new(Directory::build(views)), &Principal::local());
            let plan = visible.with_drafts(DraftReads::Texts).plan(None).unwrap();
            let mut shortfalls = Shortfalls::default();
            shortfalls.note(RepoIdx(0), state, "of the test");
            (plan.has_lost_draft(), plan.without(&shortfalls).has_lost_draft())
        };
        let replicas = [view("w1", &served), view("w2", &edited)];
        for (state, is_lost) in [
            (ShardState::Failed, true),
            (ShardState::NotReady, true),
            (ShardState::Unreachable, true),
            (ShardState::TimedOut, false),
            (ShardState::Stale, false),
            (ShardState::Partial, false),
        ] {
            assert_eq!(plan(&replicas, state), (false, is_lost), "{state:?}");
        }
        assert_eq!(plan(&replicas[1..], ShardState::Failed), (false, false), "no other worker has it");
        assert_eq!(plan(&[view("w1", &served), view("w2", &served)], ShardState::Failed), (false, false), "no draft");
    }
}
