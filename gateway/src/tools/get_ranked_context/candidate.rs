//! Something that may answer a question: a definition, or what of a file lies outside of any.

use model::{FileClass, LineSpan};
use proto::v1;

use crate::{nodes::At, tools::filters::span};

/// A definition, or a file without one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) at: At,
    pub(super) file: v1::File,
    pub(super) symbol: Option<v1::Symbol>,
    pub(super) lines: LineSpan,
    /// How well it answers the question by itself, from 0 to 1.
    pub(super) relevance: f32,
    /// The same as strategies take it: never above that of what the search puts before it.
    pub(super) standing: f32,
    /// What it is ranked by, from 0 to 1; set by a strategy.
    pub(super) score: f32,
}

impl Candidate {
    pub(super) fn of_symbol(position: usize, file: v1::File, symbol: v1::Symbol, relevance: f32) -> Candidate {
        let lines = span(symbol.lines.unwrap_or_default());
        let at = At { position, node: symbol.node };
        Candidate { at, file, symbol: Some(symbol), lines, relevance, standing: relevance, score: 0.0 }
    }

    pub(super) fn of_file(position: usize, file: v1::File, lines: LineSpan, relevance: f32) -> Candidate {
        let at = At { position, node: file.node };
        Candidate { at, file, symbol: None, lines, relevance, standing: relevance, score: 0.0 }
    }

    /// Returns how important it is, from 0 to 1: half for the mean of its repository, and never quite 1.
    pub(super) fn importance(&self) -> f32 {
        let rank = self.symbol.as_ref().map_or(1.0, |symbol| symbol.importance);
        if rank.is_finite() && rank > 0.0 { rank / (rank + 1.0) } else { 0.0 }
    }

    pub(super) fn is_code(&self) -> bool {
        FileClass::from(self.file.class()) == FileClass::Source
    }

    pub(super) fn is_test(&self) -> bool {
        FileClass::from(self.file.class()) == FileClass::Test
    }

    /// What two candidates that tie are ordered by.
    pub(super) fn place(&self) -> (usize, &str, u32, u32) {
        (self.at.position, &self.file.path, self.lines.start, self.at.node)
    }

    /// Says whether some lines belong to both.
    pub(super) fn overlaps(&self, other: &Candidate) -> bool {
        let is_same_file = self.at.position == other.at.position && self.file.path == other.file.path;
        is_same_file && self.lines.start <= other.lines.end && other.lines.start <= self.lines.end
    }
}
