//! Imports and exports of JavaScript and TypeScript, `require` included.

use crate::node::Node;
use crate::rules::Next;
use crate::walk::Walk;

/// `import a, { b as c } from 'x'`, `import * as d from 'x'`, `import 'x'`, `import e = require('x')`.
pub(crate) fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let clause = node
        .named_children(&mut cursor)
        .find(|child| matches!(child.kind(), "import_clause" | "import_require_clause"));
    let source = node.child_by_field_name("source").or_else(|| clause.and_then(|c| c.child_by_field_name("source")));
    let Some(module) = source.map(|source| unquoted(walk, source)) else { return Next::Over };
    let Some(clause) = clause else {
        walk.import(node, &module, "", "", false);
        return Next::Over;
    };
    let mut clause_cursor = clause.walk();
    for part in clause.named_children(&mut clause_cursor) {
        match part.kind() {
            "identifier" if clause.kind() == "import_require_clause" => {
                walk.import(part, &module, "", &walk.text(part), false)
            }
            "identifier" => walk.import(part, &module, "default", &walk.text(part), false),
            "namespace_import" => {
                let alias = part.named_child(0).map(|name| walk.text(name)).unwrap_or_default();
                walk.import(part, &module, "", &alias, false);
            }
            "named_imports" => specifiers(walk, part, &module, false),
            _ => {}
        }
    }
    Next::Over
}

/// `import A = B.C` of TypeScript.
pub(crate) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let (Some(name), Some(target)) = (node.named_child(0), node.named_child(1)) {
        let path = walk.text(target);
        let (module, member) = path.rsplit_once('.').unwrap_or((path.as_ref(), ""));
        walk.import(node, module, member, &walk.text(name), false);
    }
    Next::Over
}

/// `export … from 'x'` passes names on; any other export belongs to the definition in it.
pub(crate) fn export<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(source) = node.child_by_field_name("source") else {
        walk.wrap(node);
        return Next::Into;
    };
    let module = unquoted(walk, source);
    let mut cursor = node.walk();
    let mut takes_all = true;
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "export_clause" => {
                takes_all = false;
                specifiers(walk, part, &module, true);
            }
            "namespace_export" => {
                takes_all = false;
                let alias = part.named_child(0).map(|name| walk.text(name)).unwrap_or_default();
                walk.import(part, &module, "", &alias, true);
            }
            _ => {}
        }
    }
    if takes_all {
        walk.import(node, &module, "*", "", true);
    }
    Next::Over
}

/// `const a = require('x')`, `const { a, b: c } = require('x')`, `const d = require('x').e`. Says whether it is one.
pub(crate) fn require<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: Node<'t>, value: Option<Node<'t>>) -> bool {
    let Some(value) = value else { return false };
    let (called, member) = match value.kind() {
        "member_expression" => (value.child_by_field_name("object"), value.child_by_field_name("property")),
        _ => (Some(value), None),
    };
    let Some(module) = called.and_then(|called| required_module(walk, called)) else { return false };
    let member = member.map(|member| walk.text(member)).unwrap_or_default();
    if name.kind() != "object_pattern" {
        let alias = walk.text(name);
        walk.import(node, &module, &member, if alias == member { "" } else { &alias }, false);
        return true;
    }
    let mut cursor = name.walk();
    for part in name.named_children(&mut cursor) {
        match part.kind() {
            "shorthand_property_identifier_pattern" => walk.import(part, &module, &walk.text(part), "", false),
            "pair_pattern" => {
                let field = |name| part.child_by_field_name(name).map(|child| walk.text(child)).unwrap_or_default();
                let (key, alias) = (field("key"), field("value"));
                walk.import(part, &module, &key, &alias, false);
            }
            _ => {}
        }
    }
    true
}

/// `require('x')` and `import('x')` whose result has no name. Says whether the call is one.
pub(crate) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> bool {
    match required_module(walk, node) {
        Some(module) => {
            walk.import(node, &module, "", "", false);
            true
        }
        None => false,
    }
}

fn required_module(walk: &Walk<'_>, call: Node<'_>) -> Option<String> {
    let function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
    let is_require = function.kind() == "import" || &walk.source[function.byte_range()] == b"require";
    let argument = call.child_by_field_name("arguments").filter(|_| is_require)?.named_child(0)?;
    (argument.kind() == "string").then(|| unquoted(walk, argument))
}

fn specifiers<'t>(walk: &mut Walk<'t>, list: Node<'t>, module: &str, reexport: bool) {
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor) {
        let field = |name| part.child_by_field_name(name).map(|child| walk.text(child)).unwrap_or_default();
        let (name, alias) = (field("name"), field("alias"));
        if !name.is_empty() {
            walk.import(part, module, &name, if alias == name { "" } else { &alias }, reexport);
        }
    }
}

fn unquoted(walk: &Walk<'_>, string: Node<'_>) -> String {
    walk.text(string).trim_matches(['"', '\'', '`']).to_owned()
}
