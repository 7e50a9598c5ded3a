//! The code of protocol buffers: the package, and nothing that flows.

use super::Lowering;
use crate::node::Node;

/// Writes the package of a file.
pub(super) fn lower(lowering: &mut Lowering<'_>, root: Node<'_>) {
    let mut cursor = root.walk();
    let package = root.named_children(&mut cursor).find(|child| child.kind() == "package");
    if let Some(name) = package.and_then(|package| package.named_child(0)) {
        lowering.code.package = lowering.text(name).to_owned();
    }
}
