//! The builder through which every language writes its code: arenas addressed by index, within the limits of one file.

use std::collections::{HashMap, HashSet};

use model::{
    Code,
    code::{
        Binding, DefinitionId, Expression, ExpressionId, Interpolation, Literal, MemberAccess, NameId, Scope, ScopeId,
        Shape, Site, TypeExpression, TypeId,
    },
};

use tree_sitter::Tree;

use crate::nesting::DefinitionIndex;
use crate::node::SyntaxNode;
use crate::rust_macros::MacroExpansions;

/// Maximum depth of a walk into a tree. Hand-written code stays below 100 levels; each level takes some kilobytes of
/// stack.
const MAX_DEPTH: u32 = 300;

/// Maximum number of expressions, of bindings and of types of one file; about as many as 2 MiB of dense code have.
const MAX_ENTRIES: usize = 400_000;

/// Maximum length in bytes of a literal whose text is kept. Route paths, module names and keys are shorter.
const MAX_TEXT_BYTES: usize = 200;

/// The code of a file under construction.
pub(crate) struct CodeBuilder<'t> {
    pub(crate) source: &'t [u8],
    pub(crate) code: Code,
    definitions: &'t DefinitionIndex,
    expansions: Option<&'t MacroExpansions>,
    name_ids: HashMap<String, NameId>,
    depth: u32,
}

/// The scope of a file.
pub(crate) const FILE_SCOPE: ScopeId = ScopeId(0);

/// An expression of which nothing is known.
pub(crate) const OPAQUE: ExpressionId = ExpressionId(0);

/// A type that is not written, or not understood.
pub(crate) const UNKNOWN_TYPE: TypeId = TypeId(0);

impl<'t> CodeBuilder<'t> {
    pub(crate) fn new(source: &'t [u8], definitions: &'t DefinitionIndex) -> CodeBuilder<'t> {
        let code = Code {
            scopes: vec![Scope { parent: None, definition: None }],
            shapes: vec![Shape::default(); definitions.n_definitions()],
            // Index 0 of each arena is the unknown entry: `OPAQUE` and `UNKNOWN_TYPE`.
            expressions: vec![Expression::Opaque],
            types: vec![TypeExpression::Unknown],
            ..Code::default()
        };
        CodeBuilder { source, code, definitions, expansions: None, name_ids: HashMap::new(), depth: 0 }
    }

    /// Adds the expansions of the macros of the file.
    pub(crate) fn with_expansions(self, expansions: &'t MacroExpansions) -> CodeBuilder<'t> {
        CodeBuilder { source: expansions.source(self.source), expansions: Some(expansions), ..self }
    }

    /// Returns the tree of the expansion of the macro invocation at a node.
    pub(crate) fn expansion_of(&self, invocation: SyntaxNode<'_>) -> Option<&'t Tree> {
        self.expansions?.tree_at(invocation.start_byte())
    }

    /// Returns true if a node is part of the expansion of a macro.
    pub(crate) fn is_expanded(&self, node: SyntaxNode<'_>) -> bool {
        self.expansions.is_some_and(|expansions| !expansions.is_in_file(node.start_byte()))
    }

    /// Returns the line of a called name. In an expansion, a call by path stands where its arguments are written.
    fn called_line(&self, name: SyntaxNode<'_>) -> u32 {
        let mut at = self.is_expanded(name).then(|| name.parent()).flatten();
        while let Some(node) = at.filter(|node| matches!(node.kind(), "scoped_identifier" | "generic_function")) {
            at = node.parent();
        }
        let arguments = at.filter(|node| node.kind() == "call_expression");
        self.line(arguments.and_then(|call| call.child_by_field_name("arguments")).unwrap_or(name))
    }

    /// Returns the line of a node in the file, starting at 1.
    pub(crate) fn line(&self, node: SyntaxNode<'_>) -> u32 {
        let row = node.start_position().row;
        self.expansions.map_or(row as u32 + 1, |expansions| expansions.line(node.start_byte(), row))
    }

    pub(crate) fn finish(self) -> Code {
        let accesses = self.member_accesses();
        Code { accesses, ..self.code }
    }

    /// Returns the accesses without callees, and without names that a scope around them binds.
    fn member_accesses(&self) -> Vec<MemberAccess> {
        let code = &self.code;
        let callee = |site: &Site| match code.expression(site.expression) {
            Expression::Call { callee, .. } => Some(*callee),
            _ => None,
        };
        let callees: HashSet<ExpressionId> = code.sites.iter().filter_map(callee).collect();
        let bound: HashSet<(NameId, ScopeId)> = code.bindings.iter().map(|one| (one.name, one.scope)).collect();
        let bound_names: HashSet<NameId> = code.bindings.iter().map(|one| one.name).collect();
        let is_bound = |name: NameId, scope: ScopeId| {
            let around = std::iter::successors(Some(scope), |at| code.scopes.get(at.index())?.parent);
            bound_names.contains(&name) && around.into_iter().any(|at| bound.contains(&(name, at)))
        };
        let is_unbound = |access: &&MemberAccess| match *code.expression(access.expression) {
            Expression::Name { name, scope, .. } => !is_bound(name, scope),
            _ => true,
        };
        let accesses = code.accesses.iter().filter(|access| !callees.contains(&access.expression));
        accesses.filter(is_unbound).copied().collect()
    }

    /// Runs `lower` one level deeper. Returns `None` without running it at the maximum depth.
    pub(crate) fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.descend() {
            return None;
        }
        let lowered = lower(self);
        self.ascend();
        Some(lowered)
    }

    /// Goes one level deeper, to be followed by [`ascend`](Self::ascend). Returns false at the maximum depth.
    pub(crate) fn descend(&mut self) -> bool {
        let is_shallow = self.depth < MAX_DEPTH;
        self.depth += u32::from(is_shallow);
        is_shallow
    }

    /// Goes one level up again.
    pub(crate) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Returns the text of a node; empty if it is not UTF-8.
    pub(crate) fn text(&self, node: SyntaxNode<'_>) -> &'t str {
        std::str::from_utf8(&self.source[node.byte_range()]).unwrap_or_default()
    }

    /// Interns a name.
    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        if let Some(id) = self.name_ids.get(text) {
            return *id;
        }
        let id = NameId(self.code.names.len() as u32);
        self.code.names.push(text.to_owned());
        self.name_ids.insert(text.to_owned(), id);
        id
    }

    /// Returns the id of a name that is already interned.
    pub(crate) fn interned(&self, text: &str) -> Option<NameId> {
        self.name_ids.get(text).copied()
    }

    /// Interns the text of a node.
    pub(crate) fn intern_node(&mut self, node: SyntaxNode<'_>) -> NameId {
        let text = self.text(node);
        self.intern(text)
    }

    /// Returns the definition whose name is at this node.
    pub(crate) fn definition_at(&self, name: SyntaxNode<'_>) -> Option<DefinitionId> {
        let byte = name.start_byte();
        let byte = self.expansions.map_or(Some(byte), |expansions| expansions.definition_byte(byte))?;
        self.definitions.get(byte)
    }

    /// Returns the shape of a definition for changes.
    pub(crate) fn shape_mut(&mut self, definition: DefinitionId) -> &mut Shape {
        &mut self.code.shapes[definition.index()]
    }

    /// Opens a scope inside another.
    pub(crate) fn open_scope(&mut self, parent: ScopeId, definition: Option<DefinitionId>) -> ScopeId {
        let id = ScopeId(self.code.scopes.len() as u32);
        self.code.scopes.push(Scope { parent: Some(parent), definition });
        id
    }

    /// Binds a name in a scope. The binding is visible to later uses.
    pub(crate) fn bind(&mut self, scope: ScopeId, name: NameId, declared: Option<TypeId>, value: Option<ExpressionId>) {
        if self.code.bindings.len() < MAX_ENTRIES {
            self.code.bindings.push(Binding { name, scope, declared, value });
        }
    }

    /// Adds an expression.
    pub(crate) fn add_expression(&mut self, expression: Expression) -> ExpressionId {
        if self.code.expressions.len() >= MAX_ENTRIES || expression == Expression::Opaque {
            return OPAQUE;
        }
        self.code.expressions.push(expression);
        ExpressionId(self.code.expressions.len() as u32 - 1)
    }

    /// Adds a use of a name at this point of a scope.
    pub(crate) fn use_name(&mut self, name: NameId, scope: ScopeId) -> ExpressionId {
        let n_before = self.code.bindings.len() as u32;
        self.add_expression(Expression::Name { name, scope, n_before })
    }

    /// Adds a string literal, given without its quotes.
    pub(crate) fn add_text_literal(&mut self, text: &str) -> ExpressionId {
        let name = (text.len() <= MAX_TEXT_BYTES).then(|| self.intern(text));
        self.add_expression(Expression::Literal(Literal::Text(name)))
    }

    /// Gives a string literal its text, which the code has behind it.
    pub(crate) fn set_text(&mut self, literal: ExpressionId, text: &str) {
        if text.len() <= MAX_TEXT_BYTES && literal != OPAQUE {
            let name = self.intern(text);
            self.code.expressions[literal.index()] = Expression::Literal(Literal::Text(Some(name)));
        }
    }

    /// Adds a text in which each `{}` stands for the value of a hole.
    pub(crate) fn add_interpolated_text(&mut self, text: &str, holes: Vec<ExpressionId>) -> ExpressionId {
        let expression = self.add_text_literal(text);
        // A text with braces of its own does not tell its holes apart.
        let is_distinct = text.len() <= MAX_TEXT_BYTES && text.matches("{}").count() == holes.len();
        if is_distinct && !holes.is_empty() && expression != OPAQUE {
            self.code.interpolations.push(Interpolation { expression, holes: holes.into() });
        }
        expression
    }

    /// Adds a type.
    pub(crate) fn add_type(&mut self, added: TypeExpression) -> TypeId {
        if self.code.types.len() >= MAX_ENTRIES || added == TypeExpression::Unknown {
            return UNKNOWN_TYPE;
        }
        self.code.types.push(added);
        TypeId(self.code.types.len() as u32 - 1)
    }

    /// Adds a use of the name at a node, and records it as an access.
    pub(crate) fn name_at(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let name = self.intern_node(node);
        let used = self.use_name(name, scope);
        self.add_access(used, scope, node)
    }

    /// Adds the member of a value with the name at a node, and records it as an access.
    pub(crate) fn member_at(&mut self, of: ExpressionId, name: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let name_id = self.intern_node(name);
        let member = self.add_expression(Expression::Member { of, name: name_id });
        self.add_access(member, scope, name)
    }

    /// Records an expression as an access, and returns it. `name` is the node of the accessed name.
    pub(crate) fn add_access(
        &mut self,
        expression: ExpressionId,
        scope: ScopeId,
        name: SyntaxNode<'_>,
    ) -> ExpressionId {
        if expression != OPAQUE && self.code.accesses.len() < MAX_ENTRIES {
            let line = self.line(name);
            self.code.accesses.push(MemberAccess { expression, scope, line });
        }
        expression
    }

    /// Records `expression` as a call site. `name` is the node of the called name.
    pub(crate) fn add_call_site(&mut self, expression: ExpressionId, scope: ScopeId, name: SyntaxNode<'_>) {
        if expression != OPAQUE {
            let line = self.called_line(name);
            self.code.sites.push(Site { expression, scope, line });
        }
    }
}
