//! Patterns: the names that they bind, and the parts of the value that they bind them to.

use model::code::{Expression, ExpressionId, ScopeId, TypeId};

use super::{RustLowering, is_ignorable};
use crate::node::SyntaxNode;

/// Field index of `Expression::Matched` that denotes the whole matched variant.
const WHOLE_VARIANT: u32 = u32::MAX;

/// Maximum number of `mut`, `ref` and `&` around a name.
const MAX_PATTERN_MODIFIERS: usize = 4;

impl RustLowering<'_, '_> {
    /// Binds the names of a pattern to the parts of a value of a declared type.
    pub(super) fn bind_typed_pattern(
        &mut self,
        pattern: SyntaxNode<'_>,
        declared: Option<TypeId>,
        value: ExpressionId,
        scope: ScopeId,
    ) {
        match (plain_name(pattern), declared) {
            (Some(name), Some(_)) => {
                let name = self.out.intern_node(name);
                self.out.bind(scope, name, declared, Some(value));
            }
            (_, Some(to)) => {
                let value = self.out.add_expression(Expression::Cast { of: value, to });
                self.bind_pattern(pattern, value, scope);
            }
            (_, None) => self.bind_pattern(pattern, value, scope),
        }
    }

    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind_pattern(&mut self, pattern: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
        if !self.out.descend() {
            return;
        }
        match pattern.kind() {
            "identifier" | "shorthand_field_identifier" => {
                // A name with a capital is a constant or a variant, and binds nothing.
                let text = self.out.text(pattern);
                if text.starts_with(char::is_uppercase) {
                    self.out.name_at(pattern, scope);
                } else {
                    let name = self.out.intern(text);
                    self.out.bind(scope, name, None, Some(of));
                }
            }
            "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                if let Some(inner) = inner_pattern(pattern) {
                    self.bind_pattern(inner, of, scope);
                }
            }
            "captured_pattern" => {
                let mut cursor = pattern.walk();
                for part in pattern.named_children(&mut cursor) {
                    self.bind_pattern(part, of, scope);
                }
            }
            // All alternatives bind the same names.
            "or_pattern" => {
                let mut is_bound = false;
                for alternative in child_patterns(pattern) {
                    let inner = if is_bound { self.out.open_scope(scope, None) } else { scope };
                    self.bind_pattern(alternative, of, inner);
                    is_bound = true;
                }
            }
            "scoped_identifier" => {
                self.visit(pattern, scope);
            }
            "range_pattern" => self.visit_children(pattern, scope),
            "tuple_pattern" => self.bind_tuple(pattern, of, scope),
            "slice_pattern" => self.bind_slice(pattern, of, scope),
            "tuple_struct_pattern" => self.bind_tuple_struct(pattern, of, scope),
            "struct_pattern" => self.bind_struct_fields(pattern, of, scope),
            _ => {}
        }
        self.out.ascend();
    }

    fn bind_tuple(&mut self, pattern: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
        for (index, part) in child_patterns(pattern).into_iter().enumerate() {
            if part.kind() == "remaining_field_pattern" {
                break;
            }
            let value = self.out.add_expression(Expression::Part { of, index: index as u32 });
            self.bind_pattern(part, value, scope);
        }
    }

    fn bind_slice(&mut self, pattern: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
        let item = self.out.add_expression(Expression::Item { of });
        for part in child_patterns(pattern) {
            let is_rest = part.kind() == "captured_pattern";
            self.bind_pattern(part, if is_rest { of } else { item }, scope);
        }
    }

    fn bind_tuple_struct(&mut self, pattern: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
        let Some(named) = pattern.child_by_field_name("type") else { return };
        let variant = self.visit(named, scope);
        for (index, part) in child_patterns(pattern).into_iter().filter(|part| part.id() != named.id()).enumerate() {
            if part.kind() == "remaining_field_pattern" {
                break;
            }
            let value = self.out.add_expression(Expression::Matched { of, variant, index: index as u32 });
            self.bind_pattern(part, value, scope);
        }
    }

    fn bind_struct_fields(&mut self, pattern: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
        let Some(named) = pattern.child_by_field_name("type") else { return };
        let written = self.lower_type(named, scope);
        let whole = self.add_whole_variant(of, written, named, scope);
        let mut cursor = pattern.walk();
        for field in pattern.named_children(&mut cursor).filter(|field| field.kind() == "field_pattern") {
            let Some(name) = field.child_by_field_name("name") else { continue };
            let value = self.out.member_at(whole, name, scope);
            self.bind_pattern(field.child_by_field_name("pattern").unwrap_or(name), value, scope);
        }
    }

    /// Adds a value as an object of the struct or enum member of a type as written, and records an access to the enum member.
    pub(super) fn add_whole_variant(
        &mut self,
        of: ExpressionId,
        written: TypeId,
        type_node: SyntaxNode<'_>,
        scope: ScopeId,
    ) -> ExpressionId {
        let variant = self.out.add_expression(Expression::Type(written));
        if let Some(name) =
            type_node.child_by_field_name("name").filter(|_| type_node.child_by_field_name("path").is_some())
        {
            self.out.add_access(variant, scope, name);
        }
        self.out.add_expression(Expression::Matched { of, variant, index: WHOLE_VARIANT })
    }

    /// Binds a parameter. A pattern parameter gets a name that is not valid in code, and is destructured later.
    pub(super) fn bind_parameter(
        &mut self,
        pattern: SyntaxNode<'_>,
        declared: Option<TypeId>,
        position: usize,
        scope: ScopeId,
    ) -> model::code::NameId {
        if let Some(name) = plain_name(pattern) {
            let name = self.out.intern_node(name);
            self.out.bind(scope, name, declared, None);
            return name;
        }
        let name = self.out.intern(&format!("#{position}"));
        self.out.bind(scope, name, declared, None);
        name
    }

    /// Destructures a bound parameter if it is a pattern.
    pub(super) fn destructure_parameter(&mut self, pattern: SyntaxNode<'_>, name: model::code::NameId, scope: ScopeId) {
        if plain_name(pattern).is_none() {
            let whole = self.out.use_name(name, scope);
            self.bind_pattern(pattern, whole, scope);
        }
    }
}

/// Returns the name of a pattern that is a plain name, under `mut`, `ref` and `&`.
fn plain_name(pattern: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut at = pattern;
    for _ in 0..MAX_PATTERN_MODIFIERS {
        match at.kind() {
            "identifier" => return Some(at),
            "mut_pattern" | "ref_pattern" | "reference_pattern" => at = inner_pattern(at)?,
            _ => return None,
        }
    }
    None
}

fn inner_pattern(pattern: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut cursor = pattern.walk();
    pattern.named_children(&mut cursor).filter(|child| child.kind() != "mutable_specifier").last()
}

/// Returns the patterns in a pattern, including `_`.
fn child_patterns(pattern: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    let mut cursor = pattern.walk();
    let is_part = |child: &SyntaxNode| child.is_named() && !is_ignorable(child.kind()) || child.kind() == "_";
    pattern.children(&mut cursor).filter(is_part).collect()
}
