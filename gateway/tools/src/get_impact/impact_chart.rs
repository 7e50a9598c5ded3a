//! The affected entities as a chart: a tree with the target as its root, and a frame for each repository.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{ImpactOptions, ImpactSubject, impact_list::ImpactList};
use crate::{
    get_context::item::ContextItem,
    mermaid::{self, ChartEdge, ChartNode, Flowchart, MAX_NODES},
    meta::{Meta, Remarks},
    render::RenderedAnswer,
};
use federation::{
    answer::Answer,
    call::CallContext,
    nodes::NodeRef,
    plan::Plan,
    walk::{CERTAIN, tiers::ImpactHit},
};

pub(super) async fn answer(
    call: &CallContext<'_>,
    plan: &Plan,
    subject: &ImpactSubject,
    walked: Answer<Arc<ImpactList>>,
    options: ImpactOptions,
) -> RenderedAnswer {
    let list = walked.value;
    let hits = nearest(&list.hits);
    let described: BTreeSet<NodeRef> = hits.iter().map(|hit| hit.at).collect();
    let cards = call.describe(&plan.without(&walked.shortfalls), &described).await.after(walked.shortfalls);
    let answered = plan.without(&cards.shortfalls);
    let mut nodes = vec![target_node(&subject.target)];
    nodes.extend(hits.iter().map(|hit| match cards.value.get(&hit.at) {
        Some(card) => user_node(&ContextItem::of(plan, hit.at, card), hit),
        None => ChartNode {
            lines: vec!["not described".to_owned()],
            group: plan.alias(hit.at.repo_idx).to_owned(),
            ..ChartNode::default()
        },
    }));
    let chart = Flowchart { is_reversed: true, nodes, edges: edges(&hits), remarks: remarks(subject, &list) };
    let remarks = Remarks {
        ignored_arguments: options.ignored,
        notes: options.notes,
        may_miss: subject.may_miss.clone(),
        ..Remarks::default()
    };
    let meta = Meta::new(&answered, list.reached.iter().copied(), remarks);
    let n_beyond = list.hits.len() - hits.len();
    mermaid::answer(&answered, &chart, ("users", 1, n_beyond), meta, options.token_budget)
}

/// Returns the nearest users that a chart holds beside the target, in the order of their distance: each follows its predecessor.
fn nearest(hits: &[ImpactHit]) -> Vec<&ImpactHit> {
    let mut nearest: Vec<&ImpactHit> = hits.iter().collect();
    nearest.sort_by_key(|hit| hit.hops);
    nearest.truncate(MAX_NODES - 1);
    nearest
}

fn edges(hits: &[&ImpactHit]) -> Vec<ChartEdge> {
    let node_of: BTreeMap<NodeRef, usize> = hits.iter().enumerate().map(|(idx, hit)| (hit.at, idx + 1)).collect();
    let edge = |(idx, hit): (usize, &&ImpactHit)| ChartEdge {
        from: idx + 1,
        // A predecessor that is no user is a root, or the declaration of one.
        to: node_of.get(&hit.over()).copied().unwrap_or(0),
        label: hit.edge.relation.name().to_owned(),
        is_certain: hit.edge.confidence >= CERTAIN,
    };
    hits.iter().enumerate().map(edge).collect()
}

fn target_node(target: &ContextItem) -> ChartNode {
    let name = if target.name.is_empty() { &target.id } else { &target.name };
    let lines = match target.path.as_str() {
        "" => vec![format!("{} {name}", target.kind)],
        path => vec![name.clone(), location(path, target.start_line)],
    };
    ChartNode { lines, group: target.repo.clone(), is_highlighted: true }
}

fn user_node(item: &ContextItem, hit: &ImpactHit) -> ChartNode {
    let line = hit.lines.first().copied().unwrap_or(hit.edge.line);
    let name = if item.name.is_empty() { &item.id } else { &item.name };
    let test = if hit.is_test { " (test)" } else { "" };
    ChartNode {
        lines: vec![format!("{name}{test}"), location(&item.path, line)],
        group: item.repo.clone(),
        is_highlighted: false,
    }
}

fn location(path: &str, line: u32) -> String {
    if line > 0 { format!("{path}:{line}") } else { path.to_owned() }
}

fn remarks(subject: &ImpactSubject, list: &ImpactList) -> Vec<String> {
    let mut remarks = Vec::new();
    if list.hits.is_empty() {
        remarks.push("no users are known".to_owned());
    }
    if subject.may_miss.is_some() {
        remarks.push("some users may be missing".to_owned());
    }
    if list.is_cut || list.n_omitted > 0 {
        remarks.push("the walk reached its limit".to_owned());
    }
    remarks
}
