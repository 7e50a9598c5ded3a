//! Parsing: bytes to a tree, within bounds that depend only on the bytes.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Range, Tree};

use crate::grammar::Grammar;

/// Parser steps, in hundreds, that every file may take.
const BASE_STEPS: usize = 1_000;

/// Parser steps, in hundreds, that a file may take for each kilobyte.
///
/// Real code takes 5 on average and 28 at most. Some grammars loop on some broken files. A count, unlike a clock, gives
/// the same facts on every machine.
const STEPS_PER_KIB: usize = 60;

thread_local! {
    /// One parser per thread, since creating one costs more than parsing a small file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses a file. Returns `None` if the parser gives up.
pub(crate) fn parse(grammar: &Grammar, bytes: &[u8]) -> Option<Tree> {
    parse_ranges(grammar, bytes, &[], bytes.len())
}

/// Parses a part of a file as if it were the whole file. Positions are those in the file.
pub(crate) fn parse_part(grammar: &Grammar, bytes: &[u8], part: Range) -> Option<Tree> {
    let n_bytes = part.end_byte.saturating_sub(part.start_byte);
    parse_ranges(grammar, bytes, &[part], n_bytes)
}

/// Parses these ranges of a file, or the whole file if there are none.
fn parse_ranges(grammar: &Grammar, bytes: &[u8], ranges: &[Range], n_bytes: usize) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.parser_language).ok()?;
        parser.set_included_ranges(ranges).ok()?;
        let mut steps_left = BASE_STEPS + n_bytes / 1024 * STEPS_PER_KIB;
        let mut stop_when_spent = |_: &tree_sitter::ParseState| match steps_left.checked_sub(1) {
            Some(left) => {
                steps_left = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        };
        let options = ParseOptions::new().progress_callback(&mut stop_when_spent);
        let mut read = |byte: usize, _| bytes.get(byte..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        // Without a reset, a parser that gave up would resume the old file at the next call.
        parser.reset();
        tree
    })
}
