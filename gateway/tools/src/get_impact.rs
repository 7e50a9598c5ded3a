//! `get_impact`: the impact of a change over all repositories.

mod contract;
mod impact_chart;
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
use render::ImpactSubject;

use super::{
    Tool, ToolCall,
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
    /// Default json.
    format: Option<ImpactFormat>,
}

/// The output format of an impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ImpactFormat {
    Json,
    Mermaid,
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
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

/// The options of a call.
struct ImpactOptions {
    /// The arguments as written, which a cursor is bound to.
    written: Value,
    cursor: Option<String>,
    format: ImpactFormat,
    depth: usize,
    token_budget: usize,
    ignored: Vec<String>,
    notes: Vec<String>,
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
    let format = arguments.format.unwrap_or(ImpactFormat::Json);
    if format == ImpactFormat::Mermaid && arguments.cursor.is_some() {
        notes.push("`cursor` is for format json".to_owned());
    }
    let (cursor, ignored) = (arguments.cursor, parsed.ignored);
    let options = ImpactOptions { written, cursor, format, depth, token_budget, ignored, notes };
    if arguments.target.trim().is_empty() {
        return Err(entity::empty("target"));
    }
    let overlay = call.overlay().await;
    let named = contract::candidates(&overlay, &arguments.target);
    if named.are_selected
        && let Some(found) = contract::find(&overlay, &named).await
    {
        return contract::answer(call, &scope, &overlay, &found, &named, options).await;
    }
    match entity::resolve(call, &scope, &overlay, "target", &arguments.target, None).await {
        Ok(resolved) => {
            let resolved = resolved.map(|entity| named.with_contracts(entity));
            of_entity(tool_call, &scope, &overlay, resolved, &arguments.target, options).await
        }
        Err(refusal) => match contract::find(&overlay, &named).await {
            Some(found) => contract::answer(call, &scope, &overlay, &found, &named, options).await,
            None => Err(contract::with_suggestions(refusal, &overlay, &arguments.target)),
        },
    }
}

/// Answers for a definition, a file, a route or an rpc.
async fn of_entity(
    tool_call: &ToolCall<'_>,
    scope: &GraphScope,
    overlay: &Overlay,
    resolved: Answer<ResolvedEntity>,
    name: &str,
    mut options: ImpactOptions,
) -> Result<RenderedAnswer, Refusal> {
    let call = &tool_call.context;
    let target = resolved.value;
    let (plan, enter) = base_plan(call, scope, overlay, &[target.at.repo_idx], [resolved.shortfalls]);
    let described = call.describe(&plan, &BTreeSet::from([target.at])).await;
    let remaining = plan.without(&described.shortfalls);
    let Some(card) = described.value.get(&target.at) else {
        return Err(not_described_refusal(&remaining, &target, name));
    };
    let binding = CursorBinding::new(call.principal, NAME, &options.written, &plan);
    let key = key(&binding, overlay, target.at).filter(|_| remaining.shortfalls.is_empty());
    let cache = &tool_call.toolbox.impact_lists;
    let walked = match key.and_then(|key| cache.get(&key)) {
        Some(list) => Answer::complete(list),
        None => walk(call, &remaining, overlay, &enter, (target.at, card), options.depth).await.map(Arc::new),
    };
    if let Some(key) = key.filter(|_| walked.shortfalls.is_empty()) {
        cache.put(key, &walked.value);
    }
    let walked = walked.after(described.shortfalls);
    options.notes.extend(walked.value.note.clone());
    options.notes.extend(target.note.clone());
    let may_miss = MayMiss::of(&plan.without(&walked.shortfalls), overlay, target.at, card);
    let subject = ImpactSubject {
        target: ContextItem::of(&plan, target.at, card),
        others: target.others,
        n_others: target.n_others,
        defined_at: Vec::new(),
        may_miss,
    };
    page_of_users(call, &plan, subject, walked, options).await
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
    found.map(|found| ImpactList::in_turn(plan, found, &roots.nodes, roots.note))
}

/// Returns the key of the list of a request; `None` while links are not known, since the list may still change.
fn key(binding: &CursorBinding, overlay: &Overlay, target: NodeRef) -> Option<ImpactListKey> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(binding.hash().as_bytes()).update(&overlay.identity()?);
    hasher.update(&target.repo_idx.0.to_le_bytes()).update(&target.node.to_le_bytes());
    Some(*hasher.finalize().as_bytes())
}

/// Returns the page of affected entities that the cursor selects, or a chart of the first ones.
async fn page_of_users(
    call: &CallContext<'_>,
    plan: &Plan,
    subject: ImpactSubject,
    walked: Answer<Arc<ImpactList>>,
    options: ImpactOptions,
) -> Result<RenderedAnswer, Refusal> {
    if options.format == ImpactFormat::Mermaid {
        return Ok(impact_chart::answer(call, plan, &subject, walked, options).await);
    }
    let ImpactOptions { written, cursor, token_budget, ignored, notes, .. } = options;
    let list = walked.value;
    let binding = CursorBinding::new(call.principal, NAME, &written, plan).with_list(list.hash);
    let offset = cursor.as_deref().map_or(Ok(0), |cursor| binding.offset(cursor))?;
    let entries = page::entries(&list.hits, token_budget);
    let page = ImpactPage::of(&entries, offset, token_budget, &binding);
    let shown: BTreeSet<NodeRef> = page.nodes().chain(list.declarations.iter().copied()).collect();
    let cards = call.describe(&plan.without(&walked.shortfalls), &shown).await.after(walked.shortfalls);
    let answered = plan.without(&cards.shortfalls);
    let impact = render::Impact { subject, list: &list, page, cards: &cards.value };
    Ok(render::render(&answered, &impact, token_budget, ignored, notes))
}
