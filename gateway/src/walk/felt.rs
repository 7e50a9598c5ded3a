//! From whom a change is felt: which edges carry it, and what changes with an entity.

use std::collections::BTreeSet;

use proto::v1;

use super::chain::{container, members};
use crate::{call::Call, nodes::At, overlay::Overlay, plan::Plan};

/// Edges along which a change is felt, against their direction; the last of them between files alone, which are imported.
const FELT: [v1::EdgeKind; 7] = [
    v1::EdgeKind::Calls,
    v1::EdgeKind::Extends,
    v1::EdgeKind::Implements,
    v1::EdgeKind::References,
    v1::EdgeKind::Tests,
    v1::EdgeKind::Handles,
    v1::EdgeKind::Imports,
];

/// Returns the edges along which a change of an entity is felt.
pub(crate) fn kinds(card: &v1::NodeCard) -> &'static [v1::EdgeKind] {
    let is_file = card.symbol.is_none() && card.route.is_none();
    if is_file { &FELT } else { &FELT[..FELT.len() - 1] }
}

/// Returns what changes with the target: the members of a type or file, and of a field the type that it is part of.
pub(crate) async fn roots(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    target: At,
    card: &v1::NodeCard,
    enter: &BTreeSet<usize>,
    notes: &mut Vec<String>,
) -> Vec<At> {
    let mut roots: Vec<At> = vec![target];
    roots.extend(members(call, plan, overlay, target, enter).await.into_iter().filter(|at| *at != target));
    let is_part = card.symbol.as_ref().is_some_and(|symbol| matches!(symbol.kind.as_str(), "field" | "variant"));
    if is_part && let Some(whole) = container(call, plan, overlay, target, enter).await {
        notes.push(
            "users of the type that it is part of are listed too: who uses the type may use the field".to_owned(),
        );
        roots.push(whole);
    }
    roots
}
