//! The callees of a definition with their code, nearest first.

use std::collections::BTreeSet;

use model::LineSpan;
use proto::v1;

use super::{SymbolOptions, find::SymbolLocation};
use crate::get_context::{
    item::{ContextItem, lines_of, path_of},
    packing::PackingItem,
};
use federation::answer::Answer;
use federation::{
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
    pub(super) fn parcel(&self) -> PackingItem<'_> {
        /// The section index of callees.
        const CALLEES: usize = 2;
        let mut parcel = PackingItem::new(CALLEES, self.item.clone(), self.code.as_ref());
        parcel.name_line = self.name_line;
        parcel
    }
}

/// Returns the callees within the requested depth, across every repository that the caller may read.
pub(super) async fn callees(
    call: &CallContext<'_>,
    plan: &Plan,
    spot: &SymbolLocation,
    options: &SymbolOptions,
) -> Answer<Vec<Callee>> {
    let Some(symbol) = spot.symbol.as_ref().filter(|_| options.depth > 0) else {
        return Answer::complete(Vec::new());
    };
    let root = NodeRef { repo_idx: spot.repo_idx, node: symbol.node };
    let overlay = call.overlay().await;
    let enter: BTreeSet<RepoIdx> = plan.asked.iter().copied().collect();
    let weights = Weights::new(None);
    let way = WalkScope {
        depth: options.depth,
        direction: v1::Direction::Out,
        kinds: &CALLS,
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let walked = walk(call, plan, &overlay, &[root], &way, OF_THE_NEAREST).await;
    let found = walked.value;
    let mut ranked = rank(&found, &[root], &weights, 1.0);
    ranked.sort_by_key(|ranked| ranked.hops);
    ranked.truncate(MAX_READ);
    let nodes = ranked.iter().map(|ranked| ranked.at).collect();
    let described = call.describe(&plan.without(&walked.shortfalls), &nodes).await.after(walked.shortfalls);
    let cards = described.value;
    let placed = sections::place(&found, &[root], &ranked);
    let placed = placed.into_iter().filter_map(|placed| Some((cards.get(&placed.ranked.at)?, placed)));
    let shown: Vec<(&v1::NodeCard, sections::PlacedNode<'_>)> = placed.collect();
    let wanted = |(card, placed): &(&v1::NodeCard, sections::PlacedNode<'_>)| {
        let lines = lines_of(card);
        let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
        let lines = LineSpan { start: lines.start, end };
        SourceRequest { repo_idx: placed.ranked.at.repo_idx, path: path_of(card).to_owned(), lines }
    };
    let wants: Vec<SourceRequest> = shown.iter().map(wanted).collect();
    let fetched = call.fetch(&plan.without(&described.shortfalls), &wants).await.after(described.shortfalls);
    let callee = |((card, placed), code): (&(&v1::NodeCard, sections::PlacedNode<'_>), Option<FetchedSource>)| {
        let item = ContextItem::placed(plan, placed, &cards)?;
        let name_line = card.symbol.as_ref().map_or(0, |symbol| symbol.name_line);
        let code = code.filter(|_| card.symbol.is_some());
        Some(Callee { repo_idx: placed.ranked.at.repo_idx, item, code, name_line })
    };
    fetched.map(|fetched| shown.iter().zip(fetched).filter_map(callee).collect())
}
