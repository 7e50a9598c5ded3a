//! From a symbol id to the one place that it names, to several, or to none.

use std::borrow::Cow;

use model::{Filter, LineSpan, symbol::qualify};
use proto::v1;
use serde::Serialize;

use super::MAX_CANDIDATES;
use crate::{
    call::Call,
    fetch::Wanted,
    meta::nothing_found,
    plan::Plan,
    refusal::{Refusal, quoted},
    render,
    symbol_ref::{self, Reading},
    tools::{
        filters::span,
        get_file_context::{Outlined, UNSEEN, files},
        search_symbols::{Match, rank},
    },
};

/// Nearest names that are offered for one that does not exist.
const MAX_NEAREST: usize = 5;

/// Lines read at most: more than any budget holds.
const MAX_READ_LINES: u32 = 5_000;

pub(super) enum Found {
    One(Spot),
    Several { candidates: Vec<Candidate>, total: u64 },
    Nothing,
}

#[derive(Debug, Serialize)]
pub(super) struct Candidate {
    pub(super) symbol_id: String,
    pub(super) kind: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) signature: String,
}

/// The one place that an id names.
pub(super) struct Spot {
    pub(super) position: usize,
    pub(super) path: String,
    pub(super) lines: LineSpan,
    pub(super) symbol: Option<v1::Symbol>,
    /// Ids of other definitions of the same name in the same file.
    pub(super) overloads: Vec<String>,
}

impl Spot {
    pub(super) fn wanted(&self, context_lines: u32) -> Wanted {
        let start = self.lines.start.saturating_sub(context_lines).max(1);
        let end = self.lines.end.saturating_add(context_lines).min(start.saturating_add(MAX_READ_LINES - 1));
        Wanted { position: self.position, path: self.path.clone(), lines: LineSpan { start, end } }
    }
}

/// Tries the ways to understand an id, until one of them finds something.
pub(super) async fn find(call: &Call<'_>, plan: &mut Plan, id: &str) -> Found {
    for reading in symbol_ref::readings(id) {
        let found = match reading {
            Reading::Lookup { path, qualified, ordinal, kind } => {
                let lookup = v1::SymbolLookup { path, qualified, ordinal };
                let filter = Filter { symbol_kind: kind, ..Filter::default() };
                find_definition(call, plan, lookup, &filter).await
            }
            Reading::Lines { path, lines } => find_lines(call, plan, &path, lines).await,
        };
        if !matches!(found, Found::Nothing) {
            return found;
        }
    }
    find_as_shown(call, plan, id).await
}

/// Finds a definition by a path as it is shown: without characters that nobody sees, which the id never had.
async fn find_as_shown(call: &Call<'_>, plan: &mut Plan, id: &str) -> Found {
    let Some(Reading::Lookup { path, qualified, ordinal, kind }) = symbol_ref::readings(id).into_iter().next() else {
        return Found::Nothing;
    };
    if path.is_empty() {
        return Found::Nothing;
    }
    let filter = Filter { symbol_kind: kind, ..Filter::default() };
    let lookup = v1::SymbolLookup { path: String::new(), qualified, ordinal };
    let mut matches = matches_of(call, plan, &lookup, &filter).await.0;
    let is_shown_so = |found: &Match| match text::sanitise_name(&found.path) {
        Cow::Owned(shown) => shown == path,
        Cow::Borrowed(_) => false,
    };
    matches.retain(is_shown_so);
    let total = matches.len() as u64;
    choose(plan, matches, &lookup, total)
}

async fn find_definition(call: &Call<'_>, plan: &mut Plan, lookup: v1::SymbolLookup, filter: &Filter) -> Found {
    let (matches, total) = matches_of(call, plan, &lookup, filter).await;
    choose(plan, matches, &lookup, total)
}

/// Returns the best matches, and how many there are.
async fn matches_of(call: &Call<'_>, plan: &mut Plan, lookup: &v1::SymbolLookup, filter: &Filter) -> (Vec<Match>, u64) {
    let request = v1::SymbolsRequest {
        query: Some(v1::symbols_request::Query::Lookup(lookup.clone())),
        filter: Some(filter.into()),
        limit: MAX_CANDIDATES as u32,
        ..Default::default()
    };
    let replies = call.symbols(plan, &request).await;
    let total = replies.iter().fold(0u64, |sum, (_, reply)| sum.saturating_add(reply.matched));
    (rank(plan, replies), total)
}

/// Chooses the definition that an id names exactly; otherwise the only one that answers to it; otherwise none.
fn choose(plan: &Plan, mut matches: Vec<Match>, lookup: &v1::SymbolLookup, total: u64) -> Found {
    let qualified = |found: &Match| qualify(&found.symbol.container, &found.symbol.name);
    let is_exact = |found: &Match| found.path == lookup.path && qualified(found) == lookup.qualified;
    if matches.iter().any(is_exact) {
        matches.retain(is_exact);
    }
    let Some(first) = matches.first() else { return Found::Nothing };
    let same_name = |found: &Match| {
        found.position == first.position && found.path == first.path && qualified(found) == qualified(first)
    };
    if !matches.iter().all(same_name) {
        let total = total.max(matches.len() as u64);
        let candidates = matches.iter().take(MAX_CANDIDATES).map(|found| candidate(plan, found)).collect();
        return Found::Several { candidates, total };
    }
    matches.sort_by_key(|found| found.symbol.ordinal);
    let chosen = matches.remove(0);
    let overload = |found: &Match| symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol);
    Found::One(Spot {
        position: chosen.position,
        lines: span(chosen.symbol.lines.unwrap_or_default()),
        overloads: matches.iter().map(overload).collect(),
        path: chosen.path,
        symbol: Some(chosen.symbol),
    })
}

fn candidate(plan: &Plan, found: &Match) -> Candidate {
    let lines = span(found.symbol.lines.unwrap_or_default());
    Candidate {
        symbol_id: symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol),
        kind: text::sanitise_name(&found.symbol.kind).into_owned(),
        start_line: lines.start,
        end_line: lines.end,
        signature: render::signature(&found.symbol.signature),
    }
}

async fn find_lines(call: &Call<'_>, plan: &mut Plan, path: &str, lines: LineSpan) -> Found {
    let replies = call.outline(plan, path, 0).await;
    let mut files = files(plan, replies);
    if files.iter().any(|file| file.path == path) {
        files.retain(|file| file.path == path);
    }
    let total = files.len() as u64;
    match files.as_slice() {
        [] => Found::Nothing,
        [file] => Found::One(Spot {
            position: file.position,
            path: file.path.clone(),
            lines,
            symbol: None,
            overloads: Vec::new(),
        }),
        several => {
            let candidate = |file: &Outlined| {
                let path = text::sanitise_name(&file.path);
                Candidate {
                    symbol_id: format!("{}:{path}:{}-{}", plan.alias(file.position), lines.start, lines.end),
                    kind: "lines".to_owned(),
                    start_line: lines.start,
                    end_line: lines.end,
                    signature: String::new(),
                }
            };
            Found::Several { candidates: several.iter().take(MAX_CANDIDATES).map(candidate).collect(), total }
        }
    }
}

/// Returns the error for an id that nothing answers to, with the names nearest to it.
pub(super) async fn not_found(call: &Call<'_>, plan: &mut Plan, id: &str) -> Refusal {
    let shown = quoted(id);
    let mut message = match nothing_found(plan) {
        Some(unknown) => format!("`{shown}` was not found, which is {unknown}"),
        None => format!("nothing answers to `{shown}`"),
    };
    if matches!(symbol_ref::readings(id).first(), Some(Reading::Lines { .. })) {
        message += &format!("; {UNSEEN}");
    }
    let nearest = nearest_ids(call, plan, id).await;
    if !nearest.is_empty() {
        message += &format!("; nearest are: {}", nearest.join(", "));
    }
    Refusal::new(format!("{message}; search_symbols finds names, search_codebase finds code by what it does"))
}

/// Returns ids of definitions with a similar name; where there are none, of ones like what should hold it.
async fn nearest_ids(call: &Call<'_>, plan: &mut Plan, id: &str) -> Vec<String> {
    let Some(Reading::Lookup { qualified, .. }) = symbol_ref::readings(id).into_iter().next() else {
        return Vec::new();
    };
    for name in qualified.rsplit('.').take(2).filter(|name| !name.is_empty()) {
        let query = Some(v1::symbols_request::Query::Name(name.to_owned()));
        let request = v1::SymbolsRequest { query, limit: MAX_CANDIDATES as u32, ..Default::default() };
        let replies = call.symbols(plan, &request).await;
        let full_id = |found: &Match| symbol_ref::full_id(plan.alias(found.position), &found.path, &found.symbol);
        let ids: Vec<String> = rank(plan, replies).iter().take(MAX_NEAREST).map(full_id).collect();
        if !ids.is_empty() {
            return ids;
        }
    }
    Vec::new()
}
