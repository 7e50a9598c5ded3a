//! Accesses to members of values of an unknown type, and the members that they may mean.

use graph::{Program, SymbolIdx};
use model::{SymbolKind, code::Flags};
use serde::{Deserialize, Serialize};

use super::{UnresolvedSite, unresolved::UNSEEN_WEIGHT};

/// The unresolved accesses to members of one name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UnresolvedMemberName {
    /// By path and line.
    pub sites: Vec<UnresolvedMemberSite>,
    /// By repository: the members of this name. 0 is the importer, others are one more than the index of the provider.
    pub members: Vec<MembersOfName>,
    /// Number of other accesses to the name in the importer that lead to no provider.
    pub n_elsewhere: u32,
}

/// An access whose target is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnresolvedMemberSite {
    /// The access.
    pub site: UnresolvedSite,
    /// The repositories that its file reaches through imports, ascending.
    pub reached: Vec<u32>,
}

/// The members of one name in one repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembersOfName {
    /// Number of members.
    pub n_definitions: u32,
    /// Number of resolved accesses to them in the importer.
    pub n_accesses: u32,
}

impl UnresolvedMemberName {
    /// Returns the accesses that may mean a member of a repository.
    pub fn sites_of(&self, repository: u32) -> impl Iterator<Item = &UnresolvedSite> {
        self.sites.iter().filter(move |one| one.reached.binary_search(&repository).is_ok()).map(|one| &one.site)
    }

    /// Returns the expected number of accesses that mean one member of a repository: its share of the accesses with a known target.
    pub fn expected_of(&self, repository: u32) -> f32 {
        let weight = |one: u32| {
            let members = self.members.get(one as usize).copied().unwrap_or_default();
            members.n_accesses as f32 + members.n_definitions as f32 * UNSEEN_WEIGHT
        };
        let n_definitions = self.members.get(repository as usize).map_or(0, |members| members.n_definitions);
        let of_one = weight(repository) / n_definitions.max(1) as f32;
        let elsewhere = self.n_elsewhere as f32 + UNSEEN_WEIGHT;
        let is_possible = |one: &&UnresolvedMemberSite| one.reached.binary_search(&repository).is_ok();
        let share =
            |one: &UnresolvedMemberSite| of_one / (elsewhere + one.reached.iter().copied().map(weight).sum::<f32>());
        self.sites.iter().filter(is_possible).map(share).sum()
    }

    /// Keeps the accesses that are unresolved in another round, too.
    pub(super) fn merge(&mut self, other: UnresolvedMemberName) {
        let mut others: std::collections::BTreeMap<UnresolvedSite, Vec<u32>> = std::collections::BTreeMap::new();
        for one in other.sites {
            others.entry(one.site).or_default().extend(one.reached);
        }
        self.sites.retain_mut(|one| {
            let Some(reached) = others.get(&one.site) else { return false };
            one.reached.extend(reached);
            one.reached.sort_unstable();
            one.reached.dedup();
            true
        });
        for (known, members) in self.members.iter_mut().zip(other.members) {
            known.n_definitions = known.n_definitions.max(members.n_definitions);
            known.n_accesses = known.n_accesses.max(members.n_accesses);
        }
        self.n_elsewhere = self.n_elsewhere.min(other.n_elsewhere);
    }
}

/// Returns true for a definition whose uses are accesses to members.
pub(super) fn is_member(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    use SymbolKind::{Constant, Constructor, Field, Method, Property, Variable, Variant};
    match program.definition(symbol).kind {
        Field | Property | Variant => true,
        Constant | Variable => program.parent(symbol).is_some_and(|owner| program.definition(owner).kind.is_type()),
        Method | Constructor => program.shape(symbol).flags.has(Flags::PROPERTY),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(line: u32, reached: &[u32]) -> UnresolvedMemberSite {
        UnresolvedMemberSite { site: UnresolvedSite { path: "a.ts".to_owned(), line }, reached: reached.to_vec() }
    }

    #[test]
    fn accesses_are_shared_among_the_members_of_reached_repositories() {
        let members = |n_definitions: u32, n_accesses: u32| MembersOfName { n_definitions, n_accesses };
        let only = UnresolvedMemberName {
            sites: vec![site(1, &[0, 1]), site(2, &[0, 1]), site(3, &[0])],
            members: vec![members(0, 0), members(1, 0)],
            n_elsewhere: 0,
        };
        assert_eq!((only.sites_of(1).count(), only.expected_of(1)), (2, 1.0));
        // Nine of ten resolved accesses mean another member.
        let common =
            UnresolvedMemberName { members: vec![members(2, 0), members(4, 4)], n_elsewhere: 93, ..only.clone() };
        assert!(common.expected_of(1) < 0.05, "{}", common.expected_of(1));
        let mut merged = only;
        merged.merge(UnresolvedMemberName {
            sites: vec![site(2, &[0, 2])],
            members: vec![members(0, 0), members(0, 0), members(1, 3)],
            n_elsewhere: 2,
        });
        assert_eq!(merged.sites, [site(2, &[0, 1, 2])]);
    }
}
