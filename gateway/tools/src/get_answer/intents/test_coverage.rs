//! Which tests cover a thing: the tests that reach it, and test files that mention it.

use model::FileClass;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    subject::{Subject, SubjectNode},
    users::{self, User},
};
use crate::arguments::suggested;
use federation::answer::Answer;

/// Depth of the walk from the definition to its tests.
const DEPTH: usize = 4;

/// Maximum number of listed tests, and of files that mention the name.
const MAX_TESTS: usize = 6;
const MAX_FILES: usize = 4;

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject) -> Option<IntentAnswer> {
    let Subject::Nodes(nodes) = subject else { return None };
    let Answer { value: users, shortfalls } = users::of_nodes(context, nodes, DEPTH).await;
    let (direct, indirect): (Vec<&User>, Vec<&User>) = users.tests.iter().partition(|test| test.hops <= 1);
    let plan = context.plan;
    let cite = |tests: &[&User]| tests.iter().map(|test| test.cited(plan)).collect::<Vec<_>>();
    let name = nodes[0].cited(plan);
    let mut sentences: Vec<CitedText> = Vec::new();
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
    let mentions = mentions(context, nodes, &users.tests);
    if sentences.is_empty() {
        sentences.push(CitedText {
            text: format!("No test that reaches {} is known.", name.text),
            citations: name.citations,
        });
        if !mentions.is_empty() {
            sentences.push(CitedText::listed("These test files mention it: ", mentions, MAX_FILES, "."));
        }
    }
    sentences.extend(users::missed_sentence(&users));
    let confidence = if users.tests.is_empty() { Confidence::Medium } else { users::confidence(nodes, &users) };
    let note = format!("get_impact {} lists every test", suggested("target", &nodes[0].id(plan)));
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// Returns the retrieved test files whose text has the name, without those of the listed tests.
fn mentions(context: IntentContext<'_, '_>, nodes: &[SubjectNode], tests: &[User]) -> Vec<CitedText> {
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
