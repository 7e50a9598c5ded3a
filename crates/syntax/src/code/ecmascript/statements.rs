//! Statements: declarations, blocks and branches.

use model::code::{Expression, ExpressionId, ScopeId, TypeId};

use super::super::builder::FILE_SCOPE;
use super::{EcmascriptLowering, LexicalContext, OPAQUE, has_token};
use crate::node::SyntaxNode;

impl EcmascriptLowering<'_, '_> {
    /// Lowers all children of a node as statements.
    pub(super) fn lower_statements(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "comment" {
                self.keep_comment(child, context);
                continue;
            }
            self.lower_statement(child, context);
            self.comment = None;
        }
    }

    /// Lowers a statement, or an expression in statement position.
    pub(super) fn lower_statement(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        self.deeper(|lowering| lowering.lower_statement_node(node, context));
    }

    fn lower_statement_node(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        match node.kind() {
            "comment" | "import_statement" | "empty_statement" | "break_statement" | "continue_statement" => {}
            "expression_statement" | "throw_statement" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.lower_expression(child, context);
                }
            }
            "lexical_declaration" => self.lower_variable_declaration(node, context.block, context),
            "variable_declaration" => self.lower_variable_declaration(node, context.function, context),
            "function_declaration" | "generator_function_declaration" | "function_signature" => {
                let Some(name) = node.child_by_field_name("name") else { return };
                let definition = self.out.definition_at(name);
                if definition.is_none() && node.kind() == "function_signature" {
                    self.lower_overload(node, context);
                    return;
                }
                let function = self.lower_function(node, definition, None, context);
                self.bind_definition(name, function, context.block);
            }
            "class_declaration" | "abstract_class_declaration" => {
                let name = node.child_by_field_name("name");
                let definition = name.and_then(|name| self.out.definition_at(name));
                let class = self.lower_class(node, definition, context);
                if let Some(name) = name {
                    self.bind_definition(name, class, context.block);
                }
            }
            "interface_declaration" => self.lower_interface(node, context),
            "type_alias_declaration" => self.lower_alias(node, context),
            "enum_declaration" => self.lower_enum(node, context),
            "internal_module" | "module" => self.lower_namespace(node, context),
            "export_statement" => self.lower_export(node, context),
            "ambient_declaration" if has_token(node, "global") => self.lower_global_declarations(node, context),
            "ambient_declaration" | "else_clause" | "labeled_statement" => self.lower_statements(node, context),
            "statement_block" => {
                let inner = self.open_block(context);
                self.lower_statements(node, inner);
            }
            "if_statement" => self.lower_if(node, context),
            "for_statement" => {
                let inner = self.open_block(context);
                self.lower_statements(node, inner);
            }
            "for_in_statement" => self.lower_for_in(node, context),
            "while_statement" => {
                let inner = self.open_block(context);
                if let Some(condition) = node.child_by_field_name("condition") {
                    let (_, narrowings) = self.lower_condition(condition, inner);
                    self.bind_narrowings(narrowings.when_true, inner.block);
                }
                if let Some(body) = node.child_by_field_name("body") {
                    self.lower_statement(body, inner);
                }
            }
            "switch_statement" => self.lower_switch(node, context),
            "catch_clause" => {
                let inner = self.open_block(context);
                if let Some(parameter) = node.child_by_field_name("parameter") {
                    self.destructure(parameter, OPAQUE, inner.block, inner);
                }
                if let Some(body) = node.child_by_field_name("body") {
                    self.lower_statements(body, inner);
                }
            }
            "return_statement" => {
                if let Some(value) = node.named_child(0).filter(|value| value.kind() != "comment") {
                    let value = self.lower_value(value, None, self.returned, context);
                    self.results.push(value);
                }
            }
            "try_statement" | "do_statement" | "finally_clause" | "with_statement" | "parenthesized_statement" => {
                self.lower_statements(node, context);
            }
            _ => {
                self.lower_expression(node, context);
            }
        }
    }

    /// Binds the name of a nested function or class in its block. At file level the definition itself is visible.
    pub(super) fn bind_definition(&mut self, name: SyntaxNode<'_>, value: ExpressionId, block: ScopeId) {
        let is_definition = matches!(self.out.code.expression(value), Expression::Definition(_));
        if block != FILE_SCOPE && is_definition {
            let name = self.out.intern_node(name);
            self.out.bind(block, name, None, Some(value));
        }
    }

    /// `const a: A = 1, { b } = c`.
    fn lower_variable_declaration(&mut self, node: SyntaxNode<'_>, scope: ScopeId, context: LexicalContext) {
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor) {
            if declarator.kind() == "variable_declarator" {
                self.lower_variable(declarator, scope, context);
            }
        }
    }

    fn lower_variable(&mut self, node: SyntaxNode<'_>, scope: ScopeId, context: LexicalContext) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let value = node.child_by_field_name("value");
        let declared = self.declared_type(node, value, context);
        if name.kind() != "identifier" {
            let value = value.map_or(OPAQUE, |value| self.lower_expression(value, context));
            let of = match declared {
                Some(to) => self.out.add_expression(Expression::Cast { of: value, to }),
                None => value,
            };
            self.destructure(name, of, scope, context);
            return;
        }
        let definition = self.out.definition_at(name);
        let value = value.map(|value| self.lower_value(value, definition, declared, context));
        let name = self.out.intern_node(name);
        let is_own = definition.is_some_and(|definition| {
            value.is_some_and(|value| *self.out.code.expression(value) == Expression::Definition(definition))
        });
        if let Some(definition) = definition.filter(|_| !is_own) {
            let shape = self.out.shape_mut(definition);
            shape.declared = declared;
            shape.values = value.into_iter().collect();
        }
        if declared.is_none() && value.is_none() {
            self.untyped.entry(name).or_default().push((scope, definition));
        }
        match definition {
            Some(_) if scope == FILE_SCOPE => {}
            _ if is_own => self.out.bind(scope, name, None, value),
            _ => self.out.bind(scope, name, declared, value),
        }
    }

    /// Returns the declared type of a variable or field, from the code or from the comment before it. A comment on a
    /// function value is kept, since it declares the parameters.
    pub(super) fn declared_type(
        &mut self,
        node: SyntaxNode<'_>,
        value: Option<SyntaxNode<'_>>,
        context: LexicalContext,
    ) -> Option<TypeId> {
        let annotation = node.child_by_field_name("type");
        let declared = annotation.and_then(|annotation| self.lower_annotation(annotation, context));
        let comment = self.comment.clone();
        let jsdoc_type = self.take_jsdoc(context).own;
        let is_function = value.is_some_and(|value| value.kind().contains("function"));
        if is_function && jsdoc_type.is_none() {
            self.comment = comment;
        }
        declared.or(jsdoc_type)
    }

    fn lower_if(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let Some(condition) = node.child_by_field_name("condition") else {
            return self.lower_statements(node, context);
        };
        let (_, narrowings) = self.lower_condition(condition, context);
        let consequence = node.child_by_field_name("consequence");
        if let Some(consequence) = consequence {
            let inner = self.open_block(context);
            self.bind_narrowings(narrowings.when_true, inner.block);
            self.lower_statement(consequence, inner);
        }
        match node.child_by_field_name("alternative") {
            Some(alternative) => {
                let inner = self.open_block(context);
                self.bind_narrowings(narrowings.when_false, inner.block);
                self.lower_statement(alternative, inner);
            }
            None if consequence.is_some_and(always_exits) => self.bind_narrowings(narrowings.when_false, context.block),
            None => {}
        }
    }

    /// `for (const a of b)`, `for (a in b)`.
    fn lower_for_in(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let inner = self.open_block(context);
        let Some(right) = node.child_by_field_name("right") else { return self.lower_statements(node, inner) };
        let of = self.lower_expression(right, inner);
        let is_of = node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "of");
        let item = if is_of {
            let item = self.out.add_expression(Expression::Item { of });
            let awaits = has_await(node);
            if awaits { self.out.add_expression(Expression::Awaited { of: item }) } else { item }
        } else {
            self.add_unknown_text()
        };
        if let Some(left) = node.child_by_field_name("left") {
            match node.child_by_field_name("kind").map(|kind| kind.kind()) {
                Some("var") => self.destructure(left, item, context.function, inner),
                Some(_) => self.destructure(left, item, inner.block, inner),
                None => self.lower_assignment_target(left, item, inner),
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.lower_statement(body, inner);
        }
    }

    fn lower_switch(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let subject = node.child_by_field_name("value");
        let subject_comparison = subject.map(|subject| self.lower_comparison_subject(subject, context));
        let Some(body) = node.child_by_field_name("body") else { return };
        let inner = self.open_block(context);
        let mut cursor = body.walk();
        for case in body.named_children(&mut cursor) {
            let case_context = self.open_block(inner);
            let value = case.child_by_field_name("value");
            if let Some(value) = value {
                let case_value = self.lower_expression(value, inner);
                if let Some(subject_comparison) = &subject_comparison {
                    let narrowings = self.narrow_by_equality(subject_comparison, case_value, "===", context);
                    self.bind_narrowings(narrowings, case_context.block);
                }
            }
            // Declarations in a case are visible in later cases, but that is rare; a scope per case allows narrowing.
            let mut statements = case.walk();
            for statement in case.children_by_field_name("body", &mut statements) {
                self.lower_statement(statement, case_context);
            }
        }
    }
}

/// Returns true if a statement never continues with the next one.
fn always_exits(statement: SyntaxNode<'_>) -> bool {
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
fn has_await(node: SyntaxNode<'_>) -> bool {
    node.child(1).is_some_and(|second| second.kind() == "await")
}
