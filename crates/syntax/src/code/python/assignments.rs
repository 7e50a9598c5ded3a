//! Assignments: targets and their values.

use model::code::{Expression, ExpressionId, FieldFact, TypeId};

use super::{OPAQUE, PythonLowering, StatementContext, fields::FIELDS};
use crate::node::SyntaxNode;

/// Maximum number of values of one variable that are kept.
const MAX_VALUES: usize = 16;

impl PythonLowering<'_, '_> {
    /// Lowers `left: type = right`. Returns the value, which may be assigned again.
    pub(super) fn lower_assignment(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let right = node.child_by_field_id(FIELDS.right);
        let value = right.map(|right| match self.is_type_assignment(node, right, context) {
            true => {
                if let Some(left) = node.child_by_field_id(FIELDS.left).filter(|left| left.kind() == "identifier") {
                    let alias = self.out.intern_node(left);
                    self.aliases.insert(alias);
                }
                let written = self.lower_type(right, context.scope);
                self.out.add_expression(Expression::Type(written))
            }
            false => self.lower_expression(right, context),
        });
        let Some(left) = node.child_by_field_id(FIELDS.left) else { return OPAQUE };
        if let Some(right) = right.filter(|right| right.kind() == "call") {
            self.record_type_variable(left, right, context);
        }
        let declared = node.child_by_field_id(FIELDS.type_).map(|declared| self.declared_type(declared, context));
        match (declared.flatten(), value) {
            (None, None) => {}
            (None, Some(value)) => self.bind_target(left, value, context),
            (Some(declared), value) => self.lower_declaration(left, declared, value, context),
        }
        value.unwrap_or(OPAQUE)
    }

    /// Returns the declared type. Returns `None` if the value determines it (a bare `Final` or `ClassVar`, an alias).
    fn declared_type(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Option<TypeId> {
        let is_value = matches!(self.last_name_text(node.named_child(0)?), "Final" | "ClassVar" | "TypeAlias");
        (!is_value).then(|| self.lower_type(node, context.scope))
    }

    fn lower_declaration(
        &mut self,
        left: SyntaxNode<'_>,
        declared: TypeId,
        value: Option<ExpressionId>,
        context: StatementContext,
    ) {
        match left.kind() {
            "identifier" if !context.is_function => self.assign_global(left, Some(declared), value, context),
            "identifier" => {
                let name = self.out.intern_node(left);
                if let Some(function) = self.functions.last_mut() {
                    function.declared.insert(name, declared);
                }
                self.assign(context.scope, name, Some(declared), value);
            }
            "attribute" => self.assign_member(left, Some(declared), value, context),
            _ => self.lower_children(left, context),
        }
    }

    /// Binds an assignment target to a value.
    pub(super) fn bind_target(&mut self, left: SyntaxNode<'_>, value: ExpressionId, context: StatementContext) {
        match left.kind() {
            "identifier" => self.bind_variable(left, value, context),
            "attribute" => self.assign_member(left, None, Some(value), context),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => {
                self.bind_unpacked(left, value, context)
            }
            "parenthesized_expression" | "as_pattern_target" => {
                if let Some(inner) = left.named_child(0) {
                    self.bind_target(inner, value, context);
                }
            }
            "list_splat_pattern" => {
                if let Some(name) = left.named_child(0) {
                    self.bind_target(name, OPAQUE, context);
                }
            }
            "subscript" => self.store_element(left, value, context),
            _ => self.lower_children(left, context),
        }
    }

    /// Stores a value under a key (`config["URL"] = value`): no type depends on it, but texts do.
    fn store_element(&mut self, left: SyntaxNode<'_>, value: ExpressionId, context: StatementContext) {
        let mut cursor = left.walk();
        let keys: Vec<SyntaxNode<'_>> = left.children_by_field_name("subscript", &mut cursor).collect();
        let (Some(of), [key]) = (left.child_by_field_id(FIELDS.value), keys.as_slice()) else {
            return self.lower_children(left, context);
        };
        let of = self.lower_expression(of, context);
        let key = self.lower_expression(*key, context);
        if matches!(self.out.code.expression(key), Expression::Literal(_)) {
            let left = self.out.add_expression(Expression::Element { of, index: Some(key) });
            let operator = self.out.intern("=");
            self.out.add_expression(Expression::Operation { operator, left, right: Some(value) });
        }
    }

    fn bind_variable(&mut self, left: SyntaxNode<'_>, value: ExpressionId, context: StatementContext) {
        if !context.is_function {
            self.assign_global(left, None, Some(value), context);
            return;
        }
        let name = self.out.intern_node(left);
        let Some(function) = self.functions.last() else {
            self.assign(context.scope, name, None, Some(value));
            return;
        };
        if function.globals.contains(&name) {
            if let Some(definition) = self.top.get(&name).copied() {
                self.add_value(definition, value);
            }
            return;
        }
        let declared = function.declared.get(&name).copied();
        self.assign(context.scope, name, declared, Some(value));
    }

    /// Assigns a variable of a module or class, which is a definition. A variable without a definition, as in loops and
    /// branches, is bound instead.
    fn assign_global(
        &mut self,
        left: SyntaxNode<'_>,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
        context: StatementContext,
    ) {
        let name = self.out.intern_node(left);
        let known = self.out.definition_at(left);
        let definition = match (known, context.class) {
            (Some(definition), None) => {
                self.top.entry(name).or_insert(definition);
                Some(definition)
            }
            (Some(definition), Some(_)) => Some(definition),
            (None, None) => self.top.get(&name).copied(),
            (None, Some(_)) => None,
        };
        match definition {
            Some(definition) => {
                if let Some(declared) = declared {
                    self.out.shape_mut(definition).declared = Some(declared);
                }
                if let Some(value) = value {
                    self.add_value(definition, value);
                }
                if context.class.is_some() {
                    let of = self.out.add_expression(Expression::Definition(definition));
                    self.out.bind(context.scope, name, None, Some(of));
                }
            }
            None => self.assign(context.scope, name, declared, value),
        }
    }

    fn add_value(&mut self, definition: model::code::DefinitionId, value: ExpressionId) {
        let values = &mut self.out.shape_mut(definition).values;
        if values.len() < MAX_VALUES {
            *values = values.iter().copied().chain([value]).collect();
        }
    }

    /// `a, (b, *c) = value`.
    fn bind_unpacked(&mut self, left: SyntaxNode<'_>, value: ExpressionId, context: StatementContext) {
        let mut after_splat = false;
        let mut cursor = left.walk();
        let targets: Vec<SyntaxNode> =
            left.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect();
        for (index, target) in targets.into_iter().enumerate() {
            after_splat |= target.kind() == "list_splat_pattern";
            let part = match self.out.code.expression(value) {
                _ if after_splat || value == OPAQUE => OPAQUE,
                Expression::Tuple(parts) | Expression::List(parts) if parts.len() > index => parts[index],
                _ => self.out.add_expression(Expression::Part { of: value, index: index as u32 }),
            };
            self.bind_target(target, part, context);
        }
    }

    /// `object.name = value`: a field of the class if the object is the receiver of a method.
    fn assign_member(
        &mut self,
        left: SyntaxNode<'_>,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
        context: StatementContext,
    ) {
        let (Some(object), Some(name)) =
            (left.child_by_field_id(FIELDS.object), left.child_by_field_id(FIELDS.attribute))
        else {
            return;
        };
        let of = self.lower_expression(object, context);
        self.out.member_at(of, name, context.scope);
        if object.kind() != "identifier" {
            return;
        }
        let object_name = self.out.intern_node(object);
        let receiver = self.functions.iter().rev().find_map(|function| function.receiver);
        if let Some((_, owner)) = receiver.filter(|(receiver, _)| *receiver == object_name) {
            let name = self.out.intern_node(name);
            self.out.code.fields.push(FieldFact { owner, name, declared, value });
        }
        if let Some(value) = value.filter(|value| *value != OPAQUE)
            && let Some((part, whole)) = self.track_member(left, context)
        {
            self.assign(context.scope, part, Some(whole), Some(value));
        }
    }
}
