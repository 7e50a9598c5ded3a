//! Macros: what stands in their parentheses is parsed again, as a tuple, an array or a block.
//!
//! Most macros take expressions, and so much of real code stands in them that it is read as if it were no macro's.

use model::Language;
use model::code::{Expression, ExpressionId, Literal, ScopeId};
use tree_sitter::Range;

use super::{OPAQUE, Rust, child_of_kind};
use crate::{grammar, node::Node, parse};

/// How many macros may stand in each other; each level parses its text once more.
const MAX_MACROS_AROUND: u32 = 6;

/// Macros of the standard library, which no repository defines.
const STANDARD: [&str; 41] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "is_x86_feature_detected",
    "line",
    "macro_rules",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "pin",
    "print",
    "println",
    "ready",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
    "join",
];

impl Rust<'_, '_> {
    /// Writes the call of a macro and what it is given; returns its value where the macro is known.
    pub(super) fn macro_call(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let (Some(named), Some(tokens)) = (node.child_by_field_name("macro"), child_of_kind(node, "token_tree")) else {
            return OPAQUE;
        };
        let name_node = named.child_by_field_name("name").unwrap_or(named);
        let name = self.out.text(name_node);
        if !STANDARD.contains(&name) {
            // A name that only macros have.
            let callee = self.out.name(&format!("{name}!"));
            let callee = self.out.use_name(callee, scope);
            let call = self.out.expression(Expression::Call {
                callee,
                type_arguments: Box::default(),
                arguments: Box::default(),
            });
            self.out.site(call, scope, name_node);
        }
        let given = self.given(name, tokens, scope);
        match name {
            "vec" | "dbg" => given,
            "try" => self.out.expression(Expression::Tried { of: given }),
            "format" | "concat" | "stringify" | "env" | "include_str" | "file" | "module_path" => {
                self.literal(Literal::Text(None))
            }
            "matches" | "cfg" => self.literal(Literal::Boolean),
            _ => OPAQUE,
        }
    }

    /// Writes what a macro is given, and returns its value.
    fn given(&mut self, name: &str, tokens: Node<'_>, scope: ScopeId) -> ExpressionId {
        let inside = &self.out.source[tokens.start_byte() + 1..tokens.end_byte().max(tokens.start_byte() + 1)];
        let has_calls = inside.iter().any(|byte| matches!(byte, b'(' | b'{' | b'!'));
        if self.n_macros_around >= MAX_MACROS_AROUND || !has_calls && name != "vec" {
            return OPAQUE;
        }
        let range = match name {
            // What is matched is an expression, and the pattern behind it is none.
            "matches" => before_comma(tokens),
            _ => Some(tokens.range()),
        };
        let (Some(range), Some(grammar)) = (range, grammar::of(Language::Rust)) else { return OPAQUE };
        let Some(tree) = parse::parse_part(grammar, self.out.source, range) else { return OPAQUE };
        self.n_macros_around += 1;
        let value = self.statements(Node::root(&tree, grammar), scope);
        self.n_macros_around -= 1;
        value
    }
}

/// Returns what stands before the first comma.
fn before_comma(tokens: Node<'_>) -> Option<Range> {
    let mut cursor = tokens.walk();
    let comma = tokens.children(&mut cursor).find(|token| token.kind() == ",")?;
    let open = tokens.child(0)?;
    Some(Range {
        start_byte: open.end_byte(),
        end_byte: comma.start_byte(),
        start_point: open.end_position(),
        end_point: comma.start_position(),
    })
}
