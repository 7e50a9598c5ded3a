//! Pages among the places of code: of another kind, and never in the same list.

use model::PageType;
use proto::v1;

use super::{Scale, SpotRank};

/// What a page counts beside a place of code of the same rank: it tells about code, which is mostly what is wanted.
const PAGE_WEIGHT: f64 = 0.9;

/// Offset of ranks, as `ranking::fusion` has it.
const RRF_K: f64 = 60.0;

/// A page that was found.
#[derive(Debug, Clone)]
pub(crate) struct FoundPage {
    /// The position of its repository in the directory.
    pub(crate) position: usize,
    pub(crate) page_type: PageType,
    pub(crate) hit: v1::PageHit,
}

/// One result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item<'a> {
    Spot(SpotRank<'a>),
    /// A page, and its relevance from 0 to 10.
    Page(&'a FoundPage, f32),
}

impl Item<'_> {
    pub(crate) fn relevance(&self) -> f32 {
        match self {
            Item::Spot(spot) => spot.relevance,
            Item::Page(_, relevance) => *relevance,
        }
    }
}

/// Returns places and pages in one order, each list in its own.
pub(crate) fn items<'a>(spots: Vec<SpotRank<'a>>, pages: &'a mut [FoundPage], scale: Scale<'_>) -> Vec<Item<'a>> {
    pages.sort_by(|a, b| {
        let by_place = || (a.position, &a.hit.path, a.page_type).cmp(&(b.position, &b.hit.path, b.page_type));
        b.hit.score.total_cmp(&a.hit.score).then_with(by_place)
    });
    let relevance =
        |page: &FoundPage| ranking::relevance(ranking::blend::message_share(page.hit.score), scale.total_weight);
    let pages = pages.iter().map(|page| (page, relevance(page))).filter(|(_, relevance)| *relevance >= 1.0);
    let score = |weight: f64, place: usize| weight / (RRF_K + place as f64 + 1.0);
    let spots = spots.into_iter().enumerate().map(|(place, spot)| (score(1.0, place), Item::Spot(spot)));
    let pages =
        pages.enumerate().map(|(place, (page, relevance))| (score(PAGE_WEIGHT, place), Item::Page(page, relevance)));
    let mut all: Vec<(f64, Item<'a>)> = spots.chain(pages).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().map(|(_, item)| item).collect()
}
