//! Types as they are written. References are left out; pointers are not, since overloads tell them apart.

use model::code::{NameId, ScopeId, TypeExpression, TypeId};

use super::super::lowering::FILE_SCOPE;
use super::{Around, Lowering, UNWRITTEN, classes, declarators, each_child, expressions, has_specifier, names};
use crate::node::Node;

/// Steps along the parts of a path.
const MAX_PARTS: usize = 48;

/// Writes a type; nothing where it is left to the value (`auto`).
pub(super) fn written(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> TypeId {
    l.deeper(|l| write(l, around, node, scope)).unwrap_or(UNWRITTEN)
}

/// Writes the type that a declaration starts with; nothing if it starts with none.
pub(super) fn base(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> Option<TypeId> {
    let of = node.child_by_field_name("type")?;
    let of = written(l, around, of, scope);
    Some(if has_specifier(l, node, "const") { marked(l, "const", of, scope) } else { of })
}

/// Writes a type with a mark, as a type of that name with the type as its argument: `const` for objects that stay as they
/// are, `&&` for references to what is about to go.
pub(super) fn marked(l: &mut Lowering<'_>, mark: &str, of: TypeId, scope: ScopeId) -> TypeId {
    if of == UNWRITTEN {
        return of;
    }
    let mark = l.name(mark);
    named(l, vec![mark], [of].into(), scope)
}

fn write(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> TypeId {
    match node.kind() {
        "type_identifier" | "primitive_type" | "identifier" | "namespace_identifier" | "field_identifier" => {
            let name = l.name_of(node);
            named(l, vec![name], Box::default(), scope)
        }
        "sized_type_specifier" => {
            let text = sized(l.text(node));
            let name = l.name(text);
            named(l, vec![name], Box::default(), scope)
        }
        "qualified_identifier" => qualified(l, around, node, scope),
        "template_type" | "template_function" | "template_method" => {
            let Some(name) = node.child_by_field_name("name") else { return UNWRITTEN };
            let name = l.name_of(name);
            let arguments = arguments(l, around, node, scope);
            named(l, vec![name], arguments, scope)
        }
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
            classes::class(l, around, node, scope);
            node.child_by_field_name("name").map_or(UNWRITTEN, |name| written(l, around, name, scope))
        }
        "dependent_type" | "dependent_name" => {
            node.named_child(0).map_or(UNWRITTEN, |inner| written(l, around, inner, scope))
        }
        "decltype" => match node.named_child(0).filter(|inner| inner.kind() != "auto") {
            Some(inner) => {
                let of = expressions::expression(l, around, inner, scope);
                l.written(TypeExpression::Of(of))
            }
            None => UNWRITTEN,
        },
        "type_descriptor" => {
            let base = base(l, around, node, scope).unwrap_or(UNWRITTEN);
            match node.child_by_field_name("declarator") {
                Some(declarator) => declarators::declared(l, around, declarator, base, scope).declared,
                None => base,
            }
        }
        _ => UNWRITTEN,
    }
}

/// `a::b::C<D>`.
fn qualified(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> TypeId {
    let mut parts = Vec::new();
    let mut at = node;
    while at.kind() == "qualified_identifier" && parts.len() < MAX_PARTS {
        parts.push(at.child_by_field_name("scope"));
        let Some(name) = at.child_by_field_name("name") else { break };
        at = name;
    }
    parts.push(Some(at));
    path_of(l, around, parts, scope).unwrap_or(UNWRITTEN)
}

/// Writes a path of types and namespaces; no first part means the top (`::a`). What follows a type with arguments is a
/// member of that type.
fn path_of(l: &mut Lowering<'_>, around: &mut Around, parts: Vec<Option<Node<'_>>>, scope: ScopeId) -> Option<TypeId> {
    let starts_at_top = matches!(parts.first(), Some(None));
    let scope_of_name = if starts_at_top { FILE_SCOPE } else { scope };
    let mut path: Vec<NameId> = Vec::new();
    let mut of: Option<TypeId> = None;
    for part in parts.into_iter().flatten() {
        if part.kind() == "decltype" {
            of = Some(written(l, around, part, scope));
            continue;
        }
        let name = l.name_of(names::last_part(part));
        let arguments = arguments(l, around, part, scope);
        of = match of {
            Some(of) => Some(l.written(TypeExpression::Member { of, name })),
            None => {
                path.push(name);
                (!arguments.is_empty()).then(|| named(l, std::mem::take(&mut path), arguments, scope_of_name))
            }
        };
    }
    if of.is_none() && !path.is_empty() {
        of = Some(named(l, path, Box::default(), scope_of_name));
    }
    of
}

/// Writes the arguments of a template; a value among them is nothing, but keeps its place.
pub(super) fn arguments(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> Box<[TypeId]> {
    let node = if node.kind().starts_with("dependent_") { node.named_child(0).unwrap_or(node) } else { node };
    let Some(list) = node.child_by_field_name("arguments").filter(|list| list.kind() == "template_argument_list")
    else {
        return Box::default();
    };
    let mut arguments = Vec::new();
    each_child(list, |child| {
        arguments.push(match child.kind() {
            "type_descriptor" => written(l, around, child, scope),
            "parameter_pack_expansion" => {
                let pattern = child.child_by_field_name("pattern");
                pattern.map_or(UNWRITTEN, |pattern| written(l, around, pattern, scope))
            }
            _ => {
                expressions::expression(l, around, child, scope);
                UNWRITTEN
            }
        });
    });
    arguments.into()
}

fn named(l: &mut Lowering<'_>, path: Vec<NameId>, arguments: Box<[TypeId]>, scope: ScopeId) -> TypeId {
    l.written(TypeExpression::Named { path: path.into(), arguments, scope })
}

/// Returns one name for each of the numbers that can be written in several ways.
fn sized(text: &str) -> &'static str {
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

/// Writes what stands before the last name of a path.
pub(super) fn qualifier(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> Option<TypeId> {
    let mut parts = Vec::new();
    let mut at = node;
    while at.kind() == "qualified_identifier" && parts.len() < MAX_PARTS {
        parts.push(at.child_by_field_name("scope"));
        at = at.child_by_field_name("name")?;
    }
    path_of(l, around, parts, scope)
}
