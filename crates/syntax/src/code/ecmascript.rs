//! Lowering of JavaScript and TypeScript, with JSX.
//!
//! The three grammars differ little: parameters, fields and heritage clauses are read in both forms.

mod assignments;
mod calls;
mod classes;
mod expressions;
mod functions;
mod jsdoc;
mod literals;
mod modules;
mod narrowing;
mod overloads;
mod patterns;
mod statements;
#[cfg(test)]
mod tests;
mod type_members;
mod types;

use std::collections::HashMap;

use model::code::{DefinitionId, ExpressionId, NameId, ScopeId, TypeId};

use self::overloads::OverloadTable;
use super::CodeBuilder;
use super::builder::{FILE_SCOPE, OPAQUE, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

/// Lowers a file.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    // TypeScript has its own type syntax, and its compiler ignores types in comments.
    let reads_comments = root.language().id_for_node_kind("type_annotation", true) == 0;
    let mut lowering = EcmascriptLowering {
        out,
        results: Vec::new(),
        returned: None,
        comment: None,
        reads_comments,
        untyped: HashMap::new(),
        overloads: HashMap::new(),
    };
    let file = LexicalContext {
        block: FILE_SCOPE,
        function: FILE_SCOPE,
        this: FILE_SCOPE,
        is_this_bound: false,
        owner: None,
        object: None,
    };
    lowering.lower_statements(root, file);
}

/// The lowering of a file, with the state of the current function.
struct EcmascriptLowering<'l, 't> {
    out: &'l mut CodeBuilder<'t>,
    /// Values that the current function returns or yields.
    results: Vec<ExpressionId>,
    /// Declared result type of the current function.
    returned: Option<TypeId>,
    /// Byte range of the JSDoc comment before the current declaration.
    comment: Option<std::ops::Range<usize>>,
    /// True if types in comments are read.
    reads_comments: bool,
    /// Names declared without type and value, with their scopes. Assignments determine their types.
    untyped: HashMap<NameId, Vec<(ScopeId, Option<DefinitionId>)>>,
    /// Signatures whose function or method was not lowered yet.
    overloads: OverloadTable,
}

/// The context of a node.
#[derive(Clone, Copy)]
struct LexicalContext {
    /// The scope of `let` and `const`.
    block: ScopeId,
    /// The scope of `var`.
    function: ScopeId,
    /// The scope of the function, class or file that determines `this`.
    this: ScopeId,
    /// True if `this` is declared as a parameter.
    is_this_bound: bool,
    /// The definition that gains a member by `this.x = …`.
    owner: Option<DefinitionId>,
    /// The expected type of the enclosing object literal, which is the type of `this` in its methods.
    object: Option<TypeId>,
}

impl EcmascriptLowering<'_, '_> {
    /// Runs `lower` one level deeper. Returns `None` without running it at the maximum depth.
    fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.out.descend() {
            return None;
        }
        let lowered = lower(self);
        self.out.ascend();
        Some(lowered)
    }

    /// Returns the name of a property without quotes. A computed name keeps its brackets unless it is a string.
    fn property_name(&mut self, name: SyntaxNode<'_>) -> NameId {
        let text = self.out.text(name);
        match name.kind() {
            "string" => self.out.intern(text.trim_matches(['"', '\''])),
            "computed_property_name" if text.get(1..).is_some_and(|inner| inner.starts_with(['"', '\'', '`'])) => {
                self.out.intern(text.trim_matches(['"', '\'', '[', ']', '`']))
            }
            _ => self.out.intern(text),
        }
    }

    /// Opens a block scope.
    fn open_block(&mut self, context: LexicalContext) -> LexicalContext {
        LexicalContext { block: self.out.open_scope(context.block, None), ..context }
    }
}

/// Returns true if a node has a token of this kind before its parameters or body.
fn has_token(node: SyntaxNode<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .take_while(|child| !matches!(child.kind(), "formal_parameters" | "statement_block" | "class_body"))
        .any(|child| child.kind() == token)
}
