//! Ranks the nodes of a walk by their relevance to the roots.

use std::collections::BTreeMap;

use graph::{RankEdge as Way, fewest_boundaries, personalised_pagerank as personalised};
use proto::v1;

use super::{Neighbourhood, salience::salience, weights::Weights};
use crate::{nodes::NodeRef, repo_idx::RepoIdx};

/// A node with its relevance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedNode {
    /// The node, which is no root.
    pub at: NodeRef,
    /// Personalised PageRank relative to the first root, times salience, times the decay for each boundary.
    pub relevance: f64,
    /// The minimum number of boundaries between it and a root.
    pub boundaries: u32,
    /// The distance from the nearest root, in edges.
    pub hops: u32,
}

/// Returns the collected nodes without the roots, the most relevant first.
///
/// Relevance is rank x salience x `decay` ^ boundaries. A domain is a repository and a kind of content; an edge crosses at most
/// one boundary. The rank ignores boundaries, so that a decay of 0.5 gives exactly half the relevance of a decay of 1.
pub fn rank(found: &Neighbourhood, roots: &[NodeRef], weights: &Weights, decay: f64) -> Vec<RankedNode> {
    let indices: BTreeMap<NodeRef, usize> = found.nodes.keys().enumerate().map(|(idx, at)| (*at, idx)).collect();
    let domains: Vec<(RepoIdx, v1::Domain)> = found
        .nodes
        .iter()
        .map(|(at, met)| (at.repo_idx, met.node.as_ref().map_or(v1::Domain::Unspecified, |node| node.domain())))
        .collect();
    let mut ways = Vec::with_capacity(found.edges.len() * 2);
    let mut pairs = Vec::with_capacity(found.edges.len());
    for edge in &found.edges {
        let (from, to) = (indices[&edge.from], indices[&edge.to]);
        let confidence = f64::from(edge.confidence);
        ways.push(Way { from, to, weight: weights.of(edge.relation, true) * confidence });
        ways.push(Way { from: to, to: from, weight: weights.of(edge.relation, false) * confidence });
        pairs.push((from, to));
    }
    let root_indices: Vec<usize> = roots.iter().filter_map(|root| indices.get(root).copied()).collect();
    let ranks = personalised(domains.len(), &ways, &root_indices);
    let boundaries = fewest_boundaries(&domains, &pairs, &root_indices);
    let of_root = root_indices.first().map_or(1.0, |root| ranks[*root]).max(f64::MIN_POSITIVE);

    let salience = salience(found, roots, weights);
    let others = found.nodes.iter().zip(0..).filter(|((at, _), _)| !roots.contains(at));
    let mut ranked: Vec<RankedNode> = others
        .map(|((at, met), idx)| {
            let boundaries = boundaries[idx].unwrap_or_default();
            let relevance =
                rounded(ranks[idx] / of_root * salience.get(at).unwrap_or(&1.0)) * decay.powi(boundaries as i32);
            RankedNode { at: *at, relevance, boundaries, hops: met.hops }
        })
        .collect();
    ranked.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.at.cmp(&b.at)));
    ranked
}

/// Rounds a rank to six decimals before any decay: further digits are noise, and exact halves stay exact.
fn rounded(rank: f64) -> f64 {
    (rank * 1e6).round() / 1e6
}
