//! Lua.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::names;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", Rule::Visit(function)),
        ("function_definition", Rule::Visit(function_value)),
        ("variable_declaration", Rule::Wrapper),
        ("assignment_statement", Rule::Visit(assignment)),
        ("field", Rule::Visit(field)),
        ("comment", Rule::Comment),
        ("function_call", Rule::Visit(call)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("dot_index_expression", NameRule::Member { object: "table", name: "field" }),
        ("method_index_expression", NameRule::Member { object: "table", name: "method" }),
    ],
    ..LanguageRules::NONE
};

/// `function M.f()` and `function M:f()` are methods of `M`.
fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        define_path(walk, node, name, node.child_by_field_name("body"));
    }
    Next::Into
}

/// A function as a value is a definition only where it is assigned to something.
fn function_value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if !walk.is_claimed(node) {
        walk.open_scope(crate::scope::ScopeKind::Function, "");
    }
    Next::Into
}

fn define_path<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: Node<'t>, body: Option<Node<'t>>) {
    let Some(path) = names::resolve(walk.grammar, name) else { return };
    let qualifier = path.receiver.map_or_else(String::new, |(start, end)| walk.text_between(start, end).into_owned());
    let kind = if qualifier.is_empty() { SymbolKind::Function } else { SymbolKind::Method };
    walk.define(Subject { qualifier, body, ..Subject::new(kind, node, path.name, walk) });
}

/// `M.f = function () … end` is a method; `local a = require("b")` an import; other variables of the file are variables.
fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let name = node.named_child(0).and_then(|list| list.child_by_field_name("name"));
    let value = node.named_child(1).and_then(|list| list.child_by_field_name("value"));
    let (Some(name), Some(value)) = (name, value) else { return Next::Into };
    if let Some(module) = required(walk, value) {
        walk.import(node, &module, "", &walk.text(name), false);
        return Next::Over;
    }
    if value.kind() == "function_definition" {
        walk.claim(value);
        define_path(walk, node, name, value.child_by_field_name("body"));
    } else if name.kind() == "identifier" && !walk.in_function() {
        walk.define(Subject::new(SymbolKind::Variable, node, name, walk));
    }
    Next::Into
}

/// `{ f = function () … end }`.
fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let (name, value) = (node.child_by_field_name("name"), node.child_by_field_name("value"));
    if let (Some(name), Some(value)) = (name, value.filter(|value| value.kind() == "function_definition")) {
        walk.claim(value);
        walk.define(Subject {
            body: value.child_by_field_name("body"),
            ..Subject::new(SymbolKind::Method, node, name, walk)
        });
    }
    Next::Into
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(module) = required(walk, node) {
        walk.import(node, &module, "", "", false);
        return Next::Over;
    }
    if let Some(name) = node.child_by_field_name("name") {
        walk.mention(ReferenceKind::Call, name);
    }
    Next::Into
}

fn required(walk: &Walk<'_>, call: Node<'_>) -> Option<String> {
    let name = call.child_by_field_name("name").filter(|_| call.kind() == "function_call")?;
    let argument = call.child_by_field_name("arguments").filter(|_| &walk.source[name.byte_range()] == b"require")?;
    let string = if argument.kind() == "string" { argument } else { argument.named_child(0)? };
    (string.kind() == "string").then(|| walk.text(string).trim_matches(['"', '\'']).to_owned())
}
