//! Rules of PHP.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("namespace_definition", NodeRule::Visit(visit_namespace)),
        ("class_declaration", NodeRule::Define(SymbolKind::Class)),
        ("interface_declaration", NodeRule::Define(SymbolKind::Interface)),
        ("trait_declaration", NodeRule::Define(SymbolKind::Trait)),
        ("enum_declaration", NodeRule::Define(SymbolKind::Enum)),
        ("enum_case", NodeRule::Define(SymbolKind::Variant)),
        ("function_definition", NodeRule::Define(SymbolKind::Function)),
        ("method_declaration", NodeRule::Define(SymbolKind::Method)),
        ("const_declaration", NodeRule::SingleWrapper),
        ("const_element", NodeRule::Visit(visit_constant)),
        ("property_declaration", NodeRule::Visit(visit_properties)),
        ("property_promotion_parameter", NodeRule::Visit(visit_promoted_parameter)),
        ("anonymous_function", NodeRule::Anonymous),
        ("arrow_function", NodeRule::Anonymous),
        ("attribute_list", NodeRule::Attributes(visit_attributes)),
        ("comment", NodeRule::Comment),
        ("namespace_use_declaration", NodeRule::Visit(visit_namespace_use)),
        ("require_expression", NodeRule::Visit(visit_require)),
        ("require_once_expression", NodeRule::Visit(visit_require)),
        ("include_expression", NodeRule::Visit(visit_require)),
        ("include_once_expression", NodeRule::Visit(visit_require)),
        ("function_call_expression", NodeRule::Visit(visit_function_call)),
        ("member_call_expression", NodeRule::Call("")),
        ("nullsafe_member_call_expression", NodeRule::Call("")),
        ("scoped_call_expression", NodeRule::Call("")),
        ("object_creation_expression", NodeRule::Construct("")),
        ("base_clause", NodeRule::Bases(ReferenceKind::Extend)),
        ("class_interface_clause", NodeRule::Bases(ReferenceKind::Implement)),
        ("use_declaration", NodeRule::Bases(ReferenceKind::Extend)),
        ("named_type", NodeRule::Type),
        ("class_constant_access_expression", NodeRule::Visit(visit_class_constant)),
    ],
    names: &[
        ("name", NameRule::Leaf),
        ("qualified_name", NameRule::Last),
        ("named_type", NameRule::First),
        ("attribute", NameRule::First),
        ("object_creation_expression", NameRule::First),
        ("member_call_expression", NameRule::Member { object: "object", name: "name" }),
        ("nullsafe_member_call_expression", NameRule::Member { object: "object", name: "name" }),
        ("scoped_call_expression", NameRule::Member { object: "scope", name: "name" }),
    ],
    constructors: &["__construct"],
    builtin_types: &["self", "static", "parent"],
    ..LanguageRules::EMPTY
};

/// A namespace is a module that does not qualify names, since many files reopen it.
fn visit_namespace<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        let spec = DefinitionSpec::new(SymbolKind::Module, node, name, walk);
        walk.define(DefinitionSpec { scope: Some(ScopeKind::Namespace), name: spec.name.replace('\\', "."), ..spec });
    }
    WalkAction::Descend
}

fn visit_constant<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.named_child(0) {
        walk.define(DefinitionSpec::new(SymbolKind::Constant, node, name, walk));
    }
    WalkAction::Descend
}

/// Properties, named without their `$`.
fn visit_properties<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    for element in node.named_children(&mut cursor).filter(|child| child.kind() == "property_element") {
        if let Some(name) = element.child_by_field_name("name").and_then(|name| name.named_child(0)) {
            walk.define(DefinitionSpec::without_body(SymbolKind::Property, node, name, walk));
        }
    }
    WalkAction::Descend
}

/// A constructor parameter that also declares a property.
fn visit_promoted_parameter<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name").and_then(|name| name.named_child(0)) {
        walk.define_in_outer_scope(DefinitionSpec::new(SymbolKind::Property, node, name, walk));
    }
    WalkAction::Descend
}

fn visit_attributes<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    for group in node.named_children(&mut cursor) {
        let mut inner = group.walk();
        group.named_children(&mut inner).for_each(|attribute| walk.add_reference(ReferenceKind::Decorate, attribute));
    }
    WalkAction::Descend
}

/// `f()` is a call; `define('A', 1)` also defines a constant.
fn visit_function_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(function) = node.child_by_field_name("function") else { return WalkAction::Descend };
    walk.add_reference(ReferenceKind::Call, function);
    let first =
        node.child_by_field_name("arguments").and_then(|list| list.named_child(0)).and_then(|one| one.named_child(0));
    if let Some(string) = first.filter(|first| first.kind() == "string" && walk.text(function) == "define") {
        let spec = DefinitionSpec::new(SymbolKind::Constant, node, string, walk);
        walk.define(DefinitionSpec { name: spec.name.trim_matches('\'').to_owned(), ..spec });
    }
    WalkAction::Descend
}

/// `A::B` refers to the type `A`.
fn visit_class_constant<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(of) = node.named_child(0) {
        walk.add_reference(ReferenceKind::Type, of);
    }
    WalkAction::Descend
}

/// `use A\B, C\D as E; use F\{G, H};`
fn visit_namespace_use<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let prefix = node.named_child_of_kind("namespace_name");
    let prefix = prefix.map_or_else(String::new, |prefix| walk.text(prefix).into_owned());
    let group = node.child_by_field_name("body").unwrap_or(node);
    for clause in group.named_children(&mut cursor).filter(|child| child.kind() == "namespace_use_clause") {
        let alias_node = clause.child_by_field_name("alias");
        let alias = alias_node.map_or_else(String::new, |alias| walk.text(alias).into_owned());
        let mut inner = clause.walk();
        let named = clause.named_children(&mut inner).find(|child| matches!(child.kind(), "qualified_name" | "name"));
        let Some(path) = named.filter(|path| Some(*path) != alias_node).map(|path| walk.text(path)) else { continue };
        let full = if prefix.is_empty() { path.into_owned() } else { format!("{prefix}\\{path}") };
        let full = full.trim_start_matches('\\');
        let (module, name) = full.rsplit_once('\\').unwrap_or(("", full));
        walk.add_import(clause, module, name, &alias, false);
    }
    WalkAction::Skip
}

/// `require 'a.php'`, with or without a directory expression before the path.
fn visit_require<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let end = node.end_byte().min(node.start_byte() + crate::names::MAX_PATH_BYTES);
    let text = walk.text_between(node.start_byte(), end);
    let quoted = text.split(['\'', '"']).nth(1).map(str::to_owned);
    if let Some(path) = quoted {
        walk.add_import(node, &path, "", "", false);
    }
    WalkAction::Descend
}
