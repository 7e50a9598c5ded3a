//! Python.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::docs;
use crate::file_doc::string_text;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_definition", Rule::Define(SymbolKind::Function)),
        ("class_definition", Rule::Visit(class)),
        ("assignment", Rule::Visit(assignment)),
        ("type_alias_statement", Rule::Visit(type_alias)),
        ("decorated_definition", Rule::Wrapper),
        ("decorator", Rule::Attribute),
        ("lambda", Rule::Anonymous),
        ("comment", Rule::Comment),
        ("import_statement", Rule::Visit(import)),
        ("import_from_statement", Rule::Visit(import_from)),
        ("future_import_statement", Rule::Visit(import_from)),
        ("call", Rule::Call("function")),
        ("type", Rule::Visit(type_expression)),
        ("except_clause", Rule::Visit(caught)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("attribute", NameRule::Member { object: "object", name: "attribute" }),
        ("call", NameRule::Inside("function")),
        ("decorator", NameRule::First),
        ("generic_type", NameRule::First),
        ("subscript", NameRule::Inside("value")),
        ("type", NameRule::First),
    ],
    constructors: &["__init__"],
    builtin_types: &[
        "int",
        "str",
        "float",
        "bool",
        "bytes",
        "object",
        "None",
        "list",
        "dict",
        "set",
        "tuple",
        "frozenset",
        "complex",
        "bytearray",
        "type",
    ],
    inner_doc: Some(docstring),
    ..LanguageRules::NONE
};

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    walk.define_named(SymbolKind::Class, node);
    if let Some(bases) = node.child_by_field_name("superclasses") {
        let mut cursor = bases.walk();
        for base in bases.named_children(&mut cursor) {
            if matches!(base.kind(), "identifier" | "attribute" | "subscript") {
                walk.mention(ReferenceKind::Extend, base);
            }
        }
    }
    Next::Into
}

/// A variable of a module is a definition, one of a class a field; those of functions are their own business, but for
/// what a constructor stores in `self`.
fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(left) = node.child_by_field_name("left") else { return Next::Into };
    if walk.in_function() {
        return Next::Into;
    }
    let targets = match left.kind() {
        "identifier" => vec![left],
        "pattern_list" | "tuple_pattern" => {
            let mut cursor = left.walk();
            left.named_children(&mut cursor).filter(|target| target.kind() == "identifier").collect()
        }
        _ => Vec::new(),
    };
    for target in targets {
        let is_constant = is_upper_case(&walk.source[target.byte_range()]);
        let kind = match (walk.in_type(), is_constant) {
            (true, _) => SymbolKind::Field,
            (false, true) => SymbolKind::Constant,
            (false, false) => SymbolKind::Variable,
        };
        walk.define(Subject::one_of_many(kind, node, target, walk));
    }
    Next::Into
}

fn is_upper_case(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}

fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let name = node.child_by_field_name("left").and_then(|left| crate::names::resolve(walk.grammar, left));
    if let Some(path) = name {
        let subject =
            Subject { scope: None::<ScopeKind>, ..Subject::new(SymbolKind::TypeAlias, node, path.name, walk) };
        walk.define(subject);
    }
    Next::Into
}

/// An annotation refers to the type it names; those nested in it come by themselves, but for the sides of `A | B`.
fn type_expression<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut open: Vec<Node> = node.named_child(0).into_iter().collect();
    while let Some(part) = open.pop() {
        match part.kind() {
            "binary_operator" => {
                open.extend(part.child_by_field_name("right"));
                open.extend(part.child_by_field_name("left"));
            }
            "subscript" => {
                let mut cursor = part.walk();
                open.extend(part.named_children(&mut cursor).skip(1));
                walk.mention(ReferenceKind::Type, part);
            }
            "identifier" | "attribute" | "generic_type" => walk.mention(ReferenceKind::Type, part),
            "string" => quoted_type(walk, part),
            "union_type" | "list" | "tuple" | "expression_list" => {
                let mut cursor = part.walk();
                open.extend(part.named_children(&mut cursor));
            }
            _ => {}
        }
    }
    Next::Into
}

/// A type in quotes is one that is defined further down.
fn quoted_type<'t>(walk: &mut Walk<'t>, string: Node<'t>) {
    let content = string.child(1).filter(|content| content.kind() == "string_content");
    let is_name = |content: &Node| {
        walk.source[content.byte_range()].iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if let Some(content) = content.filter(is_name) {
        walk.mention_at(ReferenceKind::Type, content, None);
    }
}

/// `except E` uses the type `E`.
fn caught<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let value = node.child_by_field_name("value").or_else(|| node.named_child(0));
    let value = value.and_then(|value| if value.kind() == "as_pattern" { value.named_child(0) } else { Some(value) });
    if let Some(value) = value.filter(|value| value.kind() != "block") {
        let mut cursor = value.walk();
        if value.kind() == "tuple" {
            value.named_children(&mut cursor).for_each(|one| walk.mention(ReferenceKind::Type, one));
        } else {
            walk.mention(ReferenceKind::Type, value);
        }
    }
    Next::Into
}

/// The string that a body begins with.
fn docstring<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<String> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let string = first.named_child(0).filter(|_| first.kind() == "expression_statement")?;
    (string.kind() == "string").then(|| docs::dedent(&string_text(walk.source, string)))
}

/// `import a.b`, `import a.b as c`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    for entry in node.children_by_field_name("name", &mut cursor) {
        let (module, alias) = named_and_alias(walk, entry);
        walk.import(entry, &module, "", &alias, false);
    }
    Next::Over
}

/// `from a import b, c as d`, `from . import b`, `from a import *`.
fn import_from<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let module = node.child_by_field_name("module_name");
    let module =
        module.map_or_else(|| "__future__".to_owned(), |module| walk.text(module).split_whitespace().collect());
    let mut cursor = node.walk();
    for entry in node.children(&mut cursor) {
        if entry.kind() == "wildcard_import" {
            walk.import(entry, &module, "*", "", false);
        }
    }
    for entry in node.children_by_field_name("name", &mut cursor) {
        let (name, alias) = named_and_alias(walk, entry);
        walk.import(entry, &module, &name, &alias, false);
    }
    Next::Over
}

fn named_and_alias<'t>(walk: &Walk<'t>, entry: Node<'t>) -> (String, String) {
    let field = |name| entry.child_by_field_name(name).map_or_else(String::new, |child| walk.text(child).into_owned());
    if entry.kind() == "aliased_import" {
        (field("name"), field("alias"))
    } else {
        (walk.text(entry).into_owned(), String::new())
    }
}
