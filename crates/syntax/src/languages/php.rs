//! PHP.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("namespace_definition", Rule::Visit(namespace)),
        ("class_declaration", Rule::Define(SymbolKind::Class)),
        ("interface_declaration", Rule::Define(SymbolKind::Interface)),
        ("trait_declaration", Rule::Define(SymbolKind::Trait)),
        ("enum_declaration", Rule::Define(SymbolKind::Enum)),
        ("enum_case", Rule::Define(SymbolKind::Variant)),
        ("function_definition", Rule::Define(SymbolKind::Function)),
        ("method_declaration", Rule::Define(SymbolKind::Method)),
        ("const_declaration", Rule::WrapperOfOne),
        ("const_element", Rule::Visit(constant)),
        ("property_declaration", Rule::Visit(properties)),
        ("property_promotion_parameter", Rule::Visit(promoted)),
        ("anonymous_function", Rule::Anonymous),
        ("arrow_function", Rule::Anonymous),
        ("attribute_list", Rule::Attributes(attributes)),
        ("comment", Rule::Comment),
        ("namespace_use_declaration", Rule::Visit(namespace_use)),
        ("require_expression", Rule::Visit(require)),
        ("require_once_expression", Rule::Visit(require)),
        ("include_expression", Rule::Visit(require)),
        ("include_once_expression", Rule::Visit(require)),
        ("function_call_expression", Rule::Visit(function_call)),
        ("member_call_expression", Rule::Call("")),
        ("nullsafe_member_call_expression", Rule::Call("")),
        ("scoped_call_expression", Rule::Call("")),
        ("object_creation_expression", Rule::Construct("")),
        ("base_clause", Rule::Bases(ReferenceKind::Extend)),
        ("class_interface_clause", Rule::Bases(ReferenceKind::Implement)),
        ("use_declaration", Rule::Bases(ReferenceKind::Extend)),
        ("named_type", Rule::Type),
        ("class_constant_access_expression", Rule::Visit(class_constant)),
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
    ..LanguageRules::NONE
};

/// A namespace is a module, but does not qualify: the same one is open in every file.
fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        let subject = Subject::new(SymbolKind::Module, node, name, walk);
        walk.define(Subject { scope: Some(ScopeKind::Namespace), name: subject.name.replace('\\', "."), ..subject });
    }
    Next::Into
}

fn constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.named_child(0) {
        walk.define(Subject::new(SymbolKind::Constant, node, name, walk));
    }
    Next::Into
}

/// Properties without their `$`.
fn properties<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    for element in node.named_children(&mut cursor).filter(|child| child.kind() == "property_element") {
        if let Some(name) = element.child_by_field_name("name").and_then(|name| name.named_child(0)) {
            walk.define(Subject::one_of_many(SymbolKind::Property, node, name, walk));
        }
    }
    Next::Into
}

/// A parameter of a constructor that is a property at once.
fn promoted<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name").and_then(|name| name.named_child(0)) {
        walk.define_outside(Subject::new(SymbolKind::Property, node, name, walk));
    }
    Next::Into
}

fn attributes<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    for group in node.named_children(&mut cursor) {
        let mut inner = group.walk();
        group.named_children(&mut inner).for_each(|attribute| walk.mention(ReferenceKind::Decorate, attribute));
    }
    Next::Into
}

/// `f()`; `define('A', 1)` defines a constant.
fn function_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(function) = node.child_by_field_name("function") else { return Next::Into };
    walk.mention(ReferenceKind::Call, function);
    let first =
        node.child_by_field_name("arguments").and_then(|list| list.named_child(0)).and_then(|one| one.named_child(0));
    if let Some(string) = first.filter(|first| first.kind() == "string" && walk.text(function) == "define") {
        let subject = Subject::new(SymbolKind::Constant, node, string, walk);
        walk.define(Subject { name: subject.name.trim_matches('\'').to_owned(), ..subject });
    }
    Next::Into
}

/// `A::B` uses the type `A`.
fn class_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(of) = node.named_child(0) {
        walk.mention(ReferenceKind::Type, of);
    }
    Next::Into
}

/// `use A\B, C\D as E; use F\{G, H};`
fn namespace_use<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let prefix = node.named_children(&mut cursor).find(|child| child.kind() == "namespace_name");
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
        walk.import(clause, module, name, &alias, false);
    }
    Next::Over
}

/// `require 'a.php'`, with or without a directory before it.
fn require<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let end = node.end_byte().min(node.start_byte() + crate::names::MAX_PATH_BYTES);
    let text = walk.text_between(node.start_byte(), end);
    let quoted = text.split(['\'', '"']).nth(1).map(str::to_owned);
    if let Some(path) = quoted {
        walk.import(node, &path, "", "", false);
    }
    Next::Into
}
