//! Summaries of the links of one repository to another, by kind: counts, the strongest links, and the used definitions.
//!
//! The repositories of a large organisation have millions of links. Inferred links have the same confidence for every caller, so they
//! are summarised once for a pair of generations. Links by key and of services are few, and are summarised for each answer.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
};

use links::{
    ContractKind,
    join::{ContractLink, ContractSite},
};

use super::{CrossRepoEdge, Overlay, OverlayPair};
use crate::{plan::Visible, repo_idx::RepoIdx, walk::CERTAIN};

/// Maximum number of links that a summary lists for each kind.
const MAX_STRONGEST: usize = 3;

/// The certain links of one kind from one repository to another.
pub struct PairKindSummary<'a> {
    /// The repository that uses the contracts.
    pub user: RepoIdx,
    /// The repository that offers them.
    pub provider: RepoIdx,
    /// The kind of the links.
    pub kind: ContractKind,
    /// The number of links.
    pub n_links: usize,
    /// The number of links whose user implements the contract.
    pub n_answered: usize,
    /// The most certain and most used links. One of each key comes before further ones.
    pub strongest: Vec<CrossRepoEdge<'a>>,
    /// The definitions that the user depends on.
    pub used: Vec<UsedDefinition<'a>>,
}

/// A definition that another repository uses.
pub struct UsedDefinition<'a> {
    /// The definition.
    pub site: &'a ContractSite,
    /// Its contract.
    pub key: &'a str,
    /// The number of links to it.
    pub n_links: usize,
}

/// The links between repositories, summarised.
pub struct OverlaySummary<'a> {
    /// In the order of pairs and kinds. A pair may occur several times: inferred links, those by key, and those of services.
    pub by_kind: Vec<PairKindSummary<'a>>,
    /// The number of links that are not certain.
    pub n_uncertain: usize,
}

/// The summary of the links of a pair, by indices.
#[derive(Debug, Default)]
pub(super) struct PairSummary {
    by_kind: BTreeMap<ContractKind, KindSummary>,
    n_uncertain: usize,
}

#[derive(Debug, Default)]
struct KindSummary {
    n_links: usize,
    n_answered: usize,
    strongest: Vec<u32>,
    /// By definition: its first link, and the number of its links.
    used: Vec<(u32, u32)>,
}

impl PairSummary {
    /// Summarises the counted links of a pair. `confidence` returns that of a link by its index.
    pub(super) fn new(links: &[ContractLink], confidence: impl Fn(u32) -> f32) -> PairSummary {
        let mut summary = PairSummary::default();
        let mut by_kind: BTreeMap<ContractKind, Vec<u32>> = BTreeMap::new();
        for (idx, link) in (0..).zip(links).filter(|(_, link)| link.is_counted()) {
            if confidence(idx) < CERTAIN {
                summary.n_uncertain += 1;
            } else {
                by_kind.entry(link.kind).or_default().push(idx);
            }
        }
        let of_kind = |(kind, idxs): (ContractKind, Vec<u32>)| (kind, KindSummary::new(links, &idxs, &confidence));
        summary.by_kind = by_kind.into_iter().map(of_kind).collect();
        summary
    }
}

impl KindSummary {
    fn new(links: &[ContractLink], idxs: &[u32], confidence: impl Fn(u32) -> f32) -> KindSummary {
        let link = |idx: u32| &links[idx as usize];
        let mut used: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for idx in idxs.iter().copied().filter(|idx| link(*idx).is_exact && !link(*idx).serves) {
            used.entry(link(idx).offer.node).or_insert((idx, 0)).1 += 1;
        }
        let order = |a: &u32, b: &u32| {
            let strength = strength((link(*a), confidence(*a)), (link(*b), confidence(*b)));
            strength.then(a.cmp(b))
        };
        KindSummary {
            n_links: idxs.len(),
            n_answered: idxs.iter().filter(|idx| link(**idx).serves).count(),
            strongest: strongest(links, idxs, order),
            used: used.into_values().collect(),
        }
    }
}

/// Returns the first links in an order, one of each key before further ones.
fn strongest(links: &[ContractLink], idxs: &[u32], order: impl Fn(&u32, &u32) -> Ordering) -> Vec<u32> {
    let mut first_of_key: HashMap<(&str, &str), u32> = HashMap::new();
    for idx in idxs {
        let link = &links[*idx as usize];
        let first = first_of_key.entry((&*link.key, &*link.member)).or_insert(*idx);
        if order(idx, first) == Ordering::Less {
            *first = *idx;
        }
    }
    let mut found: Vec<u32> = first_of_key.into_values().collect();
    found.sort_unstable_by(&order);
    if found.len() < MAX_STRONGEST {
        let mut repeated: Vec<u32> = idxs.iter().copied().filter(|idx| !found.contains(idx)).collect();
        repeated.sort_unstable_by(&order);
        found.extend(repeated);
    }
    found.truncate(MAX_STRONGEST);
    found
}

/// Compares two links with their confidences: the most certain and most used one is less.
pub fn strength((a, of_a): (&ContractLink, f32), (b, of_b): (&ContractLink, f32)) -> Ordering {
    let places = || (&a.user, &a.offer).cmp(&(&b.user, &b.offer));
    of_b.total_cmp(&of_a).then(b.n_sites.cmp(&a.n_sites)).then_with(places)
}

impl Overlay {
    /// Returns the summary of the links between repositories for which `is_included` returns true, given user and provider.
    pub fn summary<'a>(
        &'a self,
        visible: &'a Visible,
        is_included: impl Fn(RepoIdx, RepoIdx) -> bool,
    ) -> OverlaySummary<'a> {
        let mut all = OverlaySummary { by_kind: Vec::new(), n_uncertain: 0 };
        for pair in self.pairs.iter().filter(|pair| pair.user != pair.provider) {
            let is_seen = visible.may_read(pair.user) && visible.may_read(pair.provider);
            if !is_seen || !is_included(pair.user, pair.provider) {
                continue;
            }
            if pair.is_joint {
                self.add_summary(&mut all, pair, pair.index.summary(), visible);
            } else {
                let links = pair.index.links();
                let confidence =
                    |idx: u32| self.edge_of(pair, &links[idx as usize], visible).map_or(0.0, |edge| edge.confidence);
                self.add_summary(&mut all, pair, &PairSummary::new(links, confidence), visible);
            }
        }
        all
    }

    fn add_summary<'a>(
        &'a self,
        all: &mut OverlaySummary<'a>,
        pair: &'a OverlayPair,
        summary: &PairSummary,
        visible: &Visible,
    ) {
        let links = pair.index.links();
        all.n_uncertain += summary.n_uncertain;
        all.by_kind.extend(summary.by_kind.iter().map(|(kind, one)| {
            PairKindSummary {
                user: pair.user,
                provider: pair.provider,
                kind: *kind,
                n_links: one.n_links,
                n_answered: one.n_answered,
                strongest: one
                    .strongest
                    .iter()
                    .filter_map(|idx| self.edge_of(pair, &links[*idx as usize], visible))
                    .collect(),
                used: one
                    .used
                    .iter()
                    .map(|(first, n_links)| {
                        let first = &links[*first as usize];
                        UsedDefinition { site: &first.offer, key: &first.key, n_links: *n_links as usize }
                    })
                    .collect(),
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(key: &str, offer: u32, n_sites: u32) -> ContractLink {
        let site = |node| ContractSite { node, path: format!("f{node}").into(), line: 1 };
        ContractLink {
            kind: ContractKind::PackageSymbol,
            key: key.into(),
            member: "".into(),
            use_idx: 0,
            user: site(0),
            offer: site(offer),
            confidence: 1.0,
            n_sites,
            serves: false,
            is_exact: true,
            use_kind: None,
            lines: Vec::new(),
            evidence: Vec::new(),
        }
    }

    fn summary(links: &[ContractLink]) -> PairSummary {
        PairSummary::new(links, |idx| links[idx as usize].confidence)
    }

    #[test]
    fn one_link_of_each_key_is_listed_before_further_ones() {
        let links = [link("a", 1, 9), link("a", 2, 8), link("b", 3, 1), link("a", 1, 7), link("c", 4, 2)];
        let listed = |links: &[ContractLink]| summary(links).by_kind[&ContractKind::PackageSymbol].strongest.clone();
        assert_eq!(listed(&links), [0, 4, 2]);
        assert_eq!(listed(&links[..4]), [0, 2, 1]);
        assert_eq!(listed(&links[..1]), [0]);
    }

    #[test]
    fn counted_links_are_summed_by_kind_and_definition() {
        let uncertain = ContractLink { confidence: CERTAIN / 2.0, ..link("a", 1, 1) };
        let access = ContractLink { use_kind: Some(graph::EdgeKind::Accesses), ..link("a", 1, 1) };
        let package = ContractLink { kind: ContractKind::Package, is_exact: false, ..link("a", 1, 1) };
        let server = ContractLink { serves: true, ..link("a", 1, 1) };
        let links = [link("a", 2, 1), link("a", 1, 1), uncertain, access, package, server, link("a", 2, 5)];
        let PairSummary { by_kind, n_uncertain } = summary(&links);
        let symbols = &by_kind[&ContractKind::PackageSymbol];
        assert_eq!((n_uncertain, symbols.n_links, symbols.n_answered), (1, 4, 1));
        assert_eq!(symbols.used, [(1, 1), (0, 2)]);
        let package = &by_kind[&ContractKind::Package];
        assert_eq!((package.n_links, package.used.len()), (1, 0));
    }
}
