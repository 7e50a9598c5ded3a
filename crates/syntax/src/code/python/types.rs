//! Types as they are written: in annotations, in quotes, as values.

use model::code::{Literal, NameId, ScopeId, TypeExpression, TypeId};

use super::{MAX_TYPE_VARIABLES, Place, Walk, fields::FIELDS};
use crate::node::Node;

/// Types of values that may be anything.
const UNKNOWN: TypeId = TypeId(0);

/// What stands in brackets after a type.
pub(super) enum Argument {
    One(TypeId),
    /// `[A, B]`, the parameters of a `Callable`.
    Many(Vec<TypeId>),
    /// `...`
    Rest,
}

impl Argument {
    fn one(&self) -> TypeId {
        match self {
            Argument::One(one) => *one,
            _ => UNKNOWN,
        }
    }
}

impl Walk<'_, '_> {
    /// Writes a type.
    pub(super) fn written(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        if !self.out.descend() {
            return UNKNOWN;
        }
        let written = self.one_type(node, scope);
        self.out.ascend();
        written
    }

    fn one_type(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        match node.kind() {
            "type" | "parenthesized_expression" => {
                node.named_child(0).map_or(UNKNOWN, |inner| self.written(inner, scope))
            }
            "identifier" | "attribute" | "member_type" | "dotted_name" => match self.path(node) {
                Some(path) => self.named_type(path, Vec::new(), scope),
                None => UNKNOWN,
            },
            "subscript" => {
                let Some(path) = node.child_by_field_id(FIELDS.value).and_then(|value| self.path(value)) else {
                    return UNKNOWN;
                };
                let mut cursor = node.walk();
                let written: Vec<Node> = node.children_by_field_name("subscript", &mut cursor).collect();
                if let Some(literal) = self.literal_type(&path, &written) {
                    return literal;
                }
                let arguments = written.into_iter().map(|argument| self.type_argument(argument, scope)).collect();
                self.named_type(path, arguments, scope)
            }
            "generic_type" => {
                let Some(path) = node.named_child(0).and_then(|name| self.path(name)) else { return UNKNOWN };
                let Some(list) = node.named_child(1) else { return UNKNOWN };
                let mut cursor = list.walk();
                let written: Vec<Node> = list.named_children(&mut cursor).collect();
                let inner: Vec<Node> = written.iter().filter_map(|argument| argument.named_child(0)).collect();
                if let Some(literal) = self.literal_type(&path, &inner) {
                    return literal;
                }
                let arguments = written
                    .into_iter()
                    .map(|argument| self.type_argument(argument.named_child(0).unwrap_or(argument), scope))
                    .collect();
                self.named_type(path, arguments, scope)
            }
            "binary_operator" | "union_type" => {
                let mut types = Vec::new();
                let mut cursor = node.walk();
                for side in node.named_children(&mut cursor) {
                    types.push(self.written(side, scope));
                }
                self.out.written(TypeExpression::Union(types.into()))
            }
            "tuple" | "expression_list" => {
                let mut cursor = node.walk();
                let parts: Vec<TypeId> = node.named_children(&mut cursor).map(|one| self.written(one, scope)).collect();
                self.out.written(TypeExpression::Tuple(parts.into()))
            }
            "none" => self.out.written(TypeExpression::Literal(Literal::Null)),
            "string" => {
                let content = node.named_child(1).filter(|content| content.kind() == "string_content");
                content.map_or(UNKNOWN, |content| self.quoted(self.out.text(content), scope))
            }
            _ => UNKNOWN,
        }
    }

    /// `Literal["a"]`, of which the text is kept.
    fn literal_type(&mut self, path: &[NameId], arguments: &[Node<'_>]) -> Option<TypeId> {
        let is_literal = path.last().is_some_and(|last| self.out.code.name(*last) == "Literal");
        let [only] = arguments else { return None };
        let content = only.named_child(1).filter(|_| is_literal && only.kind() == "string")?;
        let text = self.out.name_of(content);
        Some(self.out.written(TypeExpression::Literal(Literal::Text(Some(text)))))
    }

    fn type_argument(&mut self, node: Node<'_>, scope: ScopeId) -> Argument {
        match node.kind() {
            "ellipsis" => Argument::Rest,
            "list" => {
                let mut cursor = node.walk();
                Argument::Many(node.named_children(&mut cursor).map(|one| self.written(one, scope)).collect())
            }
            _ => Argument::One(self.written(node, scope)),
        }
    }

    /// Returns the names of `a.b.c`.
    fn path(&mut self, node: Node<'_>) -> Option<Vec<NameId>> {
        if node.kind() == "dotted_name" {
            let mut cursor = node.walk();
            return Some(node.named_children(&mut cursor).map(|part| self.out.name_of(part)).collect());
        }
        let mut path = Vec::new();
        let mut at = node;
        while at.kind() == "attribute" {
            path.push(self.out.name_of(at.child_by_field_id(FIELDS.attribute)?));
            at = at.child_by_field_id(FIELDS.object)?;
        }
        if at.kind() != "identifier" {
            return None;
        }
        path.push(self.out.name_of(at));
        path.reverse();
        Some(path)
    }

    /// Writes a type by its name and what stands in brackets after it.
    pub(super) fn named_type(&mut self, path: Vec<NameId>, mut arguments: Vec<Argument>, scope: ScopeId) -> TypeId {
        let Some(last) = path.last().copied() else { return UNKNOWN };
        let one = |arguments: &[Argument], at: usize| arguments.get(at).map_or(UNKNOWN, Argument::one);
        let all = |arguments: &[Argument]| arguments.iter().map(Argument::one).collect::<Vec<TypeId>>();
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
                    Argument::Many(parameters) => parameters,
                    _ => Vec::new(),
                };
                TypeExpression::Function { parameters: parameters.into(), result }
            }
            "Tuple" | "tuple" if matches!(arguments.get(1), Some(Argument::Rest)) => {
                TypeExpression::List(one(&arguments, 0))
            }
            "Tuple" | "tuple" if !arguments.is_empty() => TypeExpression::Tuple(all(&arguments).into()),
            _ => {
                if path.len() == 1 && arguments.is_empty() {
                    if self.is_own_type(last) {
                        return self.out.written(TypeExpression::This { scope });
                    }
                    self.use_type_variable(last);
                }
                TypeExpression::Named { path: path.into(), arguments: all(&arguments).into(), scope }
            }
        };
        self.out.written(written)
    }

    fn is_own_type(&self, name: NameId) -> bool {
        self.functions.last().is_some_and(|function| function.own_type == Some(name))
    }

    fn use_type_variable(&mut self, name: NameId) {
        if self.type_variables.contains_key(&name)
            && let Some(function) = self.functions.last_mut()
            && function.type_variables.len() < MAX_TYPE_VARIABLES
            && !function.type_variables.contains(&name)
        {
            function.type_variables.push(name);
        }
    }

    /// Writes the type or types that a test names: `A`, `(A, B)`, `A | B`.
    pub(super) fn tested_type(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        if node.kind() != "tuple" {
            return self.written(node, scope);
        }
        let mut cursor = node.walk();
        let types: Vec<TypeId> = node.named_children(&mut cursor).map(|one| self.written(one, scope)).collect();
        self.out.written(TypeExpression::Union(types.into()))
    }

    /// Says whether what is assigned at the level of a module or class is a type that is written out.
    pub(super) fn is_type(&mut self, assignment: Node<'_>, right: Node<'_>, place: Place) -> bool {
        if place.is_function {
            return false;
        }
        match right.kind() {
            "subscript" => {
                let Some(of) = right.child_by_field_id(FIELDS.value) else { return false };
                if FORMS.contains(&self.last_text(of)) {
                    return true;
                }
                let name = self.out.name_of(of);
                self.aliases.contains(&name) || (is_type_name(self.last_text(of)) && has_type_arguments(right))
            }
            "binary_operator" | "string" => assignment
                .child_by_field_id(FIELDS.type_)
                .and_then(|declared| declared.named_child(0))
                .is_some_and(|declared| self.last_text(declared) == "TypeAlias"),
            _ => false,
        }
    }
}

/// Says whether a name is written as those of types are: `Result`, but not `RESULTS`.
fn is_type_name(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.starts_with(|c: char| c.is_uppercase()) && name.contains(|c: char| c.is_lowercase())
}

/// Says whether what stands in brackets can be types: names, and names in brackets.
fn has_type_arguments(subscript: Node<'_>) -> bool {
    let mut cursor = subscript.walk();
    let mut arguments = subscript.children_by_field_name("subscript", &mut cursor);
    arguments.all(|argument| {
        matches!(argument.kind(), "identifier" | "attribute" | "subscript" | "none" | "list" | "binary_operator")
    })
}

/// Names that only types in brackets begin with.
const FORMS: [&str; 29] = [
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
