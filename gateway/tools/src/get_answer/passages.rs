//! Passages: the definitions that have most of what a question asks, each with the few lines of its body that say it.
//!
//! A comment tells what a definition is for, and seldom what happens in it. So the words of a question are looked for in names, comments and
//! lines together: a definition is as good as its name, its comment and its best lines have of the question.

use std::collections::HashMap;

use embed::WordCache;
use federation::outline::span;
use model::{Language, LineSpan, symbol::qualify};
use proto::v1;
use ranking::{analyser, query::content_words};

use super::{
    asked_terms::AskedTerms,
    extractive_answer::{QuestionTerms, text_vector},
    passage_lines::{
        begins_comment, best_window, is_comment_line, is_remark, n_head_lines, quoted_lines, with_remarks_below,
    },
    side_folders,
};

/// Shares of a term's weight by the place that has it; the name counts whole.
const IN_COMMENT_OR_LINES: f32 = 0.8;
const IN_CONTAINER: f32 = 0.6;
const ELSEWHERE: f32 = 0.35;

/// Weights beside the words of the question: the rank of the file, the rank of the definition, and the similarity of its name and comment.
/// Fitted on the tuning cases, with one repository left out each time (ADR 150).
const FILE_WEIGHT: f32 = 0.8;
const PLACE_WEIGHT: f32 = 0.6;
const MEANING_WEIGHT: f32 = 0.35;
const RANK_DECAY: f32 = 0.5;

/// Factor of the weights of ranks in a question for what comes of an event: the search ranks what is about its things, and the branch that
/// answers may be anywhere.
const RANK_FACTOR_OF_OUTCOME: f32 = 0.5;

/// Factor of the words of the question in such a question: a branch with all words of an event answers before one with most.
const WORDS_FACTOR_OF_OUTCOME: f32 = 1.5;

/// Gain of a function named after a failure in a question for what comes of one.
const FAILURE_GAIN: f32 = 0.3;

/// Gain of a function that a question calls by its name: `what happens if I call send`.
const CALLED_GAIN: f32 = 0.5;

/// Costs of definitions that seldom tell what happens: types and values, and functions without a body.
const TYPE_COST: f32 = 0.1;
const BODILESS_COST: f32 = 0.15;

/// Cost of definitions beside the product: an example shows how something is used, and not how it works.
const SIDE_COST: f32 = 0.5;

/// Cost of functions that read or set a value: seldom does anything happen in them.
const ACCESSOR_COST: f32 = 0.12;

/// Cost of a definition of a file of which a better one is shown: one of another file says more that is new.
const SAME_FILE_COST: f32 = 0.3;

/// Minimum share of a question in the quoted lines and the comment, without which lines say nothing.
const MIN_LINES_SHARE: f32 = 0.2;

/// Maximum number of definitions whose meaning is compared.
const MAX_COMPARED: usize = 40;

/// A file whose definitions are compared.
pub(super) struct PassageFile<'f> {
    pub(super) path: &'f str,
    /// Its rank among the files, from 0.
    pub(super) rank: usize,
    /// As its worker stores them: they are not shown.
    pub(super) lines: Vec<&'f str>,
    pub(super) symbols: &'f [v1::Symbol],
    /// Ranks of the definitions that the retrieval found, by node.
    pub(super) ranks: HashMap<u32, usize>,
}

/// A definition with the lines that have most of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScoredPassage {
    /// Indices of its file, and of its definition in that.
    pub(super) file_idx: usize,
    pub(super) symbol_idx: usize,
    /// The lines to quote; `None` if they say nothing that the name and the comment do not.
    pub(super) lines: Option<LineSpan>,
    /// Share of the information of the question in it, from 0 to 1.
    pub(super) share: f32,
    pub(super) score: f32,
}

/// Returns the best definitions of some files in order, at most `limit`. Of a type and its member, one is returned.
pub(super) fn best(
    files: &[PassageFile<'_>],
    asked: &mut AskedTerms,
    question: &QuestionTerms<'_>,
    limit: usize,
) -> Vec<ScoredPassage> {
    if asked.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<ScoredPassage> = Vec::new();
    let wanted_kind = WantedKind::of(question.text);
    let outcome = AskedOutcome::of(question.text);
    for (file_idx, file) in files.iter().enumerate() {
        let of_side = side_folders::is_in_side_folder(file.path) && !side_folders::is_named(question.text);
        let of_tests = asks_for_tests(question.text);
        let cost = if of_side && !of_tests { SIDE_COST } else { 0.0 };
        let scored = of_file((file_idx, file), asked, of_tests, (wanted_kind, &outcome)).into_iter();
        found.extend(scored.map(|passage| ScoredPassage { score: passage.score - cost, ..passage }));
    }
    let order = |a: &ScoredPassage, b: &ScoredPassage| {
        b.score.total_cmp(&a.score).then_with(|| (a.file_idx, a.symbol_idx).cmp(&(b.file_idx, b.symbol_idx)))
    };
    found.sort_by(order);
    found.truncate(MAX_COMPARED);
    let mut words = question.model.map(WordCache::new);
    let wanted = words.as_mut().map(|words| text_vector(words, question.text));
    for passage in &mut found {
        let symbol = &files[passage.file_idx].symbols[passage.symbol_idx];
        let said = format!("{} {}", symbol.name, text::first_sentence(&symbol.doc));
        let similarity = wanted.as_ref().zip(words.as_mut()).map(|(wanted, words)| {
            let said = analyser::words(&said).join(" ");
            wanted.cosine(&text_vector(words, &said)).max(0.0)
        });
        passage.score += MEANING_WEIGHT * similarity.unwrap_or(0.0);
    }
    found.sort_by(order);
    distinct(found, limit, files)
}

/// Returns the best definitions in order, at most `limit`. Further ones of a file cost, and those that overlap a better one are left out.
fn distinct(mut found: Vec<ScoredPassage>, limit: usize, files: &[PassageFile<'_>]) -> Vec<ScoredPassage> {
    let span_of = |one: &ScoredPassage| lines_of(&files[one.file_idx].symbols[one.symbol_idx]);
    let mut chosen: Vec<ScoredPassage> = Vec::new();
    while chosen.len() < limit && !found.is_empty() {
        // The first of equal ones.
        let best = (1..found.len()).fold(0, |best, at| if found[at].score > found[best].score { at } else { best });
        let passage = found.remove(best);
        let own = span_of(&passage);
        let is_first_of_file = chosen.iter().all(|other| other.file_idx != passage.file_idx);
        found.retain(|other| {
            let other_span = span_of(other);
            other.file_idx != passage.file_idx || own.start > other_span.end || other_span.start > own.end
        });
        for other in found.iter_mut().filter(|other| is_first_of_file && other.file_idx == passage.file_idx) {
            other.score -= SAME_FILE_COST;
        }
        chosen.push(passage);
    }
    chosen
}

fn lines_of(symbol: &v1::Symbol) -> LineSpan {
    span(symbol.lines.unwrap_or_default())
}

pub(super) fn is_callable(symbol: &v1::Symbol) -> bool {
    matches!(symbol.kind.as_str(), "function" | "method" | "constructor" | "rpc" | "macro")
}

fn is_type(symbol: &v1::Symbol) -> bool {
    matches!(
        symbol.kind.as_str(),
        "class" | "struct" | "interface" | "trait" | "enum" | "module" | "namespace" | "type" | "impl"
    )
}

/// Returns the type that has a definition, if its comment or its name tells something of the question.
pub(super) fn owner<'s>(symbols: &'s [v1::Symbol], of: &v1::Symbol, asked: &mut AskedTerms) -> Option<&'s v1::Symbol> {
    let (around, name) = of.container.rsplit_once('.').unwrap_or(("", &of.container));
    let is_owner =
        |one: &&v1::Symbol| is_type(one) && one.name == name && one.container == around && !one.doc.is_empty();
    let owner = symbols.iter().find(is_owner)?;
    (asked.bits(&owner.name) | asked.bits(&owner.doc) != 0).then_some(owner)
}

/// Returns true for a definition of a test within a file of the product.
fn is_test(symbol: &v1::Symbol) -> bool {
    let is_of_tests = symbol.container.split('.').any(|part| matches!(part, "tests" | "test"));
    is_of_tests || symbol.name.starts_with("test_") || symbol.name == "tests" || symbol.name.starts_with("Test")
}

/// Returns true for a question about tests.
pub(super) fn asks_for_tests(question: &str) -> bool {
    content_words(question).iter().any(|word| word.to_lowercase().starts_with("test"))
}

/// The kind of definition that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WantedKind {
    Any,
    Type,
}

impl WantedKind {
    fn of(question: &str) -> WantedKind {
        // `What type does it return?` and `which interface does it listen on?` ask for what functions do.
        const TYPES: [&str; 4] = ["class", "struct", "trait", "enum"];
        let lower = question.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let asks = |pair: &[&str]| matches!(pair[0], "which" | "what") && TYPES.contains(&pair[1]);
        if words.windows(2).any(asks) { WantedKind::Type } else { WantedKind::Any }
    }
}

/// The outcome of an event that a question asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct AskedOutcome {
    /// True if it asks for what comes of an event.
    is_asked: bool,
    /// True if the event is a failure.
    is_failure: bool,
    /// The functions that it says are called, in lower case.
    called: Vec<String>,
}

/// Returns true if a name has a word for a failure.
fn names_failure(name: &str) -> bool {
    const WORDS: [&str; 11] = [
        "error",
        "errors",
        "err",
        "fail",
        "failed",
        "failure",
        "failures",
        "exception",
        "exceptions",
        "crash",
        "crashed",
    ];
    analyser::words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

impl AskedOutcome {
    fn of(question: &str) -> AskedOutcome {
        const STARTS: [&str; 8] = [
            "what happens ",
            "what will happen ",
            "what would happen ",
            "what becomes of ",
            "what does it do ",
            "what is done ",
            "how does it react ",
            "what do i get ",
        ];
        const CONDITIONS: [&str; 6] = ["if", "when", "once", "whenever", "while", "unless"];
        const CALLS: [&str; 5] = ["call", "calls", "calling", "invoke", "invoking"];
        let lower = question.trim_start().to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
        // `What status does a client get when it is late?` asks for what comes of the lateness, and `when was it added` for a date.
        let is_what = matches!(words.first(), Some(&("what" | "which")));
        let has_condition = words.iter().skip(1).any(|word| CONDITIONS.contains(word));
        let is_asked = begins(&STARTS) || (is_what && has_condition);
        let named = words.windows(2).filter(|pair| CALLS.contains(&pair[0])).map(|pair| pair[1].to_owned());
        let called = named.filter(|name| is_asked && !ranking::query::is_stop_word(name)).collect();
        const FAILURES: [&str; 10] =
            ["error", "exception", "fail", "crash", "panic", "raise", "throw", "threw", "dies", "died"];
        let is_failure = is_asked && words.iter().any(|word| FAILURES.iter().any(|start| word.starts_with(start)));
        AskedOutcome { is_asked, is_failure, called }
    }

    fn words_factor(&self) -> f32 {
        if self.is_asked { WORDS_FACTOR_OF_OUTCOME } else { 1.0 }
    }

    fn rank_factor(&self) -> f32 {
        if self.is_asked { RANK_FACTOR_OF_OUTCOME } else { 1.0 }
    }

    fn calls(&self, name: &str) -> bool {
        self.called.iter().any(|called| *called == name.to_lowercase())
    }
}

/// Returns the definitions of a file that have something of the question, each with its best lines.
fn of_file(
    (file_idx, file): (usize, &PassageFile<'_>),
    asked: &mut AskedTerms,
    with_tests: bool,
    (wanted_kind, outcome): (WantedKind, &AskedOutcome),
) -> Vec<ScoredPassage> {
    let n_lines = file.lines.len();
    let language = Language::of_path(file.path);
    let bits: Vec<u64> = file.lines.iter().map(|line| asked.bits(line)).collect();
    let owners = owners(file.symbols, n_lines);
    let of_path = asked.bits(file.path);
    let mut found: Vec<ScoredPassage> = Vec::new();
    let is_wanted = |(_, symbol): &(usize, &v1::Symbol)| with_tests || !is_test(symbol);
    for (symbol_idx, symbol) in file.symbols.iter().enumerate().filter(is_wanted) {
        let LineSpan { start, end } = lines_of(symbol);
        let (first, end) = ((start.max(1) as usize) - 1, (end as usize).min(n_lines));
        if first >= end || symbol.kind == "parameter" {
            continue;
        }
        let has_members = is_callable(symbol) || is_type(symbol);
        let is_own = |line: usize| !has_members || owners[line] == Some(symbol_idx);
        let is_of_type = is_type(symbol);
        // The comments between the members of a type are those of the members.
        let is_comment = |line: usize| {
            let line = file.lines[line];
            is_comment_line(line, &symbol.doc) || is_of_type && begins_comment(line)
        };
        let n_head = if is_callable(symbol) { n_head_lines(&file.lines[first..end], &symbol.signature) } else { 0 };
        let is_body = |line: usize| is_own(line) && line >= first + n_head && !is_comment(line);
        let own: Vec<u64> = (first..end).map(|line| if is_body(line) { bits[line] } else { 0 }).collect();
        let own = with_remarks_below(&own, |at| is_remark(file.lines[first + at], language), asked.names_mask());
        let name = asked.bits(&symbol.name);
        let of_doc = asked.bits(&symbol.doc);
        let container = asked.bits(&symbol.container);
        let anywhere = own.iter().fold(of_path, |all, bits| all | bits);
        if name | of_doc | container | anywhere == 0 {
            continue;
        }
        let (best_start, in_lines) = best_window(&own, n_head, name | of_doc, asked);
        let strong = (of_doc | in_lines) & !name;
        let middle = container & !(name | strong);
        let weak = anywhere & !(name | strong | middle);
        let total: f32 = asked.weights.iter().sum();
        let of_words = (asked.weight(name)
            + IN_COMMENT_OR_LINES * asked.weight(strong)
            + IN_CONTAINER * asked.weight(middle)
            + ELSEWHERE * asked.weight(weak))
            / total.max(f32::MIN_POSITIVE);
        let of_rank = file.ranks.get(&symbol.node).map_or(0.0, |rank| PLACE_WEIGHT / (1.0 + RANK_DECAY * *rank as f32));
        let is_bodiless = is_callable(symbol) && end <= first + n_head + 1;
        let cost = match wanted_kind {
            WantedKind::Type if is_type(symbol) => 0.0,
            WantedKind::Type => TYPE_COST,
            _ if is_bodiless => BODILESS_COST,
            _ if is_callable(symbol) || symbol.kind == "constant" => 0.0,
            _ => TYPE_COST,
        };
        let cost = cost + if is_callable(symbol) && is_accessor(symbol) { ACCESSOR_COST } else { 0.0 };
        let of_rank = (FILE_WEIGHT / (1.0 + RANK_DECAY * file.rank as f32) + of_rank) * outcome.rank_factor();
        let of_call = if is_callable(symbol) && outcome.calls(&symbol.name) { CALLED_GAIN } else { 0.0 };
        let is_of_failure = outcome.is_failure && is_callable(symbol) && names_failure(&symbol.name);
        let of_failure = if is_of_failure { FAILURE_GAIN } else { 0.0 };
        let score = of_words * outcome.words_factor() + of_rank + of_call + of_failure - cost;
        let is_telling = asked.share(in_lines | of_doc | name) >= MIN_LINES_SHARE && end > first + n_head;
        let lines = is_telling.then(|| quoted_lines(&file.lines[first..end], &own, n_head, best_start));
        // A body that is shorter than its head is told by that.
        let lines = lines.filter(|(start, end)| end > start);
        let lines = lines.map(|(start, end)| LineSpan { start: (first + start + 1) as u32, end: (first + end) as u32 });
        let share = asked.share(name | strong | middle);
        found.push(ScoredPassage { file_idx, symbol_idx, lines, share, score });
    }
    found
}

/// Returns the innermost function or type around each line, by index.
fn owners(symbols: &[v1::Symbol], n_lines: usize) -> Vec<Option<usize>> {
    let mut owners = vec![None; n_lines];
    let mut order: Vec<usize> =
        (0..symbols.len()).filter(|at| is_callable(&symbols[*at]) || is_type(&symbols[*at])).collect();
    // The longest first, so that inner definitions replace outer ones.
    order.sort_by_key(|at| (std::cmp::Reverse(lines_of(&symbols[*at]).len()), *at));
    for at in order {
        let LineSpan { start, end } = lines_of(&symbols[at]);
        let (first, end) = ((start.max(1) as usize) - 1, (end as usize).min(n_lines));
        if first < end {
            owners[first..end].fill(Some(at));
        }
    }
    owners
}

/// Returns true for a function that reads or sets a value by its name or signature.
pub(super) fn is_accessor(symbol: &v1::Symbol) -> bool {
    const PREFIXES: [&str; 4] = ["get", "set", "with", "is"];
    let begins = |prefix: &&str| {
        let rest = symbol.name.strip_prefix(*prefix);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'))
    };
    let of_signature = symbol.signature.starts_with("get ") || symbol.signature.starts_with("set ");
    of_signature || PREFIXES.iter().any(begins)
}

/// Returns the qualified name of a definition.
pub(super) fn name_of(symbol: &v1::Symbol) -> String {
    text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned()
}

/// Returns true for a method on one line of an interface, which declares it without a body. `line` is that line, empty if it is unknown.
pub(super) fn is_declared_only(symbols: &[v1::Symbol], symbol: &v1::Symbol, line: &str) -> bool {
    let LineSpan { start, end } = lines_of(symbol);
    // A default method has its body on the line; a type may have such a mark as well, and then it is not known.
    let behind = line.split_once(')').map_or(line, |(_, rest)| rest);
    let has_body = line.contains('{') || line.contains("=>") || behind.contains('=');
    is_callable(symbol) && !line.trim().is_empty() && end == start && !has_body && is_of_interface(symbols, symbol)
}

/// Returns true for a member of an interface, which may have no body.
pub(super) fn is_of_interface(symbols: &[v1::Symbol], symbol: &v1::Symbol) -> bool {
    let (around, name) = symbol.container.rsplit_once('.').unwrap_or(("", &symbol.container));
    let is_interface = |one: &v1::Symbol| {
        one.name == name && one.container == around && matches!(one.kind.as_str(), "interface" | "trait" | "protocol")
    };
    symbols.iter().any(is_interface)
}

#[cfg(test)]
mod tests;
