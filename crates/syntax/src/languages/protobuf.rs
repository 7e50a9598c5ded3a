//! Protocol buffers.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("message", Rule::Visit(message)),
        ("enum", Rule::Visit(enumeration)),
        ("enum_field", Rule::Visit(variant)),
        ("field", Rule::Visit(field)),
        ("map_field", Rule::Visit(field)),
        ("oneof_field", Rule::Visit(field)),
        ("service", Rule::Visit(service)),
        ("rpc", Rule::Visit(rpc)),
        ("comment", Rule::Comment),
        ("import", Rule::Visit(import)),
        ("message_or_enum_type", Rule::Type),
    ],
    names: &[("identifier", NameRule::Leaf), ("message_or_enum_type", NameRule::Last)],
    bodies: &["message_body", "enum_body"],
    ..LanguageRules::NONE
};

fn message<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define(walk, SymbolKind::Message, node, node.named_child(0).and_then(|name| name.named_child(0)))
}

fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define(walk, SymbolKind::Enum, node, node.named_child(0).and_then(|name| name.named_child(0)))
}

fn variant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define(walk, SymbolKind::Variant, node, own_identifier(node))
}

fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define(walk, SymbolKind::Field, node, own_identifier(node))
}

/// The signature of a service is its name alone; its methods are definitions of their own.
fn service<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.named_child(0).and_then(|name| name.named_child(0)) else { return Next::Into };
    let mut cursor = node.walk();
    let body = node.children(&mut cursor).find(|child| child.kind() == "{");
    walk.define(Subject { body, ..Subject::new(SymbolKind::Service, node, name, walk) });
    Next::Into
}

fn rpc<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.named_child(0).and_then(|name| name.named_child(0)) else { return Next::Into };
    let mut cursor = node.walk();
    let body = node.children(&mut cursor).find(|child| child.kind() == "{");
    walk.define(Subject { body, scope: None::<ScopeKind>, ..Subject::new(SymbolKind::Rpc, node, name, walk) });
    let messages: Vec<Node> =
        node.named_children(&mut cursor).filter(|child| child.kind() == "message_or_enum_type").collect();
    messages.into_iter().for_each(|message| walk.mention(ReferenceKind::Type, message));
    Next::Into
}

fn define<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>, name: Option<Node<'t>>) -> Next {
    if let Some(name) = name {
        walk.define(Subject::new(kind, node, name, walk));
    }
    Next::Into
}

fn own_identifier(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == "identifier")
}

/// `import public` passes on what it takes in.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let is_public = node.children(&mut cursor).any(|child| child.kind() == "public");
    if let Some(path) = node.child_by_field_name("path") {
        let text = walk.text(path);
        walk.import(node, text.trim_matches(['"', '\'']), "*", "", is_public);
    }
    Next::Over
}
