//! The modules around an entity, for planning: files with their reached definitions and their relation to the entity's
//! file, and the links into other repositories.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{item::ContextItem, surroundings::EntitySurroundings};
use federation::{
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{Relation, WalkEdge},
};

/// Maximum number of names on one line.
const MAX_NAMES: usize = 4;

/// Maximum number of modules, and of links of one kind.
const MAX_MODULES: usize = 60;

/// A file: its repository index and its node.
type ModuleNode = (RepoIdx, u32);

/// A user, a provider, and the kind of their links.
type RepositoryPair = (RepoIdx, RepoIdx, &'static str);

/// The number of links of a pair, some of their keys, and one of them.
type LinkSummary<'a> = (usize, BTreeSet<&'a str>, &'a WalkEdge);

/// Section indices of the plan intent.
const MODULES: usize = 1;
const DEPENDS_ON: usize = 2;
const USED_BY: usize = 3;
const LINKS: usize = 4;

/// The reached definitions of one module.
#[derive(Default)]
struct ModuleSummary {
    relevance: f64,
    names: Vec<String>,
    n_entities: usize,
}

/// Returns the modules and links with their section, the most relevant first.
pub(super) fn modules(plan: &Plan, surroundings: &EntitySurroundings<'_>) -> Vec<(usize, ContextItem)> {
    let module = |at: &NodeRef| surroundings.cards.get(at).map(|card| (at.repo_idx, card.file_node));
    let Some(own_module) = module(&surroundings.entity.at) else { return Vec::new() };
    let mut summaries: BTreeMap<ModuleNode, ModuleSummary> = BTreeMap::new();
    for placed in surroundings.placed {
        let Some((module_node, card)) = module(&placed.ranked.at).zip(surroundings.cards.get(&placed.ranked.at)) else {
            continue;
        };
        let summary = summaries.entry(module_node).or_default();
        summary.relevance += placed.ranked.relevance;
        summary.n_entities += usize::from(card.symbol.is_some());
        if let Some(symbol) = card.symbol.as_ref().filter(|_| summary.names.len() < MAX_NAMES) {
            summary.names.push(text::sanitise_name(&symbol.name).into_owned());
        }
    }
    let (mut outgoing, mut incoming): (BTreeMap<ModuleNode, u32>, BTreeMap<ModuleNode, u32>) = Default::default();
    for edge in surroundings.found.edges.iter().filter(|edge| edge.relation != Relation::Within(v1::EdgeKind::Defines))
    {
        let (Some(from), Some(to)) = (module(&edge.from), module(&edge.to)) else { continue };
        match (from == own_module, to == own_module) {
            (true, false) => *outgoing.entry(to).or_default() += edge.sites.max(1),
            (false, true) => *incoming.entry(from).or_default() += edge.sites.max(1),
            _ => {}
        }
    }
    let mut ordered: Vec<(&ModuleNode, &ModuleSummary)> = summaries.iter().collect();
    ordered.sort_by(|(a, a_met), (b, b_met)| b_met.relevance.total_cmp(&a_met.relevance).then(a.cmp(b)));
    let mut items = Vec::new();
    for (module_node, summary) in ordered.into_iter().take(MAX_MODULES) {
        let Some(mut item) = file_item(plan, surroundings, *module_node) else { continue };
        let (n_outgoing, n_incoming) = (outgoing.get(module_node), incoming.get(module_node));
        let section = match (n_outgoing, n_incoming) {
            (Some(n_outgoing), n_incoming) if n_incoming.is_none_or(|n_incoming| n_incoming <= n_outgoing) => {
                DEPENDS_ON
            }
            (_, Some(_)) => USED_BY,
            _ => MODULES,
        };
        let (uses, reverse) = if section == DEPENDS_ON { (n_outgoing, n_incoming) } else { (n_incoming, n_outgoing) };
        let counts = [(uses, "uses"), (reverse, "back")];
        let counts = counts.iter().filter_map(|(count, what)| Some(format!("{} {what}", (*count)?)));
        let mut parts: Vec<String> = counts.collect();
        if summary.n_entities > 0 {
            let more = if summary.n_entities > summary.names.len() { ", ..." } else { "" };
            parts.push(format!("{}{more}", summary.names.join(", ")));
        }
        item.signature = parts.join("; ");
        items.push((section, item));
    }
    items.extend(links(plan, surroundings).into_iter().map(|item| (LINKS, item)));
    items
}

/// Returns a file as an item, with the community of its reached definitions.
fn file_item(
    plan: &Plan,
    surroundings: &EntitySurroundings<'_>,
    (repo_idx, file_node): ModuleNode,
) -> Option<ContextItem> {
    let in_file = |(at, card): &(&NodeRef, &v1::NodeCard)| at.repo_idx == repo_idx && card.file_node == file_node;
    let (at, card) = surroundings.cards.iter().find(in_file)?;
    let file_card = v1::NodeCard { symbol: None, route: None, community: None, ..card.clone() };
    let community = card.community.as_ref().map(|community| text::sanitise_name(&community.label).into_owned());
    let item = ContextItem::of(plan, *at, &file_card);
    Some(ContextItem { kind: "module".to_owned(), doc: community.unwrap_or_default(), ..item })
}

/// Returns the links between repositories: one line per pair and kind, with one example site.
fn links(plan: &Plan, surroundings: &EntitySurroundings<'_>) -> Vec<ContextItem> {
    let mut links: BTreeMap<RepositoryPair, LinkSummary<'_>> = BTreeMap::new();
    for edge in &surroundings.found.edges {
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
    let link = |((user, offer, kind), (n_links, keys, edge)): (RepositoryPair, LinkSummary<'_>)| {
        let (_, path, line) = &edge.evidence.as_ref()?.user;
        let path = text::sanitise_name(path).into_owned();
        let keys: Vec<_> = keys.into_iter().map(text::sanitise_name).collect();
        let repo = plan.alias(user).to_owned();
        Some(ContextItem {
            id: format!("{repo}:{path}:{line}"),
            repo,
            path,
            start_line: *line,
            end_line: *line,
            kind: kind.to_owned(),
            signature: format!("-> {}: {n_links}: {}", plan.alias(offer), keys.join(", ")),
            ..ContextItem::default()
        })
    };
    ordered.into_iter().take(MAX_MODULES).filter_map(link).collect()
}
