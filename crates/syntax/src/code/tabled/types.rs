//! Types with members, and their bases.

use model::code::{Base, DefinitionId, ScopeId, Shape};

use super::functions::leaf;
use super::selectors::ChildSelector;
use super::{TabledLowering, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

impl TabledLowering<'_, '_> {
    /// Lowers a type and its members. The parameters of its constructor are visible in the whole body.
    pub(super) fn lower_class(
        &mut self,
        node: SyntaxNode<'_>,
        name: Option<SyntaxNode<'_>>,
        parameters: ChildSelector,
        body: ChildSelector,
        scope: ScopeId,
    ) {
        let definition = name.and_then(|name| {
            let last = name.child_by_field_name("name").unwrap_or(name);
            self.out.definition_at(last).or_else(|| self.out.definition_at(leaf(name)))
        });
        self.decorate(node, definition, scope);
        let inner = self.out.open_scope(scope, definition);
        let parameters = match parameters {
            ChildSelector::Itself => self.lower_parameter_children(node, inner),
            list => list.of(node).map(|list| self.lower_parameter_children(list, inner)).unwrap_or_default(),
        };
        // PHP names the traits of a type in its body.
        let lists = std::iter::once(node).chain(body.of(node));
        let bases: Vec<Base> = lists.flat_map(|list| self.lower_bases(list, inner)).collect();
        self.set_class(
            definition,
            Shape { parameters: parameters.into(), bases: bases.into(), body: Some(inner), ..Shape::default() },
        );
        self.types.push(definition);
        if let Some(body) = body.of(node) {
            self.visit_children(body, inner);
        }
        self.types.pop();
    }

    fn set_class(&mut self, definition: Option<DefinitionId>, shape: Shape) {
        if let Some(definition) = definition {
            *self.out.shape_mut(definition) = shape;
        }
    }

    /// Lowers the bases of a type. Arguments of their constructors are lowered as expressions.
    fn lower_bases(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Vec<Base> {
        let mut bases = Vec::new();
        let mut cursor = node.walk();
        for list in node.named_children(&mut cursor) {
            let Some((_, kind)) = self.table.bases.iter().find(|(of, _)| *of == list.kind()) else { continue };
            // `extends A with B` may be one node.
            let is_list = |child: &SyntaxNode<'_>| self.table.bases.iter().any(|(of, _)| *of == child.kind());
            let mut inner = list.walk();
            let children: Vec<SyntaxNode> =
                list.named_children(&mut inner).filter(|child| !child.is_extra() && !is_list(child)).collect();
            for child in children {
                if self.table.argument_lists.contains(&child.kind()) {
                    self.lower_argument_list(child, scope);
                    continue;
                }
                let base = self.lower_type(child, scope);
                if base != UNKNOWN_TYPE {
                    bases.push(Base { kind: *kind, base });
                }
            }
            bases.extend(self.lower_bases(list, scope));
        }
        bases
    }
}
