//! What a walk around an entity came to.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{
    item::{lines_of, path_of},
    packing::Row,
};
use crate::{
    entity::Entity,
    nodes::At,
    walk::{Neighbourhood, Relation, sections::Placed},
};

pub(super) struct Around<'a> {
    pub(super) entity: &'a Entity,
    pub(super) root: &'a v1::NodeCard,
    pub(super) found: &'a Neighbourhood,
    pub(super) placed: &'a [Placed<'a>],
    pub(super) cards: &'a BTreeMap<At, v1::NodeCard>,
    /// What stands beside the root, and is of its kind.
    pub(super) siblings: BTreeSet<At>,
    /// What the root's file defines, where that is of use; of a type, what is in it.
    pub(super) outline: Vec<Row>,
}

impl Around<'_> {
    /// Says whether something is written within the root, or around it: its code is the root's, or holds it.
    pub(super) fn overlaps_root(&self, at: At) -> bool {
        let Some(card) = self.cards.get(&at) else { return false };
        let (own, root) = (lines_of(card), lines_of(self.root));
        let is_same_file = at.position == self.entity.at.position && path_of(card) == path_of(self.root);
        is_same_file && own.start <= root.end && root.start <= own.end
    }
}

/// Returns what shares container, file or community with the root, and is of its kind.
pub(super) fn siblings(root: At, found: &Neighbourhood, cards: &BTreeMap<At, v1::NodeCard>) -> BTreeSet<At> {
    let Some(of_root) = cards.get(&root) else { return BTreeSet::new() };
    let is_definition = |relation| relation == Relation::Within(v1::EdgeKind::Defines);
    let defined = || found.edges.iter().filter(|edge| is_definition(edge.relation));
    let containers: BTreeSet<At> = defined().filter(|edge| edge.to == root).map(|edge| edge.from).collect();
    let beside: BTreeSet<At> = defined().filter(|edge| containers.contains(&edge.from)).map(|edge| edge.to).collect();
    let kind = |card: &v1::NodeCard| card.node.as_ref().map(|node| node.kind.clone());
    let community = |card: &v1::NodeCard| card.community.as_ref().map(|community| community.id);
    let is_sibling = |at: &At, card: &v1::NodeCard| {
        let is_near = beside.contains(at)
            || path_of(card) == path_of(of_root)
            || community(card).is_some() && community(card) == community(of_root);
        let is_one = *at != root && at.position == root.position && kind(card) == kind(of_root) && is_near;
        is_one.then_some(*at)
    };
    cards.iter().filter_map(|(at, card)| is_sibling(at, card)).collect()
}
