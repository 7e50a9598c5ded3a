//! `get_answer`: one call that finds, reads and answers, with citations, and says how sure it is.
//!
//! In reading order: what is asked (`request`, `question`), what is found for it (`gather`, `code_first`, `links`; as
//! `evidence`), an answer that quotes (`sentences`, `extract`), one by a model (`draft`, judged by `gates`), what becomes
//! of it (`compose`, as a `body`), what is kept (`cache`), and how it is laid out (`render`).

mod body;
mod cache;
mod code_first;
mod comment;
mod compose;
mod confidence;
mod draft;
mod evidence;
mod extract;
mod gates;
mod gather;
mod links;
mod question;
mod render;
mod request;
mod sentences;

use std::collections::BTreeMap;

use futures::FutureExt as _;
use model::ShardState;
use serde_json::Value;

use super::Tool;
use crate::{call::Call, plan::Plan, refusal::Refusal, render::Rendered, schema, single_flight::Turn};

use body::Body;
pub(crate) use cache::Kept;
use cache::{Fresh, Key};
use confidence::Confidence;
use draft::{Brief, Drafted};
use extract::Asked;
use gather::Evidence;
use request::{Arguments, Request};

const NAME: &str = "get_answer";

/// Why no model wrote an answer, as `degraded` calls it.
const NO_PROVIDER: &str = "no-llm-provider";
const UNAVAILABLE: &str = "llm-unavailable";
const DISCARDED: &str = "draft-discarded";
const NOT_DOMINANT: &str = "not-dominant";

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Answer a question",
        description: "Call first for any question about code. Finds, reads and answers in up to five cited sentences, over \
                      all repositories, with a confidence, the best hits with code, and the files to open next. Says \
                      plainly when something does not exist.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let mut request = Request::read(call, arguments)?;
    let mut plan = call.visible.plan(request.repo.as_deref())?;
    let provider = call.core.provider.as_deref();
    let key = Key::of(&request, &plan, provider.map_or("", |provider| provider.id()));
    let given_before = |kept: &Kept, mut request: Request, plan: &Plan| {
        request.notes.extend(kept.notes.iter().cloned());
        render::render(call, plan, kept.body.clone(), request, true)
    };
    if let Some(kept) = cache::answer(call, &plan, key).await {
        return Ok(given_before(&kept, request, &plan));
    }
    // A model is asked, and paid, once for what many ask at the same time.
    let flight = match call.core.answering.turn(key.0).await {
        Turn::Mine(flight) => Some(flight),
        Turn::Another(Some(kept)) if plan.is_complete() => return Ok(given_before(&kept, request, &plan)),
        Turn::Another(_) => None,
    };
    let evidence = gather::gather(call, &mut plan, &request).await;
    let Answered { body, is_hedged, is_final } = write(call, &mut plan, &request, &evidence).await;
    let notes = evidence.notes.clone();
    if is_final {
        let blob = |hit: &evidence::Hit| ((plan.alias(hit.position).to_owned(), hit.path()), hit.file.blob.clone());
        let known = evidence.hits.iter().filter(|hit| !hit.file.blob.is_empty());
        let blobs: BTreeMap<(String, String), String> = known.map(blob).collect();
        cache::keep(call, &plan, key, Fresh { body: &body, notes: &notes, is_hedged, blobs }).await;
    }
    let told = plan.is_complete().then(|| Kept { body: body.clone(), notes: notes.clone() });
    if let Some(flight) = flight {
        flight.tell(told);
    }
    request.notes.extend(notes);
    Ok(render::render(call, &plan, body, request, false))
}

/// What was answered.
struct Answered {
    body: Body,
    /// Whether a model said that it does not know.
    is_hedged: bool,
    /// Whether asking again would give the same.
    is_final: bool,
}

/// Writes the answer: that there is none, a quotation, or what a model says and the gates leave.
async fn write(call: &Call<'_>, plan: &mut Plan, request: &Request, evidence: &Evidence) -> Answered {
    let question = &request.question;
    let all_text = compose::all_text(&evidence.hits);
    let is_held = |name: &str| gates::absent(&[name.to_owned()], &all_text).is_empty();
    let ties = if question.sides.is_some() {
        links::ties(call, plan, &evidence.side_repositories, &evidence.hits).await
    } else {
        Vec::new()
    };
    let provider = call.core.provider.as_deref();
    let degraded = if provider.is_none() { Some(NO_PROVIDER.to_owned()) } else { None };
    let mut answered = Answered {
        body: Body { degraded, ..compose::body(plan, evidence, ties.clone()) },
        is_hedged: false,
        is_final: true,
    };
    let body = &mut answered.body;
    if !question.says_something() {
        body.answer = "The question names nothing that can be looked for: ask for a thing, a behaviour or a name. \
                       get_overview tells what a repository is."
            .to_owned();
        body.note = Some("all of its words are too common to search by".to_owned());
        return answered;
    }
    if let Some(nothing) = compose::nothing(plan, &request.filter.scope, evidence, is_held) {
        body.answer = nothing;
        let nearest = "not answered; the hits below are the nearest there are";
        body.note = Some(if evidence.hits.is_empty() { "not answered" } else { nearest }.to_owned());
        return answered;
    }
    let extracts = extract::extracts(&evidence.hits, &asked(call, question, evidence));
    let silence = compose::silence(plan, &evidence.silent);
    let first = silence.clone().or_else(|| evidence.ambiguous.iter().map(compose::ambiguity).next());
    (body.answer, body.citations) = compose::quoted(plan, &evidence.hits, &extracts, &ties, first);
    let n_said = usize::from(silence.is_none());
    let mut notes: Vec<String> = evidence.ambiguous.iter().skip(n_said).map(compose::ambiguity).collect();
    if ties.is_empty() && evidence.joins_two_repositories() {
        notes.push("no link between the two repositories is known".to_owned());
    }
    if !evidence.unknown_words.is_empty() {
        notes.push(format!("stands in no file: {}", evidence.unknown_words.join(", ")));
    }
    let Some(provider) = provider else {
        notes.insert(0, "no model is configured: these are quotations, the most telling first".to_owned());
        body.note = Some(notes.join("; "));
        return answered;
    };
    let relevances: Vec<f32> = {
        let mut relevances: Vec<f32> = evidence.hits.iter().map(|hit| hit.relevance).collect();
        relevances.sort_by(|a, b| b.total_cmp(a));
        relevances
    };
    // The question is about to be asked again, of the generation that took the place of this one.
    if plan.shortfalls.iter().any(|(_, state, _)| state == ShardState::Stale) {
        answered.is_final = false;
        return answered;
    }
    // Two sides are two best files.
    if let Some(why) = gates::dominance(&relevances).filter(|_| question.sides.is_none()) {
        notes.insert(0, why);
        body.degraded = Some(NOT_DOMINANT.to_owned());
        body.note = Some(notes.join("; "));
        return answered;
    }
    let room = usize::try_from(provider.input_tokens()).unwrap_or(usize::MAX);
    let brief = Brief::of(plan, question, &evidence.hits, &ties, room);
    let mut tell = |piece: &str| call.progress.wrote(piece.chars().count());
    match draft::draft(provider, question, brief, &mut tell).await {
        Drafted::Answer(draft) => {
            (body.answer, body.citations) = compose::drafted(plan, &evidence.hits, &draft);
            body.confidence = draft.confidence;
            notes.extend(draft.notes);
            let cited = draft.cited.iter().map(|number| evidence.hits[draft.places[*number].0].position).collect();
            let one_sided = |sides| gates::one_sided(sides, &evidence.side_repositories, &cited);
            if let Some(why) = question.sides.as_ref().and_then(one_sided) {
                body.confidence = body.confidence.at_most(Confidence::Medium);
                notes.push(why);
            }
            body.note = Some(notes.join("; ")).filter(|note| !note.is_empty());
            answered.is_hedged = draft.is_hedged;
        }
        Drafted::Discarded(why) => {
            notes.extend(why);
            body.degraded = Some(DISCARDED.to_owned());
            body.note = Some(notes.join("; "));
        }
        Drafted::Failed(failure) => {
            notes.insert(0, format!("{failure}: these are quotations"));
            body.degraded = Some(UNAVAILABLE.to_owned());
            body.note = Some(notes.join("; "));
            answered.is_final = false;
        }
    }
    answered
}

fn asked<'a>(call: &'a Call<'_>, question: &'a question::Question, evidence: &Evidence) -> Asked<'a> {
    let (terms, quoted) = (evidence.terms.clone(), evidence.quoted.clone());
    Asked { text: &question.text, terms, quoted, model: call.core.model.table() }
}
