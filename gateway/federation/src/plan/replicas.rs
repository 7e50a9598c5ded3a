//! Replicas: the other workers that hold the repositories of a group, for hedged requests and for retries.

use std::collections::BTreeMap;

use super::{Group, Plan};
use crate::{connection::WorkerConnections, repo_idx::RepoIdx};

/// A group, reassigned to other workers that hold the same generations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplicaGroups {
    /// Ascending by worker, each worker once.
    pub groups: Vec<Group>,
    /// The repositories without another replica.
    pub unassigned: Vec<RepoIdx>,
}

impl Plan {
    /// Returns the replicas for a hedged request. Workers with an open breaker are excluded.
    pub fn hedge_replicas(&self, group: &Group, connections: &WorkerConnections) -> ReplicaGroups {
        self.assign_to_replicas(group, |other| !connections[other].is_breaker_open(), |_| false)
    }

    /// Returns the replicas for a retry after a failure. Workers with an open breaker are used if there is no other replica, for
    /// most breakers open without need.
    pub fn retry_replicas(&self, group: &Group, connections: &WorkerConnections) -> ReplicaGroups {
        self.assign_to_replicas(group, |other| !connections[other].is_breaker_open(), |_| true)
    }

    /// Returns true if another worker holds a repository of the group.
    pub fn has_other_replica(&self, group: &Group) -> bool {
        group.repo_idxs.iter().any(|repo_idx| self.other_holders(*repo_idx, group).next().is_some())
    }

    /// Assigns each repository of a group to the first other holder that is `preferred`, else to the first `accepted` one.
    fn assign_to_replicas(
        &self,
        group: &Group,
        preferred: impl Fn(usize) -> bool,
        accepted: impl Fn(usize) -> bool,
    ) -> ReplicaGroups {
        let mut unassigned = Vec::new();
        let mut by_worker: BTreeMap<usize, Vec<RepoIdx>> = BTreeMap::new();
        for repo_idx in &group.repo_idxs {
            let first =
                |is_fit: &dyn Fn(usize) -> bool| self.other_holders(*repo_idx, group).find(|other| is_fit(*other));
            match first(&preferred).or_else(|| first(&accepted)) {
                Some(holder) => by_worker.entry(holder).or_default().push(*repo_idx),
                None => unassigned.push(*repo_idx),
            }
        }
        let groups = by_worker.into_iter().map(|(worker_idx, repo_idxs)| Group { worker_idx, repo_idxs });
        ReplicaGroups { groups: groups.collect(), unassigned }
    }

    /// Returns the workers that hold a repository, except for the group's own worker.
    fn other_holders(&self, repo_idx: RepoIdx, group: &Group) -> impl Iterator<Item = usize> {
        self.repository(repo_idx).holders.iter().copied().filter(|holder| *holder != group.worker_idx)
    }

    /// Returns the group itself; if the breaker of its worker is open, moves its repositories to replicas as far as possible.
    pub fn route_around_open_breakers(&self, group: &Group, connections: &WorkerConnections) -> Vec<Group> {
        if !connections[group.worker_idx].is_breaker_open() {
            return vec![group.clone()];
        }
        let ReplicaGroups { mut groups, unassigned } = self.hedge_replicas(group, connections);
        if !unassigned.is_empty() {
            groups.push(Group { worker_idx: group.worker_idx, repo_idxs: unassigned });
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{GenerationId, RepoId};
    use proto::v1;

    use super::*;
    use crate::{
        connection::WorkerConnection,
        directory::{Directory, Reachability, WorkerView},
        plan::Visible,
        principal::Principal,
    };

    #[tokio::test]
    async fn retries_use_open_breakers_only_without_an_alternative() {
        let api = v1::Repository {
            id: RepoId([1; 16]).to_string(),
            alias: "api".to_owned(),
            generation: GenerationId([1; 16]).to_string(),
            ..Default::default()
        };
        let view = |name: &str| WorkerView {
            name: name.to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: vec![api.clone()],
                ..Default::default()
            }),
        };
        let directory = Directory::build(&[view("w1"), view("w2")]);
        let plan = Visible::new(Arc::new(directory), &Principal::local()).plan(None).unwrap();
        let channel = tonic::transport::Endpoint::from_static("http://nobody").connect_lazy();
        let connection = |number| Arc::new(WorkerConnection::new(number, "w".to_owned(), channel.clone()));
        let connections = WorkerConnections::default().with(vec![connection(0), connection(1)]);
        let failed = &plan.groups[0];
        let other = Group { worker_idx: 1 - failed.worker_idx, repo_idxs: vec![RepoIdx(0)] };
        let asked = ReplicaGroups { groups: vec![other.clone()], unassigned: Vec::new() };
        assert_eq!(
            (plan.hedge_replicas(failed, &connections), plan.retry_replicas(failed, &connections)),
            (asked.clone(), asked.clone())
        );
        connections[other.worker_idx].open_breaker();
        assert_eq!(
            plan.hedge_replicas(failed, &connections),
            ReplicaGroups { groups: Vec::new(), unassigned: vec![RepoIdx(0)] }
        );
        assert_eq!(plan.retry_replicas(failed, &connections), asked);
    }
}
