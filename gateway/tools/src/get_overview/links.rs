//! Links between repositories, one line per pair and kind.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use links::{ContractKind, join::ContractSite};

use super::entry::LinkEntry;
use crate::{
    get_context::item::{LinkSides, MAX_STEPS},
    render,
};
use federation::{
    call::CallContext,
    nodes::NodeRef,
    overlay::{CrossRepoEdge, Overlay, OverlaySummary, UsedDefinition, kind_name, strength},
    plan::Plan,
    repo_idx::RepoIdx,
    walk::CERTAIN,
};

/// Maximum number of links per kind that are shown as evidence between two repositories, if no other is asked about.
const MAX_EVIDENCE: usize = 25;

/// Approximate tokens of one evidence line as JSON.
const EVIDENCE_TOKENS: usize = 50;

/// The certain links between the repositories that a caller may read.
pub(super) struct Links<'a> {
    /// By user, provider and kind.
    pairs: BTreeMap<(RepoIdx, RepoIdx, &'static str), KindLinks<'a>>,
    /// Number of uncertain links.
    pub(super) n_uncertain: usize,
}

/// The links of one kind between two repositories.
#[derive(Default)]
struct KindLinks<'a> {
    n_links: usize,
    n_answered: usize,
    /// The links to show some of: the strongest ones of each summary, or all.
    evidence: Vec<CrossRepoEdge<'a>>,
    used: Vec<UsedDefinition<'a>>,
}

/// A definition that other repositories use.
pub(super) struct CrossRepoDefinition<'a> {
    pub(super) at: NodeRef,
    pub(super) key: &'a str,
    /// The location of its definition.
    pub(super) site: &'a ContractSite,
    /// Number of links by user.
    pub(super) users: BTreeMap<RepoIdx, usize>,
}

impl<'a> Links<'a> {
    /// Returns the links for which `is_included` returns true, given user and provider.
    pub(super) fn new(
        call: &'a CallContext<'_>,
        overlay: &'a Overlay,
        is_included: impl Fn(RepoIdx, RepoIdx) -> bool,
    ) -> Links<'a> {
        let OverlaySummary { by_kind, n_uncertain } = overlay.summary(&call.visible, is_included);
        let mut links = Links { pairs: BTreeMap::new(), n_uncertain };
        for one in by_kind {
            let pair = links.pairs.entry((one.user, one.provider, kind_name(one.kind))).or_default();
            pair.n_links += one.n_links;
            pair.n_answered += one.n_answered;
            pair.evidence.extend(one.strongest);
            pair.used.extend(one.used);
        }
        links
    }

    /// Returns the links between two repositories, with all links as evidence instead of the strongest of a summary.
    pub(super) fn between(call: &'a CallContext<'_>, overlay: &'a Overlay, one: RepoIdx, other: RepoIdx) -> Links<'a> {
        let is_between = |user, provider| [(one, other), (other, one)].contains(&(user, provider));
        let Links { mut pairs, n_uncertain } = Links::new(call, overlay, is_between);
        for links in pairs.values_mut() {
            links.evidence.clear();
        }
        let certain = overlay
            .edges_between(&call.visible, is_between)
            .filter(|cross_edge| cross_edge.is_counted() && cross_edge.confidence >= CERTAIN);
        for cross_edge in certain {
            let pair = (cross_edge.user, cross_edge.provider, kind_name(cross_edge.link.kind));
            pairs.entry(pair).or_default().evidence.push(cross_edge);
        }
        Links { pairs, n_uncertain }
    }

    /// Returns the pairs of linked repositories.
    pub(super) fn linked_pairs(&self) -> BTreeSet<(RepoIdx, RepoIdx)> {
        self.pairs.keys().map(|(user, provider, _)| (*user, *provider)).collect()
    }

    /// Returns the number of links from one repository to another by kind, the most first.
    pub(super) fn counts(&self, user: RepoIdx, provider: RepoIdx) -> Vec<(&'static str, usize)> {
        let kinds =
            self.pairs.range((user, provider, "")..).take_while(|(pair, _)| (pair.0, pair.1) == (user, provider));
        let mut counts: Vec<_> = kinds.map(|((_, _, kind), links)| (*kind, links.n_links)).collect();
        counts.sort_by_key(|(kind, n_links)| (Reverse(*n_links), *kind));
        counts
    }

    /// Returns for each repository the number of linked repositories, and the number of links.
    pub(super) fn weights(&self) -> BTreeMap<RepoIdx, (usize, usize)> {
        let mut neighbours: BTreeMap<RepoIdx, (BTreeSet<RepoIdx>, usize)> = BTreeMap::new();
        for ((user, provider, _), links) in &self.pairs {
            for (one, other) in [(user, provider), (provider, user)] {
                let (others, n_links) = neighbours.entry(*one).or_default();
                others.insert(*other);
                *n_links += links.n_links;
            }
        }
        neighbours.into_iter().map(|(one, (others, n_links))| (one, (others.len(), n_links))).collect()
    }

    /// Returns one line per pair and kind: pairs with the most links first, the kinds of a pair adjacent.
    pub(super) fn lines(&self, plan: &Plan, token_budget: usize) -> Vec<LinkEntry> {
        let mut n_links_of_pair: BTreeMap<(RepoIdx, RepoIdx), usize> = BTreeMap::new();
        for ((user, provider, _), links) in &self.pairs {
            *n_links_of_pair.entry((*user, *provider)).or_default() += links.n_links;
        }
        let n_evidence = token_budget / 3 / (EVIDENCE_TOKENS * self.pairs.len().max(1));
        let n_evidence = n_evidence.clamp(1, MAX_EVIDENCE);
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_by_key(|((user, provider, kind), links)| {
            (Reverse(n_links_of_pair[&(*user, *provider)]), *user, *provider, Reverse(links.n_links), *kind)
        });
        let line = |((user, provider, kind), links): (&(RepoIdx, RepoIdx, &'static str), &KindLinks<'_>)| {
            let strongest = strongest(&links.evidence);
            LinkEntry {
                user: plan.alias(*user).to_owned(),
                provider: plan.alias(*provider).to_owned(),
                kind,
                links: links.n_links,
                answered: links.n_answered,
                confidence: strongest.first().map_or(0.0, |cross_edge| render::rounded(cross_edge.confidence)),
                evidence: strongest.into_iter().take(n_evidence).map(|cross_edge| sides(plan, cross_edge)).collect(),
            }
        };
        pairs.into_iter().map(line).collect()
    }

    /// Returns the definitions that other repositories use, those with the most repositories first.
    pub(super) fn cross_repo_definitions(&self) -> Vec<CrossRepoDefinition<'a>> {
        let mut found: BTreeMap<NodeRef, CrossRepoDefinition<'a>> = BTreeMap::new();
        // A package is declared in a manifest, and a setting leads to a Dockerfile.
        let of_definitions =
            self.pairs.iter().filter(|((_, _, kind), _)| !matches!(*kind, "package" | "config" | "image"));
        // A package link stands for a symbol that was not found in it. An implementation of an rpc does not depend on
        // itself. Summaries leave both out.
        for ((user, provider, _), links) in of_definitions {
            for one in &links.used {
                let at = NodeRef { repo_idx: *provider, node: one.site.node };
                let first = || CrossRepoDefinition { at, key: one.key, site: one.site, users: BTreeMap::new() };
                *found.entry(at).or_insert_with(first).users.entry(*user).or_default() += one.n_links;
            }
        }
        let mut found: Vec<CrossRepoDefinition<'a>> = found.into_values().collect();
        found.sort_by_key(|one| (Reverse(one.users.len()), Reverse(one.users.values().sum::<usize>()), one.at));
        found
    }
}

/// Returns the repositories that publish the packages which `user` declares, by package key.
pub(super) fn publishers<'a>(
    call: &'a CallContext<'_>,
    overlay: &'a Overlay,
    user: RepoIdx,
) -> BTreeMap<&'a str, RepoIdx> {
    let own = overlay.edges_between(&call.visible, |of, _| of == user).filter(|cross_edge| {
        cross_edge.link.kind == ContractKind::Package && cross_edge.is_counted() && cross_edge.confidence >= CERTAIN
    });
    own.map(|cross_edge| (&*cross_edge.link.key, cross_edge.provider)).collect()
}

/// Returns links, the most certain and most used first; one of each key comes before further ones.
fn strongest<'l, 'a>(cross_edges: &'l [CrossRepoEdge<'a>]) -> Vec<&'l CrossRepoEdge<'a>> {
    let mut ordered: Vec<&CrossRepoEdge<'_>> = cross_edges.iter().collect();
    ordered.sort_by(|a, b| strength((a.link, a.confidence), (b.link, b.confidence)));
    let mut seen = BTreeSet::new();
    let (mut first, repeated): (Vec<_>, Vec<_>) =
        ordered.into_iter().partition(|cross_edge| seen.insert((&*cross_edge.link.key, &*cross_edge.link.member)));
    first.extend(repeated);
    first
}

fn sides(plan: &Plan, cross_edge: &CrossRepoEdge<'_>) -> LinkSides {
    let site = |repo_idx: RepoIdx, site: &ContractSite| {
        format!("{}:{}:{}", plan.alias(repo_idx), text::sanitise_name(&site.path), site.line)
    };
    let key = match &*cross_edge.link.member {
        "" => cross_edge.link.key.to_string(),
        member => format!("{}::{member}", cross_edge.link.key),
    };
    LinkSides {
        key: text::sanitise_name(&key).into_owned(),
        user: site(cross_edge.user, &cross_edge.link.user),
        offer: site(cross_edge.provider, &cross_edge.link.offer),
        versions: String::new(),
        because: cross_edge
            .link
            .evidence
            .iter()
            .take(MAX_STEPS)
            .map(|step| {
                let place = ContractSite { node: 0, path: step.path.clone(), line: step.line };
                format!("{} {}", site(RepoIdx(step.repository), &place), text::sanitise_name(&step.content))
            })
            .collect(),
    }
}
