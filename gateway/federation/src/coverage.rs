//! Coverage: how many of the requested repositories an answer rests on, and why the others are missing.
//!
//! Each step of a query returns its shortfalls, and `Plan::without` carries them to the next step. Here the plan after the last
//! step becomes the coverage that callers read.

use model::ShardState;

use crate::{directory::Reachability, plan::Plan};

/// The coverage of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// Number of requested repositories.
    pub n_asked: usize,
    /// Number of those that contributed fully.
    pub n_answered: usize,
    /// Number of requested repositories that have changed since they were read.
    pub n_outdated: usize,
    /// Workers without an inventory come first, then repositories in the order of their aliases.
    pub gaps: Vec<CoverageGap>,
}

/// A repository that did not contribute fully, or a worker whose repositories are unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageGap {
    /// An alias, or `*@` and the name of a worker.
    pub name: String,
    /// `Unreachable` for a worker without an inventory.
    pub state: ShardState,
    /// One line for users.
    pub reason: String,
}

impl Coverage {
    /// Returns the coverage of an answer, given the plan after its last step.
    pub fn of(plan: &Plan) -> Coverage {
        let of_worker = |worker_idx: &usize| CoverageGap {
            name: format!("*@{}", plan.directory.workers[*worker_idx].name),
            state: ShardState::Unreachable,
            reason: unknown_inventory(plan, *worker_idx),
        };
        let of_repository = |(repo_idx, state, reason): (_, ShardState, &str)| CoverageGap {
            name: plan.alias(repo_idx).to_owned(),
            state,
            reason: reason.to_owned(),
        };
        let workers = plan.unknown_workers.iter().map(of_worker);
        let gaps = workers.chain(plan.shortfalls.iter().map(of_repository)).collect();
        Coverage {
            n_asked: plan.asked.len(),
            n_answered: plan.asked.len() - plan.shortfalls.len(),
            n_outdated: plan.outdated().count(),
            gaps,
        }
    }

    /// Returns true if every requested repository contributed fully, and no worker may hold others.
    pub fn is_complete(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Returns the note for an answer without hits, unless the coverage is complete and current.
    pub fn unknown_note(&self) -> Option<String> {
        let missing = match (self.gaps.len(), self.n_outdated) {
            (0, 0) => return None,
            (0, 1) => "1 of the repositories asked may have changed since it was read; ask again soon".to_owned(),
            (0, n) => format!("{n} of the repositories asked may have changed since they were read; ask again soon"),
            (n, _) => format!("{n} of the repositories or workers asked did not answer; see coverage"),
        };
        Some(format!("unknown, not absent: {missing}"))
    }
}

/// Returns why the inventory of a worker is unknown. Only a caller that may read everything sees the connection error.
fn unknown_inventory(plan: &Plan, worker_idx: usize) -> String {
    let worker = &plan.directory.workers[worker_idx];
    let unknown = format!("worker {} has not sent its inventory", worker.name);
    match &worker.reach {
        Reachability::Unreachable(reason) if plan.reads_everything() => format!("{unknown}: {reason}"),
        _ => unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{GenerationId, RepoId};
    use proto::v1;

    use super::*;
    use crate::{
        directory::{Directory, WorkerView},
        plan::Visible,
        principal::Principal,
        repo_idx::RepoIdx,
    };

    #[test]
    fn connection_errors_are_visible_only_to_unlimited_callers() {
        let reach = Reachability::Unreachable("the grant is not signed by a key that is known here".to_owned());
        let view = WorkerView { name: "w1".to_owned(), reach, inventory: None };
        let directory = Arc::new(Directory::build(&[view]));
        for (pattern, is_visible) in [("*", true), ("api", false)] {
            let principal = Principal::limited("ci", [pattern.to_owned()]);
            let plan = Visible::new(Arc::clone(&directory), &principal).plan(None).unwrap();
            let coverage = Coverage::of(&plan);
            assert!(!coverage.is_complete());
            assert_eq!((coverage.n_asked, coverage.n_answered, coverage.gaps.len()), (0, 0, 1));
            assert_eq!(coverage.gaps[0].reason.contains("is not signed"), is_visible, "{pattern}");
        }
    }

    #[test]
    fn an_absence_is_unknown_where_a_repository_has_changed() {
        let generation = GenerationId([1; 16]).to_string();
        let repository = |id: u8, alias: &str| v1::Repository {
            id: RepoId([id; 16]).to_string(),
            alias: alias.to_owned(),
            generation: generation.clone(),
            commit: "a".to_owned(),
            ..Default::default()
        };
        let edited = |id, alias| v1::Repository { newer_paths: vec!["a.rs".to_owned()], ..repository(id, alias) };
        let moved = |id, alias| v1::Repository { live_head: "b".to_owned(), ..repository(id, alias) };
        let at_head = |id, alias| v1::Repository { live_head: "a".to_owned(), ..repository(id, alias) };
        let unread = |id, alias| v1::Repository { generation: String::new(), ..edited(id, alias) };
        let gap = "unknown, not absent: 1 of the repositories or workers asked did not answer; see coverage";
        let one = "unknown, not absent: 1 of the repositories asked may have changed since it was read; ask again soon";
        let two =
            "unknown, not absent: 2 of the repositories asked may have changed since they were read; ask again soon";
        for (repositories, asked, note, outdated) in [
            (vec![repository(1, "api"), at_head(2, "web")], None, None, vec![]),
            (vec![repository(1, "api"), edited(2, "web")], None, Some(one), vec![RepoIdx(1)]),
            (vec![repository(1, "api"), edited(2, "web")], Some("api"), None, vec![]),
            (vec![moved(1, "api"), edited(2, "web")], None, Some(two), vec![RepoIdx(0), RepoIdx(1)]),
            (vec![unread(1, "api")], None, Some(gap), vec![]),
        ] {
            let inventory = v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories,
                ..Default::default()
            };
            let view = WorkerView { name: "w1".to_owned(), reach: Reachability::Reachable, inventory: Some(inventory) };
            let directory = Arc::new(Directory::build(&[view]));
            let plan = Visible::new(directory, &Principal::local()).plan(asked).unwrap();
            assert_eq!(Coverage::of(&plan).unknown_note().as_deref(), note, "{asked:?}");
            assert_eq!(plan.outdated().collect::<Vec<_>>(), outdated);
        }
    }
}
