//! `get_impact`: the impact of a change over all repositories.

mod contract;
mod page;
mod render;

use std::collections::BTreeSet;

use futures::FutureExt as _;
use proto::v1;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use page::ImpactPage;
use render::ImpactSubject;

use super::{
    Tool,
    get_context::{
        context::{base_plan, not_described_refusal},
        item::ContextItem,
    },
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
    answer::Answer,
    call::CallContext,
    entity::{self, ResolvedEntity},
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    refusal::Refusal,
    scope::GraphScope,
    walk::{
        Neighbourhood, WalkScope, impact, tiers, walk_users,
        weights::{Intent, Weights},
    },
};

const NAME: &str = "get_impact";

const DEFAULT_DEPTH: usize = 3;
const MAX_DEPTH: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
struct GetImpactArguments {
    /// A name, Type.method, symbol id, path, rpc (pkg.v1.Service/Rpc), route (GET /x), topic, table, variable or host; the
    /// prefix `alias:` selects a repository.
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
        description: "Lists what may break if a definition, file, proto message, rpc, route, topic, table, variable or \
                      host changes, over all repositories: direct, indirect and peripheral users with confidence and evidence, and \
                      the tests to run. Use it before changing an interface. `cursor` reaches every user.",
        input: schema::of_arguments::<GetImpactArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

/// The options of a call.
struct ImpactOptions {
    /// The arguments as written, which a cursor is bound to.
    written: Value,
    cursor: Option<String>,
    depth: usize,
    token_budget: usize,
    ignored: Vec<String>,
    notes: Vec<String>,
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
    let options =
        ImpactOptions { written, cursor: arguments.cursor, depth, token_budget, ignored: parsed.ignored, notes };
    let overlay = call.overlay().await;
    let named = contract::candidates(&overlay, &arguments.target);
    if named.are_selected
        && let Some(found) = contract::find(&overlay, &named).await
    {
        return contract::answer(call, &scope, &overlay, &found, &named, options).await;
    }
    match entity::resolve(call, &scope, &overlay, "target", &arguments.target, None).await {
        Ok(resolved) => {
            let resolved = resolved.map(|entity| named.beside(entity));
            of_entity(call, &scope, &overlay, resolved, &arguments.target, options).await
        }
        Err(refusal) => match contract::find(&overlay, &named).await {
            Some(found) => contract::answer(call, &scope, &overlay, &found, &named, options).await,
            None => Err(contract::with_suggestions(refusal, &overlay, &arguments.target)),
        },
    }
}

/// Answers for a definition, a file, a route or an rpc.
async fn of_entity(
    call: &CallContext<'_>,
    scope: &GraphScope,
    overlay: &Overlay,
    resolved: Answer<ResolvedEntity>,
    name: &str,
    mut options: ImpactOptions,
) -> Result<RenderedAnswer, Refusal> {
    let target = resolved.value;
    let (plan, enter) = base_plan(call, scope, overlay, &[target.at.repo_idx], [resolved.shortfalls]);
    let described = call.describe(&plan, &BTreeSet::from([target.at])).await;
    let remaining = plan.without(&described.shortfalls);
    let Some(card) = described.value.get(&target.at) else {
        return Err(not_described_refusal(&remaining, &target, name));
    };
    let roots = impact::roots(call, &remaining, overlay, target.at, card, &enter).await.after(described.shortfalls);
    let impact::ImpactRoots { nodes: roots_of_walk, note } = roots.value;
    options.notes.extend(note);
    let weights = Weights::new(Some(Intent::Modify));
    let walk_scope = WalkScope {
        depth: options.depth,
        direction: v1::Direction::In,
        kinds: impact::kinds(card),
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let remaining = plan.without(&roots.shortfalls);
    let walk_result = walk_users(call, &remaining, overlay, &roots_of_walk, &walk_scope).await.after(roots.shortfalls);
    options.notes.extend(target.note.clone());
    let may_miss = MayMiss::of(&plan.without(&walk_result.shortfalls), overlay, target.at, card);
    let subject = ImpactSubject {
        target: ContextItem::of(&plan, target.at, card),
        others: target.others,
        n_others: target.n_others,
        defined_at: Vec::new(),
        is_contract: false,
        may_miss,
    };
    page_of_users(call, &plan, subject, &roots_of_walk, walk_result, options).await
}

/// Returns the page of affected entities that the cursor selects.
async fn page_of_users(
    call: &CallContext<'_>,
    plan: &Plan,
    subject: ImpactSubject,
    roots: &[NodeRef],
    walk_result: Answer<Neighbourhood>,
    options: ImpactOptions,
) -> Result<RenderedAnswer, Refusal> {
    let ImpactOptions { written, cursor, token_budget, ignored, notes, .. } = options;
    let found = walk_result.value;
    let hits = tiers::hits(&found, roots);
    let hits = if subject.is_contract { hits } else { tiers::in_turn(hits) };
    let binding = CursorBinding::new(call.principal, NAME, &written, plan).with_list(page::hash(plan, &hits));
    let offset = cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;
    let entries = page::entries(&hits, token_budget);
    let page = ImpactPage::of(&entries, offset, token_budget, &binding);
    let shown: BTreeSet<NodeRef> = page.nodes().chain(found.declarations.iter().copied()).collect();
    let cards = call.describe(&plan.without(&walk_result.shortfalls), &shown).await.after(walk_result.shortfalls);
    let answered = plan.without(&cards.shortfalls);
    let impact = render::Impact { subject, found: &found, hits: &hits, page, cards: &cards.value };
    Ok(render::render(&answered, &impact, token_budget, ignored, notes))
}
