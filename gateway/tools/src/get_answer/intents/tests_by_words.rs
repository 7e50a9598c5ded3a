//! Tests of a thing that a question describes: those whose names and paths have its words.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use model::{ContentKind, Filter};
use proto::v1;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    events::terms,
    subject::Description,
    users,
    weighted_terms::Compounds,
};
use federation::{
    answer::Shortfalls,
    repo_idx::RepoIdx,
    symbol_matches::{DefinitionMatch, rank},
};

/// Maximum number of terms that are looked up.
const MAX_TERMS: usize = 5;

/// Minimum length of a term that tests are found by.
const MIN_TERM_CHARS: usize = 4;

/// Definitions of tests that are read for a term, and tests in the answer.
const MAX_ASKED: u32 = 200;
const MAX_LISTED: usize = 8;

/// A test by its place.
type TestKey = (RepoIdx, String, String);

/// Minimum number of telling terms in the name of a test that is about all of them.
const MIN_OF_TERMS: usize = 2;

/// Tests whose names have terms of a description.
pub(super) struct TestsByWords {
    pub(super) answer: IntentAnswer,
    /// True if the tests have only one of several telling terms, and so may be about something else.
    pub(super) is_partial: bool,
}

/// Answers with the tests whose names have most of the terms of a description; `None` if no test has one of the telling terms.
pub(super) async fn answer(context: IntentContext<'_, '_>, description: &Description) -> Option<TestsByWords> {
    let asked = match description.within.as_ref() {
        Some(module) => vec![module.repo_idx],
        None if description.named.is_empty() => context.plan.asked.clone(),
        None => description.named.iter().copied().collect(),
    };
    let plan = context.call.visible.plan_for(asked, false);
    // The tests of a folder may be in another one.
    let filter = Filter { content: Some(ContentKind::Test), ..Filter::default() };
    let mut found: BTreeMap<TestKey, (usize, DefinitionMatch)> = BTreeMap::new();
    let mut shortfalls = Shortfalls::default();
    let mut is_cut = false;
    let telling = telling_terms(description, &context.evidence.terms);
    let compounds = Compounds::of(&description.words.join(" "));
    let stems: Vec<&str> = telling.iter().map(|term| term.trim_end_matches('i')).collect();
    // The first term tells most. The others are looked up together, since a verb may be rarer than the thing.
    let first = telling.first()?;
    let patterns = [stems[..1].join("|"), stems[1..].join("|")];
    for pattern in patterns.iter().filter(|pattern| !pattern.is_empty()) {
        // The stem of a word that ends in `y` ends in `i`.
        let query = Some(v1::symbols_request::Query::Regex(format!("(?i)({pattern})")));
        let request =
            v1::SymbolsRequest { query, filter: Some((&filter).into()), limit: MAX_ASKED, ..Default::default() };
        let replies = context.call.symbols(&plan.without(&shortfalls), &request).await;
        shortfalls.extend(replies.shortfalls);
        let read = rank(&plan, replies.value);
        is_cut |= read.len() >= MAX_ASKED as usize;
        for test in read {
            let name = test.symbol.name.clone();
            let is_named = terms(&name).iter().any(|term| telling.contains(term));
            if is_named && users::is_runnable(&test.path, &name, &test.symbol.kind) {
                let n_terms = n_terms_at(&telling, &compounds, &name, &test.path);
                found.entry((test.repo_idx, test.path.clone(), name)).or_insert((n_terms, test));
            }
        }
    }
    let n_found = found.len();
    // No test has the term that tells most: then the next one that some test has.
    let is_of_any = |term: &&String| {
        let one = std::slice::from_ref(*term);
        found.keys().any(|(_, path, name)| n_terms_at(one, &compounds, name, path) > 0)
    };
    let first = telling.iter().find(is_of_any).unwrap_or(first);
    let has_first = |path: &str, name: &str| n_terms_at(std::slice::from_ref(first), &compounds, name, path) > 0;
    // A test without it needs two others.
    let n_without_first = MIN_OF_TERMS.min(telling.len());
    found.retain(|(_, path, name), (n_terms, _)| *n_terms >= n_without_first || has_first(path, name));
    if let Some(module) = &description.within {
        let is_of = |(_, path, name): &TestKey| is_of_place(&module.module.path, path, name);
        if found.keys().any(is_of) {
            found.retain(|key, _| is_of(key));
        }
    }
    let mut tests: Vec<(TestKey, (usize, DefinitionMatch))> = found.into_iter().collect();
    if tests.is_empty() {
        return None;
    }
    tests.sort_by_key(|(key, (n_terms, _))| (Reverse(*n_terms), key.clone()));
    let n_wanted = telling.len().min(MIN_OF_TERMS);
    let is_partial = !tests.iter().any(|(_, (n_terms, _))| *n_terms >= n_wanted);
    // A test with most of the words says more than those with fewer.
    let most = tests.first().map_or(0, |(_, (n_terms, _))| *n_terms);
    tests.retain(|(_, (n_terms, _))| *n_terms == most || (!is_partial && *n_terms > n_wanted));
    let is_most = telling.len() <= MIN_OF_TERMS || 2 * most >= telling.len();
    // The dropped ones have fewer words, and may be about the thing as well.
    is_cut |= tests.len() < n_found;
    let cite = |((repo_idx, path, name), (_, test)): &(TestKey, (usize, DefinitionMatch))| {
        let lines = test.symbol.lines.unwrap_or_default();
        let place = citation(context.plan, *repo_idx, path, (lines.start, lines.end));
        CitedText::cited(text::quote(&text::sanitise_name(name)), place)
    };
    let (noun, verb) = (counted(tests.len(), "test"), if tests.len() == 1 { "is" } else { "are" });
    let least = if is_cut { "at least " } else { "" };
    let described = text::quote(&description.words.join(" "));
    let lead = match is_partial {
        false => format!("By name and path, {least}{noun} {verb} about {described}: "),
        true => {
            let has = if tests.len() == 1 { "has" } else { "have" };
            let is_word = |word: &&String| terms(word).contains(first);
            let one = text::quote(description.words.iter().find(is_word).unwrap_or(first));
            format!(
                "No test was found whose name and path have more than one telling word of {described}; {least}{noun} {has} {one} alone: "
            )
        }
    };
    let said = CitedText::listed(&lead, tests.iter().map(cite).collect(), MAX_LISTED, ".");
    let note =
        "the answer is of names and paths of tests; search_codebase with kind=\"test\" finds tests by their text";
    let confidence = if is_partial || !is_most { Confidence::Low } else { Confidence::Medium };
    let answer = IntentAnswer::new(vec![said], confidence, note).with_shortfalls(shortfalls);
    Some(TestsByWords { answer, is_partial })
}

/// Returns the number of terms that the name and the path of a test have together: the tests of the retries of a client may lie in the
/// folder of the client.
fn n_terms_at(telling: &[String], compounds: &Compounds, name: &str, path: &str) -> usize {
    let said: BTreeSet<String> = terms(name).into_iter().chain(terms(path)).collect();
    let said = compounds.completed(said);
    telling.iter().filter(|term| said.contains(*term)).count()
}

/// Returns true for a test that lies in a folder, or has the name of that folder in its own name or path.
fn is_of_place(folder: &str, path: &str, name: &str) -> bool {
    let last = folder.rsplit('/').next().unwrap_or(folder);
    let said: BTreeSet<String> = terms(path).into_iter().chain(terms(name)).collect();
    terms(last).iter().all(|term| said.contains(term))
}

/// Returns the terms of a description that tell most, by their weights in the question; not those of the place.
fn telling_terms(description: &Description, weights: &[(String, f32)]) -> Vec<String> {
    let place: BTreeSet<String> = description.within.iter().flat_map(|module| terms(&module.module.path)).collect();
    let all: BTreeSet<String> = description.words.iter().flat_map(|word| terms(word)).collect();
    let weight = |term: &String| weights.iter().find(|(known, _)| known == term).map_or(0.0, |(_, weight)| *weight);
    let is_term = |term: &String| {
        term.len() >= MIN_TERM_CHARS && !place.contains(term) && term.chars().all(char::is_alphanumeric)
    };
    let mut telling: Vec<String> = all.into_iter().filter(is_term).collect();
    telling.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.cmp(b)));
    telling.truncate(MAX_TERMS);
    telling
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_a_folder_may_lie_beside_it() {
        for (path, name, expected) in [
            ("src/cli/retry_test.go", "TestRetry", true),
            ("tests/test_cli_retry.py", "test_retry", true),
            ("tests/test_retry.py", "test_cli_retry", true),
            ("tests/test_retry.py", "test_client", false),
        ] {
            assert_eq!(is_of_place("src/cli", path, name), expected, "{path}");
        }
    }

    #[test]
    fn the_folder_of_a_test_has_words_of_its_description() {
        let telling = ["retri", "tide", "gaug"].map(str::to_owned);
        let compounds = Compounds::of("retries of the tide gauge");
        for (name, path, expected) in [
            ("TestRetryOnLowWater", "src/tidegauge/retries_test.go", 3),
            ("TestRetryOnLowWater", "src/tide/gauge_test.go", 3),
            ("TestOpen", "src/tide/gauge_test.go", 2),
            ("TestRetry", "src/pier_test.go", 1),
        ] {
            assert_eq!(n_terms_at(&telling, &compounds, name, path), expected, "{name} {path}");
        }
    }

    #[test]
    fn the_rarest_terms_of_a_description_tell_most() {
        let words = ["burying", "a", "node", "zip"].map(str::to_owned).to_vec();
        let description = Description { named: BTreeSet::new(), within: None, words };
        let weights = [("node".to_owned(), 1.0), ("buri".to_owned(), 5.0)];
        assert_eq!(telling_terms(&description, &weights), ["buri", "node"]);
    }
}
