//! Statements: their bindings and control flow.

use model::code::{Expression, ExpressionId, Literal};

use super::{OPAQUE, PythonLowering, StatementContext, control_flow::Flow, fields::FIELDS, last_name};
use crate::node::SyntaxNode;

/// Maximum number of `elif` branches that are narrowed by the tests before them.
const MAX_ALTERNATIVES: usize = 40;

/// Functions that never return.
const NEVER_RETURNING: [&str; 7] =
    ["sys.exit", "os._exit", "os.abort", "pytest.fail", "pytest.skip", "pytest.exit", "ctx.exit"];

impl PythonLowering<'_, '_> {
    /// Lowers the statements of a block.
    pub(super) fn lower_block(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let mut flow = Flow::Continues;
        let mut cursor = node.walk();
        for statement in node.named_children(&mut cursor) {
            if self.lower_statement(statement, context) == Flow::Exits {
                flow = Flow::Exits;
            }
        }
        flow
    }

    /// Lowers a statement.
    pub(super) fn lower_statement(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        if !self.out.descend() {
            return Flow::Continues;
        }
        let flow = self.lower_statement_node(node, context);
        self.out.ascend();
        flow
    }

    fn lower_statement_node(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        match node.kind() {
            "expression_statement" => return self.lower_expression_statement(node, context),
            "return_statement" => {
                let value = node.named_child(0).map(|value| self.lower_expression(value, context));
                if let (Some(value), Some(function)) = (value, self.functions.last_mut()) {
                    function.results.push(value);
                }
                return Flow::Exits;
            }
            "raise_statement" => {
                self.lower_children(node, context);
                return Flow::Exits;
            }
            "continue_statement" => return Flow::Exits,
            "break_statement" => {
                self.record_break(context.scope);
                return Flow::Exits;
            }
            "if_statement" => return self.lower_if(node, context),
            "for_statement" | "while_statement" => return self.lower_loop(node, context),
            "try_statement" => return self.lower_try(node, context),
            "with_statement" => return self.lower_with(node, context),
            "match_statement" => return self.lower_match(node, context),
            "function_definition" => self.lower_function(node, context, &[]),
            "class_definition" => self.lower_class(node, context),
            "decorated_definition" => self.lower_decorated(node, context),
            "assert_statement" => {
                if let Some(condition) = node.named_child(0) {
                    self.lower_expression(condition, context);
                    self.narrow_by_test(condition, true, context.scope);
                }
                let mut cursor = node.walk();
                for message in node.named_children(&mut cursor).skip(1) {
                    self.lower_expression(message, context);
                }
            }
            "import_statement" | "import_from_statement" if context.is_function => self.lower_import(node, context),
            "import_statement" | "import_from_statement" | "future_import_statement" => {}
            "global_statement" => {
                let mut cursor = node.walk();
                for name in node.named_children(&mut cursor) {
                    let name = self.out.intern_node(name);
                    self.functions.last_mut().map(|function| function.globals.insert(name));
                }
            }
            "nonlocal_statement" | "pass_statement" | "comment" => {}
            "type_alias_statement" => self.lower_type_alias(node, context),
            "block" | "ERROR" => return self.lower_block(node, context),
            _ => {
                self.lower_expression(node, context);
            }
        }
        Flow::Continues
    }

    fn lower_expression_statement(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let mut cursor = node.walk();
        let mut flow = Flow::Continues;
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "assignment" => {
                    self.lower_assignment(child, context);
                }
                "augmented_assignment" => self.lower_children(child, context),
                "call" => {
                    self.lower_expression(child, context);
                    let callee = child.child_by_field_id(FIELDS.function);
                    if callee.is_some_and(|callee| NEVER_RETURNING.contains(&self.out.text(callee))) {
                        flow = Flow::Exits;
                    }
                }
                // A string statement is a docstring.
                "comment" | "string" => {}
                _ => {
                    self.lower_expression(child, context);
                }
            }
        }
        flow
    }

    fn lower_if(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let mark = self.mark();
        let mut branches = Vec::new();
        let mut ruled_out = Vec::new();
        let (mut outer, mut has_else) = (context, false);
        let mut cursor = node.walk();
        let alternatives: Vec<SyntaxNode> = node.children_by_field_name("alternative", &mut cursor).collect();
        for (index, branch) in std::iter::once(node).chain(alternatives).enumerate() {
            if branch.kind() == "else_clause" {
                has_else = true;
                if let Some(body) = branch.child_by_field_id(FIELDS.body) {
                    branches.push((outer.scope, self.lower_block(body, outer)));
                }
                continue;
            }
            let condition = branch.child_by_field_id(FIELDS.condition);
            if let Some(condition) = condition {
                self.lower_expression(condition, outer);
            }
            let inner = self.open_branch(outer);
            if let Some(condition) = condition {
                self.narrow_by_test(condition, true, inner.scope);
            }
            if let Some(body) = branch.child_by_field_id(FIELDS.consequence) {
                branches.push((inner.scope, self.lower_block(body, inner)));
            }
            if index < MAX_ALTERNATIVES {
                outer = self.open_branch(outer);
                ruled_out.push(outer.scope);
            }
            if let Some(condition) = condition {
                self.narrow_by_test(condition, false, outer.scope);
            }
        }
        if !has_else {
            branches.push((outer.scope, Flow::Continues));
        }
        self.merge_branches(context.scope, &branches, &ruled_out, mark)
    }

    fn lower_loop(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let condition = node.child_by_field_id(FIELDS.condition);
        let iterated = node.child_by_field_id(FIELDS.right).map(|right| self.lower_expression(right, context));
        if let Some(condition) = condition {
            self.lower_expression(condition, context);
        }
        self.begin_loop();
        let inner = self.open_branch(context);
        if let (Some(iterated), Some(left)) = (iterated, node.child_by_field_id(FIELDS.left)) {
            let item = self.out.add_expression(Expression::Item { of: iterated });
            self.bind_target(left, item, inner);
        }
        if let Some(condition) = condition {
            self.narrow_by_test(condition, true, inner.scope);
        }
        let flow = node.child_by_field_id(FIELDS.body).map_or(Flow::Continues, |body| self.lower_block(body, inner));
        let is_endless = condition.is_some_and(|condition| matches!(self.out.text(condition), "True" | "1"));
        let after = self.end_loop(context.scope, (inner.scope, flow), is_endless);
        let alternative =
            node.child_by_field_id(FIELDS.alternative).and_then(|other| other.child_by_field_id(FIELDS.body));
        if let Some(alternative) = alternative {
            self.lower_block(alternative, context);
        }
        after
    }

    fn lower_try(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let mut flow =
            node.child_by_field_id(FIELDS.body).map_or(Flow::Continues, |body| self.lower_block(body, context));
        let mark = self.mark();
        let mut branches = Vec::new();
        let mut last = None;
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor) {
            match clause.kind() {
                "except_clause" | "except_group_clause" => {
                    let inner = self.open_branch(context);
                    branches.push((inner.scope, self.lower_except(clause, inner)));
                }
                "else_clause" => {
                    if let Some(body) = clause.child_by_field_id(FIELDS.body)
                        && self.lower_block(body, context) == Flow::Exits
                    {
                        flow = Flow::Exits;
                    }
                }
                "finally_clause" => last = Some(clause),
                _ => {}
            }
        }
        branches.insert(0, (context.scope, flow));
        let mut after = self.merge_branches(context.scope, &branches, &[], mark);
        if let Some(last) = last
            && self.lower_block(last, context) == Flow::Exits
        {
            after = Flow::Exits;
        }
        after
    }

    /// `except A as e`, `except (A, B) as e`: a value of one of these types.
    fn lower_except(&mut self, clause: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let mut flow = Flow::Continues;
        let mut cursor = clause.walk();
        for child in clause.named_children(&mut cursor) {
            match child.kind() {
                "block" => {
                    let is_fallback = context.class.is_none() && !context.is_function;
                    flow = self.lower_block(child, StatementContext { is_fallback, ..context });
                }
                "as_pattern" => {
                    let caught = child.named_child(0);
                    if let Some(caught) = caught {
                        self.lower_expression(caught, context);
                    }
                    if let Some(name) = child.child_by_field_id(FIELDS.alias).and_then(|alias| alias.named_child(0)) {
                        let declared = caught.map(|caught| self.lower_tested_type(caught, context.scope));
                        let name = self.out.intern_node(name);
                        self.assign(context.scope, name, declared, None);
                    }
                }
                _ => {
                    self.lower_expression(child, context);
                }
            }
        }
        flow
    }

    fn lower_with(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let is_async = node.child(0).is_some_and(|first| first.kind() == "async");
        let clause = node.named_child_of_kind("with_clause");
        if let Some(clause) = clause {
            let mut cursor = clause.walk();
            for item in clause.named_children(&mut cursor) {
                let Some(value) = item.child_by_field_id(FIELDS.value) else { continue };
                self.lower_with_items(value, is_async, context);
            }
        }
        node.child_by_field_id(FIELDS.body).map_or(Flow::Continues, |body| self.lower_block(body, context))
    }

    fn lower_with_items(&mut self, node: SyntaxNode<'_>, is_async: bool, context: StatementContext) {
        if matches!(node.kind(), "tuple" | "parenthesized_expression") {
            let mut cursor = node.walk();
            for item in node.named_children(&mut cursor) {
                self.lower_with_item(item, is_async, context);
            }
            return;
        }
        self.lower_with_item(node, is_async, context);
    }

    fn lower_with_item(&mut self, node: SyntaxNode<'_>, is_async: bool, context: StatementContext) {
        if node.kind() != "as_pattern" {
            self.lower_expression(node, context);
            return;
        }
        let manager = node.named_child(0).map_or(OPAQUE, |value| self.lower_expression(value, context));
        let entered = self.add_enter_call(manager, is_async);
        if let Some(target) = node.child_by_field_id(FIELDS.alias).and_then(|alias| alias.named_child(0)) {
            self.bind_target(target, entered, context);
        }
    }

    /// Returns the value that a context manager gives to its `with` block.
    fn add_enter_call(&mut self, manager: ExpressionId, is_async: bool) -> ExpressionId {
        if manager == OPAQUE {
            return OPAQUE;
        }
        let name = self.out.intern(if is_async { "__aenter__" } else { "__enter__" });
        let callee = self.out.add_expression(Expression::Member { of: manager, name });
        let call = Expression::Call { callee, type_arguments: Box::new([]), arguments: Box::new([]) };
        let entered = self.out.add_expression(call);
        if is_async { self.out.add_expression(Expression::Awaited { of: entered }) } else { entered }
    }

    /// Adds a literal.
    pub(super) fn add_literal(&mut self, literal: Literal) -> ExpressionId {
        self.out.add_expression(Expression::Literal(literal))
    }

    /// Returns the last name of a chain as text.
    pub(super) fn last_name_text(&self, node: SyntaxNode<'_>) -> &str {
        last_name(node).map_or("", |name| self.out.text(name))
    }
}
