//! `get_impact`: the impact of a change over all repositories.

mod impact_list;
mod page;
mod render;

use std::{collections::BTreeSet, sync::Arc};

use futures::FutureExt as _;
use proto::v1;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) use impact_list::ImpactListCache;

use impact_list::{ImpactList, ImpactListKey};
use page::ImpactPage;

use super::{
    Tool, ToolCall,
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
    answer::Answer,
    call::CallContext,
    entity,
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    refusal::Refusal,
    repo_idx::RepoIdx,
    scope::GraphScope,
    walk::{
        WalkScope, impact, walk_users,
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
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(tool_call: &ToolCall<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let call = &tool_call.context;
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
    let binding = CursorBinding::new(call.principal, NAME, &written, &plan);
    let key = key(&binding, &overlay, target.at).filter(|_| remaining.shortfalls.is_empty());
    let cached = key.and_then(|key| tool_call.toolbox.impact_lists.get(&key));
    let walked = match cached {
        Some(list) => Answer::complete(list),
        None => walk(call, &remaining, &overlay, &enter, (target.at, card), depth).await.map(Arc::new),
    };
    let (list, walk_shortfalls) = (walked.value, described.shortfalls.and(&walked.shortfalls));
    let is_whole = walk_shortfalls.is_empty();
    let binding = binding.with_list(list.hash);
    let offset = arguments.cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;
    let entries = page::entries(&list.hits, token_budget);
    let page = ImpactPage::of(&entries, offset, token_budget, &binding);
    if let Some(key) = key.filter(|_| is_whole && page.entries.len() < entries.len()) {
        tool_call.toolbox.impact_lists.put(key, &list);
    }
    let shown: BTreeSet<NodeRef> = page.nodes().chain(list.declarations.iter().copied()).collect();
    let cards = call.describe(&plan.without(&walk_shortfalls), &shown).await.after(walk_shortfalls);
    let answered = plan.without(&cards.shortfalls);

    notes.extend(list.note.clone());
    notes.extend(target.note.clone());
    let may_miss = MayMiss::of(&answered, &overlay, target.at, card);
    let impact = render::Impact { target: &target, card, list: &list, page, cards: &cards.value, may_miss };
    Ok(render::render(&answered, &impact, token_budget, parsed.ignored, notes))
}

/// Walks to the users of a definition.
async fn walk(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    enter: &BTreeSet<RepoIdx>,
    (target, card): (NodeRef, &v1::NodeCard),
    depth: usize,
) -> Answer<ImpactList> {
    let Answer { value: roots, shortfalls } = impact::roots(call, plan, overlay, target, card, enter).await;
    let weights = Weights::new(Some(Intent::Modify));
    let scope = WalkScope {
        depth,
        direction: v1::Direction::In,
        kinds: impact::kinds(card),
        include_inferred: true,
        enter,
        weights: &weights,
    };
    let found = walk_users(call, &plan.without(&shortfalls), overlay, &roots.nodes, &scope).await.after(shortfalls);
    found.map(|found| ImpactList::new(plan, found, &roots.nodes, roots.note))
}

/// Returns the key of the list of a request; `None` while links are not known, since the list may still change.
fn key(binding: &CursorBinding, overlay: &Overlay, target: NodeRef) -> Option<ImpactListKey> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(binding.hash().as_bytes()).update(&overlay.identity()?);
    hasher.update(&target.repo_idx.0.to_le_bytes()).update(&target.node.to_le_bytes());
    Some(*hasher.finalize().as_bytes())
}
