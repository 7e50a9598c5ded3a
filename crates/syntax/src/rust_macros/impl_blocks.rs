//! The `impl` blocks of an expansion, and its items.

use std::ops::Range;

use crate::node::SyntaxNode;

/// The `impl` blocks of a tree in text order.
pub(super) struct ImplBlocks {
    blocks: Vec<ImplBlock>,
    /// Index of the block around each.
    outers: Vec<Option<usize>>,
}

struct ImplBlock {
    bytes: Range<usize>,
    is_of_trait: bool,
}

impl ImplBlocks {
    /// Finds the blocks of a tree, also those inside functions.
    pub(super) fn of(root: SyntaxNode<'_>) -> ImplBlocks {
        let mut blocks: Vec<ImplBlock> = Vec::new();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                if child.kind() == "impl_item" {
                    let is_of_trait = child.child_by_field_name("trait").is_some();
                    blocks.push(ImplBlock { bytes: child.byte_range(), is_of_trait });
                }
                open.push(child);
            }
        }
        blocks.sort_by_key(|block| block.bytes.start);
        let mut around: Vec<usize> = Vec::new();
        let mut outers = Vec::with_capacity(blocks.len());
        for (at, block) in blocks.iter().enumerate() {
            while around.last().is_some_and(|outer| blocks[*outer].bytes.end <= block.bytes.start) {
                around.pop();
            }
            outers.push(around.last().copied());
            around.push(at);
        }
        ImplBlocks { blocks, outers }
    }

    /// Returns whether the nearest block around a byte implements a trait; none without a block.
    pub(super) fn is_of_trait(&self, byte: usize) -> Option<bool> {
        let mut at = self.blocks.partition_point(|block| block.bytes.start <= byte).checked_sub(1);
        while let Some(index) = at {
            let block = &self.blocks[index];
            if block.bytes.contains(&byte) {
                return Some(block.is_of_trait);
            }
            at = self.outers[index];
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
