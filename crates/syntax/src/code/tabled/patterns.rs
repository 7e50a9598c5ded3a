//! Patterns that bind names: single names, tuples, and items of a loop.

use model::code::{Expression, ExpressionId, ScopeId, TypeId};

use super::expressions::name_text;
use super::table::LoweringRule;
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

/// Maximum number of nodes around a name in a pattern.
const MAX_WRAPPERS: u32 = 6;

impl TabledLowering<'_, '_> {
    /// Binds the names of a pattern.
    pub(super) fn bind_pattern(
        &mut self,
        pattern: SyntaxNode<'_>,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
        scope: ScopeId,
    ) {
        self.bind_nested(pattern, declared, value, scope, 0);
    }

    fn bind_nested(
        &mut self,
        pattern: SyntaxNode<'_>,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
        scope: ScopeId,
        depth: u32,
    ) {
        if depth > MAX_WRAPPERS {
            return;
        }
        let of = value.unwrap_or(OPAQUE);
        let is_tuple = self.table.tuple_patterns.contains(&pattern.kind());
        if matches!(self.rule(pattern), Some(LoweringRule::Literal(_) | LoweringRule::Symbol | LoweringRule::Text)) {
            return;
        }
        if pattern.named_child_count() == 0 || matches!(self.rule(pattern), Some(LoweringRule::Name)) {
            let name = self.out.intern(name_text(self.out.text(pattern)));
            return self.bind(scope, name, declared, value);
        }
        let mut cursor = pattern.walk();
        let parts: Vec<SyntaxNode> = pattern.named_children(&mut cursor).filter(|part| !part.is_extra()).collect();
        match parts[..] {
            [only] => self.bind_nested(only, declared, value, scope, depth + 1),
            // `name: Type`.
            [name, ..] if !is_tuple => self.bind_nested(name, declared, value, scope, depth + 1),
            _ => {
                for (index, part) in parts.into_iter().enumerate() {
                    let value = match of {
                        OPAQUE => OPAQUE,
                        of => self.out.add_expression(Expression::Part { of, index: index as u32 }),
                    };
                    self.bind_nested(part, None, Some(value), scope, depth + 1);
                }
            }
        }
    }

    /// Lowers a loop over items: its variable is an item.
    pub(super) fn lower_loop(
        &mut self,
        node: SyntaxNode<'_>,
        item: Option<SyntaxNode<'_>>,
        items: Option<SyntaxNode<'_>>,
        scope: ScopeId,
    ) -> ExpressionId {
        if let Some(items_node) = items {
            let of = self.visit(items_node, scope);
            let value = if of == OPAQUE { OPAQUE } else { self.out.add_expression(Expression::Item { of }) };
            if let Some(item) = item {
                self.bind_pattern(item, None, Some(value), scope);
            }
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if Some(child) != item && Some(child) != items {
                self.visit(child, scope);
            }
        }
        OPAQUE
    }
}
