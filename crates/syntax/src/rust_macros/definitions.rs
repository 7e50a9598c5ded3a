//! Declarative macros of a file: their rules, and where their names are known.

use std::ops::Range;

use crate::node::SyntaxNode;

use super::tokens::{self, MacroToken, TokenKind};

/// A `macro_rules!` definition.
pub(super) struct MacroDefinition {
    pub(super) name: String,
    pub(super) tokens: Vec<MacroToken>,
    pub(super) rules: Vec<MacroRule>,
    /// The bytes in which the name is known: from the end of the definition to the end of the block around it.
    pub(super) scope: Range<usize>,
}

/// A rule of a macro, as ranges of its tokens without the outer brackets.
pub(super) struct MacroRule {
    pub(super) pattern: Range<usize>,
    pub(super) body: Range<usize>,
}

/// Returns the macros that a file defines at positions of items, in text order.
pub(super) fn find(root: SyntaxNode<'_>, source: &[u8]) -> Vec<MacroDefinition> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(block) = open.pop() {
        let mut cursor = block.walk();
        for child in block.named_children(&mut cursor) {
            match child.kind() {
                "mod_item" => open.extend(child.child_by_field_name("body")),
                "macro_definition" => found.extend(definition(child, block, source)),
                _ => {}
            }
        }
    }
    found.sort_by_key(|definition| definition.scope.start);
    found
}

fn definition(node: SyntaxNode<'_>, block: SyntaxNode<'_>, source: &[u8]) -> Option<MacroDefinition> {
    let name = node.child_by_field_name("name")?;
    let tokens = tokens::read(source, name.end_byte()..node.end_byte())?;
    let last = tokens.first().filter(|first| first.kind == TokenKind::Open)?.partner;
    let mut rules = Vec::new();
    let mut at = 1;
    while at < last {
        let pattern = group(&tokens, at)?;
        let arrow = pattern.end + 1;
        if tokens.get(arrow)?.text(source) != b"=>" {
            return None;
        }
        let body = group(&tokens, arrow + 1)?;
        at = body.end + 1;
        if tokens.get(at).is_some_and(|token| token.text(source) == b";") {
            at += 1;
        }
        rules.push(MacroRule { pattern, body });
    }
    let name = String::from_utf8_lossy(&source[name.byte_range()]).into_owned();
    Some(MacroDefinition { name, tokens, rules, scope: node.end_byte()..block.end_byte() })
}

/// Returns the tokens inside the bracket at an index.
fn group(tokens: &[MacroToken], at: usize) -> Option<Range<usize>> {
    let open = tokens.get(at).filter(|token| token.kind == TokenKind::Open)?;
    Some(at + 1..open.partner)
}
