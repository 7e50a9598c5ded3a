//! Rules of Kotlin.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", NodeRule::Visit(visit_class)),
        ("object_declaration", NodeRule::Define(SymbolKind::Class)),
        ("companion_object", NodeRule::Visit(visit_companion_object)),
        ("enum_entry", NodeRule::Visit(visit_variant)),
        ("function_declaration", NodeRule::Define(SymbolKind::Function)),
        ("secondary_constructor", NodeRule::Visit(visit_constructor)),
        ("property_declaration", NodeRule::Visit(visit_property)),
        ("class_parameter", NodeRule::Visit(visit_class_parameter)),
        ("type_alias", NodeRule::Visit(visit_type_alias)),
        ("lambda_literal", NodeRule::Anonymous),
        ("anonymous_function", NodeRule::Anonymous),
        ("modifiers", NodeRule::Modifiers),
        ("annotation", NodeRule::Attribute),
        ("line_comment", NodeRule::Comment),
        ("block_comment", NodeRule::Comment),
        ("package_header", NodeRule::Skip),
        ("import", NodeRule::Visit(visit_import)),
        ("call_expression", NodeRule::Visit(visit_call)),
        ("delegation_specifier", NodeRule::Bases(ReferenceKind::Extend)),
        ("user_type", NodeRule::Type),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("navigation_expression", NameRule::Last),
        ("call_expression", NameRule::First),
        ("user_type", NameRule::First),
        ("constructor_invocation", NameRule::First),
        ("annotation", NameRule::First),
        ("nullable_type", NameRule::First),
        ("explicit_delegation", NameRule::First),
    ],
    bodies: &["class_body", "enum_class_body", "function_body", "block", "getter"],
    builtin_types: &[
        "Any", "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Nothing", "Short", "String", "Unit",
    ],
    ..LanguageRules::EMPTY
};

/// Classes, interfaces and enums share a node kind; the keyword tells them apart.
fn visit_class<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let kind = node.children(&mut cursor).find_map(|child| match child.kind() {
        "interface" => Some(SymbolKind::Interface),
        "enum" => Some(SymbolKind::Enum),
        "modifiers" => {
            let text = walk.text(child);
            let has = |word: &str| text.split_whitespace().any(|w| w == word);
            if has("enum") { Some(SymbolKind::Enum) } else { has("annotation").then_some(SymbolKind::Annotation) }
        }
        _ => None,
    });
    walk.define_named(kind.unwrap_or(SymbolKind::Class), node)
}

/// Members of a companion object belong to the class, unless the companion has a name.
fn visit_companion_object<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if node.child_by_field_name("name").is_some() {
        return walk.define_named(SymbolKind::Class, node);
    }
    walk.open_scope(ScopeKind::Type, "");
    WalkAction::Descend
}

fn visit_variant<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_by_first_identifier(walk, SymbolKind::Variant, node);
    WalkAction::Descend
}

fn visit_constructor<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let name = walk.type_name().rsplit('.').next().unwrap_or_default().to_owned();
    let spec = DefinitionSpec::new(SymbolKind::Constructor, node, node.child(0).unwrap_or(node), walk);
    walk.define(DefinitionSpec { name, ..spec });
    WalkAction::Descend
}

/// `val` and `var` outside of functions.
fn visit_property<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if walk.is_in_function() {
        return WalkAction::Descend;
    }
    let is_constant = node.child(0).is_some_and(|first| {
        first.kind() == "modifiers" && walk.text(first).split_whitespace().any(|word| word == "const")
    });
    let kind = match (is_constant, walk.is_in_type()) {
        (true, _) => SymbolKind::Constant,
        (false, true) => SymbolKind::Property,
        (false, false) => SymbolKind::Variable,
    };
    let declaration = node.named_child_of_kind("variable_declaration");
    if let Some(name) = declaration.and_then(|declaration| first_identifier(declaration)) {
        walk.define(DefinitionSpec::new(kind, node, name, walk));
    }
    WalkAction::Descend
}

/// `class A(val b: B)` has a property `b`.
fn visit_class_parameter<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let is_property = node.children(&mut cursor).any(|child| matches!(child.kind(), "val" | "var"));
    if is_property {
        define_by_first_identifier(walk, SymbolKind::Property, node);
    }
    WalkAction::Descend
}

fn visit_type_alias<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_by_first_identifier(walk, SymbolKind::TypeAlias, node);
    WalkAction::Descend
}

fn define_by_first_identifier<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>) {
    if let Some(name) = first_identifier(node) {
        walk.define(DefinitionSpec::new(kind, node, name, walk));
    }
}

fn first_identifier(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    node.named_child_of_kind("identifier")
}

fn visit_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(called) = node.named_child(0).filter(|called| called.kind() != "call_expression") {
        walk.add_reference(ReferenceKind::Call, called);
    }
    WalkAction::Descend
}

/// `import a.b.C`, `import a.b.C as D`, `import a.b.*`.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(path) = node.named_child(0).map(|path| walk.text(path).into_owned()) else { return WalkAction::Skip };
    if node.has_child("*") {
        walk.add_import(node, &path, "*", "", false);
        return WalkAction::Skip;
    }
    let alias = node.named_child(1).map(|alias| walk.text(alias)).unwrap_or_default();
    let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
    walk.add_import(node, module, name, &alias, false);
    WalkAction::Skip
}
