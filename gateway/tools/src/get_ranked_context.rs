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
use crate::{render::RenderedAnswer, schema};
use federation::{answer::Answer, call::CallContext, plan::Plan, refusal::Refusal};

use candidate::ContextCandidate;
use find::FoundCandidates;
use request::{GetRankedContextArguments, RankedContextRequest, SearchMode, Strategy};

const NAME: &str = "get_ranked_context";

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Read code for a question",
        description: "Returns code for a question: the most relevant definitions, whole or shortened to fit \
                      `tokenBudget`. `strategy`: combined (relevance), dependency (users and dependencies of the best \
                      matches), importance (matching names, most used first).",
        input: schema::of_arguments::<GetRankedContextArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let mut request = RankedContextRequest::read(arguments)?;
    let plan = call.visible.plan(request.repo.as_deref())?;
    let found = find(call, &plan, &request).await;
    let FoundCandidates { candidates, tier, corrections, vector_failure, n_pruned } = found.value;
    request.notes.extend(vector_failure.map(|reason| format!("searched by text alone: {reason}")));
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
    let similar = find::by_similarity(call, &plan.without(&by_text.shortfalls), request).await;
    let FoundCandidates { corrections, vector_failure, n_pruned, .. } = by_text.value;
    similar.after(by_text.shortfalls).map(|found| FoundCandidates { corrections, vector_failure, n_pruned, ..found })
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
            let neighbours = graph_neighbours::neighbours_of(call, plan, &candidates).await;
            neighbours.map(|neighbours| strategy::dependency(candidates, neighbours))
        }
    }
}
