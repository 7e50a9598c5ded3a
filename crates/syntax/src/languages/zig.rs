//! Zig, where types are values of constants.

use model::SymbolKind;

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", Rule::Define(SymbolKind::Function)),
        ("test_declaration", Rule::Visit(test)),
        ("variable_declaration", Rule::Visit(variable)),
        ("container_field", Rule::Visit(field)),
        ("comment", Rule::Comment),
        ("call_expression", Rule::Call("function")),
        ("struct_initializer", Rule::Construct("")),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("field_expression", NameRule::Member { object: "object", name: "member" }),
        ("call_expression", NameRule::Inside("function")),
        ("struct_initializer", NameRule::First),
        ("pointer_type", NameRule::Last),
        ("slice_type", NameRule::Last),
        ("nullable_type", NameRule::Last),
        ("error_union_type", NameRule::Inside("ok")),
    ],
    bodies: &[
        "struct_declaration",
        "enum_declaration",
        "union_declaration",
        "opaque_declaration",
        "error_set_declaration",
        "block",
    ],
    type_fields: &["type"],
    ..LanguageRules::NONE
};

/// `const A = struct { … }` is a struct, `const a = @import("a")` an import; others are constants outside of functions.
fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let Some(name) = node.named_children(&mut cursor).find(|child| child.kind() == "identifier") else {
        return Next::Into;
    };
    let value = node.named_children(&mut cursor).last().filter(|value| *value != name);
    if let Some((module, member)) = value.and_then(|value| imported(walk, value)) {
        walk.import(node, &module, &member, &walk.text(name), is_public(walk, node));
        return Next::Over;
    }
    let kind = match value.map(|value| value.kind()) {
        Some("struct_declaration" | "opaque_declaration") => SymbolKind::Struct,
        Some("enum_declaration" | "error_set_declaration") => SymbolKind::Enum,
        Some("union_declaration") => SymbolKind::Union,
        _ if walk.in_function() => return Next::Into,
        _ if node.children(&mut cursor).any(|child| child.kind() == "var") => SymbolKind::Variable,
        _ => SymbolKind::Constant,
    };
    walk.define(Subject::new(kind, node, name, walk));
    Next::Into
}

fn is_public(walk: &Walk<'_>, node: Node<'_>) -> bool {
    walk.source[node.byte_range()].starts_with(b"pub")
}

/// Returns the module of `@import("a")`, and the name taken from it by `.b` if there is one.
fn imported(walk: &Walk<'_>, value: Node<'_>) -> Option<(String, String)> {
    let (call, member) = match value.kind() {
        "field_expression" => (value.child_by_field_name("object")?, value.child_by_field_name("member")),
        _ => (value, None),
    };
    let text = walk.text(call);
    let module = text.strip_prefix("@import(")?.trim_end_matches(')').trim().trim_matches('"').to_owned();
    Some((module, member.map_or_else(String::new, |member| walk.text(member).into_owned())))
}

/// Fields of structs; of enums, what has no type is a variant.
fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_variant = walk.is_in("enum_declaration");
    let kind = if is_variant { SymbolKind::Variant } else { SymbolKind::Field };
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(Subject { scope: None, ..Subject::new(kind, node, name, walk) });
    }
    Next::Into
}

/// `test "name" { … }` is a function.
fn test<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    match node.named_child(0).filter(|name| matches!(name.kind(), "string" | "identifier")) {
        Some(name) => {
            let subject = Subject::new(SymbolKind::Function, node, name, walk);
            walk.define(Subject {
                name: subject.name.trim_matches('"').to_owned(),
                kind: SymbolKind::Function,
                ..subject
            });
        }
        None => walk.open_scope(ScopeKind::Function, ""),
    }
    Next::Into
}
