//! Questions for the way in which something happens: the definition that does it, what it calls in order, and who starts it.

use std::collections::BTreeSet;

use model::FileClass;

use super::super::{confidence::Confidence, evidence::EvidencePlace};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    dependencies::{callees, callees_in_order},
    events::terms,
    links, purpose,
    quantities::asked_terms,
    subject::{self, Subject, SubjectNode},
    users,
};
use crate::{arguments::suggested, get_context::item::lines_of};
use federation::{answer::Shortfalls, nodes::NodeRef, repo_idx::RepoIdx};

/// Beginnings of questions for a flow.
const BEGINNINGS: [&str; 14] = [
    "how does ",
    "how do ",
    "how is ",
    "how are ",
    "how did ",
    "how can a ",
    "what happens ",
    "what steps ",
    "what is the flow ",
    "walk me through ",
    "walk through ",
    "explain how ",
    "describe how ",
    "trace ",
];

/// Beginnings that ask how a person uses something.
const OF_PERSONS: [&str; 4] = ["how do i ", "how do we ", "how do you ", "how do people "];

/// Words between the two ends of a flow.
const BETWEEN: [&str; 9] = [
    " end up in ",
    " end up ",
    " ends up ",
    " get to ",
    " gets to ",
    " reach ",
    " reaches ",
    " lead to ",
    " make it to ",
];

/// Factor by which each rank of a definition is worth less than the one before, as in an extractive answer.
const RANK_DECAY: f32 = 0.25;

/// Weight of the words of a question beside the rank of a definition, and factor of those in its comment alone.
const WORDS_WEIGHT: f32 = 1.6;
const OF_COMMENT: f32 = 0.6;

/// Cost of a definition without a comment, such as a method of an interface.
const SILENCE: f32 = 0.6;

/// Minimum share of the asked information in a definition: to be shown, and to be trusted.
const MIN_SHARE: f32 = 0.4;
const SURE_SHARE: f32 = 0.65;

/// Minimum share of the asked information in a callee whose own calls are shown.
const MIN_SHARE_OF_CALLEE: f32 = 0.3;

/// Returns true if a question asks for a flow.
pub(super) fn asks(question: &str) -> bool {
    let lower = question.trim_start().to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    begins(&BEGINNINGS) && !begins(&OF_PERSONS)
}

/// Answers a question for a flow; `None` if no definition has enough of what is asked.
pub(super) async fn answer(context: IntentContext<'_, '_>, question: &str, has_sides: bool) -> Option<IntentAnswer> {
    if let Some([from, to]) = ends(question)
        && let Some(found) = between(context, from, to).await
    {
        return Some(found);
    }
    if has_sides { None } else { of_best_match(context, question).await }
}

/// Returns the two ends of a flow that a question names: `from A to B`, or `how does A reach B`.
fn ends(question: &str) -> Option<[&str; 2]> {
    let lower = question.to_ascii_lowercase();
    let bare = |text: &'_ str| text.len();
    let end = question.trim_end_matches(['?', '.', ' ']).len();
    if let Some(from) = lower.find(" from ")
        && let Some(to) = lower[from + 6..].find(" to ").map(|at| at + from + 6)
        && bare(&lower[from + 6..to]) > 0
        && to + 4 < end
    {
        return Some([&question[from + 6..to], &question[to + 4..end]]);
    }
    let start = BEGINNINGS.iter().find(|start| lower.trim_start().starts_with(**start))?.len();
    let (at, word) = BETWEEN.iter().find_map(|word| lower.find(word).map(|at| (at, word)))?;
    let to = at + word.len();
    (start < at && to < end).then(|| [&question[start..at], &question[to..end]])
}

/// Answers with the chain of calls from one end to the other.
async fn between(context: IntentContext<'_, '_>, from: &str, to: &str) -> Option<IntentAnswer> {
    let (one, other) = (end_of_flow(context, from).await?, end_of_flow(context, to).await?);
    let is_same = one.iter().any(|node| other.iter().any(|target| target.at == node.at));
    if is_same {
        return None;
    }
    let found = links::of_nodes(context, &one, &other).await?;
    // A statement that there is no chain is none about a flow.
    (!found.sentences.is_empty() && found.sentences[0].text.contains(" -> ")).then_some(found)
}

/// Returns the definitions at an end of a flow, if it names them.
async fn end_of_flow(context: IntentContext<'_, '_>, written: &str) -> Option<Vec<SubjectNode>> {
    let found = subject::resolve(context, written).await.value;
    match found {
        Subject::Nodes(nodes) if nodes.iter().all(SubjectNode::is_callable) => Some(nodes),
        Subject::Nodes(nodes) => {
            let member = member_at(context, &nodes, written)?;
            Some(vec![described(context, member).await?])
        }
        // A chain between guessed ends would be certain about nothing.
        _ => None,
    }
}

/// Returns the member of a type that the words at an end of a flow mean: the borrowing from a pool is `Pool.borrow`. A chain to the
/// type itself ends at its constructor, which says nothing about the flow.
fn member_at(context: IntentContext<'_, '_>, types: &[SubjectNode], written: &str) -> Option<NodeRef> {
    let said: BTreeSet<String> =
        written.split(' ').filter(|word| !ranking::query::is_identifier(word)).flat_map(terms).collect();
    let names: Vec<String> = types.iter().filter_map(|node| Some(node.card.symbol.as_ref()?.name.clone())).collect();
    let places = context.evidence.hits.iter().flat_map(|hit| hit.places.iter().map(move |place| (hit.repo_idx, place)));
    let members = places.filter_map(|(repo_idx, place)| {
        let symbol = place.symbol.as_ref()?;
        let is_of = names.iter().any(|name| symbol.container.rsplit(['.', ':']).next() == Some(name));
        let is_callable = matches!(symbol.kind.as_str(), "function" | "method");
        let is_said = terms(&symbol.name).iter().any(|term| said.contains(term));
        (is_of && is_callable && is_said).then_some(NodeRef { repo_idx, node: symbol.node })
    });
    members.into_iter().next()
}

/// A definition among the hits with what it has of a question.
struct FlowMatch {
    at: NodeRef,
    share: f32,
}

/// Returns the callable definition that has most of what is asked.
fn best_match(context: IntentContext<'_, '_>, asked: &[(String, f32)]) -> Option<FlowMatch> {
    let quoted = &context.evidence.quoted;
    let hits = context.evidence.hits.iter().filter(|hit| quoted.is_empty() || quoted.contains(&hit.repo_idx));
    let is_product = |class: FileClass| !matches!(class, FileClass::Test | FileClass::Docs);
    let places = hits
        .filter(|hit| is_product(FileClass::from(hit.file.class())))
        .flat_map(|hit| hit.places.iter().map(move |place| (hit, place)));
    let scored = places.filter_map(|(hit, place)| {
        let symbol = place.symbol.as_ref()?;
        let is_callable = matches!(symbol.kind.as_str(), "function" | "method" | "constructor" | "rpc");
        let share = share(asked, place, &hit.file.path);
        let is_enough = is_callable && share >= MIN_SHARE;
        let silence = if place.doc().is_empty() { SILENCE } else { 0.0 };
        let score = 1.0 / (1.0 + RANK_DECAY * place.rank as f32) + WORDS_WEIGHT * share - silence;
        is_enough.then_some((score, FlowMatch { at: NodeRef { repo_idx: hit.repo_idx, node: symbol.node }, share }))
    });
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, found)| found)
}

/// Returns the share of the asked information in the name, the path and the comment of a definition.
fn share(asked: &[(String, f32)], place: &EvidencePlace, path: &str) -> f32 {
    let name: BTreeSet<String> = terms(&format!("{} {path}", place.name().unwrap_or_default())).into_iter().collect();
    let doc: BTreeSet<String> = terms(&text::first_sentence(&place.doc())).into_iter().collect();
    share_of(asked, &name, &doc)
}

fn share_of(asked: &[(String, f32)], name: &BTreeSet<String>, doc: &BTreeSet<String>) -> f32 {
    let total: f32 = asked.iter().map(|(_, weight)| weight).sum();
    let of_term = |(term, weight): &(String, f32)| match (name.contains(term), doc.contains(term)) {
        (true, _) => *weight,
        (false, true) => OF_COMMENT * weight,
        (false, false) => 0.0,
    };
    asked.iter().map(of_term).sum::<f32>() / total.max(f32::MIN_POSITIVE)
}

async fn described(context: IntentContext<'_, '_>, at: NodeRef) -> Option<SubjectNode> {
    let plan = context.call.visible.plan_for(vec![at.repo_idx], false);
    let mut cards = context.call.describe(&plan, &BTreeSet::from([at])).await.value;
    Some(SubjectNode { at, card: cards.remove(&at)? })
}

/// Answers with the best match, its calls in order, those of the callee that has most of what is asked, and its callers.
async fn of_best_match(context: IntentContext<'_, '_>, question: &str) -> Option<IntentAnswer> {
    let asked = asked_terms(context, question, &BTreeSet::new());
    let best = best_match(context, &asked)?;
    let node = described(context, best.at).await?;
    let lines = lines_of(&node.card);
    let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
    let name = text::quote(&node.name());
    let said = purpose::signature_and_doc(&node);
    let mut sentences = vec![CitedText::cited(format!("The best match is {name}"), place).then(&format!(": {said}"))];
    let mut shortfalls = Shortfalls::default();
    let steps = callees_in_order(context, &node).await;
    shortfalls.extend(steps.shortfalls);
    sentences.extend(steps.value);
    let called = callees(context, &node).await;
    shortfalls.extend(called.shortfalls);
    if let Some(next) = telling_callee(&called.value, &asked, node.at.repo_idx) {
        let doc =
            next.card.symbol.as_ref().map(|symbol| text::first_sentence(&symbol.doc)).filter(|doc| !doc.is_empty());
        let cited = next.cited(context.plan);
        sentences.extend(doc.map(|doc| CitedText { text: format!("{}: {}", cited.text, text::quote(&doc)), ..cited }));
        let steps = callees_in_order(context, next).await;
        shortfalls.extend(steps.shortfalls);
        sentences.extend(steps.value);
    }
    let nodes = [node];
    let users = users::of_nodes(context, &nodes, 1).await;
    shortfalls.extend(users.shortfalls);
    sentences.extend(users::direct_sentences(context.plan, &nodes, &users.value).into_iter().take(1));
    let note = format!(
        "the answer is of the definition that matches best; get_context {} has its neighbours with code",
        suggested("entity", &nodes[0].id(context.plan))
    );
    let confidence = if best.share >= SURE_SHARE { Confidence::Medium } else { Confidence::Low };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// Returns the callee of the same repository whose name and comment have most of what is asked.
fn telling_callee<'c>(
    called: &'c [(u32, SubjectNode)],
    asked: &[(String, f32)],
    repo_idx: RepoIdx,
) -> Option<&'c SubjectNode> {
    let own = called.iter().map(|(_, node)| node).filter(|node| node.at.repo_idx == repo_idx && node.is_callable());
    let scored = own.filter_map(|node| {
        let symbol = node.card.symbol.as_ref()?;
        let name: BTreeSet<String> = terms(&node.name()).into_iter().collect();
        let doc: BTreeSet<String> = terms(&text::first_sentence(&symbol.doc)).into_iter().collect();
        Some((share_of(asked, &name, &doc), node)).filter(|(share, _)| *share >= MIN_SHARE_OF_CALLEE)
    });
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, node)| node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_asked_for_by_their_beginnings() {
        for (question, expected) in [
            ("How does it decide that a lease is free?", true),
            ("what happens to a lease that nobody renews?", true),
            ("how do I renew a lease", false),
            ("who renews a lease", false),
        ] {
            assert_eq!(asks(question), expected, "{question}");
        }
    }

    #[test]
    fn the_ends_of_a_flow_are_named() {
        for (question, expected) in [
            (
                "How does a lease get from Dock.open to the table that has it?",
                Some(["Dock.open", "the table that has it"]),
            ),
            ("how does opening a dock end up renewing the lease?", Some(["opening a dock", "renewing the lease"])),
            ("how does the dock open?", None),
            ("how does a lease come from there?", None),
        ] {
            assert_eq!(ends(question), expected, "{question}");
        }
    }

    #[test]
    fn words_of_a_name_count_more_than_those_of_a_comment() {
        let asked: Vec<(String, f32)> =
            [("leas", 1.0), ("free", 1.0)].map(|(term, weight)| (term.to_owned(), weight)).into();
        let of = |text: &str| terms(text).into_iter().collect::<BTreeSet<String>>();
        assert_eq!(share_of(&asked, &of("is_lease_free"), &of("")), 1.0);
        assert_eq!(share_of(&asked, &of("is_lease"), &of("True if free")), 0.8);
        assert_eq!(share_of(&asked, &of("open"), &of("Opens it")), 0.0);
    }
}
