//! The modules around an entity, for who plans: files with what of them was met, by how they hang together with the
//! file of the entity, and what leads into other repositories.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{around::Around, item::Item};
use crate::{
    nodes::At,
    plan::Plan,
    walk::{Edge, Relation},
};

/// Names that one line lists.
const MAX_NAMES: usize = 4;

/// Modules and links of one kind that are told of at most.
const MAX_MODULES: usize = 60;

/// A file: its repository, and its node there.
type Module = (usize, u32);

/// A using repository, an offering one, and the kind of their links.
type Pair = (usize, usize, &'static str);

/// How many links a pair has, some of their keys, and one of them.
type Joined<'a> = (usize, BTreeSet<&'a str>, &'a Edge);

/// Sections of a plan, in their order.
const MODULES: usize = 1;
const DEPENDS_ON: usize = 2;
const USED_BY: usize = 3;
const LINKS: usize = 4;

/// What of one module was met.
#[derive(Default)]
struct Met {
    relevance: f64,
    names: Vec<String>,
    n_entities: usize,
}

/// Returns the modules and links, each with its section, the most relevant first.
pub(super) fn modules(plan: &Plan, around: &Around<'_>) -> Vec<(usize, Item)> {
    let module = |at: &At| around.cards.get(at).map(|card| (at.position, card.file_node));
    let Some(home) = module(&around.entity.at) else { return Vec::new() };
    let mut met: BTreeMap<Module, Met> = BTreeMap::new();
    for placed in around.placed {
        let Some((of, card)) = module(&placed.ranked.at).zip(around.cards.get(&placed.ranked.at)) else { continue };
        let met = met.entry(of).or_default();
        met.relevance += placed.ranked.relevance;
        met.n_entities += usize::from(card.symbol.is_some());
        if let Some(symbol) = card.symbol.as_ref().filter(|_| met.names.len() < MAX_NAMES) {
            met.names.push(text::sanitise_name(&symbol.name).into_owned());
        }
    }
    let (mut out, mut into): (BTreeMap<Module, u32>, BTreeMap<Module, u32>) = Default::default();
    for edge in around.found.edges.iter().filter(|edge| edge.relation != Relation::Within(v1::EdgeKind::Defines)) {
        let (Some(from), Some(to)) = (module(&edge.from), module(&edge.to)) else { continue };
        match (from == home, to == home) {
            (true, false) => *out.entry(to).or_default() += edge.sites.max(1),
            (false, true) => *into.entry(from).or_default() += edge.sites.max(1),
            _ => {}
        }
    }
    let mut ordered: Vec<(&Module, &Met)> = met.iter().collect();
    ordered.sort_by(|(a, a_met), (b, b_met)| b_met.relevance.total_cmp(&a_met.relevance).then(a.cmp(b)));
    let mut items = Vec::new();
    for (of, met) in ordered.into_iter().take(MAX_MODULES) {
        let Some(mut item) = file_item(plan, around, *of) else { continue };
        let (n_out, n_into) = (out.get(of), into.get(of));
        let section = match (n_out, n_into) {
            (Some(n_out), n_into) if n_into.is_none_or(|n_into| n_into <= n_out) => DEPENDS_ON,
            (_, Some(_)) => USED_BY,
            _ => MODULES,
        };
        let (uses, back) = if section == DEPENDS_ON { (n_out, n_into) } else { (n_into, n_out) };
        let counts = [(uses, "uses"), (back, "back")];
        let counts = counts.iter().filter_map(|(count, what)| Some(format!("{} {what}", (*count)?)));
        let mut parts: Vec<String> = counts.collect();
        if met.n_entities > 0 {
            let more = if met.n_entities > met.names.len() { ", ..." } else { "" };
            parts.push(format!("{}{more}", met.names.join(", ")));
        }
        item.signature = parts.join("; ");
        items.push((section, item));
    }
    items.extend(links(plan, around).into_iter().map(|item| (LINKS, item)));
    items
}

/// Returns a file as an item, with the community that what was met of it is in.
fn file_item(plan: &Plan, around: &Around<'_>, (position, file_node): Module) -> Option<Item> {
    let in_file = |(at, card): &(&At, &v1::NodeCard)| at.position == position && card.file_node == file_node;
    let (at, card) = around.cards.iter().find(in_file)?;
    let file_card = v1::NodeCard { symbol: None, route: None, community: None, ..card.clone() };
    let community = card.community.as_ref().map(|community| text::sanitise_name(&community.label).into_owned());
    let item = Item::of(plan, *at, &file_card);
    Some(Item { kind: "module".to_owned(), doc: community.unwrap_or_default(), ..item })
}

/// Returns what leads from one repository to another: a line for each pair and kind, with one site of each.
fn links(plan: &Plan, around: &Around<'_>) -> Vec<Item> {
    let mut links: BTreeMap<Pair, Joined<'_>> = BTreeMap::new();
    for edge in &around.found.edges {
        let Some(evidence) = &edge.evidence else { continue };
        let key = (evidence.user.0, evidence.offer.0, edge.relation.name());
        let (n_links, keys, _) = links.entry(key).or_insert((0, BTreeSet::new(), edge));
        *n_links += 1;
        if keys.len() < MAX_NAMES {
            keys.insert(if evidence.member.is_empty() { &evidence.key } else { &evidence.member });
        }
    }
    let mut ordered: Vec<_> = links.into_iter().collect();
    ordered.sort_by(|(a, (a_links, ..)), (b, (b_links, ..))| b_links.cmp(a_links).then(a.cmp(b)));
    let link = |((user, offer, kind), (n_links, keys, edge)): (Pair, Joined<'_>)| {
        let (_, path, line) = &edge.evidence.as_ref()?.user;
        let path = text::sanitise_name(path).into_owned();
        let keys: Vec<_> = keys.into_iter().map(text::sanitise_name).collect();
        let repo = plan.alias(user).to_owned();
        Some(Item {
            id: format!("{repo}:{path}:{line}"),
            repo,
            path,
            start_line: *line,
            end_line: *line,
            kind: kind.to_owned(),
            signature: format!("-> {}: {n_links}: {}", plan.alias(offer), keys.join(", ")),
            ..Item::default()
        })
    };
    ordered.into_iter().take(MAX_MODULES).filter_map(link).collect()
}
