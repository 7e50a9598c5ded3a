//! Types of Java.

use model::code::{NameId, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::{JavaLowering, UNKNOWN_TYPE, first_child, is_comment};
use crate::node::SyntaxNode;

/// Maximum nesting depth of a type. Deeper types are unknown.
const MAX_TYPE_DEPTH: u32 = 20;

impl JavaLowering<'_, '_> {
    pub(super) fn lower_type(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        self.lower_type_at(node, scope, 0)
    }

    /// Lowers the type of a variable. Returns `None` for `var`.
    pub(super) fn lower_variable_type(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Option<TypeId> {
        let is_var = node.kind() == "type_identifier" && self.out.text(node) == "var";
        (!is_var).then(|| self.lower_type(node, scope))
    }

    /// Returns a type with a name of the language itself.
    pub(super) fn builtin_type(&mut self, name: &str, scope: ScopeId) -> TypeId {
        let name = self.out.intern(name);
        self.out.add_type(TypeExpression::Named { path: [name].into(), arguments: [].into(), scope })
    }

    /// Returns a type with the array dimensions after the variable name.
    pub(super) fn add_dimensions(&mut self, of: TypeId, declarator: SyntaxNode<'_>) -> TypeId {
        match declarator.child_by_field_name("dimensions") {
            Some(dimensions) => self.list_type(of, n_dimensions(dimensions)),
            None => of,
        }
    }

    pub(super) fn list_type(&mut self, of: TypeId, n_dimensions: usize) -> TypeId {
        (0..n_dimensions).fold(of, |of, _| self.out.add_type(TypeExpression::List(of)))
    }

    /// Lowers all types in a node.
    pub(super) fn lower_types(&mut self, node: SyntaxNode<'_>, scope: ScopeId, depth: u32) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_comment(child.kind())) {
            types.push(self.lower_type_at(child, scope, depth));
        }
        types.into()
    }

    pub(super) fn lower_type_parameters(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[TypeParameter]> {
        let Some(list) = node.child_by_field_name("type_parameters") else { return [].into() };
        let mut cursor = list.walk();
        let mut parameters = Vec::new();
        for child in list.named_children(&mut cursor).filter(|child| child.kind() == "type_parameter") {
            let mut parameter = TypeParameter { name: NameId(0), bounds: [].into(), default: None };
            let mut inner = child.walk();
            for part in child.named_children(&mut inner) {
                match part.kind() {
                    "type_identifier" | "identifier" => parameter.name = self.out.intern_node(part),
                    "type_bound" => parameter.bounds = self.lower_types(part, scope, 0),
                    _ => {}
                }
            }
            parameters.push(parameter);
        }
        parameters.into()
    }

    fn lower_type_at(&mut self, node: SyntaxNode<'_>, scope: ScopeId, depth: u32) -> TypeId {
        if depth > MAX_TYPE_DEPTH {
            return UNKNOWN_TYPE;
        }
        match node.kind() {
            "type_identifier"
            | "identifier"
            | "integral_type"
            | "floating_point_type"
            | "boolean_type"
            | "void_type" => {
                let name = self.out.intern_node(node);
                self.out.add_type(TypeExpression::Named { path: [name].into(), arguments: [].into(), scope })
            }
            "scoped_type_identifier" | "generic_type" | "scoped_identifier" => {
                let (path, arguments) = self.lower_path(node, scope, depth);
                self.out.add_type(TypeExpression::Named { path: path.into(), arguments, scope })
            }
            "array_type" => {
                let of = node
                    .child_by_field_name("element")
                    .map_or(UNKNOWN_TYPE, |of| self.lower_type_at(of, scope, depth + 1));
                self.add_dimensions(of, node)
            }
            "annotated_type" | "wildcard" => {
                let mut cursor = node.walk();
                let inner = node.named_children(&mut cursor).filter(|child| is_type(child.kind())).last();
                match inner {
                    Some(inner) => self.lower_type_at(inner, scope, depth + 1),
                    None => self.builtin_type("?", scope),
                }
            }
            "catch_type" => {
                let types = self.lower_types(node, scope, depth + 1);
                if types.len() == 1 { types[0] } else { self.out.add_type(TypeExpression::Union(types)) }
            }
            _ => UNKNOWN_TYPE,
        }
    }

    /// Returns the names and the innermost arguments of `a.B<C>.D<E>`.
    fn lower_path(&mut self, node: SyntaxNode<'_>, scope: ScopeId, depth: u32) -> (Vec<NameId>, Box<[TypeId]>) {
        let (mut path, mut arguments) = (Vec::new(), Box::default());
        if depth > MAX_TYPE_DEPTH {
            return (path, arguments);
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "type_identifier" | "identifier" => path.push(self.out.intern_node(child)),
                "scoped_type_identifier" | "generic_type" | "scoped_identifier" => {
                    let (outer_path, outer_arguments) = self.lower_path(child, scope, depth + 1);
                    path.extend(outer_path);
                    arguments = outer_arguments;
                }
                "type_arguments" => arguments = self.lower_types(child, scope, depth + 1),
                _ => {}
            }
        }
        (path, arguments)
    }
}

/// Returns true if a node of this kind is a type.
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
pub(super) fn first_type(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut cursor = node.walk();
    let found = node.named_children(&mut cursor).find(|child| is_type(child.kind()));
    found.or_else(|| first_child(node))
}

pub(super) fn n_dimensions(dimensions: SyntaxNode<'_>) -> usize {
    let mut cursor = dimensions.walk();
    dimensions.children(&mut cursor).filter(|child| child.kind() == "[").count()
}
