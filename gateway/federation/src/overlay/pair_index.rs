//! The links between two repositories, found by either end. An index is built once for a pair of generations, and shared by overlays.

use std::sync::OnceLock;

use links::{ContractKind, join::ContractLink};

use super::pair_summary::PairSummary;

/// The links of one repository to another.
#[derive(Debug, Default)]
pub(super) struct PairIndex {
    links: Vec<ContractLink>,
    /// Indices of links, by node of the user; of one node ascending.
    by_user: Vec<u32>,
    /// The same by node of the offer.
    by_offer: Vec<u32>,
    /// The same by use.
    by_use: Vec<u32>,
    /// True if the first repository declares a package of the second.
    pub(super) is_declared: bool,
    /// Made on first use.
    summary: OnceLock<PairSummary>,
}

impl PairIndex {
    /// Indexes links.
    pub(super) fn new(mut links: Vec<ContractLink>) -> PairIndex {
        // A thousand repositories have millions of links.
        links.shrink_to_fit();
        let sorted = |number: &dyn Fn(&ContractLink) -> u32| {
            let mut sorted: Vec<u32> = (0..links.len() as u32).collect();
            sorted.sort_by_key(|idx| number(&links[*idx as usize]));
            sorted
        };
        let (by_user, by_offer) = (sorted(&|link| link.user.node), sorted(&|link| link.offer.node));
        let by_use = sorted(&|link| link.use_idx);
        let is_declared = links.iter().any(|link| link.kind == ContractKind::Package);
        PairIndex { by_user, by_offer, by_use, is_declared, links, summary: OnceLock::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Returns the links whose user is a node, in their order.
    pub(super) fn of_user(&self, node: u32) -> impl Iterator<Item = &ContractLink> {
        self.range(&self.by_user, node, |link| link.user.node)
    }

    /// Returns the links whose offer is a node, in their order.
    pub(super) fn of_offer(&self, node: u32) -> impl Iterator<Item = &ContractLink> {
        self.range(&self.by_offer, node, |link| link.offer.node)
    }

    /// Returns all links, in their order.
    pub(super) fn all(&self) -> impl Iterator<Item = &ContractLink> {
        self.links.iter()
    }

    /// Returns the links, in their order.
    pub(super) fn links(&self) -> &[ContractLink] {
        &self.links
    }

    /// Returns the summary of the links, which have no alternatives.
    pub(super) fn summary(&self) -> &PairSummary {
        self.summary.get_or_init(|| PairSummary::new(&self.links, |idx| self.links[idx as usize].confidence))
    }

    /// Returns true if a link has this use: an index of the surface of the user.
    pub(super) fn has_use(&self, use_idx: u32) -> bool {
        self.by_use.binary_search_by_key(&use_idx, |idx| self.links[*idx as usize].use_idx).is_ok()
    }

    fn range<'a>(
        &'a self,
        sorted: &'a [u32],
        node: u32,
        node_of: impl Fn(&ContractLink) -> u32 + 'a,
    ) -> impl Iterator<Item = &'a ContractLink> {
        let link = |idx: &u32| &self.links[*idx as usize];
        let first = sorted.partition_point(|idx| node_of(link(idx)) < node);
        sorted[first..].iter().map(link).take_while(move |link| node_of(link) == node)
    }

    /// Returns true if these links, which inference resolved, describe a use better than a link by key.
    pub(super) fn replaces(&self, link: &ContractLink) -> bool {
        link.kind == ContractKind::PackageSymbol
            && self.of_user(link.user.node).any(|inferred| !link.is_exact || inferred.offer.node == link.offer.node)
    }
}

#[cfg(test)]
mod tests {
    use links::join::ContractSite;

    use super::*;

    fn link(use_idx: u32, user: u32, offer: u32, is_exact: bool) -> ContractLink {
        let site = |node| ContractSite { node, path: "".into(), line: 1 };
        ContractLink {
            kind: ContractKind::PackageSymbol,
            key: "npm:kit".into(),
            member: "".into(),
            use_idx,
            user: site(user),
            offer: site(offer),
            confidence: 1.0,
            n_sites: 1,
            serves: false,
            is_exact,
            use_kind: None,
            lines: Vec::new(),
            evidence: Vec::new(),
        }
    }

    #[test]
    fn links_are_found_by_either_end() {
        let links = vec![link(0, 7, 1, true), link(1, 3, 2, true), link(1, 3, 1, true), link(4, 7, 1, true)];
        let index = PairIndex::new(links);
        let uses = |links: &mut dyn Iterator<Item = &ContractLink>| -> Vec<(u32, u32)> {
            links.map(|link| (link.use_idx, link.offer.node)).collect()
        };
        assert_eq!(uses(&mut index.of_user(7)), [(0, 1), (4, 1)]);
        assert_eq!(uses(&mut index.of_user(3)), [(1, 2), (1, 1)]);
        assert_eq!(uses(&mut index.of_offer(1)), [(0, 1), (1, 1), (4, 1)]);
        assert_eq!(uses(&mut index.of_offer(9)), []);
        assert_eq!([0, 1, 2, 4].map(|use_idx| index.has_use(use_idx)), [true, true, false, true]);
    }

    #[test]
    fn links_by_key_are_replaced_by_better_ones() {
        let index = PairIndex::new(vec![link(0, 7, 1, true)]);
        for (user, offer, is_exact, expected) in
            [(7, 1, true, true), (7, 2, true, false), (7, 2, false, true), (8, 1, true, false)]
        {
            assert_eq!(index.replaces(&link(5, user, offer, is_exact)), expected, "{user} {offer} {is_exact}");
        }
    }
}
