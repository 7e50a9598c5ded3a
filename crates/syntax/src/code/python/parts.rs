//! Parts of objects that are followed like variables: `self.x` and `a[0]` after they were assigned or tested.

use model::code::{Expression, ExpressionId, NameId, ScopeId, TypeExpression, TypeId};

use super::{Part, Place, Walk, fields::FIELDS};
use crate::node::Node;

/// The most parts that are followed through one function.
const MAX_PARTS: usize = 64;

/// The longest part, as it is written.
const MAX_PART_BYTES: usize = 80;

/// The most members that lead to a part.
const MAX_MEMBERS: usize = 4;

impl Walk<'_, '_> {
    /// Returns the name under which a part was assigned or tested in this function.
    pub(super) fn known_part(&mut self, node: Node<'_>) -> Option<NameId> {
        if self.functions.last()?.parts.is_empty() {
            return None;
        }
        let part = self.out.known_name(self.text_of_part(node)?)?;
        self.functions.last()?.parts.iter().any(|known| known.name == part).then_some(part)
    }

    fn text_of_part(&self, node: Node<'_>) -> Option<&str> {
        (node.byte_range().len() <= MAX_PART_BYTES).then(|| self.out.text(node))
    }

    /// Follows a part of an object from here on through the function; returns its name, and the type that the object is
    /// said to have there.
    pub(super) fn know_part(&mut self, node: Node<'_>, place: Place) -> Option<(NameId, TypeId)> {
        let function = self.functions.last().filter(|_| place.is_function)?;
        let (body, n_parts) = (function.body, function.parts.len());
        self.text_of_part(node)?;
        let name = self.out.name_of(node);
        let known = self.functions.last()?.parts.iter().find(|known| known.name == name).cloned();
        let part = match known {
            Some(part) => part,
            None if n_parts >= MAX_PARTS => return None,
            None => {
                let (path, index) = self.path_of_part(node)?;
                let part = Part { name, path: path.into(), index };
                let plain = self.plain(&part, place.scope);
                self.out.bind(body, name, None, Some(plain));
                self.functions.last_mut()?.parts.push(part.clone());
                part
            }
        };
        let plain = self.plain(&part, place.scope);
        Some((name, self.out.written(TypeExpression::Of(plain))))
    }

    /// Returns the names of `a.b.c`, or those of `a.b` with the index of `a.b[0]`.
    fn path_of_part(&mut self, node: Node<'_>) -> Option<(Vec<NameId>, Option<ExpressionId>)> {
        let (mut at, mut index) = (node, None);
        if node.kind() == "subscript" {
            let mut cursor = node.walk();
            let mut indices = node.children_by_field_name("subscript", &mut cursor);
            let only = indices.next().filter(|index| matches!(index.kind(), "integer" | "string"))?;
            if indices.next().is_some() {
                return None;
            }
            let literal =
                if only.kind() == "integer" { model::code::Literal::Integer } else { model::code::Literal::Text(None) };
            index = Some(self.literal(literal));
            at = node.child_by_field_id(FIELDS.value)?;
        }
        let mut path = Vec::new();
        while at.kind() == "attribute" && path.len() < MAX_MEMBERS {
            path.push(self.out.name_of(at.child_by_field_id(FIELDS.attribute)?));
            at = at.child_by_field_id(FIELDS.object)?;
        }
        if at.kind() != "identifier" {
            return None;
        }
        path.push(self.out.name_of(at));
        path.reverse();
        Some((path, index))
    }

    /// Writes a part as if nothing were known of it.
    fn plain(&mut self, part: &Part, scope: ScopeId) -> ExpressionId {
        let mut value = self.out.use_name(part.path[0], scope);
        for name in &part.path[1..] {
            value = self.out.expression(Expression::Member { of: value, name: *name });
        }
        match part.index {
            Some(index) => self.out.expression(Expression::Element { of: value, index: Some(index) }),
            None => value,
        }
    }

    /// Nothing is known any more of the parts of a variable that is assigned anew.
    pub(super) fn forget_parts(&mut self, scope: ScopeId, name: NameId) {
        let Some(function) = self.functions.last() else { return };
        let is_of = |part: &&Part| part.name != name && part.path[0] == name;
        let parts: Vec<Part> = function.parts.iter().filter(is_of).cloned().collect();
        for part in parts {
            let plain = self.plain(&part, scope);
            self.bind_again(scope, part.name, plain);
        }
    }
}
