//! `get_context`: what lies around an entity, in one answer: its neighbourhood, a chain of calls, or what a task needs.

mod answer;
mod around;
mod assembly;
mod cards;
pub(crate) mod context;
mod coupling;
mod facts;
mod feedback;
mod frame;
mod intent;
pub(crate) mod item;
mod layout;
mod modules;
pub(crate) mod packing;
pub(crate) mod past;
mod path;
mod remember;
mod request;
mod sources;
mod told;

use futures::FutureExt as _;
use serde_json::Value;

use super::Tool;
use crate::{arguments, call::Call, refusal::Refusal, render::Rendered, schema};
use request::{Arguments, Mode};

const NAME: &str = "get_context";

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Understand an entity in its surroundings",
        description: "Returns a definition, file, route or proto message with what surrounds it in the code graph, \
                      over all repositories: callers, callees, types, tests, links by package, gRPC and HTTP, \
                      ranked and packed with code. mode=context (default) takes `entity`; path finds the shortest \
                      chain of calls between `from` and `to`; intent puts together what a task needs of `target`, \
                      its past included. Use it before changing or explaining something whose name is known.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read_strictly::<Arguments>(super::schema_of(NAME), arguments)?;
    let (arguments, ignored) = (understood.arguments, understood.ignored);
    if let Some(feedback) = arguments.feedback {
        return feedback::answer(call, &arguments, feedback, ignored);
    }
    if arguments.targets.as_ref().is_some_and(|targets| !targets.is_empty()) {
        return cards::answer(call, arguments, ignored).await;
    }
    match arguments.mode.unwrap_or(Mode::Context) {
        Mode::Context => context::answer(call, arguments, ignored).await,
        Mode::Intent => intent::answer(call, arguments, ignored).await,
        Mode::Path => path::answer(call, arguments, ignored).await,
    }
}
