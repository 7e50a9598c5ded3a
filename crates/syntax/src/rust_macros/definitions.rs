//! Declarative macros of a file: their rules, and where their names are known.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use crate::node::SyntaxNode;

use super::fragments::TokenList;
use super::matching::{Bindings, PatternMatch};
use super::tokens::{self, MacroToken, RustTokenKind};

/// Maximum number of tokens of arguments that are matched with the rules of a file. An argument counts for each rule that it is tried
/// with.
const MAX_MATCHED_TOKENS: usize = 4_000_000;

/// Keywords that only an item begins with or has.
const ITEM_KEYWORDS: [&[u8]; 9] = [b"const", b"enum", b"fn", b"impl", b"mod", b"static", b"struct", b"trait", b"type"];

/// Keywords of items that expansions do not have: imports, and modules of other files.
const UNEXPANDED_KEYWORDS: [&[u8]; 3] = [b"use", b"mod", b"macro_rules"];

/// The macros that a file defines at positions of items.
pub(crate) struct MacroTable {
    /// In text order for each name.
    by_name: HashMap<String, Vec<MacroDefinition>>,
    n_matched: Cell<usize>,
}

/// A rule that fits the arguments of an invocation.
pub(super) struct FittingRule<'s> {
    pub(super) matched: PatternMatch<'s>,
    pub(super) body: Range<usize>,
    pub(super) bindings: Bindings<'s>,
}

impl MacroTable {
    /// Finds the macros of a file.
    pub(crate) fn find(root: SyntaxNode<'_>, source: &[u8]) -> MacroTable {
        let mut by_name: HashMap<String, Vec<MacroDefinition>> = HashMap::new();
        for (name, definition) in find(root, source) {
            by_name.entry(name).or_default().push(definition);
        }
        MacroTable { by_name, n_matched: Cell::new(0) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Returns true if the file has a macro of a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Returns true if an invocation fits a macro of the file that writes items itself, rather than only those of its arguments. `at` is
    /// the first byte of the invocation, and `arguments` its brackets.
    pub(crate) fn writes_items(&self, source: &[u8], name: &str, at: usize, arguments: &Range<usize>) -> bool {
        if !self.has(name) {
            return false;
        }
        let Some(argument_tokens) = read_arguments(source, arguments) else { return false };
        if argument_tokens.iter().any(|token| UNEXPANDED_KEYWORDS.contains(&token.text(source))) {
            return false;
        }
        let rule = self.rule_for(source, name, at, TokenList { source, tokens: &argument_tokens });
        let is_item = |token: &MacroToken| ITEM_KEYWORDS.contains(&token.text(source));
        rule.is_some_and(|rule| rule.matched.pattern.tokens[rule.body].iter().any(is_item))
    }

    /// Returns the first rule that fits the arguments of an invocation at a byte; none if it is uncertain.
    pub(super) fn rule_for<'s>(
        &'s self,
        source: &'s [u8],
        name: &str,
        at: usize,
        arguments: TokenList<'s>,
    ) -> Option<FittingRule<'s>> {
        let mut known = self.by_name.get(name)?.iter().rev().filter(|one| one.scope.contains(&at));
        let definition = known.next()?;
        // One of two definitions in a block is often under a condition that the other one does not have.
        if known.next().is_some_and(|other| other.scope.end == definition.scope.end) {
            return None;
        }
        let matched = PatternMatch { pattern: TokenList { source, tokens: &definition.tokens }, arguments };
        for rule in &definition.rules {
            let n_matched = self.n_matched.get() + arguments.tokens.len() + 1;
            self.n_matched.set(n_matched);
            if n_matched > MAX_MATCHED_TOKENS {
                return None;
            }
            if let Some(bindings) = matched.bind(rule.pattern.clone()).ok()? {
                return Some(FittingRule { matched, body: rule.body.clone(), bindings });
            }
        }
        None
    }
}

/// Reads the tokens inside the brackets of an invocation.
pub(super) fn read_arguments(source: &[u8], brackets: &Range<usize>) -> Option<Vec<MacroToken>> {
    tokens::read(source, brackets.start + 1..brackets.end.checked_sub(1)?)
}

/// A `macro_rules!` definition.
struct MacroDefinition {
    tokens: Vec<MacroToken>,
    rules: Vec<MacroRule>,
    /// The bytes in which the name is known: from the end of the definition to the end of the block around it.
    scope: Range<usize>,
}

/// A rule of a macro, as ranges of its tokens without the outer brackets.
struct MacroRule {
    pattern: Range<usize>,
    body: Range<usize>,
}

/// Returns the macros that a file defines at positions of items, with their names, in text order.
fn find(root: SyntaxNode<'_>, source: &[u8]) -> Vec<(String, MacroDefinition)> {
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
    found.sort_by_key(|(_, definition)| definition.scope.start);
    found
}

fn definition(node: SyntaxNode<'_>, block: SyntaxNode<'_>, source: &[u8]) -> Option<(String, MacroDefinition)> {
    let name = node.child_by_field_name("name")?;
    let tokens = tokens::read(source, name.end_byte()..node.end_byte())?;
    let last = tokens.first().filter(|first| first.kind == RustTokenKind::Open)?.partner;
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
    Some((name, MacroDefinition { tokens, rules, scope: node.end_byte()..block.end_byte() }))
}

/// Returns the tokens inside the bracket at an index.
fn group(tokens: &[MacroToken], at: usize) -> Option<Range<usize>> {
    let open = tokens.get(at).filter(|token| token.kind == RustTokenKind::Open)?;
    Some(at + 1..open.partner)
}
