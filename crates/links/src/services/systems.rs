//! Systems: the repositories that are deployed together.

use std::collections::BTreeSet;

use super::{ServiceRepository, images, network::Network};

/// By repository: its owner, and the repositories that deploy it.
pub(super) struct Systems<'a>(Vec<(&'a str, BTreeSet<usize>)>);

impl<'a> Systems<'a> {
    pub(super) fn new(repositories: &[ServiceRepository<'a>], network: &Network<'_>) -> Systems<'a> {
        let mut systems: Vec<(&str, BTreeSet<usize>)> =
            repositories.iter().map(|one| (images::owner(one.alias), BTreeSet::new())).collect();
        for (deployment, _, builders) in network.workload_builders() {
            for to in builders {
                systems[to.repository].1.insert(deployment);
            }
        }
        Systems(systems)
    }

    /// Returns true unless two repositories are known to be deployed apart from each other. Such repositories may have the same names of
    /// topics, tables and databases by chance.
    pub(super) fn may_be_one(&self, one: usize, other: usize) -> bool {
        let ((owner, deployed), (other_owner, other_deployed)) = (&self.0[one], &self.0[other]);
        let is_of_owner = !owner.is_empty() && owner == other_owner;
        let is_unknown = deployed.is_empty() || other_deployed.is_empty();
        is_of_owner || is_unknown || deployed.intersection(other_deployed).next().is_some()
    }
}
