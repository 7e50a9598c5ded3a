//! Rules of SQL: the objects that a schema creates.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("statement", NodeRule::Wrapper),
        ("create_table", NodeRule::Visit(visit_table)),
        ("create_view", NodeRule::Visit(visit_view)),
        ("create_materialized_view", NodeRule::Visit(visit_view)),
        ("create_function", NodeRule::Visit(visit_function)),
        ("create_trigger", NodeRule::Visit(visit_function)),
        ("create_type", NodeRule::Visit(visit_type_definition)),
        ("column_definition", NodeRule::Visit(visit_column)),
        ("comment", NodeRule::Comment),
        ("marginalia", NodeRule::Comment),
        ("invocation", NodeRule::Visit(visit_invocation)),
        ("object_reference", NodeRule::Type),
    ],
    names: &[("identifier", NameRule::Leaf), ("object_reference", NameRule::Member { object: "schema", name: "name" })],
    bodies: &["column_definitions", "create_query", "function_body"],
    ..LanguageRules::EMPTY
};

fn visit_table<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_object(walk, SymbolKind::Table, node)
}

fn visit_view<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_object(walk, SymbolKind::View, node)
}

fn visit_function<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_object(walk, SymbolKind::Function, node)
}

fn visit_type_definition<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_object(walk, SymbolKind::TypeAlias, node)
}

/// A statement creates the first object that it names.
fn define_object<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>) -> WalkAction {
    let object = node.named_child_of_kind("object_reference");
    if let Some(name) = object.and_then(|object| object.child_by_field_name("name")) {
        let spec = DefinitionSpec::new(kind, node, name, walk);
        let scope =
            Some(crate::walk::scopes::ScopeKind::Type).filter(|_| matches!(kind, SymbolKind::Table | SymbolKind::View));
        walk.define(DefinitionSpec { name: unquoted(&spec.name), scope, ..spec });
    }
    WalkAction::Descend
}

/// A column is a field of the table that is being created.
fn visit_column<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name").filter(|_| walk.is_in_type()) {
        let spec = DefinitionSpec::new(SymbolKind::Field, node, name, walk);
        walk.define(DefinitionSpec { name: unquoted(&spec.name), ..spec });
    }
    WalkAction::Descend
}

fn visit_invocation<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(function) = node.named_child(0) {
        walk.add_reference(ReferenceKind::Call, function);
    }
    WalkAction::Descend
}

fn unquoted(name: &str) -> String {
    name.trim_matches(['"', '`', '[', ']']).to_owned()
}
