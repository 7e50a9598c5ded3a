//! Expansion of declarative macros of Rust at positions of items.
//!
//! Libraries implement a trait for twenty types, or define a hundred constants, with one `macro_rules!` and its invocations. A macro
//! that the same file defines is expanded by substitution of its tokens. The text of an expansion follows the file in one buffer, is
//! parsed, and lowered at its invocation. Each of its tokens knows its place in the file.
//!
//! An expansion that is not certain is none: an unsupported fragment, text that is no list of items, or a macro of another file, since
//! facts depend on one file only. Items inside function bodies are not expanded; their arguments are lowered as expressions.

mod definitions;
mod fragments;
mod matching;
#[cfg(test)]
mod tests;
mod tokens;
mod transcription;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{Point, Range as TreeRange, Tree};

use crate::grammar::Grammar;
use crate::node::SyntaxNode;
use crate::parse;
use crate::walk::{self, collected::DefinitionDraft, source_point::SourcePoint};

use definitions::MacroDefinition;
use fragments::TokenList;
use matching::PatternMatch;

/// Maximum depth of invocations in expansions.
const MAX_DEPTH: u32 = 6;

/// Maximum number of expansions of a file.
const MAX_EXPANSIONS: usize = 1_000;

/// Text of the expansions of a file that every file may have, in bytes.
const BASE_EXPANDED_BYTES: usize = 16 * 1024;

/// Factor by which the text of all expansions may exceed that of the file, so that the work stays proportional to the file.
const MAX_GROWTH: usize = 4;

/// The expansions of a file.
#[derive(Default)]
pub(crate) struct MacroExpansions {
    /// The file, followed by the text of each expansion. Empty without expansions.
    source: Vec<u8>,
    n_file_bytes: usize,
    /// The tree of each expansion, by the first byte of its invocation in `source`.
    trees: HashMap<usize, Tree>,
    /// The tokens of the expansions in the order of `source`.
    origins: Vec<TokenOrigin>,
    /// First byte of each name in `source` that is a definition, with its byte in the file.
    names: HashMap<usize, usize>,
    line_starts: Vec<usize>,
}

/// A token of an expansion.
#[derive(Debug, Clone, Copy)]
struct TokenOrigin {
    /// First byte in the buffer.
    start: usize,
    /// First byte in the file.
    of: usize,
    n_bytes: usize,
}

/// An invocation that is not expanded yet.
struct Invocation {
    /// First byte in the buffer.
    start: usize,
    name: String,
    /// The tokens of the arguments with their brackets, in the buffer.
    arguments: Range<usize>,
    context: InvocationContext,
}

/// The place of an invocation, which its expansions inherit.
#[derive(Clone)]
struct InvocationContext {
    /// Bytes of the outermost invocation in the file.
    outermost: Range<usize>,
    /// Names of the modules and types around it.
    container: Vec<String>,
    is_in_type: bool,
    is_in_trait_impl: bool,
    depth: u32,
}

/// Expands the macros of a file. Returns the expansions with the definitions whose names the invocations write.
///
/// A method in the implementation of a trait is no definition: the trait declares it, and its text belongs to the macro.
pub(crate) fn expand(
    grammar: &'static Grammar,
    root: SyntaxNode<'_>,
    source: &[u8],
) -> (MacroExpansions, Vec<DefinitionDraft>) {
    if !source.windows(b"macro_rules!".len()).any(|window| window == b"macro_rules!") {
        return Default::default();
    }
    let macros = definitions::find(root, source);
    let mut open = invocations(root, source, None);
    open.retain(|invocation| macros.iter().any(|one| one.name == invocation.name));
    if open.is_empty() {
        return Default::default();
    }
    let line_starts = source.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let mut expansions = MacroExpansions {
        source: source.to_vec(),
        n_file_bytes: source.len(),
        line_starts: std::iter::once(0).chain(line_starts).collect(),
        ..MacroExpansions::default()
    };
    let max_bytes = source.len() * MAX_GROWTH + BASE_EXPANDED_BYTES;
    let mut drafts = Vec::new();
    open.reverse();
    while let Some(invocation) = open.pop() {
        if expansions.trees.len() >= MAX_EXPANSIONS {
            break;
        }
        let left = max_bytes.saturating_sub(expansions.source.len() - expansions.n_file_bytes);
        let Some(tree) = expansions.expand_one(grammar, &macros, &invocation, left) else { continue };
        let expanded_root = SyntaxNode::root(&tree, &grammar.names);
        drafts.extend(expansions.definitions(grammar, expanded_root, &invocation.context));
        if invocation.context.depth < MAX_DEPTH {
            let inner = invocations(expanded_root, &expansions.source, Some(&invocation.context));
            open.extend(inner.into_iter().rev());
        }
        expansions.trees.insert(invocation.start, tree);
    }
    (expansions, drafts)
}

impl MacroExpansions {
    /// Returns the file with the text of its expansions, or the file itself if there are none.
    pub(crate) fn source<'s>(&'s self, file: &'s [u8]) -> &'s [u8] {
        if self.trees.is_empty() { file } else { &self.source }
    }

    /// Returns the tree of the expansion of the invocation that starts at a byte.
    pub(crate) fn tree_at(&self, start: usize) -> Option<&Tree> {
        self.trees.get(&start)
    }

    /// Returns the byte in the file of a name that is a definition; none for other names of expansions.
    pub(crate) fn definition_byte(&self, byte: usize) -> Option<usize> {
        if self.is_in_file(byte) { Some(byte) } else { self.names.get(&byte).copied() }
    }

    /// Returns the line of a token, starting at 1. `row` is its row in its own tree.
    pub(crate) fn line(&self, byte: usize, row: usize) -> u32 {
        let row = if self.is_in_file(byte) { row } else { self.row_of(self.origin(byte)) };
        row as u32 + 1
    }

    /// Returns true if a byte of the buffer is one of the file.
    pub(crate) fn is_in_file(&self, byte: usize) -> bool {
        self.trees.is_empty() || byte < self.n_file_bytes
    }

    /// Returns the byte in the file of the token at a byte of the buffer.
    fn origin(&self, byte: usize) -> usize {
        if byte < self.n_file_bytes {
            return byte;
        }
        let after = self.origins.partition_point(|token| token.start <= byte);
        after.checked_sub(1).map_or(byte, |at| self.origins[at].of)
    }

    fn row_of(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// Expands an invocation, appends its text to the buffer, and parses it. Returns none if anything is uncertain.
    fn expand_one(
        &mut self,
        grammar: &Grammar,
        macros: &[MacroDefinition],
        invocation: &Invocation,
        max_bytes: usize,
    ) -> Option<Tree> {
        let at = invocation.context.outermost.start;
        let is_known = |one: &&MacroDefinition| one.name == invocation.name && one.scope.contains(&at);
        let definition = macros.iter().rev().find(is_known)?;
        let inside = invocation.arguments.start + 1..invocation.arguments.end - 1;
        let argument_tokens = tokens::read(&self.source, inside)?;
        let matched = PatternMatch {
            pattern: TokenList { source: &self.source, tokens: &definition.tokens, depth: 0 },
            arguments: TokenList { source: &self.source, tokens: &argument_tokens, depth: 0 },
        };
        let mut expanded = None;
        for rule in &definition.rules {
            if let Some(bindings) = matched.bind(rule.pattern.clone()).ok()? {
                expanded = Some(transcription::transcribe(matched, rule.body.clone(), &bindings, max_bytes).ok()?);
                break;
            }
        }
        let expanded = expanded?;
        let start = self.source.len() + 1;
        let origin = |token: &TokenOrigin| TokenOrigin {
            start: start + token.start,
            of: self.origin(token.of),
            n_bytes: token.n_bytes,
        };
        let origins: Vec<TokenOrigin> = expanded.origins.iter().map(origin).collect();
        self.source.push(b'\n');
        self.source.extend_from_slice(&expanded.text);
        self.origins.extend(origins);
        let n_bytes = expanded.text.len();
        let row = self.line_starts.len() + self.trees.len();
        let part = TreeRange {
            start_byte: start,
            end_byte: start + n_bytes,
            start_point: Point::new(row, 0),
            end_point: Point::new(row, n_bytes),
        };
        let tree = parse::parse_part(grammar, &self.source, part)?;
        (!tree.root_node().has_error()).then_some(tree)
    }

    /// Returns the definitions of an expansion whose names its outermost invocation writes.
    fn definitions(
        &mut self,
        grammar: &'static Grammar,
        root: SyntaxNode<'_>,
        context: &InvocationContext,
    ) -> Vec<DefinitionDraft> {
        let collected = walk::collect(root, &self.source, &grammar.rules);
        let mut known: HashSet<usize> = self.names.values().copied().collect();
        let shared = self.shared_tokens(root.byte_range());
        let mut drafts = Vec::new();
        for mut draft in collected.definitions {
            let name_byte = self.origin(draft.name_start);
            let is_written = context.outermost.contains(&name_byte);
            let is_implementation = match enclosing_impl(root, draft.name_start) {
                Some(is_of_trait) => is_of_trait,
                None => context.is_in_trait_impl,
            };
            if !is_written || is_implementation || !known.insert(name_byte) {
                continue;
            }
            self.names.insert(draft.name_start, name_byte);
            let own = name_byte..name_byte + draft.name.len();
            let hull = self.hull(draft.start.byte..draft.end.byte, &context.outermost, &shared).unwrap_or(own);
            let point = |byte: usize| SourcePoint { byte, row: self.row_of(byte) };
            let end = hull.end.max(name_byte + draft.name.len());
            (draft.start, draft.end) = (point(hull.start.min(name_byte)), point(end));
            (draft.name_start, draft.name_row) = (name_byte, self.row_of(name_byte));
            draft.comment = None;
            if context.is_in_type && draft.container.is_empty() && draft.kind == model::SymbolKind::Function {
                draft.kind = model::SymbolKind::Method;
            }
            let outer = context.container.iter().map(String::as_str);
            let parts: Vec<&str> =
                outer.chain(Some(draft.container.as_str())).filter(|part| !part.is_empty()).collect();
            draft.container = parts.join(".");
            drafts.push(draft);
        }
        drafts
    }

    /// Returns the tokens of the file that a part of the buffer uses more than once. They belong to no single definition.
    fn shared_tokens(&self, part: Range<usize>) -> HashSet<usize> {
        let mut seen = HashSet::new();
        self.tokens_of(part).map(|token| token.of).filter(|of| !seen.insert(*of)).collect()
    }

    fn tokens_of(&self, part: Range<usize>) -> impl Iterator<Item = &TokenOrigin> {
        let first = self.origins.partition_point(|token| token.start < part.start);
        self.origins[first..].iter().take_while(move |token| token.start < part.end)
    }

    /// Returns the part of an invocation from the first to the last token that only this part of its expansion uses.
    fn hull(&self, part: Range<usize>, invocation: &Range<usize>, shared: &HashSet<usize>) -> Option<Range<usize>> {
        let written =
            self.tokens_of(part).filter(|token| invocation.contains(&token.of) && !shared.contains(&token.of));
        let bytes = written.map(|token| token.of..token.of + token.n_bytes);
        bytes.reduce(|hull, token| hull.start.min(token.start)..hull.end.max(token.end))
    }
}

/// Returns whether the nearest implementation around a byte is that of a trait; none without an implementation.
fn enclosing_impl(root: SyntaxNode<'_>, byte: usize) -> Option<bool> {
    let mut at = root;
    let mut found = None;
    loop {
        let mut cursor = at.walk();
        let Some(child) = at.named_children(&mut cursor).find(|child| child.byte_range().contains(&byte)) else {
            return found;
        };
        if child.kind() == "impl_item" {
            found = Some(child.child_by_field_name("trait").is_some());
        }
        at = child;
    }
}

/// Returns the invocations at positions of items, in text order. `around` is the context of an expansion.
fn invocations(root: SyntaxNode<'_>, source: &[u8], around: Option<&InvocationContext>) -> Vec<Invocation> {
    let context = around.map_or_else(
        || InvocationContext {
            outermost: 0..0,
            container: Vec::new(),
            is_in_type: false,
            is_in_trait_impl: false,
            depth: 0,
        },
        |context| InvocationContext { depth: context.depth + 1, ..context.clone() },
    );
    let mut found = Vec::new();
    let mut open = vec![(root, context)];
    while let Some((block, context)) = open.pop() {
        let mut cursor = block.walk();
        for child in block.named_children(&mut cursor) {
            let name = |field: &str| {
                let named = child.child_by_field_name(field)?;
                let named = named.child_by_field_name("type").unwrap_or(named);
                Some(String::from_utf8_lossy(&source[named.byte_range()]).into_owned())
            };
            let inner = |name: Option<String>, is_in_type: bool, is_in_trait_impl: bool| {
                let container = context.container.iter().cloned().chain(name).collect();
                InvocationContext { container, is_in_type, is_in_trait_impl, ..context.clone() }
            };
            let body = child.child_by_field_name("body");
            match (child.kind(), body) {
                ("mod_item", Some(body)) => open.push((body, inner(name("name"), false, false))),
                ("trait_item", Some(body)) => open.push((body, inner(name("name"), true, false))),
                ("impl_item", Some(body)) => {
                    let is_of_trait = child.child_by_field_name("trait").is_some();
                    open.push((body, inner(name("type"), true, is_of_trait)));
                }
                ("macro_invocation", _) => found.extend(invocation(child, source, &context, around.is_none())),
                ("expression_statement", _) => {
                    let only = child.named_child(0).filter(|only| only.kind() == "macro_invocation");
                    found.extend(only.and_then(|only| invocation(only, source, &context, around.is_none())));
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|invocation| invocation.start);
    found
}

fn invocation(
    node: SyntaxNode<'_>,
    source: &[u8],
    context: &InvocationContext,
    is_outermost: bool,
) -> Option<Invocation> {
    let name = node.child_by_field_name("macro")?;
    let arguments = node.child_of_kind("token_tree")?;
    let mut context = context.clone();
    if is_outermost {
        context.outermost = node.byte_range();
    }
    Some(Invocation {
        start: node.start_byte(),
        name: String::from_utf8_lossy(&source[name.byte_range()]).into_owned(),
        arguments: arguments.byte_range(),
        context,
    })
}
