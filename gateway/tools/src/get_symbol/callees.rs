//! The callees of a definition with their code, nearest first.

use std::collections::BTreeSet;

use model::LineSpan;
use proto::v1;

use super::{SymbolOptions, find::SymbolLocation};
use crate::get_context::{
    item::{ContextItem, lines_of, path_of},
    packing::PackingItem,
};
use federation::{
    answer::Answer,
    call::CallContext,
    fetch::{FetchedSource, SourceRequest},
    nodes::NodeRef,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{OF_THE_NEAREST, WalkScope, rank::rank, sections, walk, weights::Weights},
};

/// Maximum number of callees to read.
const MAX_READ: usize = 60;

/// Maximum number of lines to read of one callee.
const MAX_READ_LINES: u32 = 500;

/// Edge kinds that lead to callees.
const CALLS: [v1::EdgeKind; 2] = [v1::EdgeKind::Calls, v1::EdgeKind::Handles];

/// A called definition.
pub(super) struct Callee {
    pub(super) repo_idx: RepoIdx,
    item: ContextItem,
    code: Option<FetchedSource>,
    name_line: u32,
}

impl Callee {
    pub(super) fn packing_item(&self) -> PackingItem<'_> {
        /// The section index of callees.
        const CALLEES: usize = 2;
        let mut packing_item = PackingItem::new(CALLEES, self.item.clone(), self.code.as_ref());
        packing_item.name_line = self.name_line;
        packing_item
    }
}

/// Returns the callees within the requested depth, across every repository that the caller may read.
pub(super) async fn callees(
    call: &CallContext<'_>,
    plan: &Plan,
    location: &SymbolLocation,
    options: &SymbolOptions,
) -> Answer<Vec<Callee>> {
    let Some(symbol) = location.symbol.as_ref().filter(|_| options.depth > 0) else {
        return Answer::complete(Vec::new());
    };
    let root = NodeRef { repo_idx: location.repo_idx, node: symbol.node };
    let overlay = call.overlay().await;
    let enter: BTreeSet<RepoIdx> = plan.asked.iter().copied().collect();
    let weights = Weights::new(None);
    let walk_scope = WalkScope {
        depth: options.depth,
        direction: v1::Direction::Out,
        kinds: &CALLS,
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let unlinked = overlay.shortfalls(|repo_idx| enter.contains(&repo_idx));
    let walk_result = walk(call, plan, &overlay, &[root], &walk_scope, OF_THE_NEAREST).await.after(unlinked);
    let found = walk_result.value;
    let mut ranked = rank(&found, &[root], &weights, 1.0);
    ranked.sort_by_key(|ranked| ranked.hops);
    ranked.truncate(MAX_READ);
    let nodes = ranked.iter().map(|ranked| ranked.at).collect();
    let described = call.describe(&plan.without(&walk_result.shortfalls), &nodes).await.after(walk_result.shortfalls);
    let cards = described.value;
    let placed = sections::place(&found, &[root], &ranked);
    let placed = placed.into_iter().filter_map(|placed| Some((cards.get(&placed.ranked.at)?, placed)));
    let shown: Vec<(&v1::NodeCard, sections::PlacedNode<'_>)> = placed.collect();
    let source_request = |(card, placed): &(&v1::NodeCard, sections::PlacedNode<'_>)| {
        let lines = lines_of(card);
        let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
        let lines = LineSpan { start: lines.start, end };
        SourceRequest { repo_idx: placed.ranked.at.repo_idx, path: path_of(card).to_owned(), lines }
    };
    let source_requests: Vec<SourceRequest> = shown.iter().map(source_request).collect();
    let fetched = call.fetch(&plan.without(&described.shortfalls), &source_requests).await.after(described.shortfalls);
    let callee = |((card, placed), code): (&(&v1::NodeCard, sections::PlacedNode<'_>), Option<FetchedSource>)| {
        let item = ContextItem::of_placed_node(plan, placed, &cards)?;
        let (repo_idx, symbol) = (placed.ranked.at.repo_idx, card.symbol.as_ref());
        let name_line = symbol.map_or(0, |symbol| symbol.name_line);
        let code = code.filter(|_| symbol.is_some());
        let code = code.map(|code| options.seen.replace(plan.alias(repo_idx), path_of(card), symbol, code));
        Some(Callee { repo_idx, item, code, name_line })
    };
    fetched.map(|fetched| shown.iter().zip(fetched).filter_map(callee).collect())
}
