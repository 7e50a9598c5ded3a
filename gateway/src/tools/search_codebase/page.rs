//! The part of a ranking that one answer shows.

use model::LineSpan;

use crate::{
    fetch::Wanted,
    merge::{Item, Ranked, Ranking, SpotRank},
};

/// Openable files listed beside the results at least.
const MIN_CANDIDATES: usize = 10;

/// Lines read of one result, to choose the snippet from.
const MAX_READ_LINES: u32 = 400;

/// The part of a ranking that one answer shows.
pub(super) struct Page<'a> {
    pub(super) files: &'a [Ranked],
    pub(super) items: &'a [Item<'a>],
    pub(super) shown: &'a [Item<'a>],
    pub(super) candidates: &'a [Ranked],
    /// Where the next page begins, if there is one.
    pub(super) next: Option<usize>,
    /// Whether there may be more than was ranked.
    pub(super) is_capped: bool,
}

impl<'a> Page<'a> {
    pub(super) fn of(ranking: &'a Ranking, items: &'a [Item<'a>], offset: usize, limit: usize) -> Page<'a> {
        let shown = &items[offset.min(items.len())..];
        let candidates = &ranking.files[offset.min(ranking.files.len())..];
        let next = offset + limit;
        Page {
            files: &ranking.files,
            items,
            shown: &shown[..limit.min(shown.len())],
            candidates: &candidates[..limit.max(MIN_CANDIDATES).min(candidates.len())],
            next: (next < items.len()).then_some(next),
            is_capped: ranking.is_capped,
        }
    }

    /// Returns the position of the repository of every result there is.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        self.items.iter().map(|item| match item {
            Item::Spot(spot) => self.file_of(spot).found.position,
            Item::Page(found, _) => found.position,
        })
    }

    /// Returns the file that a place is in.
    pub(super) fn file_of(&self, spot: &SpotRank<'_>) -> &'a Ranked {
        &self.files[spot.file_idx]
    }

    /// Returns the source that is read of a place.
    pub(super) fn wanted(&self, spot: &SpotRank<'_>) -> Wanted {
        let ranked = self.file_of(spot);
        let lines = spot.spot.lines;
        let lines = LineSpan { end: lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1)), ..lines };
        Wanted { position: ranked.found.position, path: path_of(ranked).to_owned(), lines }
    }
}

pub(super) fn path_of(ranked: &Ranked) -> &str {
    ranked.found.hit.file.as_ref().map_or("", |file| file.path.as_str())
}
