//! mode=path: the shortest chain of calls between two entities, each hop with its call site.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use model::LineSpan;
use proto::v1;
use serde::Serialize;

use super::{
    context::{base_plan, unreadable},
    item::{Item, Tie, path_of},
    request::{Arguments, Options, needed},
};
use crate::{
    call::Call,
    entity,
    fetch::Wanted,
    meta::{Extent, Meta, Remarks},
    nodes::At,
    pack,
    plan::Plan,
    refusal::Refusal,
    render::{self, Format, Rendered},
    scope::Scope,
    walk::{
        Edge,
        chain::{Search, chain},
    },
};

/// Nodes that were reached without a chain of which the closest is looked for.
const MAX_CONSIDERED: usize = 300;

/// Columns of a call site that are shown.
const MAX_SITE_CHARS: usize = 120;

#[derive(Debug, Clone, Serialize)]
struct Answer {
    mode: &'static str,
    found: bool,
    /// Calls from the first to the last.
    length: usize,
    chain: Vec<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<Closest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

/// An entity of the chain, and how it calls the next.
#[derive(Debug, Clone, Serialize)]
struct Step {
    entity: Item,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Tie>,
    /// Where it does: `alias:path:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    /// The line itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// Where a search without success came closest.
#[derive(Debug, Clone, Serialize)]
struct Closest {
    from_start: Reached,
    to_end: Reached,
}

#[derive(Debug, Clone, Serialize)]
struct Reached {
    /// Entities reached from this end, itself included.
    reached: usize,
    hops: u32,
    entity: Item,
}

pub(super) async fn answer(call: &Call<'_>, arguments: Arguments, ignored: Vec<String>) -> Result<Rendered, Refusal> {
    let options = Options::new(call, &arguments, ignored)?;
    let (from_name, to_name) = (needed("path", "from", &arguments.from)?, needed("path", "to", &arguments.to)?);
    let scope = Scope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let overlay = call.overlay().await;
    let (from, lookup) = entity::resolve(call, &scope, &overlay, "from", from_name, arguments.file.as_deref()).await?;
    let (to, lookup_of_to) = entity::resolve(call, &scope, &overlay, "to", to_name, None).await?;
    let positions = [from.at.position, to.at.position];
    let (mut plan, enter) = base_plan(call, &scope, &overlay, &positions, [lookup, lookup_of_to]);

    let search = chain(call, &mut plan, &overlay, (from.at, to.at), &enter, options.include_inferred).await;
    let ends = BTreeSet::from([from.at, to.at]);
    let nodes: BTreeSet<At> = match &search {
        Search::Chain { start, edges } => [*start].into_iter().chain(edges.iter().map(|edge| edge.to)).collect(),
        Search::None { from_start, to_end, .. } => {
            let likely = |reached: &BTreeMap<At, u32>, other: At| likely(reached, other);
            ends.iter().copied().chain(likely(from_start, to.at)).chain(likely(to_end, from.at)).collect()
        }
    };
    let cards = call.describe(&mut plan, &nodes).await;
    for (entity, name) in [(&from, from_name), (&to, to_name)] {
        if matches!(search, Search::None { .. }) && !cards.contains_key(&entity.at) {
            return Err(unreadable(&plan, entity, name));
        }
    }
    let mut notes = options.notes.clone();
    for (entity, argument) in [(&from, "from"), (&to, "to")] {
        notes.extend(entity.note.clone());
        if let Some(other) = entity.others.first() {
            notes.push(format!("{} others are called as `{argument}` says, such as {other}", entity.n_others));
        }
    }
    let (steps, closest, note) = match &search {
        Search::Chain { start, edges } => (steps(call, &mut plan, *start, edges, &cards).await, None, None),
        Search::None { from_start, to_end, is_cut } => {
            let closest = Closest {
                from_start: closest(&plan, from_start, to.at, from.at, &cards),
                to_end: closest(&plan, to_end, from.at, to.at, &cards),
            };
            (Vec::new(), Some(closest), Some(note_on_none(&plan, *is_cut)))
        }
    };
    let extent = Extent { total_items: steps.len() as u64, ..Extent::default() };
    let remarks = Remarks { hint: None, extent, ignored_arguments: options.ignored.clone(), notes };
    let _meta = Meta::new(call, &plan, nodes.iter().map(|at| at.position), remarks);
    let found = closest.is_none();
    let length = steps.len().saturating_sub(1);
    Ok(render(&plan, Answer { mode: "path", found, length, chain: steps, closest, note, _meta }, &options))
}

fn note_on_none(plan: &Plan, is_cut: bool) -> String {
    let unknown =
        crate::meta::nothing_found(plan).map(|unknown| format!("no chain of calls was found, which is {unknown}"));
    unknown.unwrap_or_else(|| {
        let bound = if is_cut { " within the bounds of the search" } else { "" };
        format!("no chain of calls leads there{bound}; closest is the nearest that each end gets")
    })
}

/// Returns the reached nodes that may be closest to `other`: in its repository first, then the furthest.
fn likely(reached: &BTreeMap<At, u32>, other: At) -> Vec<At> {
    let mut nodes: Vec<(&At, &u32)> = reached.iter().collect();
    nodes.sort_by_key(|(at, hops)| (at.position != other.position, Reverse(**hops), **at));
    nodes.into_iter().take(MAX_CONSIDERED).map(|(at, _)| *at).collect()
}

/// Returns the reached node closest to `other`: in its repository, then with most of its path in common, then furthest.
fn closest(
    plan: &Plan,
    reached: &BTreeMap<At, u32>,
    other: At,
    root: At,
    cards: &BTreeMap<At, v1::NodeCard>,
) -> Reached {
    let path = |at: &At| cards.get(at).map(path_of).unwrap_or_default();
    let in_common = |at: &At| path(at).split('/').zip(path(&other).split('/')).take_while(|(a, b)| a == b).count();
    let known = reached.iter().filter(|(at, _)| cards.contains_key(at));
    let best =
        known.min_by_key(|(at, hops)| (at.position != other.position, Reverse(in_common(at)), Reverse(**hops), **at));
    let (at, hops) = best.map_or((root, 0), |(at, hops)| (*at, *hops));
    let entity = cards.get(&at).map(|card| Item::of(plan, at, card)).unwrap_or_default();
    Reached { reached: reached.len(), hops, entity }
}

/// Returns the entities of a chain, each with the call of the next.
async fn steps(
    call: &Call<'_>,
    plan: &mut Plan,
    start: At,
    edges: &[Edge],
    cards: &BTreeMap<At, v1::NodeCard>,
) -> Vec<Step> {
    let place = |edge: &Edge| match &edge.evidence {
        Some(evidence) => evidence.user.clone(),
        None => {
            let path = cards.get(&edge.from).map(path_of).unwrap_or_default();
            (edge.from.position, path.to_owned(), edge.line)
        }
    };
    let sites: Vec<(usize, String, u32)> = edges.iter().map(place).collect();
    let wanted = |(position, path, line): &(usize, String, u32)| Wanted {
        position: *position,
        path: path.clone(),
        lines: LineSpan { start: (*line).max(1), end: (*line).max(1) },
    };
    let fetched = call.fetch(plan, &sites.iter().map(wanted).collect::<Vec<Wanted>>()).await;
    let nodes = [start].into_iter().chain(edges.iter().map(|edge| edge.to));
    nodes
        .enumerate()
        .map(|(idx, at)| {
            let site = sites.get(idx).map(|(position, path, line)| {
                format!("{}:{}:{line}", plan.alias(*position), text::sanitise_name(path))
            });
            let line = fetched.get(idx).and_then(Option::as_ref);
            let code = line.map(|line| line.text.trim().chars().take(MAX_SITE_CHARS).collect());
            Step {
                entity: cards.get(&at).map(|card| Item::of(plan, at, card)).unwrap_or_default(),
                next: edges.get(idx).map(|edge| Tie::of(plan, edge, edge.to)),
                site,
                code,
            }
        })
        .collect()
}

/// Lays the chain out, shortened where the budget asks for it.
fn render(plan: &Plan, whole: Answer, options: &Options) -> Rendered {
    let lay_out = |answer: &Answer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let exceeds = |answer: &Answer| text::estimate_tokens(&lay_out(answer)) > options.token_budget;
    let mut form = whole;
    let shorter: [fn(&mut Answer); 3] = [
        |answer| answer.chain.iter_mut().for_each(|step| step.code = None),
        |answer| {
            answer.chain.iter_mut().for_each(|step| step.entity.doc.clear());
            answer._meta.shorten();
        },
        |answer| {
            answer.chain.iter_mut().for_each(|step| step.entity.signature.clear());
            for reached in answer.closest.iter_mut().flat_map(|closest| [&mut closest.from_start, &mut closest.to_end])
            {
                reached.entity.signature.clear();
                reached.entity.doc.clear();
            }
        },
    ];
    for shorten in shorter {
        if !exceeds(&form) {
            break;
        }
        shorten(&mut form);
    }
    let cut = |n_shown: usize| {
        let mut answer = Answer { chain: form.chain[..n_shown].to_vec(), ..form.clone() };
        let is_all = n_shown == form.chain.len();
        let extent = &mut answer._meta.extent;
        extent.returned_items = n_shown as u64;
        extent.truncated = !is_all;
        extent.more = (!is_all).then(|| "a larger token_budget".to_owned());
        answer
    };
    let n_shown = pack::count_that_fits(options.token_budget, form.chain.len(), |n_shown| lay_out(&cut(n_shown)));
    let mut answer = cut(n_shown);
    if exceeds(&answer) {
        answer.closest = None;
        answer._meta.extent.more = None;
    }
    match options.format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => Rendered::compact(compact(&answer), plan),
    }
}

fn compact(answer: &Answer) -> String {
    let mut text = String::new();
    if answer.found {
        text += &format!("a chain of {} calls\n", answer.length);
    }
    for (step, number) in answer.chain.iter().zip(1..) {
        text += &format!("{number}. {}", step.entity.compact());
        if let (Some(next), Some(site)) = (&step.next, &step.site) {
            let code = step.code.as_ref().map(|code| format!(": {code}")).unwrap_or_default();
            text += &match next.evidence {
                Some(_) => format!("   {}{code}\n", next.compact("")),
                None => format!("   {} at {site}{code}\n", next.relation),
            };
        }
    }
    if let Some(note) = &answer.note {
        text += &format!("{note}\n");
    }
    if let Some(Closest { from_start, to_end }) = &answer.closest {
        for (what, reached) in [("from the start", from_start), ("towards the end", to_end)] {
            let Reached { reached, hops, entity } = reached;
            text += &format!("{what}: {reached} reached, closest after {hops} hops: {}", entity.compact());
        }
    }
    text + &answer._meta.footer()
}
