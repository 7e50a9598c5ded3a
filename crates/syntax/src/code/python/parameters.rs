//! Parameters of functions, and type parameters.

use model::code::{DefinitionId, Expression, NameId, Parameter, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::{MAX_TYPE_VARIABLES, PythonLowering, StatementContext, UNKNOWN_TYPE, fields::FIELDS};
use crate::node::SyntaxNode;

impl PythonLowering<'_, '_> {
    /// Binds the first parameter of a method to its object.
    pub(super) fn lower_receiver(
        &mut self,
        node: SyntaxNode<'_>,
        class: DefinitionId,
        signature: ScopeId,
        body: ScopeId,
    ) {
        let name = match node.kind() {
            "identifier" => Some(node),
            "typed_parameter" => node.named_child(0).filter(|name| name.kind() == "identifier"),
            _ => node.child_by_field_id(FIELDS.name),
        };
        let Some(name) = name else { return };
        let name = self.out.intern_node(name);
        let annotation = node.child_by_field_id(FIELDS.type_);
        let own_type = annotation.and_then(|annotation| self.receiver_type_variable(annotation));
        let declared =
            annotation.filter(|_| own_type.is_none()).map(|annotation| self.lower_type(annotation, signature));
        if let Some(function) = self.functions.last_mut() {
            function.receiver = Some((name, class));
            function.own_type = own_type;
        }
        let value = self.out.add_expression(Expression::This { scope: body });
        self.out.bind(body, name, declared, Some(value));
    }

    /// Returns the type variable that denotes the receiver's type: `self: T`, `cls: type[T]`.
    fn receiver_type_variable(&mut self, annotation: SyntaxNode<'_>) -> Option<NameId> {
        let text = self.out.text(annotation).trim_matches(['"', '\'']);
        let inner = text
            .strip_suffix(']')
            .and_then(|text| text.split_once('['))
            .filter(|(outer, _)| matches!(outer.rsplit('.').next().unwrap_or_default(), "type" | "Type"));
        let name = self.out.intern(inner.map_or(text, |(_, inner)| inner));
        self.type_variables.contains_key(&name).then_some(name)
    }

    /// Lowers a parameter and binds its name.
    pub(super) fn lower_parameter(
        &mut self,
        node: SyntaxNode<'_>,
        context: StatementContext,
        signature: ScopeId,
        body: ScopeId,
    ) -> Option<Parameter> {
        // The parameters after `*` are keywords.
        if node.kind() == "keyword_separator" {
            let name = self.out.intern("*");
            return Some(Parameter { name, declared: None, is_optional: true, is_variadic: true });
        }
        let value = node.child_by_field_id(FIELDS.value).map(|value| self.lower_expression(value, context));
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
        let name = self.out.intern_node(name);
        let declared = node.child_by_field_id(FIELDS.type_).map(|declared| self.lower_type(declared, signature));
        let bound = declared.map(|declared| match (is_list, is_map) {
            (true, _) => self.out.add_type(TypeExpression::List(declared)),
            (_, true) => self.out.add_type(TypeExpression::Map { key: UNKNOWN_TYPE, value: declared }),
            _ => declared,
        });
        // The default value determines the type of a parameter without annotation.
        let default_value = value.filter(|_| bound.is_none());
        self.out.bind(body, name, bound, default_value);
        let is_optional = value.is_some() || is_map;
        Some(Parameter { name, declared, is_optional, is_variadic: is_list || is_map })
    }

    /// `[T: Bound, U]` after the name of a function or class.
    pub(super) fn lower_type_parameters(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Vec<TypeParameter> {
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
            let name = self.out.intern_node(name);
            let bounds: Vec<TypeId> = bound.map(|bound| self.lower_type(bound, scope)).into_iter().collect();
            parameters.push(TypeParameter { name, bounds: bounds.into(), default: None });
        }
        parameters
    }

    /// Collects the type variables among the arguments of a base (`Generic[T]`, `list[T]`), in order of first use.
    pub(super) fn collect_class_type_variables(&mut self, base: SyntaxNode<'_>, into: &mut Vec<TypeParameter>) {
        let mut cursor = base.walk();
        let arguments: Vec<SyntaxNode> = base.children_by_field_name("subscript", &mut cursor).collect();
        for argument in arguments.into_iter().filter(|argument| argument.kind() == "identifier") {
            let name = self.out.intern_node(argument);
            if let Some(bounds) = self.type_variables.get(&name)
                && into.len() < MAX_TYPE_VARIABLES
                && into.iter().all(|known| known.name != name)
            {
                into.push(TypeParameter { name, bounds: bounds.clone(), default: None });
            }
        }
    }

    /// Returns the type variables of a signature that the enclosing class does not have.
    pub(super) fn take_free_type_variables(&mut self, context: StatementContext) -> Vec<TypeParameter> {
        let of_class: Vec<NameId> = context.class.map_or(Vec::new(), |class| {
            self.out.code.shapes[class.index()].type_parameters.iter().map(|known| known.name).collect()
        });
        let Some(function) = self.functions.last_mut() else { return Vec::new() };
        let used = std::mem::take(&mut function.type_variables);
        let free = used.into_iter().filter(|name| !of_class.contains(name));
        free.map(|name| TypeParameter { name, bounds: self.type_variables[&name].clone(), default: None }).collect()
    }

    /// `T = TypeVar("T", bound=A)`.
    pub(super) fn record_type_variable(
        &mut self,
        left: SyntaxNode<'_>,
        right: SyntaxNode<'_>,
        context: StatementContext,
    ) {
        let is_variable = right.child_by_field_id(FIELDS.function).is_some_and(|function| {
            self.last_name_text(function) == "TypeVar" && left.kind() == "identifier" && !context.is_function
        });
        let Some(arguments) = right.child_by_field_id(FIELDS.arguments).filter(|_| is_variable) else { return };
        let mut bounds = Vec::new();
        let mut cursor = arguments.walk();
        for argument in arguments.named_children(&mut cursor).skip(1) {
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
                bounds.push(self.lower_type(bound, context.scope));
            }
        }
        let name = self.out.intern_node(left);
        self.type_variables.insert(name, bounds.into());
    }
}
