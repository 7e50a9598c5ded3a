//! Systems: the repositories that are deployed together.

use std::collections::BTreeMap;

use super::{EvidenceStep, ServiceRepository, images, network::Network};
use crate::join::SurfaceOffer;

/// By repository: its owner, and the repositories that deploy it, each with the first workload that runs it.
pub(super) struct Systems<'a>(Vec<(&'a str, BTreeMap<usize, &'a SurfaceOffer>)>);

impl<'a> Systems<'a> {
    pub(super) fn new(repositories: &[ServiceRepository<'a>], network: &Network<'a>) -> Systems<'a> {
        let mut systems: Vec<(&str, BTreeMap<usize, &SurfaceOffer>)> =
            repositories.iter().map(|one| (images::owner(one.alias), BTreeMap::new())).collect();
        for (deployment, workload, builders) in network.workload_builders() {
            for to in builders {
                let first = systems[to.repository].1.entry(deployment).or_insert(workload);
                if workload.site < first.site {
                    *first = workload;
                }
            }
        }
        Systems(systems)
    }

    /// Returns true unless two repositories are known to be deployed apart from each other. Such repositories may have the same names of
    /// topics, tables and databases by chance.
    pub(super) fn may_be_one(&self, one: usize, other: usize) -> bool {
        self.0[one].1.is_empty() || self.0[other].1.is_empty() || self.is_one(one, other)
    }

    /// Returns true if two repositories have the same owner, or are deployed together.
    fn is_one(&self, one: usize, other: usize) -> bool {
        let ((owner, deployed), (other_owner, other_deployed)) = (&self.0[one], &self.0[other]);
        !owner.is_empty() && owner == other_owner
            || deployed.keys().any(|deployment| other_deployed.contains_key(deployment))
    }

    /// Returns true if two repositories have the same owner or are deployed together. Without an owner, they may be one unless they are known
    /// to be deployed apart. A repository with a chart of its own service alone says nothing of others.
    pub(super) fn is_likely_one(&self, one: usize, other: usize) -> bool {
        let has_owners = [one, other].iter().all(|repository| !self.0[*repository].0.is_empty());
        let may_be = || self.may_be_one(one, other) || self.deploys_itself(one) && self.deploys_itself(other);
        if has_owners { self.is_one(one, other) } else { may_be() }
    }

    /// Returns true if only a repository itself deploys its service, and no other one.
    fn deploys_itself(&self, repository: usize) -> bool {
        let is_alone =
            || self.0.iter().enumerate().all(|(idx, (_, by))| idx == repository || !by.contains_key(&repository));
        self.0[repository].1.keys().all(|deployment| *deployment == repository) && is_alone()
    }

    /// Returns the repositories of each owner, and those of each deployment. Those without an owner are as of one.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut by_owner: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut by_deployment: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (repository, (owner, deployed)) in self.0.iter().enumerate() {
            by_owner.entry(*owner).or_default().push(repository);
            for deployment in deployed.keys() {
                by_deployment.entry(*deployment).or_default().push(repository);
            }
        }
        by_owner.into_values().chain(by_deployment.into_values()).collect()
    }

    /// Returns the workloads of two repositories that one repository deploys; `None` if none deploys both.
    pub(super) fn deployed_together(&self, one: usize, other: usize) -> Option<[EvidenceStep; 2]> {
        let (deployed, other_deployed) = (&self.0[one].1, &self.0[other].1);
        let (deployment, workload) = deployed.iter().find(|(deployment, _)| other_deployed.contains_key(deployment))?;
        let step = |workload: &SurfaceOffer| EvidenceStep {
            repository: *deployment,
            path: workload.site.path.clone(),
            line: workload.site.line,
            content: format!("workload {} runs {}", workload.key, workload.member),
        };
        Some([step(workload), step(other_deployed[deployment])])
    }
}
