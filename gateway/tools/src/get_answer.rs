//! `get_answer`: one call that retrieves, reads and answers, with citations and a confidence.
//!
//! In reading order: the question (`request`, `question`, `link_question`), its evidence (`evidence_retrieval`, `question_definitions`,
//! `repository_purpose`, `evidence_source`, `absent_words`, `links`; as `evidence`), an answer of a known intent (`intents`) or from links
//! (`link_answer`), the users of a definition that it may miss (`definition_users`), an extractive answer (`asked_terms`, `passage_lines`,
//! `passages`, `passage_retrieval`, `sentences`, `extractive_answer`), a model's draft (`draft`, checked by `gates`), the result (`answer_text`,
//! as a `body`), the `cache`, and `render`.

mod absent_words;
mod answer_text;
mod asked_terms;
mod best_location;
mod body;
mod cache;
pub(crate) mod cached_answer;
mod comment;
mod confidence;
mod definition_users;
mod draft;
mod evidence;
mod evidence_retrieval;
mod evidence_source;
mod extractive_answer;
mod gates;
mod intents;
mod link_answer;
mod link_question;
mod links;
mod passage_lines;
mod passage_retrieval;
mod passages;
mod question;
mod question_definitions;
mod render;
mod repository_purpose;
mod request;
mod sentences;
mod shortened;
mod side_folders;

use std::collections::BTreeMap;

use futures::FutureExt as _;
use model::ShardState;
use serde_json::Value;

use super::Tool;
use crate::{ToolCall, may_miss::MayMiss, render::RenderedAnswer, schema, single_flight::FlightRole};
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    coverage::Coverage,
    overlay::Overlay,
    plan::Plan,
    refusal::Refusal,
    scope::GraphScope,
};

use body::AnswerBody;
use cache::{AnswerKey, NewAnswer};
use cached_answer::CachedAnswer;
use confidence::Confidence;
use draft::{DraftOutcome, DraftPrompt};
use evidence_retrieval::AnswerEvidence;
use extractive_answer::{Extract, QuestionTerms};
use intents::{IntentContext, JoinedAnswer};
use link_answer::{LinkAnswer, LinkOutcome};
use link_question::LinkQuestion;
use passage_retrieval::FoundPassage;
use request::{AnswerRequest, GetAnswerArguments};

const NAME: &str = "get_answer";

/// Reasons why no model wrote the answer, as values of `degraded`.
const NO_PROVIDER: &str = "no-llm-provider";
const UNAVAILABLE: &str = "llm-unavailable";
const DISCARDED: &str = "draft-discarded";
const NOT_DOMINANT: &str = "not-dominant";

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Answer a question",
        description: "Call this first for any question about code. Answers in up to five cited sentences over all \
                      repositories, with a confidence, the best hits with code, and files to read next. States if \
                      something does not exist.",
        input: schema::of_arguments::<GetAnswerArguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(tool_call: &ToolCall<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let (call, toolbox) = (&tool_call.context, tool_call.toolbox);
    let mut request = AnswerRequest::read(call, arguments)?;
    let plan = call.visible.plan(request.repo.as_deref())?;
    let provider = toolbox.provider.as_deref();
    let key = AnswerKey::of(call.principal, &request, &plan, provider.map_or("", |provider| provider.id()));
    let render_cached = |cached: &CachedAnswer, mut request: AnswerRequest, plan: &Plan| {
        request.notes.extend(cached.notes.iter().cloned());
        render::render(plan, cached.body.clone(), request, cached.may_miss.clone(), 0, true)
    };
    if let Some(cached) = cache::answer(tool_call, &plan, key).await {
        return Ok(render_cached(&cached, request, &plan));
    }
    // Equal concurrent questions of one caller share one paid model request.
    let flight = match toolbox.answers_in_flight.join(key.0).await {
        FlightRole::Leader(flight) => Some(flight),
        FlightRole::Follower(Some(cached)) if Coverage::of(&plan).is_complete() => {
            return Ok(render_cached(&cached, request, &plan));
        }
        FlightRole::Follower(_) => None,
    };
    let Answer { value: evidence, shortfalls } =
        evidence_retrieval::retrieve_evidence(call, &plan, &request.question, &request.filter).await;
    let answered = plan.without(&shortfalls);
    let written = write(tool_call, &answered, &request, &evidence).await;
    let WrittenAnswer { body, is_hedged, is_cacheable, may_miss, shortfalls } = written;
    let answered = answered.without(&shortfalls);
    let notes = evidence.notes.clone();
    if is_cacheable {
        let blob =
            |hit: &evidence::EvidenceHit| ((plan.alias(hit.repo_idx).to_owned(), hit.path()), hit.file.blob.clone());
        let known = evidence.hits.iter().filter(|hit| !hit.file.blob.is_empty());
        let blobs: BTreeMap<(String, String), String> = known.map(blob).collect();
        cache::store(tool_call, &answered, key, NewAnswer { body: &body, notes: &notes, is_hedged, blobs }).await;
    }
    let shareable = || CachedAnswer { body: body.clone(), notes: notes.clone(), may_miss: may_miss.clone() };
    let shareable = Coverage::of(&answered).is_complete().then(shareable);
    if let Some(flight) = flight {
        flight.publish(shareable);
    }
    request.notes.extend(notes);
    Ok(render::render(&answered, body, request, may_miss, evidence.n_pruned, false))
}

/// A written answer.
struct WrittenAnswer {
    body: AnswerBody,
    /// True if the model said that it does not know.
    is_hedged: bool,
    /// True if a repeated question would get the same answer.
    is_cacheable: bool,
    /// The users or links that the answer may miss.
    may_miss: Option<MayMiss>,
    /// Repositories that did not fully contribute to it.
    shortfalls: Shortfalls,
}

/// Writes the answer: a statement that there is none, quotations, or a model's draft after the gates.
async fn write(
    tool_call: &ToolCall<'_>,
    plan: &Plan,
    request: &AnswerRequest,
    evidence: &AnswerEvidence,
) -> WrittenAnswer {
    let call = &tool_call.context;
    let question = &request.question;
    let all_text = answer_text::all_text(&evidence.hits);
    let is_mentioned = |name: &str| gates::absent(&[name.to_owned()], &all_text).is_empty();
    let overlay = call.overlay().await;
    let question_terms = question_terms(call, question, evidence);
    let has_provider = tool_call.toolbox.provider.is_some();
    let routed = match request.filter.scope.is_empty() {
        true => answer_intents(tool_call, plan, &overlay, request, evidence).await,
        false => None,
    };
    if let Some(found) = routed {
        return of_intents(plan, evidence, found);
    }
    // A model reads the excerpts itself.
    let Answer { value: passages, shortfalls: of_passages } = match has_provider {
        true => Answer::complete(Vec::new()),
        false => passage_retrieval::passages(call, plan, evidence, (question, &question_terms)).await,
    };
    if !has_provider
        && request.filter.scope.is_empty()
        && let Some(found) = answer_flow(tool_call, plan, &overlay, request, (evidence, &passages)).await
    {
        return of_intents(plan, evidence, found);
    }
    let about_links = link_question::read(&question.text, question.sides.as_ref());
    let about_links = about_links.filter(|_| request.filter.scope.is_empty());
    let is_about_links = about_links.is_some() || question.sides.is_some();
    let unlinked = overlay.shortfalls(|repo_idx| is_about_links && plan.asked.contains(&repo_idx));
    let linked = match &about_links {
        Some(asked) => link_answer::answer(call, plan, &overlay, asked).await,
        None => LinkOutcome::NotAboutLinks,
    };
    let (no_link, may_miss) = match linked {
        LinkOutcome::Linked(found) => return of_links(plan, evidence, found, unlinked),
        LinkOutcome::Unlinked(no_link, may_miss) => (Some(no_link), may_miss),
        LinkOutcome::NotAboutLinks if matches!(about_links, Some(LinkQuestion::Users(_))) => {
            (None, definition_users::may_miss(call, plan, &overlay, &evidence.definitions).await)
        }
        LinkOutcome::NotAboutLinks => (None, None),
    };
    let answer_links = if question.sides.is_some() {
        links::between_sides(call, plan, &overlay, &evidence.side_repositories, &evidence.hits)
    } else {
        Vec::new()
    };
    let provider = tool_call.toolbox.provider.as_deref();
    let degraded = if provider.is_none() { Some(NO_PROVIDER.to_owned()) } else { None };
    let mut answered = WrittenAnswer {
        body: AnswerBody { degraded, ..answer_text::body(plan, evidence, answer_links.clone()) },
        is_hedged: false,
        // A link or a user may appear with a file that the answer does not cite.
        is_cacheable: no_link.is_none() && may_miss.is_none(),
        may_miss,
        shortfalls: unlinked.and(&of_passages),
    };
    let body = &mut answered.body;
    if !question.has_content_word() {
        body.answer = "The question names nothing that can be looked for: ask for a thing, a behaviour or a name. \
                       get_overview tells what a repository is."
            .to_owned();
        body.note = Some("every word of the question is too common to search for".to_owned());
        return answered;
    }
    if let Some(nothing) = answer_text::no_answer(plan, &request.filter.scope, evidence, is_mentioned) {
        (body.answer, body.citations) = answer_text::with_nearest(plan, evidence, nothing, &passages);
        let nearest = "not answered; the hits are only the closest matches";
        body.note = Some(if evidence.hits.is_empty() { "not answered" } else { nearest }.to_owned());
        return answered;
    }
    let extracts = extractive_answer::extracts(&evidence.hits, &question_terms);
    let absent = || answer_text::absent_note(plan, &evidence.quoted, &evidence.absent_in_named);
    let silence = no_link.clone().or_else(|| answer_text::unanswered_note(plan, &evidence.silent)).or_else(absent);
    let namesakes = || evidence.ambiguous.iter().map(answer_text::ambiguity).next();
    let first = silence.clone().or_else(namesakes);
    let asks_for_place = first.is_none() && question.names.is_empty() && best_location::asks_for_place(&question.text);
    let location = asks_for_place.then(|| best_location::best_location(&evidence.hits, &question_terms)).flatten();
    // Passages that say too little to be quoted bound the answer as well.
    let best_share = passages.first().map(|best| best.share);
    let is_of_prose = evidence.hits.first().is_some_and(|hit| hit.is_prose());
    let passages = answer_text::telling_passages(&evidence.hits, &passages);
    let most = passages.iter().map(|passage| passage.share).reduce(f32::max);
    let nearest = || answer_text::nearest_note(most, is_of_prose);
    let first = first.or_else(nearest);
    let leading_parts = answer_text::LeadingParts { first, location, answer_links: &answer_links, passages };
    (body.answer, body.citations) = answer_text::extractive_text(plan, &evidence.hits, &extracts, leading_parts);
    body.shorten_beside_quotations();
    let of_extracts = extractive_confidence(evidence, extracts.first(), question.sides.is_some() || silence.is_some());
    body.confidence = of_extracts
        .at_most(confidence::of_best_passage(best_share, is_of_prose))
        .at_most(if intents::asks_for_past(&question.text) { Confidence::Low } else { Confidence::High });
    let n_in_answer = usize::from(silence.is_none());
    let mut notes: Vec<String> = evidence.ambiguous.iter().skip(n_in_answer).map(answer_text::ambiguity).collect();
    if answered.may_miss.as_ref().is_some_and(|may_miss| may_miss.users_not_listed) {
        notes.push(definition_users::note(plan, &evidence.definitions));
    }
    if no_link.is_none() && answer_links.is_empty() && evidence.joins_two_repositories() {
        notes.push("no link between the two repositories is known".to_owned());
    }
    if !evidence.unknown_words.is_empty() {
        notes.push(format!("words that occur in no file: {}", text::quote_names(&evidence.unknown_words)));
    }
    let Some(provider) = provider else {
        notes.insert(
            0,
            "no language model is configured: the answer quotes the sources, most relevant first".to_owned(),
        );
        body.note = Some(notes.join("; "));
        body.keep_cited_hits();
        return answered;
    };
    let relevances: Vec<f32> = {
        let mut relevances: Vec<f32> = evidence.hits.iter().map(|hit| hit.relevance).collect();
        relevances.sort_by(|a, b| b.total_cmp(a));
        relevances
    };
    // The call is about to be repeated with the generation that replaced this one.
    if plan.shortfalls.iter().any(|(_, state, _)| state == ShardState::Stale) {
        answered.is_cacheable = false;
        return answered;
    }
    // A question with two sides has two best files.
    if let Some(why) = gates::dominance(&relevances).filter(|_| question.sides.is_none()) {
        notes.insert(0, why);
        body.degraded = Some(NOT_DOMINANT.to_owned());
        body.note = Some(notes.join("; "));
        return answered;
    }
    let room = usize::try_from(provider.input_tokens()).unwrap_or(usize::MAX);
    let draft_prompt = DraftPrompt::of(plan, question, &evidence.hits, &answer_links, room);
    let mut report_progress = |piece: &str| tool_call.progress.add_written(piece.chars().count());
    match draft::draft(provider, question, draft_prompt, &mut report_progress).await {
        DraftOutcome::Answer(draft) => {
            (body.answer, body.citations) = answer_text::draft_text(plan, &evidence.hits, &draft);
            body.confidence = draft.confidence;
            notes.extend(draft.notes);
            let cited = draft.cited.iter().map(|number| evidence.hits[draft.places[*number].0].repo_idx).collect();
            let one_sided = |sides| gates::one_sided(sides, &evidence.side_repositories, &cited);
            if let Some(why) = question.sides.as_ref().and_then(one_sided) {
                body.confidence = body.confidence.at_most(Confidence::Medium);
                notes.push(why);
            }
            body.note = Some(notes.join("; ")).filter(|note| !note.is_empty());
            answered.is_hedged = draft.is_hedged;
        }
        DraftOutcome::Discarded(why) => {
            notes.extend(why);
            body.degraded = Some(DISCARDED.to_owned());
            body.confidence = Confidence::Low;
            body.note = Some(notes.join("; "));
        }
        DraftOutcome::Failed(failure) => {
            notes.insert(0, format!("{failure}: the answer quotes the sources instead"));
            body.degraded = Some(UNAVAILABLE.to_owned());
            body.confidence = Confidence::Low;
            body.note = Some(notes.join("; "));
            answered.is_cacheable = false;
        }
    }
    answered
}

/// Answers the questions with known intents; `None` if one of them needs the text.
async fn answer_intents(
    tool_call: &ToolCall<'_>,
    plan: &Plan,
    overlay: &Overlay,
    request: &AnswerRequest,
    evidence: &AnswerEvidence,
) -> Option<JoinedAnswer> {
    let call = &tool_call.context;
    let text = &request.question.text;
    let questions = intents::read(text);
    let scope = GraphScope::new(&call.visible, request.repo.as_deref(), None).ok()?.entering_all(&call.visible);
    let context = IntentContext { call, plan, overlay, scope: &scope, evidence };
    let failed = match questions.is_empty() {
        true => Vec::new(),
        false => match intents::answer_all(context, &questions).await {
            Ok(answered) => return answered,
            Err(failed) => failed,
        },
    };
    match intents::answer_by_cues(context, text, &failed).await {
        None => intents::answer_variants(context, text).await,
        known => known,
    }
}

/// Answers a question for a flow that has no other intent; `None` if it asks for none, or nothing has enough of it.
async fn answer_flow(
    tool_call: &ToolCall<'_>,
    plan: &Plan,
    overlay: &Overlay,
    request: &AnswerRequest,
    (evidence, passages): (&AnswerEvidence, &[FoundPassage]),
) -> Option<JoinedAnswer> {
    let call = &tool_call.context;
    let scope = GraphScope::new(&call.visible, request.repo.as_deref(), None).ok()?.entering_all(&call.visible);
    let context = IntentContext { call, plan, overlay, scope: &scope, evidence };
    let question = &request.question;
    // A definition that matches best must not hide that a name has no meaning or several.
    let is_known =
        evidence.has_all_words_but(is_flow_verb) && answer_text::no_answer(plan, "", evidence, |_| true).is_none();
    let passages = if evidence.ambiguous.is_empty() { passages } else { &[] };
    if is_known {
        intents::answer_flow(context, &question.text, question.sides.is_some(), passages).await
    } else {
        None
    }
}

/// Returns true for a word that asks how something goes on, and names no part of it.
fn is_flow_verb(word: &str) -> bool {
    #[rustfmt::skip]
    const VERBS: [&str; 22] = [
        "proceed", "proceeds", "happen", "happens", "happened", "becomes", "become", "react", "reacts", "tackle", "tackles", "cope", "copes",
        "deal", "deals", "figure", "figures", "kept", "rid", "exactly", "internally", "eventually",
    ];
    VERBS.contains(&word.to_lowercase().as_str())
}

/// Returns the answer of known intents. It is not cached, since files that it does not cite decide about users and histories.
fn of_intents(plan: &Plan, evidence: &AnswerEvidence, found: JoinedAnswer) -> WrittenAnswer {
    let JoinedAnswer { text, citations, links, confidence, note, may_miss, shortfalls } = found;
    let note = Some(note).filter(|note| !note.is_empty());
    let body = answer_text::body(plan, evidence, links).with_cited_evidence(&citations);
    let body = AnswerBody { answer: text, citations, confidence, note, ..body };
    WrittenAnswer { body, is_hedged: false, is_cacheable: false, may_miss, shortfalls }
}

/// Returns the confidence of an answer that quotes `first` before anything else.
fn extractive_confidence(evidence: &AnswerEvidence, first: Option<&Extract>, is_partial: bool) -> Confidence {
    let relevances: Vec<f32> = evidence.hits.iter().map(|hit| hit.relevance).collect();
    let has_unknown = is_partial || !evidence.unknown_words.is_empty() || !evidence.undefined.is_empty();
    let of_extracts = confidence::of_extracts(first.map(|extract| extract.hit_idx), &relevances, has_unknown);
    of_extracts.at_most(if evidence.ambiguous.is_empty() { Confidence::High } else { Confidence::Medium })
}

/// Returns the answer that links give. It is not cached, since settings of files that it does not cite decide about links.
fn of_links(plan: &Plan, evidence: &AnswerEvidence, found: LinkAnswer, unlinked: Shortfalls) -> WrittenAnswer {
    let LinkAnswer { text, citations, links, confidence, note, may_miss } = found;
    let body = AnswerBody {
        answer: text,
        citations,
        confidence,
        note: Some(note),
        ..answer_text::body(plan, evidence, links)
    };
    WrittenAnswer { body, is_hedged: false, is_cacheable: false, may_miss, shortfalls: unlinked }
}

fn question_terms<'a>(
    call: &'a CallContext<'_>,
    question: &'a question::Question,
    evidence: &AnswerEvidence,
) -> QuestionTerms<'a> {
    let (terms, quoted) = (evidence.terms.clone(), evidence.quoted.clone());
    QuestionTerms { text: &question.text, terms, quoted, model: call.federation.model.table() }
}
