//! Macros: their arguments are parsed again as a tuple, an array or a block.
//!
//! Most macros take expressions, and much real code is inside them, so it is lowered as if it were outside.

use model::Language;
use model::code::{Expression, ExpressionId, Literal, ScopeId};
use tree_sitter::Range;

use super::{OPAQUE, RustLowering};
use crate::{grammar, node::SyntaxNode, parse};

/// Maximum depth of nested macros. Each level parses its text once more.
const MAX_MACRO_DEPTH: u32 = 6;

/// Macros of the standard library, which no repository defines.
const STANDARD_MACROS: [&str; 41] = [
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

impl RustLowering<'_, '_> {
    /// Lowers a macro call and its arguments. Returns its value if the macro is known.
    pub(super) fn lower_macro_call(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let (Some(named), Some(tokens)) = (node.child_by_field_name("macro"), node.child_of_kind("token_tree")) else {
            return OPAQUE;
        };
        let name_node = named.child_by_field_name("name").unwrap_or(named);
        let name = self.out.text(name_node);
        if !STANDARD_MACROS.contains(&name) {
            // Only macros have a name with `!`.
            let callee = self.out.intern(&format!("{name}!"));
            let callee = self.out.use_name(callee, scope);
            let call = self.out.add_expression(Expression::Call {
                callee,
                type_arguments: Box::default(),
                arguments: Box::default(),
            });
            self.out.add_path_call_site(call, scope, named, name_node);
        }
        if let (Some(tree), Some(grammar)) = (self.out.expansion_of(node), grammar::for_language(Language::Rust)) {
            self.lower_statements(SyntaxNode::root(tree, &grammar.names), scope);
            return OPAQUE;
        }
        let value = self.lower_macro_arguments(name, tokens, scope);
        if matches!(name, "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne")
            && let Expression::Tuple(parts) = self.out.code.expression(value)
            && let [left, right, ..] = **parts
        {
            self.add_comparison(left, right);
        }
        match name {
            "vec" | "dbg" => value,
            // The value of a `Poll` that is ready is what waiting for its future gives.
            "ready" => self.out.add_expression(Expression::Awaited { of: value }),
            "try" => self.out.add_expression(Expression::Tried { of: value }),
            "format" | "format_args" => self.add_formatted_text(value, scope),
            "concat" | "stringify" | "env" | "include_str" | "file" | "module_path" => {
                self.add_literal(Literal::Text(None))
            }
            "matches" | "cfg" => self.add_literal(Literal::Boolean),
            _ => OPAQUE,
        }
    }

    /// Records accesses to the enum members and constants in the pattern of `matches!`.
    fn access_matched_pattern(&mut self, tokens: SyntaxNode<'_>, scope: ScopeId) {
        let (Some(range), Some(grammar)) = (range_after_comma(tokens), grammar::for_language(Language::Rust)) else {
            return;
        };
        // A pattern of paths is an expression as well.
        let Some(tree) = parse::parse_part(grammar, self.out.source, range) else { return };
        self.access_paths(SyntaxNode::root(&tree, &grammar.names), scope);
    }

    fn access_paths(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        if node.kind() == "scoped_identifier" {
            self.visit(node, scope);
        } else if self.out.descend() {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                self.access_paths(child, scope);
            }
            self.out.ascend();
        }
    }

    /// Lowers the arguments of a macro, and returns their value.
    fn lower_macro_arguments(&mut self, name: &str, tokens: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let inside = &self.out.source[tokens.start_byte() + 1..tokens.end_byte().max(tokens.start_byte() + 1)];
        if name == "matches" {
            self.access_matched_pattern(tokens, scope);
        }
        if self.macro_depth >= MAX_MACRO_DEPTH || !has_uses(inside) && name != "vec" {
            return OPAQUE;
        }
        let range = match name {
            // The first argument of `matches!` is an expression; the second is a pattern.
            "matches" => range_before_comma(tokens),
            _ => Some(tokens.range()),
        };
        let (Some(range), Some(grammar)) = (range, grammar::for_language(Language::Rust)) else { return OPAQUE };
        let Some(tree) = parse::parse_part(grammar, self.out.source, range) else { return OPAQUE };
        self.macro_depth += 1;
        let root = SyntaxNode::root(&tree, &grammar.names);
        // An expression without a semicolon is no statement of a file.
        let statements = root.child(0).filter(|only| root.child_count() == 1 && only.kind() == "ERROR").unwrap_or(root);
        let value = self.lower_statements(statements, scope);
        self.macro_depth -= 1;
        value
    }
}

/// Returns true if there are calls or members in the text of a macro's arguments.
fn has_uses(text: &[u8]) -> bool {
    let mut is_quoted = false;
    let mut before = 0;
    text.iter().any(|byte| {
        is_quoted ^= *byte == b'"' && before != b'\\';
        let is_member =
            matches!(byte, b'.' | b':') && (before == *byte || before.is_ascii_alphanumeric() || before == b')');
        before = *byte;
        matches!(byte, b'(' | b'{' | b'!') || is_member && !is_quoted
    })
}

/// Returns the range after the first comma.
fn range_after_comma(tokens: SyntaxNode<'_>) -> Option<Range> {
    let comma = tokens.child_of_kind(",")?;
    let close = tokens.child(tokens.child_count().checked_sub(1)?)?;
    Some(Range {
        start_byte: comma.end_byte(),
        end_byte: close.start_byte().max(comma.end_byte()),
        start_point: comma.end_position(),
        end_point: close.start_position(),
    })
}

/// Returns the range before the first comma.
fn range_before_comma(tokens: SyntaxNode<'_>) -> Option<Range> {
    let comma = tokens.child_of_kind(",")?;
    let open = tokens.child(0)?;
    Some(Range {
        start_byte: open.end_byte(),
        end_byte: comma.start_byte(),
        start_point: open.end_position(),
        end_point: comma.start_position(),
    })
}
