//! Declarations and statements in sequence.

use model::code::{Expression, Flags, ScopeId};

use super::{
    CContext, CodeBuilder, OPAQUE, UNKNOWN_TYPE, classes, declarations, declarators, for_each_child, lower_block,
};
use super::{expressions, functions, templates, types};
use crate::node::SyntaxNode;

/// Lowers the children of a node one by one.
pub(super) fn lower_children(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    for_each_child(node, |child| lower_item(out, context, child, scope));
}

/// Lowers a declaration, a statement, or an expression in statement position.
pub(super) fn lower_item(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    out.deeper(|out| lower_node(out, context, node, scope));
}

fn lower_node(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    match node.kind() {
        "function_definition" => functions::lower_function(out, context, node, scope),
        "declaration" | "field_declaration" => declarations::lower_declaration(out, context, node, scope),
        "compound_statement" => lower_block(out, context, node, scope),
        "return_statement" | "co_return_statement" => lower_return(out, context, node, scope),
        "if_statement" | "while_statement" | "switch_statement" | "for_statement" => {
            lower_block(out, context, node, scope)
        }
        "for_range_loop" => lower_range_loop(out, context, node, scope),
        "catch_clause" => lower_catch(out, context, node, scope),
        "namespace_definition" => lower_namespace(out, context, node, scope),
        "namespace_alias_definition" | "using_declaration" => super::names::bind_using(out, node, scope),
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
            classes::lower_class(out, context, node, scope);
        }
        "template_declaration" => templates::lower_template(out, context, node, scope),
        "type_definition" => declarations::lower_typedef(out, context, node, scope),
        "alias_declaration" => declarations::lower_alias(out, context, node, scope),
        "friend_declaration" => {
            let was_friend = std::mem::replace(&mut context.is_friend, true);
            lower_children(out, context, node, scope);
            context.is_friend = was_friend;
        }
        "preproc_if" | "preproc_ifdef" | "preproc_elif" | "preproc_elifdef" => {
            lower_conditional(out, context, node, scope)
        }
        "preproc_def" | "preproc_function_def" => {
            let definition = node.child_by_field_name("name").and_then(|name| out.definition_at(name));
            if let Some(definition) = definition.filter(|_| context.is_conditional) {
                out.shape_mut(definition).flags |= Flags::CONDITIONAL;
            }
        }
        "preproc_include"
        | "preproc_call"
        | "template_instantiation"
        | "access_specifier"
        | "concept_definition"
        | "type_qualifier"
        | "storage_class_specifier"
        | "primitive_type"
        | "type_identifier"
        | "statement_identifier"
        | "attribute_declaration"
        | "attribute_specifier" => {}
        "declaration_list"
        | "linkage_specification"
        | "expression_statement"
        | "else_clause"
        | "do_statement"
        | "case_statement"
        | "labeled_statement"
        | "attributed_statement"
        | "try_statement"
        | "throw_statement"
        | "condition_clause"
        | "init_statement"
        | "preproc_else"
        | "ERROR"
        | "static_assert_declaration"
        | "seh_try_statement"
        | "seh_except_clause"
        | "seh_finally_clause"
        | "field_declaration_list" => {
            lower_children(out, context, node, scope);
        }
        _ => {
            expressions::lower_expression(out, context, node, scope);
        }
    }
}

fn lower_return(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    for_each_child(node, |child| {
        let value = expressions::lower_expression(out, context, child, scope);
        if let Some(results) = context.results.as_mut().filter(|_| value != OPAQUE) {
            results.push(value);
        }
    });
}

/// Lowers all branches of a preprocessor condition, since the build configuration is unknown.
fn lower_conditional(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let condition = node.child_by_field_name("condition").or_else(|| node.child_by_field_name("name"));
    let was_conditional = context.is_conditional;
    context.is_conditional = was_conditional || !is_build_independent(out, node);
    for_each_child(node, |child| {
        if Some(child) != condition {
            lower_item(out, context, child, scope);
        }
    });
    context.is_conditional = was_conditional;
}

/// Returns true for conditions that do not depend on the build: header guards (`#ifndef A` before `#define A`, or `#if
/// !defined(A)`) and `#ifdef __cplusplus`.
fn is_build_independent(out: &CodeBuilder<'_>, node: SyntaxNode<'_>) -> bool {
    let tested = match node.kind() {
        "preproc_ifdef" => node.child_by_field_name("name"),
        "preproc_if" => node.child_by_field_name("condition").filter(|tested| tested.kind() == "unary_expression"),
        _ => None,
    };
    let Some(tested) = tested else { return false };
    let name = out.text(tested).trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let name = name.strip_prefix("defined").map_or(name, |rest| rest.trim_matches([' ', '(']));
    if name == "__cplusplus" {
        return true;
    }
    let mut cursor = node.walk();
    let first = node.named_children(&mut cursor).find(|child| *child != tested && child.kind() != "comment");
    let defined = first.filter(|first| first.kind() == "preproc_def" && first.child_by_field_name("value").is_none());
    defined.and_then(|first| first.child_by_field_name("name")).is_some_and(|own| out.text(own) == name)
}

/// `for (T a : b)`.
fn lower_range_loop(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let inner = out.open_scope(scope, None);
    if let Some(initializer) = node.child_by_field_name("initializer") {
        lower_item(out, context, initializer, inner);
    }
    let of = node.child_by_field_name("right").map(|right| expressions::lower_expression(out, context, right, inner));
    let value = of.filter(|of| *of != OPAQUE).map(|of| out.add_expression(Expression::Item { of }));
    let base = types::lower_base_type(out, context, node, inner);
    if let Some(declarator) = node.child_by_field_name("declarator") {
        let declared = declarators::lower_declarator(out, context, declarator, base.unwrap_or(UNKNOWN_TYPE), inner);
        declarations::bind_declarator(out, &declared, inner, value);
    }
    if let Some(body) = node.child_by_field_name("body") {
        lower_item(out, context, body, inner);
    }
}

fn lower_catch(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let inner = out.open_scope(scope, None);
    if let Some(parameters) = node.child_by_field_name("parameters") {
        functions::lower_parameters(out, context, parameters, inner, true);
    }
    if let Some(body) = node.child_by_field_name("body") {
        lower_children(out, context, body, inner);
    }
}

/// Lowers a namespace, which opens a scope. Members of an unnamed one are private to the file; members of an inline one
/// belong to the enclosing namespace.
fn lower_namespace(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let name = node.child_by_field_name("name");
    let definition = name.and_then(|name| out.definition_at(name));
    if let Some(definition) = definition.filter(|_| node.has_child("inline")) {
        out.shape_mut(definition).flags |= Flags::DEFAULT;
    }
    let inner = out.open_scope(scope, definition);
    let was_hidden = context.is_hidden;
    context.is_hidden |= name.is_none();
    if let Some(body) = node.child_by_field_name("body") {
        lower_children(out, context, body, inner);
    }
    context.is_hidden = was_hidden;
}
