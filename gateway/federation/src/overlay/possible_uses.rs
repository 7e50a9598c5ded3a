//! Uses that may mean a definition and could not be resolved.

use links::joint::{NamedDefinition, UnfollowedImports, UnresolvedSite};

use super::Overlay;
use crate::{nodes::NodeRef, repo_idx::RepoIdx};

/// Uses that may mean a definition, in several repositories.
#[derive(Debug, Default)]
pub struct PossibleUses<'a> {
    /// In the order of repositories, paths and lines.
    pub sites: Vec<(RepoIdx, &'a UnresolvedSite)>,
    /// The number of them that are expected to mean it.
    pub n_expected: f32,
}

impl Overlay {
    /// Returns the calls that could not be resolved and may mean a definition, given its name: those of its repository and of the
    /// repositories that depend on it, in order.
    pub fn unresolved_calls(&self, target: NodeRef, name: &str) -> PossibleUses<'_> {
        let mut found = PossibleUses::default();
        for (repo_idx, linked) in &self.linked {
            let Some(of_name) = linked.links.unresolved.get(name) else { continue };
            let Some(repository) = linked.number_of(*repo_idx, target.repo_idx) else { continue };
            let is_target = |one: &NamedDefinition| one.repository == repository && one.node == target.node;
            let Some(definition_idx) = of_name.definitions.iter().position(is_target) else { continue };
            found.sites.extend(of_name.calls_of(definition_idx).map(|call| (*repo_idx, &call.site)));
            found.n_expected += of_name.expected_calls_of(definition_idx);
        }
        found
    }

    /// Returns all calls that could not be resolved, in each of the repositories that depend on others, in order.
    pub fn all_unresolved_calls(&self) -> impl Iterator<Item = (RepoIdx, &UnresolvedSite)> {
        self.linked.iter().flat_map(|(repo_idx, linked)| {
            let calls = linked.links.unresolved.values().flat_map(|of_name| &of_name.sites);
            calls.map(|call| (*repo_idx, &call.site))
        })
    }

    /// Returns the accesses to members of a name whose receiver type is unknown and that may mean a member of `provider`: those of the
    /// repositories that depend on it, in order.
    pub fn unresolved_accesses(&self, provider: RepoIdx, name: &str) -> PossibleUses<'_> {
        let mut found = PossibleUses::default();
        for (repo_idx, linked) in self.linked.iter().filter(|(repo_idx, _)| **repo_idx != provider) {
            let Some(of_name) = linked.links.unresolved_accesses.get(name) else { continue };
            let Some(repository) = linked.number_of(*repo_idx, provider) else { continue };
            found.sites.extend(of_name.sites_of(repository).map(|site| (*repo_idx, site)));
            found.n_expected += of_name.expected_of(repository);
        }
        found
    }

    /// Returns the imports that could not be followed, by each of the repositories that depend on a repository, in order, and the index
    /// of that repository among the providers of the importer.
    pub fn unfollowed_imports(&self, provider: RepoIdx) -> impl Iterator<Item = (RepoIdx, u32, &UnfollowedImports)> {
        self.linked.iter().filter_map(move |(repo_idx, linked)| {
            let place = linked.providers.iter().position(|other| *other == provider)?;
            Some((*repo_idx, place as u32, &*linked.links.unfollowed_imports))
        })
    }

    /// Returns the repositories that depend on `provider` and have uses that were not looked at.
    pub fn partly_linked(&self, provider: RepoIdx) -> impl Iterator<Item = RepoIdx> {
        let importers = self.linked.iter().filter(move |(_, linked)| linked.providers.contains(&provider));
        importers.filter(|(_, linked)| linked.links.may_miss_any).map(|(repo_idx, _)| *repo_idx)
    }
}
