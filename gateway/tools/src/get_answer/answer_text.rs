//! The text of an answer: a statement that nothing answers, quotations, or a model's draft.

use std::collections::BTreeSet;

use model::symbol::qualify;
use ranking::analyser;

use super::{
    absent_words,
    best_location::BestLocation,
    body::{AnswerBody, AnswerCandidate, AnswerSymbol, Citation, Retrieval},
    confidence::Confidence,
    draft::Draft,
    evidence::{EvidenceHit, EvidencePlace},
    evidence_retrieval::AnswerEvidence,
    extractive_answer::Extract,
    gates::{DraftPiece, pieces},
    links::{AnswerLink, LinkEnd},
    passage_retrieval::{self, FoundPassage},
    question_definitions::UndefinedName,
};
use crate::render;
use federation::{coverage::Coverage, outline, plan::Plan, repo_idx::RepoIdx, symbol_ref};

/// Maximum number of listed hits, and of hits with symbols.
const MAX_RETRIEVAL: usize = 5;
const N_WITH_SYMBOLS: usize = 2;
const MAX_SYMBOLS: usize = 3;

/// Maximum number of files to read next.
const MAX_FALLBACKS: usize = 5;

/// Maximum characters of a comment, in general and for a definition that the question names.
const NAMED_DOC_CHARS: usize = 400;
const DOC_CHARS: usize = 160;

/// Maximum lines of code of a definition, in general and for one that the question names.
const NAMED_LINES: usize = 40;
const LINES: usize = 10;

/// Minimum relevance, from 0 to 10, of the best span: below it, the span shares words with the question but does not
/// answer it. A question of few words needs more.
const NOISE: f32 = 0.65;
const NOISE_OF_FEW_WORDS: f32 = 1.0;
const FEW_WORDS: usize = 5;

/// If this share of the question's information occurs nowhere, and no span is more relevant than this, the subject does
/// not exist.
const MOSTLY_UNKNOWN: f32 = 0.5;
const SURE_RELEVANCE: f32 = 5.0;

/// If at most this share of the question's information occurs nowhere, and a span is this relevant to the rest, the
/// rest names the subject.
const ONE_WORD_UNKNOWN: f32 = 0.3;
const MUCH_OF_KNOWN: f32 = 2.5;

/// Maximum number of listed unknown words, and of listed similar names.
const MAX_LISTED: usize = 5;

/// Returns the statement that nothing answers the question, or `None` if something may.
pub(super) fn no_answer(
    plan: &Plan,
    scope: &str,
    evidence: &AnswerEvidence,
    is_mentioned: impl Fn(&str) -> bool,
) -> Option<String> {
    if let Some(unknown) = Coverage::of(plan).unknown_note().filter(|_| evidence.hits.is_empty()) {
        return Some(format!("This is {unknown}."));
    }
    let scope_suffix = if scope.is_empty() { String::new() } else { format!(" below {}", text::quote(scope)) };
    let (searched, files) = match plan.asked.as_slice() {
        [one] => {
            let alias = text::quote_name(plan.alias(*one));
            (format!("in {alias}{scope_suffix}"), format!("of {alias}{scope_suffix}"))
        }
        asked => {
            let n_asked = asked.len();
            let any = format!("in any of the {n_asked} repositories searched{scope_suffix}");
            (any, format!("of the {n_asked} repositories searched{scope_suffix}"))
        }
    };
    if let Some(thing) = evidence.absent_things.first() {
        return Some(format!("{} stands in no file {files}, so there is nothing to say of it.", text::quote(thing)));
    }
    if let Some(UndefinedName { name, nearest, is_nowhere }) =
        evidence.undefined.iter().find(|one| !is_mentioned(&one.name))
    {
        let listed = text::quote_names(nearest.iter().take(MAX_LISTED));
        let hint = if nearest.is_empty() { String::new() } else { format!(" Nearest names: {listed}.") };
        let absence = match is_nowhere {
            true => format!("is neither defined nor mentioned {searched}"),
            false => format!("is not defined {searched}, and the best matches do not mention it"),
        };
        return Some(format!("{} {absence}, so there is nothing to explain.{hint}", text::quote(name)));
    }
    let best = evidence.hits.iter().map(|hit| hit.relevance).fold(0.0, f32::max);
    // One unknown word is a synonym; if half of the words are unknown, the question has another subject.
    let is_unknown = evidence.unknown_share >= MOSTLY_UNKNOWN && best < SURE_RELEVANCE;
    let noise = if evidence.n_words <= FEW_WORDS { NOISE_OF_FEW_WORDS } else { NOISE };
    let is_noise = best < noise && best_of_known(evidence, best) < MUCH_OF_KNOWN;
    if evidence.hits.is_empty() || is_noise || is_unknown {
        let words: Vec<&str> = evidence.unknown_words.iter().take(MAX_LISTED).map(String::as_str).collect();
        return Some(match words.as_slice() {
            [] => format!("Nothing {searched} answers this: no place has more than a little of what is asked."),
            words => format!(
                "Nothing {searched} answers this: {} {} in no file. Words of the code itself, in English, find more.",
                text::quote_names(words),
                if words.len() == 1 { "stands" } else { "stand" }
            ),
        });
    }
    None
}

/// Maximum number of definitions that are named beside the statement that nothing answers, and minimum share of the question in them.
const MAX_NEAREST: usize = 2;
const MIN_NEAREST_SHARE: f32 = 0.3;

/// Returns the statement that nothing answers with the nearest definitions, if the things that the question names exist.
pub(super) fn with_nearest(
    plan: &Plan,
    evidence: &AnswerEvidence,
    nothing: String,
    passages: &[FoundPassage],
) -> (String, Vec<Citation>) {
    let is_of_unknown = !evidence.absent_things.is_empty()
        || !evidence.undefined.is_empty()
        || evidence.unknown_share >= ONE_WORD_UNKNOWN;
    let is_near = |passage: &&FoundPassage| passage.share >= MIN_NEAREST_SHARE && !is_of_unknown;
    let near: Vec<&FoundPassage> = passages.iter().filter(is_near).take(MAX_NEAREST).collect();
    if near.is_empty() {
        return (nothing, Vec::new());
    }
    let told = near.iter().map(|passage| passage.sentence(plan));
    let lead = if near.len() == 1 { "The nearest definition is:" } else { "The nearest definitions are:" };
    let lines: Vec<String> = [nothing, lead.to_owned()].into_iter().chain(told).collect();
    (lines.join("\n"), near.iter().map(|passage| passage.citation(plan)).collect())
}

/// Returns the relevance of the best span to the question without its one unknown word, which has the largest weight; 0
/// if there is no such word.
fn best_of_known(evidence: &AnswerEvidence, best: f32) -> f32 {
    if !(f32::MIN_POSITIVE..=ONE_WORD_UNKNOWN).contains(&evidence.unknown_share) {
        return 0.0;
    }
    let unknown: Vec<String> = evidence.unknown_words.iter().flat_map(|word| analyser::terms(word)).collect();
    let all: f32 = evidence.terms.iter().map(|(_, weight)| weight).sum();
    let known =
        evidence.terms.iter().filter(|(term, _)| !unknown.contains(term)).map(|(_, weight)| weight).sum::<f32>();
    // Relevance is the share of information to the power of 1.5.
    if known > 0.0 { best / (known / all).powf(1.5) } else { 0.0 }
}

/// Returns a sentence about an ambiguous name with its locations: only the caller knows which one is meant.
pub(super) fn ambiguity((name, ids): &(String, Vec<String>)) -> String {
    let listed: Vec<&str> = ids.iter().take(MAX_DEFINITIONS).map(String::as_str).collect();
    let more = if ids.len() > listed.len() { ", ..." } else { "" };
    format!("{} is defined in {} files: {}{more}.", text::quote(name), ids.len(), text::quote_names(listed))
}

/// Returns a sentence about the repositories that a question names and that do not answer it.
pub(super) fn unanswered_note(plan: &Plan, silent: &BTreeSet<RepoIdx>) -> Option<String> {
    let named: Vec<String> = silent.iter().map(|repo_idx| text::quote(plan.alias(*repo_idx))).collect();
    let subject = match named.as_slice() {
        [] => return None,
        [one] => format!("Nothing in {one} answers"),
        more => format!("None of {} answers", more.join(", ")),
    };
    Some(format!("{subject} this; what follows is of other repositories."))
}

/// Returns a sentence about words of the question that are in no file of the repositories that it names.
pub(super) fn absent_note(plan: &Plan, named: &BTreeSet<RepoIdx>, absent: &[String]) -> Option<String> {
    let only = plan.asked.first().filter(|_| named.is_empty() && plan.asked.len() == 1);
    let aliases: Vec<String> = named.iter().chain(only).map(|repo_idx| text::quote(plan.alias(*repo_idx))).collect();
    (!absent.is_empty() && !aliases.is_empty()).then(|| absent_words::absence_text(&aliases, absent))
}

/// Maximum number of listed definitions of one name.
const MAX_DEFINITIONS: usize = 9;

/// Minimum share of a question in a passage that is shown.
const MIN_PASSAGE_SHARE: f32 = 0.25;

/// Minimum share of a question in the best definition of an answer that needs no reservation.
const MIN_SURE_SHARE: f32 = 0.4;

/// Returns the reservation that nothing has most of what is asked, by the largest share of the shown passages; nothing for an answer without
/// passages, or from a document, which has other words.
pub(super) fn nearest_note(most: Option<f32>, is_of_prose: bool) -> Option<String> {
    let is_little = most.is_some_and(|share| share < MIN_SURE_SHARE);
    let note = "No definition was found that has most of what is asked; these are the nearest ones.";
    (is_little && !is_of_prose).then(|| note.to_owned())
}

/// Returns the passages that say more than quoted sentences: none if a document is the best hit, or if they have little of the question.
pub(super) fn telling_passages<'p>(hits: &[EvidenceHit], passages: &'p [FoundPassage]) -> &'p [FoundPassage] {
    let is_of_prose = hits.first().is_some_and(EvidenceHit::is_prose);
    let is_telling = passages.first().is_some_and(|best| best.share >= MIN_PASSAGE_SHARE);
    if is_telling && !is_of_prose { passages } else { &[] }
}

/// The parts of an extractive answer before its quoted sentences.
pub(super) struct LeadingParts<'b> {
    /// A statement about the question.
    pub(super) first: Option<String>,
    /// The location that it asks for.
    pub(super) location: Option<BestLocation>,
    pub(super) answer_links: &'b [AnswerLink],
    pub(super) passages: &'b [FoundPassage],
}

/// Returns the extractive answer: what stands beside the sentences, then sentences with their citations.
pub(super) fn extractive_text(
    plan: &Plan,
    hits: &[EvidenceHit],
    extracts: &[Extract],
    leading_parts: LeadingParts<'_>,
) -> (String, Vec<Citation>) {
    let LeadingParts { first, location, answer_links, passages } = leading_parts;
    // Code that says more of the question replaces a guess.
    let is_agreed = |location: &BestLocation| {
        let hit = &hits[location.hit_idx];
        let node = hit.places[location.place_idx].symbol.as_ref().map(|symbol| symbol.node);
        passages.is_empty() || passages.iter().any(|passage| passage.is_of(hit.repo_idx, &hit.file.path, node))
    };
    let location = location.filter(is_agreed);
    // Two measures agree on this one.
    let is_location = |passage: &FoundPassage| {
        location.is_some_and(|location| {
            let hit = &hits[location.hit_idx];
            let node = hit.places[location.place_idx].symbol.as_ref().map(|symbol| symbol.node);
            passage.is_of(hit.repo_idx, &hit.file.path, node)
        })
    };
    let ordered: Vec<FoundPassage> = {
        let close = passage_retrieval::close_passages(passages);
        let (first, others): (Vec<&FoundPassage>, Vec<&FoundPassage>) = close.iter().partition(|one| is_location(one));
        first.into_iter().chain(others).cloned().collect()
    };
    let passages = ordered.as_slice();
    let (mut sentences, mut citations): (Vec<String>, Vec<Citation>) = (Vec::from_iter(first), Vec::new());
    // The passage says the same with its comment.
    let begins_with_location = passages.first().is_some_and(is_location);
    let told = location.filter(|_| !begins_with_location);
    if let Some((said, citation)) = told.and_then(|location| location_sentence(plan, hits, location)) {
        sentences.push(said);
        citations.push(citation);
    }
    if let Some(answer_link) = answer_links.first() {
        let ends = [&answer_link.user, &answer_link.provider].map(citation_of);
        sentences.push(format!("{} {}{}", answer_link.sentence(), ends[0].mark(), ends[1].mark()));
        citations.extend(ends);
    }
    if !passages.is_empty() {
        let (mut said, cited) = passage_retrieval::answer_lines(plan, passages);
        if let (true, Some(first)) = (begins_with_location, said.first_mut()) {
            *first = format!("The best match is the {} {first}", text::sanitise_name(&passages[0].symbol.kind));
        }
        sentences.extend(said);
        cited.into_iter().for_each(|citation| push(&mut citations, citation));
    }
    let max_sentences = match location.is_some() || !passages.is_empty() {
        true => MAX_WITH_LOCATION,
        false => MAX_SENTENCES,
    };
    // The signature of the location says no more than its sentence.
    let is_told = |extract: &&Extract| {
        extract.is_signature
            && location == extract.place_idx.map(|place_idx| BestLocation { hit_idx: extract.hit_idx, place_idx })
    };
    let is_of_passage = |extract: &&Extract| {
        let hit = &hits[extract.hit_idx];
        let node = extract.place_idx.and_then(|place_idx| Some(hit.places[place_idx].symbol.as_ref()?.node));
        passages.iter().any(|passage| passage.is_of(hit.repo_idx, &hit.file.path, node))
    };
    let n_more = max_sentences.saturating_sub(sentences.len());
    let more = extracts.iter().filter(|extract| !is_told(extract) && !is_of_passage(extract));
    // Beside code, a signature says little.
    for extract in more.filter(|extract| passages.is_empty() || !extract.is_signature).take(n_more) {
        let hit = &hits[extract.hit_idx];
        let place = extract.place_idx.map(|place_idx| &hit.places[place_idx]);
        let citation = cite(plan, hit, place);
        let name = place.and_then(EvidencePlace::name);
        let name = name.filter(|name| !extract.is_signature && !hit.is_prose() && !name.is_empty());
        sentences.push(format!("{} {}", quotation(name.as_deref(), &extract.sentence), citation.mark()));
        push(&mut citations, citation);
    }
    (sentences.join("\n"), citations)
}

/// Returns the sentence that tells a location.
fn location_sentence(plan: &Plan, hits: &[EvidenceHit], location: BestLocation) -> Option<(String, Citation)> {
    let hit = &hits[location.hit_idx];
    let place = &hit.places[location.place_idx];
    let (name, symbol) = (place.name()?, place.symbol.as_ref()?);
    let citation = cite(plan, hit, Some(place));
    let said = format!(
        "The best match is the {} {} in {} of {}, line {} {}.",
        text::sanitise_name(&symbol.kind),
        text::quote(&name),
        text::quote(&citation.path),
        text::quote(&citation.repo),
        place.lines.start,
        citation.mark()
    );
    Some((said, citation))
}

/// Returns a quoted sentence, after the name of its subject unless it begins with that.
pub(super) fn quotation(name: Option<&str>, sentence: &str) -> String {
    let begins_with = |name: &str| {
        let rest = sentence.trim_start_matches('`').strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start_matches('`').starts_with(' '))
    };
    match name.filter(|name| !begins_with(name)) {
        Some(name) => format!("{}: {}", text::quote(name), text::quote(sentence)),
        None => text::quote(sentence),
    }
}

/// Maximum number of sentences of an answer, and of one that begins with a location.
const MAX_SENTENCES: usize = 5;
const MAX_WITH_LOCATION: usize = 3;

/// Returns a draft with its citation numbers replaced by locations.
pub(super) fn draft_text(plan: &Plan, hits: &[EvidenceHit], draft: &Draft) -> (String, Vec<Citation>) {
    let citation = |number: usize| {
        let (hit_idx, place_idx) = draft.places[number];
        cite(plan, &hits[hit_idx], Some(&hits[hit_idx].places[place_idx]))
    };
    let is_known = |number: &usize| (1..=draft.places.len()).contains(number);
    let located = pieces(&draft.text).into_iter().map(|piece| match piece {
        DraftPiece::Text(text) => text.to_owned(),
        DraftPiece::Mark(numbers) => {
            numbers.into_iter().filter(is_known).map(|number| citation(number - 1).mark()).collect()
        }
    });
    let text = located.collect();
    let mut citations = Vec::new();
    draft.cited.iter().for_each(|number| push(&mut citations, citation(*number)));
    (text, citations)
}

/// Returns the body of an answer except its text.
pub(super) fn body(plan: &Plan, evidence: &AnswerEvidence, answer_links: Vec<AnswerLink>) -> AnswerBody {
    let hits = &evidence.hits;
    AnswerBody {
        answer: String::new(),
        citations: Vec::new(),
        confidence: Confidence::Low,
        degraded: None,
        fallback_targets: hits
            .iter()
            .take(MAX_FALLBACKS)
            .map(|hit| format!("{}:{}", plan.alias(hit.repo_idx), hit.path()))
            .collect(),
        links: answer_links,
        retrieval: hits.iter().take(MAX_RETRIEVAL).enumerate().map(|(idx, hit)| retrieval(plan, idx, hit)).collect(),
        candidates: hits.iter().map(|hit| candidate(plan, hit)).collect(),
        search_method: evidence.search_method.to_owned(),
        note: None,
    }
}

fn retrieval(plan: &Plan, hit_idx: usize, hit: &EvidenceHit) -> Retrieval {
    let (repo, path) = (plan.alias(hit.repo_idx).to_owned(), hit.path());
    let is_shown = |(place_idx, place): &(usize, &EvidencePlace)| {
        place.symbol.is_some() && (place.is_named || (hit_idx < N_WITH_SYMBOLS && *place_idx < MAX_SYMBOLS))
    };
    let symbols: Vec<AnswerSymbol> =
        hit.places.iter().enumerate().filter(is_shown).filter_map(|(_, place)| symbol(hit, place)).collect();
    let best = hit.places.first();
    let snippet =
        best.filter(|_| symbols.is_empty()).map(|place| first_lines(&place.source, LINES)).unwrap_or_default();
    Retrieval {
        title: best.and_then(EvidencePlace::name).unwrap_or_else(|| path.clone()),
        target_path: format!("{repo}:{path}"),
        page_type: if hit.file.page_type.is_empty() { "file_page" } else { &hit.file.page_type }.to_owned(),
        score: render::rounded(hit.relevance.min(10.0)),
        summary: hit.purpose.clone(),
        symbols,
        snippet,
        repo,
        path,
    }
}

fn symbol(hit: &EvidenceHit, place: &EvidencePlace) -> Option<AnswerSymbol> {
    let symbol = place.symbol.as_ref()?;
    let (doc_chars, lines) = if place.is_named { (NAMED_DOC_CHARS, NAMED_LINES) } else { (DOC_CHARS, LINES) };
    Some(AnswerSymbol {
        symbol_id: symbol_ref::id(&hit.file.path, symbol),
        kind: text::sanitise_name(&symbol.kind).into_owned(),
        signature: outline::signature(&symbol.signature),
        doc: place.doc().split_whitespace().collect::<Vec<_>>().join(" ").chars().take(doc_chars).collect(),
        start_line: place.lines.start,
        end_line: place.lines.end,
        source: first_lines(&place.source, lines),
    })
}

fn candidate(plan: &Plan, hit: &EvidenceHit) -> AnswerCandidate {
    let lines = hit.places.first().map_or((1, hit.file.lines.max(1)), |place| (place.lines.start, place.lines.end));
    AnswerCandidate {
        repo: plan.alias(hit.repo_idx).to_owned(),
        path: hit.path(),
        start_line: lines.0,
        end_line: lines.1,
        relevance_score: render::rounded(hit.relevance.min(10.0)),
    }
}

fn cite(plan: &Plan, hit: &EvidenceHit, place: Option<&EvidencePlace>) -> Citation {
    let whole = (1, hit.file.lines.max(1));
    let (start_line, end_line) = place.map_or(whole, |place| (place.lines.start, place.lines.end));
    Citation {
        repo: plan.alias(hit.repo_idx).to_owned(),
        path: hit.path(),
        start_line,
        end_line,
        symbol_id: place.and_then(|place| place.symbol_id(&hit.file.path)),
    }
}

fn citation_of(site: &LinkEnd) -> Citation {
    let LinkEnd { repo, path, line } = site.clone();
    Citation { repo, path, start_line: line, end_line: line, symbol_id: None }
}

fn push(citations: &mut Vec<Citation>, citation: Citation) {
    if !citations.contains(&citation) {
        citations.push(citation);
    }
}

fn first_lines(source: &str, n_lines: usize) -> String {
    source.lines().take(n_lines).collect::<Vec<_>>().join("\n")
}

/// Returns the text of all retrieved code and comments, to look up names in it.
pub(super) fn all_text(hits: &[EvidenceHit]) -> String {
    let mut text = String::new();
    for hit in hits {
        text += &format!("{}\n{}\n", hit.file.path, hit.purpose);
        for place in &hit.places {
            if let Some(symbol) = &place.symbol {
                let name = qualify(&symbol.container, &symbol.name);
                text += &format!("{name}\n{}\n{}\n", symbol.signature, symbol.doc);
            }
            text += &place.source;
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_little_of_the_question_says_so() {
        for (share, is_of_prose, expected) in
            [(Some(0.3), false, true), (Some(0.3), true, false), (Some(0.5), false, false), (None, false, false)]
        {
            assert_eq!(nearest_note(share, is_of_prose).is_some(), expected, "{share:?} {is_of_prose}");
        }
    }

    #[test]
    fn quotations_contain_the_name_of_their_subject() {
        for (name, sentence, expected) in [
            (Some("Group.Any"), "Any registers a route.", "`Group.Any`: `Any registers a route.`"),
            (Some("run"), "`run` starts `it`.", "`` `run` starts `it`. ``"),
            (Some("run"), "run starts it.", "`run starts it.`"),
            (Some("run"), "Runs it.", "`run`: `Runs it.`"),
            (None, "Hint: call me.", "`Hint: call me.`"),
        ] {
            assert_eq!(quotation(name, sentence), expected);
        }
    }
}
