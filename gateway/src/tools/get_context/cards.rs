//! `targets`: several entities as cards in one answer, each with what `include` asks for.

use std::collections::{BTreeMap, BTreeSet};

use model::LineSpan;
use proto::v1;
use serde::Serialize;
use text::{Interest, Source, Want};

use super::{
    context::base_plan,
    facts::{Fact, Include, fact},
    item::{Item, Tie, lines_of, path_of},
    request::{Arguments, Options},
    sources::outline,
};
use crate::{
    call::Call,
    entity,
    fetch::{Fetched, Wanted},
    meta::{Extent, Meta, Remarks},
    nodes::At,
    pack,
    plan::Plan,
    refusal::Refusal,
    render::{self, Format, Rendered},
    scope::Scope,
    walk::{Edge, Way, hop, weights::Weights},
};

/// Targets of one call: each is looked up by itself.
const MAX_TARGETS: usize = 20;

/// Callers, and callees, that one card names.
const MAX_NAMED: usize = 12;

/// Lines of one definition that are read.
const MAX_READ_LINES: u32 = 600;

/// The part of the budget that the skeletons of all cards take at most, as a divisor.
const SKELETON_SHARE: usize = 3;

const CALLS: [v1::EdgeKind; 3] = [v1::EdgeKind::Calls, v1::EdgeKind::Handles, v1::EdgeKind::References];

/// What is included unless the caller says so.
const DEFAULT_INCLUDE: [Include; 5] =
    [Include::Docs, Include::Source, Include::Callers, Include::Callees, Include::Metrics];

#[derive(Debug, Clone, Serialize)]
struct Answer {
    cards: Vec<Card>,
    _meta: Meta,
}

#[derive(Debug, Clone, Default, Serialize)]
struct Card {
    target: String,
    /// Why there is nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<Item>,
    /// One line on each matter, by its name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<Fact>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callees: Vec<String>,
    /// Signatures of what a file defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skeleton: Vec<String>,
}

pub(super) async fn answer(call: &Call<'_>, arguments: Arguments, ignored: Vec<String>) -> Result<Rendered, Refusal> {
    let mut options = Options::new(call, &arguments, ignored)?;
    let mut targets = arguments.targets.clone().unwrap_or_default();
    if targets.len() > MAX_TARGETS {
        options.notes.push(format!("the first {MAX_TARGETS} of {} targets were looked at", targets.len()));
        targets.truncate(MAX_TARGETS);
    }
    let include = arguments.include.clone().unwrap_or_else(|| DEFAULT_INCLUDE.to_vec());
    let scope = Scope::new(&call.visible, arguments.repo.as_deref(), arguments.projects.as_deref())?;
    let overlay = call.overlay().await;
    let (mut resolved, mut lookups) = (Vec::new(), Vec::new());
    for target in &targets {
        match entity::resolve(call, &scope, &overlay, "targets", target, None).await {
            Ok((entity, lookup)) => {
                resolved.push(Ok(entity.at));
                lookups.push(lookup);
            }
            Err(refusal) => resolved.push(Err(refusal.to_string())),
        }
    }
    let roots: BTreeSet<At> = resolved.iter().filter_map(|found| found.as_ref().ok().copied()).collect();
    let positions: Vec<usize> = roots.iter().map(|at| at.position).collect();
    let (mut plan, enter) = base_plan(call, &scope, &overlay, &positions, lookups);
    let weights = Weights::new(None);
    let (direction, include_inferred) = (v1::Direction::Both, options.include_inferred);
    let way = Way { depth: 1, direction, kinds: &CALLS, include_inferred, enter: &enter, weights: &weights };
    let edges = hop(call, &mut plan, &overlay, &roots, &way, MAX_NAMED as u32 * 2).await.edges;
    let ends = edges.iter().flat_map(|edge| [edge.from, edge.to]);
    let known = call.describe(&mut plan, &ends.chain(roots.iter().copied()).collect()).await;
    let histories = histories(call, &mut plan, &include, &roots, &known).await;
    let sources = sources(call, &mut plan, &include, &roots, &known).await;

    let mut cards: Vec<Card> = Vec::new();
    for (target, found) in targets.iter().zip(&resolved) {
        let target = crate::refusal::quoted(target);
        cards.push(match found {
            Ok(at) => match known.get(at) {
                Some(card) => Card { target, ..of_node(&plan, *at, card, &include, &edges, &known, &histories) },
                None => {
                    Card { target, error: Some("its repository could not tell of it".to_owned()), ..Card::default() }
                }
            },
            Err(error) => Card { target, error: Some(error.clone()), ..Card::default() },
        });
    }
    if include.contains(&Include::Skeleton) {
        let for_skeletons = options.token_budget / SKELETON_SHARE / targets.len().max(1);
        for (card, found) in cards.iter_mut().zip(&resolved) {
            let Some((at, node)) = found.as_ref().ok().and_then(|at| Some((at, known.get(at)?))) else { continue };
            card.skeleton = skeleton(call, &mut plan, *at, node, for_skeletons).await;
        }
    }
    let extent = Extent { total_items: cards.len() as u64, ..Extent::default() };
    let (notes, ignored_arguments) = (options.notes.clone(), options.ignored.clone());
    let _meta = Meta::new(call, &plan, positions, Remarks { hint: None, extent, ignored_arguments, notes });
    let code: Vec<Option<&Fetched>> =
        resolved.iter().map(|found| found.as_ref().ok().and_then(|at| sources.get(at))).collect();
    Ok(render(&plan, Answer { cards, _meta }, &code, &options))
}

async fn histories(
    call: &Call<'_>,
    plan: &mut Plan,
    include: &[Include],
    roots: &BTreeSet<At>,
    known: &BTreeMap<At, v1::NodeCard>,
) -> BTreeMap<(usize, String), v1::FileHistory> {
    let of_past = [Include::Ownership, Include::LastChange, Include::Freshness];
    if !include.iter().any(|include| of_past.contains(include)) {
        return BTreeMap::new();
    }
    let file = |at: &At| Some((at.position, path_of(known.get(at)?).to_owned()));
    call.history(plan, &roots.iter().filter_map(file).collect()).await
}

async fn sources(
    call: &Call<'_>,
    plan: &mut Plan,
    include: &[Include],
    roots: &BTreeSet<At>,
    known: &BTreeMap<At, v1::NodeCard>,
) -> BTreeMap<At, Fetched> {
    if !include.contains(&Include::Source) {
        return BTreeMap::new();
    }
    let wanted = |at: &At| {
        let card = known.get(at)?;
        let LineSpan { start, end } = lines_of(card);
        let lines = LineSpan { start, end: end.min(start.saturating_add(MAX_READ_LINES - 1)) };
        Some((*at, Wanted { position: at.position, path: path_of(card).to_owned(), lines }))
    };
    let (nodes, wants): (Vec<At>, Vec<Wanted>) = roots.iter().filter_map(wanted).unzip();
    let fetched = call.fetch(plan, &wants).await;
    nodes.into_iter().zip(fetched).filter_map(|(at, fetched)| Some((at, fetched?))).collect()
}

/// Returns the signatures of what a type, or else the file, defines, as many as `budget` tokens hold.
async fn skeleton(call: &Call<'_>, plan: &mut Plan, at: At, card: &v1::NodeCard, budget: usize) -> Vec<String> {
    let rows = outline(call, plan, at, card).await;
    let mut left = budget;
    let fits = |line: &String| {
        let rest = left.checked_sub(text::estimate_tokens(line) + 1);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let lines = rows.iter().map(|row| format!("{} {}", row.line, row.signature));
    lines.take_while(fits).collect()
}

fn of_node(
    plan: &Plan,
    at: At,
    card: &v1::NodeCard,
    include: &[Include],
    edges: &[Edge],
    known: &BTreeMap<At, v1::NodeCard>,
    histories: &BTreeMap<(usize, String), v1::FileHistory>,
) -> Card {
    let mut item = Item::of(plan, at, card);
    if !include.contains(&Include::Docs) {
        item.doc.clear();
    }
    let line = |edge: &&Edge, other: At| {
        let node = known.get(&other)?;
        let Item { id, repo, path, .. } = Item::of(plan, other, node);
        Some(format!("{id} [{}]", Tie::of(plan, edge, other).compact(&format!("{repo}:{path}"))))
    };
    let callers = edges.iter().filter(|edge| edge.to == at && edge.from != at);
    let callees = edges.iter().filter(|edge| edge.from == at && edge.to != at && edge.relation.is_call());
    let named =
        |include_it: Include, lines: Vec<String>| if include.contains(&include_it) { lines } else { Vec::new() };
    let history = histories.get(&(at.position, path_of(card).to_owned()));
    Card {
        facts: include.iter().filter_map(|include| fact(*include, card, history)).collect(),
        callers: named(Include::Callers, callers.filter_map(|edge| line(&edge, edge.from)).take(MAX_NAMED).collect()),
        callees: named(Include::Callees, callees.filter_map(|edge| line(&edge, edge.to)).take(MAX_NAMED).collect()),
        entity: Some(item),
        ..Card::default()
    }
}

/// Shares what is left beside the facts between the sources, and lays the cards out.
fn render(plan: &Plan, mut whole: Answer, code: &[Option<&Fetched>], options: &Options) -> Rendered {
    let lay_out = |answer: &Answer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let n_cards = whole.cards.len();
    let cut = |form: &Answer, n_shown: usize| {
        let mut answer = Answer { cards: form.cards[..n_shown].to_vec(), ..form.clone() };
        answer._meta.extent.returned_items = n_shown as u64;
        answer._meta.extent.truncated = n_shown < n_cards;
        answer._meta.extent.more = (n_shown < n_cards).then(|| "a larger token_budget, or fewer targets".to_owned());
        answer
    };
    let fits =
        |form: &Answer| pack::count_that_fits(options.token_budget, n_cards, |n_shown| lay_out(&cut(form, n_shown)));
    let mut n_shown = fits(&whole);
    if n_shown < n_cards {
        whole._meta.shorten();
        n_shown = fits(&whole);
    }
    let bare = cut(&whole, n_shown);
    let with_room = |room: usize| {
        let wants: Vec<Want> = code[..n_shown]
            .iter()
            .map(|code| Want { min: 0, max: code.map_or(0, |code| text::estimate_tokens(&code.text)), weight: 1 })
            .collect();
        let mut answer = bare.clone();
        for ((card, code), share) in answer.cards.iter_mut().zip(code).zip(text::share(room, &wants)) {
            let Some((item, code)) = card.entity.as_mut().zip(*code) else { continue };
            let source = Source { text: &code.text, first_line: code.lines.start, n_head_lines: 1 };
            let excerpt = text::excerpt(source, Interest::default(), share).text;
            item.code = Some(excerpt).filter(|excerpt| !excerpt.is_empty());
        }
        answer
    };
    let room = pack::room_that_fits(options.token_budget, |room| lay_out(&with_room(room)));
    let answer = with_room(room);
    match options.format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => Rendered::compact(compact(&answer), plan),
    }
}

fn compact(answer: &Answer) -> String {
    let mut text = String::new();
    for card in &answer.cards {
        text += &format!("## {}\n", card.target);
        text += &card.error.as_ref().map(|error| format!("{error}\n")).unwrap_or_default();
        if let Some(item) = &card.entity {
            text += &item.compact();
            text += &if item.doc.is_empty() { String::new() } else { format!("{}\n", item.doc) };
        }
        card.facts.iter().for_each(|fact| text += &format!("{}: {}\n", fact.of, fact.is));
        for (name, lines) in [("callers", &card.callers), ("callees", &card.callees), ("skeleton", &card.skeleton)] {
            if !lines.is_empty() {
                text += &format!("{name}:\n  {}\n", lines.join("\n  "));
            }
        }
    }
    text + &answer._meta.footer()
}
