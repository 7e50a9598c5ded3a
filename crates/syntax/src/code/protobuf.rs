//! Lowering of protocol buffers: only the package, since a schema has no data flow.

use super::CodeBuilder;
use crate::node::SyntaxNode;

/// Writes the package of a file.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    let package = root.named_child_of_kind("package");
    if let Some(name) = package.and_then(|package| package.named_child(0)) {
        out.code.package = out.text(name).to_owned();
    }
}
