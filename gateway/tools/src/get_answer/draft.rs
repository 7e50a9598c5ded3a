//! A model's draft: a prompt of numbered excerpts, the draft, and its check by the gates.

use model::Language;
use provider::{CompletionFailure, Ending, Prompt, Provider};
use tokio::time::Instant;

use super::{
    confidence::Confidence,
    evidence::{EvidenceHit, EvidencePlace},
    gates::{DraftGrounds, DraftVerdict, judge, without_instructions},
    links::AnswerLink,
    question::Question,
};
use federation::plan::Plan;

/// The system prompt.
const SYSTEM: &str = include_str!("../../prompts/answer.md");

/// Maximum number of excerpts in a prompt, and of tokens in one.
const MAX_EXCERPTS: usize = 10;
const MAX_TOKENS_OF_EXCERPT: usize = 900;

/// Maximum wait for a model. The configured timeout of the provider, which is never longer, ends it first.
const DEADLINE: std::time::Duration = std::time::Duration::from_secs(3_600);

/// A prompt, and the spans behind its numbers.
pub(super) struct DraftPrompt {
    user: String,
    /// Its paths and code without line numbers: the text that must support a draft.
    retrieved: String,
    /// Indices of hit and span, by number.
    places: Vec<(usize, usize)>,
    /// Alias and path, by number.
    sources: Vec<(String, String)>,
}

/// The outcome of a model request.
pub(super) enum DraftOutcome {
    Answer(Draft),
    /// The gates discarded the whole answer.
    Discarded(Vec<String>),
    Failed(CompletionFailure),
}

/// An answer that passed the gates.
pub(super) struct Draft {
    /// With citation numbers in brackets.
    pub(super) text: String,
    /// Indices of hit and span by number, and the cited numbers.
    pub(super) places: Vec<(usize, usize)>,
    pub(super) cited: Vec<usize>,
    pub(super) confidence: Confidence,
    pub(super) is_hedged: bool,
    pub(super) notes: Vec<String>,
}

impl DraftPrompt {
    /// Returns the prompt of a question and excerpts, the best first, within `max_tokens`.
    pub(super) fn of(
        plan: &Plan,
        question: &Question,
        hits: &[EvidenceHit],
        answer_links: &[AnswerLink],
        max_tokens: usize,
    ) -> DraftPrompt {
        let mut draft_prompt =
            DraftPrompt { user: String::new(), retrieved: String::new(), places: Vec::new(), sources: Vec::new() };
        let head = format!("Question: {}\n", text::sanitise(&question.text));
        let mut left = max_tokens.saturating_sub(text::estimate_tokens(&head) + text::estimate_tokens(SYSTEM));
        for (hit_idx, place_idx) in by_rank(hits) {
            let (hit, place) = (&hits[hit_idx], &hits[hit_idx].places[place_idx]);
            let source = without_instructions(&place.source);
            let shown = first_tokens(&source, MAX_TOKENS_OF_EXCERPT);
            let excerpt = excerpt(plan, hit, place, shown, draft_prompt.places.len() + 1);
            let n_tokens = text::estimate_tokens(&excerpt);
            if draft_prompt.places.len() == MAX_EXCERPTS || n_tokens > left {
                break;
            }
            left -= n_tokens;
            draft_prompt.user += &excerpt;
            draft_prompt.retrieved += &format!("{}\n{shown}\n", hit.file.path);
            draft_prompt.places.push((hit_idx, place_idx));
            draft_prompt.sources.push((plan.alias(hit.repo_idx).to_owned(), hit.file.path.clone()));
        }
        let link_lines: Vec<String> =
            answer_links.iter().map(|answer_link| format!("Known link: {}\n", answer_link.sentence())).collect();
        draft_prompt.retrieved += &link_lines.concat();
        draft_prompt.user = format!("{}{}{head}", draft_prompt.user, link_lines.concat());
        draft_prompt
    }
}

/// Returns the read spans by rank; those that the question names come first.
fn by_rank(hits: &[EvidenceHit]) -> Vec<(usize, usize)> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (hit_idx, hit) in hits.iter().enumerate() {
        let read = hit.places.iter().enumerate().filter(|(_, place)| !place.source.is_empty());
        places.extend(read.map(|(place_idx, _)| (hit_idx, place_idx)));
    }
    let order = |(hit_idx, place_idx): &(usize, usize)| {
        let place = &hits[*hit_idx].places[*place_idx];
        (!place.is_named, *place_idx > 0, *hit_idx, *place_idx)
    };
    places.sort_by_key(order);
    places
}

/// Returns a fenced excerpt with its number and provenance.
fn excerpt(plan: &Plan, hit: &EvidenceHit, place: &EvidencePlace, shown: &str, number: usize) -> String {
    let path = hit.path();
    let lines = place.source.lines().count() as u32;
    let end = place.lines.start + lines.max(1) - 1;
    let fenced = text::fence(Language::of_path(&path), shown);
    let location = format!("{}:{path}:{}-{end}", plan.alias(hit.repo_idx), place.lines.start);
    format!("[{number}] {}\n{fenced}\n", text::quote_name(&location))
}

/// Returns as many whole lines as fit into a number of tokens.
fn first_tokens(source: &str, max_tokens: usize) -> &str {
    let mut end = source.len();
    while text::estimate_tokens(&source[..end]) > max_tokens {
        match source[..end].rfind('\n') {
            Some(line) => end = line,
            None => return "",
        }
    }
    &source[..end]
}

/// Queries the model, and checks its draft with the gates. `progress` gets each piece as it arrives.
pub(super) async fn draft(
    provider: &Provider,
    question: &Question,
    draft_prompt: DraftPrompt,
    progress: &mut (dyn FnMut(&str) + Send),
) -> DraftOutcome {
    let prompt = Prompt { system: SYSTEM, user: &draft_prompt.user };
    let completion = match provider.complete(&prompt, Instant::now() + DEADLINE, progress).await {
        Ok(completion) => completion,
        Err(failure) => return DraftOutcome::Failed(failure),
    };
    if completion.ending == Ending::Refused {
        return DraftOutcome::Discarded(vec!["the model refused to answer".to_owned()]);
    }
    let cleaned = text::clean(&completion.text);
    let complete_text = match completion.ending {
        Ending::CutAtLimit => whole_sentences(&cleaned),
        _ => cleaned.trim(),
    };
    let grounds =
        DraftGrounds { names: &question.names, retrieved: &draft_prompt.retrieved, places: &draft_prompt.sources };
    let DraftVerdict { cited, confidence, is_hedged, mut notes } = judge(complete_text, &grounds);
    if completion.ending == Ending::CutAtLimit {
        notes.push("the draft reached the output limit of the model: only its complete sentences are shown".to_owned());
    }
    let Some(cited) = cited else { return DraftOutcome::Discarded(notes) };
    DraftOutcome::Answer(Draft {
        text: cited.text,
        cited: cited.places,
        places: draft_prompt.places,
        confidence,
        is_hedged,
        notes,
    })
}

/// Removes a truncated last sentence.
fn whole_sentences(text: &str) -> &str {
    let end = text.rfind(['.', '!', '?']).map_or(0, |at| at + 1);
    text[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_whole_lines_and_sentences() {
        assert_eq!(whole_sentences("It opens [1]. It clo"), "It opens [1].");
        assert_eq!(whole_sentences("no end"), "");
        let source = "let value = compute();\n".repeat(100);
        let cut = first_tokens(&source, 50);
        assert!(text::estimate_tokens(cut) <= 50 && cut.ends_with(';') && !cut.is_empty());
    }
}
