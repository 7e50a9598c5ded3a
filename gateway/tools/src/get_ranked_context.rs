//! `get_ranked_context`: code relevant to a question, ranked by one of three strategies and packed into a token budget.

mod candidate;
mod find;
mod graph_neighbours;
mod packing;
mod read;
mod render;
mod request;
mod strategy;

use futures::FutureExt as _;
use serde_json::Value;

use super::Tool;
use crate::{render::Rendered, schema};
use federation::{answer::Answer, call::CallContext, plan::Plan, refusal::Refusal};

use candidate::ContextCandidate;
use find::FoundCandidates;
use request::{GetRankedContextArguments, RankedContextRequest, SearchMode, Strategy};

const NAME: &str = "get_ranked_context";

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Read code for a question",
        description: "Answers a question with code: the definitions that matter most, whole or cut down to fit \
                      `tokenBudget`. `strategy`: combined (relevance), dependency (what the best use or are used by), \
                      importance (matching names, most used first).",
        input: schema::of_arguments::<GetRankedContextArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let mut request = RankedContextRequest::read(arguments)?;
    let plan = call.visible.plan(request.repo.as_deref())?;
    let found = find(call, &plan, &request).await;
    let FoundCandidates { candidates, tier, corrections, untold, n_pruned } = found.value;
    request.notes.extend(untold.map(|reason| format!("searched by text alone: {reason}")));
    let ranked =
        rank(call, &plan.without(&found.shortfalls), request.strategy, candidates).await.after(found.shortfalls);
    let remaining = plan.without(&ranked.shortfalls);
    let offers = read::read(call, &remaining, ranked.value, &request, &corrections).await.after(ranked.shortfalls);
    let answered = plan.without(&offers.shortfalls);
    Ok(render::render(&answered, &offers.value, tier, &corrections, n_pruned, request))
}

/// Finds candidates by text, or by name if the text search finds nothing.
async fn find(call: &CallContext<'_>, plan: &Plan, request: &RankedContextRequest) -> Answer<FoundCandidates> {
    if request.mode == SearchMode::Legacy {
        return find::by_substring(call, plan, request).await;
    }
    let by_text = find::by_text(call, plan, request).await;
    if !by_text.value.candidates.is_empty() {
        return by_text;
    }
    let by_likeness = find::by_likeness(call, &plan.without(&by_text.shortfalls), request).await;
    let FoundCandidates { corrections, untold, n_pruned, .. } = by_text.value;
    by_likeness.after(by_text.shortfalls).map(|found| FoundCandidates { corrections, untold, n_pruned, ..found })
}

/// Ranks candidates by the chosen strategy.
async fn rank(
    call: &CallContext<'_>,
    plan: &Plan,
    strategy: Strategy,
    candidates: Vec<ContextCandidate>,
) -> Answer<Vec<ContextCandidate>> {
    match strategy {
        Strategy::Combined => Answer::complete(strategy::combined(candidates)),
        Strategy::Importance => Answer::complete(strategy::importance(candidates)),
        Strategy::Dependency => {
            let around = graph_neighbours::around(call, plan, &candidates).await;
            around.map(|around| strategy::dependency(candidates, around))
        }
    }
}
