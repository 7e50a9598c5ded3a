//! Reading the code of what was ranked, and cutting down what is large.

use std::collections::BTreeMap;

use model::{LineSpan, SymbolKind};
use text::{Interest, OutlineRow, Source};

use super::{candidate::Candidate, request::Request};
use crate::{
    call::Call,
    fetch::{Fetched, Wanted},
    plan::Plan,
    tools::get_file_context::files,
    typo::Correction,
};

/// What is worth less than this part of the best is not offered: it would be cheap rather than wanted.
const LEAST_WORTH: f32 = 0.09;

/// Tokens of a budget for each candidate that is read, and how many are read at least and at most.
const TOKENS_PER_READ: usize = 60;
const MIN_READ: usize = 8;
const MAX_READ: usize = 120;

/// Lines of one candidate that are read at most.
const MAX_READ_LINES: u32 = 500;

/// Tokens of a skeleton.
const SKELETON_TOKENS: usize = 160;

/// Files whose outlines are asked for, to tell what is in a large type.
const MAX_OUTLINES: usize = 6;

/// A candidate with what can be shown of it.
pub(super) struct Offer {
    pub(super) candidate: Candidate,
    /// Unset where it could not be read, or is longer than is read.
    pub(super) whole: Option<String>,
    /// Unset where it would not be shorter.
    pub(super) skeleton: Option<String>,
}

/// Reads the code of the best candidates.
pub(super) async fn read(
    call: &Call<'_>,
    plan: &mut Plan,
    mut ranked: Vec<Candidate>,
    request: &Request,
    corrections: &[Correction],
) -> Vec<Offer> {
    let best = ranked.first().map_or(0.0, |best| best.score);
    ranked.retain(|candidate| candidate.score >= LEAST_WORTH * best);
    ranked.truncate((request.token_budget / TOKENS_PER_READ).clamp(MIN_READ, MAX_READ));
    let wanted: Vec<Wanted> = ranked.iter().map(wanted).collect();
    let fetched = call.fetch(plan, &wanted).await;
    let signatures = outlines(call, plan, &ranked, &fetched).await;
    let words: Vec<&str> = request
        .query
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .chain(corrections.iter().map(|correction| correction.to.as_str()))
        .filter(|word| word.len() > 2)
        .take(ranking::query::MAX_TERMS)
        .collect();
    let offer = |(candidate, fetched): (Candidate, Option<Fetched>)| {
        let rows = signatures.get(&(candidate.at.position, candidate.file.path.clone()));
        let skeleton = fetched.as_ref().and_then(|fetched| skeleton(&candidate, fetched, rows, &words));
        let is_whole = |fetched: &Fetched| fetched.lines.end >= candidate.lines.end.min(fetched.file_lines.max(1));
        Offer { whole: fetched.filter(is_whole).map(|fetched| fetched.text), skeleton, candidate }
    };
    ranked.into_iter().zip(fetched).map(offer).collect()
}

fn wanted(candidate: &Candidate) -> Wanted {
    let lines = candidate.lines;
    let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
    let lines = LineSpan { start: lines.start, end };
    Wanted { position: candidate.at.position, path: candidate.file.path.clone(), lines }
}

/// First lines and signatures of the definitions of a file.
type Signatures = Vec<(u32, String)>;

/// Returns the outlines of the files that large types are in, by position and path.
async fn outlines(
    call: &Call<'_>,
    plan: &mut Plan,
    ranked: &[Candidate],
    fetched: &[Option<Fetched>],
) -> BTreeMap<(usize, String), Signatures> {
    let mut found = BTreeMap::new();
    for (candidate, fetched) in ranked.iter().zip(fetched) {
        let is_large = fetched.as_ref().is_some_and(|fetched| text::estimate_tokens(&fetched.text) > SKELETON_TOKENS);
        let key = (candidate.at.position, candidate.file.path.clone());
        if !is_large || !holds_others(candidate) || found.contains_key(&key) || found.len() == MAX_OUTLINES {
            continue;
        }
        let outlines = call.outline(plan, &candidate.file.path, 1).await;
        let file = files(plan, outlines).into_iter().find(|file| file.position == key.0 && file.path == key.1);
        found.insert(key, file.map(|file| file.signatures().collect()).unwrap_or_default());
    }
    found
}

fn holds_others(candidate: &Candidate) -> bool {
    let kind = candidate.symbol.as_ref().and_then(|symbol| SymbolKind::parse(&symbol.kind));
    kind.is_none_or(|kind| kind.is_type() || kind == SymbolKind::Module)
}

/// Returns what is defined in it; else its head, and the lines that speak of the question.
fn skeleton(
    candidate: &Candidate,
    fetched: &Fetched,
    signatures: Option<&Signatures>,
    words: &[&str],
) -> Option<String> {
    let own = candidate.lines;
    let is_within = |line: u32| line >= own.start && line <= own.end;
    let rows: Vec<OutlineRow<'_>> = signatures
        .into_iter()
        .flatten()
        .filter(|(line, _)| is_within(*line))
        .map(|(line, signature)| OutlineRow { line: *line, signature })
        .collect();
    let cut = if rows.len() > 1 {
        text::skeleton(&rows, SKELETON_TOKENS).text
    } else {
        let name_line = candidate.symbol.as_ref().map_or(own.start, |symbol| symbol.name_line);
        let n_head_lines = name_line.saturating_sub(fetched.lines.start) as usize + 1;
        let source = Source { text: &fetched.text, first_line: fetched.lines.start, n_head_lines };
        text::excerpt(source, Interest { terms: words, lines: &[] }, SKELETON_TOKENS).text
    };
    (!cut.is_empty() && cut.len() < fetched.text.len()).then_some(cut)
}
