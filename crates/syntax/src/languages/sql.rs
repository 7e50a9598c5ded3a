//! SQL: what a schema creates.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("statement", Rule::Wrapper),
        ("create_table", Rule::Visit(table)),
        ("create_view", Rule::Visit(view)),
        ("create_materialized_view", Rule::Visit(view)),
        ("create_function", Rule::Visit(function)),
        ("create_trigger", Rule::Visit(function)),
        ("create_type", Rule::Visit(type_definition)),
        ("column_definition", Rule::Visit(column)),
        ("comment", Rule::Comment),
        ("marginalia", Rule::Comment),
        ("invocation", Rule::Visit(invocation)),
        ("object_reference", Rule::Type),
    ],
    names: &[("identifier", NameRule::Leaf), ("object_reference", NameRule::Member { object: "schema", name: "name" })],
    bodies: &["column_definitions", "create_query", "function_body"],
    ..LanguageRules::NONE
};

fn table<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_object(walk, SymbolKind::Table, node)
}

fn view<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_object(walk, SymbolKind::View, node)
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_object(walk, SymbolKind::Function, node)
}

fn type_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_object(walk, SymbolKind::TypeAlias, node)
}

/// The first object that a statement names is the one it creates.
fn define_object<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let object = node.named_children(&mut cursor).find(|child| child.kind() == "object_reference");
    if let Some(name) = object.and_then(|object| object.child_by_field_name("name")) {
        let subject = Subject::new(kind, node, name, walk);
        let scope =
            Some(crate::scope::ScopeKind::Type).filter(|_| matches!(kind, SymbolKind::Table | SymbolKind::View));
        walk.define(Subject { name: unquoted(&subject.name), scope, ..subject });
    }
    Next::Into
}

/// A column is a field of the table that is being created.
fn column<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name").filter(|_| walk.in_type()) {
        let subject = Subject::new(SymbolKind::Field, node, name, walk);
        walk.define(Subject { name: unquoted(&subject.name), ..subject });
    }
    Next::Into
}

fn invocation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(function) = node.named_child(0) {
        walk.mention(ReferenceKind::Call, function);
    }
    Next::Into
}

fn unquoted(name: &str) -> String {
    name.trim_matches(['"', '`', '[', ']']).to_owned()
}
