//! Nodes of a syntax tree, with fast access to kind and field names.
//!
//! The `tree-sitter` crate resolves kind and field names at every call: it validates a C string for a kind, and
//! compares a field name with all others. A walk asks for both at nearly every node, so the names are copied into
//! tables once per grammar.

use std::ops::Range;

use tree_sitter::{LanguageRef, Point, Tree, TreeCursor};

/// A node of a syntax tree.
#[derive(Clone, Copy)]
pub(crate) struct SyntaxNode<'t> {
    raw: tree_sitter::Node<'t>,
    names: &'static NodeNames,
}

impl<'t> SyntaxNode<'t> {
    /// Returns the root of a tree, with the names of the grammar that it was parsed with.
    pub(crate) fn root(tree: &'t Tree, names: &'static NodeNames) -> SyntaxNode<'t> {
        SyntaxNode { raw: tree.root_node(), names }
    }

    /// Returns the node at a cursor in the same tree.
    #[inline]
    pub(crate) fn at(self, cursor: &TreeCursor<'t>) -> SyntaxNode<'t> {
        self.with(cursor.node())
    }

    #[inline]
    fn with(self, raw: tree_sitter::Node<'t>) -> SyntaxNode<'t> {
        SyntaxNode { raw, names: self.names }
    }

    /// Returns the name of the node's kind.
    #[inline]
    pub(crate) fn kind(&self) -> &'t str {
        // The kind of an error node is in no table.
        self.names.kind(self.raw.kind_id()).unwrap_or_else(|| self.raw.kind())
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

    /// Returns the number of named children without comments.
    pub(crate) fn named_child_count(&self) -> usize {
        if self.raw.named_child_count() == 0 {
            return 0;
        }
        let mut cursor = self.walk();
        self.named_children(&mut cursor).filter(|child| !child.is_extra()).count()
    }

    pub(crate) fn child(&self, index: u32) -> Option<SyntaxNode<'t>> {
        self.raw.child(index).map(|raw| self.with(raw))
    }

    /// Returns a named child by its position among those that are no comments. A comment may stand between any two tokens.
    pub(crate) fn named_child(&self, index: u32) -> Option<SyntaxNode<'t>> {
        let first = self.raw.named_child(0)?;
        if index == 0 && !first.is_extra() {
            return Some(self.with(first));
        }
        let mut cursor = self.walk();
        self.named_children(&mut cursor).filter(|child| !child.is_extra()).nth(index as usize)
    }

    /// Returns the first child in a field; `None` if the grammar has no such field.
    #[inline]
    pub(crate) fn child_by_field_name(&self, field: &str) -> Option<SyntaxNode<'t>> {
        self.child_by_field_id(self.names.field(field)?)
    }

    #[inline]
    pub(crate) fn child_by_field_id(&self, field: u16) -> Option<SyntaxNode<'t>> {
        self.raw.child_by_field_id(field).map(|raw| self.with(raw))
    }

    /// Returns the first child of a kind, named or not.
    pub(crate) fn child_of_kind(&self, kind: &str) -> Option<SyntaxNode<'t>> {
        let mut cursor = self.walk();
        self.children(&mut cursor).find(|child| child.kind() == kind)
    }

    /// Returns the first named child of a kind.
    pub(crate) fn named_child_of_kind(&self, kind: &str) -> Option<SyntaxNode<'t>> {
        let mut cursor = self.walk();
        self.named_children(&mut cursor).find(|child| child.kind() == kind)
    }

    /// Returns true if a child, named or not, is of this kind.
    pub(crate) fn has_child(&self, kind: &str) -> bool {
        self.child_of_kind(kind).is_some()
    }

    pub(crate) fn walk(&self) -> TreeCursor<'t> {
        self.raw.walk()
    }

    pub(crate) fn children<'c>(&self, cursor: &'c mut TreeCursor<'t>) -> Children<'c, 't> {
        cursor.reset(self.raw);
        Children { cursor, names: self.names, n_left: self.child_count() as usize, is_inside: false }
    }

    /// Returns the named children, with comments.
    pub(crate) fn named_children<'c>(
        &self,
        cursor: &'c mut TreeCursor<'t>,
    ) -> impl Iterator<Item = SyntaxNode<'t>> + use<'c, 't> {
        let n_named = self.raw.named_child_count();
        self.children(cursor).filter(SyntaxNode::is_named).take(n_named)
    }

    /// Returns every child in a field.
    pub(crate) fn children_by_field_name<'c>(
        &self,
        field: &str,
        cursor: &'c mut TreeCursor<'t>,
    ) -> impl Iterator<Item = SyntaxNode<'t>> + use<'c, 't> {
        let field = self.names.field(field);
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

/// Iterator over the children of a node.
pub(crate) struct Children<'c, 't> {
    cursor: &'c mut TreeCursor<'t>,
    names: &'static NodeNames,
    n_left: usize,
    /// True if the cursor is at a child.
    is_inside: bool,
}

impl<'t> Iterator for Children<'_, 't> {
    type Item = SyntaxNode<'t>;

    #[inline]
    fn next(&mut self) -> Option<SyntaxNode<'t>> {
        // The cursor finds out that there is no next sibling by climbing, which is slow.
        self.n_left = self.n_left.checked_sub(1)?;
        let is_there = if self.is_inside { self.cursor.goto_next_sibling() } else { self.cursor.goto_first_child() };
        self.is_inside = true;
        is_there.then(|| SyntaxNode { raw: self.cursor.node(), names: self.names })
    }
}

impl PartialEq for SyntaxNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for SyntaxNode<'_> {}

/// Names of the node kinds and fields of a grammar.
pub(crate) struct NodeNames {
    /// Indexed by kind id.
    kinds: Vec<Box<str>>,
    /// Indexed by the length of the name, since few fields share a length.
    fields: Vec<Vec<(Box<str>, u16)>>,
}

impl NodeNames {
    /// Copies the names of a grammar.
    pub(crate) fn new(grammar: &tree_sitter::Language) -> NodeNames {
        let kinds = (0..grammar.node_kind_count() as u16)
            .map(|kind_id| grammar.node_kind_for_id(kind_id).unwrap_or_default().into())
            .collect();
        let mut fields: Vec<Vec<(Box<str>, u16)>> = Vec::new();
        for field_id in 1..=grammar.field_count() as u16 {
            let name = grammar.field_name_for_id(field_id).unwrap_or_default();
            fields.resize(fields.len().max(name.len() + 1), Vec::new());
            fields[name.len()].push((name.into(), field_id));
        }
        NodeNames { kinds, fields }
    }

    #[inline]
    fn kind(&self, kind_id: u16) -> Option<&str> {
        self.kinds.get(kind_id as usize).map(|kind| &**kind)
    }

    #[inline]
    fn field(&self, name: &str) -> Option<u16> {
        let of_length = self.fields.get(name.len())?;
        of_length.iter().find(|(field, _)| **field == *name).map(|(_, field_id)| *field_id)
    }
}
