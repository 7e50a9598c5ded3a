//! Scala.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_definition", Rule::Define(SymbolKind::Class)),
        ("object_definition", Rule::Define(SymbolKind::Class)),
        ("trait_definition", Rule::Define(SymbolKind::Trait)),
        ("enum_definition", Rule::Define(SymbolKind::Enum)),
        ("simple_enum_case", Rule::Define(SymbolKind::Variant)),
        ("full_enum_case", Rule::Define(SymbolKind::Variant)),
        ("package_object", Rule::Define(SymbolKind::Module)),
        ("function_definition", Rule::Visit(function)),
        ("function_declaration", Rule::Visit(function)),
        ("given_definition", Rule::Define(SymbolKind::Constant)),
        ("type_definition", Rule::Define(SymbolKind::TypeAlias)),
        ("val_definition", Rule::Visit(value)),
        ("val_declaration", Rule::Visit(value)),
        ("var_definition", Rule::Visit(value)),
        ("var_declaration", Rule::Visit(value)),
        ("class_parameter", Rule::Define(SymbolKind::Field)),
        ("lambda_expression", Rule::Anonymous),
        ("annotation", Rule::Attribute),
        ("comment", Rule::Comment),
        ("block_comment", Rule::Comment),
        ("package_clause", Rule::Visit(package)),
        ("import_declaration", Rule::Visit(import)),
        ("call_expression", Rule::Call("function")),
        ("instance_expression", Rule::Construct("")),
        ("extends_clause", Rule::Visit(extends)),
        ("type_identifier", Rule::Type),
        ("stable_type_identifier", Rule::Type),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("operator_identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("stable_type_identifier", NameRule::Last),
        ("field_expression", NameRule::Member { object: "value", name: "field" }),
        ("generic_function", NameRule::Inside("function")),
        ("generic_type", NameRule::Inside("type")),
        ("instance_expression", NameRule::First),
        ("annotation", NameRule::Inside("name")),
    ],
    builtin_types: &[
        "Any", "AnyRef", "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Nothing", "Short", "String",
        "Unit",
    ],
    ..LanguageRules::NONE
};

/// A function in a type is a method, one that is called `this` a constructor.
fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    let is_constructor = &walk.source[name.byte_range()] == b"this";
    let kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Function };
    walk.define(Subject::new(kind, node, name, walk));
    Next::Into
}

/// `val` and `var` outside of functions.
fn value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if walk.in_function() {
        return Next::Into;
    }
    let name = node.child_by_field_name("pattern").or_else(|| node.child_by_field_name("name"));
    let kind = match (walk.in_type(), node.kind().starts_with("val")) {
        (true, _) => SymbolKind::Field,
        (false, true) => SymbolKind::Constant,
        (false, false) => SymbolKind::Variable,
    };
    if let Some(name) = name.filter(|name| name.kind() == "identifier") {
        walk.define(Subject::new(kind, node, name, walk));
    }
    Next::Into
}

/// `package a { … }` holds definitions, `package a` does not.
fn package<'t>(_: &mut Walk<'t>, node: Node<'t>) -> Next {
    if node.child_by_field_name("body").is_some() { Next::Into } else { Next::Over }
}

fn extends<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    for base in node.children_by_field_name("type", &mut cursor) {
        walk.mention(ReferenceKind::Extend, base);
    }
    Next::Into
}

/// `import a.b.C`, `import a.b.{C, D => E}`, `import a.b._`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let mut path: Vec<String> = Vec::new();
    let mut names_follow = false;
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "namespace_wildcard" => {
                names_follow = true;
                walk.import(part, &path.join("."), "*", "", false);
            }
            "namespace_selectors" => {
                names_follow = true;
                selectors(walk, part, &path.join("."));
            }
            _ => path.push(walk.text(part).into_owned()),
        }
    }
    if let Some(name) = path.pop().filter(|_| !names_follow) {
        walk.import(node, &path.join("."), &name, "", false);
    }
    Next::Over
}

fn selectors<'t>(walk: &mut Walk<'t>, list: Node<'t>, module: &str) {
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor) {
        let field = |name| part.child_by_field_name(name).map(|child| walk.text(child)).unwrap_or_default();
        match part.kind() {
            "identifier" => walk.import(part, module, &walk.text(part), "", false),
            "namespace_wildcard" => walk.import(part, module, "*", "", false),
            _ => {
                let (name, alias) = (field("name"), field("alias"));
                walk.import(part, module, &name, &alias, false);
            }
        }
    }
}
