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
mod impl_blocks;
mod invocations;
mod matching;
#[cfg(test)]
mod tests;
mod tokens;
mod transcription;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use model::SymbolKind;
use tree_sitter::{Point, Range as TreeRange, Tree};

use crate::grammar::Grammar;
use crate::node::SyntaxNode;
use crate::parse;
use crate::walk::{self, collected::DefinitionDraft, source_point::SourcePoint};

pub(crate) use definitions::MacroTable;
use definitions::read_arguments;
use fragments::TokenList;
use impl_blocks::ImplBlocks;
use invocations::{InvocationContext, MacroInvocation, invocations};

/// Maximum depth of invocations in expansions.
const MAX_DEPTH: u32 = 6;

/// Maximum number of invocations of a file that are expanded, or tried to.
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
    /// First byte in the file of each of these names.
    defined: HashSet<usize>,
    /// First byte in the file of each token that several items of an expansion have.
    shared: HashSet<usize>,
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

/// Expands the macros of a file. Returns the expansions with the definitions whose names the invocations write.
///
/// A method in the implementation of a trait is no definition: the trait declares it, and its text belongs to the macro.
pub(crate) fn expand(
    grammar: &'static Grammar,
    root: SyntaxNode<'_>,
    source: &[u8],
) -> (MacroExpansions, Vec<DefinitionDraft>) {
    let macros = MacroTable::find(root, source);
    if macros.is_empty() {
        return Default::default();
    }
    let mut open = invocations(root, source, None);
    open.retain(|invocation| macros.has(&invocation.name));
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
    for _ in 0..MAX_EXPANSIONS {
        let Some(invocation) = open.pop() else { break };
        let left = max_bytes.saturating_sub(expansions.source.len() - expansions.n_file_bytes);
        let Some(tree) = expansions.expand_one(grammar, &macros, &invocation, left) else { continue };
        let expanded_root = SyntaxNode::root(&tree, &grammar.names);
        drafts.extend(expansions.definitions(grammar, expanded_root, &invocation.context));
        if invocation.context.depth < MAX_DEPTH {
            let inner = invocations(expanded_root, &expansions.source, Some(&invocation.context));
            open.extend(inner.into_iter().rev().filter(|inner| macros.has(&inner.name)));
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
        macros: &MacroTable,
        invocation: &MacroInvocation,
        max_bytes: usize,
    ) -> Option<Tree> {
        let at = invocation.context.outermost.start;
        let argument_tokens = read_arguments(&self.source, &invocation.arguments)?;
        let expanded = {
            let arguments = TokenList { source: &self.source, tokens: &argument_tokens };
            let rule = macros.rule_for(&self.source, &invocation.name, at, arguments)?;
            transcription::transcribe(rule.matched, rule.body, &rule.bindings, max_bytes).ok()?
        };
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
        self.find_shared(root);
        let impls = ImplBlocks::of(root);
        let mut written: Vec<(usize, usize)> = collected
            .definitions
            .iter()
            .map(|draft| (self.origin(draft.name_start), draft.name_start))
            .filter(|(name_byte, _)| context.outermost.contains(name_byte))
            .collect();
        written.sort_unstable();
        let mut found = collected.definitions;
        // The name of a field and of the method that reads it is one definition. Calls need the method.
        found.sort_by_key(|draft| !matches!(draft.kind, SymbolKind::Function | SymbolKind::Method));
        let mut drafts = Vec::new();
        for mut draft in found {
            let name_byte = self.origin(draft.name_start);
            let is_written = context.outermost.contains(&name_byte);
            let is_implementation = match impls.is_of_trait(draft.name_start) {
                Some(is_of_trait) => is_of_trait,
                None => context.is_in_trait_impl,
            };
            if !is_written || is_implementation || !self.defined.insert(name_byte) {
                continue;
            }
            self.names.insert(draft.name_start, name_byte);
            let name_bytes = name_byte..name_byte + draft.name.len();
            let hull = self.hull(draft.start.byte..draft.end.byte, &context.outermost, name_bytes, &written);
            let point = |byte: usize| SourcePoint { byte, row: self.row_of(byte) };
            (draft.start, draft.end) = (point(hull.start), point(hull.end));
            (draft.name_start, draft.name_row) = (name_byte, self.row_of(name_byte));
            draft.comment = None;
            if context.is_in_type && draft.container.is_empty() && draft.kind == SymbolKind::Function {
                draft.kind = SymbolKind::Method;
            }
            let outer = context.container.iter().map(String::as_str);
            let parts: Vec<&str> =
                outer.chain(Some(draft.container.as_str())).filter(|part| !part.is_empty()).collect();
            draft.container = parts.join(".");
            drafts.push(draft);
        }
        drafts
    }

    /// Finds the tokens of the newest expansion that several of its items have.
    fn find_shared(&mut self, root: SyntaxNode<'_>) {
        let items = impl_blocks::owning_items(root);
        let Some(first) = items.first() else { return };
        let from = self.origins.partition_point(|token| token.start < first.start);
        let mut owners: HashMap<usize, usize> = HashMap::new();
        for token in &self.origins[from..] {
            let owner = items.partition_point(|item| item.start <= token.start).checked_sub(1);
            let Some(owner) = owner.filter(|at| items[*at].contains(&token.start)) else { continue };
            if *owners.entry(token.of).or_insert(owner) != owner {
                self.shared.insert(token.of);
            }
        }
    }

    /// Returns the part of an invocation from the first to the last token that only this part of its expansion uses, with its name.
    ///
    /// `written` are the names of the definitions of the expansion, as their bytes in the file and in the buffer. With the name of a
    /// definition outside the part, the tokens are no block of the invocation, and only the name is certain.
    fn hull(
        &self,
        part: Range<usize>,
        invocation: &Range<usize>,
        name: Range<usize>,
        written: &[(usize, usize)],
    ) -> Range<usize> {
        let first = self.origins.partition_point(|token| token.start < part.start);
        let tokens = self.origins[first..].iter().take_while(|token| token.start < part.end);
        let own = tokens.filter(|token| invocation.contains(&token.of) && !self.shared.contains(&token.of));
        let bytes = own.map(|token| token.of..token.of + token.n_bytes);
        let hull = bytes.fold(name.clone(), |hull, token| hull.start.min(token.start)..hull.end.max(token.end));
        let index_of = |end: usize| written.partition_point(|(byte, _)| *byte < end);
        let mut inside = written[index_of(hull.start)..index_of(hull.end)].chunk_by(|left, right| left.0 == right.0);
        let has_foreign = inside.any(|places| {
            let is_other = places.iter().all(|(byte, _)| *byte != name.start);
            is_other && !places.iter().any(|(_, buffer)| part.contains(buffer))
        });
        if has_foreign { name } else { hull }
    }
}
