//! The frame of an answer: everything except the packed items.

use std::collections::{BTreeMap, BTreeSet};

use model::ShardState;
use proto::v1;

use super::{
    answer::{ContextAnswer, ContextSections, Project, SectionTotals},
    item::ContextItem,
    request::ContextOptions,
    surroundings::EntitySurroundings,
    used_by::UsedBy,
};
use crate::{
    arguments::suggested,
    may_miss::MayMiss,
    meta::{AnswerExtent, Meta, Remarks},
};
use federation::{
    call::CallContext,
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{Neighbourhood, Relation, WalkEdge},
};

/// Maximum number of hashed neighbours; it must not depend on the budget.
const MAX_HASHED: usize = 200;

/// Maximum number of listed projects.
const MAX_PROJECTS: usize = 20;

/// Returns the answer without packed items.
pub(super) fn frame(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    surroundings: &EntitySurroundings<'_>,
    options: &ContextOptions,
) -> ContextAnswer {
    let EntitySurroundings { entity, root, found, placed, cards, .. } = surroundings;
    let hash = hash(plan, entity.at, found, cards);
    let unchanged = options.known_hash.as_ref().map(|known| known.trim() == hash);
    let (mut hint, mut notes) = (None, options.notes.clone());
    notes.extend(entity.note.clone());
    if let Some(other) = entity.others.first() {
        hint = Some(format!(
            "the name is ambiguous, {} more: get_context {}",
            entity.n_others,
            suggested("entity", other)
        ));
    }
    if found.is_cut {
        notes.push(format!(
            "the neighbourhood is larger than the limit of the walk: {} entities were reached",
            found.nodes.len()
        ));
    }
    let extent = AnswerExtent { total_items: placed.len() as u64, ..AnswerExtent::default() };
    let may_miss = MayMiss::of(plan, overlay, entity.at, root);
    let remarks =
        Remarks { hint, extent, ignored_arguments: options.ignored.clone(), notes, may_miss, ..Remarks::default() };
    ContextAnswer {
        mode: None,
        intent: None,
        past: None,
        coupling: None,
        risks: Vec::new(),
        changed_below: Vec::new(),
        skeleton: String::new(),
        entity: ContextItem::of(plan, entity.at, root),
        also_called_so: entity.others.clone(),
        used_by: Some(used_by(call, overlay, surroundings)),
        hash,
        unchanged,
        sections: ContextSections::default(),
        totals: SectionTotals::default(),
        projects: projects(plan, found),
        peers: Vec::new(),
        _meta: Meta::new(plan, found.nodes.keys().map(|at| at.repo_idx), remarks),
    }
}

/// Returns the usage counts of the root. They are complete, except for importers and accesses.
fn used_by(call: &CallContext<'_>, overlay: &Overlay, surroundings: &EntitySurroundings<'_>) -> UsedBy {
    let EntitySurroundings { entity, root, found, .. } = surroundings;
    let is_import = |relation| relation == Relation::Within(v1::EdgeKind::Imports);
    let importers = found.edges.iter().filter(|edge| edge.to == entity.at && is_import(edge.relation));
    let is_access = |edge: &&WalkEdge| edge.to == entity.at && edge.relation.is_access();
    let accessors: BTreeSet<NodeRef> = found.edges.iter().filter(is_access).map(|edge| edge.from).collect();
    let is_file = root.symbol.is_none() && root.route.is_none();
    UsedBy {
        accesses: accessors.len() as u32,
        importers: if is_file { importers.count() as u32 } else { 0 },
        ..UsedBy::of(call, overlay, entity.at, root)
    }
}

/// Returns a hash of the signatures and contents of the root and its neighbours. It changes if any of them changes.
fn hash(plan: &Plan, root: NodeRef, found: &Neighbourhood, cards: &BTreeMap<NodeRef, v1::NodeCard>) -> String {
    let mut hasher = blake3::Hasher::new();
    for at in [root].into_iter().chain(hashed(found)) {
        let Some(card) = cards.get(&at) else { continue };
        let blob = card.file.as_ref().map(|file| file.blob.as_str()).unwrap_or_default();
        let content = if card.symbol.is_some() { card.content_hash.as_str() } else { blob };
        let ContextItem { id, signature, .. } = ContextItem::of(plan, at, card);
        for part in [id.as_str(), signature.as_str(), content] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Returns the hashed neighbours.
pub(super) fn hashed(found: &Neighbourhood) -> impl Iterator<Item = NodeRef> {
    found.nodes.iter().filter(|(_, met)| met.hops == 1).map(|(at, _)| *at).take(MAX_HASHED)
}

/// Returns the state of each repository that the walk reached or could not query.
fn projects(plan: &Plan, found: &Neighbourhood) -> Vec<Project> {
    let mut counts: BTreeMap<RepoIdx, usize> = BTreeMap::new();
    found.nodes.keys().for_each(|at| *counts.entry(at.repo_idx).or_default() += 1);
    plan.shortfalls.iter().for_each(|(repo_idx, ..)| {
        counts.entry(repo_idx).or_default();
    });
    let project = |(repo_idx, entities): (RepoIdx, usize)| Project {
        repo: plan.alias(repo_idx).to_owned(),
        status: plan.shortfalls.get(repo_idx).map_or("answered", ShardState::name),
        entities,
    };
    counts.into_iter().take(MAX_PROJECTS).map(project).collect()
}
