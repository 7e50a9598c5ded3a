//! Nodes of a tree, with the grammar that they are of at hand.
//!
//! The parser's own nodes look up what a kind or a field is called at each question: a kind by the length of a C string
//! that is then checked to be text, a field by comparing its name with all others. Walks ask both of nearly every node,
//! so that here they are answered from the grammar's tables, which are made once.

use std::ops::Range;

use tree_sitter::{LanguageRef, Point, Tree, TreeCursor};

use crate::grammar::Grammar;

/// A node of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Node<'t> {
    raw: tree_sitter::Node<'t>,
    grammar: &'static Grammar,
}

impl<'t> Node<'t> {
    /// Returns the root of a tree that was parsed with this grammar.
    pub(crate) fn root(tree: &'t Tree, grammar: &'static Grammar) -> Node<'t> {
        Node { raw: tree.root_node(), grammar }
    }

    /// Returns the node that a cursor is at, of a tree that was parsed with this grammar.
    #[inline]
    pub(crate) fn at(cursor: &TreeCursor<'t>, grammar: &'static Grammar) -> Node<'t> {
        Node { raw: cursor.node(), grammar }
    }

    #[inline]
    fn with(self, raw: tree_sitter::Node<'t>) -> Node<'t> {
        Node { raw, grammar: self.grammar }
    }

    /// Returns what the kind of the node is called.
    #[inline]
    pub(crate) fn kind(&self) -> &'t str {
        // What stands for an error has a kind that is in no table.
        self.grammar.kind(self.raw.kind_id()).unwrap_or_else(|| self.raw.kind())
    }

    pub(crate) fn kind_id(&self) -> u16 {
        self.raw.kind_id()
    }

    pub(crate) fn id(&self) -> usize {
        self.raw.id()
    }

    pub(crate) fn language(&self) -> LanguageRef<'t> {
        self.raw.language()
    }

    pub(crate) fn is_named(&self) -> bool {
        self.raw.is_named()
    }

    pub(crate) fn is_extra(&self) -> bool {
        self.raw.is_extra()
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.raw.is_missing()
    }

    pub(crate) fn start_byte(&self) -> usize {
        self.raw.start_byte()
    }

    pub(crate) fn end_byte(&self) -> usize {
        self.raw.end_byte()
    }

    pub(crate) fn byte_range(&self) -> Range<usize> {
        self.raw.byte_range()
    }

    pub(crate) fn range(&self) -> tree_sitter::Range {
        self.raw.range()
    }

    pub(crate) fn start_position(&self) -> Point {
        self.raw.start_position()
    }

    pub(crate) fn end_position(&self) -> Point {
        self.raw.end_position()
    }

    pub(crate) fn child_count(&self) -> u32 {
        self.raw.child_count()
    }

    pub(crate) fn named_child_count(&self) -> usize {
        self.raw.named_child_count()
    }

    pub(crate) fn child(&self, index: u32) -> Option<Node<'t>> {
        self.raw.child(index).map(|raw| self.with(raw))
    }

    pub(crate) fn named_child(&self, index: u32) -> Option<Node<'t>> {
        self.raw.named_child(index).map(|raw| self.with(raw))
    }

    /// Returns the first child in a field; nothing where the grammar has no such field.
    #[inline]
    pub(crate) fn child_by_field_name(&self, field: &str) -> Option<Node<'t>> {
        self.child_by_field_id(self.grammar.field(field)?)
    }

    #[inline]
    pub(crate) fn child_by_field_id(&self, field: u16) -> Option<Node<'t>> {
        self.raw.child_by_field_id(field).map(|raw| self.with(raw))
    }

    pub(crate) fn prev_sibling(&self) -> Option<Node<'t>> {
        self.raw.prev_sibling().map(|raw| self.with(raw))
    }

    pub(crate) fn next_named_sibling(&self) -> Option<Node<'t>> {
        self.raw.next_named_sibling().map(|raw| self.with(raw))
    }

    pub(crate) fn prev_named_sibling(&self) -> Option<Node<'t>> {
        self.raw.prev_named_sibling().map(|raw| self.with(raw))
    }

    pub(crate) fn walk(&self) -> TreeCursor<'t> {
        self.raw.walk()
    }

    pub(crate) fn children<'c>(&self, cursor: &'c mut TreeCursor<'t>) -> Children<'c, 't> {
        cursor.reset(self.raw);
        Children { cursor, grammar: self.grammar, n_left: self.child_count() as usize, is_inside: false }
    }

    pub(crate) fn named_children<'c>(
        &self,
        cursor: &'c mut TreeCursor<'t>,
    ) -> impl Iterator<Item = Node<'t>> + use<'c, 't> {
        let n_named = self.named_child_count();
        self.children(cursor).filter(Node::is_named).take(n_named)
    }

    /// Returns every child in a field.
    pub(crate) fn children_by_field_name<'c>(
        &self,
        field: &str,
        cursor: &'c mut TreeCursor<'t>,
    ) -> impl Iterator<Item = Node<'t>> + use<'c, 't> {
        let field = self.grammar.field(field);
        let mut children = self.children(cursor);
        std::iter::from_fn(move || {
            loop {
                let child = children.next()?;
                if children.cursor.field_id().map(u16::from) == Some(field?) {
                    return Some(child);
                }
            }
        })
    }
}

/// The children of a node, one by one.
pub(crate) struct Children<'c, 't> {
    cursor: &'c mut TreeCursor<'t>,
    grammar: &'static Grammar,
    n_left: usize,
    /// Whether the cursor is at a child.
    is_inside: bool,
}

impl<'t> Iterator for Children<'_, 't> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        // A step behind the last child would be found out by climbing.
        self.n_left = self.n_left.checked_sub(1)?;
        let is_there = if self.is_inside { self.cursor.goto_next_sibling() } else { self.cursor.goto_first_child() };
        self.is_inside = true;
        is_there.then(|| Node::at(self.cursor, self.grammar))
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Node<'_> {}
