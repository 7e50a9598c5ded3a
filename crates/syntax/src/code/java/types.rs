//! Types as Java writes them.

use model::code::{NameId, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::{Java, first_child, is_comment};
use crate::node::Node;

/// The type of which nothing is known.
pub(super) const UNKNOWN: TypeId = TypeId(0);

/// How deep types stand in types; beyond it nothing is known of them.
const MAX_TYPE_DEPTH: u32 = 20;

impl Java<'_, '_> {
    pub(super) fn written(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        self.written_at(node, scope, 0)
    }

    /// Returns the type of a variable; nothing where it is left to its value.
    pub(super) fn written_unless_var(&mut self, node: Node<'_>, scope: ScopeId) -> Option<TypeId> {
        let is_var = node.kind() == "type_identifier" && self.out.text(node) == "var";
        (!is_var).then(|| self.written(node, scope))
    }

    /// Returns a type of one name, as the language itself has them.
    pub(super) fn written_name(&mut self, name: &str, scope: ScopeId) -> TypeId {
        let name = self.out.name(name);
        self.out.written(TypeExpression::Named { path: [name].into(), arguments: [].into(), scope })
    }

    /// Returns a type with the brackets that stand behind the name of a variable.
    pub(super) fn with_dimensions(&mut self, of: TypeId, declarator: Node<'_>) -> TypeId {
        match declarator.child_by_field_name("dimensions") {
            Some(dimensions) => self.list_of(of, n_dimensions(dimensions)),
            None => of,
        }
    }

    pub(super) fn list_of(&mut self, of: TypeId, n_dimensions: usize) -> TypeId {
        (0..n_dimensions).fold(of, |of, _| self.out.written(TypeExpression::List(of)))
    }

    /// Returns all types in a node, one by one.
    pub(super) fn all_written(&mut self, node: Node<'_>, scope: ScopeId, depth: u32) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_comment(child.kind())) {
            types.push(self.written_at(child, scope, depth));
        }
        types.into()
    }

    pub(super) fn type_parameters(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[TypeParameter]> {
        let Some(list) = node.child_by_field_name("type_parameters") else { return [].into() };
        let mut cursor = list.walk();
        let mut parameters = Vec::new();
        for child in list.named_children(&mut cursor).filter(|child| child.kind() == "type_parameter") {
            let mut parameter = TypeParameter { name: NameId(0), bounds: [].into(), default: None };
            let mut inner = child.walk();
            for part in child.named_children(&mut inner) {
                match part.kind() {
                    "type_identifier" | "identifier" => parameter.name = self.out.name_of(part),
                    "type_bound" => parameter.bounds = self.all_written(part, scope, 0),
                    _ => {}
                }
            }
            parameters.push(parameter);
        }
        parameters.into()
    }

    fn written_at(&mut self, node: Node<'_>, scope: ScopeId, depth: u32) -> TypeId {
        if depth > MAX_TYPE_DEPTH {
            return UNKNOWN;
        }
        match node.kind() {
            "type_identifier"
            | "identifier"
            | "integral_type"
            | "floating_point_type"
            | "boolean_type"
            | "void_type" => {
                let name = self.out.name_of(node);
                self.out.written(TypeExpression::Named { path: [name].into(), arguments: [].into(), scope })
            }
            "scoped_type_identifier" | "generic_type" | "scoped_identifier" => {
                let mut path = Vec::new();
                let mut arguments = Vec::new();
                self.path(node, scope, depth, &mut path, &mut arguments);
                self.out.written(TypeExpression::Named { path: path.into(), arguments: arguments.into(), scope })
            }
            "array_type" => {
                let of =
                    node.child_by_field_name("element").map_or(UNKNOWN, |of| self.written_at(of, scope, depth + 1));
                self.with_dimensions(of, node)
            }
            "annotated_type" | "wildcard" => {
                let mut cursor = node.walk();
                let inner = node.named_children(&mut cursor).filter(|child| is_type(child.kind())).last();
                match inner {
                    Some(inner) => self.written_at(inner, scope, depth + 1),
                    None => self.written_name("?", scope),
                }
            }
            "catch_type" => {
                let types = self.all_written(node, scope, depth + 1);
                if types.len() == 1 { types[0] } else { self.out.written(TypeExpression::Union(types)) }
            }
            _ => UNKNOWN,
        }
    }

    /// Takes the names and the innermost arguments of `a.B<C>.D<E>`.
    fn path(
        &mut self,
        node: Node<'_>,
        scope: ScopeId,
        depth: u32,
        path: &mut Vec<NameId>,
        arguments: &mut Vec<TypeId>,
    ) {
        if depth > MAX_TYPE_DEPTH {
            return;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "type_identifier" | "identifier" => path.push(self.out.name_of(child)),
                "scoped_type_identifier" | "generic_type" | "scoped_identifier" => {
                    arguments.clear();
                    self.path(child, scope, depth + 1, path, arguments);
                }
                "type_arguments" => *arguments = self.all_written(child, scope, depth + 1).into(),
                _ => {}
            }
        }
    }
}

/// Says whether a node of this kind is a type.
pub(super) fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "type_identifier"
            | "scoped_type_identifier"
            | "generic_type"
            | "array_type"
            | "annotated_type"
            | "integral_type"
            | "floating_point_type"
            | "boolean_type"
            | "void_type"
    )
}

/// Returns the first type in a node.
pub(super) fn type_in(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let found = node.named_children(&mut cursor).find(|child| is_type(child.kind()));
    found.or_else(|| first_child(node))
}

pub(super) fn n_dimensions(dimensions: Node<'_>) -> usize {
    let mut cursor = dimensions.walk();
    dimensions.children(&mut cursor).filter(|child| child.kind() == "[").count()
}
