//! Expressions, and the dispatch by rule.

use model::code::{Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector;
use super::table::LoweringRule;
use super::{OPAQUE, TabledLowering, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

/// Operators that choose between two values.
const CHOICES: [&str; 4] = ["??", "?:", "||", "or"];

/// Operators that are kept under their own symbol: formats, paths and appended texts.
const KEPT: [&str; 3] = ["%", "/", "<<"];

/// The operator that joins texts, whatever its symbol in the language.
pub(super) const CONCATENATION: &str = "+";

impl TabledLowering<'_, '_> {
    /// Lowers a node by its rule.
    pub(super) fn apply(&mut self, rule: &'static LoweringRule, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        match rule {
            LoweringRule::Skip => OPAQUE,
            LoweringRule::Value(child) => self.lower_value(node, *child, scope),
            LoweringRule::Last => self.visit_children(node, scope),
            LoweringRule::Name => self.lower_name(node, scope),
            LoweringRule::This => self.out.add_expression(Expression::This { scope }),
            LoweringRule::Super => self.out.add_expression(Expression::Super { scope }),
            LoweringRule::Literal(literal) => self.out.add_expression(Expression::Literal(*literal)),
            LoweringRule::Symbol => {
                let text = bare_word(self.out.text(node));
                self.out.add_text_literal(text)
            }
            LoweringRule::Text => self.lower_text(node, scope),
            LoweringRule::Joined => self.lower_joined(node, scope),
            LoweringRule::Member { of, name } => {
                let of = self.visit_selected(node, *of, scope);
                self.add_member(of, name.of(node))
            }
            LoweringRule::Call { callee, arguments } => self.lower_call(node, *callee, arguments, scope),
            LoweringRule::MethodCall { of, name, arguments } => {
                self.lower_method_call(node, of.of(node), name.of(node), arguments, scope)
            }
            LoweringRule::Make { made, arguments } => self.lower_make(node, made.of(node), arguments, scope),
            LoweringRule::Element { of, index } => {
                let of = self.visit_selected(node, *of, scope);
                let index = self.visit_selected(node, *index, scope);
                self.out.add_expression(Expression::Element { of, index: Some(index) })
            }
            LoweringRule::Binary { left, operator, right } => {
                self.lower_binary(left.of(node), operator.of(node), right.of(node), scope)
            }
            LoweringRule::Either(choices) => self.lower_choices(node, choices, scope),
            LoweringRule::Arms(kinds) => self.lower_arms(node, kinds, scope),
            LoweringRule::Awaited => {
                let of = self.visit_children(node, scope);
                if of == OPAQUE { OPAQUE } else { self.out.add_expression(Expression::Awaited { of }) }
            }
            LoweringRule::Cast { of, to } => {
                let of = self.visit_selected(node, *of, scope);
                let to = to.of(node).map_or(UNKNOWN_TYPE, |to| self.lower_type(to, scope));
                self.out.add_expression(Expression::Cast { of, to })
            }
            LoweringRule::Type(of) => {
                let written = of.of(node).map_or(UNKNOWN_TYPE, |of| self.lower_type(of, scope));
                self.out.add_expression(Expression::Type(written))
            }
            LoweringRule::Collection => self.lower_collection(node, scope),
            LoweringRule::Lambda { parameters, body } => self.lower_lambda(node, *parameters, *body, scope),
            LoweringRule::Function { name, parameters, result, body } => {
                if let Some(name) = name.of(node) {
                    self.lower_function(node, name, *parameters, *result, *body, scope);
                }
                OPAQUE
            }
            LoweringRule::Class { name, parameters, body } => {
                self.lower_class(node, name.of(node), *parameters, *body, scope);
                OPAQUE
            }
            LoweringRule::Variable { name, declared, value } => {
                self.lower_variable(node, *name, *declared, *value, scope);
                OPAQUE
            }
            LoweringRule::Assign { target, operator, value } => {
                self.lower_assignment(target.of(node), operator.of(node), value.of(node), scope)
            }
            LoweringRule::Return => {
                let value = self.visit_children(node, scope);
                self.add_result(value);
                OPAQUE
            }
            LoweringRule::Loop { item, items } => self.lower_loop(node, item.of(node), items.of(node), scope),
            LoweringRule::Decorated => {
                self.collect_decorations(node, scope);
                self.visit_children(node, scope);
                self.decorations.clear();
                OPAQUE
            }
            LoweringRule::Visit(lower) => lower(self, node, scope),
        }
    }

    /// Lowers the selected child; opaque if there is none.
    pub(super) fn visit_selected(
        &mut self,
        node: SyntaxNode<'_>,
        child: ChildSelector,
        scope: ScopeId,
    ) -> ExpressionId {
        match child {
            ChildSelector::Itself => self.visit_children(node, scope),
            _ => child.of(node).map_or(OPAQUE, |child| self.visit(child, scope)),
        }
    }

    /// Lowers all children, and returns the value of one.
    fn lower_value(&mut self, node: SyntaxNode<'_>, child: ChildSelector, scope: ScopeId) -> ExpressionId {
        let Some(valued) = child.of(node) else {
            self.visit_children(node, scope);
            return OPAQUE;
        };
        let value = self.visit(valued, scope);
        self.visit_children_except(node, Some(valued), scope);
        value
    }

    pub(super) fn lower_name(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let text = name_text(self.out.text(node));
        if self.table.receivers.contains(&text) {
            return self.out.add_expression(Expression::This { scope });
        }
        if self.table.base_receivers.contains(&text) {
            return self.out.add_expression(Expression::Super { scope });
        }
        match text {
            "" | "_" => return OPAQUE,
            "true" | "false" => return self.out.add_expression(Expression::Literal(Literal::Boolean)),
            "null" => return self.out.add_expression(Expression::Literal(Literal::Null)),
            _ => {}
        }
        let name = self.out.intern(text);
        self.out.use_name(name, scope)
    }

    /// Adds a member of a value, named by a node.
    pub(super) fn add_member(&mut self, of: ExpressionId, name: Option<SyntaxNode<'_>>) -> ExpressionId {
        let Some(name) = name else { return of };
        let name = self.out.intern(name_text(self.out.text(name)));
        self.out.add_expression(Expression::Member { of, name })
    }

    /// Lowers a dotted path as a chain of members.
    pub(super) fn add_path(&mut self, text: &str, scope: ScopeId) -> ExpressionId {
        let mut parts = text.split(['.', ':', '\\']).map(name_text).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return OPAQUE };
        let first = self.out.intern(first);
        let mut path = self.out.use_name(first, scope);
        for part in parts {
            let name = self.out.intern(part);
            path = self.out.add_expression(Expression::Member { of: path, name });
        }
        path
    }

    fn lower_binary(
        &mut self,
        left: Option<SyntaxNode<'_>>,
        operator: Option<SyntaxNode<'_>>,
        right: Option<SyntaxNode<'_>>,
        scope: ScopeId,
    ) -> ExpressionId {
        let operator = operator.map_or("", |operator| self.out.text(operator).trim());
        let left = left.map_or(OPAQUE, |left| self.visit(left, scope));
        let right = right.map_or(OPAQUE, |right| self.visit(right, scope));
        self.add_operation(operator, left, right)
    }

    /// Adds `left operator right`; opaque if the operator tells nothing of a text.
    pub(super) fn add_operation(&mut self, operator: &str, left: ExpressionId, right: ExpressionId) -> ExpressionId {
        if operator == CONCATENATION || self.table.concatenations.contains(&operator) {
            return self.add_concatenation(left, right);
        }
        if CHOICES.contains(&operator) {
            return self.out.add_expression(Expression::Either([left, right].into()));
        }
        if self.table.pairs.contains(&operator) {
            return self.out.add_expression(Expression::Tuple([left, right].into()));
        }
        if !KEPT.contains(&operator) {
            return OPAQUE;
        }
        let operator = self.out.intern(operator);
        self.out.add_expression(Expression::Operation { operator, left, right: Some(right) })
    }

    pub(super) fn add_concatenation(&mut self, left: ExpressionId, right: ExpressionId) -> ExpressionId {
        let operator = self.out.intern(CONCATENATION);
        self.out.add_expression(Expression::Operation { operator, left, right: Some(right) })
    }

    fn lower_choices(&mut self, node: SyntaxNode<'_>, choices: &[ChildSelector], scope: ScopeId) -> ExpressionId {
        let chosen: Vec<SyntaxNode> = choices.iter().filter_map(|choice| choice.of(node)).collect();
        let mut values = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let value = self.visit(child, scope);
            if chosen.contains(&child) {
                values.push(value);
            }
        }
        self.add_choice(values)
    }

    fn lower_arms(&mut self, node: SyntaxNode<'_>, kinds: &[&str], scope: ScopeId) -> ExpressionId {
        let mut values = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let value = self.visit(child, scope);
            if kinds.contains(&child.kind()) {
                values.push(value);
            }
        }
        self.add_choice(values)
    }

    /// Adds one of several values; opaque values are left out.
    pub(super) fn add_choice(&mut self, mut values: Vec<ExpressionId>) -> ExpressionId {
        values.retain(|value| *value != OPAQUE);
        match values[..] {
            [] => OPAQUE,
            [only] => only,
            _ => self.out.add_expression(Expression::Either(values.into())),
        }
    }

    /// Adds a value that the innermost function returns.
    pub(super) fn add_result(&mut self, value: ExpressionId) {
        if let Some(results) = self.results.last_mut().filter(|_| value != OPAQUE) {
            results.push(value);
        }
    }
}

/// Returns a name without its sigil, its type arguments and its marks.
pub(super) fn name_text(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['$', '@', ':', '&', '*', '`', '.', '?', '{']);
    let end = text.find(['<', '[', '(', '\n', '`', '}']).unwrap_or(text.len());
    text[..end].trim_end_matches([':', ' '])
}

/// Returns the text of a symbol or a key.
pub(super) fn bare_word(text: &str) -> &str {
    text.trim().trim_matches([':', '"', '\'', '[', ']']).trim_end()
}
