//! Types as they are written. References are dropped; pointers are kept, since overloads differ by them.

use model::code::{NameId, ScopeId, TypeExpression, TypeId};

use super::super::builder::FILE_SCOPE;
use super::{
    CContext, CodeBuilder, MAX_PATH_PARTS, UNKNOWN_TYPE, classes, declarators, expressions, for_each_child,
    has_specifier, names,
};
use crate::node::SyntaxNode;

/// Lowers a type. Returns `UNKNOWN_TYPE` if it is inferred from the value (`auto`).
pub(super) fn lower_type(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> TypeId {
    out.deeper(|out| lower_node(out, context, node, scope)).unwrap_or(UNKNOWN_TYPE)
}

/// Lowers the type at the start of a declaration. Returns `None` if there is none.
pub(super) fn lower_base_type(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> Option<TypeId> {
    let of = node.child_by_field_name("type")?;
    let of = lower_type(out, context, of, scope);
    Some(if has_specifier(out, node, "const") { add_qualifier(out, "const", of, scope) } else { of })
}

/// Lowers a qualified type as a type with the qualifier as its name and the type as its argument: `const` for constant
/// objects, `&&` for rvalue references.
pub(super) fn add_qualifier(out: &mut CodeBuilder<'_>, mark: &str, of: TypeId, scope: ScopeId) -> TypeId {
    if of == UNKNOWN_TYPE {
        return of;
    }
    let mark = out.intern(mark);
    add_named_type(out, vec![mark], [of].into(), scope)
}

fn lower_node(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
    match node.kind() {
        "type_identifier" | "primitive_type" | "identifier" | "namespace_identifier" | "field_identifier" => {
            let name = out.intern_node(node);
            add_named_type(out, vec![name], Box::default(), scope)
        }
        "sized_type_specifier" => {
            let text = canonical_integer_name(out.text(node));
            let name = out.intern(text);
            add_named_type(out, vec![name], Box::default(), scope)
        }
        "qualified_identifier" => lower_qualified_type(out, context, node, scope),
        "template_type" | "template_function" | "template_method" => {
            let Some(name) = node.child_by_field_name("name") else { return UNKNOWN_TYPE };
            let name = out.intern_node(name);
            let arguments = lower_template_arguments(out, context, node, scope);
            add_named_type(out, vec![name], arguments, scope)
        }
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
            classes::lower_class(out, context, node, scope);
            node.child_by_field_name("name").map_or(UNKNOWN_TYPE, |name| lower_type(out, context, name, scope))
        }
        "dependent_type" | "dependent_name" => {
            node.named_child(0).map_or(UNKNOWN_TYPE, |inner| lower_type(out, context, inner, scope))
        }
        "decltype" => match node.named_child(0).filter(|inner| inner.kind() != "auto") {
            Some(inner) => {
                let of = expressions::lower_expression(out, context, inner, scope);
                out.add_type(TypeExpression::Of(of))
            }
            None => UNKNOWN_TYPE,
        },
        "type_descriptor" => {
            let base = lower_base_type(out, context, node, scope).unwrap_or(UNKNOWN_TYPE);
            match node.child_by_field_name("declarator") {
                Some(declarator) => declarators::lower_declarator(out, context, declarator, base, scope).declared,
                None => base,
            }
        }
        _ => UNKNOWN_TYPE,
    }
}

/// `a::b::C<D>`.
fn lower_qualified_type(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> TypeId {
    let mut parts = Vec::new();
    let mut at = node;
    while at.kind() == "qualified_identifier" && parts.len() < MAX_PATH_PARTS {
        parts.push(at.child_by_field_name("scope"));
        let Some(name) = at.child_by_field_name("name") else { break };
        at = name;
    }
    parts.push(Some(at));
    lower_path(out, context, parts, scope).unwrap_or(UNKNOWN_TYPE)
}

/// Lowers a path of types and namespaces. A missing first part denotes the global scope (`::a`). The name after a type
/// with arguments is a member of that type.
fn lower_path(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    parts: Vec<Option<SyntaxNode<'_>>>,
    scope: ScopeId,
) -> Option<TypeId> {
    let starts_at_top = matches!(parts.first(), Some(None));
    let scope_of_name = if starts_at_top { FILE_SCOPE } else { scope };
    let mut path: Vec<NameId> = Vec::new();
    let mut of: Option<TypeId> = None;
    for part in parts.into_iter().flatten() {
        if part.kind() == "decltype" {
            of = Some(lower_type(out, context, part, scope));
            continue;
        }
        let name = out.intern_node(names::last_name(part));
        let arguments = lower_template_arguments(out, context, part, scope);
        of = match of {
            Some(of) => Some(out.add_type(TypeExpression::Member { of, name })),
            None => {
                path.push(name);
                (!arguments.is_empty())
                    .then(|| add_named_type(out, std::mem::take(&mut path), arguments, scope_of_name))
            }
        };
    }
    if of.is_none() && !path.is_empty() {
        of = Some(add_named_type(out, path, Box::default(), scope_of_name));
    }
    of
}

/// Lowers template arguments. A value argument keeps its position as `UNKNOWN_TYPE`.
pub(super) fn lower_template_arguments(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> Box<[TypeId]> {
    let node = if node.kind().starts_with("dependent_") { node.named_child(0).unwrap_or(node) } else { node };
    let Some(list) = node.child_by_field_name("arguments").filter(|list| list.kind() == "template_argument_list")
    else {
        return Box::default();
    };
    let mut arguments = Vec::new();
    for_each_child(list, |child| {
        arguments.push(match child.kind() {
            "type_descriptor" => lower_type(out, context, child, scope),
            "parameter_pack_expansion" => {
                let pattern = child.child_by_field_name("pattern");
                pattern.map_or(UNKNOWN_TYPE, |pattern| lower_type(out, context, pattern, scope))
            }
            _ => {
                expressions::lower_expression(out, context, child, scope);
                UNKNOWN_TYPE
            }
        });
    });
    arguments.into()
}

fn add_named_type(out: &mut CodeBuilder<'_>, path: Vec<NameId>, arguments: Box<[TypeId]>, scope: ScopeId) -> TypeId {
    out.add_type(TypeExpression::Named { path: path.into(), arguments, scope })
}

/// Returns one canonical name for each integer type that has several spellings.
fn canonical_integer_name(text: &str) -> &'static str {
    let has = |word: &str| text.split_whitespace().any(|part| part == word);
    let n_long = text.split_whitespace().filter(|part| *part == "long").count();
    match (has("unsigned"), n_long) {
        _ if has("double") => "long double",
        (true, _) if has("char") => "unsigned char",
        (false, _) if has("char") => "signed char",
        (true, _) if has("short") => "unsigned short",
        (false, _) if has("short") => "short",
        (true, 0) => "unsigned int",
        (true, 1) => "unsigned long",
        (true, _) => "unsigned long long",
        (false, 0) => "int",
        (false, 1) => "long",
        (false, _) => "long long",
    }
}

/// Lowers the qualifier of a path.
pub(super) fn lower_qualifier(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> Option<TypeId> {
    let mut parts = Vec::new();
    let mut at = node;
    while at.kind() == "qualified_identifier" && parts.len() < MAX_PATH_PARTS {
        parts.push(at.child_by_field_name("scope"));
        at = at.child_by_field_name("name")?;
    }
    lower_path(out, context, parts, scope)
}
