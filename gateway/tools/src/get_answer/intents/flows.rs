//! Questions for the way in which something happens: the definition that does it with its telling lines, what it calls in order, and who
//! starts it.

use std::collections::BTreeSet;

use super::super::{
    answer_text,
    confidence::Confidence,
    gates::is_instruction,
    passage_retrieval::{self, FoundPassage},
    sentences::sentences,
    side_folders,
};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    errors,
    events::terms,
    flow_outline, flow_steps, links,
    subject::{self, Subject, SubjectNode},
    users,
};
use crate::{arguments::suggested, get_context::item::lines_of};
use federation::{answer::Answer, nodes::NodeRef};

/// Beginnings of questions for a flow.
const BEGINNINGS: [&str; 25] = [
    "how does ",
    "how do ",
    "how is ",
    "how are ",
    "how did ",
    "how can a ",
    "how would ",
    "how will ",
    "how was ",
    "how were ",
    "what happens ",
    "what will happen ",
    "what would happen ",
    "what becomes of ",
    "what does it do ",
    "what is done ",
    "what goes on in",
    "what goes on between ",
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

/// Minimum share of the asked information in a definition: to be shown, and to be trusted.
const MIN_SHARE: f32 = 0.3;
const SURE_SHARE: f32 = 0.75;

/// Maximum number of further definitions that match nearly as well.
const MAX_OTHERS: usize = 2;

/// Returns true if a question asks for a flow.
pub(in super::super) fn asks(question: &str) -> bool {
    let lower = question.trim_start().to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    begins(&BEGINNINGS) && !begins(&OF_PERSONS)
}

/// Answers a question for a flow; `None` if no definition has enough of what is asked.
pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    question: &str,
    has_sides: bool,
    passages: &[FoundPassage],
) -> Option<IntentAnswer> {
    if let Some([from, to]) = ends(question)
        && let Some(found) = call_chain(context, from, to).await
    {
        return Some(found);
    }
    // The sides of a relation are two things; those of a span are its beginning and its end.
    if has_sides && !asks_for_span(question) { None } else { of_best_match(context, question, passages).await }
}

/// Returns true if a question asks for the way in which something works, and not for what comes of an event.
pub(super) fn asks_for_way(question: &str) -> bool {
    let lower = question.trim_start().to_lowercase();
    ["how do", "how is ", "how are ", "how was ", "how were ", "how would ", "how will "]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// Returns true if a question asks for what happens between two points in time.
fn asks_for_span(question: &str) -> bool {
    const SPANS: [&str; 4] =
        ["what happens between ", "what steps happen between ", "what steps are between ", "what goes on between "];
    let lower = question.trim_start().to_lowercase();
    SPANS.iter().any(|start| lower.starts_with(start))
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
async fn call_chain(context: IntentContext<'_, '_>, from: &str, to: &str) -> Option<IntentAnswer> {
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
            Some(vec![describe_node(context, member).await?])
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

pub(super) async fn describe_node(context: IntentContext<'_, '_>, at: NodeRef) -> Option<SubjectNode> {
    let plan = context.call.visible.plan_for(vec![at.repo_idx], false);
    let mut cards = context.call.describe(&plan, &BTreeSet::from([at])).await.value;
    Some(SubjectNode { at, card: cards.remove(&at)? })
}

/// Answers with the flow of functions that a question names: what each is for, and its calls in order. Examples give way to the product.
pub(super) async fn of_named(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    let is_product = |node: &&SubjectNode| !side_folders::is_in_side_folder(node.path());
    let product: Vec<&SubjectNode> = nodes.iter().filter(is_product).collect();
    let meant = if product.is_empty() { nodes.iter().collect() } else { product };
    let [node] = meant.as_slice() else { return None };
    let outlined = flow_outline::outline(context, node).await;
    if outlined.value.is_empty() {
        return None;
    }
    let lines = lines_of(&node.card);
    let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
    let is_same_name = |name: &str| node.card.symbol.as_ref().is_some_and(|symbol| symbol.name == name);
    let namesakes = context.evidence.ambiguous.iter().filter(|(name, _)| is_same_name(name));
    let namesakes = namesakes.map(answer_text::ambiguity).map(CitedText::plain);
    let doc = node.card.symbol.as_ref().map(|symbol| sentences(&text::clean(&symbol.doc))).unwrap_or_default();
    let doc = doc.into_iter().find(|one| !is_instruction(one));
    let first = doc.map(|doc| CitedText::cited(answer_text::quotation(Some(&node.name()), &doc), place));
    let all: Vec<CitedText> = namesakes.chain(first).chain(outlined.value).collect();
    let note = format!("get_context {} has its neighbours with code", suggested("entity", &node.id(context.plan)));
    Some(IntentAnswer::new(all, Confidence::Medium, note).with_shortfalls(outlined.shortfalls))
}

/// Returns the quoted lines of code without those that only have a comment.
fn without_comments(code: &str) -> String {
    let is_code = |line: &&str| {
        let quoted = line.split_once(": ").map_or("", |(_, rest)| rest.trim_start_matches([' ', '`']));
        // `#define`, `#connect() {` and `#[inline]` are code.
        !["//", "# ", "#`", "#!", "/*", "* "].iter().any(|mark| quoted.starts_with(mark)) || quoted.starts_with("#![")
    };
    code.lines().filter(is_code).collect::<Vec<&str>>().join("\n")
}

/// Maximum number of tokens of an answer to which the callers, and other definitions, are added.
const MAX_TOKENS: usize = 200;

/// Minimum share of what is asked in the comment of an error that stands for the event.
const MIN_ERROR_SHARE: f32 = 0.5;

/// Answers with the error whose comment describes the event best, and with what its first user does; `None` if another definition matches
/// best, or no function uses it.
async fn of_error(context: IntentContext<'_, '_>, close: &[FoundPassage]) -> Answer<Option<IntentAnswer>> {
    let best = close.first().filter(|best| best.share >= MIN_ERROR_SHARE && !best.has_body());
    let Some(best) = best else { return Answer::complete(None) };
    let node = describe_node(context, NodeRef { repo_idx: best.repo_idx, node: best.symbol.node }).await;
    let is_error = |node: &SubjectNode| !node.is_callable() && errors::has_error_name(node);
    let Some(node) = node.filter(is_error) else { return Answer::complete(None) };
    let nodes = [node];
    let Answer { value: users, mut shortfalls } = users::of_nodes(context, &nodes, 1).await;
    let said = users::direct_sentences(context.plan, &nodes, &users);
    let user = match users.direct.first() {
        Some(first) => describe_node(context, first.at).await.filter(SubjectNode::is_callable),
        None => None,
    };
    let Some(user) = user else { return Answer { value: None, shortfalls } };
    let outlined = flow_outline::outline(context, &user).await;
    shortfalls.extend(outlined.shortfalls);
    let lead = CitedText { text: best.sentence(context.plan), citations: vec![best.citation(context.plan)] };
    let sentences: Vec<CitedText> =
        std::iter::once(lead).chain(said.into_iter().take(1)).chain(outlined.value).collect();
    let note = format!("get_impact {} lists every use", suggested("target", &nodes[0].id(context.plan)));
    let is_told = sentences.len() > 1;
    let told = |shortfalls| IntentAnswer::new(sentences, Confidence::Low, note).with_shortfalls(shortfalls);
    match is_told {
        true => Answer::complete(Some(told(shortfalls))),
        false => Answer { value: None, shortfalls },
    }
}

/// Answers with the best passage whose definition runs, its calls in order and its callers.
async fn of_best_match(
    context: IntentContext<'_, '_>,
    question: &str,
    passages: &[FoundPassage],
) -> Option<IntentAnswer> {
    let close = passage_retrieval::close_passages(passages);
    let Answer { value: of_error, mut shortfalls } = of_error(context, close).await;
    if of_error.is_some() {
        return of_error;
    }
    let is_enough = |passage: &&FoundPassage| passage.has_body() && passage.share >= MIN_SHARE;
    // A function that sets or reads a value does nothing with it.
    let does = |passage: &&FoundPassage| is_enough(passage) && !passage.is_accessor();
    // One that only hands on tells least.
    let tells = |passage: &&FoundPassage| does(passage) && !passage.is_short();
    let best = close.iter().find(tells).or_else(|| close.iter().find(does)).or_else(|| close.iter().find(is_enough))?;
    let node = describe_node(context, NodeRef { repo_idx: best.repo_idx, node: best.symbol.node }).await?;
    let namesakes = context.evidence.ambiguous.iter().filter(|(name, _)| *name == best.symbol.name);
    let mut sentences: Vec<CitedText> = namesakes.map(answer_text::ambiguity).map(CitedText::plain).collect();
    let citations = vec![best.citation(context.plan)];
    sentences.push(CitedText { text: best.sentence(context.plan), citations });
    // A definition that is meant by its name and comment is told by its steps, and another one by the lines that match.
    let outlined = match best.share >= SURE_SHARE && asks_for_way(question) {
        true => flow_outline::outline(context, &node).await,
        false => Answer::complete(Vec::new()),
    };
    shortfalls.extend(outlined.shortfalls);
    let is_outlined = outlined.value.len() > 1;
    let n_steps = if is_outlined {
        sentences.extend(outlined.value);
        1
    } else {
        let code = without_comments(&best.code);
        sentences.extend((!code.is_empty()).then(|| CitedText::plain(code)));
        let steps = flow_steps::steps(context, &node).await;
        shortfalls.extend(steps.shortfalls);
        let n_steps = steps.value.len();
        sentences.extend(steps.value);
        n_steps
    };
    // A step that has most of what is asked says more than other definitions.
    let max_others = if n_steps > 1 { 1 } else { MAX_OTHERS };
    let nodes = [node];
    let n_tokens =
        |sentences: &[CitedText]| sentences.iter().map(|one| text::estimate_tokens(&one.text)).sum::<usize>();
    if n_tokens(&sentences) < MAX_TOKENS {
        let users = users::of_nodes(context, &nodes, 1).await;
        shortfalls.extend(users.shortfalls);
        sentences.extend(users::direct_sentences(context.plan, &nodes, &users.value).into_iter().take(1));
    }
    let is_other = |passage: &&FoundPassage| passage.symbol.node != best.symbol.node || passage.path != best.path;
    let other = |passage: &FoundPassage| CitedText {
        text: passage.sentence(context.plan),
        citations: vec![passage.citation(context.plan)],
    };
    let max_others = if n_tokens(&sentences) < MAX_TOKENS { max_others } else { 0 };
    sentences.extend(close.iter().filter(is_other).take(max_others).map(other));
    let note = format!(
        "the answer is of the definitions that match best; get_context {} has its neighbours with code",
        suggested("entity", &nodes[0].id(context.plan))
    );
    let confidence = if best.share >= SURE_SHARE { Confidence::Medium } else { Confidence::Low };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_asked_for_by_their_beginnings() {
        for (question, expected) in [
            ("How does it decide that a lease is free?", true),
            ("what happens to a lease that nobody renews?", true),
            ("What does it do once all leases are taken?", true),
            ("what becomes of a lease whose owner is gone", true),
            ("what does it document?", false),
            ("how do I renew a lease", false),
            ("who renews a lease", false),
        ] {
            assert_eq!(asks(question), expected, "{question}");
        }
    }

    #[test]
    fn lines_with_only_a_comment_are_left_out() {
        let directives = "4: `#ifdef MOOR`\n5: `#define PIERS 2`\n6: `#connect() {`\n7: `#![no_std]`";
        assert_eq!(without_comments(directives), directives);
        assert_eq!(without_comments("4: `#`\n5: `# moors it`\n6: `#!/bin/sh`\n7: `moor`"), "7: `moor`");
        let code = "4: `finally:`\n5:   `# moors it`\n6:   `#[inline]`\n7:   `// moors it`\n8:   `moor(\"//\")`";
        assert_eq!(without_comments(code), "4: `finally:`\n6:   `#[inline]`\n8:   `moor(\"//\")`");
    }

    #[test]
    fn a_span_of_time_has_no_two_sides() {
        for (question, expected) in [
            ("What happens between opening a dock and renewing its lease?", true),
            ("How does it choose between opening a dock and renewing its lease?", false),
            ("What is the difference between a dock and a lease?", false),
        ] {
            assert_eq!(asks_for_span(question), expected, "{question}");
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
}
