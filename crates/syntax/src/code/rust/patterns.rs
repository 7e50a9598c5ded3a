//! Patterns: what they take out of a value, and the names they bind to it.

use model::code::{Expression, ExpressionId, ScopeId, TypeId};

use super::{Rust, first_child, is_beside};
use crate::node::Node;

/// The number of a field of `Expression::Matched` that stands for the whole value, as the matched variant has it.
const WHOLE: u32 = u32::MAX;

impl Rust<'_, '_> {
    /// Binds what a pattern takes out of a value of a declared type.
    pub(super) fn typed_pattern(
        &mut self,
        pattern: Node<'_>,
        declared: Option<TypeId>,
        value: ExpressionId,
        scope: ScopeId,
    ) {
        match (plain_name(pattern), declared) {
            (Some(name), Some(_)) => {
                let name = self.out.name_of(name);
                self.out.bind(scope, name, declared, Some(value));
            }
            (_, Some(to)) => {
                let value = self.out.expression(Expression::Cast { of: value, to });
                self.pattern(pattern, value, scope);
            }
            (_, None) => self.pattern(pattern, value, scope),
        }
    }

    /// Binds what a pattern takes out of a value.
    pub(super) fn pattern(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId) {
        if !self.out.descend() {
            return;
        }
        match pattern.kind() {
            "identifier" | "shorthand_field_identifier" => {
                // A name with a capital is a constant or a variant, which binds nothing.
                let text = self.out.text(pattern);
                if !text.starts_with(char::is_uppercase) {
                    let name = self.out.name(text);
                    self.out.bind(scope, name, None, Some(of));
                }
            }
            "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                if let Some(inner) = last_pattern(pattern) {
                    self.pattern(inner, of, scope);
                }
            }
            "captured_pattern" => {
                let mut cursor = pattern.walk();
                for part in pattern.named_children(&mut cursor) {
                    self.pattern(part, of, scope);
                }
            }
            // All alternatives bind the same names.
            "or_pattern" => {
                if let Some(first) = first_child(pattern) {
                    self.pattern(first, of, scope);
                }
            }
            "tuple_pattern" => self.tuple(pattern, of, scope),
            "slice_pattern" => self.slice(pattern, of, scope),
            "tuple_struct_pattern" => self.tuple_variant(pattern, of, scope),
            "struct_pattern" => self.fields(pattern, of, scope),
            _ => {}
        }
        self.out.ascend();
    }

    fn tuple(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId) {
        for (index, part) in parts(pattern).into_iter().enumerate() {
            if part.kind() == "remaining_field_pattern" {
                break;
            }
            let value = self.out.expression(Expression::Part { of, index: index as u32 });
            self.pattern(part, value, scope);
        }
    }

    fn slice(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId) {
        let item = self.out.expression(Expression::Item { of });
        for part in parts(pattern) {
            let is_rest = part.kind() == "captured_pattern";
            self.pattern(part, if is_rest { of } else { item }, scope);
        }
    }

    fn tuple_variant(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId) {
        let Some(named) = pattern.child_by_field_name("type") else { return };
        let variant = self.visit(named, scope);
        for (index, part) in parts(pattern).into_iter().filter(|part| part.id() != named.id()).enumerate() {
            if part.kind() == "remaining_field_pattern" {
                break;
            }
            let value = self.out.expression(Expression::Matched { of, variant, index: index as u32 });
            self.pattern(part, value, scope);
        }
    }

    fn fields(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId) {
        let Some(named) = pattern.child_by_field_name("type") else { return };
        let written = self.written(named, scope);
        let variant = self.out.expression(Expression::Type(written));
        let whole = self.out.expression(Expression::Matched { of, variant, index: WHOLE });
        let mut cursor = pattern.walk();
        for field in pattern.named_children(&mut cursor).filter(|field| field.kind() == "field_pattern") {
            let Some(name) = field.child_by_field_name("name") else { continue };
            let name_id = self.out.name_of(name);
            let value = self.out.expression(Expression::Member { of: whole, name: name_id });
            self.pattern(field.child_by_field_name("pattern").unwrap_or(name), value, scope);
        }
    }

    /// Binds a parameter. One that is a pattern has a name that no code can write, and is taken apart behind it.
    pub(super) fn parameter_pattern(
        &mut self,
        pattern: Node<'_>,
        declared: Option<TypeId>,
        position: usize,
        scope: ScopeId,
    ) -> model::code::NameId {
        if let Some(name) = plain_name(pattern) {
            let name = self.out.name_of(name);
            self.out.bind(scope, name, declared, None);
            return name;
        }
        let name = self.out.name(&format!("#{position}"));
        self.out.bind(scope, name, declared, None);
        name
    }

    /// Takes a bound parameter apart, where it is a pattern.
    pub(super) fn take_apart(&mut self, pattern: Node<'_>, name: model::code::NameId, scope: ScopeId) {
        if plain_name(pattern).is_none() {
            let whole = self.out.use_name(name, scope);
            self.pattern(pattern, whole, scope);
        }
    }
}

/// Returns the name that a pattern is, but for `mut`, `ref` and `&`.
fn plain_name(pattern: Node<'_>) -> Option<Node<'_>> {
    let mut at = pattern;
    for _ in 0..4 {
        match at.kind() {
            "identifier" => return Some(at),
            "mut_pattern" | "ref_pattern" | "reference_pattern" => at = last_pattern(at)?,
            _ => return None,
        }
    }
    None
}

fn last_pattern(pattern: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = pattern.walk();
    pattern.named_children(&mut cursor).filter(|child| child.kind() != "mutable_specifier").last()
}

/// Returns the patterns in a pattern, `_` among them.
fn parts(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = pattern.walk();
    let is_part = |child: &Node| child.is_named() && !is_beside(child.kind()) || child.kind() == "_";
    pattern.children(&mut cursor).filter(is_part).collect()
}
