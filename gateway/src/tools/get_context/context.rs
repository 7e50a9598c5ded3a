//! mode=context: `resolve -> walk -> rank -> describe -> fetch -> pack -> render`.

use std::collections::{BTreeMap, BTreeSet};

use model::{LineSpan, ShardState};
use proto::v1;

use super::{
    answer::{Answer, Project, Totals, UsedBy, compact},
    assembly::Assembly,
    feedback::{agent, owner},
    item::{Item, lines_of, path_of},
    packing::{Parcel, pack},
    past::Past,
    request::{Arguments, Detail, Options, needed},
};
use crate::{
    call::Call,
    entity::{self, Entity},
    fetch::{Fetched, Wanted},
    memory::boost,
    meta::{Extent, Meta, Remarks},
    nodes::At,
    overlay::Overlay,
    plan::{Plan, Shortfalls},
    refusal::{Refusal, quoted},
    render::{self, Format, Rendered},
    scope::Scope,
    walk::{
        Neighbourhood, Way,
        rank::{Ranked, rank},
        sections::{Placed, Section, place},
        walk,
        weights::Weights,
    },
};

/// Neighbours that the hash is over: their number must not depend on the budget.
const MAX_HASHED: usize = 200;

/// Items that code is read for: with the shortest bodies there are, more fit no budget.
const MAX_READ: usize = 80;

/// Lines of one body that are read: more than any budget holds.
const MAX_READ_LINES: u32 = 1_500;

/// The cheapest line of an item, and of code, in tokens: for asking for no more than may be shown.
const MIN_TOKENS_OF_ITEM: usize = 12;
const TOKENS_OF_LINE: usize = 6;

/// What headings and figures add that are known only when the items are chosen.
const MARGIN: usize = 40;

/// Rounds in which what rounding saved is spent.
const N_ROUNDS: usize = 3;

/// Projects that are listed.
const MAX_PROJECTS: usize = 20;

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
    let found = walk(call, &mut plan, &overlay, &roots, &way).await;
    let mut ranked = rank(&found, &roots, &weights, options.decay);
    let cards = describe(call, &mut plan, &found, &ranked, entity.at, options.token_budget).await;
    let Some(root) = cards.get(&entity.at) else { return Err(unreadable(&plan, &entity, name)) };
    let peers = remember(call, &plan, arguments, &cards, entity.at, &mut ranked)?;
    let placed = place(&found, &roots, &ranked);
    let around = Around { entity: &entity, root, found: &found, placed: &placed, cards: &cards };
    let sources = match assembly.detail {
        Detail::Full => fetch(call, &mut plan, &around, options.token_budget).await,
        _ => BTreeMap::new(),
    };
    let past = past(call, &mut plan, &around, assembly).await;
    let whole = Answer {
        mode: Some(mode),
        intent: assembly.intent,
        past,
        peers,
        ..whole(call, &plan, &overlay, &around, &options)
    };
    Ok(render(&plan, whole, &around, &sources, &options, assembly))
}

/// Takes note of task, agent and feedback where the request carries them, and lets the order follow; returns the other
/// agents that asked for the same.
fn remember(
    call: &Call<'_>,
    plan: &Plan,
    arguments: &Arguments,
    cards: &BTreeMap<At, v1::NodeCard>,
    root: At,
    ranked: &mut [Ranked],
) -> Result<Vec<String>, Refusal> {
    let (task, agent) = (owner(call, "task_id", arguments.task_id.as_deref())?, agent(call, arguments)?);
    let Some(card) = cards.get(&root).filter(|_| task.is_some() || agent.is_some()) else { return Ok(Vec::new()) };
    let (memory, id) = (&call.core.memory, Item::of(plan, root, card).id);
    let of_task = task.map(|task| memory.work_on(task, &id)).unwrap_or_default();
    if let (Some(agent), Some(is_helpful)) = (&agent, arguments.helpful) {
        memory.vote(agent.clone(), &id, is_helpful);
    }
    let votes = agent.as_ref().map(|agent| memory.votes(agent)).unwrap_or_default();
    for ranked in ranked.iter_mut() {
        if let Some(card) = cards.get(&ranked.at) {
            ranked.relevance *= boost(&Item::of(plan, ranked.at, card).id, &of_task, &votes);
        }
    }
    ranked.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.at.cmp(&b.at)));
    let peers = agent.map(|agent| memory.ask(&agent, &id)).unwrap_or_default();
    Ok(peers.iter().map(|peer| quoted(peer)).collect())
}

/// Returns the past of the file that the root is in, where the task asks for it.
async fn past(call: &Call<'_>, plan: &mut Plan, around: &Around<'_>, assembly: Assembly) -> Option<Past> {
    let intent = assembly.intent?;
    let file = (around.entity.at.position, path_of(around.root).to_owned());
    let histories = call.history(plan, &BTreeSet::from([file.clone()])).await;
    histories.get(&file).map(|history| Past::of(history, intent))
}

/// What the walk came to.
struct Around<'a> {
    entity: &'a Entity,
    root: &'a v1::NodeCard,
    found: &'a Neighbourhood,
    placed: &'a [Placed<'a>],
    cards: &'a BTreeMap<At, v1::NodeCard>,
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

fn hashed(found: &Neighbourhood) -> impl Iterator<Item = At> {
    found.nodes.iter().filter(|(_, met)| met.hops == 1).map(|(at, _)| *at).take(MAX_HASHED)
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

/// Reads the code of the root, and of the first items of each section: as much as the budget may hold.
async fn fetch(call: &Call<'_>, plan: &mut Plan, around: &Around<'_>, token_budget: usize) -> BTreeMap<At, Fetched> {
    let wanted = |at: At, card: &v1::NodeCard| {
        let lines = lines_of(card);
        let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
        Wanted { position: at.position, path: path_of(card).to_owned(), lines: LineSpan { start: lines.start, end } }
    };
    let mut chosen: Vec<(At, Wanted)> = vec![(around.entity.at, wanted(around.entity.at, around.root))];
    for section in [Section::Callers, Section::Callees, Section::Related] {
        let mut n_tokens = 0;
        for placed in around.placed.iter().filter(|placed| placed.section == section).take(MAX_READ) {
            // Of files and routes there is no body to show beside the definitions in them.
            let Some(card) = around.cards.get(&placed.ranked.at).filter(|card| card.symbol.is_some()) else { continue };
            if n_tokens > token_budget {
                break;
            }
            let want = wanted(placed.ranked.at, card);
            n_tokens += want.lines.len() as usize * TOKENS_OF_LINE;
            chosen.push((placed.ranked.at, want));
        }
    }
    let (nodes, wants): (Vec<At>, Vec<Wanted>) = chosen.into_iter().unzip();
    let fetched = call.fetch(plan, &wants).await;
    nodes.into_iter().zip(fetched).filter_map(|(at, fetched)| Some((at, fetched?))).collect()
}

/// Returns the answer without anything that is packed.
fn whole(call: &Call<'_>, plan: &Plan, overlay: &Overlay, around: &Around<'_>, options: &Options) -> Answer {
    let Around { entity, root, found, placed, cards } = around;
    let count = |section| placed.iter().filter(|placed| placed.section == section).count();
    let hash = hash(plan, entity.at, found, cards);
    let unchanged = options.known_hash.as_ref().map(|known| known.trim() == hash);
    let (mut hint, mut notes) = (None, options.notes.clone());
    notes.extend(entity.note.clone());
    if let Some(other) = entity.others.first() {
        hint = Some(format!("{} others are called so: get_context entity=\"{other}\"", entity.n_others));
    }
    if found.is_cut {
        notes.push(format!("the neighbourhood is larger than what was walked: {} met", found.nodes.len()));
    }
    let extent = Extent { total_items: placed.len() as u64, ..Extent::default() };
    let remarks = Remarks { hint, extent, ignored_arguments: options.ignored.clone(), notes };
    let n_links = overlay.at(entity.at, &call.visible).filter(|leap| leap.provider == entity.at.position).count();
    Answer {
        mode: None,
        intent: None,
        past: None,
        entity: Item::of(plan, entity.at, root),
        also_called_so: entity.others.clone(),
        used_by: Some(UsedBy {
            callers: root.callers,
            references: root.references,
            tests: root.tests,
            subtypes: root.subtypes,
            links: n_links as u32,
            callees: root.callees,
        }),
        hash,
        unchanged,
        callers: Vec::new(),
        callees: Vec::new(),
        related: Vec::new(),
        totals: Some(Totals {
            callers: count(Section::Callers),
            callees: count(Section::Callees),
            related: count(Section::Related),
        }),
        projects: projects(plan, found),
        peers: Vec::new(),
        _meta: Meta::new(call, plan, found.nodes.keys().map(|at| at.position), remarks),
    }
}

/// Returns a hash over the signatures and the contents of the root and its neighbours: another when any of them is.
fn hash(plan: &Plan, root: At, found: &Neighbourhood, cards: &BTreeMap<At, v1::NodeCard>) -> String {
    let mut hasher = blake3::Hasher::new();
    for at in [root].into_iter().chain(hashed(found)) {
        let Some(card) = cards.get(&at) else { continue };
        let blob = card.file.as_ref().map(|file| file.blob.as_str()).unwrap_or_default();
        let content = if card.symbol.is_some() { card.content_hash.as_str() } else { blob };
        let Item { id, signature, .. } = Item::of(plan, at, card);
        for part in [id.as_str(), signature.as_str(), content] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Returns how each repository that the walk met, or could not ask, stood to it.
fn projects(plan: &Plan, found: &Neighbourhood) -> Vec<Project> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    found.nodes.keys().for_each(|at| *counts.entry(at.position).or_default() += 1);
    plan.shortfalls.iter().for_each(|(position, ..)| {
        counts.entry(position).or_default();
    });
    let project = |(position, entities): (usize, usize)| Project {
        repo: plan.alias(position).to_owned(),
        status: plan.shortfalls.get(position).map_or("answered", ShardState::name),
        entities,
    };
    counts.into_iter().take(MAX_PROJECTS).map(project).collect()
}

/// Packs what there is into the budget, and lays it out.
fn render(
    plan: &Plan,
    whole: Answer,
    around: &Around<'_>,
    sources: &BTreeMap<At, Fetched>,
    options: &Options,
    assembly: Assembly,
) -> Rendered {
    let budget = options.token_budget;
    let lay_out = |answer: &Answer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let size = |answer: &Answer| text::estimate_tokens(&lay_out(answer));
    let base = base_that_fits(whole, budget, &size);
    let mut answer = finished(base.clone(), Vec::new(), assembly);
    let mut room = budget.saturating_sub(size(&answer) + MARGIN);
    if size(&answer) > budget {
        answer._meta.extent.more = None;
    }
    for _ in 0..N_ROUNDS {
        let parcels = parcels(plan, &base, around, sources, assembly);
        let packed = finished(
            base.clone(),
            pack(room, assembly.shares, parcels, |item| price(item, &base.entity, options.format)),
            assembly,
        );
        let n_tokens = size(&packed);
        if n_tokens > budget {
            break;
        }
        answer = packed;
        // What was priced apart costs less together.
        let spare = budget - n_tokens;
        if spare < MARGIN / 2 {
            break;
        }
        room += spare - MARGIN / 4;
    }
    match options.format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => Rendered::compact(compact(&answer), plan),
    }
}

/// Returns the fullest form of the frame that leaves room within the budget.
fn base_that_fits(whole: Answer, budget: usize, size: &impl Fn(&Answer) -> usize) -> Answer {
    let mut form = whole;
    let steps: [fn(&mut Answer); 5] = [
        |answer| answer.also_called_so.truncate(1),
        |answer| {
            answer.also_called_so.clear();
            answer.peers.clear();
            answer.past = None;
            answer._meta.shorten();
        },
        |answer| {
            answer.entity.doc.clear();
            answer.projects.clear();
        },
        |answer| answer.entity.signature.clear(),
        |answer| {
            answer.entity.shorten();
            (answer.mode, answer.intent, answer.used_by, answer.totals) = (None, None, None, None);
        },
    ];
    for (step, is_last) in steps.into_iter().zip([false, false, false, true, true]) {
        // Two thirds for the frame are enough where there is anything to say; the entity itself goes last.
        let most = if is_last { budget } else { budget / 3 * 2 };
        if size(&form) + MARGIN <= most || is_last && size(&form) <= budget {
            break;
        }
        step(&mut form);
    }
    form
}

fn price(item: &Item, entity: &Item, format: Format) -> usize {
    let is_root = item.id == entity.id && item.standing.is_none();
    let text = match (format, &item.code) {
        (Format::Json, Some(code)) if is_root => format!(",\"code\":{}", render::to_json(code)),
        (Format::Compact, Some(code)) if is_root => format!("{}\n", render::fenced(&item.path, code)),
        (_, None) if is_root => return 0,
        (Format::Json, _) => format!("{},", render::to_json(item)),
        (Format::Compact, _) => item.compact(),
    };
    text::estimate_tokens(&text)
}

fn parcels<'a>(
    plan: &Plan,
    base: &Answer,
    around: &Around<'_>,
    sources: &'a BTreeMap<At, Fetched>,
    assembly: Assembly,
) -> Vec<Parcel<'a>> {
    let is_unchanged = base.unchanged == Some(true);
    if assembly.detail == Detail::Summary || is_unchanged {
        return Vec::new();
    }
    let name_line = |card: &v1::NodeCard| card.symbol.as_ref().map_or(0, |symbol| symbol.name_line);
    let mut root = Parcel::new(0, base.entity.clone(), sources.get(&around.entity.at));
    root.name_line = name_line(around.root);
    let mut parcels = vec![root];
    for placed in around.placed {
        let Some(card) = around.cards.get(&placed.ranked.at) else { continue };
        let section = match placed.section {
            Section::Callers => 1,
            Section::Callees => 2,
            Section::Related => 3,
        };
        let item = Item::placed(plan, placed, card);
        let mut parcel = Parcel::new(section, item, sources.get(&placed.ranked.at));
        parcel.name_line = name_line(card);
        // The call itself is why a caller is shown.
        let is_user = placed.edge.is_some_and(|edge| edge.from == placed.ranked.at);
        parcel.interest = placed.edge.filter(|_| is_user).map(|edge| edge.line).into_iter().collect();
        parcels.push(parcel);
    }
    parcels
}

/// Returns the answer with the items that were chosen.
fn finished(base: Answer, items: Vec<(usize, Item)>, assembly: Assembly) -> Answer {
    let mut answer = base;
    for (section, item) in items {
        match section {
            0 => answer.entity.code = item.code,
            1 => answer.callers.push(item),
            2 => answer.callees.push(item),
            _ => answer.related.push(item),
        }
    }
    let n_shown = (answer.callers.len() + answer.callees.len() + answer.related.len()) as u64;
    let extent = &mut answer._meta.extent;
    extent.returned_items = n_shown;
    let is_all = n_shown >= extent.total_items || assembly.detail == Detail::Summary || answer.unchanged == Some(true);
    extent.truncated = !is_all;
    extent.more = (!is_all).then(|| "a larger token_budget".to_owned());
    answer
}
