//! Reads the source of definitions, and outlines of files and types.

use std::collections::BTreeMap;

use model::LineSpan;
use proto::v1;

use super::{
    assembly::Assembly,
    item::{lines_of, path_of},
    packing::OutlineMember,
    surroundings::EntitySurroundings,
};
use federation::{
    answer::Answer,
    call::CallContext,
    fetch::{FetchedSource, SourceRequest},
    nodes::NodeRef,
    outline::files,
    plan::Plan,
};

/// Maximum number of items whose code is read: more fit no budget, even with short bodies.
const MAX_READ: usize = 80;

/// Maximum number of lines to read of one body: more than any budget holds.
const MAX_READ_LINES: u32 = 1_500;

/// Minimum tokens of a line of code; bounds what is read.
const TOKENS_OF_LINE: usize = 6;

/// Reads the code of the root, and of the first items of each section, as much as the budget may hold.
pub(super) async fn fetch(
    call: &CallContext<'_>,
    plan: &Plan,
    surroundings: &EntitySurroundings<'_>,
    assembly: Assembly,
    token_budget: usize,
) -> Answer<BTreeMap<NodeRef, FetchedSource>> {
    let source_request = |at: NodeRef, card: &v1::NodeCard| {
        let lines = lines_of(card);
        let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
        SourceRequest {
            repo_idx: at.repo_idx,
            path: path_of(card).to_owned(),
            lines: LineSpan { start: lines.start, end },
        }
    };
    let mut reads: Vec<(NodeRef, SourceRequest)> = Vec::new();
    // An outline describes a file.
    if surroundings.root.symbol.is_some() || surroundings.outline.is_empty() {
        reads.push((surroundings.entity.at, source_request(surroundings.entity.at, surroundings.root)));
    }
    let (mut n_read, mut n_tokens) = (vec![0; assembly.sections.len()], vec![0; assembly.sections.len()]);
    for placed in surroundings.placed {
        let at = placed.ranked.at;
        // Files and routes have no body beyond their definitions.
        let Some(card) = surroundings.cards.get(&at).filter(|card| card.symbol.is_some()) else { continue };
        let Some(part) = assembly.section_of(surroundings, placed).filter(|_| !surroundings.overlaps_root(at)) else {
            continue;
        };
        if n_tokens[part] > token_budget || n_read[part] >= MAX_READ {
            continue;
        }
        let request = source_request(at, card);
        n_read[part] += 1;
        n_tokens[part] += request.lines.len() as usize * TOKENS_OF_LINE;
        reads.push((at, request));
    }
    let (nodes, requests): (Vec<NodeRef>, Vec<SourceRequest>) = reads.into_iter().unzip();
    let fetched = call.fetch(plan, &requests).await;
    fetched.map(|fetched| nodes.into_iter().zip(fetched).filter_map(|(at, fetched)| Some((at, fetched?))).collect())
}

/// Returns the definitions of a node's file by line: all for a file or function, the members for a type.
pub(super) async fn outline(call: &CallContext<'_>, at: NodeRef, card: &v1::NodeCard) -> Answer<Vec<OutlineMember>> {
    let path = path_of(card);
    let file_plan = call.visible.plan_for(vec![at.repo_idx], false);
    let outlined = call.outline(&file_plan, path, 1).await.after(file_plan.shortfalls.clone());
    let Answer { value: replies, shortfalls } = outlined;
    let files = files(&file_plan, replies);
    let Some(file) = files.iter().find(|file| file.repo_idx == at.repo_idx && file.path == path) else {
        return Answer { value: Vec::new(), shortfalls };
    };
    let lines = lines_of(card);
    let is_type = card.symbol.as_ref().is_some_and(|symbol| is_container_kind(&symbol.kind));
    let rows = file.signatures();
    let rows = rows
        .filter(|(line, _)| !is_type || (lines.start..=lines.end).contains(line))
        .map(|(line, signature)| OutlineMember { line, signature })
        .collect();
    Answer { value: rows, shortfalls }
}

/// Returns true if the members describe this kind of definition better than its first lines.
pub(super) fn is_container_kind(kind: &str) -> bool {
    const KINDS: [&str; 11] = [
        "class",
        "struct",
        "interface",
        "trait",
        "enum",
        "module",
        "namespace",
        "object",
        "service",
        "message",
        "impl",
    ];
    KINDS.contains(&kind)
}
