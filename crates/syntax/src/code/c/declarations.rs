//! Variables, fields, prototypes and aliases.

use model::code::{Expression, ExpressionId, Flags, ScopeId, TypeId};

use super::declarators::{self, Declared};
use super::{Around, Lowering, OPAQUE, UNWRITTEN, calls, each_child, expressions, functions, has_specifier, types};
use crate::node::Node;

/// `T a = b, *c(d);`, a field, or the prototype of a function.
pub(super) fn declaration(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let is_prototype = !around.in_function && is_function(node);
    let outer = scope;
    let scope = if is_prototype { l.scope(outer, None) } else { outer };
    let base = types::base(l, around, node, scope).unwrap_or(UNWRITTEN);
    let is_static = has_specifier(l, node, "static");
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let found = declarators::declared(l, around, declarator, base, scope);
        let definition = found.name.and_then(|name| l.definition_named(name));
        if is_prototype {
            l.code.scopes[scope.index()].definition = definition;
        }
        if let Some(function) = found.function {
            if let Some(arguments) = arguments_like_parameters(around, function) {
                made(l, around, &found, arguments, scope);
            } else {
                functions::prototype(l, around, node, &found, scope);
            }
            continue;
        }
        let default = found.value.or_else(|| node.child_by_field_name("default_value"));
        let value = default.and_then(|value| initial(l, around, &found, value, scope));
        match definition {
            Some(definition) => {
                let declared = Some(found.declared).filter(|declared| *declared != UNWRITTEN);
                let hides = is_static || around.is_hidden;
                let receiver = functions::receiver(l, around, &found, scope);
                let shape = l.shape(definition);
                shape.declared = declared;
                shape.values = value.into_iter().collect();
                shape.receiver = receiver;
                shape.flags |= if hides { Flags::PRIVATE } else { Flags::default() };
                shape.flags |= if is_static { Flags::STATIC } else { Flags::default() };
            }
            None => bind(l, &found, scope, value),
        }
    }
    // `if (T a = b)` has its value beside the declarator.
    if let Some(value) = node.child_by_field_name("value") {
        let value = expressions::expression(l, around, value, scope);
        if let Some(binding) = l.code.bindings.last_mut().filter(|_| value != OPAQUE) {
            binding.value = Some(value);
        }
    }
}

/// Says whether a declaration is one of a function alone, whose types are written in terms of its own parameters.
fn is_function(node: Node<'_>) -> bool {
    let mut at = node.child_by_field_name("declarator");
    for _ in 0..4 {
        match at.map(|at| (at, at.kind())) {
            Some((_, "function_declarator" | "operator_cast")) => return true,
            Some((inner, "pointer_declarator")) => at = inner.child_by_field_name("declarator"),
            Some((inner, "reference_declarator")) => at = inner.named_child(0),
            _ => return false,
        }
    }
    false
}

/// Binds what is declared in a function; several names take the parts of the value.
pub(super) fn bind(l: &mut Lowering<'_>, found: &Declared<'_>, scope: ScopeId, value: Option<ExpressionId>) {
    let declared = Some(found.declared).filter(|declared| *declared != UNWRITTEN);
    if let Some(parts) = found.parts {
        let mut index = 0;
        each_child(parts, |part| {
            let value = value.map(|of| l.expression(Expression::Part { of, index }));
            let name = l.name_of(part);
            l.bind(scope, name, None, value);
            index += 1;
        });
    } else if let Some(name) = found.name {
        let name = l.name_of(name);
        l.bind(scope, name, declared, value);
    }
}

/// Lowers what a variable starts with. `a(b)` and `a{b}` make an object of its type.
fn initial(
    l: &mut Lowering<'_>,
    around: &mut Around,
    found: &Declared<'_>,
    value: Node<'_>,
    scope: ScopeId,
) -> Option<ExpressionId> {
    let is_assigned = value.prev_sibling().is_some_and(|before| before.kind() == "=");
    match value.kind() {
        "argument_list" => Some(made(l, around, found, value, scope)),
        "initializer_list" if !is_assigned => Some(made(l, around, found, value, scope)),
        _ => {
            let value = expressions::expression(l, around, value, scope);
            Some(value).filter(|value| *value != OPAQUE)
        }
    }
}

/// Lowers `T a(b)`: a call of a constructor, if `T` has one.
fn made(
    l: &mut Lowering<'_>,
    around: &mut Around,
    found: &Declared<'_>,
    arguments: Node<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let arguments = calls::arguments(l, around, arguments, scope);
    if found.declared == UNWRITTEN {
        return arguments.first().copied().unwrap_or(OPAQUE);
    }
    let made = l.expression(Expression::Make { made: found.declared, arguments });
    if let Some(name) = found.name {
        l.site(made, scope, name);
        if found.function.is_some() && around.in_function {
            bind(l, found, scope, Some(made));
        }
    }
    made
}

/// In a function, `T a(b, c)` with plain names makes an object; a grammar takes it for the prototype of a function.
fn arguments_like_parameters<'t>(around: &Around, function: Node<'t>) -> Option<Node<'t>> {
    if !around.in_function || !around.is_cpp {
        return None;
    }
    let parameters = function.child_by_field_name("parameters")?;
    let mut n_names = 0;
    let mut n_others = 0;
    each_child(parameters, |parameter| {
        let is_name = parameter.kind() == "parameter_declaration"
            && parameter.named_child_count() == 1
            && parameter
                .child_by_field_name("type")
                .is_some_and(|of| matches!(of.kind(), "type_identifier" | "qualified_identifier"));
        if is_name {
            n_names += 1;
        } else {
            n_others += 1;
        }
    });
    (n_names > 0 && n_others == 0).then_some(parameters)
}

/// `typedef T A, *B;`
pub(super) fn type_definition(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let Some(base) = node.child_by_field_name("type") else { return };
    let base = types::written(l, around, base, scope);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let mut found = declarators::declared(l, around, declarator, base, scope);
        if let (Some(function), result) = (found.function, found.declared) {
            found.declared = declarators::function_type(l, around, function, result, scope);
        }
        stand_for(l, around, found.name, found.declared, scope);
    }
}

/// `using A = T;`
pub(super) fn alias(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let templates = std::mem::take(&mut around.templates);
    let Some(of) = node.child_by_field_name("type") else { return };
    let name = node.child_by_field_name("name");
    let definition = name.and_then(|name| l.definition_named(name));
    // Only what has parameters of its own needs a scope of its own.
    let own = if templates.is_empty() { scope } else { l.scope(scope, definition) };
    let of = types::written(l, around, of, own);
    if let Some(definition) = definition {
        l.shape(definition).type_parameters = templates.into();
    }
    stand_for(l, around, name, of, scope);
}

/// Gives an alias its type; one in a function is bound there, too.
fn stand_for(l: &mut Lowering<'_>, around: &Around, name: Option<Node<'_>>, of: TypeId, scope: ScopeId) {
    let Some(name) = name.filter(|_| of != UNWRITTEN) else { return };
    if let Some(definition) = l.definition_named(name) {
        l.shape(definition).declared = Some(of);
    }
    if around.in_function {
        let name = l.name_of(name);
        let value = l.expression(Expression::Type(of));
        l.bind(scope, name, None, Some(value));
    }
}
