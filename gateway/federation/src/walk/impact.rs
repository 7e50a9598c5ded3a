//! The impact of a change: the edges that carry it, and the nodes that change with an entity.

use std::collections::BTreeSet;

use graph::Family;
use model::Language;
use proto::v1;

use super::chain::{container, members};
use crate::{answer::Answer, call::CallContext, nodes::NodeRef, overlay::Overlay, plan::Plan, repo_idx::RepoIdx};

/// Edges that carry the impact of a change, against their direction. The last one joins files alone, which are imported.
pub const BREAKING: [v1::EdgeKind; 9] = [
    v1::EdgeKind::Calls,
    v1::EdgeKind::Dispatch,
    v1::EdgeKind::Extends,
    v1::EdgeKind::Implements,
    v1::EdgeKind::References,
    v1::EdgeKind::Accesses,
    v1::EdgeKind::Tests,
    v1::EdgeKind::Handles,
    v1::EdgeKind::Imports,
];

/// Edges that carry the impact of a change of code, rather than of a whole file.
pub const CODE_KINDS: &[v1::EdgeKind] = BREAKING.split_at(BREAKING.len() - 1).0;

/// Returns the edges that carry the impact of a change of an entity.
pub fn kinds(card: &v1::NodeCard) -> &'static [v1::EdgeKind] {
    let is_file = card.symbol.is_none() && card.route.is_none();
    if is_file { &BREAKING } else { CODE_KINDS }
}

/// The nodes that a change of an entity touches directly.
pub struct ImpactRoots {
    /// The entity first.
    pub nodes: Vec<NodeRef>,
    /// Set if the uses of the entity are not known.
    pub note: Option<String>,
}

/// Returns the nodes that change with the target: the members of a type or file, and of a field the message that it is part of.
pub async fn roots(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    target: NodeRef,
    card: &v1::NodeCard,
    enter: &BTreeSet<RepoIdx>,
) -> Answer<ImpactRoots> {
    let members = members(call, plan, overlay, target, enter).await;
    let own = members.value.iter().copied().filter(|at| *at != target);
    let mut roots = ImpactRoots { nodes: std::iter::once(target).chain(own).collect(), note: None };
    if !is_part_of_type(card) {
        return Answer { value: roots, shortfalls: members.shortfalls };
    }
    let is_of_message = language_of(card) == Some(Language::Protobuf);
    if !is_of_message {
        let note =
            "reads and writes of members are not indexed in this language: their users are among those of the type";
        roots.note = (!has_indexed_uses(card)).then(|| note.to_owned());
        return Answer { value: roots, shortfalls: members.shortfalls };
    }
    let remaining = plan.without(&members.shortfalls);
    let container = container(call, &remaining, overlay, target, enter).await.after(members.shortfalls);
    if let Some(whole) = container.value {
        roots.nodes.push(whole);
        roots.note = Some("users of the message are listed: whoever uses the message may use the field".to_owned());
    }
    Answer { value: roots, shortfalls: container.shortfalls }
}

/// Returns false for a field or an enum member of a language whose accesses are not edges of the graph.
pub fn has_indexed_uses(card: &v1::NodeCard) -> bool {
    let has_inference = |language| !matches!(Family::of(language), Family::Other);
    let is_accessed =
        language_of(card).is_some_and(|language| has_inference(language) && language != Language::Protobuf);
    !is_part_of_type(card) || is_accessed
}

/// Returns true for a field or an enum member.
pub fn is_part_of_type(card: &v1::NodeCard) -> bool {
    card.symbol.as_ref().is_some_and(|symbol| matches!(symbol.kind.as_str(), "field" | "variant" | "property"))
}

fn language_of(card: &v1::NodeCard) -> Option<Language> {
    card.file.as_ref().map(|file| Language::of_path(&file.path))
}
