//! How two things are linked: two repositories by their contracts, two definitions by the shortest chain of calls.

use std::collections::BTreeSet;

use super::super::{
    confidence::Confidence,
    link_answer::{self, LinkOutcome},
};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    module_links,
    subject::{self, Subject, SubjectNode, name_of},
    type_relations,
};
use crate::{
    arguments::suggested,
    get_context::{context::base_plan, item::path_of},
};
use federation::{
    answer::Answer,
    nodes::NodeRef,
    repo_idx::RepoIdx,
    walk::chain::{ChainSearch, chain},
};

/// Maximum number of calls of a chain in the answer.
const MAX_STEPS: usize = 10;

pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    [one, other]: [&str; 2],
    question: &str,
) -> Option<IntentAnswer> {
    let one = subject::resolve(context, one).await;
    let other = subject::resolve(context, other).await.after(one.shortfalls);
    let answered = match (&one.value, &other.value) {
        (Subject::Repositories(one), Subject::Repositories(other)) if module_links::asks_for_parts(question) => {
            module_links::parts(context, one, other).or_else(|| of_repositories(context, one, other))
        }
        (Subject::Repositories(one), Subject::Repositories(other)) => {
            let answered = of_repositories(context, one, other);
            let against = match direction(question) {
                Some(true) => against(context, one, other),
                Some(false) => against(context, other, one),
                None => None,
            };
            answered.map(|answered| answered.after_sentence(against))
        }
        (Subject::Nodes(one), Subject::Nodes(other)) => {
            let Answer { value: inherited, shortfalls: inherited_shortfalls } =
                type_relations::sentence(context, [one, other]).await;
            let called = of_nodes(context, one, other).await;
            match (inherited, called) {
                (Some(inherited), Some(called)) => {
                    // Calls between a type and its base say less, and their absence nothing.
                    let told: Vec<CitedText> =
                        called.sentences.iter().filter(|one| !one.citations.is_empty()).cloned().collect();
                    // Calls may be inferred.
                    let confidence = if told.is_empty() { Confidence::High } else { called.confidence };
                    let sentences = std::iter::once(inherited).chain(told).collect();
                    let answer = IntentAnswer { sentences, confidence, ..called };
                    Some(answer.with_shortfalls(inherited_shortfalls))
                }
                (_, called) => called.map(|called| called.with_shortfalls(inherited_shortfalls)),
            }
        }
        (one, other) => module_links::answer(context, [one, other]),
    };
    answered.map(|answer| answer.with_shortfalls(other.shortfalls))
}

/// Returns true for a question whether the first thing uses the second, false if it asks for the opposite, and `None` for others.
fn direction(question: &str) -> Option<bool> {
    let lower = question.trim_start().to_lowercase();
    let is_passive = [" by ", " from ", " in "].iter().any(|word| lower.contains(word));
    match lower.split(' ').next() {
        Some("does" | "do" | "can") => Some(true),
        Some("is" | "are") if is_passive => Some(false),
        _ => None,
    }
}

/// Returns the sentence that no use of a repository by another one is known, if there are only links the other way round.
fn against(
    context: IntentContext<'_, '_>,
    user: &BTreeSet<RepoIdx>,
    provider: &BTreeSet<RepoIdx>,
) -> Option<CitedText> {
    let facts = super::super::links::facts(context.call, context.overlay);
    let is_link = |from: &BTreeSet<RepoIdx>, to: &BTreeSet<RepoIdx>| {
        facts.iter().any(|fact| from.contains(&fact.dependent()) && to.contains(&fact.provider))
    };
    let alias = |side: &BTreeSet<RepoIdx>| {
        side.iter().map(|repo_idx| text::quote(context.plan.alias(*repo_idx))).collect::<Vec<_>>().join(", ")
    };
    (!is_link(user, provider) && is_link(provider, user)).then(|| {
        CitedText::plain(format!(
            "No use of {} in {} is known; it is the other way round.",
            alias(provider),
            alias(user)
        ))
    })
}

fn of_repositories(
    context: IntentContext<'_, '_>,
    one: &BTreeSet<RepoIdx>,
    other: &BTreeSet<RepoIdx>,
) -> Option<IntentAnswer> {
    if !one.is_disjoint(other) {
        return None;
    }
    match link_answer::outcome_between(context.call, context.plan, context.overlay, [one, other]) {
        LinkOutcome::Linked(found) => Some(IntentAnswer::of_links(found)),
        LinkOutcome::Unlinked(nothing, may_miss) => {
            let sentences = std::iter::once(CitedText::plain(nothing)).chain(common(context, one, other)).collect();
            let note = "get_overview repo=\"all\" has every link";
            Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_may_miss(may_miss))
        }
        LinkOutcome::NotAboutLinks => None,
    }
}

/// Returns a sentence about the repositories that are linked with both.
fn common(context: IntentContext<'_, '_>, one: &BTreeSet<RepoIdx>, other: &BTreeSet<RepoIdx>) -> Option<CitedText> {
    let facts = super::super::links::facts(context.call, context.overlay);
    let linked = |side: &BTreeSet<RepoIdx>| -> BTreeSet<RepoIdx> {
        let ends =
            facts.iter().map(|fact| (fact.dependent(), fact.provider)).filter(|(user, provider)| user != provider);
        ends.filter(|(_, provider)| side.contains(provider)).map(|(user, _)| user).collect()
    };
    let both: BTreeSet<RepoIdx> = linked(one).intersection(&linked(other)).copied().collect();
    let items = both.iter().map(|repo_idx| CitedText::plain(text::quote(context.plan.alias(*repo_idx)))).collect();
    let verb = if both.len() == 1 { " uses both." } else { " use both." };
    (!both.is_empty()).then(|| CitedText::listed("", items, MAX_STEPS, verb))
}

pub(super) async fn of_nodes(
    context: IntentContext<'_, '_>,
    from: &[SubjectNode],
    to: &[SubjectNode],
) -> Option<IntentAnswer> {
    let IntentContext { call, overlay, scope, .. } = context;
    let nodes = |side: &[SubjectNode]| side.iter().map(|node| node.at).collect::<BTreeSet<NodeRef>>();
    let repo_idxs: Vec<RepoIdx> = from.iter().chain(to).map(|node| node.at.repo_idx).collect();
    let (plan, enter) = base_plan(call, scope, overlay, &repo_idxs, []);
    let (one, other) = (nodes(from), nodes(to));
    let found = chain(call, &plan, overlay, (&one, &other), &enter, true).await;
    let (found, is_reversed) = match found {
        Answer { value: ChainSearch::None { .. }, shortfalls } => (
            chain(call, &plan.without(&shortfalls), overlay, (&other, &one), &enter, true).await.after(shortfalls),
            true,
        ),
        found => (found, false),
    };
    let (first, last) = if is_reversed { (&to[0], &from[0]) } else { (&from[0], &to[0]) };
    let note = format!(
        "get_context with mode=\"path\", {} and {} shows the code of each call",
        suggested("from", &first.id(&plan)),
        suggested("to", &last.id(&plan))
    );
    let (from_name, to_name) = (text::quote(&from[0].name()), text::quote(&to[0].name()));
    let ChainSearch::Chain { start, edges } = found.value else {
        let sentence = format!(
            "No chain of calls between {from_name} and {to_name} is known, in either direction; calls through values of unknown type may hide one."
        );
        return Some(
            IntentAnswer::new(vec![CitedText::plain(sentence)], Confidence::Medium, note)
                .with_shortfalls(found.shortfalls),
        );
    };
    let ends: BTreeSet<NodeRef> =
        std::iter::once(start).chain(edges.iter().flat_map(|edge| [edge.from, edge.to])).collect();
    let cards = call.describe(&plan.without(&found.shortfalls), &ends).await.after(found.shortfalls);
    let name = |at: &NodeRef| {
        cards.value.get(at).map_or_else(|| "an unknown definition".to_owned(), |card| text::quote(&name_of(card)))
    };
    let step = |edge: &federation::walk::WalkEdge| {
        let path = cards.value.get(&edge.from).map(path_of).unwrap_or_default();
        let place = citation(context.plan, edge.from.repo_idx, path, (edge.line, edge.line));
        CitedText::cited(name(&edge.to), place)
    };
    let n_calls = edges.len();
    let reversed = if is_reversed {
        format!("{from_name} does not call {to_name}, but the other way round: ")
    } else {
        String::new()
    };
    let lead = format!(
        "{reversed}{} reaches {} in {}: {} -> ",
        name(&start),
        text::quote(&last.name()),
        super::cited_text::counted(n_calls, "call"),
        name(&start)
    );
    let steps = CitedText::join(edges.iter().take(MAX_STEPS).map(step), " -> ");
    let sentence = CitedText { text: format!("{lead}{}.", steps.text), citations: steps.citations };
    let confidence = if edges.iter().all(|edge| !edge.is_inferred()) { Confidence::High } else { Confidence::Medium };
    Some(IntentAnswer::new(vec![sentence], confidence, note).with_shortfalls(cards.shortfalls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_a_direction() {
        for (question, expected) in [
            ("does flask use httpx?", Some(true)),
            ("Is httpcore used by httpx", Some(false)),
            ("are a and b connected", None),
            ("how does a talk to b", None),
        ] {
            assert_eq!(direction(question), expected, "{question}");
        }
    }
}
