//! The part of the affected entities that one answer shows.

use std::ops::Range;

use crate::cursor::CursorBinding;
use federation::{nodes::NodeRef, walk::tiers::ImpactHit};

/// Minimum number of JSON tokens of an affected entity.
const MIN_TOKENS_OF_HIT: usize = 60;

/// Share of the budget, as a divisor, that bounds the number of lines of one entry.
const TOKENS_PER_LINE: usize = 20;

/// Minimum of that number.
const MIN_LINES: usize = 5;

/// An affected entity with some of its lines. An entity has several entries only if its lines do not fit in one.
#[derive(Debug, Clone)]
pub(super) struct ImpactEntry<'a> {
    pub(super) hit: &'a ImpactHit,
    /// Indices of the lines.
    pub(super) lines: Range<usize>,
}

/// The entries that an answer may show, and the way to the next ones.
pub(super) struct ImpactPage<'a> {
    /// The first entries after the offset, more than a budget holds.
    pub(super) entries: &'a [ImpactEntry<'a>],
    /// Number of entries before them.
    pub(super) offset: usize,
    /// Number of entries of all pages.
    pub(super) n_all: usize,
    binding: &'a CursorBinding,
}

impl ImpactEntry<'_> {
    pub(super) fn lines(&self) -> &[u32] {
        &self.hit.lines[self.lines.clone()]
    }
}

impl<'a> ImpactPage<'a> {
    pub(super) fn of(
        entries: &'a [ImpactEntry<'a>],
        offset: usize,
        token_budget: usize,
        binding: &'a CursorBinding,
    ) -> ImpactPage<'a> {
        let rest = &entries[offset.min(entries.len())..];
        let n_possible = token_budget / MIN_TOKENS_OF_HIT + 1;
        ImpactPage { entries: &rest[..n_possible.min(rest.len())], offset, n_all: entries.len(), binding }
    }

    /// Returns the nodes that the entries mention.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeRef> {
        self.entries.iter().flat_map(|entry| entry.hit.nodes())
    }

    /// Returns the way to the entries after the first `n_shown` ones of the page; `None` if there are none.
    pub(super) fn more(&self, n_shown: usize) -> Option<String> {
        let next = self.offset + n_shown;
        let cursor = || format!("cursor=\"{}\"", self.binding.cursor(next));
        let more = if n_shown > 0 { cursor() } else { "a larger token_budget: the next user does not fit".to_owned() };
        (next < self.n_all).then_some(more)
    }
}

/// Returns the entries of all hits, in their order.
pub(super) fn entries<'a>(hits: &'a [ImpactHit], token_budget: usize) -> Vec<ImpactEntry<'a>> {
    let n_lines = (token_budget / TOKENS_PER_LINE).max(MIN_LINES);
    let of_hit = |hit: &'a ImpactHit| {
        let n_entries = hit.lines.len().div_ceil(n_lines).max(1);
        (0..n_entries).map(move |entry| {
            let start = entry * n_lines;
            ImpactEntry { hit, lines: start..(start + n_lines).min(hit.lines.len()) }
        })
    };
    hits.iter().flat_map(of_hit).collect()
}
