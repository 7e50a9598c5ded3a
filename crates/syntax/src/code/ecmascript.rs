//! The code of JavaScript and TypeScript, with JSX.
//!
//! What the three grammars differ in is small: parameters, fields and heritage are read in both spellings.

mod assignments;
mod calls;
mod classes;
mod conditions;
mod expressions;
mod functions;
mod jsdoc;
mod literals;
mod modules;
mod patterns;
mod statements;
#[cfg(test)]
mod tests;
mod type_members;
mod types;

use std::collections::HashMap;

use model::code::{DefinitionId, ExpressionId, NameId, ScopeId, TypeId};

use super::Lowering;
use super::lowering::FILE_SCOPE;
use crate::node::Node;

/// Writes the code of a file.
pub(super) fn lower(lowering: &mut Lowering<'_>, root: Node<'_>) {
    // TypeScript has types of its own, and its compiler reads none in comments.
    let reads_comments = root.language().id_for_node_kind("type_annotation", true) == 0;
    let mut code = Ecmascript {
        lowering,
        results: Vec::new(),
        returned: None,
        comment: None,
        reads_comments,
        untyped: HashMap::new(),
    };
    let file = Place {
        block: FILE_SCOPE,
        function: FILE_SCOPE,
        this: FILE_SCOPE,
        is_this_bound: false,
        owner: None,
        object: None,
    };
    code.statements(root, file);
}

/// The code of a file while it is written, and what is known of the function at hand.
struct Ecmascript<'l, 't> {
    lowering: &'l mut Lowering<'t>,
    /// What the function at hand returns or yields.
    results: Vec<ExpressionId>,
    /// What it says it returns.
    returned: Option<TypeId>,
    /// The documentation before the declaration at hand.
    comment: Option<std::ops::Range<usize>>,
    /// Whether types are read in comments.
    reads_comments: bool,
    /// The scopes in which a name stands that was declared without a type or value; its assignments tell them.
    untyped: HashMap<NameId, Vec<(ScopeId, Option<DefinitionId>)>>,
}

/// Where a node stands.
#[derive(Clone, Copy)]
struct Place {
    /// The scope of `let` and `const`.
    block: ScopeId,
    /// The scope of `var`.
    function: ScopeId,
    /// The scope of the function, class or file that gives `this` its meaning.
    this: ScopeId,
    /// Whether `this` is declared among the parameters.
    is_this_bound: bool,
    /// The definition to which `this.x = …` gives a member.
    owner: Option<DefinitionId>,
    /// The type that the object literal around must have: `this` in its methods.
    object: Option<TypeId>,
}

impl Ecmascript<'_, '_> {
    /// Goes one level down; nothing where that would be too deep.
    fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.lowering.descend() {
            return None;
        }
        let lowered = lower(self);
        self.lowering.ascend();
        Some(lowered)
    }

    /// Returns the name of a property without the quotes that it may be written in; what is computed keeps its brackets,
    /// unless it is a text.
    fn property_name(&mut self, name: Node<'_>) -> NameId {
        let text = self.lowering.text(name);
        match name.kind() {
            "string" => self.lowering.name(text.trim_matches(['"', '\''])),
            "computed_property_name" if text.get(1..).is_some_and(|inner| inner.starts_with(['"', '\'', '`'])) => {
                self.lowering.name(text.trim_matches(['"', '\'', '[', ']', '`']))
            }
            _ => self.lowering.name(text),
        }
    }

    /// Opens a block within a place.
    fn block_in(&mut self, at: Place) -> Place {
        Place { block: self.lowering.scope(at.block, None), ..at }
    }
}

/// Says whether a node has a token of this kind among its first ones, before its name or body.
fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .take_while(|child| !matches!(child.kind(), "formal_parameters" | "statement_block" | "class_body"))
        .any(|child| child.kind() == token)
}
