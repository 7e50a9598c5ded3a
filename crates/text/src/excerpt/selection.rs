//! Selects the lines of a source to show, within the budget.

use std::borrow::Cow;
use std::ops::Range;

use super::{Excerpt, ExcerptLimits, ExcerptSource};
use crate::line::{GAP, is_shortened, price_of_line, push_lines, shorten};
use crate::tokens::{TOKEN, estimate_tokens};

/// Numbers of context lines before and after an interesting line, by preference.
const CONTEXTS: [(usize, usize); 3] = [(2, 5), (1, 2), (0, 0)];

/// The selected lines, and the rest of the limits after them and the gaps between them.
pub(super) struct LineSelection<'a> {
    pub(super) lines: Vec<Cow<'a, str>>,
    is_shown: Vec<bool>,
    /// In the unit of [`price_of_line`].
    remaining_budget: usize,
    remaining_lines: usize,
}

impl<'a> LineSelection<'a> {
    pub(super) fn new(source: ExcerptSource<'a>, limits: ExcerptLimits) -> LineSelection<'a> {
        let lines: Vec<Cow<'a, str>> = source.text.lines().map(shorten).collect();
        let fits = lines.len() <= limits.lines && estimate_tokens(&lines.join("\n")) <= limits.tokens;
        let is_shown = vec![fits; lines.len()];
        let remaining_budget = limits.tokens.saturating_mul(TOKEN);
        LineSelection { lines, is_shown, remaining_budget, remaining_lines: limits.lines }
    }

    pub(super) fn shows_everything(&self) -> bool {
        self.is_shown.iter().all(|is_shown| *is_shown)
    }

    pub(super) fn show_head(&mut self, n_head_lines: usize) {
        for line_idx in 0..n_head_lines.max(1).min(self.lines.len()) {
            if !self.try_show(line_idx..line_idx + 1) {
                break;
            }
        }
    }

    /// Selects a line with as much context as fits.
    pub(super) fn show_around(&mut self, line_idx: usize) {
        if self.is_shown[line_idx] {
            return;
        }
        let windows = CONTEXTS.map(|(before, after)| {
            let end = (line_idx + 1 + after).min(self.lines.len());
            line_idx.saturating_sub(before)..end
        });
        windows.into_iter().any(|window| self.try_show(window));
    }

    /// Spends the rest of the limits on lines after each selected window in turn, from the top.
    pub(super) fn grow(&mut self) {
        let mut ends: Vec<usize> = (1..self.lines.len()).filter(|line_idx| self.has_gap_at(*line_idx)).collect();
        while !ends.is_empty() {
            ends.retain_mut(|end| {
                *end += 1;
                *end <= self.lines.len() && !self.is_shown[*end - 1] && self.try_show(*end - 1..*end)
            });
        }
    }

    /// Selects a blank line that a gap of equal length would hide.
    pub(super) fn close_blank_gaps(&mut self) {
        for line_idx in 1..self.lines.len().saturating_sub(1) {
            if self.has_gap_at(line_idx) && self.is_shown[line_idx + 1] && self.lines[line_idx].trim().is_empty() {
                self.try_show(line_idx..line_idx + 1);
            }
        }
    }

    /// Selects these lines if the limits allow them and the gaps that they create or close.
    fn try_show(&mut self, window: Range<usize>) -> bool {
        let affected_gaps = window.start..(window.end + 1).min(self.lines.len());
        let hidden: Vec<usize> = window.filter(|line_idx| !self.is_shown[*line_idx]).collect();
        let price_of_lines: usize = hidden.iter().map(|line_idx| price_of_line(&self.lines[*line_idx])).sum();

        let n_gaps_before = self.n_gaps(affected_gaps.clone());
        hidden.iter().for_each(|line_idx| self.is_shown[*line_idx] = true);
        let n_gaps = self.n_gaps(affected_gaps);

        let price_of_gap = price_of_line(GAP);
        let budget =
            (self.remaining_budget + n_gaps_before * price_of_gap).checked_sub(price_of_lines + n_gaps * price_of_gap);
        let n_lines = (self.remaining_lines + n_gaps_before).checked_sub(hidden.len() + n_gaps);
        let rest = budget.zip(n_lines);
        match rest {
            Some(rest) => (self.remaining_budget, self.remaining_lines) = rest,
            None => hidden.iter().for_each(|line_idx| self.is_shown[*line_idx] = false),
        }
        rest.is_some()
    }

    fn n_gaps(&self, lines: Range<usize>) -> usize {
        lines.filter(|line_idx| self.has_gap_at(*line_idx)).count()
    }

    /// Returns true for the first hidden line after a shown one. Hidden lines at the start need no gap.
    fn has_gap_at(&self, line_idx: usize) -> bool {
        line_idx > 0 && self.is_shown[line_idx - 1] && !self.is_shown[line_idx]
    }

    pub(super) fn render(&self, first_line: u32) -> Excerpt {
        let mut rendered: Vec<&str> = Vec::new();
        let mut shown = Vec::new();
        for (line_idx, line) in self.lines.iter().enumerate() {
            if self.is_shown[line_idx] {
                rendered.push(line);
                push_lines(&mut shown, first_line + line_idx as u32, 1);
            } else if self.has_gap_at(line_idx) {
                rendered.push(GAP);
            }
        }
        let cut = !self.shows_everything() || self.lines.iter().any(is_shortened);
        Excerpt { text: rendered.join("\n"), shown, cut }
    }
}
