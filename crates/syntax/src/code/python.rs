//! The code of python.

use tree_sitter::Node;

use super::Lowering;

/// Writes the code of a file.
pub(super) fn lower(_lowering: &mut Lowering<'_>, _root: Node<'_>) {}
