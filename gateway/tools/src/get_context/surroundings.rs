//! The outcome of a walk around an entity.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{
    item::{lines_of, path_of},
    packing::OutlineMember,
};
use federation::{
    entity::ResolvedEntity,
    nodes::NodeRef,
    walk::{Neighbourhood, Relation, sections::PlacedNode},
};

pub(super) struct EntitySurroundings<'a> {
    pub(super) entity: &'a ResolvedEntity,
    pub(super) root: &'a v1::NodeCard,
    pub(super) found: &'a Neighbourhood,
    pub(super) placed: &'a [PlacedNode<'a>],
    pub(super) cards: &'a BTreeMap<NodeRef, v1::NodeCard>,
    /// The siblings of the root.
    pub(super) siblings: BTreeSet<NodeRef>,
    /// The definitions of the root's file, if they are needed; for a type, its members.
    pub(super) outline: Vec<OutlineMember>,
}

impl EntitySurroundings<'_> {
    /// Returns true if a node overlaps the root in the same file: then its code is part of the root's, or contains
    /// it.
    pub(super) fn overlaps_root(&self, at: NodeRef) -> bool {
        let Some(card) = self.cards.get(&at) else { return false };
        let (own, root) = (lines_of(card), lines_of(self.root));
        let is_same_file = at.repo_idx == self.entity.at.repo_idx && path_of(card) == path_of(self.root);
        is_same_file && own.start <= root.end && root.start <= own.end
    }
}

/// Returns the nodes of the root's kind that share its container, file or community.
pub(super) fn siblings(
    root: NodeRef,
    found: &Neighbourhood,
    cards: &BTreeMap<NodeRef, v1::NodeCard>,
) -> BTreeSet<NodeRef> {
    let Some(root_card) = cards.get(&root) else { return BTreeSet::new() };
    let is_definition = |relation| relation == Relation::Within(v1::EdgeKind::Defines);
    let defined = || found.edges.iter().filter(|edge| is_definition(edge.relation));
    let containers: BTreeSet<NodeRef> = defined().filter(|edge| edge.to == root).map(|edge| edge.from).collect();
    let co_defined: BTreeSet<NodeRef> =
        defined().filter(|edge| containers.contains(&edge.from)).map(|edge| edge.to).collect();
    let kind = |card: &v1::NodeCard| card.node.as_ref().map(|node| node.kind.clone());
    let community = |card: &v1::NodeCard| card.community.as_ref().map(|community| community.id);
    let is_sibling = |at: &NodeRef, card: &v1::NodeCard| {
        let is_related = co_defined.contains(at)
            || path_of(card) == path_of(root_card)
            || community(card).is_some() && community(card) == community(root_card);
        let is_match = *at != root && at.repo_idx == root.repo_idx && kind(card) == kind(root_card) && is_related;
        is_match.then_some(*at)
    };
    cards.iter().filter_map(|(at, card)| is_sibling(at, card)).collect()
}
