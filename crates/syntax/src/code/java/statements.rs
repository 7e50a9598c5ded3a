//! Statements: scopes, and what is bound in them.

use model::code::{Expression, ExpressionId, ScopeId};

use super::types::{is_type, type_in};
use super::{Java, OPAQUE, first_child, is_comment};
use crate::node::Node;

impl Java<'_, '_> {
    /// Writes a statement; says whether the node is one.
    pub(super) fn statement(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) -> bool {
        match kind {
            "block" | "constructor_body" | "for_statement" | "finally_clause" => {
                let inner = self.out.scope(scope, None);
                self.visit_children(node, inner);
            }
            "local_variable_declaration" => self.locals(node, scope),
            "enhanced_for_statement" => self.for_each(node, scope),
            "try_with_resources_statement" => {
                let inner = self.out.scope(scope, None);
                self.visit_children(node, inner);
            }
            "resource" => self.resource(node, scope),
            "catch_clause" => self.catch(node, scope),
            "return_statement" => {
                if let Some(child) = first_child(node) {
                    let value = self.visit(child, scope);
                    if let Some(results) = self.results.last_mut() {
                        results.push(value);
                    }
                }
            }
            "yield_statement" => {
                if let Some(child) = first_child(node) {
                    let value = self.visit(child, scope);
                    if let Some(yields) = self.yields.last_mut() {
                        yields.push(value);
                    }
                }
            }
            "labeled_statement" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor).filter(|child| !is_comment(child.kind())).skip(1) {
                    self.visit(child, scope);
                }
            }
            "break_statement" | "continue_statement" | "line_comment" | "block_comment" | "modifiers" => {}
            _ => return false,
        }
        true
    }

    fn locals(&mut self, node: Node<'_>, scope: ScopeId) {
        let declared = node.child_by_field_name("type").and_then(|written| self.written_unless_var(written, scope));
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
            let value = declarator.child_by_field_name("value").map(|value| self.visit(value, scope));
            if let Some(name) = declarator.child_by_field_name("name") {
                let name = self.out.name_of(name);
                let declared = declared.map(|declared| self.with_dimensions(declared, declarator));
                self.out.bind(scope, name, declared, value);
            }
        }
    }

    fn for_each(&mut self, node: Node<'_>, scope: ScopeId) {
        let of = self.visit_field(node, "value", scope);
        let inner = self.out.scope(scope, None);
        let declared = node.child_by_field_name("type").and_then(|written| self.written_unless_var(written, scope));
        if let Some(name) = node.child_by_field_name("name") {
            let name = self.out.name_of(name);
            let declared = declared.map(|declared| self.with_dimensions(declared, node));
            let item = declared.is_none().then(|| self.out.expression(Expression::Item { of }));
            self.out.bind(inner, name, declared, item);
        }
        self.visit_field(node, "body", inner);
    }

    fn resource(&mut self, node: Node<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else {
            self.visit_children(node, scope);
            return;
        };
        let value = self.visit_field(node, "value", scope);
        let declared = node.child_by_field_name("type").and_then(|written| self.written_unless_var(written, scope));
        let name = self.out.name_of(name);
        self.out.bind(scope, name, declared, Some(value));
    }

    fn catch(&mut self, node: Node<'_>, scope: ScopeId) {
        let inner = self.out.scope(scope, None);
        let mut cursor = node.walk();
        for parameter in node.named_children(&mut cursor).filter(|child| child.kind() == "catch_formal_parameter") {
            let mut parts = parameter.walk();
            let types = parameter.named_children(&mut parts).find(|child| child.kind() == "catch_type");
            let declared = types.map(|types| self.written(types, scope));
            if let Some(name) = parameter.child_by_field_name("name") {
                let name = self.out.name_of(name);
                self.out.bind(inner, name, declared, None);
            }
        }
        self.visit_field(node, "body", inner);
    }

    /// Writes a `switch`, and returns what comes out of it.
    pub(super) fn switch(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let condition = self.visit_field(node, "condition", scope);
        let Some(body) = node.child_by_field_name("body") else { return OPAQUE };
        self.yields.push(Vec::new());
        let inner = self.out.scope(scope, None);
        let mut cursor = body.walk();
        for group in body.named_children(&mut cursor) {
            self.case(group, condition, inner);
        }
        let yields = self.yields.pop().unwrap_or_default();
        match yields.len() {
            0 => OPAQUE,
            1 => yields[0],
            _ => self.out.expression(Expression::Either(yields.into())),
        }
    }

    fn case(&mut self, group: Node<'_>, condition: ExpressionId, switch: ScopeId) {
        let is_rule = group.kind() == "switch_rule";
        let scope = if is_rule { self.out.scope(switch, None) } else { switch };
        let mut cursor = group.walk();
        for child in group.named_children(&mut cursor) {
            match child.kind() {
                "switch_label" => self.label(child, condition, scope),
                "expression_statement" if is_rule => {
                    let value = first_child(child).map_or(OPAQUE, |value| self.visit(value, scope));
                    if let Some(yields) = self.yields.last_mut() {
                        yields.push(value);
                    }
                }
                _ => {
                    self.visit(child, scope);
                }
            }
        }
    }

    fn label(&mut self, label: Node<'_>, condition: ExpressionId, scope: ScopeId) {
        let mut cursor = label.walk();
        for part in label.named_children(&mut cursor) {
            match part.kind() {
                "pattern" => {
                    if let Some(pattern) = first_child(part) {
                        self.pattern(pattern, condition, scope);
                    }
                }
                "guard" => self.visit_children(part, scope),
                _ => {}
            }
        }
    }

    /// Binds what a pattern takes out of a value.
    pub(super) fn pattern(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId) {
        match pattern.kind() {
            "type_pattern" | "record_pattern_component" => {
                let mut cursor = pattern.walk();
                let name = pattern.named_children(&mut cursor).filter(|child| child.kind() == "identifier").last();
                let written = type_in(pattern).filter(|written| is_type(written.kind()));
                if let (Some(name), Some(written)) = (name, written) {
                    let name = self.out.name_of(name);
                    let declared = self.written_unless_var(written, scope);
                    self.out.bind(scope, name, declared, Some(of));
                }
            }
            "record_pattern" => self.record_pattern(pattern, of, scope),
            _ => {}
        }
    }

    fn record_pattern(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId) {
        let Some(record) = first_child(pattern) else { return };
        let written = self.written(record, scope);
        let variant = self.out.expression(Expression::Type(written));
        let mut cursor = pattern.walk();
        let Some(body) = pattern.named_children(&mut cursor).find(|child| child.kind() == "record_pattern_body") else {
            return;
        };
        let mut cursor = body.walk();
        for (index, part) in body.named_children(&mut cursor).filter(|part| !is_comment(part.kind())).enumerate() {
            let part_value = self.out.expression(Expression::Matched { of, variant, index: index as u32 });
            if self.depth < super::MAX_DEPTH {
                self.depth += 1;
                self.pattern(part, part_value, scope);
                self.depth -= 1;
            }
        }
    }
}
