//! Types as they are written: in annotations, in strings, and as values.

use model::code::{Literal, NameId, ScopeId, TypeExpression, TypeId};

use super::{MAX_TYPE_VARIABLES, PythonLowering, StatementContext, UNKNOWN_TYPE, fields::FIELDS};
use crate::node::SyntaxNode;

/// Names before brackets that always form a type.
const GENERIC_TYPES: [&str; 29] = [
    "Union",
    "Optional",
    "Callable",
    "Type",
    "List",
    "Dict",
    "Set",
    "FrozenSet",
    "Tuple",
    "Iterable",
    "Iterator",
    "Sequence",
    "Mapping",
    "MutableMapping",
    "Annotated",
    "Literal",
    "Awaitable",
    "Coroutine",
    "Generator",
    "AsyncIterator",
    "AsyncIterable",
    "AsyncGenerator",
    "type",
    "Collection",
    "dict",
    "frozenset",
    "list",
    "set",
    "tuple",
];

/// An argument in the brackets after a type.
pub(super) enum TypeArgument {
    One(TypeId),
    /// `[A, B]`, the parameters of a `Callable`.
    Many(Vec<TypeId>),
    /// `...`
    Rest,
}

impl TypeArgument {
    fn single(&self) -> TypeId {
        match self {
            TypeArgument::One(one) => *one,
            _ => UNKNOWN_TYPE,
        }
    }
}

impl PythonLowering<'_, '_> {
    /// Lowers a type.
    pub(super) fn lower_type(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        if !self.out.descend() {
            return UNKNOWN_TYPE;
        }
        let written = self.lower_type_node(node, scope);
        self.out.ascend();
        written
    }

    fn lower_type_node(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        match node.kind() {
            "type" | "parenthesized_expression" => {
                node.named_child(0).map_or(UNKNOWN_TYPE, |inner| self.lower_type(inner, scope))
            }
            "identifier" | "attribute" | "member_type" | "dotted_name" => match self.intern_path(node) {
                Some(path) => self.lower_named_type(path, Vec::new(), scope),
                None => UNKNOWN_TYPE,
            },
            "subscript" => {
                let Some(path) = node.child_by_field_id(FIELDS.value).and_then(|value| self.intern_path(value)) else {
                    return UNKNOWN_TYPE;
                };
                let mut cursor = node.walk();
                let written: Vec<SyntaxNode> = node.children_by_field_name("subscript", &mut cursor).collect();
                if let Some(literal) = self.lower_literal_type(&path, &written) {
                    return literal;
                }
                let arguments = written.into_iter().map(|argument| self.lower_type_argument(argument, scope)).collect();
                self.lower_named_type(path, arguments, scope)
            }
            "generic_type" => {
                let Some(path) = node.named_child(0).and_then(|name| self.intern_path(name)) else {
                    return UNKNOWN_TYPE;
                };
                let Some(list) = node.named_child(1) else { return UNKNOWN_TYPE };
                let mut cursor = list.walk();
                let written: Vec<SyntaxNode> = list.named_children(&mut cursor).collect();
                let inner: Vec<SyntaxNode> = written.iter().filter_map(|argument| argument.named_child(0)).collect();
                if let Some(literal) = self.lower_literal_type(&path, &inner) {
                    return literal;
                }
                let arguments = written
                    .into_iter()
                    .map(|argument| self.lower_type_argument(argument.named_child(0).unwrap_or(argument), scope))
                    .collect();
                self.lower_named_type(path, arguments, scope)
            }
            "binary_operator" | "union_type" => {
                let mut types = Vec::new();
                let mut cursor = node.walk();
                for side in node.named_children(&mut cursor) {
                    types.push(self.lower_type(side, scope));
                }
                self.out.add_type(TypeExpression::Union(types.into()))
            }
            "tuple" | "expression_list" => {
                let mut cursor = node.walk();
                let parts: Vec<TypeId> =
                    node.named_children(&mut cursor).map(|one| self.lower_type(one, scope)).collect();
                self.out.add_type(TypeExpression::Tuple(parts.into()))
            }
            "none" => self.out.add_type(TypeExpression::Literal(Literal::Null)),
            "string" => {
                let content = node.named_child(1).filter(|content| content.kind() == "string_content");
                content.map_or(UNKNOWN_TYPE, |content| self.lower_quoted_type(self.out.text(content), scope))
            }
            _ => UNKNOWN_TYPE,
        }
    }

    /// `Literal["a"]`, whose text is kept.
    fn lower_literal_type(&mut self, path: &[NameId], arguments: &[SyntaxNode<'_>]) -> Option<TypeId> {
        let is_literal = path.last().is_some_and(|last| self.out.code.name(*last) == "Literal");
        let [only] = arguments else { return None };
        let content = only.named_child(1).filter(|_| is_literal && only.kind() == "string")?;
        let text = self.out.intern_node(content);
        Some(self.out.add_type(TypeExpression::Literal(Literal::Text(Some(text)))))
    }

    fn lower_type_argument(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeArgument {
        match node.kind() {
            "ellipsis" => TypeArgument::Rest,
            "list" => {
                let mut cursor = node.walk();
                TypeArgument::Many(node.named_children(&mut cursor).map(|one| self.lower_type(one, scope)).collect())
            }
            _ => TypeArgument::One(self.lower_type(node, scope)),
        }
    }

    /// Returns the names of `a.b.c`.
    fn intern_path(&mut self, node: SyntaxNode<'_>) -> Option<Vec<NameId>> {
        if node.kind() == "dotted_name" {
            let mut cursor = node.walk();
            return Some(node.named_children(&mut cursor).map(|part| self.out.intern_node(part)).collect());
        }
        let mut path = Vec::new();
        let mut at = node;
        while at.kind() == "attribute" {
            path.push(self.out.intern_node(at.child_by_field_id(FIELDS.attribute)?));
            at = at.child_by_field_id(FIELDS.object)?;
        }
        if at.kind() != "identifier" {
            return None;
        }
        path.push(self.out.intern_node(at));
        path.reverse();
        Some(path)
    }

    /// Lowers a type given by its name and type arguments.
    pub(super) fn lower_named_type(
        &mut self,
        path: Vec<NameId>,
        mut arguments: Vec<TypeArgument>,
        scope: ScopeId,
    ) -> TypeId {
        let Some(last) = path.last().copied() else { return UNKNOWN_TYPE };
        let one = |arguments: &[TypeArgument], at: usize| arguments.get(at).map_or(UNKNOWN_TYPE, TypeArgument::single);
        let all = |arguments: &[TypeArgument]| arguments.iter().map(TypeArgument::single).collect::<Vec<TypeId>>();
        let name = self.out.code.name(last);
        let written = match name {
            "Self" if arguments.is_empty() => TypeExpression::This { scope },
            "Optional" | "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "InitVar"
                if !arguments.is_empty() =>
            {
                return one(&arguments, 0);
            }
            "Union" => TypeExpression::Union(all(&arguments).into()),
            "Literal" => TypeExpression::Literal(Literal::Text(None)),
            "Callable" if arguments.len() == 2 => {
                let result = Some(one(&arguments, 1));
                let parameters = match arguments.swap_remove(0) {
                    TypeArgument::Many(parameters) => parameters,
                    _ => Vec::new(),
                };
                TypeExpression::Function { parameters: parameters.into(), result }
            }
            "Tuple" | "tuple" if matches!(arguments.get(1), Some(TypeArgument::Rest)) => {
                TypeExpression::List(one(&arguments, 0))
            }
            "Tuple" | "tuple" if !arguments.is_empty() => TypeExpression::Tuple(all(&arguments).into()),
            _ => {
                if path.len() == 1 && arguments.is_empty() {
                    if self.is_receiver_type(last) {
                        return self.out.add_type(TypeExpression::This { scope });
                    }
                    self.record_type_variable_use(last);
                }
                TypeExpression::Named { path: path.into(), arguments: all(&arguments).into(), scope }
            }
        };
        self.out.add_type(written)
    }

    fn is_receiver_type(&self, name: NameId) -> bool {
        self.functions.last().is_some_and(|function| function.own_type == Some(name))
    }

    fn record_type_variable_use(&mut self, name: NameId) {
        if self.type_variables.contains_key(&name)
            && let Some(function) = self.functions.last_mut()
            && function.type_variables.len() < MAX_TYPE_VARIABLES
            && !function.type_variables.contains(&name)
        {
            function.type_variables.push(name);
        }
    }

    /// Lowers the type or types in a test: `A`, `(A, B)`, `A | B`.
    pub(super) fn lower_tested_type(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        if node.kind() != "tuple" {
            return self.lower_type(node, scope);
        }
        let mut cursor = node.walk();
        let types: Vec<TypeId> = node.named_children(&mut cursor).map(|one| self.lower_type(one, scope)).collect();
        self.out.add_type(TypeExpression::Union(types.into()))
    }

    /// Returns true if the right side of an assignment at module or class level is a type.
    pub(super) fn is_type_assignment(
        &mut self,
        assignment: SyntaxNode<'_>,
        right: SyntaxNode<'_>,
        context: StatementContext,
    ) -> bool {
        if context.is_function {
            return false;
        }
        match right.kind() {
            "subscript" => {
                let Some(of) = right.child_by_field_id(FIELDS.value) else { return false };
                if GENERIC_TYPES.contains(&self.last_name_text(of)) {
                    return true;
                }
                let name = self.out.intern_node(of);
                self.aliases.contains(&name) || (is_type_name(self.last_name_text(of)) && has_type_arguments(right))
            }
            "binary_operator" | "string" => assignment
                .child_by_field_id(FIELDS.type_)
                .and_then(|declared| declared.named_child(0))
                .is_some_and(|declared| self.last_name_text(declared) == "TypeAlias"),
            _ => false,
        }
    }
}

/// Returns true if a name is capitalized like a type: `Result`, but not `RESULTS`.
fn is_type_name(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.starts_with(|c: char| c.is_uppercase()) && name.contains(|c: char| c.is_lowercase())
}

/// Returns true if the brackets can hold types: names, and names in brackets.
fn has_type_arguments(subscript: SyntaxNode<'_>) -> bool {
    let mut cursor = subscript.walk();
    let mut arguments = subscript.children_by_field_name("subscript", &mut cursor);
    arguments.all(|argument| {
        matches!(argument.kind(), "identifier" | "attribute" | "subscript" | "none" | "list" | "binary_operator")
    })
}
