//! Functions: prototypes and bodies, parameters, and the type that one written outside of it belongs to.

use model::code::{Flags, Parameter, ScopeId, TypeExpression, TypeId};

use super::declarators::{self, Declared};
use super::{Around, Lowering, UNWRITTEN, calls, each_child, expressions, has_specifier, has_word, items, types};
use crate::node::Node;

/// A function with a body.
pub(super) fn function(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let Some(declarator) = node.child_by_field_name("declarator") else {
        return items::children(l, around, node, scope);
    };
    // Its types are written in terms of its own parameters.
    let inner = l.scope(scope, None);
    let base = types::base(l, around, node, inner);
    let found = declarators::declared(l, around, declarator, base.unwrap_or(UNWRITTEN), inner);
    let definition = found.name.and_then(|name| l.definition_named(name));
    l.code.scopes[inner.index()].definition = definition;
    let parameters = match found.function.and_then(|function| function.child_by_field_name("parameters")) {
        Some(parameters) => self::parameters(l, around, parameters, inner, true),
        None => Vec::new(),
    };
    describe(l, around, node, &found, parameters, scope);
    if let Some(definition) = definition {
        l.shape(definition).body = Some(inner);
    }
    let is_inferred = found.declared == UNWRITTEN && base.is_some();
    let outer = Around {
        is_cpp: around.is_cpp,
        in_function: true,
        is_hidden: around.is_hidden,
        is_conditional: around.is_conditional,
        results: is_inferred.then(Vec::new),
        ..Around::default()
    };
    let outer = std::mem::replace(around, outer);
    initialisers(l, around, node, inner);
    if let Some(body) = node.child_by_field_name("body") {
        items::children(l, around, body, inner);
    }
    let own = std::mem::replace(around, outer);
    if let (Some(definition), Some(results)) = (definition, own.results) {
        l.shape(definition).values = results.into();
    }
}

/// A function without a body, whose body is elsewhere or yet to be given.
pub(super) fn prototype(
    l: &mut Lowering<'_>,
    around: &mut Around,
    node: Node<'_>,
    found: &Declared<'_>,
    scope: ScopeId,
) {
    let Some(definition) = found.name.and_then(|name| l.definition_named(name)) else {
        around.templates.clear();
        return;
    };
    let Some(list) = found.function.and_then(|function| function.child_by_field_name("parameters")) else { return };
    let parameters = parameters(l, around, list, scope, false);
    describe(l, around, node, found, parameters, scope);
    let is_pure = node.child_by_field_name("default_value").is_some();
    l.shape(definition).flags |= if is_pure { Flags::ABSTRACT } else { Flags::DECLARATION };
}

/// Writes what is the same for prototypes and bodies.
fn describe(
    l: &mut Lowering<'_>,
    around: &mut Around,
    node: Node<'_>,
    found: &Declared<'_>,
    parameters: Vec<Parameter>,
    scope: ScopeId,
) {
    let templates = std::mem::take(&mut around.templates);
    let Some(definition) = found.name.and_then(|name| l.definition_named(name)) else { return };
    let mut flags = Flags::default();
    if has_specifier(l, node, "static") {
        flags |= Flags::STATIC | Flags::PRIVATE;
    }
    if around.is_hidden {
        flags |= Flags::PRIVATE;
    }
    if around.is_conditional {
        flags |= Flags::CONDITIONAL;
    }
    if around.is_friend {
        flags |= Flags::FRIEND;
    }
    if found.function.is_some_and(|function| has_specifier(l, function, "const")) {
        flags |= Flags::CONSTANT;
    }
    let receiver = receiver(l, around, found, scope);
    let declared = Some(found.declared).filter(|declared| *declared != UNWRITTEN);
    let shape = l.shape(definition);
    shape.flags |= flags;
    shape.type_parameters = templates.into();
    shape.parameters = parameters.into();
    shape.declared = declared;
    shape.receiver = receiver;
}

/// Returns what is written before a name: `A` of `A::f`, a type or a namespace.
pub(super) fn receiver(
    l: &mut Lowering<'_>,
    around: &mut Around,
    found: &Declared<'_>,
    scope: ScopeId,
) -> Option<TypeId> {
    let qualified = found.qualified.filter(|node| node.kind() == "qualified_identifier")?;
    types::qualifier(l, around, qualified, scope)
}

/// Lowers parameters; binds them in `scope` where that is the function's own.
pub(super) fn parameters(
    l: &mut Lowering<'_>,
    around: &mut Around,
    list: Node<'_>,
    scope: ScopeId,
    binds: bool,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    each_child(list, |node| match node.kind() {
        "parameter_declaration" | "optional_parameter_declaration" | "variadic_parameter_declaration" => {
            let base = types::base(l, around, node, scope).unwrap_or(UNWRITTEN);
            let declarator = node.child_by_field_name("declarator");
            let found = declarator.map(|declarator| declarators::declared(l, around, declarator, base, scope));
            if let Some(default) = node.child_by_field_name("default_value") {
                expressions::expression(l, around, default, scope);
            }
            let mut declared = found.as_ref().map_or(base, |found| found.declared);
            if let Some(function) = found.as_ref().and_then(|found| found.function) {
                declared = declarators::function_type(l, around, function, declared, scope);
            }
            let declared = Some(declared).filter(|declared| *declared != UNWRITTEN);
            let name_node = found.as_ref().and_then(|found| found.name);
            let name = match name_node {
                Some(name) => l.name_of(name),
                None => l.name(""),
            };
            if binds && name_node.is_some() {
                l.bind(scope, name, declared, None);
            }
            let is_optional = node.kind() == "optional_parameter_declaration";
            let is_pack = node.kind() == "variadic_parameter_declaration";
            let is_variadic = is_pack || found.is_some_and(|found| found.is_variadic);
            parameters.push(Parameter { name, declared, is_optional, is_variadic });
        }
        "variadic_parameter" => parameters.push(more(l)),
        _ => {}
    });
    let is_void = matches!(&parameters[..], [only] if is_void(l, only));
    if is_void {
        parameters.clear();
    }
    if has_word(list, "...") && parameters.last().is_none_or(|last| !last.is_variadic) {
        parameters.push(more(l));
    }
    parameters
}

/// `...`, as `printf` has it.
fn more(l: &mut Lowering<'_>) -> Parameter {
    Parameter { name: l.name(""), declared: None, is_optional: true, is_variadic: true }
}

/// `f(void)` has no parameters.
fn is_void(l: &Lowering<'_>, parameter: &Parameter) -> bool {
    let Some(declared) = parameter.declared else { return false };
    let names = match l.code.written(declared) {
        TypeExpression::Named { path, .. } => path,
        _ => return false,
    };
    l.code.name(parameter.name).is_empty() && matches!(&names[..], [name] if l.code.name(*name) == "void")
}

/// `: A(b), c_(d)`: constructors of bases and fields.
fn initialisers(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let mut lists = Vec::new();
    each_child(node, |child| match child.kind() {
        "field_initializer_list" => lists.push(child),
        "try_statement" => each_child(child, |inner| {
            if inner.kind() == "field_initializer_list" {
                lists.push(inner);
            }
        }),
        _ => {}
    });
    for list in lists {
        each_child(list, |initialiser| {
            l.deeper(|l| calls::initialiser(l, around, initialiser, scope));
        });
    }
}
