//! Links between the repositories of the two sides of a question, with their evidence.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::evidence::EvidenceHit;
use crate::render;
use federation::{
    call::CallContext,
    overlay::{CrossRepoEdge, kind_name},
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of links in an answer.
const MAX_LINKS: usize = 3;

/// A link between two repositories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct AnswerLink {
    /// The kind of contract: package, package_symbol, grpc, http.
    pub(super) kind: String,
    /// The contract, as the provider writes it.
    pub(super) key: String,
    pub(super) user: LinkEnd,
    pub(super) provider: LinkEnd,
    pub(super) confidence: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinkEnd {
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) line: u32,
}

/// Returns the links between the repositories of the two sides, the most certain first; links whose ends are in
/// retrieved files come first.
pub(super) async fn between_sides(
    call: &CallContext<'_>,
    plan: &Plan,
    sides: &[BTreeSet<RepoIdx>; 2],
    hits: &[EvidenceHit],
) -> Vec<AnswerLink> {
    let is_between = |a: RepoIdx, b: RepoIdx| a != b && (sides[0].contains(&a) && sides[1].contains(&b));
    if !sides[0].iter().any(|first| sides[1].iter().any(|second| first != second)) {
        return Vec::new();
    }
    let overlay = call.overlay().await;
    let is_found =
        |repo_idx: RepoIdx, path: &str| hits.iter().any(|hit| hit.repo_idx == repo_idx && hit.file.path == path);
    let mut cross_edges: Vec<(usize, CrossRepoEdge<'_>)> = overlay
        .all(&call.visible)
        .filter(|cross_edge| {
            is_between(cross_edge.user, cross_edge.provider) || is_between(cross_edge.provider, cross_edge.user)
        })
        .map(|cross_edge| {
            let n_found = usize::from(is_found(cross_edge.user, &cross_edge.link.user.path))
                + usize::from(is_found(cross_edge.provider, &cross_edge.link.offer.path));
            (n_found, cross_edge)
        })
        .collect();
    cross_edges.sort_by(|(a_found, a), (b_found, b)| {
        let by_place = |cross_edge: &CrossRepoEdge<'_>| {
            (cross_edge.user, cross_edge.provider, cross_edge.link.user.clone(), cross_edge.link.offer.clone())
        };
        b_found.cmp(a_found).then(b.confidence.total_cmp(&a.confidence)).then_with(|| by_place(a).cmp(&by_place(b)))
    });
    cross_edges.into_iter().take(MAX_LINKS).map(|(_, cross_edge)| answer_link(plan, &cross_edge)).collect()
}

fn answer_link(plan: &Plan, cross_edge: &CrossRepoEdge<'_>) -> AnswerLink {
    let site = |repo_idx: RepoIdx, site: &::links::join::ContractSite| LinkEnd {
        repo: plan.alias(repo_idx).to_owned(),
        path: text::sanitise_name(&site.path).into_owned(),
        line: site.line,
    };
    let link = cross_edge.link;
    let key = if link.member.is_empty() { link.key.clone() } else { format!("{} {}", link.key, link.member) };
    AnswerLink {
        kind: kind_name(link.kind).to_owned(),
        key: text::sanitise_name(&key).into_owned(),
        user: site(cross_edge.user, &link.user),
        provider: site(cross_edge.provider, &link.offer),
        confidence: render::rounded(cross_edge.confidence),
    }
}

impl AnswerLink {
    /// Returns the link as a sentence, without its locations.
    pub(super) fn sentence(&self) -> String {
        let AnswerLink { kind, key, user, provider, .. } = self;
        let how = kind.replace('_', " ");
        let [user, key, provider] = [&user.repo, key, &provider.repo].map(|name| text::quote(name));
        format!("{user} uses {key} of {provider} ({how}).")
    }
}
