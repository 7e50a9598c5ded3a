//! Syntax errors: one diagnostic per file, whatever their number.

use model::Diagnostic;
use tree_sitter::Tree;

/// Maximum number of errors that are counted. A file with more is not written in this language.
const MAX_COUNTED: usize = 1_000;

/// Returns a diagnostic with the line of the first syntax error and the number of errors; `None` for a file without
/// errors. `n_lines` is the number of lines in the file.
pub(crate) fn diagnostic(tree: &Tree, n_lines: u32) -> Option<Diagnostic> {
    if !tree.root_node().has_error() {
        return None;
    }
    let mut n_errors = 0;
    let mut first_line = 0;
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            n_errors += 1;
            first_line = if n_errors == 1 { node.start_position().row as u32 + 1 } else { first_line };
        }
        if n_errors < MAX_COUNTED && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    let message = match n_errors {
        // The parser repaired something that left no trace, such as a line break that a grammar expects.
        0 => return None,
        1 => "a syntax error; facts near it may be missing".to_owned(),
        MAX_COUNTED.. => format!("over {MAX_COUNTED} syntax errors; facts near them may be missing"),
        n => format!("{n} syntax errors; facts near them may be missing"),
    };
    // A node missing at the end of the file is placed after the last line break, where there is no line.
    Some(Diagnostic { line: first_line.min(n_lines.max(1)), message })
}
