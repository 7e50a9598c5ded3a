//! A function around the code of a CommonJS file, called at once: `(function () { … module.exports = f }())`.
//!
//! Its variables are those of the file. The text around its body is replaced by the same number of spaces before the file is
//! parsed, so that all offsets stay valid. A wrapper without exports hides its variables from other files, and stays as it is.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::grammar::Grammar;
use crate::parse;

/// Maximum number of parentheses, operators and calls around the function.
const MAX_STEPS: usize = 4;

/// Texts with which a line that opens a wrapper begins, without white space.
const OPENINGS: [&[u8]; 7] =
    [b"(function(", b";(function(", b"!function(", b"+function(", b"(()=>{", b";(()=>{", b"(async"];

/// Texts by which a file exports its names.
const EXPORTS: [&[u8]; 2] = [b"module.exports", b"exports."];

/// Returns the source without the function around its code.
pub(crate) fn open<'b>(grammar: &Grammar, bytes: &'b [u8]) -> Cow<'b, [u8]> {
    let wrapper = if may_have_wrapper(bytes) { parse::parse(grammar, bytes) } else { None }.and_then(|tree| {
        let root = tree.root_node();
        let mut cursor = root.walk();
        let mut statements = root.named_children(&mut cursor).filter(|node| node.kind() == "expression_statement");
        statements.find_map(|statement| {
            let body = called_body(statement).filter(|body| has_exports(&bytes[body.byte_range()]))?;
            Some([statement.start_byte()..body.start_byte() + 1, body.end_byte() - 1..statement.end_byte()])
        })
    });
    let mut opened = Cow::Borrowed(bytes);
    for outside in wrapper.into_iter().flatten() {
        opened.to_mut()[outside].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    opened
}

/// Returns true if a line begins like a wrapper and the file has exports. Most files need no second parse.
fn may_have_wrapper(bytes: &[u8]) -> bool {
    let begins_with = |line: &[u8], opening: &[u8]| {
        let written = line.iter().filter(|byte| !byte.is_ascii_whitespace());
        written.take(opening.len()).eq(opening)
    };
    let opens = |line: &[u8]| OPENINGS.iter().any(|opening| begins_with(line, opening));
    bytes.split(|byte| *byte == b'\n').any(opens) && has_exports(bytes)
}

fn has_exports(text: &[u8]) -> bool {
    EXPORTS.iter().any(|export| text.windows(export.len()).any(|part| part == *export))
}

/// Returns the body of a function without name and parameters that a statement calls.
fn called_body(statement: Node<'_>) -> Option<Node<'_>> {
    let mut is_called = false;
    let mut at = statement.named_child(0)?;
    for _ in 0..MAX_STEPS {
        at = match at.kind() {
            "parenthesized_expression" => at.named_child(0)?,
            "unary_expression" if !is_called => at.child_by_field_name("argument")?,
            "call_expression" if !is_called => {
                is_called = true;
                at.child_by_field_name("function")?
            }
            "function_expression" | "arrow_function" if is_called => {
                let is_bare = at.child_by_field_name("name").is_none()
                    && at.child_by_field_name("parameters").is_some_and(|list| list.named_child_count() == 0);
                return at.child_by_field_name("body").filter(|body| is_bare && body.kind() == "statement_block");
            }
            _ => return None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use model::Language;

    #[track_caller]
    fn check(source: &str, definitions: &[&str]) {
        let facts = crate::extract(Language::JavaScript, source.as_bytes());
        let found: Vec<String> =
            facts.definitions.iter().map(|one| format!("{}:{}", one.name, one.name_line)).collect();
        assert_eq!(found, definitions, "{source}");
    }

    #[test]
    fn variables_of_a_wrapper_with_exports_are_those_of_the_file() {
        let body = "'use strict';\nvar a = {};\na.f = function (x) {};\nmodule.exports = a;\n";
        for (opening, end) in [
            ("(function () {", "}());"),
            ("(function () {", "})();"),
            (";(function(){", "}).call(this)"),
            ("!function () {", "}()"),
            ("(() => {", "})()"),
            ("(async function () {", "})();"),
        ] {
            let expected: &[&str] = if end.contains(".call") { &["f:4"] } else { &["a:3", "f:4"] };
            check(&format!("{opening}\n{body}{end}\n"), expected);
        }
    }

    #[test]
    fn other_wrappers_keep_their_variables() {
        check("(function () {\nvar a = {};\na.f = function () {};\n}());\n", &["f:3"]);
        check("(function (exports) {\nvar a = 1;\nexports.b = a;\n}(this));\n", &[]);
        check("it(function () {\nvar a = 1;\nmodule.exports = a;\n});\n", &[]);
    }
}
