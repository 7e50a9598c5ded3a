//! The `impl` blocks of an expansion, by the bytes inside them.

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
