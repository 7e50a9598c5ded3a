//! An answer by a model: a prompt of numbered excerpts, the draft, and what the gates leave of it.

use model::Language;
use provider::{Ending, Failure, Prompt, Provider};
use tokio::time::Instant;

use super::{
    confidence::Confidence,
    evidence::{Hit, Place},
    gates::{Grounds, Judged, judge, without_instructions},
    links::Tie,
    question::Question,
};
use crate::plan::Plan;

/// What the model is told to do.
const SYSTEM: &str = include_str!("../../../prompts/answer.md");

/// Excerpts of one prompt, and tokens of one.
const MAX_EXCERPTS: usize = 10;
const MAX_TOKENS_OF_EXCERPT: usize = 900;

/// What an answer by a model is waited for at most. The time that is configured for the provider ends it, which is never
/// longer.
const DEADLINE: std::time::Duration = std::time::Duration::from_secs(3_600);

/// A prompt, and what its numbers stand for.
pub(super) struct Brief {
    user: String,
    /// The paths and the code in it, without the numbers of lines: what a draft has to rest on.
    retrieved: String,
    /// Indices of hit and place, by number.
    places: Vec<(usize, usize)>,
    /// Alias and path, by number.
    named: Vec<(String, String)>,
}

/// What became of asking a model.
pub(super) enum Drafted {
    Answer(Draft),
    /// The model answered, but nothing that can be kept.
    Discarded(Vec<String>),
    Failed(Failure),
}

/// An answer that passed the gates.
pub(super) struct Draft {
    /// With numbers in brackets.
    pub(super) text: String,
    /// Indices of hit and place, by number, and which numbers are cited.
    pub(super) places: Vec<(usize, usize)>,
    pub(super) cited: Vec<usize>,
    pub(super) confidence: Confidence,
    pub(super) is_hedged: bool,
    pub(super) notes: Vec<String>,
}

impl Brief {
    /// Lays out a question and excerpts, the best first, within so many tokens.
    pub(super) fn of(plan: &Plan, question: &Question, hits: &[Hit], ties: &[Tie], max_tokens: usize) -> Brief {
        let mut brief = Brief { user: String::new(), retrieved: String::new(), places: Vec::new(), named: Vec::new() };
        let head = format!("Question: {}\n", text::sanitise(&question.text));
        let mut left = max_tokens.saturating_sub(text::estimate_tokens(&head) + text::estimate_tokens(SYSTEM));
        for (hit_idx, place_idx) in by_rank(hits) {
            let (hit, place) = (&hits[hit_idx], &hits[hit_idx].places[place_idx]);
            let source = without_instructions(&place.source);
            let shown = first_tokens(&source, MAX_TOKENS_OF_EXCERPT);
            let excerpt = excerpt(plan, hit, place, shown, brief.places.len() + 1);
            let n_tokens = text::estimate_tokens(&excerpt);
            if brief.places.len() == MAX_EXCERPTS || n_tokens > left {
                break;
            }
            left -= n_tokens;
            brief.user += &excerpt;
            brief.retrieved += &format!("{}\n{shown}\n", hit.file.path);
            brief.places.push((hit_idx, place_idx));
            brief.named.push((plan.alias(hit.position).to_owned(), hit.file.path.clone()));
        }
        let joined: Vec<String> = ties.iter().map(|tie| format!("Known link: {}\n", tie.sentence())).collect();
        brief.retrieved += &joined.concat();
        brief.user = format!("{}{}{head}", brief.user, joined.concat());
        brief
    }
}

/// Returns the places that were read, by rank, those first that the question names.
fn by_rank(hits: &[Hit]) -> Vec<(usize, usize)> {
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

/// Returns an excerpt with its number and provenance, fenced.
fn excerpt(plan: &Plan, hit: &Hit, place: &Place, shown: &str, number: usize) -> String {
    let path = hit.path();
    let lines = place.source.lines().count() as u32;
    let end = place.lines.start + lines.max(1) - 1;
    let fenced = text::fence(Language::of_path(&path), shown);
    format!("[{number}] {}:{path}:{}-{end}\n{fenced}\n", plan.alias(hit.position), place.lines.start)
}

/// Returns as many whole lines as fit into so many tokens.
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

/// Asks the model, and puts its draft through the gates. `progress` is told each piece as it comes.
pub(super) async fn draft(
    provider: &Provider,
    question: &Question,
    brief: Brief,
    progress: &mut (dyn FnMut(&str) + Send),
) -> Drafted {
    let prompt = Prompt { system: SYSTEM, user: &brief.user };
    let completion = match provider.complete(&prompt, Instant::now() + DEADLINE, progress).await {
        Ok(completion) => completion,
        Err(failure) => return Drafted::Failed(failure),
    };
    if completion.ending == Ending::Refused {
        return Drafted::Discarded(vec!["the model refused to answer".to_owned()]);
    }
    let cleaned = text::clean(&completion.text);
    let whole = match completion.ending {
        Ending::CutAtLimit => whole_sentences(&cleaned),
        _ => cleaned.trim(),
    };
    let grounds = Grounds { names: &question.names, retrieved: &brief.retrieved, places: &brief.named };
    let Judged { cited, confidence, is_hedged, mut notes } = judge(whole, &grounds);
    if completion.ending == Ending::CutAtLimit {
        notes.push("the model was cut off at its limit: only whole sentences are shown".to_owned());
    }
    let Some(cited) = cited else { return Drafted::Discarded(notes) };
    Drafted::Answer(Draft { text: cited.text, cited: cited.places, places: brief.places, confidence, is_hedged, notes })
}

/// Leaves out the sentence that was cut off.
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
