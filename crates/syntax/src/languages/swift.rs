//! Swift.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", Rule::Visit(class)),
        ("protocol_declaration", Rule::Define(SymbolKind::Interface)),
        ("function_declaration", Rule::Define(SymbolKind::Function)),
        ("protocol_function_declaration", Rule::Define(SymbolKind::Function)),
        ("init_declaration", Rule::Visit(initialiser)),
        ("deinit_declaration", Rule::Visit(keyword_method)),
        ("subscript_declaration", Rule::Visit(keyword_method)),
        ("property_declaration", Rule::Visit(property)),
        ("protocol_property_declaration", Rule::Visit(property)),
        ("enum_entry", Rule::Visit(variants)),
        ("typealias_declaration", Rule::Define(SymbolKind::TypeAlias)),
        ("associatedtype_declaration", Rule::Define(SymbolKind::TypeAlias)),
        ("lambda_literal", Rule::Anonymous),
        ("modifiers", Rule::Modifiers),
        ("attribute", Rule::Attribute),
        ("comment", Rule::Comment),
        ("multiline_comment", Rule::Comment),
        ("import_declaration", Rule::Visit(import)),
        ("call_expression", Rule::Visit(call)),
        ("inheritance_specifier", Rule::Visit(inherits)),
        ("user_type", Rule::Type),
    ],
    names: &[
        ("simple_identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("user_type", NameRule::First),
        ("navigation_expression", NameRule::Member { object: "target", name: "suffix" }),
        ("navigation_suffix", NameRule::Inside("suffix")),
        ("attribute", NameRule::First),
        ("call_expression", NameRule::First),
    ],
    bodies: &["computed_property", "protocol_property_requirements"],
    builtin_types: &["Any", "Bool", "Character", "Double", "Float", "Int", "String", "UInt", "Void", "Self"],
    ..LanguageRules::NONE
};

/// Classes, structs, enums, actors and extensions are one kind of node; their keyword tells. An extension is no
/// definition, but what is in it belongs to the type.
fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let keyword = node
        .children(&mut cursor)
        .map(|child| child.kind())
        .find(|kind| matches!(*kind, "class" | "struct" | "enum" | "actor" | "extension"));
    let kind = match keyword {
        Some("struct") => SymbolKind::Struct,
        Some("enum") => SymbolKind::Enum,
        Some("extension") => {
            let name = node.child_by_field_name("name").map_or_else(String::new, |name| walk.text(name).into_owned());
            walk.open_scope(ScopeKind::Type, name.split('<').next().unwrap_or_default());
            return Next::Into;
        }
        _ => SymbolKind::Class,
    };
    walk.define_named(kind, node)
}

fn initialiser<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_keyword(walk, SymbolKind::Constructor, node, "init");
    Next::Into
}

fn keyword_method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let keyword = if node.kind() == "deinit_declaration" { "deinit" } else { "subscript" };
    define_keyword(walk, SymbolKind::Method, node, keyword);
    Next::Into
}

fn define_keyword<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>, keyword: &str) {
    let mut cursor = node.walk();
    let name_node = node.children(&mut cursor).find(|child| child.kind() == keyword).unwrap_or(node);
    let subject = Subject::new(kind, node, name_node, walk);
    walk.define(Subject { name: keyword.to_owned(), ..subject });
}

/// `let` and `var` outside of functions.
fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if walk.in_function() {
        return Next::Into;
    }
    let name = node.child_by_field_name("name").and_then(|pattern| pattern.child_by_field_name("bound_identifier"));
    let mut cursor = node.walk();
    let is_let = node
        .named_children(&mut cursor)
        .any(|child| child.kind() == "value_binding_pattern" && walk.text(child) == "let");
    let kind = match (walk.in_type(), is_let) {
        (true, _) => SymbolKind::Property,
        (false, true) => SymbolKind::Constant,
        (false, false) => SymbolKind::Variable,
    };
    if let Some(name) = name {
        walk.define(Subject::new(kind, node, name, walk));
    }
    Next::Into
}

/// `case a, b` names several.
fn variants<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let subject = Subject::one_of_many(SymbolKind::Variant, node, name, walk);
        walk.define(Subject { scope: None, ..subject });
    }
    Next::Into
}

/// An extension may stand in another file than its type, so that it says itself what conforms.
fn inherits<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(base) = node.child_by_field_name("inherits_from") else { return Next::Into };
    let extended = walk.ancestor(0).filter(|class| is_extension(*class));
    match (extended.and_then(|parent| parent.child_by_field_name("name")), crate::names::resolve(walk.grammar, base)) {
        (Some(name), Some(path)) => {
            let of = walk.text(name).into_owned();
            walk.mention_with(ReferenceKind::Implement, path.name, of);
        }
        _ => walk.mention(ReferenceKind::Extend, base),
    }
    Next::Into
}

fn is_extension(class: Node<'_>) -> bool {
    let mut cursor = class.walk();
    class.children(&mut cursor).take(8).any(|child| child.kind() == "extension")
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(called) = node.named_child(0).filter(|called| called.kind() != "call_expression") {
        walk.mention(ReferenceKind::Call, called);
    }
    Next::Into
}

/// `import A`, `import struct A.B`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    if let Some(path) = node.named_children(&mut cursor).find(|child| child.kind() == "identifier") {
        let path = walk.text(path);
        let (module, name) = path.rsplit_once('.').unwrap_or((path.as_ref(), ""));
        walk.import(node, module, name, "", false);
    }
    Next::Over
}
