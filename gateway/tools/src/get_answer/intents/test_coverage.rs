//! Tests of a thing: those that reach it, and test files that mention it.

use std::collections::BTreeSet;

use model::FileClass;
use proto::v1;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    subject::{Description, Subject, SubjectNode},
    test_commands, tests_by_text, tests_by_words,
    users::{self, DefinitionUser},
};
use crate::arguments::suggested;
use federation::{
    answer::Answer,
    repo_idx::RepoIdx,
    symbol_matches::{DefinitionMatch, rank},
};

/// Maximum number of listed tests, and of files that mention the name.
const MAX_TESTS: usize = 6;
pub(super) const MAX_FILES: usize = 4;

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject) -> Option<IntentAnswer> {
    let nodes = match subject {
        Subject::Nodes(nodes) => nodes,
        Subject::Repositories(named) => return test_commands::answer(context, named).await,
        Subject::Description(description) if description.words.is_empty() => return None,
        Subject::Description(description) => return of_description(context, description).await,
        // No test file lies in it.
        Subject::Module(module) => {
            let last = module.module.path.rsplit('/').next().unwrap_or_default();
            let words = ranking::analyser::words(last);
            let named = BTreeSet::from([module.repo_idx]);
            // Tests with one word may be about something else.
            let most = if words.len() > 1 { Confidence::High } else { Confidence::Low };
            let found = of_description(context, &Description { named, within: None, words }).await;
            return found.map(|found| IntentAnswer { confidence: found.confidence.at_most(most), ..found });
        }
    };
    let Answer { value: users, shortfalls } = users::of_nodes(context, nodes, users::TEST_DEPTH).await;
    let (direct, indirect): (Vec<&DefinitionUser>, Vec<&DefinitionUser>) =
        users.tests.iter().partition(|test| test.hops <= 1);
    let plan = context.plan;
    let cite = |tests: &[&DefinitionUser]| tests.iter().map(|test| test.cited(plan)).collect::<Vec<_>>();
    let name = nodes[0].cited(plan);
    let mut sentences: Vec<CitedText> = Vec::new();
    if direct.is_empty() && !indirect.is_empty() {
        sentences.push(CitedText::plain(format!("No test calls {} directly.", text::quote(&nodes[0].name()))));
    }
    if !direct.is_empty() {
        let verb = if direct.len() == 1 { "test uses" } else { "tests use" };
        let lead = format!("{} {verb} {} directly: ", direct.len(), text::quote(&nodes[0].name()));
        sentences.push(CitedText::listed(&lead, cite(&direct), MAX_TESTS, "."));
    }
    if !indirect.is_empty() {
        let (verb, it) = (
            if indirect.len() == 1 { "test reaches" } else { "tests reach" },
            if direct.is_empty() { name.text.as_str() } else { "it" },
        );
        let lead = format!("{} {verb} {it} through other code: ", indirect.len());
        let limit = if direct.is_empty() { MAX_TESTS } else { MAX_TESTS / 2 };
        sentences.push(CitedText::listed(&lead, cite(&indirect), limit, "."));
    }
    let namesakes = tests_named_after(context, nodes, &users.tests).await.after(shortfalls);
    let shortfalls = namesakes.shortfalls;
    let mentions = mentions(context, nodes, &users.tests);
    if sentences.is_empty() && !nodes.iter().any(SubjectNode::is_callable) {
        // Tests of an option set it by its name.
        let words = nodes.iter().take(1).filter_map(|node| Some(node.card.symbol.as_ref()?.name.clone())).collect();
        let named = nodes.iter().map(|node| node.at.repo_idx).collect();
        let by_words = of_description(context, &Description { named, within: None, words }).await;
        if by_words.is_some() {
            return by_words;
        }
    }
    if sentences.is_empty() && !users.test_helpers.is_empty() {
        let lead = format!("No test function that reaches {} is known, but other code of tests does: ", name.text);
        let helpers: Vec<&DefinitionUser> = users.test_helpers.iter().collect();
        sentences.push(CitedText::listed(&lead, cite(&helpers), MAX_TESTS, "."));
    } else if sentences.is_empty() {
        sentences.push(CitedText {
            text: format!("No test that reaches {} is known.", name.text),
            citations: name.citations,
        });
        if !mentions.is_empty() {
            sentences.push(CitedText::listed("These test files mention it: ", mentions, MAX_FILES, "."));
        } else if namesakes.value.is_empty() {
            sentences.extend(tests_of_its_words(context, nodes).await);
        }
    }
    if !namesakes.value.is_empty() {
        let by_name = CitedText::listed("By name, these tests are about it: ", namesakes.value, MAX_FILES, ".");
        // A test that is named after it tells more than one that passes it on its way.
        sentences.insert(usize::from(!direct.is_empty()).min(sentences.len()), by_name);
    }
    sentences.extend(users::missed_sentence(&users));
    let confidence = if users.tests.is_empty() { Confidence::Medium } else { users::confidence(nodes, &users) };
    let note = format!("get_impact {} lists every test", suggested("target", &nodes[0].id(plan)));
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// Returns what is said of the tests that the words of a name describe, if it has several: no known call reaches it, and a test may do so.
async fn tests_of_its_words(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Vec<CitedText> {
    let symbol = nodes.first().and_then(|node| node.card.symbol.as_ref());
    let words = symbol.map(|symbol| ranking::analyser::words(&symbol.name)).unwrap_or_default();
    if words.len() < 2 {
        return Vec::new();
    }
    let named = nodes.iter().map(|node| node.at.repo_idx).collect();
    let found = of_description(context, &Description { named, within: None, words }).await;
    // Tests with one of several words are about something else.
    let is_telling = |found: &IntentAnswer| found.confidence > Confidence::Low;
    found.filter(is_telling).map(|found| found.sentences).unwrap_or_default()
}

/// Answers with the tests of a description by their names, or else by their descriptions.
async fn of_description(context: IntentContext<'_, '_>, description: &Description) -> Option<IntentAnswer> {
    let file = tests_by_text::named_file(context, description);
    let by_words = tests_by_words::answer(context, description).await;
    // Tests with one of several words are worse than descriptions with most, and than the file of that name.
    let partial = match by_words {
        Some(found) if !found.is_partial => return Some(found.answer.after_sentence(file)),
        other => other.map(|found| found.answer),
    };
    let of_file = || {
        let note = "the answer is of the names of test files";
        file.map(|file| IntentAnswer::new(vec![file], Confidence::Medium, note))
    };
    tests_by_text::answer(context, description).await.or_else(of_file).or(partial)
}

/// Returns the functions of test files whose names contain that of a definition and that no known call joins with it.
pub(super) async fn tests_named_after(
    context: IntentContext<'_, '_>,
    nodes: &[SubjectNode],
    tests: &[DefinitionUser],
) -> Answer<Vec<CitedText>> {
    let name = nodes.first().and_then(|node| node.card.symbol.as_ref()).map(|symbol| symbol.name.clone());
    let Some(name) = name.filter(|name| name.len() >= MIN_NAME_CHARS) else { return Answer::complete(Vec::new()) };
    let repo_idxs: BTreeSet<RepoIdx> = nodes.iter().map(|node| node.at.repo_idx).collect();
    let plan = context.call.visible.plan_for(repo_idxs.into_iter().collect(), false);
    let query = Some(v1::symbols_request::Query::Name(name.clone()));
    let request = v1::SymbolsRequest { query, limit: MAX_ASKED, ..Default::default() };
    let replies = context.call.symbols(&plan, &request).await;
    let folded = |text: &str| text.replace('_', "").to_lowercase();
    let is_listed = |found: &DefinitionMatch| {
        tests.iter().take(MAX_TESTS).any(|test| test.path == found.path && test.at.node == found.symbol.node)
    };
    replies.map(|replies| {
        let found = rank(&plan, replies).into_iter().filter(|found| found.class == FileClass::Test);
        let found = found.filter(|found| folded(&found.symbol.name).contains(&folded(&name)) && !is_listed(found));
        let found = found.filter(|found| users::is_runnable(&found.path, &found.symbol.name, &found.symbol.kind));
        let cite = |found: DefinitionMatch| {
            let lines = found.symbol.lines.unwrap_or_default();
            let place = citation(context.plan, found.repo_idx, &found.path, (lines.start, lines.end));
            CitedText::cited(text::quote(&text::sanitise_name(&found.symbol.name)), place)
        };
        found.map(cite).collect()
    })
}

/// Minimum length of a name that tests may be named after: a short one is a part of many words.
const MIN_NAME_CHARS: usize = 8;

/// Maximum number of definitions of similar names to read.
const MAX_ASKED: u32 = 60;

/// Returns the retrieved test files whose text has the name, without those of the listed tests.
fn mentions(context: IntentContext<'_, '_>, nodes: &[SubjectNode], tests: &[DefinitionUser]) -> Vec<CitedText> {
    let names: Vec<&str> = nodes.iter().filter_map(|node| Some(node.card.symbol.as_ref()?.name.as_str())).collect();
    let is_listed = |path: &str| tests.iter().any(|test| test.path == path);
    let hits = context.evidence.hits.iter().filter(|hit| FileClass::from(hit.file.class()) == FileClass::Test);
    let hits = hits.filter(|hit| !is_listed(&hit.file.path));
    let mentioning =
        hits.filter(|hit| hit.places.iter().any(|place| names.iter().any(|name| place.source.contains(name))));
    let cite = |hit: &super::super::evidence::EvidenceHit| {
        let lines = hit.places.first().map_or((1, 1), |place| (place.lines.start, place.lines.end));
        CitedText::cited(text::quote(&hit.path()), citation(context.plan, hit.repo_idx, &hit.file.path, lines))
    };
    mentioning.map(cite).collect()
}
