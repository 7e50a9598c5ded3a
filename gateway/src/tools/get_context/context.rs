//! mode=context: `resolve -> walk -> rank -> describe -> read -> pack -> render`.

use std::collections::{BTreeMap, BTreeSet};

use model::ShardState;
use proto::v1;

use super::{
    answer::Answer,
    around::{Around, siblings},
    assembly::Assembly,
    frame::{frame, hashed},
    layout::render,
    remember::remember,
    request::{Arguments, Detail, Options, needed},
    sources::{fetch, holds_members, outline},
    told::tell,
};
use crate::{
    call::Call,
    entity::{self, Entity},
    nodes::At,
    overlay::Overlay,
    plan::{Plan, Shortfalls},
    refusal::{Refusal, quoted},
    render::Rendered,
    scope::Scope,
    walk::{
        Neighbourhood, OF_THE_NEAREST, Way,
        rank::{Ranked, rank},
        sections::place,
        walk,
        weights::{Intent, Weights},
    },
};

/// The cheapest line of an item, in tokens: for asking for no more than may be shown.
const MIN_TOKENS_OF_ITEM: usize = 12;

pub(super) async fn answer(call: &Call<'_>, arguments: Arguments, ignored: Vec<String>) -> Result<Rendered, Refusal> {
    let options = Options::new(call, &arguments, ignored)?;
    let name = needed("context", "entity", &arguments.entity)?.to_owned();
    let assembly = Assembly::plain(arguments.detail_level.unwrap_or(Detail::Full));
    assemble(call, &arguments, options, assembly, ("context", "entity", &name)).await
}

/// Answers for an entity, put together as asked. `of` is the mode, the argument that names the entity, and its value.
pub(super) async fn assemble(
    call: &Call<'_>,
    arguments: &Arguments,
    options: Options,
    assembly: Assembly,
    of: (&'static str, &str, &str),
) -> Result<Rendered, Refusal> {
    let (mode, argument, name) = of;
    let scope = Scope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let overlay = call.overlay().await;
    let (entity, lookup) = entity::resolve(call, &scope, &overlay, argument, name, arguments.file.as_deref()).await?;
    let (mut plan, enter) = base_plan(call, &scope, &overlay, &[entity.at.position], [lookup]);

    let weights = Weights::new(options.intent);
    let way = Way {
        depth: if assembly.detail == Detail::Summary { options.depth.min(1) } else { options.depth },
        direction: v1::Direction::Both,
        kinds: &[],
        include_inferred: options.include_inferred,
        enter: &enter,
        weights: &weights,
    };
    let roots = [entity.at];
    let found = walk(call, &mut plan, &overlay, &roots, &way, OF_THE_NEAREST).await;
    let mut ranked = rank(&found, &roots, &weights, options.decay);
    let cards = describe(call, &mut plan, &found, &ranked, entity.at, options.token_budget).await;
    let Some(root) = cards.get(&entity.at) else { return Err(unreadable(&plan, &entity, name)) };
    let peers = remember(call, &plan, arguments, &cards, entity.at, &mut ranked)?;
    let placed = place(&found, &roots, &ranked);
    let siblings = siblings(entity.at, &found, &cards);
    let outline = match needs_outline(root, assembly) {
        true => outline(call, &mut plan, entity.at, root).await,
        false => Vec::new(),
    };
    let around = Around { entity: &entity, root, found: &found, placed: &placed, cards: &cards, siblings, outline };
    let sources = match assembly.detail {
        Detail::Full => fetch(call, &mut plan, &around, assembly, options.token_budget).await,
        _ => BTreeMap::new(),
    };
    let told = tell(call, &mut plan, &around, assembly, options.token_budget).await;
    let bare = frame(call, &plan, &overlay, &around, &options);
    let whole = told.into_answer(Answer { mode: Some(mode), intent: assembly.intent, peers, ..bare }, &around);
    Ok(render(&plan, whole, &around, &sources, &options, assembly))
}

/// Says whether the root is told by what is in it: files and types, and whatever is to be understood.
fn needs_outline(root: &v1::NodeCard, assembly: Assembly) -> bool {
    let holds = root.route.is_none() && root.symbol.as_ref().is_none_or(|symbol| holds_members(&symbol.kind));
    let is_told = assembly.detail == Detail::Full && holds;
    is_told || assembly.intent == Some(Intent::Understand)
}

/// Returns the plan of a walk from some repositories, which knows what looking up already failed and whose links are not
/// known.
pub(crate) fn base_plan(
    call: &Call<'_>,
    scope: &Scope,
    overlay: &Overlay,
    roots: &[usize],
    lookups: impl IntoIterator<Item = Plan>,
) -> (Plan, BTreeSet<usize>) {
    let (mut plan, enter) = scope.walk_plan(call, roots.iter().copied());
    lookups.into_iter().for_each(|lookup| plan.fall_short(lookup.shortfalls));
    let mut partial = Shortfalls::default();
    for (position, (_, reason)) in overlay.missing.iter().filter(|(position, _)| enter.contains(position)) {
        partial.note(*position, ShardState::Partial, format!("its links to others are not known: {reason}"));
    }
    plan.fall_short(partial);
    (plan, enter)
}

/// Asks for what will be shown, and for the neighbours that the hash is over.
async fn describe(
    call: &Call<'_>,
    plan: &mut Plan,
    found: &Neighbourhood,
    ranked: &[Ranked],
    root: At,
    token_budget: usize,
) -> BTreeMap<At, v1::NodeCard> {
    let shown = ranked.iter().take(token_budget / MIN_TOKENS_OF_ITEM).map(|ranked| ranked.at);
    let nodes: BTreeSet<At> = shown.chain(hashed(found)).chain([root]).collect();
    call.describe(plan, &nodes).await
}

pub(crate) fn unreadable(plan: &Plan, entity: &Entity, name: &str) -> Refusal {
    let short = plan.shortfalls.iter().find(|(position, ..)| *position == entity.at.position);
    let alias = plan.alias(entity.at.position);
    match short {
        Some((_, state, reason)) => Refusal::new(format!(
            "`{}` is in {alias}, which could not tell of it: {}: {reason}; get_symbol may still read it",
            quoted(name),
            state.name()
        )),
        None => Refusal::new(format!(
            "`{}` is in {alias}, whose code graph does not have it; get_symbol may still read it",
            quoted(name)
        )),
    }
}
