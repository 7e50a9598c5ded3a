//! Tests of a thing that a question describes, by their descriptions: `it('opens the gate', …)` has no name of its own.

use std::collections::{BTreeMap, BTreeSet};

use model::FileClass;
use ranking::query::content_words;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    events::{terms, without_kinds},
    source_lines::{SourceLine, matching},
    subject::Description,
    value_lists::end_of_quotation,
    weighted_terms::{asked_share, asked_terms},
};
use federation::repo_idx::RepoIdx;

/// Calls that declare a test, or a group of tests, with its description.
const DECLARATIONS: [&str; 14] = [
    "it",
    "test",
    "describe",
    "context",
    "specify",
    "scenario",
    "feature",
    "should",
    "t.Run",
    "test.serial",
    "t.test",
    "suite",
    "Deno.test",
    "test.concurrent",
];

/// Those of them that declare a group, which is no test of its own.
const GROUPS: [&str; 4] = ["describe", "context", "feature", "suite"];

/// Maximum number of files and of tests in an answer.
const MAX_FILES: usize = 3;
const MAX_TESTS: usize = 4;

/// Minimum share of what is asked in the name of a file or the description of a test.
const MIN_SHARE: f32 = 0.5;

/// A test of a file with the share of what is asked in it.
type ScoredTest<'l> = (f32, &'l SourceLine, &'l str);

/// A file with its score, its rank, its place, and its tests that fit.
type RatedTestFile<'l> = (f32, usize, &'l (RepoIdx, String), Vec<ScoredTest<'l>>);

/// Answers with the test files among the hits whose names, or whose descriptions of tests, have most of what is asked.
pub(super) async fn answer(context: IntentContext<'_, '_>, description: &Description) -> Option<IntentAnswer> {
    let hits = context.evidence.hits_in(&description.named);
    let hits = hits.filter(|hit| FileClass::from(hit.file.class()) == FileClass::Test);
    let files: Vec<(RepoIdx, String)> = hits.map(|hit| (hit.repo_idx, hit.file.path.clone())).collect();
    let asked = asked_terms(context, &description.words.join(" "), &BTreeSet::new());
    let asked: Vec<(String, f32)> = asked.into_iter().filter(|(term, _)| !is_of_tests(term)).collect();
    if files.is_empty() || asked.is_empty() {
        return None;
    }
    let found = matching(context, &files, |line| test_description(line.trim()).is_some()).await;
    let mut tests: BTreeMap<(RepoIdx, &str), Vec<ScoredTest<'_>>> = BTreeMap::new();
    for line in &found.value {
        let Some(description) = test_description(&line.text) else { continue };
        let share = share(&asked, description);
        tests.entry((line.repo_idx, line.path.as_str())).or_default().push((share, line, description));
    }
    let mut scored: Vec<RatedTestFile<'_>> = Vec::new();
    for (rank, file) in files.iter().enumerate() {
        let mut own = tests.remove(&(file.0, file.1.as_str())).unwrap_or_default();
        own.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.line.cmp(&b.1.line)));
        let of_file = share(&asked, &file.1);
        let of_test = own.first().map_or(0.0, |(share, _, _)| *share);
        if of_file.max(of_test) >= MIN_SHARE && !own.is_empty() {
            scored.push((of_file + of_test, rank, file, own));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = scored.first()?.0;
    let mut sentences: Vec<CitedText> = Vec::new();
    for (_, _, (repo_idx, path), own) in scored.iter().filter(|one| one.0 >= 0.6 * best).take(MAX_FILES) {
        let cite = |(_, line, description): &ScoredTest<'_>| {
            CitedText::cited(text::quote(description), citation(context.plan, *repo_idx, path, (line.line, line.line)))
        };
        let n_tests = own.iter().filter(|(_, line, _)| !is_group(&line.text)).count();
        let said = match n_tests {
            0 => counted(own.len(), "test group"),
            _ => counted(n_tests, "described test"),
        };
        let lead = format!("{} has {said}, such as ", text::quote(&text::sanitise_name(path)));
        let items: Vec<CitedText> = own.iter().take(MAX_TESTS).map(cite).collect();
        sentences.push(CitedText::listed(&lead, items, MAX_TESTS, "."));
    }
    let note = "the answer is of the descriptions of tests in the files that match; search_codebase with kind=\"test\" finds more";
    Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(found.shortfalls))
}

/// Returns a sentence with the test file among the hits that is named after the described thing.
pub(super) fn named_file(context: IntentContext<'_, '_>, description: &Description) -> Option<CitedText> {
    let words = description.words.join(" ");
    let asked: BTreeSet<String> = content_words(&words).into_iter().flat_map(terms).collect();
    let mut hits = context.evidence.hits_in(&description.named);
    let hit =
        hits.find(|hit| FileClass::from(hit.file.class()) == FileClass::Test && is_test_of(&hit.file.path, &asked))?;
    let place = citation(context.plan, hit.repo_idx, &hit.file.path, (1, hit.file.lines.max(1)));
    Some(CitedText::cited(format!("{} is named after it", text::quote(&hit.path())), place).then("."))
}

/// Returns true if the name of a test file has all that is asked for and nothing else, beside words for tests.
fn is_test_of(path: &str, asked: &BTreeSet<String>) -> bool {
    let stem = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    let named: Vec<String> = terms(stem).into_iter().filter(|term| !is_of_tests(term)).collect();
    let has_all = without_kinds(asked).iter().all(|term| is_of_tests(term) || named.contains(term));
    !named.is_empty() && has_all && named.iter().all(|term| asked.contains(term))
}

fn is_of_tests(term: &str) -> bool {
    matches!(term, "test" | "spec" | "check" | "cover")
}

/// Returns the description of the test that a line declares.
fn test_description(line: &str) -> Option<&str> {
    let rest = DECLARATIONS.iter().find_map(|call| {
        let rest = line.strip_prefix(call)?;
        rest.starts_with(['(', ' ']).then(|| rest.trim_start_matches(['(', ' ']))
    })?;
    let end = end_of_quotation(rest, 0)?;
    Some(&rest[1..end - 1]).filter(|quoted| !quoted.is_empty())
}

/// Returns true for a line that declares a group of tests.
fn is_group(line: &str) -> bool {
    GROUPS.iter().any(|call| line.strip_prefix(call).is_some_and(|rest| rest.starts_with(['(', ' '])))
}

/// Returns the share of the asked information in a text.
fn share(asked: &[(String, f32)], said: &str) -> f32 {
    asked_share(asked, &terms(said).into_iter().collect()).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_declared_with_descriptions() {
        for (line, expected) in [
            ("it('opens the gate', () => {", Some("opens the gate")),
            ("describe \"a gate\" do", Some("a gate")),
            ("t.Run(\"closed gate\", func(t *testing.T) {", Some("closed gate")),
            ("test(`locks`, async t => {", Some("locks")),
            ("item('opens the gate')", None),
            ("it('doesn\\'t open', () => {", Some("doesn\\'t open")),
            ("it(name, f)", None),
            ("testing('x')", None),
        ] {
            assert_eq!(test_description(line), expected, "{line}");
        }
    }

    #[test]
    fn groups_are_no_tests() {
        for (line, expected) in [
            ("describe('gate', () => {", true),
            ("context \"closed\" do", true),
            ("it('opens', () => {", false),
            ("described('gate')", false),
        ] {
            assert_eq!(is_group(line), expected, "{line}");
        }
    }

    #[test]
    fn a_test_file_is_named_after_a_thing() {
        for (words, path, expected) in [
            ("gate file", "tests/test_gate.py", true),
            ("gate", "gate.test.ts", true),
            ("gate", "tests/test_gate_opener.py", false),
            ("gate opener", "tests/test_gate_opener.py", true),
            ("opener of the gate", "tests/test_gate.py", false),
            ("gate", "tests/test.py", false),
        ] {
            let asked: BTreeSet<String> = content_words(words).into_iter().flat_map(terms).collect();
            assert_eq!(is_test_of(path, &asked), expected, "{words}: {path}");
        }
    }

    #[test]
    fn a_description_has_a_share_of_what_is_asked() {
        let asked: Vec<(String, f32)> =
            [("gate", 1.0), ("lock", 1.0)].map(|(term, weight)| (term.to_owned(), weight)).into();
        assert_eq!(
            [share(&asked, "test/gate-lock.ts"), share(&asked, "opens gates"), share(&asked, "x")],
            [1.0, 0.5, 0.0]
        );
    }
}
