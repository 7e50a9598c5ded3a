//! The frame of an answer: all that stands in it beside what is packed.

use std::collections::BTreeMap;

use model::ShardState;
use proto::v1;

use super::{
    answer::{Answer, Project, Sections, Totals, UsedBy},
    around::Around,
    item::Item,
    request::Options,
};
use crate::{
    call::Call,
    meta::{Extent, Meta, Remarks},
    nodes::At,
    overlay::Overlay,
    plan::Plan,
    walk::{Neighbourhood, Relation},
};

/// Neighbours that the hash is over: their number must not depend on the budget.
const MAX_HASHED: usize = 200;

/// Projects that are listed.
const MAX_PROJECTS: usize = 20;

/// Returns the answer without anything that is packed.
pub(super) fn frame(call: &Call<'_>, plan: &Plan, overlay: &Overlay, around: &Around<'_>, options: &Options) -> Answer {
    let Around { entity, root, found, placed, cards, .. } = around;
    let hash = hash(plan, entity.at, found, cards);
    let unchanged = options.known_hash.as_ref().map(|known| known.trim() == hash);
    let (mut hint, mut notes) = (None, options.notes.clone());
    notes.extend(entity.note.clone());
    if let Some(other) = entity.others.first() {
        hint = Some(format!("{} others are called so: get_context entity=\"{other}\"", entity.n_others));
    }
    if found.is_cut {
        notes.push(format!("the neighbourhood is larger than what was walked: {} met", found.nodes.len()));
    }
    let extent = Extent { total_items: placed.len() as u64, ..Extent::default() };
    let remarks = Remarks { hint, extent, ignored_arguments: options.ignored.clone(), notes };
    Answer {
        mode: None,
        intent: None,
        past: None,
        coupling: None,
        risks: Vec::new(),
        changed_below: Vec::new(),
        skeleton: String::new(),
        entity: Item::of(plan, entity.at, root),
        also_called_so: entity.others.clone(),
        used_by: Some(used_by(call, overlay, around)),
        hash,
        unchanged,
        sections: Sections::default(),
        totals: Totals::default(),
        projects: projects(plan, found),
        peers: Vec::new(),
        _meta: Meta::new(call, plan, found.nodes.keys().map(|at| at.position), remarks),
    }
}

/// Returns how often the root is used; all of it, but for what imports it.
fn used_by(call: &Call<'_>, overlay: &Overlay, around: &Around<'_>) -> UsedBy {
    let Around { entity, root, found, .. } = around;
    let links = overlay.at(entity.at, &call.visible).filter(|leap| leap.provider == entity.at.position);
    let is_import = |relation| relation == Relation::Within(v1::EdgeKind::Imports);
    let importers = found.edges.iter().filter(|edge| edge.to == entity.at && is_import(edge.relation));
    let is_file = root.symbol.is_none() && root.route.is_none();
    UsedBy {
        callers: root.callers,
        references: root.references,
        tests: root.tests,
        subtypes: root.subtypes,
        importers: if is_file { importers.count() as u32 } else { 0 },
        links: links.count() as u32,
        callees: root.callees,
    }
}

/// Returns a hash over the signatures and the contents of the root and its neighbours: another when any of them is.
fn hash(plan: &Plan, root: At, found: &Neighbourhood, cards: &BTreeMap<At, v1::NodeCard>) -> String {
    let mut hasher = blake3::Hasher::new();
    for at in [root].into_iter().chain(hashed(found)) {
        let Some(card) = cards.get(&at) else { continue };
        let blob = card.file.as_ref().map(|file| file.blob.as_str()).unwrap_or_default();
        let content = if card.symbol.is_some() { card.content_hash.as_str() } else { blob };
        let Item { id, signature, .. } = Item::of(plan, at, card);
        for part in [id.as_str(), signature.as_str(), content] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Returns the neighbours that the hash is over.
pub(super) fn hashed(found: &Neighbourhood) -> impl Iterator<Item = At> {
    found.nodes.iter().filter(|(_, met)| met.hops == 1).map(|(at, _)| *at).take(MAX_HASHED)
}

/// Returns how each repository that the walk met, or could not ask, stood to it.
fn projects(plan: &Plan, found: &Neighbourhood) -> Vec<Project> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    found.nodes.keys().for_each(|at| *counts.entry(at.position).or_default() += 1);
    plan.shortfalls.iter().for_each(|(position, ..)| {
        counts.entry(position).or_default();
    });
    let project = |(position, entities): (usize, usize)| Project {
        repo: plan.alias(position).to_owned(),
        status: plan.shortfalls.get(position).map_or("answered", ShardState::name),
        entities,
    };
    counts.into_iter().take(MAX_PROJECTS).map(project).collect()
}
