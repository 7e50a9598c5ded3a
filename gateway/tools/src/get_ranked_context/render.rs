//! Rendering of as many candidates as the budget holds.

use model::symbol::qualify;
use serde::Serialize;

use super::{
    packing::{CandidateForms, N_FORMS, WHOLE, pack},
    read::ReadCandidate,
    request::{RankedContextRequest, Strategy},
};
use crate::{
    arguments::suggested,
    meta::{ANY_TOOK_MS, AnswerExtent, Meta, Remarks},
    pack as budget,
    render::{self, Format, RenderedAnswer},
};
use federation::{coverage::Coverage, outline, plan::Plan, symbol_ref, typo::Correction};

/// Maximum number of query characters in the answer, and in a very small one.
const MAX_ECHO: usize = 300;
const SHORT_ECHO: usize = 40;

/// Placeholder for the token count of an entry while it is priced: no entry has more digits.
const ANY_TOKENS: usize = 99_999;

#[derive(Debug, Clone, Serialize)]
struct RankedAnswer {
    query: String,
    strategy: Strategy,
    results: Vec<RankedEntry>,
    #[serde(rename = "totalTokens")]
    total_tokens: usize,
    #[serde(rename = "tokenBudget")]
    token_budget: usize,
    /// Omitted if there is hardly room.
    #[serde(rename = "searchMetrics", skip_serializing_if = "Option::is_none")]
    search_metrics: Option<SearchMetrics>,
    #[serde(rename = "fuzzyCorrection", skip_serializing_if = "Option::is_none")]
    fuzzy_correction: Option<FuzzyCorrection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

#[derive(Debug, Clone, Serialize)]
struct SearchMetrics {
    tier: &'static str,
    #[serde(rename = "tookMs")]
    took_ms: u64,
    candidates: usize,
}

#[derive(Debug, Clone, Serialize)]
struct FuzzyCorrection {
    from: String,
    to: String,
}

#[derive(Debug, Clone, Serialize)]
struct RankedEntry {
    #[serde(rename = "symbolId")]
    symbol_id: String,
    name: String,
    kind: String,
    repo: String,
    file: String,
    start_line: u32,
    end_line: u32,
    #[serde(rename = "relevanceScore")]
    relevance_score: f64,
    #[serde(rename = "importanceScore")]
    importance_score: f64,
    #[serde(rename = "combinedScore")]
    combined_score: f64,
    /// Tokens of the entry as shown.
    tokens: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    detail: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    code: String,
}

pub(super) fn render(
    plan: &Plan,
    candidates_read: &[ReadCandidate],
    tier: &'static str,
    corrections: &[Correction],
    n_pruned: usize,
    request: RankedContextRequest,
) -> RenderedAnswer {
    let (token_budget, format) = (request.token_budget, request.format);
    let entries: Vec<[Option<RankedEntry>; N_FORMS]> =
        candidates_read.iter().map(|candidate_read| forms(plan, candidate_read, format)).collect();
    let candidate_forms = |(candidate_read, forms): (&ReadCandidate, &[Option<RankedEntry>; N_FORMS])| CandidateForms {
        score: candidate_read.candidate.score,
        costs: forms.each_ref().map(|entry| entry.as_ref().map(|entry| entry.tokens)),
    };
    let packing_candidates: Vec<CandidateForms> = candidates_read.iter().zip(&entries).map(candidate_forms).collect();
    let overlap = |a: usize, b: usize| candidates_read[a].candidate.overlaps(&candidates_read[b].candidate);
    let frame = frame(plan, candidates_read.len(), tier, corrections, n_pruned, request);
    let with_room = |frame: &RankedAnswer, room: usize| {
        let chosen = pack(&packing_candidates, room, overlap);
        let shown = chosen.iter().enumerate().filter_map(|(candidate_idx, form)| Some((candidate_idx, (*form)?)));
        let shown: Vec<(usize, usize)> = shown.collect();
        fill(plan, frame, candidates_read, &entries, &shown)
    };
    let lay_out = |answer: &RankedAnswer| match format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let fit_frame = |frame: &RankedAnswer| {
        let room = budget::largest_fitting_room(token_budget, |room| lay_out(&with_room(frame, room)));
        with_room(frame, room)
    };
    let mut answer = fit_frame(&frame);
    let is_over = |answer: &RankedAnswer| text::estimate_tokens(&lay_out(answer)) > token_budget;
    if is_over(&answer) || (answer.results.is_empty() && !candidates_read.is_empty()) {
        answer = fit_frame(&minimum_answer(frame));
    }
    if is_over(&answer) {
        answer._meta.extent.more = None;
        (answer.fuzzy_correction, answer.note) = (None, None);
    }
    match format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(compact(&answer), plan),
    }
}

/// Returns the answer without results.
fn frame(
    plan: &Plan,
    n_offers: usize,
    tier: &'static str,
    corrections: &[Correction],
    n_pruned: usize,
    mut request: RankedContextRequest,
) -> RankedAnswer {
    request.notes.extend(corrections.iter().skip(1).map(Correction::note));
    let nothing = || {
        Coverage::of(plan).unknown_note().unwrap_or_else(|| "no code matches these words; try other words".to_owned())
    };
    let remarks = Remarks {
        hint: None,
        extent: AnswerExtent { total_items: n_offers as u64, ..AnswerExtent::default() },
        ignored_arguments: request.ignored,
        notes: request.notes,
        may_miss: None,
        n_pruned,
    };
    let fuzzy = |correction: &Correction| FuzzyCorrection { from: correction.from.clone(), to: correction.to.clone() };
    RankedAnswer {
        query: quoted_query(&request.query, MAX_ECHO),
        strategy: request.strategy,
        results: Vec::new(),
        total_tokens: 0,
        token_budget: request.token_budget,
        search_metrics: Some(SearchMetrics { tier, took_ms: ANY_TOOK_MS, candidates: n_offers }),
        fuzzy_correction: corrections.first().map(fuzzy),
        note: (n_offers == 0).then(nothing),
        _meta: Meta::new(plan, [], remarks),
    }
}

/// Returns the minimum answer.
fn minimum_answer(mut frame: RankedAnswer) -> RankedAnswer {
    frame._meta.shorten();
    frame.search_metrics = None;
    frame.query = quoted_query(&frame.query, SHORT_ECHO);
    frame
}

fn quoted_query(query: &str, most: usize) -> String {
    let clean = text::sanitise_name(query);
    match clean.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean.into_owned(),
    }
}

fn fill(
    plan: &Plan,
    frame: &RankedAnswer,
    candidates_read: &[ReadCandidate],
    entries: &[[Option<RankedEntry>; N_FORMS]],
    shown: &[(usize, usize)],
) -> RankedAnswer {
    let mut answer = frame.clone();
    let entry = |(candidate_idx, form): &(usize, usize)| entries[*candidate_idx][*form].clone();
    answer.results = shown.iter().filter_map(entry).collect();
    answer.total_tokens = answer.results.iter().map(|entry| entry.tokens).sum();
    let is_cut = shown.len() < candidates_read.len() || shown.iter().any(|(_, form)| *form != WHOLE);
    answer._meta.extent = AnswerExtent {
        truncated: is_cut,
        total_items: candidates_read.len() as u64,
        returned_items: shown.len() as u64,
        more: is_cut.then(|| "a larger tokenBudget, or a narrower query or repo".to_owned()),
    };
    // A frame without a trace id is the minimum one.
    if !frame._meta.trace_id.is_empty() {
        let quoted = shown.iter().map(|(candidate_idx, _)| candidates_read[*candidate_idx].candidate.at.repo_idx);
        answer._meta.quote(plan, quoted);
        answer._meta.hint = answer.results.first().map(|first| match first.kind.as_str() {
            "file" => {
                let file = format!("{}:{}", first.repo, first.file);
                format!("get_file_context {} lists its definitions", suggested("file", &file))
            }
            _ => {
                let entity = format!("{}//{}", first.repo, first.symbol_id);
                format!("get_context {} returns its callers, callees and tests", suggested("entity", &entity))
            }
        });
    }
    answer
}

/// Returns each form of a candidate with its token count.
fn forms(plan: &Plan, candidate_read: &ReadCandidate, format: Format) -> [Option<RankedEntry>; N_FORMS] {
    let entry = |detail: &'static str, code: &str| {
        let mut entry = entry(plan, candidate_read, detail, code);
        entry.tokens = match format {
            Format::Json => text::estimate_tokens(&format!("{},", render::to_json(&entry))),
            Format::Compact => text::estimate_tokens(&compact_entry(&entry)),
        };
        entry
    };
    [
        candidate_read.whole.as_ref().map(|code| entry("whole", code)),
        candidate_read.skeleton.as_ref().map(|code| entry("skeleton", code)),
        Some(entry("signature", "")),
    ]
}

fn entry(plan: &Plan, candidate_read: &ReadCandidate, detail: &'static str, code: &str) -> RankedEntry {
    let candidate = &candidate_read.candidate;
    let path = candidate.file.path.as_str();
    let symbol = candidate.symbol.as_ref();
    let file_name = || path.rsplit('/').next().unwrap_or(path).to_owned();
    let name = symbol.map_or_else(file_name, |symbol| qualify(&symbol.container, &symbol.name));
    let file = text::sanitise_name(path).into_owned();
    RankedEntry {
        symbol_id: symbol.map_or_else(|| file.clone(), |symbol| symbol_ref::id(path, symbol)),
        name: text::sanitise_name(&name).into_owned(),
        kind: symbol.map_or("file".to_owned(), |symbol| text::sanitise_name(&symbol.kind).into_owned()),
        repo: plan.alias(candidate.at.repo_idx).to_owned(),
        file,
        start_line: candidate.lines.start,
        end_line: candidate.lines.end,
        relevance_score: thousandths(candidate.relevance),
        importance_score: thousandths(candidate.importance()),
        combined_score: thousandths(candidate.score),
        tokens: ANY_TOKENS,
        signature: symbol.map(|symbol| outline::signature(&symbol.signature)).unwrap_or_default(),
        detail,
        code: code.to_owned(),
    }
}

fn thousandths(score: f32) -> f64 {
    (f64::from(score) * 1_000.0).round() / 1_000.0
}

fn compact(answer: &RankedAnswer) -> String {
    let mut text: String = answer.results.iter().map(compact_entry).collect();
    if let Some(FuzzyCorrection { from, to }) = &answer.fuzzy_correction {
        text += &format!("searched for {} instead of {}\n", text::quote(to), text::quote(from));
    }
    if let Some(note) = &answer.note {
        text += &format!("{note}\n");
    }
    text + &answer._meta.footer()
}

fn compact_entry(entry: &RankedEntry) -> String {
    let RankedEntry { repo, file, start_line, end_line, kind, name, combined_score, .. } = entry;
    let location = format!("{repo}:{file}:{start_line}-{end_line}");
    let (location, name) = (text::quote_name(&location), text::quote_name(name));
    let head = format!("{location} {kind} {name} [{combined_score}]\n");
    match (entry.code.is_empty(), entry.signature.is_empty()) {
        (false, _) => format!("{head}{}\n", render::code_fence(file, &entry.code)),
        (true, false) => format!("{head}{}\n", text::quote(&entry.signature)),
        (true, true) => head,
    }
}
