//! The tree of a document, by parents and keys.

use model::DocumentEntry;

/// A document with the children of each entry.
pub(super) struct DocumentTree<'a> {
    entries: &'a [DocumentEntry],
    roots: Vec<u32>,
    children: Vec<Vec<u32>>,
}

/// An entry of a tree, or the document as a whole.
#[derive(Clone, Copy)]
pub(super) struct TreeNode<'t> {
    tree: &'t DocumentTree<'t>,
    entry: Option<u32>,
}

impl<'a> DocumentTree<'a> {
    pub(super) fn new(entries: &'a [DocumentEntry]) -> DocumentTree<'a> {
        let mut tree = DocumentTree { entries, roots: Vec::new(), children: vec![Vec::new(); entries.len()] };
        for (index, entry) in (0..).zip(entries) {
            match entry.parent.and_then(|parent| tree.children.get_mut(parent as usize)) {
                Some(children) => children.push(index),
                None => tree.roots.push(index),
            }
        }
        tree
    }

    pub(super) fn root(&self) -> TreeNode<'_> {
        TreeNode { tree: self, entry: None }
    }
}

impl<'t> TreeNode<'t> {
    /// Returns the entries directly below.
    pub(super) fn children(self) -> impl Iterator<Item = TreeNode<'t>> {
        let children = self.entry.map_or(&self.tree.roots, |entry| &self.tree.children[entry as usize]);
        children.iter().map(move |child| TreeNode { tree: self.tree, entry: Some(*child) })
    }

    /// Returns all entries below, in the order of the document.
    pub(super) fn descendants(self) -> Vec<TreeNode<'t>> {
        let mut found = Vec::new();
        let mut open: Vec<TreeNode<'t>> = self.children().collect();
        open.reverse();
        while let Some(node) = open.pop() {
            found.push(node);
            let mut below: Vec<TreeNode<'t>> = node.children().collect();
            below.reverse();
            open.extend(below);
        }
        found
    }

    /// Returns the first entry directly below with a key.
    pub(super) fn get(self, key: &str) -> Option<TreeNode<'t>> {
        self.children().find(|child| child.key() == key)
    }

    /// Returns the entry at a path of keys.
    pub(super) fn at(self, path: &[&str]) -> Option<TreeNode<'t>> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Returns the value of the entry directly below with a key; empty if there is none.
    pub(super) fn text_of(self, key: &str) -> &'t str {
        self.get(key).map_or("", TreeNode::value)
    }

    pub(super) fn parent(self) -> Option<TreeNode<'t>> {
        let parent = self.tree.entries[self.entry? as usize].parent?;
        Some(TreeNode { tree: self.tree, entry: Some(parent) })
    }

    pub(super) fn key(self) -> &'t str {
        self.entry.map_or("", |entry| &self.tree.entries[entry as usize].key)
    }

    pub(super) fn value(self) -> &'t str {
        self.entry.map_or("", |entry| &self.tree.entries[entry as usize].value)
    }

    pub(super) fn line(self) -> u32 {
        self.entry.map_or(1, |entry| self.tree.entries[entry as usize].line)
    }

    pub(super) fn has_children(self) -> bool {
        self.children().next().is_some()
    }
}
