//! The code of C and C++.
//!
//! One walk serves both: what C has, C++ has under the same node. `items` goes over declarations and statements,
//! `declarators` finds what a declaration declares, `types` and `expressions` write what stands in them.

mod calls;
mod classes;
mod declarations;
mod declarators;
mod expressions;
mod functions;
mod items;
mod names;
mod templates;
mod types;

use model::code::{ExpressionId, ScopeId, TypeId, TypeParameter};
use tree_sitter::Node;

use super::Lowering;
use super::lowering::FILE_SCOPE;

/// A value of which nothing is known.
const OPAQUE: ExpressionId = ExpressionId(0);

/// A type that is not written, or not understood.
const UNWRITTEN: TypeId = TypeId(0);

/// Where the walk is.
#[derive(Debug, Default)]
struct Around {
    is_cpp: bool,
    /// Whether a function is around, so that what is declared is bound in a scope.
    in_function: bool,
    /// Whether what is declared is seen in this file alone, as in a namespace without a name.
    is_hidden: bool,
    /// Whether what is declared stands in a class as its friend.
    is_friend: bool,
    /// Parameters of the templates that open here, for the next declaration to take.
    templates: Vec<TypeParameter>,
    /// What the function around returns, where it does not say so itself; nothing where it does.
    results: Option<Vec<ExpressionId>>,
}

/// Writes the code of a file of C.
pub(super) fn lower(l: &mut Lowering<'_>, root: Node<'_>) {
    lower_as(l, root, false);
}

/// Writes the code of a file of C++.
pub(super) fn lower_cpp(l: &mut Lowering<'_>, root: Node<'_>) {
    lower_as(l, root, true);
}

fn lower_as(l: &mut Lowering<'_>, root: Node<'_>, is_cpp: bool) {
    let mut around = Around { is_cpp, ..Around::default() };
    items::children(l, &mut around, root, FILE_SCOPE);
}

/// Calls `visit` with each named child that is no comment.
fn each_child<'t>(node: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() != "comment" {
            visit(child);
        }
    }
}

/// Says whether one of the children without a name, such as a keyword, is this.
fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == word)
}

/// Says whether one of the specifiers before a declaration is this.
fn has_specifier(l: &Lowering<'_>, node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| {
        matches!(child.kind(), "storage_class_specifier" | "type_qualifier" | "virtual" | "virtual_function_specifier")
            && l.text(child) == word
    })
}

/// A block in a function, or the whole of it.
fn block(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let inner = l.scope(scope, None);
    items::children(l, around, node, inner);
}
