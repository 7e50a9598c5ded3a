//! Numbers that code waits for or compares with, for a question that no setting describes: `sleep 2`, `if n_sent >= MAX_SENT`.

use std::collections::BTreeSet;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    assignments::assigned,
    cited_text::CitedText,
    described_settings::comment_above,
    documented_parameters::is_function,
    events::terms,
    quantity_words::{asks_for_time, without_idioms},
    raises::is_comment,
    source_lines::{SourceLine, definition_at, files_of_settings, lines_above, non_empty_lines},
    test_lines,
    weighted_terms::{Compounds, asked_terms},
};
use federation::repo_idx::RepoIdx;

/// Beginnings of calls that wait.
const WAITS: [&str; 18] = [
    "sleep(",
    "sleep ",
    "Sleep(",
    ".wait(",
    "wait_for(",
    "setTimeout(",
    "setInterval(",
    "settimeout(",
    "set_timeout(",
    "time.After(",
    "NewTicker(",
    "NewTimer(",
    "WithTimeout(",
    "awaitTermination(",
    "schedule(",
    "scheduleAtFixedRate(",
    "delay(",
    "recv_timeout(",
];

/// Signs of comparisons, with the white space around them that generics do not have.
const COMPARISONS: [&str; 4] = [" >= ", " <= ", " > ", " < "];

/// Minimum share of the information of a question in a line and the definition around it, minimum number of common terms, and the share from
/// which on it is trusted.
const MIN_SHARE: f32 = 0.4;
const MIN_TERMS: usize = 2;
const SURE_SHARE: f32 = 0.6;

/// Share of a term's weight if only the definition or the file around a line has it.
const AROUND: f32 = 0.7;

/// Maximum number of outer definitions whose first lines count.
const MAX_OUTER: usize = 3;

/// Answers with the line that waits for or compares with a number, and has most of what is asked; `None` if none has enough.
pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    named: &BTreeSet<RepoIdx>,
    question: &str,
) -> Option<IntentAnswer> {
    let asked = asked_terms(context, &without_idioms(question), &BTreeSet::new());
    if asked.len() < MIN_TERMS {
        return None;
    }
    let files = files_of_settings(context, named);
    let found = non_empty_lines(context, &files).await;
    let lines = found.value.as_slice();
    let is_of_test = test_lines::within_tests(lines);
    let (compounds, with_waits) = (Compounds::of(question), asks_for_time(question));
    let limits = (0..lines.len()).filter(|at| !is_of_test[*at]).filter_map(|at| {
        let limit = limit(&lines[at].text, with_waits)?;
        // Few comparisons have a word of the question.
        if !limit.is_wait && !has_stem(&lines[at].text, &asked) {
            return None;
        }
        share(&asked, (lines, at), limit.is_wait, &compounds).map(|share| (share, at, limit))
    });
    let mut limits: Vec<(f32, usize, CodeLimit)> = limits.collect();
    limits.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Without its value, a name is no answer to a question for a number.
    let value = |at: usize, limit: &CodeLimit| value_of((lines, &is_of_test), &lines[at], limit.name.as_ref()?);
    let is_known = |(_, at, limit): &(f32, usize, CodeLimit)| limit.name.is_none() || value(*at, limit).is_some();
    let (share, at, limit) = limits.into_iter().find(is_known)?;
    let line = &lines[at];
    let within = definition_at(context, line).await;
    let by = within.map_or_else(|| "Code outside of definitions".to_owned(), |within| text::quote(&within));
    let verb = if limit.is_wait { "waits with" } else { "compares" };
    let said = format!("{by} {verb} {}", text::quote(&line.display_text()));
    let mut sentences = vec![CitedText::cited(said, line.place(context)).then(".")];
    if let Some(name) = &limit.name {
        let defined = value_of((lines, &is_of_test), line, name)?;
        let (_, value) = assigned(&defined.text)?;
        let value = text::quote(value.trim_end_matches([',', ';', ' ']));
        sentences.push(CitedText::cited(format!("{} is {value}", text::quote(name)), defined.place(context)).then("."));
    }
    let note =
        "the answer is of the lines that match best, and not of a setting; get_symbol returns the source around them";
    let confidence = if share >= SURE_SHARE { Confidence::Medium } else { Confidence::Low };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(found.shortfalls))
}

/// A number in a line of code.
#[derive(Debug, PartialEq, Eq)]
struct CodeLimit {
    is_wait: bool,
    /// The name of the constant that stands for it; `None` for a literal.
    name: Option<String>,
}

/// Returns the number that a line waits for, or compares something with.
fn limit(line: &str, with_waits: bool) -> Option<CodeLimit> {
    if is_comment(line) || is_function(line) {
        return None;
    }
    let of_text = |text: &str, is_wait: bool| {
        let name = constant(text);
        (name.is_some() || has_number(text)).then_some(CodeLimit { is_wait, name })
    };
    let is_start = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') || before.is_empty();
    let wait = WAITS.iter().filter(|_| with_waits).find_map(|call| {
        let (before, arguments) = line.split_once(*call)?;
        (call.starts_with('.') || is_start(before)).then(|| of_text(arguments, true)).flatten()
    });
    wait.or_else(|| {
        let (left, right) = COMPARISONS.iter().find_map(|sign| line.split_once(*sign))?;
        let operand =
            |text: &str| text.split([' ', ',', ';', ')', ':', '{']).find(|part| !part.is_empty()).map(str::to_owned);
        let of_right = operand(right).and_then(|operand| of_text(&operand, false));
        let last = left.rsplit([' ', '(', '!']).find(|part| !part.is_empty()).unwrap_or_default();
        of_right.or_else(|| of_text(last, false).filter(|limit| limit.name.is_some()))
    })
}

/// Returns the first constant in a text by the notation of its name: `self.MAX_SENT`.
fn constant(text: &str) -> Option<String> {
    const BOUNDS: [&str; 6] = ["max", "Max", "min", "Min", "default", "Default"];
    let is_upper = |word: &str| {
        word.len() > 3
            && word.contains('_')
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && !word.contains(char::is_lowercase)
    };
    let is_bound = |word: &str| {
        let mut rests = BOUNDS.iter().filter_map(|bound| word.strip_prefix(bound));
        rests.any(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'))
    };
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.find(|word| is_upper(word) || is_bound(word)).map(str::to_owned)
}

/// Returns true if a text has a number that may be a limit: the bounds of a collection are 0 and 1.
fn has_number(text: &str) -> bool {
    let is_limit = |word: &str| {
        let digits: String = word.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.starts_with(|c: char| c.is_ascii_digit()) && !matches!(digits.as_str(), "0" | "1")
    };
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).any(is_limit)
}

/// Returns true if a text may have an asked term: it has the beginning of one.
fn has_stem(text: &str, asked: &[(String, f32)]) -> bool {
    const STEM_CHARS: usize = 4;
    let lower = text.to_lowercase();
    asked.iter().any(|(term, _)| lower.contains(term.get(..STEM_CHARS).unwrap_or(term)))
}

/// Returns the share of the asked information in a line, its comment and the definitions around it; `None` if it is too little.
fn share(
    asked: &[(String, f32)],
    (lines, at): (&[SourceLine], usize),
    is_wait: bool,
    compounds: &Compounds,
) -> Option<f32> {
    let line = &lines[at];
    let set = |text: &str| compounds.completed(terms(text).into_iter().collect());
    let own = set(&format!("{} {}", line.text, comment_above(&lines[..at], line)));
    let around = set(&format!("{} {}", outer(lines, at), line.path));
    let total: f32 = asked.iter().map(|(_, weight)| weight).sum();
    let part = |term: &String| match (own.contains(term), around.contains(term)) {
        (true, _) => 1.0,
        (false, true) => AROUND,
        (false, false) => 0.0,
    };
    let n_common = asked.iter().filter(|(term, _)| part(term) > 0.0).count();
    let share = asked.iter().map(|(term, weight)| weight * part(term)).sum::<f32>() / total.max(f32::MIN_POSITIVE);
    // A wait says nothing of what it is for.
    let has_own = is_wait || asked.iter().any(|(term, _)| own.contains(term)) || n_common == asked.len();
    (n_common >= MIN_TERMS && share >= MIN_SHARE && has_own).then_some(share)
}

/// Returns the first lines of the definitions and branches around a line.
fn outer(lines: &[SourceLine], at: usize) -> String {
    let line = &lines[at];
    let mut indent = line.indent;
    let of_file = lines_above(lines, at);
    // No definition is around a line without indentation.
    let mut is_inner = indent > 0;
    let of_file = of_file.take_while(|above| {
        let was_inner = is_inner;
        is_inner &= above.indent > 0 || is_comment(&above.text);
        was_inner
    });
    let around = of_file.filter(|above| {
        let is_outer = above.indent < indent && !is_comment(&above.text);
        indent = if is_outer { above.indent } else { indent };
        is_outer
    });
    let heads = around
        .filter(|above| is_function(&above.text) || above.text.contains("class ") || above.text.contains("impl "));
    heads.take(MAX_OUTER).map(|above| above.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns the line that gives a constant its value: that of the same file, or else of another one of its repository. `None` if there are
/// different values. Tests give it others.
fn value_of<'l>(
    (lines, is_of_test): (&'l [SourceLine], &[bool]),
    user: &SourceLine,
    name: &str,
) -> Option<&'l SourceLine> {
    let value = |line: &'l SourceLine| {
        let is_named =
            |target: &str| target.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
        let given = assigned(&line.text).filter(|(target, _)| !target.contains(['"', '\'', '`']) && is_named(target));
        let (_, value) = given.filter(|_| !is_comment(&line.text))?;
        value.contains(|c: char| c.is_ascii_digit()).then(|| value.trim_end_matches([',', ';', ' ']))
    };
    let product = lines
        .iter()
        .zip(is_of_test)
        .filter(|(line, is_of_test)| !**is_of_test && line.repo_idx == user.repo_idx && line.text.contains(name));
    let all: Vec<(&SourceLine, &str)> = product.filter_map(|(line, _)| Some((line, value(line)?))).collect();
    let near: Vec<(&SourceLine, &str)> = all.iter().copied().filter(|(line, _)| line.path == user.path).collect();
    let meant = if near.is_empty() { all } else { near };
    let (defined, first) = meant.first().copied()?;
    meant.iter().all(|(_, value)| *value == first).then_some(defined)
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text, *};

    #[test]
    fn numbers_are_in_waits_and_comparisons() {
        for (line, expected) in [
            ("sleep 2", Some((true, None))),
            ("time.Sleep(5 * time.Second)", Some((true, None))),
            ("time.sleep(IDLE_SLEEP)", Some((true, Some("IDLE_SLEEP")))),
            ("if self.n_sent >= self.MAX_SENT:", Some((false, Some("MAX_SENT")))),
            ("if (MAX_SENT < sent) {", Some((false, Some("MAX_SENT")))),
            ("if len(berths) > 64 {", Some((false, None))),
            ("if len(berths) > 0 {", None),
            ("if sent > maxSent {", Some((false, Some("maxSent")))),
            ("if sent > maximal {", None),
            ("if a > b {", None),
            ("time.sleep(delay)", None),
            ("let oversleep(2) = x", None),
            ("# sleep 2", None),
            ("def sleep(seconds=2):", None),
            ("Map<String, List<A>> x = f(2);", None),
        ] {
            let found = limit(line, true);
            let shown = found.as_ref().map(|limit| (limit.is_wait, limit.name.as_deref()));
            assert_eq!(shown, expected, "{line}");
        }
        assert_eq!(limit("sleep 2", false), None);
    }

    #[test]
    fn a_line_needs_what_is_asked_in_it_or_around_it() {
        let asked: Vec<(String, f32)> = ["sent", "byte"].map(|term| (term.to_owned(), 1.0)).into();
        let of_line = |source: &str, at: usize, is_wait: bool| {
            share(&asked, (&lines_of_text(source), at), is_wait, &Compounds::of("sent bytes"))
        };
        let of = |source: &str, at: usize| of_line(source, at, false);
        assert_eq!(of_line("def send_sent_bytes():\n  while a:\n    sleep(4)", 2, true), Some(0.7));
        assert_eq!(of_line("def send_bytes():\n  sleep(4)", 1, true), None);
        assert_eq!(of("if n_sent_bytes > MAX_SIZE:", 0), Some(1.0));
        assert_eq!(of("def send_bytes():\n  if n_sent > MAX_SIZE:", 1), Some(0.85));
        assert_eq!(of("def send_bytes():\n  pass\nif n_sent > MAX_SIZE:", 2), None);
        assert_eq!(of("if n > MAX_SIZE:", 0), None);
    }

    #[test]
    fn the_value_of_a_constant_is_that_of_its_file_or_repository() {
        let of = |source: &str, others: &[(usize, &str, &str)], name: &str| {
            let mut lines = lines_of_text(source);
            let other = |(repo, path, text): &(usize, &str, &str)| SourceLine {
                repo_idx: federation::repo_idx::RepoIdx(*repo),
                path: (*path).to_owned(),
                text: (*text).to_owned(),
                ..lines[0].clone()
            };
            let others: Vec<SourceLine> = others.iter().map(other).collect();
            lines.extend(others);
            let is_of_test: Vec<bool> = lines.iter().map(|line| line.path == "test").collect();
            let user = lines[0].clone();
            value_of((&lines, &is_of_test), &user, name).map(|line| line.text.clone())
        };
        let own = "if n > MAX_SENT:\nMAX_SENT = 4\nMAX_SENT_BYTES = 5\nx = MAX_SENT\n";
        let used = "if n > MAX_SENT:\n";
        for (source, others, name, expected) in [
            (own, &[(0, "b", "MAX_SENT = 9")][..], "MAX_SENT", Some("MAX_SENT = 4")),
            (own, &[], "MAX", None),
            (used, &[(0, "b", "MAX_SENT = 9")], "MAX_SENT", Some("MAX_SENT = 9")),
            (used, &[(0, "b", "MAX_SENT = 9"), (0, "c", "MAX_SENT = 9,")], "MAX_SENT", Some("MAX_SENT = 9")),
            (used, &[(0, "b", "MAX_SENT = 9"), (0, "c", "MAX_SENT = 8")], "MAX_SENT", None),
            (used, &[(1, "b", "MAX_SENT = 9")], "MAX_SENT", None),
            (used, &[(0, "test", "MAX_SENT = 9")], "MAX_SENT", None),
        ] {
            assert_eq!(of(source, others, name).as_deref(), expected, "{source} {others:?}");
        }
    }
}
