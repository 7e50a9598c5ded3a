//! Resolution of a symbol id to one location, to several candidates, or to none.

use std::borrow::Cow;

use model::{Filter, LineSpan, symbol::qualify};
use proto::v1;
use serde::Serialize;

use super::MAX_CANDIDATES;
use federation::answer::{Answer, Shortfalls};
use federation::{
    call::CallContext,
    coverage::Coverage,
    fetch::SourceRequest,
    outline::{self, OutlinedFile, UNSEEN, files, span},
    plan::Plan,
    refusal::{Refusal, quoted},
    repo_idx::RepoIdx,
    symbol_matches::{DefinitionMatch, rank},
    symbol_ref::{self, SymbolRefReading},
};

/// Maximum number of suggested names for an unknown id.
const MAX_NEAREST: usize = 5;

/// Maximum number of lines to read: more than any budget holds.
const MAX_READ_LINES: u32 = 5_000;

pub(super) enum SymbolResolution {
    One(SymbolLocation),
    Several { candidates: Vec<SymbolCandidate>, total: u64 },
    Nothing,
}

#[derive(Debug, Serialize)]
pub(super) struct SymbolCandidate {
    pub(super) symbol_id: String,
    pub(super) kind: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) signature: String,
}

/// The location that an id resolves to.
pub(super) struct SymbolLocation {
    pub(super) repo_idx: RepoIdx,
    pub(super) path: String,
    pub(super) lines: LineSpan,
    pub(super) symbol: Option<v1::Symbol>,
    /// Ids of the overloads: definitions of the same name in the same file.
    pub(super) overloads: Vec<String>,
}

impl SymbolLocation {
    pub(super) fn source_request(&self, context_lines: u32) -> SourceRequest {
        let start = self.lines.start.saturating_sub(context_lines).max(1);
        let end = self.lines.end.saturating_add(context_lines).min(start.saturating_add(MAX_READ_LINES - 1));
        SourceRequest { repo_idx: self.repo_idx, path: self.path.clone(), lines: LineSpan { start, end } }
    }
}

/// Tries each reading of an id until one of them resolves.
pub(super) async fn find(call: &CallContext<'_>, plan: &Plan, id: &str) -> Answer<SymbolResolution> {
    let mut shortfalls = Shortfalls::default();
    for reading in symbol_ref::readings(id) {
        let remaining = plan.without(&shortfalls);
        let found = match reading {
            SymbolRefReading::Lookup { path, qualified, ordinal, kind } => {
                let lookup = v1::SymbolLookup { path, qualified, ordinal };
                let filter = Filter { symbol_kind: kind, ..Filter::default() };
                find_definition(call, &remaining, lookup, &filter).await
            }
            SymbolRefReading::Lines { path, lines } => find_lines(call, &remaining, &path, lines).await,
        };
        shortfalls.extend(found.shortfalls);
        if !matches!(found.value, SymbolResolution::Nothing) {
            return Answer { value: found.value, shortfalls };
        }
    }
    find_by_displayed_path(call, &plan.without(&shortfalls), id).await.after(shortfalls)
}

/// Finds a definition by a sanitised path: the answers show paths without invisible characters.
async fn find_by_displayed_path(call: &CallContext<'_>, plan: &Plan, id: &str) -> Answer<SymbolResolution> {
    let Some(SymbolRefReading::Lookup { path, qualified, ordinal, kind }) = symbol_ref::readings(id).into_iter().next()
    else {
        return Answer::complete(SymbolResolution::Nothing);
    };
    if path.is_empty() {
        return Answer::complete(SymbolResolution::Nothing);
    }
    let filter = Filter { symbol_kind: kind, ..Filter::default() };
    let lookup = v1::SymbolLookup { path: String::new(), qualified, ordinal };
    let has_displayed_path = |found: &DefinitionMatch| match text::sanitise_name(&found.path) {
        Cow::Owned(shown) => shown == path,
        Cow::Borrowed(_) => false,
    };
    matches_of(call, plan, &lookup, &filter).await.map(|(mut matches, _)| {
        matches.retain(has_displayed_path);
        let total = matches.len() as u64;
        choose(plan, matches, &lookup, total)
    })
}

async fn find_definition(
    call: &CallContext<'_>,
    plan: &Plan,
    lookup: v1::SymbolLookup,
    filter: &Filter,
) -> Answer<SymbolResolution> {
    let matches = matches_of(call, plan, &lookup, filter).await;
    matches.map(|(matches, total)| choose(plan, matches, &lookup, total))
}

/// Returns the best matches and their total number.
async fn matches_of(
    call: &CallContext<'_>,
    plan: &Plan,
    lookup: &v1::SymbolLookup,
    filter: &Filter,
) -> Answer<(Vec<DefinitionMatch>, u64)> {
    let request = v1::SymbolsRequest {
        query: Some(v1::symbols_request::Query::Lookup(lookup.clone())),
        filter: Some(filter.into()),
        limit: MAX_CANDIDATES as u32,
        ..Default::default()
    };
    call.symbols(plan, &request).await.map(|replies| {
        let total = replies.iter().fold(0u64, |sum, (_, reply)| sum.saturating_add(reply.matched));
        (rank(plan, replies), total)
    })
}

/// Chooses the definition that an id names exactly; otherwise the only match; otherwise none.
fn choose(plan: &Plan, mut matches: Vec<DefinitionMatch>, lookup: &v1::SymbolLookup, total: u64) -> SymbolResolution {
    let qualified = |found: &DefinitionMatch| qualify(&found.symbol.container, &found.symbol.name);
    let is_exact = |found: &DefinitionMatch| found.path == lookup.path && qualified(found) == lookup.qualified;
    if matches.iter().any(is_exact) {
        matches.retain(is_exact);
    }
    let Some(first) = matches.first() else { return SymbolResolution::Nothing };
    let same_name = |found: &DefinitionMatch| {
        found.repo_idx == first.repo_idx && found.path == first.path && qualified(found) == qualified(first)
    };
    if !matches.iter().all(same_name) {
        let total = total.max(matches.len() as u64);
        let candidates = matches.iter().take(MAX_CANDIDATES).map(|found| candidate(plan, found)).collect();
        return SymbolResolution::Several { candidates, total };
    }
    matches.sort_by_key(|found| found.symbol.ordinal);
    let chosen = matches.remove(0);
    let overload =
        |found: &DefinitionMatch| symbol_ref::full_id(plan.alias(found.repo_idx), &found.path, &found.symbol);
    SymbolResolution::One(SymbolLocation {
        repo_idx: chosen.repo_idx,
        lines: span(chosen.symbol.lines.unwrap_or_default()),
        overloads: matches.iter().map(overload).collect(),
        path: chosen.path,
        symbol: Some(chosen.symbol),
    })
}

fn candidate(plan: &Plan, found: &DefinitionMatch) -> SymbolCandidate {
    let lines = span(found.symbol.lines.unwrap_or_default());
    SymbolCandidate {
        symbol_id: symbol_ref::full_id(plan.alias(found.repo_idx), &found.path, &found.symbol),
        kind: text::sanitise_name(&found.symbol.kind).into_owned(),
        start_line: lines.start,
        end_line: lines.end,
        signature: outline::signature(&found.symbol.signature),
    }
}

async fn find_lines(call: &CallContext<'_>, plan: &Plan, path: &str, lines: LineSpan) -> Answer<SymbolResolution> {
    let replies = call.outline(plan, path, 0).await;
    replies.map(|replies| choose_file(plan, files(plan, replies), path, lines))
}

/// Chooses the file with exactly this path; otherwise the only one with this path suffix; otherwise none.
fn choose_file(plan: &Plan, mut files: Vec<OutlinedFile>, path: &str, lines: LineSpan) -> SymbolResolution {
    if files.iter().any(|file| file.path == path) {
        files.retain(|file| file.path == path);
    }
    let total = files.len() as u64;
    match files.as_slice() {
        [] => SymbolResolution::Nothing,
        [file] => SymbolResolution::One(SymbolLocation {
            repo_idx: file.repo_idx,
            path: file.path.clone(),
            lines,
            symbol: None,
            overloads: Vec::new(),
        }),
        matching_files => {
            let candidate = |file: &OutlinedFile| {
                let path = text::sanitise_name(&file.path);
                SymbolCandidate {
                    symbol_id: format!("{}:{path}:{}-{}", plan.alias(file.repo_idx), lines.start, lines.end),
                    kind: "lines".to_owned(),
                    start_line: lines.start,
                    end_line: lines.end,
                    signature: String::new(),
                }
            };
            SymbolResolution::Several {
                candidates: matching_files.iter().take(MAX_CANDIDATES).map(candidate).collect(),
                total,
            }
        }
    }
}

/// Returns the refusal for an unresolved id, with the nearest names.
pub(super) async fn not_found(call: &CallContext<'_>, plan: &Plan, id: &str) -> Refusal {
    let shown = quoted(id);
    let mut message = match Coverage::of(plan).unknown_note() {
        Some(unknown) => format!("{shown} was not found ({unknown})"),
        None => format!("no definition or file matches {shown}"),
    };
    if matches!(symbol_ref::readings(id).first(), Some(SymbolRefReading::Lines { .. })) {
        message += &format!("; {UNSEEN}");
    }
    let nearest = nearest_ids(call, plan, id).await;
    if !nearest.is_empty() {
        message += &format!("; nearest are: {}", text::quote_names(&nearest));
    }
    Refusal::new(format!("{message}; search_symbols finds names, search_codebase finds code by what it does"))
}

/// Returns ids of definitions with a similar name; otherwise ids similar to its container.
async fn nearest_ids(call: &CallContext<'_>, plan: &Plan, id: &str) -> Vec<String> {
    let Some(SymbolRefReading::Lookup { qualified, .. }) = symbol_ref::readings(id).into_iter().next() else {
        return Vec::new();
    };
    let mut shortfalls = Shortfalls::default();
    for name in qualified.rsplit('.').take(2).filter(|name| !name.is_empty()) {
        let query = Some(v1::symbols_request::Query::Name(name.to_owned()));
        let request = v1::SymbolsRequest { query, limit: MAX_CANDIDATES as u32, ..Default::default() };
        let replies = call.symbols(&plan.without(&shortfalls), &request).await;
        shortfalls.extend(replies.shortfalls);
        let full_id =
            |found: &DefinitionMatch| symbol_ref::full_id(plan.alias(found.repo_idx), &found.path, &found.symbol);
        let ids: Vec<String> = rank(plan, replies.value).iter().take(MAX_NEAREST).map(full_id).collect();
        if !ids.is_empty() {
            return ids;
        }
    }
    Vec::new()
}
