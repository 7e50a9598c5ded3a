//! Rules of Python.

use model::{ReferenceKind, SymbolKind};

use crate::docs;
use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

/// Maximum number of statements and blocks between a method and an assignment in it. Hand-written code stays below 30.
const MAX_STATEMENTS_AROUND: usize = 64;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_definition", NodeRule::Define(SymbolKind::Function)),
        ("class_definition", NodeRule::Visit(visit_class)),
        ("assignment", NodeRule::Visit(visit_assignment)),
        ("type_alias_statement", NodeRule::Visit(visit_type_alias)),
        ("decorated_definition", NodeRule::Wrapper),
        ("decorator", NodeRule::Attribute),
        ("lambda", NodeRule::Anonymous),
        ("comment", NodeRule::Comment),
        ("import_statement", NodeRule::Visit(visit_import)),
        ("import_from_statement", NodeRule::Visit(visit_import_from)),
        ("future_import_statement", NodeRule::Visit(visit_import_from)),
        ("call", NodeRule::Call("function")),
        ("type", NodeRule::Visit(visit_type_annotation)),
        ("except_clause", NodeRule::Visit(visit_except)),
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
    inner_doc: Some(find_docstring),
    ..LanguageRules::EMPTY
};

fn visit_class<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    walk.define_named(SymbolKind::Class, node);
    if let Some(bases) = node.child_by_field_name("superclasses") {
        let mut cursor = bases.walk();
        for base in bases.named_children(&mut cursor) {
            if matches!(base.kind(), "identifier" | "attribute" | "subscript") {
                walk.add_reference(ReferenceKind::Extend, base);
            }
        }
    }
    WalkAction::Descend
}

/// Variables of a module are definitions. Variables of a class, and attributes that a method assigns to its object, are fields.
/// Local variables are not recorded.
fn visit_assignment<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(left) = node.child_by_field_name("left") else { return WalkAction::Descend };
    if walk.is_in_function() {
        define_attributes(walk, left);
        return WalkAction::Descend;
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
        let kind = match (walk.is_in_type(), is_constant) {
            (true, _) => SymbolKind::Field,
            (false, true) => SymbolKind::Constant,
            (false, false) => SymbolKind::Variable,
        };
        walk.define(DefinitionSpec::without_body(kind, node, target, walk));
    }
    WalkAction::Descend
}

/// Records the attributes that a method assigns to its object, unless its class defines them itself.
fn define_attributes<'t>(walk: &mut TreeWalk<'t>, left: SyntaxNode<'t>) {
    let targets = match left.kind() {
        "attribute" => vec![left],
        "pattern_list" | "tuple_pattern" => {
            let mut cursor = left.walk();
            left.named_children(&mut cursor).filter(|target| target.kind() == "attribute").collect()
        }
        _ => return,
    };
    let Some(receiver) = receiver_name(walk) else { return };
    for target in targets {
        let (Some(object), Some(name)) =
            (target.child_by_field_name("object"), target.child_by_field_name("attribute"))
        else {
            continue;
        };
        if object.kind() == "identifier" && walk.source[object.byte_range()] == walk.source[receiver.byte_range()] {
            let spec = DefinitionSpec::without_body(SymbolKind::Field, target, name, walk);
            walk.define_in_outer_scope(DefinitionSpec { is_prototype: true, ..spec });
        }
    }
}

/// Returns the name of the first parameter of the method around the current node.
fn receiver_name<'t>(walk: &TreeWalk<'t>) -> Option<SyntaxNode<'t>> {
    if !walk.is_in_member() {
        return None;
    }
    let is_method = |n_above: &usize| walk.ancestor(*n_above).is_some_and(|node| node.kind() == "function_definition");
    let n_above = (0..MAX_STATEMENTS_AROUND).find(is_method)?;
    let decorated = walk.ancestor(n_above + 1).filter(|around| around.kind() == "decorated_definition");
    let is_static = decorated.is_some_and(|decorated| {
        let mut cursor = decorated.walk();
        let mut decorators = decorated.named_children(&mut cursor).filter(|child| child.kind() == "decorator");
        decorators.any(|decorator| walk.text(decorator).trim_start_matches('@').trim() == "staticmethod")
    });
    let first = walk.ancestor(n_above)?.child_by_field_name("parameters")?.named_child(0)?;
    let name = if first.kind() == "typed_parameter" { first.named_child(0)? } else { first };
    (!is_static && name.kind() == "identifier").then_some(name)
}

fn is_upper_case(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}

fn visit_type_alias<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let name = node.child_by_field_name("left").and_then(|left| walk.name_path(left));
    if let Some(path) = name {
        let spec = DefinitionSpec {
            scope: None::<ScopeKind>,
            ..DefinitionSpec::new(SymbolKind::TypeAlias, node, path.name, walk)
        };
        walk.define(spec);
    }
    WalkAction::Descend
}

/// An annotation refers to its type. Nested types are visited separately, except for the sides of `A | B`.
fn visit_type_annotation<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut open: Vec<SyntaxNode> = node.named_child(0).into_iter().collect();
    while let Some(part) = open.pop() {
        match part.kind() {
            "binary_operator" => {
                open.extend(part.child_by_field_name("right"));
                open.extend(part.child_by_field_name("left"));
            }
            "subscript" => {
                let mut cursor = part.walk();
                open.extend(part.named_children(&mut cursor).skip(1));
                walk.add_reference(ReferenceKind::Type, part);
            }
            "identifier" | "attribute" | "generic_type" => walk.add_reference(ReferenceKind::Type, part),
            "string" => add_quoted_type(walk, part),
            "union_type" | "list" | "tuple" | "expression_list" => {
                let mut cursor = part.walk();
                open.extend(part.named_children(&mut cursor));
            }
            _ => {}
        }
    }
    WalkAction::Descend
}

/// A quoted type is a forward reference.
fn add_quoted_type<'t>(walk: &mut TreeWalk<'t>, string: SyntaxNode<'t>) {
    let content = string.child(1).filter(|content| content.kind() == "string_content");
    let is_name = |content: &SyntaxNode| {
        walk.source[content.byte_range()].iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if let Some(content) = content.filter(is_name) {
        walk.add_reference_at(ReferenceKind::Type, content, None);
    }
}

/// `except E` refers to the type `E`.
fn visit_except<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let value = node.child_by_field_name("value").or_else(|| node.named_child(0));
    let value = value.and_then(|value| if value.kind() == "as_pattern" { value.named_child(0) } else { Some(value) });
    if let Some(value) = value.filter(|value| value.kind() != "block") {
        let mut cursor = value.walk();
        if value.kind() == "tuple" {
            value.named_children(&mut cursor).for_each(|one| walk.add_reference(ReferenceKind::Type, one));
        } else {
            walk.add_reference(ReferenceKind::Type, value);
        }
    }
    WalkAction::Descend
}

/// Returns the string at the start of a body.
fn find_docstring(source: &[u8], node: SyntaxNode<'_>) -> Option<String> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let string = first.named_child(0).filter(|_| first.kind() == "expression_statement")?;
    (string.kind() == "string").then(|| docs::dedent(&docs::unquoted(&source[string.byte_range()])))
}

/// `import a.b`, `import a.b as c`.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    for entry in node.children_by_field_name("name", &mut cursor) {
        let (module, alias) = name_and_alias(walk, entry);
        walk.add_import(entry, &module, "", &alias, false);
    }
    WalkAction::Skip
}

/// `from a import b, c as d`, `from . import b`, `from a import *`.
fn visit_import_from<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let module = node.child_by_field_name("module_name");
    let module =
        module.map_or_else(|| "__future__".to_owned(), |module| walk.text(module).split_whitespace().collect());
    let mut cursor = node.walk();
    for entry in node.children(&mut cursor) {
        if entry.kind() == "wildcard_import" {
            walk.add_import(entry, &module, "*", "", false);
        }
    }
    for entry in node.children_by_field_name("name", &mut cursor) {
        let (name, alias) = name_and_alias(walk, entry);
        walk.add_import(entry, &module, &name, &alias, false);
    }
    WalkAction::Skip
}

fn name_and_alias<'t>(walk: &TreeWalk<'t>, entry: SyntaxNode<'t>) -> (String, String) {
    let field = |name| entry.child_by_field_name(name).map_or_else(String::new, |child| walk.text(child).into_owned());
    if entry.kind() == "aliased_import" {
        (field("name"), field("alias"))
    } else {
        (walk.text(entry).into_owned(), String::new())
    }
}
