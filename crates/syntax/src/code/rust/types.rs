//! Types as Rust writes them.

use model::code::{NameId, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::{Rust, UNKNOWN, first_child, is_beside};
use crate::node::Node;

impl Rust<'_, '_> {
    /// Returns a type.
    pub(super) fn written(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        if !self.out.descend() {
            return UNKNOWN;
        }
        let written = self.written_as(node, scope);
        self.out.ascend();
        written
    }

    fn written_as(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        match node.kind() {
            "type_identifier" | "identifier" | "primitive_type" | "self" | "super" | "crate" => {
                self.one_name(node, scope)
            }
            "scoped_type_identifier" | "scoped_identifier" => self.scoped(node, Box::default(), scope),
            "generic_type" | "generic_type_with_turbofish" => {
                let arguments = node.child_by_field_name("type_arguments");
                let arguments = arguments.map_or_else(Box::default, |list| self.type_arguments(list, scope));
                match node.child_by_field_name("type") {
                    Some(named) => self.scoped(named, arguments, scope),
                    None => UNKNOWN,
                }
            }
            "reference_type" => self.inner(node, "type", scope),
            "pointer_type" => {
                let to = self.inner(node, "type", scope);
                self.out.written(TypeExpression::Pointer(to))
            }
            "abstract_type" | "dynamic_type" => self.inner(node, "trait", scope),
            "higher_ranked_trait_bound" => self.inner(node, "type", scope),
            "bracketed_type" => first_child(node).map_or(UNKNOWN, |inner| self.written(inner, scope)),
            // `<A as B>`: `A`, asked for what `B` gives it.
            "qualified_type" => {
                let of = self.inner(node, "type", scope);
                let as_trait = self.inner(node, "alias", scope);
                self.out.written(TypeExpression::Intersection([of, as_trait].into()))
            }
            "bounded_type" | "trait_bounds" => {
                let all = self.bounds(node, scope);
                if all.len() == 1 { all[0] } else { self.out.written(TypeExpression::Intersection(all)) }
            }
            "array_type" => {
                let item = self.inner(node, "element", scope);
                self.out.written(TypeExpression::List(item))
            }
            "tuple_type" | "unit_type" => {
                let parts = self.all_written(node, scope);
                self.out.written(TypeExpression::Tuple(parts))
            }
            "function_type" => self.function_type(node, scope),
            _ => UNKNOWN,
        }
    }

    fn inner(&mut self, node: Node<'_>, field: &str, scope: ScopeId) -> TypeId {
        node.child_by_field_name(field).map_or(UNKNOWN, |inner| self.written(inner, scope))
    }

    fn one_name(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        let text = self.out.text(node);
        if text == "Self" {
            return self.own_type(scope);
        }
        let name = self.out.name(text);
        self.out.written(TypeExpression::Named { path: [name].into(), arguments: [].into(), scope })
    }

    /// Writes `a::B<arguments>`; what stands behind a type that is more than names is a member of it.
    fn scoped(&mut self, node: Node<'_>, arguments: Box<[TypeId]>, scope: ScopeId) -> TypeId {
        let mut path = Vec::new();
        if self.names(node, &mut path) {
            return self.out.written(TypeExpression::Named { path: path.into(), arguments, scope });
        }
        let (Some(head), Some(name)) = (node.child_by_field_name("path"), node.child_by_field_name("name")) else {
            return self.written(node, scope);
        };
        let of = self.written(head, scope);
        let name = self.out.name_of(name);
        self.out.written(TypeExpression::Member { of, name })
    }

    /// Takes the names of a path; returns false where it is more than names.
    fn names(&mut self, node: Node<'_>, path: &mut Vec<NameId>) -> bool {
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
                Some(name) if self.out.text(name) != "Self" => path.push(self.out.name_of(name)),
                _ => return false,
            }
        }
        true
    }

    /// `fn(A) -> B`, `Fn(A) -> B`.
    fn function_type(&mut self, node: Node<'_>, scope: ScopeId) -> TypeId {
        let mut parameters = Vec::new();
        if let Some(list) = node.child_by_field_name("parameters") {
            let mut cursor = list.walk();
            for child in list.named_children(&mut cursor).filter(|child| !is_beside(child.kind())) {
                let written = child.child_by_field_name("type").filter(|_| child.kind() == "parameter");
                parameters.push(self.written(written.unwrap_or(child), scope));
            }
        }
        let result = node.child_by_field_name("return_type").map(|result| self.written(result, scope));
        self.out.written(TypeExpression::Function { parameters: parameters.into(), result })
    }

    fn all_written(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_beside(child.kind())) {
            types.push(self.written(child, scope));
        }
        types.into()
    }

    /// Returns all that something must be; lifetimes say nothing of it.
    pub(super) fn bounds(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "lifetime" | "removed_trait_bound" | "use_bounds" => {}
                // The grammar nests `A + B + C` to the left.
                "bounded_type" => types.extend(self.bounds(child, scope)),
                kind if is_beside(kind) => {}
                _ => types.push(self.written(child, scope)),
            }
        }
        types.into()
    }

    pub(super) fn type_arguments(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[TypeId]> {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "lifetime" => {}
                "type_binding" => types.push(self.inner(child, "type", scope)),
                kind if is_beside(kind) => {}
                _ => types.push(self.written(child, scope)),
            }
        }
        types.into()
    }

    /// Returns the type parameters of an item, each with its bounds from the list and from the `where` clause.
    pub(super) fn type_parameters(&mut self, item: Node<'_>, scope: ScopeId) -> Box<[TypeParameter]> {
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
                let bounds = bounds.map_or_else(Box::default, |bounds| self.bounds(bounds, scope));
                let default = child.child_by_field_name("default_type").map(|default| self.written(default, scope));
                parameters.push(TypeParameter { name: self.out.name_of(name), bounds, default });
            }
        }
        if let Some(clause) = super::child_of_kind(item, "where_clause").filter(|_| !parameters.is_empty()) {
            self.where_clause(clause, &mut parameters, scope);
        }
        parameters.into()
    }

    fn where_clause(&mut self, clause: Node<'_>, parameters: &mut [TypeParameter], scope: ScopeId) {
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
            let name = self.out.name_of(of);
            if let Some(parameter) = parameters.iter_mut().find(|parameter| parameter.name == name) {
                let more = self.bounds(bounds, scope);
                parameter.bounds = parameter.bounds.iter().chain(&more).copied().collect();
            }
        }
    }
}
