//! `get_impact`: who breaks if something changes, over all repositories.

mod render;

use std::collections::BTreeSet;

use futures::FutureExt as _;
use proto::v1;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Tool,
    get_context::context::{base_plan, unreadable},
};
use crate::{
    arguments,
    call::Call,
    entity,
    limits::{clamp, token_budget},
    nodes::At,
    refusal::Refusal,
    render::Rendered,
    schema,
    scope::Scope,
    walk::{
        OF_ALL, Way, felt, tiers, walk,
        weights::{Intent, Weights},
    },
};

const NAME: &str = "get_impact";

const DEFAULT_DEPTH: usize = 3;
const MAX_DEPTH: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// A name, Type.method, symbol id, path, rpc (pkg.v1.Service/Rpc) or route (GET /x); `alias:` before it names a
    /// repository.
    target: String,
    /// Edges from the target, 1 to 50. Default 3.
    depth: Option<i64>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
    /// Where the target is looked up. Default all.
    repo: Option<String>,
    /// Aliases that may be affected as well, or *.
    projects: Option<String>,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Tell who breaks",
        description: "Lists what may break if a definition, file, proto message, rpc or HTTP route changes, over \
                      all repositories: direct, indirect and peripheral users with confidence and evidence, and \
                      the tests to run. Use it before changing an interface.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (understood.arguments, Vec::new());
    let depth = clamp("depth", arguments.depth, DEFAULT_DEPTH, 1..=MAX_DEPTH, &mut notes);
    let token_budget = token_budget(arguments.token_budget, &mut notes)?;
    let scope = Scope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let overlay = call.overlay().await;
    let (target, lookup) = entity::resolve(call, &scope, &overlay, "target", &arguments.target, None).await?;
    let (mut plan, enter) = base_plan(call, &scope, &overlay, &[target.at.position], [lookup]);

    let of_target = call.describe(&mut plan, &BTreeSet::from([target.at])).await;
    let Some(card) = of_target.get(&target.at) else { return Err(unreadable(&plan, &target, &arguments.target)) };
    let roots = felt::roots(call, &mut plan, &overlay, target.at, card, &enter, &mut notes).await;
    let weights = Weights::new(Some(Intent::Modify));
    let way = Way {
        depth,
        direction: v1::Direction::In,
        kinds: felt::kinds(card),
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let found = walk(call, &mut plan, &overlay, &roots, &way, OF_ALL).await;
    let hits = tiers::in_turn(tiers::hits(&found, &roots));
    let shown: BTreeSet<At> = hits.iter().take(render::most_shown(token_budget)).flat_map(tiers::Hit::nodes).collect();
    let cards = call.describe(&mut plan, &shown).await;

    notes.extend(target.note.clone());
    let impact = render::Impact { target: &target, card, found: &found, hits: &hits, cards: &cards };
    Ok(render::render(call, &plan, &impact, token_budget, understood.ignored, notes))
}
