//! The evidence of one of several questions in a text: what the others ask for is no match for it.

use model::Filter;

use super::super::{
    evidence_retrieval::{self, AnswerEvidence},
    question::Question,
};
use super::IntentContext;
use federation::answer::Answer;

/// A clause with what was retrieved for it.
pub(super) struct ClauseEvidence {
    pub(super) question: Question,
    pub(super) evidence: AnswerEvidence,
}

/// Retrieves the evidence for the text of a clause.
pub(super) async fn retrieve(context: IntentContext<'_, '_>, text: &str) -> Answer<ClauseEvidence> {
    let question = Question::read(text);
    let found = evidence_retrieval::retrieve_evidence(context.call, context.plan, &question, &Filter::default()).await;
    found.map(|evidence| ClauseEvidence { question, evidence })
}
