//! Types of Rust.

use model::code::{NameId, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::{RustLowering, UNKNOWN_TYPE, first_child, is_ignorable};
use crate::node::SyntaxNode;

impl RustLowering<'_, '_> {
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
            "type_identifier" | "identifier" | "primitive_type" | "self" | "super" | "crate" => {
                self.lower_type_name(node, scope)
            }
            "scoped_type_identifier" | "scoped_identifier" => self.lower_scoped_type(node, Box::default(), scope),
            "generic_type" | "generic_type_with_turbofish" => {
                let arguments = node.child_by_field_name("type_arguments");
                let arguments = arguments.map_or_else(Box::default, |list| self.lower_type_arguments(list, scope));
                match node.child_by_field_name("type") {
                    Some(named) => self.lower_scoped_type(named, arguments, scope),
                    None => UNKNOWN_TYPE,
                }
            }
            "reference_type" => self.lower_field_type(node, "type", scope),
            "pointer_type" => {
                let to = self.lower_field_type(node, "type", scope);
                self.out.add_type(TypeExpression::Pointer(to))
            }
            "abstract_type" | "dynamic_type" => self.lower_field_type(node, "trait", scope),
            "higher_ranked_trait_bound" => self.lower_field_type(node, "type", scope),
            "bracketed_type" => first_child(node).map_or(UNKNOWN_TYPE, |inner| self.lower_type(inner, scope)),
            // `<A as B>`: the type `A` as an implementor of `B`.
            "qualified_type" => {
                let of = self.lower_field_type(node, "type", scope);
                let as_trait = self.lower_field_type(node, "alias", scope);
                self.out.add_type(TypeExpression::Intersection([of, as_trait].into()))
            }
            "bounded_type" | "trait_bounds" => {
                let all = self.lower_bounds(node, scope);
                if all.len() == 1 { all[0] } else { self.out.add_type(TypeExpression::Intersection(all)) }
            }
            "array_type" => {
                let item = self.lower_field_type(node, "element", scope);
                self.out.add_type(TypeExpression::List(item))
            }
            "tuple_type" | "unit_type" => {
                let parts = self.lower_types(node, scope);
                self.out.add_type(TypeExpression::Tuple(parts))
            }
            "function_type" => self.lower_function_type(node, scope),
            _ => UNKNOWN_TYPE,
        }
    }

    fn lower_field_type(&mut self, node: SyntaxNode<'_>, field: &str, scope: ScopeId) -> TypeId {
        node.child_by_field_name(field).map_or(UNKNOWN_TYPE, |inner| self.lower_type(inner, scope))
    }

    fn lower_type_name(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        let text = self.out.text(node);
        if text == "Self" {
            return self.add_self_type(scope);
        }
        let name = self.out.intern(text);
        self.out.add_type(TypeExpression::Named { path: [name].into(), arguments: [].into(), scope })
    }

    /// Lowers `a::B<arguments>`. The name after a type that is not a plain path is a member of that type.
    fn lower_scoped_type(&mut self, node: SyntaxNode<'_>, arguments: Box<[TypeId]>, scope: ScopeId) -> TypeId {
        if let Some(path) = self.plain_path(node) {
            return self.out.add_type(TypeExpression::Named { path: path.into(), arguments, scope });
        }
        let (Some(head), Some(name)) = (node.child_by_field_name("path"), node.child_by_field_name("name")) else {
            return self.lower_type(node, scope);
        };
        let of = self.lower_type(head, scope);
        let name = self.out.intern_node(name);
        self.out.add_type(TypeExpression::Member { of, name })
    }

    /// Returns the names of a path; `None` if it has parts other than names.
    fn plain_path(&mut self, node: SyntaxNode<'_>) -> Option<Vec<NameId>> {
        let mut path = Vec::new();
        let mut links = vec![node];
        while let Some(head) = links.last().and_then(|link| link.child_by_field_name("path")) {
            links.push(head);
        }
        for link in links.iter().rev() {
            let name = match link.kind() {
                "scoped_type_identifier" | "scoped_identifier" => link.child_by_field_name("name"),
                "type_identifier" | "identifier" | "self" | "super" | "crate" | "primitive_type" => Some(*link),
                _ => None,
            };
            match name {
                Some(name) if self.out.text(name) != "Self" => path.push(self.out.intern_node(name)),
                _ => return None,
            }
        }
        Some(path)
    }

    /// `fn(A) -> B`, `Fn(A) -> B`.
    fn lower_function_type(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        let mut parameters = Vec::new();
        if let Some(list) = node.child_by_field_name("parameters") {
            let mut cursor = list.walk();
            for child in list.named_children(&mut cursor).filter(|child| !is_ignorable(child.kind())) {
                let written = child.child_by_field_name("type").filter(|_| child.kind() == "parameter");
                parameters.push(self.lower_type(written.unwrap_or(child), scope));
            }
        }
        let result = node.child_by_field_name("return_type").map(|result| self.lower_type(result, scope));
        self.out.add_type(TypeExpression::Function { parameters: parameters.into(), result })
    }

    fn lower_types(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_ignorable(child.kind())) {
            types.push(self.lower_type(child, scope));
        }
        types.into()
    }

    /// Lowers all bounds except lifetimes.
    pub(super) fn lower_bounds(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "lifetime" | "removed_trait_bound" | "use_bounds" => {}
                // The grammar nests `A + B + C` to the left.
                "bounded_type" => types.extend(self.lower_bounds(child, scope)),
                kind if is_ignorable(kind) => {}
                _ => types.push(self.lower_type(child, scope)),
            }
        }
        types.into()
    }

    pub(super) fn lower_type_arguments(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "lifetime" => {}
                "type_binding" => types.push(self.lower_field_type(child, "type", scope)),
                kind if is_ignorable(kind) => {}
                _ => types.push(self.lower_type(child, scope)),
            }
        }
        types.into()
    }

    /// Returns the type parameters of an item, with the bounds from the parameter list and the `where` clause.
    pub(super) fn lower_type_parameters(&mut self, item: SyntaxNode<'_>, scope: ScopeId) -> Box<[TypeParameter]> {
        let mut parameters = Vec::new();
        if let Some(list) = item.child_by_field_name("type_parameters") {
            let mut cursor = list.walk();
            for child in list.named_children(&mut cursor) {
                let (Some(name), true) =
                    (child.child_by_field_name("name"), matches!(child.kind(), "type_parameter" | "const_parameter"))
                else {
                    continue;
                };
                let bounds = child.child_by_field_name("bounds");
                let bounds = bounds.map_or_else(Box::default, |bounds| self.lower_bounds(bounds, scope));
                let default = child.child_by_field_name("default_type").map(|default| self.lower_type(default, scope));
                parameters.push(TypeParameter { name: self.out.intern_node(name), bounds, default });
            }
        }
        if let Some(clause) = item.child_of_kind("where_clause").filter(|_| !parameters.is_empty()) {
            self.apply_where_clause(clause, &mut parameters, scope);
        }
        parameters.into()
    }

    fn apply_where_clause(&mut self, clause: SyntaxNode<'_>, parameters: &mut [TypeParameter], scope: ScopeId) {
        let mut cursor = clause.walk();
        for predicate in clause.named_children(&mut cursor).filter(|child| child.kind() == "where_predicate") {
            let (Some(of), Some(bounds)) =
                (predicate.child_by_field_name("left"), predicate.child_by_field_name("bounds"))
            else {
                continue;
            };
            if of.kind() != "type_identifier" {
                continue;
            }
            let name = self.out.intern_node(of);
            if let Some(parameter) = parameters.iter_mut().find(|parameter| parameter.name == name) {
                let more = self.lower_bounds(bounds, scope);
                parameter.bounds = parameter.bounds.iter().chain(&more).copied().collect();
            }
        }
    }
}
