//! A candidate for the answer: a definition, or the part of a file outside definitions.

use model::{FileClass, LineSpan};
use proto::v1;

use federation::{nodes::NodeRef, outline::span, repo_idx::RepoIdx};

/// A definition, or a file without one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ContextCandidate {
    pub(super) at: NodeRef,
    pub(super) file: v1::File,
    pub(super) symbol: Option<v1::Symbol>,
    pub(super) lines: LineSpan,
    /// Its own relevance to the question, from 0 to 1.
    pub(super) relevance: f32,
    /// The relevance that strategies use: never above that of a candidate that the search ranks higher.
    pub(super) bounded_relevance: f32,
    /// The ranking score from 0 to 1; a strategy sets it.
    pub(super) score: f32,
}

impl ContextCandidate {
    pub(super) fn of_symbol(repo_idx: RepoIdx, file: v1::File, symbol: v1::Symbol, relevance: f32) -> ContextCandidate {
        let lines = span(symbol.lines.unwrap_or_default());
        let at = NodeRef { repo_idx, node: symbol.node };
        ContextCandidate { at, file, symbol: Some(symbol), lines, relevance, bounded_relevance: relevance, score: 0.0 }
    }

    pub(super) fn of_file(repo_idx: RepoIdx, file: v1::File, lines: LineSpan, relevance: f32) -> ContextCandidate {
        let at = NodeRef { repo_idx, node: file.node };
        ContextCandidate { at, file, symbol: None, lines, relevance, bounded_relevance: relevance, score: 0.0 }
    }

    /// Returns its importance, from 0 to below 1; the mean of its repository has one half.
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

    /// The tie-breaker of the order.
    pub(super) fn sort_key(&self) -> (RepoIdx, &str, u32, u32) {
        (self.at.repo_idx, &self.file.path, self.lines.start, self.at.node)
    }

    /// Returns true if the two share lines.
    pub(super) fn overlaps(&self, other: &ContextCandidate) -> bool {
        let is_same_file = self.at.repo_idx == other.at.repo_idx && self.file.path == other.file.path;
        is_same_file && self.lines.start <= other.lines.end && other.lines.start <= self.lines.end
    }
}
