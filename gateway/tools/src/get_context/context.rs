//! mode=context: `resolve -> walk -> rank -> describe -> read -> pack -> render`.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{
    answer::ContextAnswer,
    answer_frame::{frame, hashed},
    assembly::Assembly,
    layout::render,
    request::{ContextOptions, Detail, GetContextArguments, required_argument},
    sources::{fetch, is_container_kind, outline},
    surroundings::{EntitySurroundings, siblings},
    task_memory::{RememberedRanking, apply_memory},
    task_sections::task_sections,
};
use crate::{ToolCall, render::RenderedAnswer};
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    entity::{self, ResolvedEntity},
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    refusal::{Refusal, quoted},
    repo_idx::RepoIdx,
    scope::GraphScope,
    walk::{
        ALL_BUT_ACCESSES, Neighbourhood, OF_THE_NEAREST, WalkScope, impact,
        rank::{RankedNode, rank},
        sections::place,
        walk_from,
        weights::{Intent, Weights},
    },
};

/// Minimum tokens of an item line; bounds the number of requested cards.
const MIN_TOKENS_OF_ITEM: usize = 12;

pub(super) async fn answer(
    tool_call: &ToolCall<'_>,
    arguments: GetContextArguments,
    ignored: Vec<String>,
) -> Result<RenderedAnswer, Refusal> {
    let options = ContextOptions::new(tool_call, &arguments, ignored)?;
    let name = required_argument("context", "entity", &arguments.entity)?.to_owned();
    let assembly = Assembly::plain(arguments.detail_level.unwrap_or(Detail::Full));
    assemble(tool_call, &arguments, options, assembly, ("context", "entity", &name)).await
}

/// Answers for an entity with the given assembly. `of` holds the mode, the argument that names the entity, and its
/// value.
pub(super) async fn assemble(
    tool_call: &ToolCall<'_>,
    arguments: &GetContextArguments,
    options: ContextOptions,
    assembly: Assembly,
    of: (&'static str, &str, &str),
) -> Result<RenderedAnswer, Refusal> {
    let call = &tool_call.context;
    let (mode, argument, name) = of;
    let scope = GraphScope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let overlay = call.overlay().await;
    let resolved = entity::resolve(call, &scope, &overlay, argument, name, arguments.file.as_deref()).await?;
    let entity = resolved.value;
    let (plan, enter) = base_plan(call, &scope, &overlay, &[entity.at.repo_idx], [resolved.shortfalls]);

    // The users of a field or an enum member access it. Those of other fields that they access have little to do with it.
    let described_root = call.describe(&plan, &BTreeSet::from([entity.at])).await;
    let is_accessed = described_root.value.get(&entity.at).is_some_and(impact::is_part_of_type);
    let kinds_of_root: &[v1::EdgeKind] = if is_accessed { &[] } else { &ALL_BUT_ACCESSES };
    let remaining = plan.without(&described_root.shortfalls);
    let weights = Weights::new(options.intent);
    let walk_scope = WalkScope {
        depth: if assembly.detail == Detail::Summary { options.depth.min(1) } else { options.depth },
        direction: v1::Direction::Both,
        kinds: &ALL_BUT_ACCESSES,
        include_inferred: options.include_inferred,
        enter: &enter,
        weights: &weights,
    };
    let roots = [entity.at];
    let walk_result = walk_from(call, &remaining, &overlay, &roots, kinds_of_root, &walk_scope, OF_THE_NEAREST).await;
    let walk_result = walk_result.after(described_root.shortfalls);
    let found = walk_result.value;
    let ranked = rank(&found, &roots, &weights, options.decay);
    let remaining = plan.without(&walk_result.shortfalls);
    let described = describe(call, &remaining, &found, &ranked, entity.at, options.token_budget).await;
    let described = described.after(walk_result.shortfalls);
    let remaining = plan.without(&described.shortfalls);
    let cards = described.value;
    let Some(root) = cards.get(&entity.at) else { return Err(not_described_refusal(&remaining, &entity, name)) };
    let RememberedRanking { ranked, peers } = apply_memory(tool_call, &plan, arguments, &cards, entity.at, ranked)?;
    let placed = place(&found, &roots, &ranked);
    let siblings = siblings(entity.at, &found, &cards);
    let outline = match needs_outline(root, assembly) {
        true => outline(call, entity.at, root).await.after(described.shortfalls),
        false => Answer { value: Vec::new(), shortfalls: described.shortfalls },
    };
    let remaining = plan.without(&outline.shortfalls);
    let surroundings = EntitySurroundings {
        entity: &entity,
        root,
        found: &found,
        placed: &placed,
        cards: &cards,
        siblings,
        outline: outline.value,
    };
    let sources = match assembly.detail {
        Detail::Full => {
            fetch(call, &remaining, &surroundings, assembly, options.token_budget).await.after(outline.shortfalls)
        }
        _ => Answer { value: BTreeMap::new(), shortfalls: outline.shortfalls },
    };
    let sources = sources.map(|sources| options.seen.replace_nodes(&plan, &cards, sources));
    let remaining = plan.without(&sources.shortfalls);
    let sections = task_sections(call, &remaining, &surroundings, assembly, options.token_budget).await;
    let sections = sections.after(sources.shortfalls);
    let answered = plan.without(&sections.shortfalls);
    let bare = frame(call, &answered, &overlay, &surroundings, &options);
    let bare = ContextAnswer { mode: Some(mode), intent: assembly.intent.map(Intent::name), peers, ..bare };
    let whole = sections.value.into_answer(bare, &surroundings);
    Ok(render(&answered, whole, &surroundings, &sources.value, &options, assembly))
}

/// Returns true if an outline describes the root: for files, types, and the intent to understand.
fn needs_outline(root: &v1::NodeCard, assembly: Assembly) -> bool {
    let has_members = root.route.is_none() && root.symbol.as_ref().is_none_or(|symbol| is_container_kind(&symbol.kind));
    let shows_members = assembly.detail == Detail::Full && has_members;
    shows_members || assembly.intent == Some(Intent::Understand)
}

/// Returns the plan of a walk from some repositories, without those that fell short in name lookup. Repositories with
/// unknown links are partial.
pub(crate) fn base_plan(
    call: &CallContext<'_>,
    scope: &GraphScope,
    overlay: &Overlay,
    roots: &[RepoIdx],
    lookups: impl IntoIterator<Item = Shortfalls>,
) -> (Plan, BTreeSet<RepoIdx>) {
    let (plan, enter) = scope.walk_plan(call, roots.iter().copied());
    let lookup_shortfalls = lookups.into_iter().fold(Shortfalls::default(), |all, lookup| all.and(&lookup));
    let partial = overlay.shortfalls(|repo_idx| enter.contains(&repo_idx));
    (plan.without(&lookup_shortfalls.and(&partial)), enter)
}

/// Describes the items to show, and the hashed neighbours.
async fn describe(
    call: &CallContext<'_>,
    plan: &Plan,
    found: &Neighbourhood,
    ranked: &[RankedNode],
    root: NodeRef,
    token_budget: usize,
) -> Answer<BTreeMap<NodeRef, v1::NodeCard>> {
    let shown = ranked.iter().take(token_budget / MIN_TOKENS_OF_ITEM).map(|ranked| ranked.at);
    let nodes: BTreeSet<NodeRef> = shown.chain(hashed(found)).chain([root]).collect();
    call.describe(plan, &nodes).await
}

pub(crate) fn not_described_refusal(plan: &Plan, entity: &ResolvedEntity, name: &str) -> Refusal {
    let shortfall = plan.shortfalls.iter().find(|(repo_idx, ..)| *repo_idx == entity.at.repo_idx);
    let alias = text::quote_name(plan.alias(entity.at.repo_idx));
    match shortfall {
        Some((_, state, reason)) => Refusal::new(format!(
            "{} is in {alias}, which did not describe it ({}: {}); try get_symbol",
            quoted(name),
            state.name(),
            text::quote(reason)
        )),
        None => Refusal::new(format!("{} is in {alias}, but not in its code graph; try get_symbol", quoted(name))),
    }
}
