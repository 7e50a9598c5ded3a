//! Rules of Swift.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

/// Maximum number of children that are searched for the keyword of a class-like declaration.
const MAX_CHILDREN_BEFORE_KEYWORD: usize = 8;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", NodeRule::Visit(visit_class)),
        ("protocol_declaration", NodeRule::Define(SymbolKind::Interface)),
        ("function_declaration", NodeRule::Define(SymbolKind::Function)),
        ("protocol_function_declaration", NodeRule::Define(SymbolKind::Function)),
        ("init_declaration", NodeRule::Visit(visit_initializer)),
        ("deinit_declaration", NodeRule::Visit(visit_keyword_method)),
        ("subscript_declaration", NodeRule::Visit(visit_keyword_method)),
        ("property_declaration", NodeRule::Visit(visit_property)),
        ("protocol_property_declaration", NodeRule::Visit(visit_property)),
        ("enum_entry", NodeRule::Visit(visit_variants)),
        ("typealias_declaration", NodeRule::Define(SymbolKind::TypeAlias)),
        ("associatedtype_declaration", NodeRule::Define(SymbolKind::TypeAlias)),
        ("lambda_literal", NodeRule::Anonymous),
        ("modifiers", NodeRule::Modifiers),
        ("attribute", NodeRule::Attribute),
        ("comment", NodeRule::Comment),
        ("multiline_comment", NodeRule::Comment),
        ("import_declaration", NodeRule::Visit(visit_import)),
        ("call_expression", NodeRule::Visit(visit_call)),
        ("inheritance_specifier", NodeRule::Visit(visit_inheritance)),
        ("user_type", NodeRule::Type),
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
    ..LanguageRules::EMPTY
};

/// Classes, structs, enums, actors and extensions share a node kind; the keyword tells them apart. An extension is not
/// a definition, but its members belong to the type.
fn visit_class<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
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
            return WalkAction::Descend;
        }
        _ => SymbolKind::Class,
    };
    walk.define_named(kind, node)
}

fn visit_initializer<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_keyword(walk, SymbolKind::Constructor, node, "init");
    WalkAction::Descend
}

fn visit_keyword_method<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let keyword = if node.kind() == "deinit_declaration" { "deinit" } else { "subscript" };
    define_keyword(walk, SymbolKind::Method, node, keyword);
    WalkAction::Descend
}

fn define_keyword<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>, keyword: &str) {
    let name_node = node.child_of_kind(keyword).unwrap_or(node);
    let spec = DefinitionSpec::new(kind, node, name_node, walk);
    walk.define(DefinitionSpec { name: keyword.to_owned(), ..spec });
}

/// `let` and `var` outside of functions.
fn visit_property<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if walk.is_in_function() {
        return WalkAction::Descend;
    }
    let name = node.child_by_field_name("name").and_then(|pattern| pattern.child_by_field_name("bound_identifier"));
    let mut cursor = node.walk();
    let is_let = node
        .named_children(&mut cursor)
        .any(|child| child.kind() == "value_binding_pattern" && walk.text(child) == "let");
    let kind = match (walk.is_in_type(), is_let) {
        (true, _) => SymbolKind::Property,
        (false, true) => SymbolKind::Constant,
        (false, false) => SymbolKind::Variable,
    };
    if let Some(name) = name {
        walk.define(DefinitionSpec::new(kind, node, name, walk));
    }
    WalkAction::Descend
}

/// `case a, b` defines several variants.
fn visit_variants<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let spec = DefinitionSpec::without_body(SymbolKind::Variant, node, name, walk);
        walk.define(DefinitionSpec { scope: None, ..spec });
    }
    WalkAction::Descend
}

/// An extension may be in another file than its type, so the reference names the type as its receiver.
fn visit_inheritance<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(base) = node.child_by_field_name("inherits_from") else { return WalkAction::Descend };
    let extended = walk.ancestor(0).filter(|class| is_extension(*class));
    match (extended.and_then(|parent| parent.child_by_field_name("name")), walk.name_path(base)) {
        (Some(name), Some(path)) => {
            let of = walk.text(name).into_owned();
            walk.add_reference_with_receiver(ReferenceKind::Implement, path.name, of);
        }
        _ => walk.add_reference(ReferenceKind::Extend, base),
    }
    WalkAction::Descend
}

fn is_extension(class: SyntaxNode<'_>) -> bool {
    let mut cursor = class.walk();
    class.children(&mut cursor).take(MAX_CHILDREN_BEFORE_KEYWORD).any(|child| child.kind() == "extension")
}

fn visit_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(called) = node.named_child(0).filter(|called| called.kind() != "call_expression") {
        walk.add_reference(ReferenceKind::Call, called);
    }
    WalkAction::Descend
}

/// `import A`, `import struct A.B`.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(path) = node.named_child_of_kind("identifier") {
        let path = walk.text(path);
        let (module, name) = path.rsplit_once('.').unwrap_or((path.as_ref(), ""));
        walk.add_import(node, module, name, "", false);
    }
    WalkAction::Skip
}
