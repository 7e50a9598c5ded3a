//! What every language writes its code through: arenas that name things by number, within the limits of one file.

use std::collections::HashMap;

use model::{
    Code,
    code::{
        Binding, DefinitionId, Expression, ExpressionId, Literal, NameId, Scope, ScopeId, Shape, Site, TypeExpression,
        TypeId,
    },
};

use crate::nesting::NamedAt;
use crate::node::Node;

/// How deep a walk goes into a tree. Hand-written code stays below 100 levels; each takes some kilobytes of stack.
pub(crate) const MAX_DEPTH: u32 = 300;

/// The most expressions, bindings and types of one file, each; about as many as 2 MiB of dense code have.
const MAX_ENTRIES: usize = 400_000;

/// The longest text of a literal that is kept. Paths of routes, names of modules and keys are below it.
const MAX_TEXT_BYTES: usize = 200;

/// The code of a file while it is written.
pub(crate) struct Lowering<'t> {
    pub(crate) source: &'t [u8],
    pub(crate) code: Code,
    named_at: &'t NamedAt,
    name_ids: HashMap<String, NameId>,
    depth: u32,
}

/// The scope of a file.
pub(crate) const FILE_SCOPE: ScopeId = ScopeId(0);

impl<'t> Lowering<'t> {
    pub(crate) fn new(source: &'t [u8], named_at: &'t NamedAt) -> Lowering<'t> {
        let code = Code {
            scopes: vec![Scope { parent: None, definition: None }],
            shapes: vec![Shape::default(); named_at.n_definitions()],
            // Number 0 of each arena is what nothing is known of.
            expressions: vec![Expression::Opaque],
            types: vec![TypeExpression::Unknown],
            ..Code::default()
        };
        Lowering { source, code, named_at, name_ids: HashMap::new(), depth: 0 }
    }

    pub(crate) fn finish(self) -> Code {
        self.code
    }

    /// Goes one level down with `lower`; does not where that would be too deep.
    pub(crate) fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.descend() {
            return None;
        }
        let lowered = lower(self);
        self.ascend();
        Some(lowered)
    }

    /// Goes one level down, to be followed by [`ascend`](Self::ascend); returns false where that would be too deep.
    pub(crate) fn descend(&mut self) -> bool {
        let is_shallow = self.depth < MAX_DEPTH;
        self.depth += u32::from(is_shallow);
        is_shallow
    }

    /// Goes one level up again.
    pub(crate) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Returns the text of a node; empty where it is no UTF-8.
    pub(crate) fn text(&self, node: Node<'_>) -> &'t str {
        std::str::from_utf8(&self.source[node.byte_range()]).unwrap_or_default()
    }

    /// Returns the number of a name.
    pub(crate) fn name(&mut self, text: &str) -> NameId {
        if let Some(id) = self.name_ids.get(text) {
            return *id;
        }
        let id = NameId(self.code.names.len() as u32);
        self.code.names.push(text.to_owned());
        self.name_ids.insert(text.to_owned(), id);
        id
    }

    /// Returns the number of a name that was written before.
    pub(crate) fn known_name(&self, text: &str) -> Option<NameId> {
        self.name_ids.get(text).copied()
    }

    /// Returns the number of the name that a node is.
    pub(crate) fn name_of(&mut self, node: Node<'_>) -> NameId {
        let text = self.text(node);
        self.name(text)
    }

    /// Returns the definition whose name stands at this node.
    pub(crate) fn definition_named(&self, name: Node<'_>) -> Option<DefinitionId> {
        self.named_at.get(name.start_byte())
    }

    /// Returns what is said of a definition, to be added to.
    pub(crate) fn shape(&mut self, definition: DefinitionId) -> &mut Shape {
        &mut self.code.shapes[definition.index()]
    }

    /// Opens a scope in another.
    pub(crate) fn scope(&mut self, parent: ScopeId, definition: Option<DefinitionId>) -> ScopeId {
        let id = ScopeId(self.code.scopes.len() as u32);
        self.code.scopes.push(Scope { parent: Some(parent), definition });
        id
    }

    /// Binds a name in a scope, from here on.
    pub(crate) fn bind(&mut self, scope: ScopeId, name: NameId, declared: Option<TypeId>, value: Option<ExpressionId>) {
        if self.code.bindings.len() < MAX_ENTRIES {
            self.code.bindings.push(Binding { name, scope, declared, value });
        }
    }

    /// Writes an expression.
    pub(crate) fn expression(&mut self, expression: Expression) -> ExpressionId {
        if self.code.expressions.len() >= MAX_ENTRIES || expression == Expression::Opaque {
            return ExpressionId(0);
        }
        self.code.expressions.push(expression);
        ExpressionId(self.code.expressions.len() as u32 - 1)
    }

    /// Writes the use of a name at this point of a scope.
    pub(crate) fn use_name(&mut self, name: NameId, scope: ScopeId) -> ExpressionId {
        let n_before = self.code.bindings.len() as u32;
        self.expression(Expression::Name { name, scope, n_before })
    }

    /// Writes a literal text without its quotes.
    pub(crate) fn text_literal(&mut self, text: &str) -> ExpressionId {
        let kept = (text.len() <= MAX_TEXT_BYTES).then(|| self.name(text));
        self.expression(Expression::Literal(Literal::Text(kept)))
    }

    /// Writes a type.
    pub(crate) fn written(&mut self, written: TypeExpression) -> TypeId {
        if self.code.types.len() >= MAX_ENTRIES || written == TypeExpression::Unknown {
            return TypeId(0);
        }
        self.code.types.push(written);
        TypeId(self.code.types.len() as u32 - 1)
    }

    /// Records that `expression` is a call, whose name stands at `name`.
    pub(crate) fn site(&mut self, expression: ExpressionId, scope: ScopeId, name: Node<'_>) {
        if expression != ExpressionId(0) {
            self.code.sites.push(Site { expression, scope, line: name.start_position().row as u32 + 1 });
        }
    }
}
