//! Statements: scopes and their bindings.

use model::code::{Expression, ExpressionId, ScopeId};

use super::types::{first_type, is_type};
use super::{JavaLowering, OPAQUE, first_child, is_comment};
use crate::node::SyntaxNode;

impl JavaLowering<'_, '_> {
    /// Lowers a statement. Returns false if the node is none.
    pub(super) fn lower_statement(&mut self, kind: &str, node: SyntaxNode<'_>, scope: ScopeId) -> bool {
        match kind {
            "block" | "constructor_body" | "for_statement" | "finally_clause" => {
                let inner = self.out.open_scope(scope, None);
                self.visit_children(node, inner);
            }
            "local_variable_declaration" => self.lower_locals(node, scope),
            "enhanced_for_statement" => self.lower_for_each(node, scope),
            "try_with_resources_statement" => {
                let inner = self.out.open_scope(scope, None);
                self.visit_children(node, inner);
            }
            "resource" => self.lower_resource(node, scope),
            "catch_clause" => self.lower_catch(node, scope),
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

    fn lower_locals(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let declared = node.child_by_field_name("type").and_then(|written| self.lower_variable_type(written, scope));
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
            let value = declarator.child_by_field_name("value").map(|value| self.visit(value, scope));
            if let Some(name) = declarator.child_by_field_name("name") {
                let name = self.out.intern_node(name);
                let declared = declared.map(|declared| self.add_dimensions(declared, declarator));
                self.out.bind(scope, name, declared, value);
            }
        }
    }

    fn lower_for_each(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let of = self.visit_field(node, "value", scope);
        let inner = self.out.open_scope(scope, None);
        let declared = node.child_by_field_name("type").and_then(|written| self.lower_variable_type(written, scope));
        if let Some(name) = node.child_by_field_name("name") {
            let name = self.out.intern_node(name);
            let declared = declared.map(|declared| self.add_dimensions(declared, node));
            let item = declared.is_none().then(|| self.out.add_expression(Expression::Item { of }));
            self.out.bind(inner, name, declared, item);
        }
        self.visit_field(node, "body", inner);
    }

    fn lower_resource(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else {
            self.visit_children(node, scope);
            return;
        };
        let value = self.visit_field(node, "value", scope);
        let declared = node.child_by_field_name("type").and_then(|written| self.lower_variable_type(written, scope));
        let name = self.out.intern_node(name);
        self.out.bind(scope, name, declared, Some(value));
    }

    fn lower_catch(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let inner = self.out.open_scope(scope, None);
        let mut cursor = node.walk();
        for parameter in node.named_children(&mut cursor).filter(|child| child.kind() == "catch_formal_parameter") {
            let types = parameter.named_child_of_kind("catch_type");
            let declared = types.map(|types| self.lower_type(types, scope));
            if let Some(name) = parameter.child_by_field_name("name") {
                let name = self.out.intern_node(name);
                self.out.bind(inner, name, declared, None);
            }
        }
        self.visit_field(node, "body", inner);
    }

    /// Lowers a `switch`, and returns its value.
    pub(super) fn lower_switch(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let condition = self.visit_field(node, "condition", scope);
        let Some(body) = node.child_by_field_name("body") else { return OPAQUE };
        self.yields.push(Vec::new());
        let inner = self.out.open_scope(scope, None);
        let mut cursor = body.walk();
        for group in body.named_children(&mut cursor) {
            self.lower_case(group, condition, inner);
        }
        let yields = self.yields.pop().unwrap_or_default();
        match yields.len() {
            0 => OPAQUE,
            1 => yields[0],
            _ => self.out.add_expression(Expression::Either(yields.into())),
        }
    }

    fn lower_case(&mut self, group: SyntaxNode<'_>, condition: ExpressionId, switch: ScopeId) {
        let is_rule = group.kind() == "switch_rule";
        let scope = if is_rule { self.out.open_scope(switch, None) } else { switch };
        let mut cursor = group.walk();
        for child in group.named_children(&mut cursor) {
            match child.kind() {
                "switch_label" => self.lower_label(child, condition, scope),
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

    fn lower_label(&mut self, label: SyntaxNode<'_>, condition: ExpressionId, scope: ScopeId) {
        let mut cursor = label.walk();
        for part in label.named_children(&mut cursor) {
            match part.kind() {
                "pattern" => {
                    if let Some(pattern) = first_child(part) {
                        self.bind_pattern(pattern, condition, scope);
                    }
                }
                "guard" => self.visit_children(part, scope),
                "identifier" => {
                    // An enum member of the type of the condition, or a constant.
                    self.out.member_at(condition, part, scope);
                    self.out.name_at(part, scope);
                }
                "field_access" => {
                    self.visit(part, scope);
                }
                _ => {}
            }
        }
    }

    /// Binds the variables of a pattern to the parts of a value.
    pub(super) fn bind_pattern(&mut self, pattern: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
        match pattern.kind() {
            "type_pattern" | "record_pattern_component" => {
                let mut cursor = pattern.walk();
                let name = pattern.named_children(&mut cursor).filter(|child| child.kind() == "identifier").last();
                let written = first_type(pattern).filter(|written| is_type(written.kind()));
                if let (Some(name), Some(written)) = (name, written) {
                    let name = self.out.intern_node(name);
                    let declared = self.lower_variable_type(written, scope);
                    self.out.bind(scope, name, declared, Some(of));
                }
            }
            "record_pattern" => self.bind_record_pattern(pattern, of, scope),
            _ => {}
        }
    }

    fn bind_record_pattern(&mut self, pattern: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
        let Some(record) = first_child(pattern) else { return };
        let written = self.lower_type(record, scope);
        let variant = self.out.add_expression(Expression::Type(written));
        let Some(body) = pattern.named_child_of_kind("record_pattern_body") else {
            return;
        };
        let mut cursor = body.walk();
        for (index, part) in body.named_children(&mut cursor).filter(|part| !is_comment(part.kind())).enumerate() {
            let part_value = self.out.add_expression(Expression::Matched { of, variant, index: index as u32 });
            if self.out.descend() {
                self.bind_pattern(part, part_value, scope);
                self.out.ascend();
            }
        }
    }
}
