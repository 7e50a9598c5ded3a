//! The intent of a question, the sources of an answer, and the answers of several questions as one.

use federation::{answer::Shortfalls, call::CallContext, overlay::Overlay, plan::Plan, scope::GraphScope};

use super::super::{
    body::Citation, confidence::Confidence, definition_users, evidence_retrieval::AnswerEvidence, link_answer,
    links::AnswerLink,
};
use super::{cited_text::CitedText, clauses::RoutedQuestion};
use crate::may_miss::MayMiss;

/// The intent of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum QuestionIntent {
    Ownership,
    History,
    Impact,
    Callers,
    Dependents,
    Dependencies,
    Links,
    EntryPoints,
    Purpose,
    Tests,
    Configuration,
    Errors,
    Location,
}

impl QuestionIntent {
    pub(super) const ALL: [QuestionIntent; 13] = [
        QuestionIntent::Ownership,
        QuestionIntent::History,
        QuestionIntent::Impact,
        QuestionIntent::Callers,
        QuestionIntent::Dependents,
        QuestionIntent::Dependencies,
        QuestionIntent::Links,
        QuestionIntent::EntryPoints,
        QuestionIntent::Purpose,
        QuestionIntent::Tests,
        QuestionIntent::Configuration,
        QuestionIntent::Errors,
        QuestionIntent::Location,
    ];

    /// Returns true if users of a definition answer it.
    pub(super) fn is_about_users(self) -> bool {
        matches!(self, QuestionIntent::Impact | QuestionIntent::Callers | QuestionIntent::Dependents)
    }

    /// Returns true if the links between repositories may answer it.
    pub(super) fn is_about_links(self) -> bool {
        self.is_about_users() || self == QuestionIntent::Configuration
    }
}

/// The sources of an answer.
#[derive(Clone, Copy)]
pub(in super::super) struct IntentContext<'c, 'a> {
    pub(in super::super) call: &'c CallContext<'a>,
    /// The repositories that the caller asks.
    pub(in super::super) plan: &'c Plan,
    pub(in super::super) overlay: &'c Overlay,
    /// Names are looked up in the asked repositories; users are searched in all.
    pub(in super::super) scope: &'c GraphScope,
    pub(in super::super) evidence: &'c AnswerEvidence,
}

/// The answer to a question with a known intent.
pub(in super::super) struct IntentAnswer {
    /// Complete sentences, the most important one first.
    pub(super) sentences: Vec<CitedText>,
    pub(super) links: Vec<AnswerLink>,
    pub(super) confidence: Confidence,
    /// The tool that has the whole list.
    pub(super) note: String,
    /// The links that it may miss.
    pub(super) may_miss: Option<MayMiss>,
    pub(super) shortfalls: Shortfalls,
}

impl IntentAnswer {
    pub(super) fn new(sentences: Vec<CitedText>, confidence: Confidence, note: impl Into<String>) -> IntentAnswer {
        let (links, shortfalls) = (Vec::new(), Shortfalls::default());
        IntentAnswer { sentences, links, confidence, note: note.into(), may_miss: None, shortfalls }
    }

    pub(super) fn with_may_miss(self, may_miss: Option<MayMiss>) -> IntentAnswer {
        IntentAnswer { may_miss, ..self }
    }

    pub(super) fn with_shortfalls(self, shortfalls: Shortfalls) -> IntentAnswer {
        IntentAnswer { shortfalls: self.shortfalls.and(&shortfalls), ..self }
    }

    /// Returns the answer with another sentence before it.
    pub(super) fn after_sentence(self, first: Option<CitedText>) -> IntentAnswer {
        IntentAnswer { sentences: first.into_iter().chain(self.sentences).collect(), ..self }
    }

    pub(super) fn of_links(found: link_answer::LinkAnswer) -> IntentAnswer {
        let link_answer::LinkAnswer { text, citations, links, confidence, note, may_miss } = found;
        let sentences = vec![CitedText { text, citations }];
        IntentAnswer { sentences, links, confidence, note, may_miss, shortfalls: Shortfalls::default() }
    }
}

/// The answers of all questions in a text, joined.
pub(in super::super) struct JoinedAnswer {
    pub(in super::super) text: String,
    pub(in super::super) citations: Vec<Citation>,
    pub(in super::super) links: Vec<AnswerLink>,
    pub(in super::super) confidence: Confidence,
    pub(in super::super) note: String,
    /// The users or links that it may miss.
    pub(in super::super) may_miss: Option<MayMiss>,
    pub(in super::super) shortfalls: Shortfalls,
}

/// Maximum number of tokens of the answers of several questions together.
const MAX_JOINED_TOKENS: usize = 250;

/// Minimum number of sentences that remain of each answer.
const MIN_SENTENCES: usize = 2;

/// Drops the last sentences of the longest answers of several questions, until all are short enough. The tool that a note names has the
/// rest.
fn shortened_together(mut answers: Vec<IntentAnswer>) -> Vec<IntentAnswer> {
    let n_tokens = |answer: &IntentAnswer| {
        answer.sentences.iter().map(|sentence| text::estimate_tokens(&sentence.text)).sum::<usize>()
    };
    while answers.len() > 1 && answers.iter().map(n_tokens).sum::<usize>() > MAX_JOINED_TOKENS {
        let longest =
            answers.iter_mut().filter(|answer| answer.sentences.len() > MIN_SENTENCES).max_by_key(|one| n_tokens(one));
        let Some(longest) = longest else { break };
        // A sentence without a citation is a reservation.
        let is_cited = |sentence: &CitedText| !sentence.citations.is_empty();
        let last = longest.sentences.iter().rposition(is_cited).filter(|at| *at >= MIN_SENTENCES);
        let Some(last) = last else { break };
        longest.sentences.remove(last);
    }
    answers
}

pub(super) async fn join(
    context: IntentContext<'_, '_>,
    questions: &[RoutedQuestion],
    answers: Vec<IntentAnswer>,
) -> Option<JoinedAnswer> {
    let confidence = answers.iter().map(|answer| answer.confidence).min()?;
    let mut notes: Vec<String> = Vec::new();
    let new_notes = answers.iter().map(|answer| &answer.note).filter(|note| !note.is_empty());
    new_notes.for_each(|note| {
        if !notes.contains(note) {
            notes.push(note.clone())
        }
    });
    let shortfalls = answers.iter().fold(Shortfalls::default(), |all, answer| all.and(&answer.shortfalls));
    let links = answers.iter().flat_map(|answer| answer.links.clone()).collect();
    let IntentContext { call, plan, overlay, evidence, .. } = context;
    let may_miss = match answers.iter().find_map(|answer| answer.may_miss.clone()) {
        None if questions.iter().any(|question| question.intent.is_about_users()) => {
            definition_users::users_missed(call, plan, overlay, &evidence.definitions).await
        }
        known => known,
    };
    let answers = shortened_together(answers);
    let mut sentences: Vec<CitedText> = Vec::new();
    // Two questions about one thing may have a sentence in common.
    for sentence in answers.into_iter().flat_map(|answer| answer.sentences) {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    let whole = CitedText::join(sentences, "\n");
    Some(JoinedAnswer {
        text: whole.text,
        citations: whole.citations,
        links,
        confidence,
        note: notes.join("; "),
        may_miss,
        shortfalls,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_answers_are_short_together() {
        let answer = |n_sentences: usize| {
            let place =
                Citation { repo: "dock".to_owned(), path: "a".to_owned(), start_line: 1, end_line: 1, symbol_id: None };
            let sentence =
                |at: usize| CitedText::cited(format!("{at} {}", "the dock has berths ".repeat(12)), place.clone());
            IntentAnswer::new((0..n_sentences).map(sentence).collect(), Confidence::High, "")
        };
        for (sizes, expected) in
            [(vec![9, 1], vec![2, 1]), (vec![9], vec![9]), (vec![1, 1], vec![1, 1]), (vec![2, 2], vec![2, 2])]
        {
            let short = shortened_together(sizes.iter().map(|size| answer(*size)).collect());
            let left: Vec<usize> = short.iter().map(|answer| answer.sentences.len()).collect();
            assert_eq!(left.len(), expected.len(), "{sizes:?}");
            assert!(left.iter().zip(&expected).all(|(left, least)| left >= least), "{sizes:?}: {left:?}");
            assert_eq!(left == sizes, sizes.len() == 1 || sizes.iter().sum::<usize>() < 5, "{sizes:?}: {left:?}");
        }
    }
}
