//! Cuts the source of a definition to a number of tokens and lines.

mod selection;

use std::borrow::Cow;

use model::LineSpan;

use selection::LineSelection;

/// The source from which an excerpt is cut.
#[derive(Debug, Clone, Copy)]
pub struct ExcerptSource<'a> {
    /// The lines.
    pub text: &'a str,
    /// The line number of the first line within its file.
    pub first_line: u32,
    /// Number of lines of the signature, which are shown first.
    pub n_head_lines: usize,
}

/// The parts of the source that the reader is interested in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interest<'a> {
    /// The words of the query, matched ignoring ASCII case.
    pub terms: &'a [&'a str],
    /// Line numbers in the file, such as those of hits and call sites.
    pub lines: &'a [u32],
}

/// The maximum size of an excerpt.
#[derive(Debug, Clone, Copy)]
pub struct ExcerptLimits {
    /// Number of estimated tokens.
    pub tokens: usize,
    /// Number of lines, including those that mark gaps.
    pub lines: usize,
}

impl ExcerptLimits {
    /// Returns limits of a number of tokens in any number of lines.
    #[must_use]
    pub fn of_tokens(tokens: usize) -> ExcerptLimits {
        ExcerptLimits { tokens, lines: usize::MAX }
    }
}

/// Selected lines of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, without a final line feed.
    pub text: String,
    /// The spans of the lines in the file, in order, with a gap between any two.
    pub shown: Vec<LineSpan>,
    /// True if whole lines or ends of lines are missing.
    pub cut: bool,
}

/// Returns as much of `source` as fits into the limits: the head, then the context of interesting lines, then adjacent lines from
/// the top.
///
/// The estimate of the text never exceeds its limit. If no line fits, the text is empty.
pub fn excerpt(source: ExcerptSource<'_>, interest: Interest<'_>, limits: ExcerptLimits) -> Excerpt {
    let mut selection = LineSelection::new(source, limits);
    if !selection.shows_everything() {
        selection.show_head(source.n_head_lines);
        for line_idx in rank_lines(&selection.lines, source.first_line, interest) {
            selection.show_around(line_idx);
        }
        selection.grow();
        selection.close_blank_gaps();
    }
    selection.render(source.first_line)
}

/// Returns the indices of the interesting lines, best first: lines by number, then by their terms; rare terms weigh more.
fn rank_lines(lines: &[Cow<'_, str>], first_line: u32, interest: Interest<'_>) -> Vec<usize> {
    /// Exceeds any sum of term weights.
    const LINE_SCORE: f32 = 1e6;
    let mut scores = vec![0.0; lines.len()];
    for line in interest.lines {
        let line_idx = line.checked_sub(first_line).map(|offset| offset as usize);
        if let Some(score) = line_idx.and_then(|line_idx| scores.get_mut(line_idx)) {
            *score = LINE_SCORE;
        }
    }
    let lower: Vec<String> = lines.iter().map(|line| line.to_ascii_lowercase()).collect();
    for term in interest.terms.iter().filter(|term| !term.is_empty()) {
        let term = term.to_ascii_lowercase();
        let holding: Vec<usize> = (0..lower.len()).filter(|line_idx| lower[*line_idx].contains(&term)).collect();
        let weight = 1.0 / holding.len().max(1) as f32;
        holding.into_iter().for_each(|line_idx| scores[line_idx] += weight);
    }
    let mut ranked: Vec<usize> = (0..lines.len()).filter(|line_idx| scores[*line_idx] > 0.0).collect();
    ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    ranked
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::estimate_tokens;
    use crate::line::{CUT, GAP, MAX_LINE_CHARS};

    const SOURCE: &str = "\
fn deliver(parcel: &Parcel) -> Receipt {
    let berth = harbour.berth_of(parcel);
    let first = 1;
    let second = 2;
    let third = 3;
    let fourth = 4;
    let fifth = 5;

    let ferry = timetable.next_ferry(berth);
    ferry.load(parcel);
    let sixth = 6;
    let seventh = 7;
    let eighth = 8;
    Receipt::new(ferry)
}
";

    fn of_source(interest: Interest<'_>, budget: usize) -> Excerpt {
        excerpt(
            ExcerptSource { text: SOURCE, first_line: 40, n_head_lines: 1 },
            interest,
            ExcerptLimits::of_tokens(budget),
        )
    }

    fn spans(excerpt: &Excerpt) -> Vec<(u32, u32)> {
        excerpt.shown.iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn a_fitting_source_is_returned_whole() {
        let whole = of_source(Interest::default(), estimate_tokens(SOURCE));
        assert_eq!((whole.text.as_str(), whole.cut), (SOURCE.trim_end(), false));
        assert_eq!(spans(&whole), [(40, 54)]);
    }

    #[test]
    fn head_and_windows_are_shown_with_gaps_between() {
        let around_loading = of_source(Interest { terms: &["LOAD"], lines: &[] }, 60);
        assert!(around_loading.cut);
        assert_eq!(spans(&around_loading), [(40, 40), (48, 52)]);
        let expected = "\
fn deliver(parcel: &Parcel) -> Receipt {
⋯
    let ferry = timetable.next_ferry(berth);
    ferry.load(parcel);
    let sixth = 6;
    let seventh = 7;
    let eighth = 8;
⋯";
        assert_eq!(around_loading.text, expected);
    }

    #[test]
    fn line_numbers_rank_before_rare_terms_before_common_ones() {
        for (terms, lines, budget, expected) in
            [(&["let", "eighth"][..], &[][..], 30, 52), (&["eighth"], &[44], 30, 44), (&["eighth"], &[7, 4000], 30, 52)]
        {
            let cut = of_source(Interest { terms, lines }, budget);
            assert!(cut.shown.iter().any(|span| span.start <= expected && expected <= span.end), "{}", cut.text);
        }
    }

    #[test]
    fn only_long_lines_are_shortened() {
        let long = format!("let table = [{}];", "1, ".repeat(500));
        let cut = excerpt(
            ExcerptSource { text: &long, first_line: 1, n_head_lines: 1 },
            Interest::default(),
            ExcerptLimits::of_tokens(10_000),
        );
        assert_eq!(cut.text.chars().count(), MAX_LINE_CHARS);
        assert!(cut.cut && cut.text.ends_with(CUT));
        assert_eq!(of_source(Interest::default(), 3), Excerpt { text: String::new(), shown: vec![], cut: true });
    }

    proptest! {
        #[test]
        fn limits_are_respected_and_spans_are_exact(
            source in vec("[a-z(){} ]{0,30}", 0..40),
            terms in vec("[a-z]{1,2}", 0..3),
            lines in vec(1u32..60, 0..3),
            n_head_lines in 0usize..4,
            tokens in 0usize..300,
            max_lines in 0usize..60,
        ) {
            let text = source.join("\n");
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let interest = Interest { terms: &terms, lines: &lines };
            let cut = excerpt(ExcerptSource { text: &text, first_line: 5, n_head_lines }, interest, ExcerptLimits { tokens, lines: max_lines });

            prop_assert!(estimate_tokens(&cut.text) <= tokens);
            prop_assert!(cut.text.lines().count() <= max_lines);
            let all: Vec<&str> = text.lines().collect();
            let shown = cut.shown.iter().flat_map(|span| span.start..=span.end).map(|line| all[line as usize - 5]);
            let rendered: Vec<&str> = cut.text.lines().filter(|line| *line != GAP).collect();
            if !(cut.text.is_empty()) {
                let trailing = usize::from(cut.text.ends_with('\n'));
                prop_assert_eq!(&shown.clone().take(shown.clone().count() - trailing).collect::<Vec<_>>(), &rendered);
            }
            prop_assert!(cut.cut == (shown.count() < all.len()));
            prop_assert!(cut.shown.windows(2).all(|pair| pair[0].end + 1 < pair[1].start));
        }
    }
}
