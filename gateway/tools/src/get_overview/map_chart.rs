//! The repositories and the links between them as a chart.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{OverviewOptions, links::Links};
use crate::{
    mermaid::{self, ChartEdge, ChartNode, Flowchart},
    meta::{Meta, Remarks},
    render::RenderedAnswer,
};
use federation::{call::CallContext, coverage::Coverage, overlay::Overlay, plan::Plan, repo_idx::RepoIdx};

/// Draws the links between the requested repositories; for a single one, those with its neighbours.
pub(super) fn answer(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    is_single: bool,
    options: OverviewOptions,
) -> RenderedAnswer {
    let requested: BTreeSet<RepoIdx> = plan.asked.iter().copied().collect();
    let answered = plan.without(&overlay.shortfalls(|repo_idx| requested.contains(&repo_idx)));
    let single = requested.first().copied().filter(|_| is_single && requested.len() == 1);
    let links = Links::new(call, overlay, |user, provider| match single {
        Some(repo_idx) => user == repo_idx || provider == repo_idx,
        None => requested.contains(&user) && requested.contains(&provider),
    });
    let drawn = order(&links, single);
    let n_unlinked = requested.iter().filter(|repo_idx| !drawn.contains(repo_idx)).count();
    let remarks = remarks(&answered, &links, n_unlinked);
    let chart = chart(plan, &links, &drawn, single, remarks);
    let notes = Remarks { ignored_arguments: options.ignored, notes: options.notes, ..Remarks::default() };
    let meta = Meta::new(&answered, drawn.iter().copied(), notes);
    mermaid::answer(&answered, &chart, ("linked repositories", 0, 0), meta, options.token_budget)
}

/// Returns the linked repositories, those with the most linked ones first. A single one precedes its neighbours.
fn order(links: &Links<'_>, single: Option<RepoIdx>) -> Vec<RepoIdx> {
    let weights = links.weights();
    let mut order: Vec<RepoIdx> = weights.keys().copied().chain(single).collect();
    order.sort_by_key(|repo_idx| (Some(*repo_idx) != single, Reverse(weights.get(repo_idx).copied()), *repo_idx));
    order.dedup();
    order
}

fn remarks(answered: &Plan, links: &Links<'_>, n_unlinked: usize) -> Vec<String> {
    let coverage = Coverage::of(answered);
    let mut remarks = Vec::new();
    if !coverage.is_complete() {
        remarks.push(format!("incomplete: {} of {} repositories answered", coverage.n_answered, coverage.n_asked));
    }
    if n_unlinked > 0 {
        remarks.push(format!("repositories without links: {n_unlinked}"));
    }
    if links.n_uncertain > 0 {
        remarks.push(format!("uncertain links, not drawn: {}", links.n_uncertain));
    }
    remarks
}

fn chart(
    plan: &Plan,
    links: &Links<'_>,
    drawn: &[RepoIdx],
    single: Option<RepoIdx>,
    remarks: Vec<String>,
) -> Flowchart {
    let node = |repo_idx: &RepoIdx| ChartNode {
        lines: vec![plan.alias(*repo_idx).to_owned()],
        group: String::new(),
        is_highlighted: Some(*repo_idx) == single,
    };
    let node_of = |repo_idx: RepoIdx| drawn.iter().position(|drawn| *drawn == repo_idx);
    let edge = |(user, provider): (RepoIdx, RepoIdx)| {
        let kinds = links.counts(user, provider);
        let kinds: Vec<String> = kinds.into_iter().map(|(kind, n_links)| format!("{kind} {n_links}")).collect();
        Some(ChartEdge { from: node_of(user)?, to: node_of(provider)?, label: kinds.join(", "), is_certain: true })
    };
    Flowchart {
        is_reversed: false,
        nodes: drawn.iter().map(node).collect(),
        edges: links.linked_pairs().into_iter().filter_map(edge).collect(),
        remarks,
    }
}
