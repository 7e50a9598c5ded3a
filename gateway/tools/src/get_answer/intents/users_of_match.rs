//! Questions for the things that do something: "which gates compute their number from the name of the dock" asks for the callers of the function
//! that does it.

use super::super::{
    best_location,
    confidence::Confidence,
    passage_retrieval::{self, FoundPassage},
};
use super::{
    IntentAnswer, IntentContext, cited_text::CitedText, flows::describe_node, routing::asks_for_packages, users,
};
use crate::arguments::suggested;
use federation::nodes::NodeRef;

/// Minimum share of the question in the function whose callers are told.
const MIN_SHARE: f32 = 0.5;

/// Maximum number of further functions.
const MAX_OTHERS: usize = 1;

/// Returns true if a question asks for things that do something, and not for the place where it is done.
pub(super) fn asks(question: &str) -> bool {
    let lower = question.trim_start().to_lowercase();
    let begins = ["which ", "who "].iter().any(|start| lower.starts_with(start));
    begins && !best_location::asks_for_place(question) && !asks_for_packages(question)
}

/// Answers with the function that has most of what is asked and the code that calls it; `None` if no function has enough, or no caller is known.
pub(super) async fn answer(context: IntentContext<'_, '_>, passages: &[FoundPassage]) -> Option<IntentAnswer> {
    let close = passage_retrieval::close_passages(passages);
    let best = close.first().filter(|best| best.has_body() && best.share >= MIN_SHARE)?;
    let nodes = [describe_node(context, NodeRef { repo_idx: best.repo_idx, node: best.symbol.node }).await?];
    let users = users::of_nodes(context, &nodes, 1).await;
    let callers = users::direct_sentences(context.plan, &nodes, &users.value).into_iter().next()?;
    let told = |passage: &FoundPassage| CitedText {
        text: passage.sentence(context.plan),
        citations: vec![passage.citation(context.plan)],
    };
    let others = close.iter().skip(1).take(MAX_OTHERS).map(told);
    let sentences: Vec<CitedText> =
        [told(best), callers, CitedText::plain(best.code.clone())].into_iter().chain(others).collect();
    let note = format!(
        "the answer is of the definitions that match best; get_impact {} lists every user",
        suggested("target", &nodes[0].id(context.plan))
    );
    Some(IntentAnswer::new(sentences, Confidence::Low, note).with_shortfalls(users.shortfalls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_that_do_something_are_asked_for() {
        for (question, expected) in [
            ("Which docks derive their number from the name?", true),
            ("who moors the ships", true),
            ("Which function moors the ships?", false),
            ("Which crate moors the ships?", false),
            ("How are ships moored?", false),
        ] {
            assert_eq!(asks(question), expected, "{question}");
        }
    }
}
