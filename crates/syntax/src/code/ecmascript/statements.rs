//! Statements: declarations, blocks and branches.

use model::code::{Expression, ExpressionId, ScopeId, TypeId};

use super::super::lowering::FILE_SCOPE;
use super::{Ecmascript, Place, has_token};
use crate::node::Node;

impl Ecmascript<'_, '_> {
    /// Lowers everything in a node as statements.
    pub(super) fn statements(&mut self, node: Node<'_>, at: Place) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "comment" {
                self.read_comment(child, at);
                continue;
            }
            self.statement(child, at);
            self.comment = None;
        }
    }

    /// Lowers a statement; what is none is an expression.
    pub(super) fn statement(&mut self, node: Node<'_>, at: Place) {
        self.deeper(|code| code.statement_here(node, at));
    }

    fn statement_here(&mut self, node: Node<'_>, at: Place) {
        match node.kind() {
            "comment" | "import_statement" | "empty_statement" | "break_statement" | "continue_statement" => {}
            "expression_statement" | "throw_statement" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.expression(child, at);
                }
            }
            "lexical_declaration" => self.declaration(node, at.block, at),
            "variable_declaration" => self.declaration(node, at.function, at),
            "function_declaration" | "generator_function_declaration" | "function_signature" => {
                let Some(name) = node.child_by_field_name("name") else { return };
                let definition = self.lowering.definition_named(name);
                let function = self.function(node, definition, None, at);
                self.bind_definition(name, function, at.block);
            }
            "class_declaration" | "abstract_class_declaration" => {
                let name = node.child_by_field_name("name");
                let definition = name.and_then(|name| self.lowering.definition_named(name));
                let class = self.class(node, definition, at);
                if let Some(name) = name {
                    self.bind_definition(name, class, at.block);
                }
            }
            "interface_declaration" => self.interface(node, at),
            "type_alias_declaration" => self.alias(node, at),
            "enum_declaration" => self.enumeration(node, at),
            "internal_module" | "module" => self.namespace(node, at),
            "export_statement" => self.export(node, at),
            "ambient_declaration" if has_token(node, "global") => self.global_declarations(node, at),
            "ambient_declaration" | "else_clause" | "labeled_statement" => self.statements(node, at),
            "statement_block" => {
                let inner = self.block_in(at);
                self.statements(node, inner);
            }
            "if_statement" => self.branch(node, at),
            "for_statement" => {
                let inner = self.block_in(at);
                self.statements(node, inner);
            }
            "for_in_statement" => self.iteration(node, at),
            "while_statement" => {
                let inner = self.block_in(at);
                if let Some(condition) = node.child_by_field_name("condition") {
                    let (_, known) = self.condition(condition, inner);
                    self.know(known.when_true, inner.block);
                }
                if let Some(body) = node.child_by_field_name("body") {
                    self.statement(body, inner);
                }
            }
            "switch_statement" => self.switch(node, at),
            "catch_clause" => {
                let inner = self.block_in(at);
                if let Some(parameter) = node.child_by_field_name("parameter") {
                    self.destructure(parameter, ExpressionId(0), inner.block, inner);
                }
                if let Some(body) = node.child_by_field_name("body") {
                    self.statements(body, inner);
                }
            }
            "return_statement" => {
                if let Some(value) = node.named_child(0).filter(|value| value.kind() != "comment") {
                    let value = self.value(value, None, self.returned, at);
                    self.results.push(value);
                }
            }
            "try_statement" | "do_statement" | "finally_clause" | "with_statement" | "parenthesized_statement" => {
                self.statements(node, at);
            }
            _ => {
                self.expression(node, at);
            }
        }
    }

    /// Makes the name of a nested function or class known in its block; at the level of the file it is a definition.
    pub(super) fn bind_definition(&mut self, name: Node<'_>, value: ExpressionId, block: ScopeId) {
        let is_definition = matches!(self.lowering.code.expression(value), Expression::Definition(_));
        if block != FILE_SCOPE && is_definition {
            let name = self.lowering.name_of(name);
            self.lowering.bind(block, name, None, Some(value));
        }
    }

    /// `const a: A = 1, { b } = c`.
    fn declaration(&mut self, node: Node<'_>, scope: ScopeId, at: Place) {
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor) {
            if declarator.kind() == "variable_declarator" {
                self.variable(declarator, scope, at);
            }
        }
    }

    fn variable(&mut self, node: Node<'_>, scope: ScopeId, at: Place) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let value = node.child_by_field_name("value");
        let declared = self.declared_type(node, value, at);
        if name.kind() != "identifier" {
            let value = value.map_or(ExpressionId(0), |value| self.expression(value, at));
            let of = match declared {
                Some(to) => self.lowering.expression(Expression::Cast { of: value, to }),
                None => value,
            };
            self.destructure(name, of, scope, at);
            return;
        }
        let definition = self.lowering.definition_named(name);
        let value = value.map(|value| self.value(value, definition, declared, at));
        let name = self.lowering.name_of(name);
        let is_own = definition.is_some_and(|definition| {
            value.is_some_and(|value| *self.lowering.code.expression(value) == Expression::Definition(definition))
        });
        if let Some(definition) = definition.filter(|_| !is_own) {
            let shape = self.lowering.shape(definition);
            shape.declared = declared;
            shape.values = value.into_iter().collect();
        }
        if declared.is_none() && value.is_none() {
            self.untyped.entry(name).or_default().push((scope, definition));
        }
        match definition {
            Some(_) if scope == FILE_SCOPE => {}
            _ if is_own => self.lowering.bind(scope, name, None, value),
            _ => self.lowering.bind(scope, name, declared, value),
        }
    }

    /// Returns the type that a variable or field declares, in the code or in the comment before it, which tells of a
    /// function what its parameters are.
    pub(super) fn declared_type(&mut self, node: Node<'_>, value: Option<Node<'_>>, at: Place) -> Option<TypeId> {
        let annotation = node.child_by_field_name("type");
        let declared = annotation.and_then(|annotation| self.annotation(annotation, at));
        let comment = self.comment.clone();
        let told = self.told(at).own;
        let is_function = value.is_some_and(|value| value.kind().contains("function"));
        if is_function && told.is_none() {
            self.comment = comment;
        }
        declared.or(told)
    }

    fn branch(&mut self, node: Node<'_>, at: Place) {
        let Some(condition) = node.child_by_field_name("condition") else { return self.statements(node, at) };
        let (_, known) = self.condition(condition, at);
        let consequence = node.child_by_field_name("consequence");
        if let Some(consequence) = consequence {
            let inner = self.block_in(at);
            self.know(known.when_true, inner.block);
            self.statement(consequence, inner);
        }
        match node.child_by_field_name("alternative") {
            Some(alternative) => {
                let inner = self.block_in(at);
                self.know(known.when_false, inner.block);
                self.statement(alternative, inner);
            }
            None if consequence.is_some_and(leaves) => self.know(known.when_false, at.block),
            None => {}
        }
    }

    /// `for (const a of b)`, `for (a in b)`.
    fn iteration(&mut self, node: Node<'_>, at: Place) {
        let inner = self.block_in(at);
        let Some(right) = node.child_by_field_name("right") else { return self.statements(node, inner) };
        let of = self.expression(right, inner);
        let is_of = node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "of");
        let item = if is_of {
            let item = self.lowering.expression(Expression::Item { of });
            let awaits = has_await(node);
            if awaits { self.lowering.expression(Expression::Awaited { of: item }) } else { item }
        } else {
            self.text()
        };
        if let Some(left) = node.child_by_field_name("left") {
            match node.child_by_field_name("kind").map(|kind| kind.kind()) {
                Some("var") => self.destructure(left, item, at.function, inner),
                Some(_) => self.destructure(left, item, inner.block, inner),
                None => self.assign_to(left, item, inner),
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.statement(body, inner);
        }
    }

    fn switch(&mut self, node: Node<'_>, at: Place) {
        let subject = node.child_by_field_name("value");
        let tested = subject.map(|subject| self.tested(subject, at));
        let Some(body) = node.child_by_field_name("body") else { return };
        let inner = self.block_in(at);
        let mut cursor = body.walk();
        for case in body.named_children(&mut cursor) {
            let case_place = self.block_in(inner);
            let value = case.child_by_field_name("value");
            if let Some(value) = value {
                let wanted = self.expression(value, inner);
                if let Some(tested) = &tested {
                    let known = self.equal(tested, wanted, "===", at);
                    self.know(known, case_place.block);
                }
            }
            // What a case declares is seen by the cases after it, and few do; narrowing is worth more.
            let mut statements = case.walk();
            for statement in case.children_by_field_name("body", &mut statements) {
                self.statement(statement, case_place);
            }
        }
    }
}

/// Says whether what comes after a statement is not reached through it.
fn leaves(statement: Node<'_>) -> bool {
    match statement.kind() {
        "return_statement" | "throw_statement" | "continue_statement" | "break_statement" => true,
        "statement_block" => {
            let n_children = statement.named_child_count() as u32;
            n_children > 0
                && statement.named_child(n_children - 1).is_some_and(|last| {
                    matches!(
                        last.kind(),
                        "return_statement" | "throw_statement" | "continue_statement" | "break_statement"
                    )
                })
        }
        _ => false,
    }
}

/// `for await (…)`.
fn has_await(node: Node<'_>) -> bool {
    node.child(1).is_some_and(|second| second.kind() == "await")
}
