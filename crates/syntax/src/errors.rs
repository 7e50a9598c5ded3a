//! Syntax errors: one diagnostic for a file, however many there are.

use model::Diagnostic;
use tree_sitter::Tree;

/// The most errors that are counted; beyond it the file is simply not in this language.
const MAX_COUNTED: usize = 1_000;

/// Says where the first syntax error of a file of so many lines is, and how many there are; nothing for a sound file.
pub(crate) fn syntax_errors(tree: &Tree, n_lines: u32) -> Option<Diagnostic> {
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
        // The parser repaired something that left no trace, such as a line break that a grammar wants.
        0 => return None,
        1 => "a syntax error; facts near it may be missing".to_owned(),
        MAX_COUNTED.. => format!("over {MAX_COUNTED} syntax errors; facts near them may be missing"),
        n => format!("{n} syntax errors; facts near them may be missing"),
    };
    // What is missing at the end is missing after the last line break, where no line is.
    Some(Diagnostic { line: first_line.min(n_lines.max(1)), message })
}
