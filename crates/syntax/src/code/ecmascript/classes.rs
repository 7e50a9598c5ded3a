//! Classes: bases, members and decorators.

use model::ByteSpan;
use model::code::{Base, BaseKind, Decoration, DefinitionId, Expression, ExpressionId, TypeExpression, TypeId};

use super::functions::function_flags;
use super::{EcmascriptLowering, LexicalContext, OPAQUE};
use crate::node::SyntaxNode;

impl EcmascriptLowering<'_, '_> {
    /// Lowers a class, which is a definition or an anonymous value.
    pub(super) fn lower_class(
        &mut self,
        node: SyntaxNode<'_>,
        definition: Option<DefinitionId>,
        context: LexicalContext,
    ) -> ExpressionId {
        let scope = self.out.open_scope(context.block, definition);
        let inner = LexicalContext {
            block: scope,
            function: scope,
            this: scope,
            is_this_bound: false,
            owner: definition,
            object: None,
        };
        let type_parameters = self.lower_type_parameters(node, inner);
        let mut bases = Vec::new();
        let mut decorators = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "class_heritage" => bases.extend(self.lower_heritage(child, inner, context)),
                "decorator" => decorators.push(child),
                _ => {}
            }
        }
        for decorator in decorators {
            self.lower_decorator(decorator, definition, context);
        }
        if let Some(definition) = definition {
            let flags = function_flags(node);
            let shape = self.out.shape_mut(definition);
            shape.flags |= flags;
            shape.type_parameters = type_parameters;
            shape.bases = bases.into_boxed_slice();
            shape.body = Some(scope);
        }
        if let Some(body) = node.child_by_field_name("body") {
            let outer_results = std::mem::take(&mut self.results);
            self.lower_class_members(body, inner);
            self.results = outer_results;
        }
        match definition {
            Some(definition) => self.out.add_expression(Expression::Definition(definition)),
            None => OPAQUE,
        }
    }

    /// `extends a.B<C> implements D`; in JavaScript also `extends b()`.
    fn lower_heritage(&mut self, node: SyntaxNode<'_>, inner: LexicalContext, context: LexicalContext) -> Vec<Base> {
        let mut bases = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "extends_clause" => {
                    let mut arguments = self.lower_type_arguments(child, inner);
                    let mut values = child.walk();
                    for value in child.children_by_field_name("value", &mut values) {
                        let base = self.lower_base(value, std::mem::take(&mut arguments), context);
                        bases.push(Base { kind: BaseKind::Extend, base });
                    }
                }
                "implements_clause" => {
                    let mut types = child.walk();
                    for written in child.named_children(&mut types) {
                        let base = self.lower_type(written, inner);
                        bases.push(Base { kind: BaseKind::Implement, base });
                    }
                }
                _ => {
                    let base = self.lower_base(child, Box::default(), context);
                    bases.push(Base { kind: BaseKind::Extend, base });
                }
            }
        }
        bases
    }

    fn lower_base(&mut self, value: SyntaxNode<'_>, arguments: Box<[TypeId]>, context: LexicalContext) -> TypeId {
        if let Some(path) = self.intern_path(value) {
            return self.out.add_type(TypeExpression::Named { path, arguments, scope: context.block });
        }
        let value = self.lower_expression(value, context);
        self.out.add_type(TypeExpression::Of(value))
    }

    fn lower_class_members(&mut self, body: SyntaxNode<'_>, context: LexicalContext) {
        let mut decorators = Vec::new();
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            if member.kind() == "comment" {
                self.keep_comment(member, context);
                continue;
            }
            if member.kind() == "decorator" {
                decorators.push(member);
                continue;
            }
            let name = member.child_by_field_name("name").or_else(|| member.child_by_field_name("property"));
            let definition = name.and_then(|name| self.out.definition_at(name));
            let inside =
                member.children(&mut member.walk()).filter(|child| child.kind() == "decorator").collect::<Vec<_>>();
            for decorator in decorators.drain(..).chain(inside) {
                self.lower_decorator(decorator, definition, context);
            }
            self.deeper(|lowering| lowering.lower_class_member(member, name, definition, context));
            self.comment = None;
        }
    }

    fn lower_class_member(
        &mut self,
        node: SyntaxNode<'_>,
        name: Option<SyntaxNode<'_>>,
        definition: Option<DefinitionId>,
        context: LexicalContext,
    ) {
        match node.kind() {
            "method_definition" => {
                if let Some(computed) = name.filter(|name| name.kind() == "computed_property_name") {
                    self.lower_expression(computed, context);
                }
                self.lower_function(node, definition, None, context);
            }
            "method_signature" if definition.is_none() => self.lower_overload(node, context),
            "method_signature" | "abstract_method_signature" => self.lower_signature(node, definition, context),
            "public_field_definition" | "field_definition" => {
                let value = node.child_by_field_name("value");
                let declared = self.declared_type(node, value, context);
                let value = value.map(|value| self.lower_value(value, definition, declared, context));
                let Some(definition) = definition else { return };
                let flags = function_flags(node);
                let is_function =
                    value.is_some_and(|value| *self.out.code.expression(value) == Expression::Definition(definition));
                let shape = self.out.shape_mut(definition);
                shape.flags |= flags;
                if !is_function {
                    shape.declared = declared;
                    shape.values = value.into_iter().collect();
                }
            }
            "class_static_block" => self.lower_statements(node, context),
            _ => {}
        }
    }

    /// `@a`, `@a.b(c)`.
    pub(super) fn lower_decorator(
        &mut self,
        node: SyntaxNode<'_>,
        definition: Option<DefinitionId>,
        context: LexicalContext,
    ) {
        let Some(inner) = node.named_child(0) else { return };
        let expression = self.lower_expression(inner, context);
        if let Some(definition) = definition {
            let line = inner.start_position().row as u32 + 1;
            let bytes = ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 };
            self.out.code.decorations.push(Decoration { definition, expression, line, bytes });
        }
    }
}
