//! `get_ranked_context`: the code that answers a question, ranked by one of three strategies and packed into a budget.

mod around;
mod candidate;
mod find;
mod packing;
mod read;
mod render;
mod request;
mod strategy;

use futures::FutureExt as _;
use serde_json::Value;

use super::Tool;
use crate::{call::Call, refusal::Refusal, render::Rendered, schema};

use find::Found;
use request::{Arguments, Request, SearchMode, Strategy};

const NAME: &str = "get_ranked_context";

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Read code for a question",
        description: "Answers a question with code: the definitions that matter most, whole or cut down to fit \
                      `tokenBudget`. `strategy`: combined (relevance), dependency (what the best use or are used by), \
                      importance (matching names, most used first).",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let mut request = Request::read(arguments)?;
    let mut plan = call.visible.plan(request.repo.as_deref())?;
    let found = match request.mode {
        SearchMode::Fts => find::by_text(call, &mut plan, &request).await,
        SearchMode::Legacy => find::by_substring(call, &mut plan, &request).await,
    };
    let found = match found.candidates.is_empty() && request.mode == SearchMode::Fts {
        true => {
            let Found { corrections, untold, .. } = found;
            Found { corrections, untold, ..find::by_likeness(call, &mut plan, &request).await }
        }
        false => found,
    };
    let Found { candidates, tier, corrections, untold } = found;
    request.notes.extend(untold.map(|reason| format!("searched by text alone: {reason}")));
    let ranked = match request.strategy {
        Strategy::Combined => strategy::combined(candidates),
        Strategy::Importance => strategy::importance(candidates),
        Strategy::Dependency => {
            let around = around::around(call, &mut plan, &candidates).await;
            strategy::dependency(candidates, around)
        }
    };
    let offers = read::read(call, &mut plan, ranked, &request, &corrections).await;
    Ok(render::render(call, &plan, &offers, tier, &corrections, request))
}
