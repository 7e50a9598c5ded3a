//! `get_context`: the graph neighbourhood of an entity, a call chain between two entities, or the context of a task.

mod answer;
mod answer_frame;
mod assembly;
mod card_facts;
mod cards;
pub(crate) mod context;
mod coupling;
mod feedback;
pub(crate) mod file_history;
mod intent;
pub(crate) mod item;
mod layout;
mod modules;
pub(crate) mod packing;
mod path;
mod path_end;
mod request;
mod sources;
mod surroundings;
mod task_memory;
mod task_sections;
pub(crate) mod used_by;

use futures::FutureExt as _;
use serde_json::Value;

use super::Tool;
use crate::{ToolCall, arguments, render::RenderedAnswer, schema};
use federation::refusal::Refusal;
use request::{ContextMode, GetContextArguments};

const NAME: &str = "get_context";

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Get the context of an entity",
        description: "Returns a definition, file, route or proto message with its neighbours in the code graph, over \
                      all repositories: callers, callees, types, tests, links by package, gRPC and HTTP, ranked and \
                      packed with code. mode=context (default) takes `entity`; path finds the shortest chain of calls \
                      between `from` and `to`; intent collects what a task needs to know about `target`, with its \
                      history. Use it before changing or explaining something whose name is known.",
        input: schema::of_arguments::<GetContextArguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &ToolCall<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read_strictly::<GetContextArguments>(super::schema_of(NAME), arguments)?;
    let (arguments, ignored) = (parsed.arguments, parsed.ignored);
    if let Some(feedback) = arguments.feedback {
        return feedback::answer(call, &arguments, feedback, ignored);
    }
    if arguments.targets.as_ref().is_some_and(|targets| !targets.is_empty()) {
        return cards::answer(call, arguments, ignored).await;
    }
    match arguments.mode.unwrap_or(ContextMode::Context) {
        ContextMode::Context => context::answer(call, arguments, ignored).await,
        ContextMode::Intent => intent::answer(call, arguments, ignored).await,
        ContextMode::Path => path::answer(call, arguments, ignored).await,
    }
}
