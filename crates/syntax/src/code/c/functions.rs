//! Functions: prototypes and bodies, parameters, and the receiver type of an out-of-line member.

use model::code::{Flags, Parameter, ScopeId, TypeExpression, TypeId};

use super::declarators::{self, LoweredDeclarator};
use super::{CContext, CodeBuilder, UNKNOWN_TYPE, calls, expressions, for_each_child, has_specifier, items, types};
use crate::node::SyntaxNode;

/// Lowers a function with a body.
pub(super) fn lower_function(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let Some(declarator) = node.child_by_field_name("declarator") else {
        return items::lower_children(out, context, node, scope);
    };
    // Its types may refer to its parameters.
    let inner = out.open_scope(scope, None);
    let base = types::lower_base_type(out, context, node, inner);
    let lowered = declarators::lower_declarator(out, context, declarator, base.unwrap_or(UNKNOWN_TYPE), inner);
    let definition = lowered.name.and_then(|name| out.definition_at(name));
    out.code.scopes[inner.index()].definition = definition;
    let parameters = match lowered.function.and_then(|function| function.child_by_field_name("parameters")) {
        Some(parameters) => lower_parameters(out, context, parameters, inner, true),
        None => Vec::new(),
    };
    set_function_shape(out, context, node, &lowered, parameters, scope);
    if let Some(definition) = definition {
        out.shape_mut(definition).body = Some(inner);
    }
    let is_inferred = lowered.declared == UNKNOWN_TYPE && base.is_some();
    let own = CContext {
        is_cpp: context.is_cpp,
        is_in_function: true,
        is_hidden: context.is_hidden,
        is_conditional: context.is_conditional,
        results: is_inferred.then(Vec::new),
        ..CContext::default()
    };
    let outer = std::mem::replace(context, own);
    lower_initializers(out, context, node, inner);
    if let Some(body) = node.child_by_field_name("body") {
        items::lower_children(out, context, body, inner);
    }
    let own = std::mem::replace(context, outer);
    if let (Some(definition), Some(results)) = (definition, own.results) {
        out.shape_mut(definition).values = results.into();
    }
}

/// Lowers a function declaration without a body.
pub(super) fn lower_prototype(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    lowered: &LoweredDeclarator<'_>,
    scope: ScopeId,
) {
    let Some(definition) = lowered.name.and_then(|name| out.definition_at(name)) else {
        context.templates.clear();
        return;
    };
    let Some(list) = lowered.function.and_then(|function| function.child_by_field_name("parameters")) else { return };
    let parameters = lower_parameters(out, context, list, scope, false);
    set_function_shape(out, context, node, lowered, parameters, scope);
    let is_pure = node.child_by_field_name("default_value").is_some();
    out.shape_mut(definition).flags |= if is_pure { Flags::ABSTRACT } else { Flags::DECLARATION };
}

/// Writes the shape that prototypes and definitions share.
fn set_function_shape(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    lowered: &LoweredDeclarator<'_>,
    parameters: Vec<Parameter>,
    scope: ScopeId,
) {
    let templates = std::mem::take(&mut context.templates);
    let Some(definition) = lowered.name.and_then(|name| out.definition_at(name)) else { return };
    let mut flags = Flags::default();
    if has_specifier(out, node, "static") {
        flags |= Flags::STATIC | Flags::PRIVATE;
    }
    if context.is_hidden {
        flags |= Flags::PRIVATE;
    }
    if context.is_conditional {
        flags |= Flags::CONDITIONAL;
    }
    if context.is_friend {
        flags |= Flags::FRIEND;
    }
    if lowered.function.is_some_and(|function| has_specifier(out, function, "const")) {
        flags |= Flags::CONSTANT;
    }
    let receiver = lower_receiver(out, context, lowered, scope);
    let declared = Some(lowered.declared).filter(|declared| *declared != UNKNOWN_TYPE);
    let shape = out.shape_mut(definition);
    shape.flags |= flags;
    shape.type_parameters = templates.into();
    shape.parameters = parameters.into();
    shape.declared = declared;
    shape.receiver = receiver;
}

/// Returns the qualifier of a name, a type or a namespace: `A` in `A::f`.
pub(super) fn lower_receiver(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    lowered: &LoweredDeclarator<'_>,
    scope: ScopeId,
) -> Option<TypeId> {
    let qualified = lowered.qualified.filter(|node| node.kind() == "qualified_identifier")?;
    types::lower_qualifier(out, context, qualified, scope)
}

/// Lowers parameters, and binds them in `scope` if `binds` is set.
pub(super) fn lower_parameters(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    list: SyntaxNode<'_>,
    scope: ScopeId,
    binds: bool,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for_each_child(list, |node| match node.kind() {
        "parameter_declaration" | "optional_parameter_declaration" | "variadic_parameter_declaration" => {
            parameters.push(lower_parameter(out, context, node, scope, binds));
        }
        "variadic_parameter" => parameters.push(ellipsis_parameter(out)),
        _ => {}
    });
    let is_void = matches!(&parameters[..], [only] if is_void_parameter(out, only));
    if is_void {
        parameters.clear();
    }
    if list.has_child("...") && parameters.last().is_none_or(|last| !last.is_variadic) {
        parameters.push(ellipsis_parameter(out));
    }
    parameters
}

fn lower_parameter(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
    binds: bool,
) -> Parameter {
    let base = types::lower_base_type(out, context, node, scope).unwrap_or(UNKNOWN_TYPE);
    let declarator = node.child_by_field_name("declarator");
    let lowered = declarator.map(|declarator| declarators::lower_declarator(out, context, declarator, base, scope));
    if let Some(default) = node.child_by_field_name("default_value") {
        expressions::lower_expression(out, context, default, scope);
    }
    let mut declared = lowered.as_ref().map_or(base, |lowered| lowered.declared);
    if let Some(function) = lowered.as_ref().and_then(|lowered| lowered.function) {
        declared = declarators::lower_function_type(out, context, function, declared, scope);
    }
    let declared = Some(declared).filter(|declared| *declared != UNKNOWN_TYPE);
    let name_node = lowered.as_ref().and_then(|lowered| lowered.name);
    let name = match name_node {
        Some(name) => out.intern_node(name),
        None => out.intern(""),
    };
    if binds && name_node.is_some() {
        out.bind(scope, name, declared, None);
    }
    let is_optional = node.kind() == "optional_parameter_declaration";
    let is_pack = node.kind() == "variadic_parameter_declaration";
    let is_variadic = is_pack || lowered.is_some_and(|lowered| lowered.is_variadic);
    Parameter { name, declared, is_optional, is_variadic }
}

/// Returns the parameter for `...`, as in `printf`.
fn ellipsis_parameter(out: &mut CodeBuilder<'_>) -> Parameter {
    Parameter { name: out.intern(""), declared: None, is_optional: true, is_variadic: true }
}

/// Returns true for the parameter of `f(void)`, which has none.
fn is_void_parameter(out: &CodeBuilder<'_>, parameter: &Parameter) -> bool {
    let Some(declared) = parameter.declared else { return false };
    let names = match out.code.written(declared) {
        TypeExpression::Named { path, .. } => path,
        _ => return false,
    };
    out.code.name(parameter.name).is_empty() && matches!(&names[..], [name] if out.code.name(*name) == "void")
}

/// Lowers `: A(b), c_(d)`: constructors of bases and fields.
fn lower_initializers(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let mut lists = Vec::new();
    for_each_child(node, |child| match child.kind() {
        "field_initializer_list" => lists.push(child),
        "try_statement" => for_each_child(child, |inner| {
            if inner.kind() == "field_initializer_list" {
                lists.push(inner);
            }
        }),
        _ => {}
    });
    for list in lists {
        for_each_child(list, |initializer| {
            out.deeper(|out| calls::lower_initializer(out, context, initializer, scope));
        });
    }
}
