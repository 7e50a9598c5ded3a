//! Decorators, annotations and attributes.

use model::ByteSpan;
use model::code::{Decoration, DefinitionId, Expression, ExpressionId, ScopeId};

use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

/// Maximum number of nodes between a decoration and its name, or its arguments.
const MAX_WRAPPERS: u32 = 3;

/// A decoration of a definition that is not known yet.
pub(super) struct DecorationDraft {
    expression: ExpressionId,
    line: u32,
    bytes: ByteSpan,
}

impl TabledLowering<'_, '_> {
    /// Gives a definition the decorations that are children of a node, and those collected before.
    pub(super) fn decorate(&mut self, node: SyntaxNode<'_>, definition: Option<DefinitionId>, scope: ScopeId) {
        let Some(definition) = definition else { return };
        self.collect_decorations(node, scope);
        for DecorationDraft { expression, line, bytes } in std::mem::take(&mut self.decorations) {
            self.out.code.decorations.push(Decoration { definition, expression, line, bytes });
        }
    }

    /// Lowers the decorations among the children of a node. A later definition takes them.
    pub(super) fn collect_decorations(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        if self.table.decorations.is_empty() {
            return;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if self.table.decorations.contains(&child.kind()) {
                self.collect_decoration(child, scope);
            } else if self.table.decoration_groups.contains(&child.kind()) && self.out.descend() {
                self.collect_decorations(child, scope);
                self.out.ascend();
            }
        }
    }

    fn collect_decoration(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let Some(name) = find_inside(node, self.table.decoration_names, 0) else { return };
        let callee = self.add_path(self.out.text(name), scope);
        let arguments = match find_inside(node, self.table.argument_lists, 0) {
            Some(list) => Some(self.lower_argument_list(list, scope)),
            None => self.bare_arguments(node, name, scope),
        };
        let expression = match arguments {
            Some(arguments) => {
                let call = Expression::Call { callee, type_arguments: [].into(), arguments: arguments.into() };
                self.out.add_expression(call)
            }
            None => callee,
        };
        if expression != OPAQUE {
            let line = name.start_position().row as u32 + 1;
            let bytes = ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 };
            self.decorations.push(DecorationDraft { expression, line, bytes });
        }
    }

    /// Returns the arguments of a decoration whose grammar has no node for their list.
    fn bare_arguments(
        &mut self,
        node: SyntaxNode<'_>,
        name: SyntaxNode<'_>,
        scope: ScopeId,
    ) -> Option<Vec<ExpressionId>> {
        let mut cursor = node.walk();
        let rest: Vec<SyntaxNode> =
            node.children(&mut cursor).filter(|child| child.start_byte() >= name.end_byte()).collect();
        let mut arguments = Vec::new();
        let mut members = Vec::new();
        let is_colon = |child: Option<&SyntaxNode<'_>>| child.is_some_and(|child| child.kind() == ":");
        for (at, child) in rest.iter().enumerate().filter(|(_, child)| child.is_named()) {
            if is_colon(rest.get(at + 1)) {
                continue;
            }
            let value = self.visit(*child, scope);
            match at.checked_sub(2).and_then(|before| rest.get(before)) {
                Some(key) if is_colon(rest.get(at - 1)) => members.push((self.key_name(*key), value)),
                _ => arguments.push(value),
            }
        }
        if !members.is_empty() {
            let of = self.out.add_expression(Expression::Object(members.into()));
            arguments.push(self.out.add_expression(Expression::Dereferenced { of }));
        }
        (!arguments.is_empty()).then_some(arguments)
    }
}

/// Returns the first node of some kinds below a node.
fn find_inside<'n>(node: SyntaxNode<'n>, kinds: &[&str], depth: u32) -> Option<SyntaxNode<'n>> {
    let mut cursor = node.walk();
    let mut inner = Vec::new();
    for child in node.named_children(&mut cursor) {
        if kinds.contains(&child.kind()) {
            return Some(child);
        }
        inner.push(child);
    }
    if depth >= MAX_WRAPPERS {
        return None;
    }
    inner.into_iter().find_map(|child| find_inside(child, kinds, depth + 1))
}
