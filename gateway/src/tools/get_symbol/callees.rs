//! What a definition calls, nearest first, with the code.

use std::collections::BTreeSet;

use model::LineSpan;
use proto::v1;

use super::{Options, find::Spot};
use crate::{
    call::Call,
    fetch::{Fetched, Wanted},
    nodes::At,
    plan::Plan,
    tools::get_context::{
        item::{Item, lines_of, path_of},
        packing::Parcel,
    },
    walk::{OF_THE_NEAREST, Way, rank::rank, sections, walk, weights::Weights},
};

/// Callees that are read at most.
const MAX_READ: usize = 60;

/// Lines of one that are read at most.
const MAX_READ_LINES: u32 = 500;

/// Edges that a walk follows down.
const CALLS: [v1::EdgeKind; 2] = [v1::EdgeKind::Calls, v1::EdgeKind::Handles];

/// A definition that is called.
pub(super) struct Callee {
    pub(super) position: usize,
    item: Item,
    code: Option<Fetched>,
    name_line: u32,
}

impl Callee {
    pub(super) fn parcel(&self) -> Parcel<'_> {
        /// The section of callees.
        const CALLEES: usize = 2;
        let mut parcel = Parcel::new(CALLEES, self.item.clone(), self.code.as_ref());
        parcel.name_line = self.name_line;
        parcel
    }
}

/// Returns what is called within the depth asked for, on into every repository that the caller may read.
pub(super) async fn callees(call: &Call<'_>, plan: &mut Plan, spot: &Spot, options: &Options) -> Vec<Callee> {
    let Some(symbol) = spot.symbol.as_ref().filter(|_| options.depth > 0) else { return Vec::new() };
    let root = At { position: spot.position, node: symbol.node };
    let overlay = call.overlay().await;
    let enter: BTreeSet<usize> = plan.asked.iter().copied().collect();
    let weights = Weights::new(None);
    let way = Way {
        depth: options.depth,
        direction: v1::Direction::Out,
        kinds: &CALLS,
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let found = walk(call, plan, &overlay, &[root], &way, OF_THE_NEAREST).await;
    let mut ranked = rank(&found, &[root], &weights, 1.0);
    ranked.sort_by_key(|ranked| ranked.hops);
    ranked.truncate(MAX_READ);
    let cards = call.describe(plan, &ranked.iter().map(|ranked| ranked.at).collect()).await;
    let placed = sections::place(&found, &[root], &ranked);
    let placed = placed.into_iter().filter_map(|placed| Some((cards.get(&placed.ranked.at)?, placed)));
    let shown: Vec<(&v1::NodeCard, sections::Placed<'_>)> = placed.collect();
    let wanted = |(card, placed): &(&v1::NodeCard, sections::Placed<'_>)| {
        let lines = lines_of(card);
        let end = lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1));
        let lines = LineSpan { start: lines.start, end };
        Wanted { position: placed.ranked.at.position, path: path_of(card).to_owned(), lines }
    };
    let wants: Vec<Wanted> = shown.iter().map(wanted).collect();
    let fetched = call.fetch(plan, &wants).await;
    let callee = |((card, placed), code): (&(&v1::NodeCard, sections::Placed<'_>), Option<Fetched>)| {
        let item = Item::placed(plan, placed, &cards)?;
        let name_line = card.symbol.as_ref().map_or(0, |symbol| symbol.name_line);
        let code = code.filter(|_| card.symbol.is_some());
        Some(Callee { position: placed.ranked.at.position, item, code, name_line })
    };
    shown.iter().zip(fetched).filter_map(callee).collect()
}
