//! The part of a ranking that one answer shows, and what stands for each file in it.

use model::LineSpan;
use proto::v1;

use crate::{
    fetch::Wanted,
    merge::{Ranked, Ranking},
    tools::filters::span,
};

/// Openable files listed beside the results at least.
const MIN_CANDIDATES: usize = 10;

/// Lines read of one result, to choose the snippet from.
const MAX_READ_LINES: u32 = 400;

/// The part of a ranking that one answer shows.
pub(super) struct Page<'a> {
    pub(super) all: &'a [Ranked],
    pub(super) shown: &'a [Ranked],
    pub(super) candidates: &'a [Ranked],
    /// Where the next page begins, if there is one.
    pub(super) next: Option<usize>,
    /// Whether there may be more than was ranked.
    pub(super) is_capped: bool,
}

impl<'a> Page<'a> {
    pub(super) fn of(ranking: &'a Ranking, offset: usize, limit: usize) -> Page<'a> {
        let all = ranking.files.as_slice();
        let rest = &all[offset.min(all.len())..];
        let next = offset + limit;
        Page {
            all,
            shown: &rest[..limit.min(rest.len())],
            candidates: &rest[..limit.max(MIN_CANDIDATES).min(rest.len())],
            next: (next < all.len()).then_some(next),
            is_capped: ranking.is_capped,
        }
    }
}

/// What stands for a file: its best row, or the definition that was named.
pub(super) struct Spot<'a> {
    pub(super) symbol: Option<&'a v1::Symbol>,
    pub(super) lines: LineSpan,
}

impl<'a> Spot<'a> {
    pub(super) fn of(hit: &'a v1::FileHit) -> Spot<'a> {
        let named = hit.name.as_ref();
        let is_exact = named.is_some_and(|name| matches!(name.tier(), v1::NameTier::Exact | v1::NameTier::Folded));
        let by_name = named.and_then(|name| name.symbol.as_ref()).and_then(Spot::of_symbol);
        let by_text =
            hit.rows.first().and_then(|row| Some(Spot { symbol: row.symbol.as_ref(), lines: span(row.lines?) }));
        let chosen = if is_exact { by_name.or(by_text) } else { by_text.or(by_name) };
        let n_lines = hit.file.as_ref().map_or(1, |file| file.lines.max(1));
        chosen.unwrap_or(Spot { symbol: None, lines: LineSpan { start: 1, end: n_lines } })
    }

    fn of_symbol(symbol: &'a v1::Symbol) -> Option<Spot<'a>> {
        Some(Spot { symbol: Some(symbol), lines: span(symbol.lines?) })
    }

    pub(super) fn wanted(&self, ranked: &Ranked) -> Wanted {
        let lines =
            LineSpan { end: self.lines.end.min(self.lines.start.saturating_add(MAX_READ_LINES - 1)), ..self.lines };
        Wanted { position: ranked.found.position, path: path_of(ranked).to_owned(), lines }
    }
}

pub(super) fn path_of(ranked: &Ranked) -> &str {
    ranked.found.hit.file.as_ref().map_or("", |file| file.path.as_str())
}
