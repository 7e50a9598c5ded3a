//! Inheritance: whether one type extends or implements another, and the types that extend or implement one.

use std::collections::BTreeSet;

use federation::{
    answer::Answer,
    nodes::NodeRef,
    repo_idx::RepoIdx,
    walk::{CERTAIN, Relation, WalkEdge, WalkScope, hop, weights::Weights},
};
use proto::v1;

use super::{
    IntentContext,
    cited_text::{CitedText, citation},
    subject::SubjectNode,
};
use crate::get_context::context::base_plan;

const INHERITANCE: [v1::EdgeKind; 2] = [v1::EdgeKind::Extends, v1::EdgeKind::Implements];

/// Edges of a type to read.
const MAX_EDGES: u32 = 200;

/// Returns the sentence that one of two things directly extends or implements the other; nothing if neither is known to.
pub(super) async fn sentence(
    context: IntentContext<'_, '_>,
    [one, other]: [&[SubjectNode]; 2],
) -> Answer<Option<CitedText>> {
    let mut shortfalls = federation::answer::Shortfalls::default();
    for (from, to) in [(one, other), (other, one)] {
        let bases = bases(context, from).await;
        shortfalls.extend(bases.shortfalls);
        let joins = |edge: &&WalkEdge| to.iter().any(|node| node.at == edge.to);
        let found = bases.value.iter().find(joins).and_then(|edge| {
            let user = from.iter().find(|node| node.at == edge.from)?;
            let base = to.iter().find(|node| node.at == edge.to)?;
            let place = citation(context.plan, user.at.repo_idx, user.path(), (edge.line, edge.line));
            let said = format!("{} {} {}", text::quote(&user.name()), verb(edge.relation)?, text::quote(&base.name()));
            Some(CitedText::cited(said, place).then("."))
        });
        if found.is_some() {
            return Answer { value: found, shortfalls };
        }
    }
    Answer { value: None, shortfalls }
}

/// Returns the edges from types to those that they directly extend or implement.
async fn bases(context: IntentContext<'_, '_>, types: &[SubjectNode]) -> Answer<Vec<WalkEdge>> {
    let IntentContext { call, overlay, scope, .. } = context;
    let repo_idxs: Vec<RepoIdx> = types.iter().map(|node| node.at.repo_idx).collect();
    let (plan, enter) = base_plan(call, scope, overlay, &repo_idxs, []);
    let roots: BTreeSet<NodeRef> = types.iter().filter(|node| !node.is_callable()).map(|node| node.at).collect();
    if roots.is_empty() {
        return Answer::complete(Vec::new());
    }
    let weights = Weights::new(None);
    let walk_scope = WalkScope {
        depth: 1,
        direction: v1::Direction::Out,
        kinds: &INHERITANCE,
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let found = hop(call, &plan, overlay, &roots, &walk_scope, MAX_EDGES).await;
    found.map(|found| {
        let is_base =
            |edge: &WalkEdge| roots.contains(&edge.from) && verb(edge.relation).is_some() && edge.confidence >= CERTAIN;
        found.edges.into_iter().filter(is_base).collect()
    })
}

/// Returns the verb of inheritance; `None` for another relation.
fn verb(relation: Relation) -> Option<&'static str> {
    match relation {
        Relation::Within(v1::EdgeKind::Extends) | Relation::Use(v1::EdgeKind::Extends) => Some("extends"),
        Relation::Within(v1::EdgeKind::Implements) | Relation::Use(v1::EdgeKind::Implements) => Some("implements"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inheritance_has_a_verb() {
        for (relation, expected) in [
            (Relation::Within(v1::EdgeKind::Extends), Some("extends")),
            (Relation::Use(v1::EdgeKind::Implements), Some("implements")),
            (Relation::Within(v1::EdgeKind::Calls), None),
        ] {
            assert_eq!(verb(relation), expected);
        }
    }
}
