//! Cutting the source of a definition, or the outline of a file, down to a budget of tokens.

use model::LineSpan;

/// A longer line is cut here: nobody reads on, and one minified line would otherwise use up any budget.
pub const MAX_LINE_CHARS: usize = 400;

/// Stands for lines left out.
pub const GAP: &str = "⋯";

/// Ends a line that was cut.
pub const CUT: char = '…';

/// The source to cut an excerpt from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub text: &'a str,
    /// The number, in its file, of the first line of `text`.
    pub first_line: u32,
    /// How many lines from the first are the signature, and shown before any others.
    pub n_head_lines: usize,
}

/// What a reader of the source is after.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interest<'a> {
    /// Words of the query; ASCII case does not matter.
    pub terms: &'a [&'a str],
    /// Line numbers in the file: of a hit, a call site.
    pub lines: &'a [u32],
}

/// Lines chosen from a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, without a line feed at the end.
    pub text: String,
    /// Where in the file they stand, in order, with a gap between any two.
    pub shown: Vec<LineSpan>,
    /// Whether anything is missing: whole lines, or the end of one.
    pub cut: bool,
}

/// One definition of a file's outline.
#[derive(Debug, Clone, Copy)]
pub struct OutlineRow<'a> {
    /// The number of the signature's first line.
    pub line: u32,
    pub signature: &'a str,
}

/// Returns as much of `source` as `budget` tokens hold: the head, then the surroundings of what is of interest.
pub fn excerpt(source: Source<'_>, interest: Interest<'_>, budget: usize) -> Excerpt {
    let _ = (source, interest, budget);
    todo!()
}

/// Returns the signatures of a file in the order of their lines, as many from the top as `budget` tokens hold.
pub fn skeleton(rows: &[OutlineRow<'_>], budget: usize) -> Excerpt {
    let _ = (rows, budget);
    todo!()
}
