//! Parameters: of functions, and those that stand for types.

use model::code::{DefinitionId, Expression, NameId, Parameter, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::{MAX_TYPE_VARIABLES, Place, Walk, fields::FIELDS};
use crate::node::Node;

impl Walk<'_, '_> {
    /// Binds the first parameter of a method to its object.
    pub(super) fn receiver(&mut self, node: Node<'_>, class: DefinitionId, signature: ScopeId, body: ScopeId) {
        let name = match node.kind() {
            "identifier" => Some(node),
            "typed_parameter" => node.named_child(0).filter(|name| name.kind() == "identifier"),
            _ => node.child_by_field_id(FIELDS.name),
        };
        let Some(name) = name else { return };
        let name = self.out.name_of(name);
        let annotation = node.child_by_field_id(FIELDS.type_);
        let own_type = annotation.and_then(|annotation| self.own_type_variable(annotation));
        let declared = annotation.filter(|_| own_type.is_none()).map(|annotation| self.written(annotation, signature));
        if let Some(function) = self.functions.last_mut() {
            function.receiver = Some((name, class));
            function.own_type = own_type;
        }
        let value = self.out.expression(Expression::This { scope: body });
        self.out.bind(body, name, declared, Some(value));
    }

    /// `self: T`, `cls: type[T]`: the type variable that stands for the type of the object.
    fn own_type_variable(&mut self, annotation: Node<'_>) -> Option<NameId> {
        let text = self.out.text(annotation).trim_matches(['"', '\'']);
        let inner = text
            .strip_suffix(']')
            .and_then(|text| text.split_once('['))
            .filter(|(outer, _)| matches!(outer.rsplit('.').next().unwrap_or_default(), "type" | "Type"));
        let name = self.out.name(inner.map_or(text, |(_, inner)| inner));
        self.type_variables.contains_key(&name).then_some(name)
    }

    /// Writes a parameter and binds its name.
    pub(super) fn parameter(
        &mut self,
        node: Node<'_>,
        place: Place,
        signature: ScopeId,
        body: ScopeId,
    ) -> Option<Parameter> {
        let value = node.child_by_field_id(FIELDS.value).map(|value| self.expression(value, place));
        let target = match node.kind() {
            "identifier" | "list_splat_pattern" | "dictionary_splat_pattern" => node,
            "typed_parameter" => node.named_child(0)?,
            "default_parameter" | "typed_default_parameter" => node.child_by_field_id(FIELDS.name)?,
            _ => return None,
        };
        let (name, is_list, is_map) = match target.kind() {
            "list_splat_pattern" => (target.named_child(0)?, true, false),
            "dictionary_splat_pattern" => (target.named_child(0)?, false, true),
            _ => (target, false, false),
        };
        let name = self.out.name_of(name);
        let declared = node.child_by_field_id(FIELDS.type_).map(|declared| self.written(declared, signature));
        let bound = declared.map(|declared| match (is_list, is_map) {
            (true, _) => self.out.written(TypeExpression::List(declared)),
            (_, true) => self.out.written(TypeExpression::Map { key: TypeId(0), value: declared }),
            _ => declared,
        });
        // What a parameter is by default says what it is where nothing else does.
        let given = value.filter(|_| bound.is_none());
        self.out.bind(body, name, bound, given);
        let is_optional = value.is_some() || is_map;
        Some(Parameter { name, declared, is_optional, is_variadic: is_list || is_map })
    }

    /// `[T: Bound, U]` after the name of a function or class.
    pub(super) fn type_parameters(&mut self, node: Node<'_>, scope: ScopeId) -> Vec<TypeParameter> {
        let mut parameters = Vec::new();
        let Some(list) = node.child_by_field_id(FIELDS.type_parameters) else { return parameters };
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            let inner = parameter.named_child(0).unwrap_or(parameter);
            let (name, bound) = match inner.kind() {
                "constrained_type" => (inner.named_child(0), inner.named_child(1)),
                _ => (Some(inner), None),
            };
            let Some(name) = name else { continue };
            let name = self.out.name_of(name);
            let bounds: Vec<TypeId> = bound.map(|bound| self.written(bound, scope)).into_iter().collect();
            parameters.push(TypeParameter { name, bounds: bounds.into(), default: None });
        }
        parameters
    }

    /// Type variables among the arguments of a base (`Generic[T]`, `list[T]`), in the order in which they first stand.
    pub(super) fn class_type_variables(&mut self, base: Node<'_>, into: &mut Vec<TypeParameter>) {
        let mut cursor = base.walk();
        let arguments: Vec<Node> = base.children_by_field_name("subscript", &mut cursor).collect();
        for argument in arguments.into_iter().filter(|argument| argument.kind() == "identifier") {
            let name = self.out.name_of(argument);
            if let Some(bounds) = self.type_variables.get(&name)
                && into.len() < MAX_TYPE_VARIABLES
                && into.iter().all(|known| known.name != name)
            {
                into.push(TypeParameter { name, bounds: bounds.clone(), default: None });
            }
        }
    }

    /// Type variables of a signature that are not those of the class around it.
    pub(super) fn free_type_variables(&mut self, place: Place) -> Vec<TypeParameter> {
        let of_class: Vec<NameId> = place.class.map_or(Vec::new(), |class| {
            self.out.code.shapes[class.index()].type_parameters.iter().map(|known| known.name).collect()
        });
        let Some(function) = self.functions.last_mut() else { return Vec::new() };
        let used = std::mem::take(&mut function.type_variables);
        let free = used.into_iter().filter(|name| !of_class.contains(name));
        free.map(|name| TypeParameter { name, bounds: self.type_variables[&name].clone(), default: None }).collect()
    }

    /// `T = TypeVar("T", bound=A)`.
    pub(super) fn type_variable(&mut self, left: Node<'_>, right: Node<'_>, place: Place) {
        let is_variable = right.child_by_field_id(FIELDS.function).is_some_and(|function| {
            self.last_text(function) == "TypeVar" && left.kind() == "identifier" && !place.is_function
        });
        let Some(given) = right.child_by_field_id(FIELDS.arguments).filter(|_| is_variable) else { return };
        let mut bounds = Vec::new();
        let mut cursor = given.walk();
        for argument in given.named_children(&mut cursor).skip(1) {
            let bound = match argument.kind() {
                "keyword_argument" => {
                    let name = argument.child_by_field_id(FIELDS.name);
                    argument
                        .child_by_field_id(FIELDS.value)
                        .filter(|_| name.is_some_and(|n| self.out.text(n) == "bound"))
                }
                "comment" => None,
                _ => Some(argument),
            };
            if let Some(bound) = bound {
                bounds.push(self.written(bound, place.scope));
            }
        }
        let name = self.out.name_of(left);
        self.type_variables.insert(name, bounds.into());
    }
}
