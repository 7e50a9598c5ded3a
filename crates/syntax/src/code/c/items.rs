//! Declarations and statements, one after another.

use model::code::{Expression, Flags, ScopeId};

use super::{Around, Lowering, OPAQUE, UNWRITTEN, block, classes, declarations, declarators, each_child};
use super::{expressions, functions, has_word, templates, types};
use crate::node::Node;

/// Lowers what is in a node, one by one.
pub(super) fn children(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    each_child(node, |child| item(l, around, child, scope));
}

/// Lowers a declaration or statement; an expression that stands by itself, too.
pub(super) fn item(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    l.deeper(|l| write(l, around, node, scope));
}

fn write(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    match node.kind() {
        "function_definition" => functions::function(l, around, node, scope),
        "declaration" | "field_declaration" => declarations::declaration(l, around, node, scope),
        "compound_statement" => block(l, around, node, scope),
        "return_statement" | "co_return_statement" => returned(l, around, node, scope),
        "if_statement" | "while_statement" | "switch_statement" | "for_statement" => block(l, around, node, scope),
        "for_range_loop" => range_loop(l, around, node, scope),
        "catch_clause" => caught(l, around, node, scope),
        "namespace_definition" => namespace(l, around, node, scope),
        "namespace_alias_definition" | "using_declaration" => super::names::taken_in(l, node, scope),
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
            classes::class(l, around, node, scope);
        }
        "template_declaration" => templates::declaration(l, around, node, scope),
        "type_definition" => declarations::type_definition(l, around, node, scope),
        "alias_declaration" => declarations::alias(l, around, node, scope),
        "friend_declaration" => {
            let was_friend = std::mem::replace(&mut around.is_friend, true);
            children(l, around, node, scope);
            around.is_friend = was_friend;
        }
        "preproc_if" | "preproc_ifdef" | "preproc_elif" | "preproc_elifdef" => conditional(l, around, node, scope),
        "preproc_def" | "preproc_function_def" => {
            let definition = node.child_by_field_name("name").and_then(|name| l.definition_named(name));
            if let Some(definition) = definition.filter(|_| around.is_conditional) {
                l.shape(definition).flags |= Flags::CONDITIONAL;
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
            children(l, around, node, scope);
        }
        _ => {
            expressions::expression(l, around, node, scope);
        }
    }
}

fn returned(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    each_child(node, |child| {
        let value = expressions::expression(l, around, child, scope);
        if let Some(results) = around.results.as_mut().filter(|_| value != OPAQUE) {
            results.push(value);
        }
    });
}

/// All branches of a condition exist: which one is compiled is not known here.
fn conditional(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let condition = node.child_by_field_name("condition").or_else(|| node.child_by_field_name("name"));
    let was_conditional = around.is_conditional;
    around.is_conditional = was_conditional || !is_guard(l, node);
    each_child(node, |child| {
        if Some(child) != condition {
            item(l, around, child, scope);
        }
    });
    around.is_conditional = was_conditional;
}

/// `#ifndef A` before `#define A` guards a header, as `#if !defined(A)` does, and `#ifdef __cplusplus` says how it is read:
/// no conditions of a build.
fn is_guard(l: &Lowering<'_>, node: Node<'_>) -> bool {
    let asked = match node.kind() {
        "preproc_ifdef" => node.child_by_field_name("name"),
        "preproc_if" => node.child_by_field_name("condition").filter(|asked| asked.kind() == "unary_expression"),
        _ => None,
    };
    let Some(asked) = asked else { return false };
    let name = l.text(asked).trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let name = name.strip_prefix("defined").map_or(name, |rest| rest.trim_matches([' ', '(']));
    if name == "__cplusplus" {
        return true;
    }
    let mut cursor = node.walk();
    let first = node.named_children(&mut cursor).find(|child| *child != asked && child.kind() != "comment");
    let defined = first.filter(|first| first.kind() == "preproc_def" && first.child_by_field_name("value").is_none());
    defined.and_then(|first| first.child_by_field_name("name")).is_some_and(|own| l.text(own) == name)
}

/// `for (T a : b)`.
fn range_loop(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let inner = l.scope(scope, None);
    if let Some(initializer) = node.child_by_field_name("initializer") {
        item(l, around, initializer, inner);
    }
    let of = node.child_by_field_name("right").map(|right| expressions::expression(l, around, right, inner));
    let value = of.filter(|of| *of != OPAQUE).map(|of| l.expression(Expression::Item { of }));
    let base = types::base(l, around, node, inner);
    if let Some(declarator) = node.child_by_field_name("declarator") {
        let declared = declarators::declared(l, around, declarator, base.unwrap_or(UNWRITTEN), inner);
        declarations::bind(l, &declared, inner, value);
    }
    if let Some(body) = node.child_by_field_name("body") {
        item(l, around, body, inner);
    }
}

fn caught(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let inner = l.scope(scope, None);
    if let Some(parameters) = node.child_by_field_name("parameters") {
        functions::parameters(l, around, parameters, inner, true);
    }
    if let Some(body) = node.child_by_field_name("body") {
        children(l, around, body, inner);
    }
}

/// A namespace opens a scope. One without a name hides what is in it; an inline one is what is around it.
fn namespace(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let name = node.child_by_field_name("name");
    let definition = name.and_then(|name| l.definition_named(name));
    if let Some(definition) = definition.filter(|_| has_word(node, "inline")) {
        l.shape(definition).flags |= Flags::DEFAULT;
    }
    let inner = l.scope(scope, definition);
    let was_hidden = around.is_hidden;
    around.is_hidden |= name.is_none();
    if let Some(body) = node.child_by_field_name("body") {
        children(l, around, body, inner);
    }
    around.is_hidden = was_hidden;
}
