//! Rules of protocol buffers.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("message", NodeRule::Visit(visit_message)),
        ("enum", NodeRule::Visit(visit_enum)),
        ("enum_field", NodeRule::Visit(visit_variant)),
        ("field", NodeRule::Visit(visit_field)),
        ("map_field", NodeRule::Visit(visit_field)),
        ("oneof_field", NodeRule::Visit(visit_field)),
        ("service", NodeRule::Visit(visit_service)),
        ("rpc", NodeRule::Visit(visit_rpc)),
        ("comment", NodeRule::Comment),
        ("import", NodeRule::Visit(visit_import)),
        ("message_or_enum_type", NodeRule::Type),
    ],
    names: &[("identifier", NameRule::Leaf), ("message_or_enum_type", NameRule::Last)],
    bodies: &["message_body", "enum_body"],
    ..LanguageRules::EMPTY
};

fn visit_message<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_named(walk, SymbolKind::Message, node, node.named_child(0).and_then(|name| name.named_child(0)))
}

fn visit_enum<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_named(walk, SymbolKind::Enum, node, node.named_child(0).and_then(|name| name.named_child(0)))
}

fn visit_variant<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_named(walk, SymbolKind::Variant, node, first_identifier(node))
}

fn visit_field<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_named(walk, SymbolKind::Field, node, first_identifier(node))
}

/// The signature of a service is its name only; its methods are separate definitions.
fn visit_service<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.named_child(0).and_then(|name| name.named_child(0)) else { return WalkAction::Descend };
    let body = node.child_of_kind("{");
    walk.define(DefinitionSpec { body, ..DefinitionSpec::new(SymbolKind::Service, node, name, walk) });
    WalkAction::Descend
}

fn visit_rpc<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.named_child(0).and_then(|name| name.named_child(0)) else { return WalkAction::Descend };
    let mut cursor = node.walk();
    let body = node.child_of_kind("{");
    walk.define(DefinitionSpec {
        body,
        scope: None::<ScopeKind>,
        ..DefinitionSpec::new(SymbolKind::Rpc, node, name, walk)
    });
    let messages: Vec<SyntaxNode> =
        node.named_children(&mut cursor).filter(|child| child.kind() == "message_or_enum_type").collect();
    messages.into_iter().for_each(|message| walk.add_reference(ReferenceKind::Type, message));
    WalkAction::Descend
}

fn define_named<'t>(
    walk: &mut TreeWalk<'t>,
    kind: SymbolKind,
    node: SyntaxNode<'t>,
    name: Option<SyntaxNode<'t>>,
) -> WalkAction {
    if let Some(name) = name {
        walk.define(DefinitionSpec::new(kind, node, name, walk));
    }
    WalkAction::Descend
}

fn first_identifier(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    node.named_child_of_kind("identifier")
}

/// `import public` re-exports everything that it imports.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_public = node.has_child("public");
    if let Some(path) = node.child_by_field_name("path") {
        let text = walk.text(path);
        walk.add_import(node, text.trim_matches(['"', '\'']), "*", "", is_public);
    }
    WalkAction::Skip
}
