//! The `impl` blocks of an expansion, and its items.

use std::ops::Range;

use crate::node::SyntaxNode;

/// The `impl` blocks of a tree in text order.
pub(super) struct ImplBlocks {
    blocks: Vec<ImplBlock>,
}

struct ImplBlock {
    bytes: Range<usize>,
    is_of_trait: bool,
    /// Index of the block around it.
    outer: Option<usize>,
}

impl ImplBlocks {
    /// Finds the blocks of a tree, also those inside functions.
    pub(super) fn of(root: SyntaxNode<'_>) -> ImplBlocks {
        let mut blocks = Vec::new();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                if child.kind() == "impl_item" {
                    let is_of_trait = child.child_by_field_name("trait").is_some();
                    blocks.push(ImplBlock { bytes: child.byte_range(), is_of_trait, outer: None });
                }
                open.push(child);
            }
        }
        blocks.sort_by_key(|block| block.bytes.start);
        let mut around: Vec<usize> = Vec::new();
        for at in 0..blocks.len() {
            let start = blocks[at].bytes.start;
            while around.last().is_some_and(|outer| blocks[*outer].bytes.end <= start) {
                around.pop();
            }
            blocks[at].outer = around.last().copied();
            around.push(at);
        }
        ImplBlocks { blocks }
    }

    /// Returns whether the nearest block around a byte implements a trait; none without a block.
    pub(super) fn is_of_trait(&self, byte: usize) -> Option<bool> {
        let mut at = self.blocks.partition_point(|block| block.bytes.start <= byte).checked_sub(1);
        while let Some(block) = at.and_then(|at| self.blocks.get(at)) {
            if block.bytes.contains(&byte) {
                return Some(block.is_of_trait);
            }
            at = block.outer;
        }
        None
    }
}

/// Returns the bytes of the items of an expansion, in text order: the items inside modules and `impl` blocks instead of these, and none of
/// the implementation of a trait.
pub(super) fn owning_items(root: SyntaxNode<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(block) = open.pop() {
        let mut cursor = block.walk();
        for child in block.named_children(&mut cursor) {
            match child.kind() {
                "mod_item" => open.extend(child.child_by_field_name("body")),
                "impl_item" if child.child_by_field_name("trait").is_some() => {}
                "impl_item" => open.extend(child.child_by_field_name("body")),
                _ => found.push(child.byte_range()),
            }
        }
    }
    found.sort_by_key(|item| item.start);
    found
}
