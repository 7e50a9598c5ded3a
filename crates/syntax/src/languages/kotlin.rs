//! Kotlin.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", Rule::Visit(class)),
        ("object_declaration", Rule::Define(SymbolKind::Class)),
        ("companion_object", Rule::Visit(companion)),
        ("enum_entry", Rule::Visit(variant)),
        ("function_declaration", Rule::Define(SymbolKind::Function)),
        ("secondary_constructor", Rule::Visit(constructor)),
        ("property_declaration", Rule::Visit(property)),
        ("class_parameter", Rule::Visit(class_parameter)),
        ("type_alias", Rule::Visit(type_alias)),
        ("lambda_literal", Rule::Anonymous),
        ("anonymous_function", Rule::Anonymous),
        ("modifiers", Rule::Modifiers),
        ("annotation", Rule::Attribute),
        ("line_comment", Rule::Comment),
        ("block_comment", Rule::Comment),
        ("package_header", Rule::Skip),
        ("import", Rule::Visit(import)),
        ("call_expression", Rule::Visit(call)),
        ("delegation_specifier", Rule::Bases(ReferenceKind::Extend)),
        ("user_type", Rule::Type),
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
    ..LanguageRules::NONE
};

/// Classes, interfaces and enums are one kind of node; their keyword tells.
fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
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

/// What is in a companion belongs to the class, unless the companion has a name.
fn companion<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if node.child_by_field_name("name").is_some() {
        return walk.define_named(SymbolKind::Class, node);
    }
    walk.open_scope(ScopeKind::Type, "");
    Next::Into
}

fn variant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_first(walk, SymbolKind::Variant, node);
    Next::Into
}

fn constructor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let name = walk.type_name().rsplit('.').next().unwrap_or_default().to_owned();
    let subject = Subject::new(SymbolKind::Constructor, node, node.child(0).unwrap_or(node), walk);
    walk.define(Subject { name, ..subject });
    Next::Into
}

/// `val` and `var` outside of functions.
fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if walk.in_function() {
        return Next::Into;
    }
    let is_constant = node.child(0).is_some_and(|first| {
        first.kind() == "modifiers" && walk.text(first).split_whitespace().any(|word| word == "const")
    });
    let kind = match (is_constant, walk.in_type()) {
        (true, _) => SymbolKind::Constant,
        (false, true) => SymbolKind::Property,
        (false, false) => SymbolKind::Variable,
    };
    let mut cursor = node.walk();
    let declaration = node.named_children(&mut cursor).find(|child| child.kind() == "variable_declaration");
    if let Some(name) = declaration.and_then(|declaration| named_identifier(declaration)) {
        walk.define(Subject::new(kind, node, name, walk));
    }
    Next::Into
}

/// `class A(val b: B)` has a property `b`.
fn class_parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let is_property = node.children(&mut cursor).any(|child| matches!(child.kind(), "val" | "var"));
    if is_property {
        define_first(walk, SymbolKind::Property, node);
    }
    Next::Into
}

fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_first(walk, SymbolKind::TypeAlias, node);
    Next::Into
}

fn define_first<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>) {
    if let Some(name) = named_identifier(node) {
        walk.define(Subject::new(kind, node, name, walk));
    }
}

fn named_identifier(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == "identifier")
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(called) = node.named_child(0).filter(|called| called.kind() != "call_expression") {
        walk.mention(ReferenceKind::Call, called);
    }
    Next::Into
}

/// `import a.b.C`, `import a.b.C as D`, `import a.b.*`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(path) = node.named_child(0).map(|path| walk.text(path).into_owned()) else { return Next::Over };
    let mut cursor = node.walk();
    if node.children(&mut cursor).any(|child| child.kind() == "*") {
        walk.import(node, &path, "*", "", false);
        return Next::Over;
    }
    let alias = node.named_child(1).map(|alias| walk.text(alias)).unwrap_or_default();
    let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
    walk.import(node, module, name, &alias, false);
    Next::Over
}
