//! Reading what may be shown: source of definitions, outlines of files and types.

use std::collections::BTreeMap;

use model::LineSpan;
use proto::v1;

use super::{
    around::Around,
    assembly::Assembly,
    item::{lines_of, path_of},
    packing::Row,
};
use crate::{
    call::Call,
    fetch::{Fetched, Wanted},
    nodes::At,
    plan::Plan,
    tools::get_file_context::files,
};

/// Items that code is read for: with the shortest bodies there are, more fit no budget.
const MAX_READ: usize = 80;

/// Lines of one body that are read: more than any budget holds.
const MAX_READ_LINES: u32 = 1_500;

/// The cheapest line of code, in tokens: for reading no more than may be shown.
const TOKENS_OF_LINE: usize = 6;

/// Reads the code of the root, and of the first items of each section: as much as the budget may hold.
pub(super) async fn fetch(
    call: &Call<'_>,
    plan: &mut Plan,
    around: &Around<'_>,
    assembly: Assembly,
    token_budget: usize,
) -> BTreeMap<At, Fetched> {
    let wanted = |at: At, card: &v1::NodeCard| {
        let lines = lines_of(card);
        let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
        Wanted { position: at.position, path: path_of(card).to_owned(), lines: LineSpan { start: lines.start, end } }
    };
    let mut chosen: Vec<(At, Wanted)> = Vec::new();
    // A file is told by its outline.
    if around.root.symbol.is_some() || around.outline.is_empty() {
        chosen.push((around.entity.at, wanted(around.entity.at, around.root)));
    }
    let (mut n_read, mut n_tokens) = (vec![0; assembly.parts.len()], vec![0; assembly.parts.len()]);
    for placed in around.placed {
        let at = placed.ranked.at;
        // Of files and routes there is no body to show beside the definitions in them.
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
    let (nodes, wants): (Vec<At>, Vec<Wanted>) = chosen.into_iter().unzip();
    let fetched = call.fetch(plan, &wants).await;
    nodes.into_iter().zip(fetched).filter_map(|(at, fetched)| Some((at, fetched?))).collect()
}

/// Returns what a node's file defines, by line: of a file and a function all of it, of a type what is in it.
pub(super) async fn outline(call: &Call<'_>, plan: &mut Plan, at: At, card: &v1::NodeCard) -> Vec<Row> {
    let path = path_of(card);
    let mut of_file = call.visible.plan_for(vec![at.position], false);
    let replies = call.outline(&mut of_file, path, 1).await;
    plan.fall_short(of_file.shortfalls.clone());
    let files = files(&of_file, replies);
    let Some(file) = files.iter().find(|file| file.position == at.position && file.path == path) else {
        return Vec::new();
    };
    let lines = lines_of(card);
    let is_type = card.symbol.as_ref().is_some_and(|symbol| holds_members(&symbol.kind));
    let rows = file.signatures();
    rows.filter(|(line, _)| !is_type || (lines.start..=lines.end).contains(line))
        .map(|(line, signature)| Row { line, signature })
        .collect()
}

/// Says whether a kind of definition is better told by what is in it than by its first lines.
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
