//! Imports and exports of JavaScript and TypeScript, including `require`.

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::rules::WalkAction;

/// `import a, { b as c } from 'x'`, `import * as d from 'x'`, `import 'x'`, `import e = add_require('x')`.
pub(crate) fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let clause = node
        .named_children(&mut cursor)
        .find(|child| matches!(child.kind(), "import_clause" | "import_require_clause"));
    let source = node.child_by_field_name("source").or_else(|| clause.and_then(|c| c.child_by_field_name("source")));
    let Some(module) = source.map(|source| unquoted(walk, source)) else { return WalkAction::Skip };
    let Some(clause) = clause else {
        walk.add_import(node, &module, "", "", false);
        return WalkAction::Skip;
    };
    let mut clause_cursor = clause.walk();
    for part in clause.named_children(&mut clause_cursor) {
        match part.kind() {
            "identifier" if clause.kind() == "import_require_clause" => {
                walk.add_import(part, &module, "", &walk.text(part), false)
            }
            "identifier" => walk.add_import(part, &module, "default", &walk.text(part), false),
            "namespace_import" => {
                let alias = part.named_child(0).map(|name| walk.text(name)).unwrap_or_default();
                walk.add_import(part, &module, "", &alias, false);
            }
            "named_imports" => add_specifiers(walk, part, &module, false),
            _ => {}
        }
    }
    WalkAction::Skip
}

/// `import A = B.C` in TypeScript.
pub(crate) fn visit_alias<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let (Some(name), Some(target)) = (node.named_child(0), node.named_child(1)) {
        let path = walk.text(target);
        let (module, member) = path.rsplit_once('.').unwrap_or((path.as_ref(), ""));
        walk.add_import(node, module, member, &walk.text(name), false);
    }
    WalkAction::Skip
}

/// `export … from 'x'` re-exports names. Any other export wraps the definition inside.
pub(crate) fn visit_export<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(source) = node.child_by_field_name("source") else {
        walk.wrap(node);
        return WalkAction::Descend;
    };
    let module = unquoted(walk, source);
    let mut cursor = node.walk();
    let mut takes_all = true;
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "export_clause" => {
                takes_all = false;
                add_specifiers(walk, part, &module, true);
            }
            "namespace_export" => {
                takes_all = false;
                let alias = part.named_child(0).map(|name| walk.text(name)).unwrap_or_default();
                walk.add_import(part, &module, "", &alias, true);
            }
            _ => {}
        }
    }
    if takes_all {
        walk.add_import(node, &module, "*", "", true);
    }
    WalkAction::Skip
}

/// Records `const a = add_require('x')`, `const { a, b: c } = add_require('x')` and `const d = add_require('x').e`. Returns false
/// for any other declaration.
pub(crate) fn add_require<'t>(
    walk: &mut TreeWalk<'t>,
    node: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
) -> bool {
    let Some(value) = value else { return false };
    let (called, member) = match value.kind() {
        "member_expression" => (value.child_by_field_name("object"), value.child_by_field_name("property")),
        _ => (Some(value), None),
    };
    let Some(module) = called.and_then(|called| required_module(walk, called)) else { return false };
    let member = member.map(|member| walk.text(member)).unwrap_or_default();
    if name.kind() != "object_pattern" {
        let alias = walk.text(name);
        walk.add_import(node, &module, &member, if alias == member { "" } else { &alias }, false);
        return true;
    }
    let mut cursor = name.walk();
    for part in name.named_children(&mut cursor) {
        match part.kind() {
            "shorthand_property_identifier_pattern" => walk.add_import(part, &module, &walk.text(part), "", false),
            "pair_pattern" => {
                let field = |name| part.child_by_field_name(name).map(|child| walk.text(child)).unwrap_or_default();
                let (key, alias) = (field("key"), field("value"));
                walk.add_import(part, &module, &key, &alias, false);
            }
            _ => {}
        }
    }
    true
}

/// Records `add_require('x')` and `import('x')` whose result has no name. Returns false for any other call.
pub(crate) fn add_dynamic_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> bool {
    match required_module(walk, node) {
        Some(module) => {
            walk.add_import(node, &module, "", "", false);
            true
        }
        None => false,
    }
}

fn required_module(walk: &TreeWalk<'_>, call: SyntaxNode<'_>) -> Option<String> {
    let function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
    let is_require = function.kind() == "import" || &walk.source[function.byte_range()] == b"require";
    let argument = call.child_by_field_name("arguments").filter(|_| is_require)?.named_child(0)?;
    (argument.kind() == "string").then(|| unquoted(walk, argument))
}

fn add_specifiers<'t>(walk: &mut TreeWalk<'t>, list: SyntaxNode<'t>, module: &str, reexport: bool) {
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor) {
        let field = |name| part.child_by_field_name(name).map(|child| walk.text(child)).unwrap_or_default();
        let (name, alias) = (field("name"), field("alias"));
        if !name.is_empty() {
            walk.add_import(part, module, &name, if alias == name { "" } else { &alias }, reexport);
        }
    }
}

fn unquoted(walk: &TreeWalk<'_>, string: SyntaxNode<'_>) -> String {
    walk.text(string).trim_matches(['"', '\'', '`']).to_owned()
}
