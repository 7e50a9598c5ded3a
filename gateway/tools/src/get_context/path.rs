//! mode=path: the shortest chain of calls between two entities, each hop with its call site.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use model::LineSpan;
use proto::v1;
use serde::Serialize;

use super::{
    context::{base_plan, not_described_refusal},
    item::{ContextItem, ItemLink, path_of},
    path_end::PathEnd,
    request::{ContextOptions, GetContextArguments, required_argument},
};
use crate::{
    ToolCall,
    may_miss::MayMiss,
    meta::{AnswerExtent, Meta, Remarks},
    pack,
    render::{self, Format, RenderedAnswer},
};
use federation::{
    answer::Answer,
    call::CallContext,
    coverage::Coverage,
    fetch::SourceRequest,
    nodes::NodeRef,
    plan::Plan,
    refusal::Refusal,
    repo_idx::RepoIdx,
    scope::GraphScope,
    walk::{
        WalkEdge,
        chain::{ChainSearch, chain},
    },
};

/// Maximum number of reached nodes to compare if there is no chain.
const MAX_CONSIDERED: usize = 300;

/// Maximum number of shown columns of a call site.
const MAX_SITE_CHARS: usize = 120;

#[derive(Debug, Clone, Serialize)]
struct PathAnswer {
    mode: &'static str,
    found: bool,
    /// Number of calls from the first to the last.
    length: usize,
    chain: Vec<ChainStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<ClosestEntities>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    _meta: Meta,
}

/// An entity of the chain, and its call of the next one.
#[derive(Debug, Clone, Serialize)]
struct ChainStep {
    entity: ContextItem,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<ItemLink>,
    /// The call site: `alias:path:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    /// The source line of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// The closest entities of an unsuccessful search.
#[derive(Debug, Clone, Serialize)]
struct ClosestEntities {
    from_start: SearchFrontier,
    to_end: SearchFrontier,
}

#[derive(Debug, Clone, Serialize)]
struct SearchFrontier {
    /// Number of entities reached from this end, including itself.
    reached: usize,
    hops: u32,
    entity: ContextItem,
}

pub(super) async fn answer(
    tool_call: &ToolCall<'_>,
    arguments: GetContextArguments,
    ignored: Vec<String>,
) -> Result<RenderedAnswer, Refusal> {
    let call = &tool_call.context;
    let options = ContextOptions::new(tool_call, &arguments, ignored)?;
    let (from_name, to_name) =
        (required_argument("path", "from", &arguments.from)?, required_argument("path", "to", &arguments.to)?);
    let scope = GraphScope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let overlay = call.overlay().await;
    let from = PathEnd::resolve(call, &scope, &overlay, "from", from_name, arguments.file.as_deref()).await?;
    let to = PathEnd::resolve(call, &scope, &overlay, "to", to_name, None).await?;
    let lookups = [from.shortfalls, to.shortfalls];
    let (from, to) = (from.value, to.value);
    let repo_idxs: Vec<RepoIdx> = from.nodes.iter().chain(&to.nodes).map(|at| at.repo_idx).collect();
    let (plan, enter) = base_plan(call, &scope, &overlay, &repo_idxs, lookups);

    let searched = chain(call, &plan, &overlay, (&from.nodes, &to.nodes), &enter, options.include_inferred).await;
    let search = to.with_contract(searched.value);
    let contract_item = to.contract_item(&search);
    let (from, to) = (from.entity, to.entity);
    let ends = BTreeSet::from([from.at, to.at]);
    let nodes: BTreeSet<NodeRef> = match &search {
        ChainSearch::Chain { start, edges } => [*start].into_iter().chain(edges.iter().map(|edge| edge.to)).collect(),
        ChainSearch::None { from_start, to_end, .. } => ends
            .iter()
            .copied()
            .chain(likely_closest(from_start, to.at))
            .chain(likely_closest(to_end, from.at))
            .collect(),
    };
    let described = call.describe(&plan.without(&searched.shortfalls), &nodes).await.after(searched.shortfalls);
    let remaining = plan.without(&described.shortfalls);
    let cards = described.value;
    for (entity, name) in [(&from, from_name), (&to, to_name)] {
        if matches!(search, ChainSearch::None { .. }) && !cards.contains_key(&entity.at) {
            return Err(not_described_refusal(&remaining, entity, name));
        }
    }
    let mut notes = options.notes.clone();
    for (entity, argument) in [(&from, "from"), (&to, "to")] {
        notes.extend(entity.note.clone());
        if let Some(other) = entity.others.first() {
            let other = text::quote_name(other);
            notes.push(format!("`{argument}` is ambiguous, {} more: for example {other}", entity.n_others));
        }
    }
    let (steps, closest, note) = match &search {
        ChainSearch::Chain { start, edges } => (steps(call, &remaining, *start, edges, &cards).await, None, None),
        ChainSearch::None { from_start, to_end, is_cut } => {
            let closest = ClosestEntities {
                from_start: closest(&plan, from_start, to.at, from.at, &cards),
                to_end: closest(&plan, to_end, from.at, to.at, &cards),
            };
            (Answer::complete(Vec::new()), Some(closest), Some(note_on_none(&remaining, *is_cut)))
        }
    };
    let steps = steps.after(described.shortfalls);
    let answered = plan.without(&steps.shortfalls);
    let mut steps = steps.value;
    if let (Some(last), Some(item)) = (steps.last_mut(), contract_item) {
        last.entity = item;
    }
    let extent = AnswerExtent { total_items: steps.len() as u64, ..AnswerExtent::default() };
    // A call of the end that could not be resolved may be the last step of a chain.
    let may_miss = cards.get(&to.at).filter(|_| closest.is_some());
    let may_miss = may_miss.and_then(|card| MayMiss::of(&answered, &overlay, to.at, card));
    let ignored_arguments = options.ignored.clone();
    let remarks = Remarks { extent, ignored_arguments, notes, may_miss, ..Remarks::default() };
    let _meta = Meta::new(&answered, nodes.iter().map(|at| at.repo_idx), remarks);
    let found = closest.is_none();
    let length = steps.len().saturating_sub(1);
    Ok(render(&answered, PathAnswer { mode: "path", found, length, chain: steps, closest, note, _meta }, &options))
}

fn note_on_none(plan: &Plan, is_cut: bool) -> String {
    let unknown = Coverage::of(plan).unknown_note().map(|unknown| format!("no chain of calls was found ({unknown})"));
    unknown.unwrap_or_else(|| {
        let bound = if is_cut { " within the bounds of the search" } else { "" };
        format!("no chain of calls connects the two{bound}; `closest` has the nearest entity that each search reached")
    })
}

/// Returns the reached nodes that may be closest to `other`: those in its repository first, then the most distant ones.
fn likely_closest(reached: &BTreeMap<NodeRef, u32>, other: NodeRef) -> Vec<NodeRef> {
    let mut nodes: Vec<(&NodeRef, &u32)> = reached.iter().collect();
    nodes.sort_by_key(|(at, hops)| (at.repo_idx != other.repo_idx, Reverse(**hops), **at));
    nodes.into_iter().take(MAX_CONSIDERED).map(|(at, _)| *at).collect()
}

/// Returns the reached node closest to `other`: in its repository, then with the longest common path, then the most
/// distant one.
fn closest(
    plan: &Plan,
    reached: &BTreeMap<NodeRef, u32>,
    other: NodeRef,
    root: NodeRef,
    cards: &BTreeMap<NodeRef, v1::NodeCard>,
) -> SearchFrontier {
    let path = |at: &NodeRef| cards.get(at).map(path_of).unwrap_or_default();
    let n_common_parts =
        |at: &NodeRef| path(at).split('/').zip(path(&other).split('/')).take_while(|(a, b)| a == b).count();
    let known = reached.iter().filter(|(at, _)| cards.contains_key(at));
    let best = known
        .min_by_key(|(at, hops)| (at.repo_idx != other.repo_idx, Reverse(n_common_parts(at)), Reverse(**hops), **at));
    let (at, hops) = best.map_or((root, 0), |(at, hops)| (*at, *hops));
    let entity = cards.get(&at).map(|card| ContextItem::of(plan, at, card)).unwrap_or_default();
    SearchFrontier { reached: reached.len(), hops, entity }
}

/// Returns the entities of a chain, each with its call of the next.
async fn steps(
    call: &CallContext<'_>,
    plan: &Plan,
    start: NodeRef,
    edges: &[WalkEdge],
    cards: &BTreeMap<NodeRef, v1::NodeCard>,
) -> Answer<Vec<ChainStep>> {
    let call_site = |edge: &WalkEdge| match &edge.evidence {
        Some(evidence) => (evidence.user.0, evidence.user.1.to_string(), evidence.user.2),
        None => {
            let path = cards.get(&edge.from).map(path_of).unwrap_or_default();
            (edge.from.repo_idx, path.to_owned(), edge.line)
        }
    };
    let sites: Vec<(RepoIdx, String, u32)> = edges.iter().map(call_site).collect();
    let source_request = |(repo_idx, path, line): &(RepoIdx, String, u32)| SourceRequest {
        repo_idx: *repo_idx,
        path: path.clone(),
        lines: LineSpan { start: (*line).max(1), end: (*line).max(1) },
    };
    let Answer { value: fetched, shortfalls } =
        call.fetch(plan, &sites.iter().map(source_request).collect::<Vec<SourceRequest>>()).await;
    let nodes = [start].into_iter().chain(edges.iter().map(|edge| edge.to));
    let steps = nodes
        .enumerate()
        .map(|(idx, at)| {
            let site = sites.get(idx).map(|(repo_idx, path, line)| {
                format!("{}:{}:{line}", plan.alias(*repo_idx), text::sanitise_name(path))
            });
            let line = fetched.get(idx).and_then(Option::as_ref);
            let code = line.map(|line| line.text.trim().chars().take(MAX_SITE_CHARS).collect());
            ChainStep {
                entity: cards.get(&at).map(|card| ContextItem::of(plan, at, card)).unwrap_or_default(),
                next: edges.get(idx).map(|edge| ItemLink::of(plan, edge, edge.to)),
                site,
                code,
            }
        })
        .collect();
    Answer { value: steps, shortfalls }
}

/// Renders the chain, shortened if the budget requires it.
fn render(plan: &Plan, whole: PathAnswer, options: &ContextOptions) -> RenderedAnswer {
    let lay_out = |answer: &PathAnswer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let exceeds = |answer: &PathAnswer| text::estimate_tokens(&lay_out(answer)) > options.token_budget;
    let mut form = whole;
    let shorter: [fn(&mut PathAnswer); 3] = [
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
        let mut answer = PathAnswer { chain: form.chain[..n_shown].to_vec(), ..form.clone() };
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
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(compact(&answer), plan),
    }
}

fn compact(answer: &PathAnswer) -> String {
    let mut text = String::new();
    if answer.found {
        text += &match answer.length {
            1 => "a chain of one step\n".to_owned(),
            length => format!("a chain of {length} steps\n"),
        };
    }
    for (step, number) in answer.chain.iter().zip(1..) {
        text += &format!("{number}. {}", step.entity.compact());
        if let (Some(next), Some(site)) = (&step.next, &step.site) {
            let code = step.code.as_ref().map(|code| format!(": {}", text::quote(code))).unwrap_or_default();
            text += &match next.evidence {
                Some(_) => format!("   {}{code}\n", next.compact("")),
                None => format!("   {} at {}{code}\n", next.relation, text::quote_name(site)),
            };
        }
    }
    if let Some(note) = &answer.note {
        text += &format!("{note}\n");
    }
    if let Some(ClosestEntities { from_start, to_end }) = &answer.closest {
        for (what, reached) in [("from the start", from_start), ("towards the end", to_end)] {
            let SearchFrontier { reached, hops, entity } = reached;
            text += &format!("{what}: {reached} reached, closest after {hops} hops: {}", entity.compact());
        }
    }
    text + &answer._meta.footer()
}
