//! Reads the code of ranked candidates, and shortens large ones.

use std::collections::BTreeMap;

use model::{LineSpan, SymbolKind};
use text::{ExcerptLimits, ExcerptSource, Interest, OutlineRow};

use super::{candidate::ContextCandidate, request::RankedContextRequest};
use federation::answer::{Answer, Shortfalls};
use federation::{
    call::CallContext,
    fetch::{FetchedSource, SourceRequest},
    outline::files,
    plan::Plan,
    repo_idx::RepoIdx,
    typo::Correction,
};

/// Minimum score relative to the best candidate: a cheaper one would only fill space.
const MIN_RELATIVE_SCORE: f32 = 0.09;

/// Budget tokens per candidate that is read, and minimum and maximum number of them.
const TOKENS_PER_READ: usize = 60;
const MIN_READ: usize = 8;
const MAX_READ: usize = 120;

/// Maximum number of lines to read of one candidate.
const MAX_READ_LINES: u32 = 500;

/// Maximum number of tokens of a skeleton.
const SKELETON_TOKENS: usize = 160;

/// Maximum number of file outlines to read, for the members of large types.
const MAX_OUTLINES: usize = 6;

/// A candidate with its readable forms.
pub(super) struct ReadCandidate {
    pub(super) candidate: ContextCandidate,
    /// Unset if it could not be read, or is too long.
    pub(super) whole: Option<String>,
    /// Unset if it would not be shorter.
    pub(super) skeleton: Option<String>,
}

/// Reads the code of the best candidates.
pub(super) async fn read(
    call: &CallContext<'_>,
    plan: &Plan,
    mut ranked: Vec<ContextCandidate>,
    request: &RankedContextRequest,
    corrections: &[Correction],
) -> Answer<Vec<ReadCandidate>> {
    let best = ranked.first().map_or(0.0, |best| best.score);
    ranked.retain(|candidate| candidate.score >= MIN_RELATIVE_SCORE * best);
    ranked.truncate((request.token_budget / TOKENS_PER_READ).clamp(MIN_READ, MAX_READ));
    let requests: Vec<SourceRequest> = ranked.iter().map(source_request).collect();
    let fetched = call.fetch(plan, &requests).await;
    let signatures =
        outlines(call, &plan.without(&fetched.shortfalls), &ranked, &fetched.value).await.after(fetched.shortfalls);
    let words: Vec<&str> = request
        .query
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .chain(corrections.iter().map(|correction| correction.to.as_str()))
        .filter(|word| word.len() > 2)
        .take(ranking::query::MAX_TERMS)
        .collect();
    let read_candidate = |(candidate, fetched): (ContextCandidate, Option<FetchedSource>)| {
        let (repo, path, symbol) = (plan.alias(candidate.at.repo_idx), &candidate.file.path, candidate.symbol.as_ref());
        let fetched = fetched.map(|fetched| request.seen.replace(repo, path, symbol, fetched));
        let rows = signatures.value.get(&(candidate.at.repo_idx, candidate.file.path.clone()));
        let skeleton = fetched.as_ref().and_then(|fetched| skeleton(&candidate, fetched, rows, &words));
        let is_whole =
            |fetched: &FetchedSource| fetched.lines.end >= candidate.lines.end.min(fetched.file_lines.max(1));
        ReadCandidate { whole: fetched.filter(is_whole).map(|fetched| fetched.text), skeleton, candidate }
    };
    let read_candidates = ranked.into_iter().zip(fetched.value).map(read_candidate).collect();
    Answer { value: read_candidates, shortfalls: signatures.shortfalls }
}

fn source_request(candidate: &ContextCandidate) -> SourceRequest {
    let lines = candidate.lines;
    let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
    let lines = LineSpan { start: lines.start, end };
    SourceRequest { repo_idx: candidate.at.repo_idx, path: candidate.file.path.clone(), lines }
}

/// First lines and signatures of the definitions of a file.
type Signatures = Vec<(u32, String)>;

/// Returns the outlines of files with large types, by repository index and path.
async fn outlines(
    call: &CallContext<'_>,
    plan: &Plan,
    ranked: &[ContextCandidate],
    fetched: &[Option<FetchedSource>],
) -> Answer<BTreeMap<(RepoIdx, String), Signatures>> {
    let (mut found, mut shortfalls) = (BTreeMap::new(), Shortfalls::default());
    for (candidate, fetched) in ranked.iter().zip(fetched) {
        let is_large = fetched.as_ref().is_some_and(|fetched| text::estimate_tokens(&fetched.text) > SKELETON_TOKENS);
        let key = (candidate.at.repo_idx, candidate.file.path.clone());
        if !is_large || !contains_definitions(candidate) || found.contains_key(&key) || found.len() == MAX_OUTLINES {
            continue;
        }
        let outlines = call.outline(&plan.without(&shortfalls), &candidate.file.path, 1).await;
        shortfalls.extend(outlines.shortfalls);
        let file = files(plan, outlines.value).into_iter().find(|file| file.repo_idx == key.0 && file.path == key.1);
        found.insert(key, file.map(|file| file.signatures().collect()).unwrap_or_default());
    }
    Answer { value: found, shortfalls }
}

fn contains_definitions(candidate: &ContextCandidate) -> bool {
    let kind = candidate.symbol.as_ref().and_then(|symbol| SymbolKind::parse(&symbol.kind));
    kind.is_none_or(|kind| kind.is_type() || kind == SymbolKind::Module)
}

/// Returns the members of the definition; otherwise its head and the lines that match the question.
fn skeleton(
    candidate: &ContextCandidate,
    fetched: &FetchedSource,
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
        let source = ExcerptSource { text: &fetched.text, first_line: fetched.lines.start, n_head_lines };
        text::excerpt(source, Interest { terms: words, lines: &[] }, ExcerptLimits::of_tokens(SKELETON_TOKENS)).text
    };
    (!cut.is_empty() && cut.len() < fetched.text.len()).then_some(cut)
}
