//! Reports: long queries whose first line is the title.

use std::ops::RangeInclusive;

use super::{trim_word, vocabulary::is_stop_word};

/// A query of more content words than this is a report. Its first line states the topic; much of the rest (steps,
/// versions, logs) is unrelated to code. Measured MRR@10: commits with 2,000 to 4,000 characters of such text below the
/// message .761, the messages alone .771; real messages of over 120 words .826, their titles alone .759. The weights
/// therefore keep uninformative text from drowning the title and let informative text support it.
pub(super) const MAX_SHORT_QUERY_WORDS: usize = 80;

/// Number of content words of a report's first line for it to count as a title.
const TITLE_WORD_RANGE: RangeInclusive<usize> = 3..=20;

/// Shape of a report, counted in content words.
pub(super) struct Report {
    pub(super) n_first_line: usize,
    /// True if an empty line follows a first line with enough words.
    pub(super) is_separate_title: bool,
}

impl Report {
    /// Parses a query of `n_words` content words; `None` if they are too few for a report.
    pub(super) fn of(query: &str, n_words: usize) -> Option<Report> {
        let mut lines = query.trim_start().lines();
        let first = lines.next().filter(|_| n_words > MAX_SHORT_QUERY_WORDS)?;
        let words = first.split_whitespace().map(trim_word);
        let n_first_line = words.filter(|word| !word.is_empty() && !is_stop_word(word)).count();
        let is_empty_next = lines.next().is_some_and(|second| second.trim().is_empty());
        Some(Report { n_first_line, is_separate_title: is_empty_next && n_first_line >= *TITLE_WORD_RANGE.start() })
    }

    /// Returns the number of words of the first line if it is short enough for a title.
    pub(super) fn n_title_words(&self) -> Option<usize> {
        Some(self.n_first_line).filter(|n_words| TITLE_WORD_RANGE.contains(n_words))
    }
}
