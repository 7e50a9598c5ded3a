//! `get_impact`: the impact of a change over all repositories.

mod page;
mod render;

use std::collections::BTreeSet;

use futures::FutureExt as _;
use proto::v1;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use page::ImpactPage;

use super::{
    Tool,
    get_context::context::{base_plan, not_described_refusal},
};
use crate::{
    arguments,
    cursor::CursorBinding,
    limits::{clamp, token_budget},
    may_miss::MayMiss,
    render::RenderedAnswer,
    schema,
};
use federation::{
    call::CallContext,
    entity,
    nodes::NodeRef,
    refusal::Refusal,
    scope::GraphScope,
    walk::{
        WalkScope, impact, tiers, walk_users,
        weights::{Intent, Weights},
    },
};

const NAME: &str = "get_impact";

const DEFAULT_DEPTH: usize = 3;
const MAX_DEPTH: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
struct GetImpactArguments {
    /// A name, Type.method, symbol id, path, rpc (pkg.v1.Service/Rpc) or route (GET /x); the prefix `alias:` selects a
    /// repository.
    target: String,
    /// Edges from the target, 1 to 50. Default 3.
    depth: Option<i64>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
    /// Aliases for the lookup. Default all.
    repo: Option<String>,
    /// Aliases to walk into. Default *.
    projects: Option<String>,
    cursor: Option<String>,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Find what a change may break",
        description: "Lists what may break if a definition, file, proto message, rpc or HTTP route changes, over \
                      all repositories: direct, indirect and peripheral users with confidence and evidence, and \
                      the tests to run. Use it before changing an interface. `cursor` reaches every user.",
        input: schema::of_arguments::<GetImpactArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read::<GetImpactArguments>(super::schema_of(NAME), arguments.clone())?;
    let written = arguments;
    let (arguments, mut notes) = (parsed.arguments, Vec::new());
    let depth = clamp("depth", arguments.depth, DEFAULT_DEPTH, 1..=MAX_DEPTH, &mut notes);
    let token_budget = token_budget(arguments.token_budget, &mut notes)?;
    let scope = GraphScope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let has_projects = arguments.projects.as_deref().is_some_and(|projects| !projects.trim().is_empty());
    // A repository that tells definitions of one name apart hides no user.
    let scope = if has_projects { scope } else { scope.entering_all(&call.visible) };
    let overlay = call.overlay().await;
    let resolved = entity::resolve(call, &scope, &overlay, "target", &arguments.target, None).await?;
    let target = resolved.value;
    let (plan, enter) = base_plan(call, &scope, &overlay, &[target.at.repo_idx], [resolved.shortfalls]);

    let described = call.describe(&plan, &BTreeSet::from([target.at])).await;
    let remaining = plan.without(&described.shortfalls);
    let Some(card) = described.value.get(&target.at) else {
        return Err(not_described_refusal(&remaining, &target, &arguments.target));
    };
    let roots = impact::roots(call, &remaining, &overlay, target.at, card, &enter).await.after(described.shortfalls);
    let impact::ImpactRoots { nodes: roots_of_walk, note } = roots.value;
    notes.extend(note);
    let weights = Weights::new(Some(Intent::Modify));
    let walk_scope = WalkScope {
        depth,
        direction: v1::Direction::In,
        kinds: impact::kinds(card),
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let remaining = plan.without(&roots.shortfalls);
    let walk_result = walk_users(call, &remaining, &overlay, &roots_of_walk, &walk_scope).await.after(roots.shortfalls);
    let found = walk_result.value;
    let hits = tiers::in_turn(tiers::hits(&found, &roots_of_walk));
    let binding = CursorBinding::new(call.principal, NAME, &written, &plan).with_list(page::hash(&plan, &hits));
    let offset = arguments.cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;
    let entries = page::entries(&hits, token_budget);
    let page = ImpactPage::of(&entries, offset, token_budget, &binding);
    let shown: BTreeSet<NodeRef> = page.nodes().chain(found.declarations.iter().copied()).collect();
    let cards = call.describe(&plan.without(&walk_result.shortfalls), &shown).await.after(walk_result.shortfalls);
    let answered = plan.without(&cards.shortfalls);

    notes.extend(target.note.clone());
    let may_miss = MayMiss::of(&answered, &overlay, target.at, card);
    let impact =
        render::Impact { target: &target, card, found: &found, hits: &hits, page, cards: &cards.value, may_miss };
    Ok(render::render(&answered, &impact, token_budget, parsed.ignored, notes))
}
