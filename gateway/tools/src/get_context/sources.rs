//! Reads the source of definitions, and outlines of files and types.

use std::collections::BTreeMap;

use model::LineSpan;
use proto::v1;

use super::{
    assembly::Assembly,
    item::{lines_of, path_of},
    packing::Row,
    surroundings::EntitySurroundings,
};
use federation::answer::Answer;
use federation::{
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
    around: &EntitySurroundings<'_>,
    assembly: Assembly,
    token_budget: usize,
) -> Answer<BTreeMap<NodeRef, FetchedSource>> {
    let wanted = |at: NodeRef, card: &v1::NodeCard| {
        let lines = lines_of(card);
        let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
        SourceRequest {
            repo_idx: at.repo_idx,
            path: path_of(card).to_owned(),
            lines: LineSpan { start: lines.start, end },
        }
    };
    let mut chosen: Vec<(NodeRef, SourceRequest)> = Vec::new();
    // An outline describes a file.
    if around.root.symbol.is_some() || around.outline.is_empty() {
        chosen.push((around.entity.at, wanted(around.entity.at, around.root)));
    }
    let (mut n_read, mut n_tokens) = (vec![0; assembly.parts.len()], vec![0; assembly.parts.len()]);
    for placed in around.placed {
        let at = placed.ranked.at;
        // Files and routes have no body beyond their definitions.
        let Some(card) = around.cards.get(&at).filter(|card| card.symbol.is_some()) else { continue };
        let Some(part) = assembly.section_of(around, placed).filter(|_| !around.overlaps_root(at)) else { continue };
        if n_tokens[part] > token_budget || n_read[part] >= MAX_READ {
            continue;
        }
        let want = wanted(at, card);
        n_read[part] += 1;
        n_tokens[part] += want.lines.len() as usize * TOKENS_OF_LINE;
        chosen.push((at, want));
    }
    let (nodes, wants): (Vec<NodeRef>, Vec<SourceRequest>) = chosen.into_iter().unzip();
    let fetched = call.fetch(plan, &wants).await;
    fetched.map(|fetched| nodes.into_iter().zip(fetched).filter_map(|(at, fetched)| Some((at, fetched?))).collect())
}

/// Returns the definitions of a node's file by line: all for a file or function, the members for a type.
pub(super) async fn outline(call: &CallContext<'_>, at: NodeRef, card: &v1::NodeCard) -> Answer<Vec<Row>> {
    let path = path_of(card);
    let of_file = call.visible.plan_for(vec![at.repo_idx], false);
    let outlined = call.outline(&of_file, path, 1).await.after(of_file.shortfalls.clone());
    let Answer { value: replies, shortfalls } = outlined;
    let files = files(&of_file, replies);
    let Some(file) = files.iter().find(|file| file.repo_idx == at.repo_idx && file.path == path) else {
        return Answer { value: Vec::new(), shortfalls };
    };
    let lines = lines_of(card);
    let is_type = card.symbol.as_ref().is_some_and(|symbol| holds_members(&symbol.kind));
    let rows = file.signatures();
    let rows = rows
        .filter(|(line, _)| !is_type || (lines.start..=lines.end).contains(line))
        .map(|(line, signature)| Row { line, signature })
        .collect();
    Answer { value: rows, shortfalls }
}

/// Returns true if the members describe this kind of definition better than its first lines.
pub(super) fn holds_members(kind: &str) -> bool {
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
