//! Positions in the source of a file.

use crate::node::SyntaxNode;

/// A position in the file. `row` starts at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourcePoint {
    pub(crate) byte: usize,
    pub(crate) row: usize,
}

impl SourcePoint {
    pub(crate) fn start_of(node: SyntaxNode<'_>) -> SourcePoint {
        SourcePoint { byte: node.start_byte(), row: node.start_position().row }
    }

    pub(crate) fn end_of(node: SyntaxNode<'_>) -> SourcePoint {
        SourcePoint { byte: node.end_byte(), row: node.end_position().row }
    }

    /// Moves an end position back over white space, since some grammars include the line break in the node.
    pub(crate) fn trimmed(self, source: &[u8], start: SourcePoint) -> SourcePoint {
        let text = &source[start.byte.min(self.byte)..self.byte];
        let trimmed = text.trim_ascii_end();
        let n_rows = text[trimmed.len()..].iter().filter(|&&byte| byte == b'\n').count();
        let row = self.row.saturating_sub(n_rows).max(start.row);
        SourcePoint { byte: self.byte - (text.len() - trimmed.len()), row }
    }
}
