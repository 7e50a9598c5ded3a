//! Rules of Lua.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", NodeRule::Visit(visit_function)),
        ("function_definition", NodeRule::Visit(visit_function_value)),
        ("variable_declaration", NodeRule::Wrapper),
        ("assignment_statement", NodeRule::Visit(visit_assignment)),
        ("field", NodeRule::Visit(visit_field)),
        ("comment", NodeRule::Comment),
        ("function_call", NodeRule::Visit(visit_call)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("dot_index_expression", NameRule::Member { object: "table", name: "field" }),
        ("method_index_expression", NameRule::Member { object: "table", name: "method" }),
    ],
    ..LanguageRules::EMPTY
};

/// `function M.f()` and `function M:f()` are methods of `M`.
fn visit_function<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        define_path(walk, node, name, node.child_by_field_name("body"));
    }
    WalkAction::Descend
}

/// A function expression is a definition only if it is assigned to a name.
fn visit_function_value<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if !walk.is_claimed(node) {
        walk.open_scope(crate::walk::scopes::ScopeKind::Function, "");
    }
    WalkAction::Descend
}

fn define_path<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>, name: SyntaxNode<'t>, body: Option<SyntaxNode<'t>>) {
    let Some(path) = walk.name_path(name) else { return };
    let qualifier = path.receiver.map_or_else(String::new, |(start, end)| walk.text_between(start, end).into_owned());
    let kind = if qualifier.is_empty() { SymbolKind::Function } else { SymbolKind::Method };
    walk.define(DefinitionSpec { qualifier, body, ..DefinitionSpec::new(kind, node, path.name, walk) });
}

/// `M.f = function () … end` is a method and `local a = require("b")` an import. Other variables at file level are
/// variables.
fn visit_assignment<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let name = node.named_child(0).and_then(|list| list.child_by_field_name("name"));
    let value = node.named_child(1).and_then(|list| list.child_by_field_name("value"));
    let (Some(name), Some(value)) = (name, value) else { return WalkAction::Descend };
    if let Some(module) = required_module(walk, value) {
        walk.add_import(node, &module, "", &walk.text(name), false);
        return WalkAction::Skip;
    }
    if value.kind() == "function_definition" {
        walk.claim_value(value);
        define_path(walk, node, name, value.child_by_field_name("body"));
    } else if name.kind() == "identifier" && !walk.is_in_function() {
        walk.define(DefinitionSpec::new(SymbolKind::Variable, node, name, walk));
    }
    WalkAction::Descend
}

/// `{ f = function () … end }`.
fn visit_field<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let (name, value) = (node.child_by_field_name("name"), node.child_by_field_name("value"));
    if let (Some(name), Some(value)) = (name, value.filter(|value| value.kind() == "function_definition")) {
        walk.claim_value(value);
        walk.define(DefinitionSpec {
            body: value.child_by_field_name("body"),
            ..DefinitionSpec::new(SymbolKind::Method, node, name, walk)
        });
    }
    WalkAction::Descend
}

fn visit_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(module) = required_module(walk, node) {
        walk.add_import(node, &module, "", "", false);
        return WalkAction::Skip;
    }
    if let Some(name) = node.child_by_field_name("name") {
        walk.add_reference(ReferenceKind::Call, name);
    }
    WalkAction::Descend
}

fn required_module(walk: &TreeWalk<'_>, call: SyntaxNode<'_>) -> Option<String> {
    let name = call.child_by_field_name("name").filter(|_| call.kind() == "function_call")?;
    let argument = call.child_by_field_name("arguments").filter(|_| &walk.source[name.byte_range()] == b"require")?;
    let string = if argument.kind() == "string" { argument } else { argument.named_child(0)? };
    (string.kind() == "string").then(|| walk.text(string).trim_matches(['"', '\'']).to_owned())
}
