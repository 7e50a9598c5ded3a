//! Rules of Scala.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_definition", NodeRule::Define(SymbolKind::Class)),
        ("object_definition", NodeRule::Define(SymbolKind::Class)),
        ("trait_definition", NodeRule::Define(SymbolKind::Trait)),
        ("enum_definition", NodeRule::Define(SymbolKind::Enum)),
        ("simple_enum_case", NodeRule::Define(SymbolKind::Variant)),
        ("full_enum_case", NodeRule::Define(SymbolKind::Variant)),
        ("package_object", NodeRule::Define(SymbolKind::Module)),
        ("function_definition", NodeRule::Visit(visit_function)),
        ("function_declaration", NodeRule::Visit(visit_function)),
        ("given_definition", NodeRule::Define(SymbolKind::Constant)),
        ("type_definition", NodeRule::Define(SymbolKind::TypeAlias)),
        ("val_definition", NodeRule::Visit(visit_value)),
        ("val_declaration", NodeRule::Visit(visit_value)),
        ("var_definition", NodeRule::Visit(visit_value)),
        ("var_declaration", NodeRule::Visit(visit_value)),
        ("class_parameter", NodeRule::Define(SymbolKind::Field)),
        ("lambda_expression", NodeRule::Anonymous),
        ("annotation", NodeRule::Attribute),
        ("comment", NodeRule::Comment),
        ("block_comment", NodeRule::Comment),
        ("package_clause", NodeRule::Visit(visit_package)),
        ("import_declaration", NodeRule::Visit(visit_import)),
        ("call_expression", NodeRule::Call("function")),
        ("instance_expression", NodeRule::Construct("")),
        ("extends_clause", NodeRule::Visit(visit_extends)),
        ("type_identifier", NodeRule::Type),
        ("stable_type_identifier", NodeRule::Type),
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
    ..LanguageRules::EMPTY
};

/// A function in a type is a method; one named `this` is a constructor.
fn visit_function<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let is_constructor = &walk.source[name.byte_range()] == b"this";
    let kind = if is_constructor { SymbolKind::Constructor } else { SymbolKind::Function };
    walk.define(DefinitionSpec::new(kind, node, name, walk));
    WalkAction::Descend
}

/// `val` and `var` outside of functions.
fn visit_value<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if walk.is_in_function() {
        return WalkAction::Descend;
    }
    let name = node.child_by_field_name("pattern").or_else(|| node.child_by_field_name("name"));
    let kind = match (walk.is_in_type(), node.kind().starts_with("val")) {
        (true, _) => SymbolKind::Field,
        (false, true) => SymbolKind::Constant,
        (false, false) => SymbolKind::Variable,
    };
    if let Some(name) = name.filter(|name| name.kind() == "identifier") {
        walk.define(DefinitionSpec::new(kind, node, name, walk));
    }
    WalkAction::Descend
}

/// `package a { … }` contains definitions; `package a` does not.
fn visit_package<'t>(_: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if node.child_by_field_name("body").is_some() { WalkAction::Descend } else { WalkAction::Skip }
}

fn visit_extends<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    for base in node.children_by_field_name("type", &mut cursor) {
        walk.add_reference(ReferenceKind::Extend, base);
    }
    WalkAction::Descend
}

/// `import a.b.C`, `import a.b.{C, D => E}`, `import a.b._`.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let mut path: Vec<String> = Vec::new();
    let mut names_follow = false;
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "namespace_wildcard" => {
                names_follow = true;
                walk.add_import(part, &path.join("."), "*", "", false);
            }
            "namespace_selectors" => {
                names_follow = true;
                add_selector_imports(walk, part, &path.join("."));
            }
            _ => path.push(walk.text(part).into_owned()),
        }
    }
    if let Some(name) = path.pop().filter(|_| !names_follow) {
        walk.add_import(node, &path.join("."), &name, "", false);
    }
    WalkAction::Skip
}

fn add_selector_imports<'t>(walk: &mut TreeWalk<'t>, list: SyntaxNode<'t>, module: &str) {
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor) {
        let field = |name| part.child_by_field_name(name).map(|child| walk.text(child)).unwrap_or_default();
        match part.kind() {
            "identifier" => walk.add_import(part, module, &walk.text(part), "", false),
            "namespace_wildcard" => walk.add_import(part, module, "*", "", false),
            _ => {
                let (name, alias) = (field("name"), field("alias"));
                walk.add_import(part, module, &name, &alias, false);
            }
        }
    }
}
