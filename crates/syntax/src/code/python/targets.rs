//! Assignments: what is bound, and of what.

use model::code::{Expression, ExpressionId, FieldFact, TypeId};

use super::{OPAQUE, Place, Walk, fields::FIELDS};
use crate::node::Node;

impl Walk<'_, '_> {
    /// `left: type = right`; returns the value, which may be assigned further.
    pub(super) fn assignment(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let right = node.child_by_field_id(FIELDS.right);
        let value = right.map(|right| match self.is_type(node, right, place) {
            true => {
                if let Some(left) = node.child_by_field_id(FIELDS.left).filter(|left| left.kind() == "identifier") {
                    let alias = self.out.name_of(left);
                    self.aliases.insert(alias);
                }
                let written = self.written(right, place.scope);
                self.out.expression(Expression::Type(written))
            }
            false => self.expression(right, place),
        });
        let Some(left) = node.child_by_field_id(FIELDS.left) else { return OPAQUE };
        if let Some(right) = right.filter(|right| right.kind() == "call") {
            self.type_variable(left, right, place);
        }
        let declared = node.child_by_field_id(FIELDS.type_).map(|declared| self.declared(declared, place));
        match (declared.flatten(), value) {
            (None, None) => {}
            (None, Some(value)) => self.target(left, value, place),
            (Some(declared), value) => self.declare(left, declared, value, place),
        }
        value.unwrap_or(OPAQUE)
    }

    /// Returns the declared type; nothing where it is the value's (a bare `Final` or `ClassVar`, an alias).
    fn declared(&mut self, node: Node<'_>, place: Place) -> Option<TypeId> {
        let is_value = matches!(self.last_text(node.named_child(0)?), "Final" | "ClassVar" | "TypeAlias");
        (!is_value).then(|| self.written(node, place.scope))
    }

    fn declare(&mut self, left: Node<'_>, declared: TypeId, value: Option<ExpressionId>, place: Place) {
        match left.kind() {
            "identifier" if !place.is_function => self.global(left, Some(declared), value, place),
            "identifier" => {
                let name = self.out.name_of(left);
                if let Some(function) = self.functions.last_mut() {
                    function.declared.insert(name, declared);
                }
                self.assign(place.scope, name, Some(declared), value);
            }
            "attribute" => self.part(left, Some(declared), value, place),
            _ => self.all(left, place),
        }
    }

    /// Binds whatever stands at the left of a value.
    pub(super) fn target(&mut self, left: Node<'_>, value: ExpressionId, place: Place) {
        match left.kind() {
            "identifier" => self.variable(left, value, place),
            "attribute" => self.part(left, None, Some(value), place),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => self.unpack(left, value, place),
            "parenthesized_expression" | "as_pattern_target" => {
                if let Some(inner) = left.named_child(0) {
                    self.target(inner, value, place);
                }
            }
            "list_splat_pattern" => {
                if let Some(name) = left.named_child(0) {
                    self.target(name, OPAQUE, place);
                }
            }
            _ => self.all(left, place),
        }
    }

    fn variable(&mut self, left: Node<'_>, value: ExpressionId, place: Place) {
        if !place.is_function {
            self.global(left, None, Some(value), place);
            return;
        }
        let name = self.out.name_of(left);
        let Some(function) = self.functions.last() else {
            self.assign(place.scope, name, None, Some(value));
            return;
        };
        if function.globals.contains(&name) {
            if let Some(definition) = self.top.get(&name).copied() {
                self.add_value(definition, value);
            }
            return;
        }
        let declared = function.declared.get(&name).copied();
        self.assign(place.scope, name, declared, Some(value));
    }

    /// A variable of a module or a class is a definition; of one without, as loops and branches have it, a name is bound.
    fn global(&mut self, left: Node<'_>, declared: Option<TypeId>, value: Option<ExpressionId>, place: Place) {
        let name = self.out.name_of(left);
        let known = self.out.definition_named(left);
        let definition = match (known, place.class) {
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
                    self.out.shape(definition).declared = Some(declared);
                }
                if let Some(value) = value {
                    self.add_value(definition, value);
                }
                if place.class.is_some() {
                    let of = self.out.expression(Expression::Definition(definition));
                    self.out.bind(place.scope, name, None, Some(of));
                }
            }
            None => self.assign(place.scope, name, declared, value),
        }
    }

    fn add_value(&mut self, definition: model::code::DefinitionId, value: ExpressionId) {
        /// The most values of one variable that are kept.
        const MAX_VALUES: usize = 16;
        let values = &mut self.out.shape(definition).values;
        if values.len() < MAX_VALUES {
            *values = values.iter().copied().chain([value]).collect();
        }
    }

    /// `a, (b, *c) = value`.
    fn unpack(&mut self, left: Node<'_>, value: ExpressionId, place: Place) {
        let mut after_splat = false;
        let mut cursor = left.walk();
        let targets: Vec<Node> = left.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect();
        for (index, target) in targets.into_iter().enumerate() {
            after_splat |= target.kind() == "list_splat_pattern";
            let part = match self.out.code.expression(value) {
                _ if after_splat || value == OPAQUE => OPAQUE,
                Expression::Tuple(parts) | Expression::List(parts) if parts.len() > index => parts[index],
                _ => self.out.expression(Expression::Part { of: value, index: index as u32 }),
            };
            self.target(target, part, place);
        }
    }

    /// `object.name = value`: a field of the class where the object is the receiver of a method.
    fn part(&mut self, left: Node<'_>, declared: Option<TypeId>, value: Option<ExpressionId>, place: Place) {
        let (Some(object), Some(name)) =
            (left.child_by_field_id(FIELDS.object), left.child_by_field_id(FIELDS.attribute))
        else {
            return;
        };
        if object.kind() != "identifier" {
            self.expression(object, place);
            return;
        }
        let object_name = self.out.name_of(object);
        let receiver = self.functions.iter().rev().find_map(|function| function.receiver);
        if let Some((_, owner)) = receiver.filter(|(receiver, _)| *receiver == object_name) {
            let name = self.out.name_of(name);
            self.out.code.fields.push(FieldFact { owner, name, declared, value });
        }
        if let Some(value) = value.filter(|value| *value != OPAQUE)
            && let Some((part, whole)) = self.know_part(left, place)
        {
            self.assign(place.scope, part, Some(whole), Some(value));
        }
    }
}
