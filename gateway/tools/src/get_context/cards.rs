//! `targets`: cards of several entities in one answer, each with the topics of `include`.

use std::collections::{BTreeMap, BTreeSet};

use model::LineSpan;
use proto::v1;
use serde::Serialize;
use text::{BudgetRequest, ExcerptLimits, ExcerptSource, Interest};

use super::{
    card_facts::{Fact, Include, fact},
    context::base_plan,
    item::{ContextItem, ItemLink, lines_of, path_of},
    request::{ContextOptions, GetContextArguments},
    sources::outline,
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
    entity,
    fetch::{FetchedSource, SourceRequest},
    nodes::NodeRef,
    plan::Plan,
    refusal::Refusal,
    repo_idx::RepoIdx,
    scope::GraphScope,
    walk::{WalkEdge, WalkScope, hop, weights::Weights},
};

/// Maximum number of targets in one call: each is resolved separately.
const MAX_TARGETS: usize = 20;

/// Maximum number of callers, and of callees, on one card.
const MAX_NAMED: usize = 12;

/// Maximum number of lines to read of one definition.
const MAX_READ_LINES: u32 = 600;

/// Divisor of the budget: the maximum share of all skeletons.
const SKELETON_SHARE: usize = 3;

const CALLS: [v1::EdgeKind; 3] = [v1::EdgeKind::Calls, v1::EdgeKind::Handles, v1::EdgeKind::References];

/// The default topics.
const DEFAULT_INCLUDE: [Include; 5] =
    [Include::Docs, Include::Source, Include::Callers, Include::Callees, Include::Metrics];

#[derive(Debug, Clone, Serialize)]
struct CardsAnswer {
    cards: Vec<Card>,
    _meta: Meta,
}

#[derive(Debug, Clone, Default, Serialize)]
struct Card {
    target: String,
    /// The error, if there is no card.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<ContextItem>,
    /// One line per topic, by its name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<Fact>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callees: Vec<String>,
    /// Signatures of the definitions in a file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skeleton: Vec<String>,
}

pub(super) async fn answer(
    tool_call: &ToolCall<'_>,
    arguments: GetContextArguments,
    ignored: Vec<String>,
) -> Result<RenderedAnswer, Refusal> {
    let call = &tool_call.context;
    let mut options = ContextOptions::new(tool_call, &arguments, ignored)?;
    let mut targets = arguments.targets.clone().unwrap_or_default();
    if targets.len() > MAX_TARGETS {
        options.notes.push(format!("only the first {MAX_TARGETS} of {} targets were used", targets.len()));
        targets.truncate(MAX_TARGETS);
    }
    let include = arguments.include.clone().unwrap_or_else(|| DEFAULT_INCLUDE.to_vec());
    let scope = GraphScope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let overlay = call.overlay().await;
    let (mut resolved, mut lookups) = (Vec::new(), Vec::new());
    for target in &targets {
        match entity::resolve(call, &scope, &overlay, "targets", target, None).await {
            Ok(entity) => {
                resolved.push(Ok(entity.value.at));
                lookups.push(entity.shortfalls);
            }
            Err(refusal) => resolved.push(Err(refusal.to_string())),
        }
    }
    let roots: BTreeSet<NodeRef> = resolved.iter().filter_map(|found| found.as_ref().ok().copied()).collect();
    let repo_idxs: Vec<RepoIdx> = roots.iter().map(|at| at.repo_idx).collect();
    let (plan, enter) = base_plan(call, &scope, &overlay, &repo_idxs, lookups);
    let weights = Weights::new(None);
    let (direction, include_inferred) = (v1::Direction::Both, options.include_inferred);
    let walk_scope =
        WalkScope { depth: 1, direction, kinds: &CALLS, include_inferred, enter: &enter, weights: &weights };
    let hop = hop(call, &plan, &overlay, &roots, &walk_scope, MAX_NAMED as u32 * 2).await;
    let edges = hop.value.edges;
    let nodes = edges.iter().flat_map(|edge| [edge.from, edge.to]).chain(roots.iter().copied()).collect();
    let described = call.describe(&plan.without(&hop.shortfalls), &nodes).await.after(hop.shortfalls);
    let node_cards = described.value;
    let remaining = plan.without(&described.shortfalls);
    let histories = histories(call, &remaining, &include, &roots, &node_cards).await.after(described.shortfalls);
    let remaining = plan.without(&histories.shortfalls);
    let sources = sources(call, &remaining, &include, &roots, &node_cards).await.after(histories.shortfalls);
    let sources = sources.map(|sources| options.seen.replace_nodes(&plan, &node_cards, sources));
    let (histories, mut shortfalls) = (histories.value, sources.shortfalls);

    let mut cards: Vec<Card> = Vec::new();
    for (target, found) in targets.iter().zip(&resolved) {
        let target = federation::refusal::echo(target);
        cards.push(match found {
            Ok(at) => match node_cards.get(at) {
                Some(card) => Card { target, ..node_card(&plan, *at, card, &include, &edges, &node_cards, &histories) },
                None => Card {
                    target,
                    error: Some("its repository did not describe it; see `_meta.coverage`".to_owned()),
                    ..Card::default()
                },
            },
            Err(error) => Card { target, error: Some(error.clone()), ..Card::default() },
        });
    }
    if include.contains(&Include::Skeleton) {
        let for_skeletons = options.token_budget / SKELETON_SHARE / targets.len().max(1);
        for (card, found) in cards.iter_mut().zip(&resolved) {
            let Some((at, node)) = found.as_ref().ok().and_then(|at| Some((at, node_cards.get(at)?))) else { continue };
            let skeleton = skeleton(call, *at, node, for_skeletons).await;
            shortfalls.extend(skeleton.shortfalls);
            card.skeleton = skeleton.value;
        }
    }
    let answered = plan.without(&shortfalls);
    let extent = AnswerExtent { total_items: cards.len() as u64, ..AnswerExtent::default() };
    let (notes, ignored_arguments) = (options.notes.clone(), options.ignored.clone());
    let with_callers = roots.iter().filter(|_| include.contains(&Include::Callers));
    let with_callers = with_callers.filter_map(|at| Some((*at, node_cards.get(at)?)));
    let may_miss = MayMiss::of_all(&answered, &overlay, with_callers);
    let remarks = Remarks { extent, ignored_arguments, notes, may_miss, ..Remarks::default() };
    let _meta = Meta::new(&answered, repo_idxs, remarks);
    let code: Vec<Option<&FetchedSource>> =
        resolved.iter().map(|found| found.as_ref().ok().and_then(|at| sources.value.get(at))).collect();
    Ok(render(&answered, CardsAnswer { cards, _meta }, &code, &options))
}

async fn histories(
    call: &CallContext<'_>,
    plan: &Plan,
    include: &[Include],
    roots: &BTreeSet<NodeRef>,
    node_cards: &BTreeMap<NodeRef, v1::NodeCard>,
) -> Answer<BTreeMap<(RepoIdx, String), v1::FileHistory>> {
    let history_topics = [Include::Ownership, Include::LastChange, Include::Freshness];
    if !include.iter().any(|include| history_topics.contains(include)) {
        return Answer::complete(BTreeMap::new());
    }
    let file = |at: &NodeRef| Some((at.repo_idx, path_of(node_cards.get(at)?).to_owned()));
    call.history(plan, &roots.iter().filter_map(file).collect()).await
}

async fn sources(
    call: &CallContext<'_>,
    plan: &Plan,
    include: &[Include],
    roots: &BTreeSet<NodeRef>,
    node_cards: &BTreeMap<NodeRef, v1::NodeCard>,
) -> Answer<BTreeMap<NodeRef, FetchedSource>> {
    if !include.contains(&Include::Source) {
        return Answer::complete(BTreeMap::new());
    }
    let source_request = |at: &NodeRef| {
        let card = node_cards.get(at)?;
        let LineSpan { start, end } = lines_of(card);
        let lines = LineSpan { start, end: end.min(start.saturating_add(MAX_READ_LINES - 1)) };
        Some((*at, SourceRequest { repo_idx: at.repo_idx, path: path_of(card).to_owned(), lines }))
    };
    let (nodes, wants): (Vec<NodeRef>, Vec<SourceRequest>) = roots.iter().filter_map(source_request).unzip();
    let fetched = call.fetch(plan, &wants).await;
    fetched.map(|fetched| nodes.into_iter().zip(fetched).filter_map(|(at, fetched)| Some((at, fetched?))).collect())
}

/// Returns the member signatures of a type, or those of the file, as many as `budget` tokens hold.
async fn skeleton(call: &CallContext<'_>, at: NodeRef, card: &v1::NodeCard, budget: usize) -> Answer<Vec<String>> {
    let mut n_left = budget;
    let fits = |line: &String| {
        let rest = n_left.checked_sub(text::estimate_tokens(line) + 1);
        n_left = rest.unwrap_or(0);
        rest.is_some()
    };
    let rows = outline(call, at, card).await;
    rows.map(|rows| rows.iter().map(|row| format!("{} {}", row.line, row.signature)).take_while(fits).collect())
}

fn node_card(
    plan: &Plan,
    at: NodeRef,
    card: &v1::NodeCard,
    include: &[Include],
    edges: &[WalkEdge],
    node_cards: &BTreeMap<NodeRef, v1::NodeCard>,
    histories: &BTreeMap<(RepoIdx, String), v1::FileHistory>,
) -> Card {
    let mut item = ContextItem::of(plan, at, card);
    if !include.contains(&Include::Docs) {
        item.doc.clear();
    }
    let line = |edge: &&WalkEdge, other: NodeRef| {
        let node = node_cards.get(&other)?;
        let ContextItem { id, repo, path, .. } = ContextItem::of(plan, other, node);
        let id = text::quote_name(&id);
        Some(format!("{id} [{}]", ItemLink::of(plan, edge, other).compact(&format!("{repo}:{path}"))))
    };
    let callers = edges.iter().filter(|edge| edge.to == at && edge.from != at);
    let callees = edges.iter().filter(|edge| edge.from == at && edge.to != at && edge.relation.is_call());
    let if_included =
        |include_it: Include, lines: Vec<String>| if include.contains(&include_it) { lines } else { Vec::new() };
    let history = histories.get(&(at.repo_idx, path_of(card).to_owned()));
    Card {
        facts: include.iter().filter_map(|include| fact(*include, card, history)).collect(),
        callers: if_included(
            Include::Callers,
            callers.filter_map(|edge| line(&edge, edge.from)).take(MAX_NAMED).collect(),
        ),
        callees: if_included(
            Include::Callees,
            callees.filter_map(|edge| line(&edge, edge.to)).take(MAX_NAMED).collect(),
        ),
        entity: Some(item),
        ..Card::default()
    }
}

/// Distributes the budget that the facts leave among the sources, and renders the cards.
fn render(
    plan: &Plan,
    mut whole: CardsAnswer,
    code: &[Option<&FetchedSource>],
    options: &ContextOptions,
) -> RenderedAnswer {
    let lay_out = |answer: &CardsAnswer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let n_cards = whole.cards.len();
    let cut = |form: &CardsAnswer, n_shown: usize| {
        let mut answer = CardsAnswer { cards: form.cards[..n_shown].to_vec(), ..form.clone() };
        answer._meta.extent.returned_items = n_shown as u64;
        answer._meta.extent.truncated = n_shown < n_cards;
        answer._meta.extent.more = (n_shown < n_cards).then(|| "a larger token_budget, or fewer targets".to_owned());
        answer
    };
    let fits = |form: &CardsAnswer| {
        pack::count_that_fits(options.token_budget, n_cards, |n_shown| lay_out(&cut(form, n_shown)))
    };
    let mut n_shown = fits(&whole);
    if n_shown < n_cards {
        whole._meta.shorten();
        n_shown = fits(&whole);
    }
    let without_code = cut(&whole, n_shown);
    let with_room = |room: usize| {
        let wants: Vec<BudgetRequest> = code[..n_shown]
            .iter()
            .map(|code| BudgetRequest {
                min: 0,
                max: code.map_or(0, |code| text::estimate_tokens(&code.text)),
                weight: 1,
            })
            .collect();
        let mut answer = without_code.clone();
        for ((card, code), share) in answer.cards.iter_mut().zip(code).zip(text::share_budget(room, &wants)) {
            let Some((item, code)) = card.entity.as_mut().zip(*code) else { continue };
            let source = ExcerptSource { text: &code.text, first_line: code.lines.start, n_head_lines: 1 };
            let excerpt = text::excerpt(source, Interest::default(), ExcerptLimits::of_tokens(share)).text;
            item.code = Some(excerpt).filter(|excerpt| !excerpt.is_empty());
        }
        answer
    };
    let room = pack::largest_fitting_room(options.token_budget, |room| lay_out(&with_room(room)));
    let answer = with_room(room);
    match options.format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(compact(&answer), plan),
    }
}

fn compact(answer: &CardsAnswer) -> String {
    let mut text = String::new();
    for card in &answer.cards {
        text += &format!("## {}\n", text::quote_name(&card.target));
        text += &card.error.as_ref().map(|error| format!("{error}\n")).unwrap_or_default();
        if let Some(item) = &card.entity {
            text += &item.compact();
            text += &if item.doc.is_empty() { String::new() } else { format!("{}\n", text::quote(&item.doc)) };
        }
        card.facts.iter().for_each(|fact| text += &format!("{}: {}\n", fact.of, fact.is));
        for (name, lines) in [("callers", &card.callers), ("callees", &card.callees)] {
            if !lines.is_empty() {
                text += &format!("{name}:\n  {}\n", lines.join("\n  "));
            }
        }
        if !card.skeleton.is_empty() {
            let path = card.entity.as_ref().map_or("", |item| &item.path);
            text += &format!("skeleton:\n{}\n", render::code_fence(path, &card.skeleton.join("\n")));
        }
    }
    text + &answer._meta.footer()
}
