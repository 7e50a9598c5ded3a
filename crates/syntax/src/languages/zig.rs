//! Rules of Zig, whose types are values of constants.

use model::SymbolKind;

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", NodeRule::Define(SymbolKind::Function)),
        ("test_declaration", NodeRule::Visit(visit_test)),
        ("variable_declaration", NodeRule::Visit(visit_variable)),
        ("container_field", NodeRule::Visit(visit_field)),
        ("comment", NodeRule::Comment),
        ("call_expression", NodeRule::Call("function")),
        ("struct_initializer", NodeRule::Construct("")),
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
    ..LanguageRules::EMPTY
};

/// `const A = struct { … }` is a struct and `const a = @import("a")` an import. Other variables are definitions only
/// outside of functions.
fn visit_variable<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let Some(name) = node.named_child_of_kind("identifier") else {
        return WalkAction::Descend;
    };
    let value = node.named_children(&mut cursor).last().filter(|value| *value != name);
    if let Some((module, member)) = value.and_then(|value| imported_module(walk, value)) {
        walk.add_import(node, &module, &member, &walk.text(name), is_public(walk, node));
        return WalkAction::Skip;
    }
    let kind = match value.map(|value| value.kind()) {
        Some("struct_declaration" | "opaque_declaration") => SymbolKind::Struct,
        Some("enum_declaration" | "error_set_declaration") => SymbolKind::Enum,
        Some("union_declaration") => SymbolKind::Union,
        _ if walk.is_in_function() => return WalkAction::Descend,
        _ if node.has_child("var") => SymbolKind::Variable,
        _ => SymbolKind::Constant,
    };
    walk.define(DefinitionSpec::new(kind, node, name, walk));
    WalkAction::Descend
}

fn is_public(walk: &TreeWalk<'_>, node: SyntaxNode<'_>) -> bool {
    walk.source[node.byte_range()].starts_with(b"pub")
}

/// Returns the module of `@import("a")`, and the name in `.b` after it.
fn imported_module(walk: &TreeWalk<'_>, value: SyntaxNode<'_>) -> Option<(String, String)> {
    let (call, member) = match value.kind() {
        "field_expression" => (value.child_by_field_name("object")?, value.child_by_field_name("member")),
        _ => (value, None),
    };
    let text = walk.text(call);
    let module = text.strip_prefix("@import(")?.trim_end_matches(')').trim().trim_matches('"').to_owned();
    Some((module, member.map_or_else(String::new, |member| walk.text(member).into_owned())))
}

/// Fields of structs, and the variants of enums.
fn visit_field<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_variant = walk.is_child_of("enum_declaration");
    let kind = if is_variant { SymbolKind::Variant } else { SymbolKind::Field };
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(DefinitionSpec { scope: None, ..DefinitionSpec::new(kind, node, name, walk) });
    }
    WalkAction::Descend
}

/// `test "name" { … }` is a function.
fn visit_test<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    match node.named_child(0).filter(|name| matches!(name.kind(), "string" | "identifier")) {
        Some(name) => {
            let spec = DefinitionSpec::new(SymbolKind::Function, node, name, walk);
            walk.define(DefinitionSpec {
                name: spec.name.trim_matches('"').to_owned(),
                kind: SymbolKind::Function,
                ..spec
            });
        }
        None => walk.open_scope(ScopeKind::Function, ""),
    }
    WalkAction::Descend
}
