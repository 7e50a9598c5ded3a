//! A clause that no intent answers, beside others that have one: answered from the text and the code that match it.

use super::super::{
    answer_text::{self, LeadingParts},
    best_location, confidence,
    confidence::Confidence,
    extractive_answer,
    extractive_answer::QuestionTerms,
    gates, passage_retrieval,
    question::Question,
};
use super::{IntentAnswer, IntentContext, cited_text::CitedText, flows};
use federation::answer::Answer;

/// Maximum number of quoted sentences.
const MAX_EXTRACTS: usize = 2;

/// Minimum share of a clause in the best definition, and minimum relevance of the best document, to be an answer.
const MIN_SHARE: f32 = 0.4;
const MIN_RELEVANCE: f32 = 2.0;

/// Answers a clause from its evidence; `None` if nothing has enough of it.
pub(super) async fn answer(context: IntentContext<'_, '_>, question: &Question) -> Option<IntentAnswer> {
    let IntentContext { call, plan, evidence, .. } = context;
    if !question.has_content_word() {
        return None;
    }
    let all_text = answer_text::all_text(&evidence.hits);
    let is_mentioned = |name: &str| gates::absent(&[name.to_owned()], &all_text).is_empty();
    if let Some(nothing) = answer_text::no_answer(plan, "", evidence, is_mentioned) {
        // Otherwise the words are too few, and the clause is not answered.
        let is_of_named = !evidence.absent_things.is_empty() || !evidence.undefined.is_empty();
        return is_of_named.then(|| IntentAnswer::new(vec![CitedText::plain(nothing)], Confidence::Low, ""));
    }
    let model = call.federation.model.table();
    let terms =
        QuestionTerms { text: &question.text, terms: evidence.terms.clone(), quoted: evidence.quoted.clone(), model };
    let Answer { value: passages, shortfalls } =
        passage_retrieval::passages(call, plan, evidence, (question, &terms)).await;
    let absent = answer_text::absent_note(plan, &evidence.quoted, &evidence.absent_in_named);
    let best_share = passages.first().map(|best| best.share);
    let is_of_prose = evidence.hits.first().is_some_and(|hit| hit.is_prose());
    let first = absent;
    if first.is_none() && flows::asks(&question.text) {
        let flow = flows::answer(context, &question.text, question.sides.is_some(), &passages).await;
        if let Some(flow) = flow {
            return Some(flow.with_shortfalls(shortfalls));
        }
    }
    let best_share = best_share.unwrap_or(0.0);
    let best_relevance = evidence.hits.first().map_or(0.0, |hit| hit.relevance);
    let is_enough = best_share >= MIN_SHARE || (is_of_prose && best_relevance >= MIN_RELEVANCE);
    if !is_enough {
        // A statement about absent words needs no quotation.
        let said = CitedText::plain(first?);
        return Some(IntentAnswer::new(vec![said], Confidence::Low, "").with_shortfalls(shortfalls));
    }
    let asks_for_place = first.is_none() && best_location::asks_for_place(&question.text);
    let location = asks_for_place.then(|| best_location::best_location(&evidence.hits, &terms)).flatten();
    let confidence = match first {
        Some(_) => Confidence::Low,
        None => confidence::of_best_passage(Some(best_share), is_of_prose).at_most(Confidence::Medium),
    };
    let mut extracts = extractive_answer::extracts(&evidence.hits, &terms);
    extracts.truncate(MAX_EXTRACTS);
    let passages = answer_text::telling_passages(&evidence.hits, &passages);
    let other_parts = LeadingParts { first, location, answer_links: &[], passages };
    let (text, citations) = answer_text::extractive_text(plan, &evidence.hits, &extracts, other_parts);
    (!text.is_empty()).then(|| {
        let said = CitedText { text, citations };
        IntentAnswer::new(vec![said], confidence, "").with_shortfalls(shortfalls)
    })
}
