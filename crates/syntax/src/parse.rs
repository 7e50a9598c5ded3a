//! Parsing: bytes to a tree, within bounds that depend on the bytes alone.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::grammar::Grammar;

/// Steps of the parser, in hundreds, that every file may take.
const BASE_STEPS: usize = 1_000;

/// Steps of the parser, in hundreds, that a file may take for each kilobyte. Real code takes 5, and 28 at most; some
/// grammars go round in circles on some broken files. A count, unlike a clock, gives the same facts on every machine.
const STEPS_PER_KIB: usize = 60;

thread_local! {
    /// One parser per thread, since making one costs more than parsing a small file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses a file. Nothing if the parser gives up.
pub(crate) fn parse(grammar: &Grammar, bytes: &[u8]) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.parser_language).ok()?;
        let mut steps_left = BASE_STEPS + bytes.len() / 1024 * STEPS_PER_KIB;
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
        // A parser that gave up would go on with the old file at the next call.
        parser.reset();
        tree
    })
}
