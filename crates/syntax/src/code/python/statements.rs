//! Statements: what they bind, and where they lead.

use model::code::{Expression, ExpressionId, Literal};

use super::{OPAQUE, Place, Walk, fields::FIELDS, flow::Flow, last_name};
use crate::node::Node;

/// The most `elif` that see what the tests before them rule out.
const MAX_ALTERNATIVES: usize = 40;

/// Functions that never return.
const ENDS: [&str; 7] = ["sys.exit", "os._exit", "os.abort", "pytest.fail", "pytest.skip", "pytest.exit", "ctx.exit"];

impl Walk<'_, '_> {
    /// Writes the statements of a block.
    pub(super) fn block(&mut self, node: Node<'_>, place: Place) -> Flow {
        let mut flow = Flow::On;
        let mut cursor = node.walk();
        for statement in node.named_children(&mut cursor) {
            if self.statement(statement, place) == Flow::Away {
                flow = Flow::Away;
            }
        }
        flow
    }

    /// Writes a statement.
    pub(super) fn statement(&mut self, node: Node<'_>, place: Place) -> Flow {
        if !self.out.descend() {
            return Flow::On;
        }
        let flow = self.one_statement(node, place);
        self.out.ascend();
        flow
    }

    fn one_statement(&mut self, node: Node<'_>, place: Place) -> Flow {
        match node.kind() {
            "expression_statement" => return self.expression_statement(node, place),
            "return_statement" => {
                let value = node.named_child(0).map(|value| self.expression(value, place));
                if let (Some(value), Some(function)) = (value, self.functions.last_mut()) {
                    function.results.push(value);
                }
                return Flow::Away;
            }
            "raise_statement" => {
                self.all(node, place);
                return Flow::Away;
            }
            "continue_statement" => return Flow::Away,
            "break_statement" => {
                self.jump(place.scope);
                return Flow::Away;
            }
            "if_statement" => return self.conditional(node, place),
            "for_statement" | "while_statement" => return self.repeated(node, place),
            "try_statement" => return self.tried(node, place),
            "with_statement" => return self.with(node, place),
            "match_statement" => return self.matched(node, place),
            "function_definition" => self.function(node, place, &[]),
            "class_definition" => self.class(node, place),
            "decorated_definition" => self.decorated(node, place),
            "assert_statement" => {
                if let Some(condition) = node.named_child(0) {
                    self.expression(condition, place);
                    self.assume(condition, true, place.scope);
                }
                let mut cursor = node.walk();
                for message in node.named_children(&mut cursor).skip(1) {
                    self.expression(message, place);
                }
            }
            "import_statement" | "import_from_statement" if place.is_function => self.import(node, place),
            "import_statement" | "import_from_statement" | "future_import_statement" => {}
            "global_statement" => {
                let mut cursor = node.walk();
                for name in node.named_children(&mut cursor) {
                    let name = self.out.name_of(name);
                    self.functions.last_mut().map(|function| function.globals.insert(name));
                }
            }
            "nonlocal_statement" | "pass_statement" | "comment" => {}
            "type_alias_statement" => self.type_alias(node, place),
            "block" | "ERROR" => return self.block(node, place),
            _ => {
                self.expression(node, place);
            }
        }
        Flow::On
    }

    fn expression_statement(&mut self, node: Node<'_>, place: Place) -> Flow {
        let mut cursor = node.walk();
        let mut flow = Flow::On;
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "assignment" => {
                    self.assignment(child, place);
                }
                "augmented_assignment" => self.all(child, place),
                "call" => {
                    self.expression(child, place);
                    let callee = child.child_by_field_id(FIELDS.function);
                    if callee.is_some_and(|callee| ENDS.contains(&self.out.text(callee))) {
                        flow = Flow::Away;
                    }
                }
                // A text alone is a doc.
                "comment" | "string" => {}
                _ => {
                    self.expression(child, place);
                }
            }
        }
        flow
    }

    fn conditional(&mut self, node: Node<'_>, place: Place) -> Flow {
        let mark = self.mark();
        let mut branches = Vec::new();
        let mut ruled_out = Vec::new();
        let (mut around, mut has_else) = (place, false);
        let mut cursor = node.walk();
        let alternatives: Vec<Node> = node.children_by_field_name("alternative", &mut cursor).collect();
        for (index, branch) in std::iter::once(node).chain(alternatives).enumerate() {
            if branch.kind() == "else_clause" {
                has_else = true;
                if let Some(body) = branch.child_by_field_id(FIELDS.body) {
                    branches.push((around.scope, self.block(body, around)));
                }
                continue;
            }
            let condition = branch.child_by_field_id(FIELDS.condition);
            if let Some(condition) = condition {
                self.expression(condition, around);
            }
            let inner = self.branch(around);
            if let Some(condition) = condition {
                self.assume(condition, true, inner.scope);
            }
            if let Some(body) = branch.child_by_field_id(FIELDS.consequence) {
                branches.push((inner.scope, self.block(body, inner)));
            }
            if index < MAX_ALTERNATIVES {
                around = self.branch(around);
                ruled_out.push(around.scope);
            }
            if let Some(condition) = condition {
                self.assume(condition, false, around.scope);
            }
        }
        if !has_else {
            branches.push((around.scope, Flow::On));
        }
        self.join(place.scope, &branches, &ruled_out, mark)
    }

    fn repeated(&mut self, node: Node<'_>, place: Place) -> Flow {
        let condition = node.child_by_field_id(FIELDS.condition);
        let iterated = node.child_by_field_id(FIELDS.right).map(|right| self.expression(right, place));
        if let Some(condition) = condition {
            self.expression(condition, place);
        }
        self.begin_loop();
        let inner = self.branch(place);
        if let (Some(iterated), Some(left)) = (iterated, node.child_by_field_id(FIELDS.left)) {
            let item = self.out.expression(Expression::Item { of: iterated });
            self.target(left, item, inner);
        }
        if let Some(condition) = condition {
            self.assume(condition, true, inner.scope);
        }
        let flow = node.child_by_field_id(FIELDS.body).map_or(Flow::On, |body| self.block(body, inner));
        let is_endless = condition.is_some_and(|condition| matches!(self.out.text(condition), "True" | "1"));
        let after = self.end_loop(place.scope, (inner.scope, flow), is_endless);
        let alternative =
            node.child_by_field_id(FIELDS.alternative).and_then(|other| other.child_by_field_id(FIELDS.body));
        if let Some(alternative) = alternative {
            self.block(alternative, place);
        }
        after
    }

    fn tried(&mut self, node: Node<'_>, place: Place) -> Flow {
        let mut flow = node.child_by_field_id(FIELDS.body).map_or(Flow::On, |body| self.block(body, place));
        let mark = self.mark();
        let mut branches = Vec::new();
        let mut last = None;
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor) {
            match clause.kind() {
                "except_clause" | "except_group_clause" => {
                    let inner = self.branch(place);
                    branches.push((inner.scope, self.caught(clause, inner)));
                }
                "else_clause" => {
                    if let Some(body) = clause.child_by_field_id(FIELDS.body)
                        && self.block(body, place) == Flow::Away
                    {
                        flow = Flow::Away;
                    }
                }
                "finally_clause" => last = Some(clause),
                _ => {}
            }
        }
        branches.insert(0, (place.scope, flow));
        let mut after = self.join(place.scope, &branches, &[], mark);
        if let Some(last) = last
            && self.block(last, place) == Flow::Away
        {
            after = Flow::Away;
        }
        after
    }

    /// `except A as e`, `except (A, B) as e`: a value of one of these types.
    fn caught(&mut self, clause: Node<'_>, place: Place) -> Flow {
        let mut flow = Flow::On;
        let mut cursor = clause.walk();
        for child in clause.named_children(&mut cursor) {
            match child.kind() {
                "block" => flow = self.block(child, place),
                "as_pattern" => {
                    let caught = child.named_child(0);
                    if let Some(caught) = caught {
                        self.expression(caught, place);
                    }
                    if let Some(name) = child.child_by_field_id(FIELDS.alias).and_then(|alias| alias.named_child(0)) {
                        let declared = caught.map(|caught| self.tested_type(caught, place.scope));
                        let name = self.out.name_of(name);
                        self.assign(place.scope, name, declared, None);
                    }
                }
                _ => {
                    self.expression(child, place);
                }
            }
        }
        flow
    }

    fn with(&mut self, node: Node<'_>, place: Place) -> Flow {
        let is_async = node.child(0).is_some_and(|first| first.kind() == "async");
        let mut cursor = node.walk();
        let clause = node.named_children(&mut cursor).find(|child| child.kind() == "with_clause");
        if let Some(clause) = clause {
            let mut cursor = clause.walk();
            for item in clause.named_children(&mut cursor) {
                let Some(value) = item.child_by_field_id(FIELDS.value) else { continue };
                self.entered(value, is_async, place);
            }
        }
        node.child_by_field_id(FIELDS.body).map_or(Flow::On, |body| self.block(body, place))
    }

    fn entered(&mut self, node: Node<'_>, is_async: bool, place: Place) {
        if matches!(node.kind(), "tuple" | "parenthesized_expression") {
            let mut cursor = node.walk();
            for item in node.named_children(&mut cursor) {
                self.entered_one(item, is_async, place);
            }
            return;
        }
        self.entered_one(node, is_async, place);
    }

    fn entered_one(&mut self, node: Node<'_>, is_async: bool, place: Place) {
        if node.kind() != "as_pattern" {
            self.expression(node, place);
            return;
        }
        let manager = node.named_child(0).map_or(OPAQUE, |value| self.expression(value, place));
        let entered = self.enter(manager, is_async);
        if let Some(target) = node.child_by_field_id(FIELDS.alias).and_then(|alias| alias.named_child(0)) {
            self.target(target, entered, place);
        }
    }

    /// Returns what a manager of a context gives to those who enter it.
    fn enter(&mut self, manager: ExpressionId, is_async: bool) -> ExpressionId {
        if manager == OPAQUE {
            return OPAQUE;
        }
        let name = self.out.name(if is_async { "__aenter__" } else { "__enter__" });
        let callee = self.out.expression(Expression::Member { of: manager, name });
        let call = Expression::Call { callee, type_arguments: Box::new([]), arguments: Box::new([]) };
        let entered = self.out.expression(call);
        if is_async { self.out.expression(Expression::Awaited { of: entered }) } else { entered }
    }

    /// Returns a value that is known to be a text, a number or the like.
    pub(super) fn literal(&mut self, literal: Literal) -> ExpressionId {
        self.out.expression(Expression::Literal(literal))
    }

    /// Returns the last name of a chain as text.
    pub(super) fn last_text(&self, node: Node<'_>) -> &str {
        last_name(node).map_or("", |name| self.out.text(name))
    }
}
