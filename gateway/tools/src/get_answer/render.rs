//! Rendering of an answer within its budget.

use serde::Serialize;

use super::{body::AnswerBody, request::AnswerRequest};
use crate::{
    arguments::suggested,
    may_miss::MayMiss,
    meta::{AnswerExtent, Meta, Remarks},
    render::{RenderedAnswer, to_json},
    seen::SeenCode,
};
use federation::{plan::Plan, repo_idx::RepoIdx};

#[derive(Debug, Clone, Serialize)]
struct LaidOutAnswer {
    #[serde(flatten)]
    body: AnswerBody,
    _meta: Meta,
}

/// Renders an answer, with the users that it may miss. `n_pruned` repositories were not searched; `is_cached` is true for a cached answer.
pub(super) fn render(
    plan: &Plan,
    body: AnswerBody,
    request: AnswerRequest,
    may_miss: Option<MayMiss>,
    n_pruned: usize,
    is_cached: bool,
) -> RenderedAnswer {
    let total_items = body.candidates.len() as u64;
    let aliases: Vec<&String> = body.candidates.iter().map(|candidate| &candidate.repo).collect();
    let quoted: Vec<RepoIdx> = plan
        .asked
        .iter()
        .copied()
        .filter(|repo_idx| aliases.iter().any(|alias| *alias == plan.alias(*repo_idx)))
        .collect();
    let hint = body.fallback_targets.first().map(|target| match body.retrieval.first() {
        Some(best) if !best.symbols.is_empty() => {
            let id = format!("{}//{}", best.repo, best.symbols[0].symbol_id);
            format!("get_symbol {} returns its full source", suggested("symbol_id", &id))
        }
        _ => format!("get_file_context {} lists its definitions", suggested("file", target)),
    });
    let extent = AnswerExtent { truncated: false, total_items, returned_items: total_items, more: None };
    let remarks =
        Remarks { hint, extent, ignored_arguments: request.ignored, notes: request.notes, may_miss, n_pruned };
    let mut _meta = Meta::new(plan, quoted, remarks);
    _meta.cached = is_cached;
    let answer = fit_to_budget(LaidOutAnswer { body: without_seen(body, &request.seen), _meta }, request.token_budget);
    RenderedAnswer::json(&answer, plan)
}

/// Returns the answer without the code that the caller has.
fn without_seen(mut body: AnswerBody, seen: &SeenCode) -> AnswerBody {
    for hit in &mut body.retrieval {
        for symbol in hit.symbols.iter_mut().filter(|symbol| !symbol.source.is_empty()) {
            if let Some(note) = seen.note(&hit.repo, &symbol.symbol_id) {
                symbol.source = note;
            }
        }
    }
    body
}

/// The first step that loses content without another trace, and the first one that leaves no room to say how to get it.
const FIRST_CUT: usize = 3;
const LAST_HINT: usize = 10;

/// Removes the least important parts until the answer fits: code first, then everything except the answer text, and its
/// last sentence last.
fn fit_to_budget(mut answer: LaidOutAnswer, budget: usize) -> LaidOutAnswer {
    let exceeds = |answer: &LaidOutAnswer| text::estimate_tokens(&to_json(answer)) > budget;
    let steps: [fn(&mut LaidOutAnswer) -> bool; 13] = [
        |answer| answer.body.halve_code(),
        |answer| answer.body.drop_code(),
        |answer| answer.body.drop_symbols(),
        |answer| pop_to(&mut answer.body.candidates, 5),
        |answer| answer.body.drop_summaries(),
        |answer| pop_to(&mut answer.body.retrieval, 0) || pop_to(&mut answer.body.links, 0),
        |answer| {
            answer._meta.shorten();
            false
        },
        |answer| pop_to(&mut answer.body.candidates, 0) || pop_to(&mut answer.body.fallback_targets, 1),
        |answer| answer.body.drop_sentence(),
        |answer| {
            answer.body.note = None;
            answer.body.search_method.clear();
            pop_to(&mut answer.body.fallback_targets, 0)
        },
        |answer| {
            answer.body.citations.iter_mut().for_each(|citation| citation.symbol_id = None);
            answer._meta.extent.more = None;
            false
        },
        // The answer text has them as well.
        |answer| {
            answer.body.citations.clear();
            answer.body.degraded = None;
            false
        },
        |answer| answer.body.drop_words(),
    ];
    for (step_idx, step) in steps.into_iter().enumerate() {
        while exceeds(&answer) {
            let can_repeat = step(&mut answer);
            if step_idx >= FIRST_CUT {
                answer._meta.extent.truncated = true;
                answer._meta.extent.returned_items = answer.body.candidates.len() as u64;
                answer._meta.extent.more = Some("a larger token_budget".to_owned()).filter(|_| step_idx < LAST_HINT);
            }
            if !can_repeat {
                break;
            }
        }
    }
    answer
}

fn pop_to<T>(list: &mut Vec<T>, least: usize) -> bool {
    list.len() > least && list.pop().is_some()
}

/// Returns the offset of the citations at the end of an answer.
fn end_of_words(answer: &str) -> usize {
    let mut words = answer.trim_end();
    while let Some((before, _)) = words.strip_suffix(']').and_then(|open| open.rsplit_once('[')) {
        words = before.trim_end();
    }
    words.len() + answer[words.len()..].find('[').unwrap_or(answer.len() - words.len())
}

/// Returns words without the last one, and closes a quotation that is cut.
fn without_last_word(words: &str) -> Option<String> {
    let (rest, _) = words.trim_end_matches([' ', '…', '`']).rsplit_once(' ')?;
    Some(match open_quotation(rest) {
        None => format!("{rest} …"),
        Some((start, quoted)) if quoted.trim().is_empty() => format!("{}…", &rest[..start]),
        Some((start, quoted)) => {
            let n_marks = rest.len() - quoted.len() - start;
            format!("{rest} …{}", "`".repeat(n_marks))
        }
    })
}

/// Returns the start of a quotation without an end, and the quoted text.
fn open_quotation(text: &str) -> Option<(usize, &str)> {
    let n_marks = |text: &str| text.len() - text.trim_start_matches('`').len();
    let mut end = 0;
    while let Some(start) = text[end..].find('`').map(|at| end + at) {
        let n_open = n_marks(&text[start..]);
        end = start + n_open;
        loop {
            let Some(at) = text[end..].find('`') else { return Some((start, &text[start + n_open..])) };
            let n_close = n_marks(&text[end + at..]);
            end += at + n_close;
            if n_close == n_open {
                break;
            }
        }
    }
    None
}

/// Each step removes something, and returns true if it can remove more.
impl AnswerBody {
    /// Halves the longest piece of code, down to some lines.
    fn halve_code(&mut self) -> bool {
        const LEAST_LINES: usize = 6;
        let pieces = self.retrieval.iter_mut().flat_map(|hit| {
            hit.symbols.iter_mut().map(|symbol| &mut symbol.source).chain(std::iter::once(&mut hit.snippet))
        });
        // Of equally long pieces the last: higher ranks keep their code longest.
        let longest =
            pieces.max_by_key(|piece| piece.lines().count()).filter(|piece| piece.lines().count() > LEAST_LINES);
        let Some(piece) = longest else { return false };
        let n_lines = (piece.lines().count() / 2).max(LEAST_LINES);
        *piece = piece.lines().take(n_lines).collect::<Vec<_>>().join("\n");
        true
    }

    /// Drops the last piece of code.
    fn drop_code(&mut self) -> bool {
        let last = self.retrieval.iter_mut().rev().find_map(|hit| {
            let symbol = hit.symbols.iter_mut().rev().find(|symbol| !symbol.source.is_empty());
            symbol
                .map(|symbol| &mut symbol.source)
                .or_else(|| Some(&mut hit.snippet).filter(|snippet| !snippet.is_empty()))
        });
        last.map(|piece| piece.clear()).is_some()
    }

    fn drop_symbols(&mut self) -> bool {
        let last = self.retrieval.iter_mut().rev().find(|hit| !hit.symbols.is_empty());
        last.map(|hit| hit.symbols.pop()).is_some()
    }

    fn drop_summaries(&mut self) -> bool {
        let last = self.retrieval.iter_mut().rev().find(|hit| !hit.summary.is_empty());
        last.map(|hit| hit.summary.clear()).is_some()
    }

    /// Drops the last word of the answer, but keeps its citations.
    fn drop_words(&mut self) -> bool {
        let (words, marks) = self.answer.split_at(end_of_words(&self.answer));
        let ellipsis = || (words.trim() != "…").then(|| "…".to_owned());
        let rest = without_last_word(words).or_else(ellipsis).map(|rest| format!("{rest} {marks}"));
        rest.map(|rest| self.answer = rest.trim_end().to_owned()).is_some()
    }

    /// Drops the last of several sentences, and the citations that only it has.
    fn drop_sentence(&mut self) -> bool {
        let Some((rest, _)) =
            self.answer.trim_end().rsplit_once(['\n']).map(|(rest, last)| (rest.to_owned(), last.len()))
        else {
            return false;
        };
        self.answer = rest;
        self.citations.retain(|citation| self.answer.contains(&citation.mark()));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_dropped_before_their_citation_marks() {
        for (answer, words) in [
            ("`a` opens it. [x:a.rs:1-2][x:b.rs:3]", "`a` opens it. "),
            ("`a[0]` is first.", "`a[0]` is first."),
            ("No place.", "No place."),
            ("[x:a.rs:1]", ""),
        ] {
            assert_eq!(&answer[..end_of_words(answer)], words);
        }
    }

    #[test]
    fn cut_quotations_are_closed() {
        for (words, expected) in [
            ("Nothing answers this", Some("Nothing answers …")),
            ("`run`: `Runs it now.`", Some("`run`: `Runs it …`")),
            ("`run`: `Runs it …`", Some("`run`: `Runs …`")),
            ("`run`: `Runs …`", Some("`run`: …")),
            ("`run`: …", None),
            ("``Calls `open` twice``", Some("``Calls `open` …``")),
            ("``Calls `open` …``", Some("``Calls …``")),
            ("`` `open` it ``", Some("`` `open` …``")),
            ("`a b` is absent", Some("`a b` is …")),
            ("`a b` …", Some("`a …`")),
        ] {
            assert_eq!(without_last_word(words).as_deref(), expected, "{words}");
        }
    }
}
