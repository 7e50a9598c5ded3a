//! Rules of C++.

use model::{ReferenceKind, SymbolKind};

use crate::languages::c_declarators;
use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("namespace_definition", NodeRule::Visit(visit_namespace)),
        ("template_declaration", NodeRule::Wrapper),
        ("class_specifier", NodeRule::Visit(visit_class)),
        ("struct_specifier", NodeRule::Visit(c_declarators::visit_struct)),
        ("union_specifier", NodeRule::Visit(c_declarators::visit_union)),
        ("enum_specifier", NodeRule::Visit(c_declarators::visit_enum)),
        ("enumerator", NodeRule::Define(SymbolKind::Variant)),
        ("function_definition", NodeRule::Visit(c_declarators::visit_function)),
        ("declaration", NodeRule::Visit(c_declarators::visit_declaration)),
        ("field_declaration", NodeRule::Visit(c_declarators::visit_declaration)),
        ("alias_declaration", NodeRule::Define(SymbolKind::TypeAlias)),
        ("concept_definition", NodeRule::Define(SymbolKind::TypeAlias)),
        ("type_definition", NodeRule::Visit(c_declarators::visit_type_definition)),
        ("preproc_def", NodeRule::Visit(c_declarators::visit_macro_constant)),
        ("preproc_function_def", NodeRule::Visit(c_declarators::visit_macro_function)),
        ("preproc_include", NodeRule::Visit(c_declarators::visit_include)),
        ("lambda_expression", NodeRule::Anonymous),
        ("comment", NodeRule::Comment),
        ("using_declaration", NodeRule::Visit(visit_using)),
        ("friend_declaration", NodeRule::Visit(visit_friend)),
        ("template_instantiation", NodeRule::Skip),
        ("base_class_clause", NodeRule::Bases(ReferenceKind::Extend)),
        ("call_expression", NodeRule::Call("function")),
        ("new_expression", NodeRule::Construct("type")),
        ("compound_literal_expression", NodeRule::Construct("type")),
        ("type_identifier", NodeRule::Type),
        ("template_type", NodeRule::Type),
        ("qualified_identifier", NodeRule::Visit(visit_qualified_name)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("field_identifier", NameRule::Leaf),
        ("namespace_identifier", NameRule::Leaf),
        ("destructor_name", NameRule::Leaf),
        ("field_expression", NameRule::Member { object: "argument", name: "field" }),
        ("qualified_identifier", NameRule::Member { object: "scope", name: "name" }),
        ("template_function", NameRule::Inside("name")),
        ("template_method", NameRule::Inside("name")),
        ("template_type", NameRule::Inside("name")),
        ("dependent_name", NameRule::First),
        ("type_descriptor", NameRule::Inside("type")),
        ("struct_specifier", NameRule::Inside("name")),
        ("class_specifier", NameRule::Inside("name")),
    ],
    builtin_types: &[
        "size_t", "ssize_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    ],
    ..LanguageRules::EMPTY
};

/// A namespace is a module that does not qualify names, since many files reopen it.
fn visit_namespace<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let text: String = walk.text(name).split_whitespace().collect();
    let spec = DefinitionSpec::new(SymbolKind::Module, node, name, walk);
    walk.define(DefinitionSpec { name: text.replace("::", "."), scope: Some(ScopeKind::Namespace), ..spec });
    WalkAction::Descend
}

fn visit_class<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    c_declarators::define_type(walk, SymbolKind::Class, node)
}

/// `using a::b;` imports one name, `using namespace a;` imports all names.
fn visit_using<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(path) = node.named_child(0) else { return WalkAction::Skip };
    let text: String = walk.text(path).split_whitespace().collect();
    let takes_all = node.has_child("namespace");
    match text.rsplit_once("::") {
        _ if takes_all => walk.add_import(node, &text, "*", "", false),
        Some((module, name)) => walk.add_import(node, module, name, "", false),
        None => {}
    }
    WalkAction::Skip
}

/// A friend declaration is a definition only if it has a body.
fn visit_friend<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let has_body = node.named_child_of_kind("function_definition").is_some();
    if has_body {
        walk.wrap(node);
        return WalkAction::Descend;
    }
    WalkAction::Skip
}

/// `a::B` is a reference to a type if the grammar marks its last name as one.
fn visit_qualified_name<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(path) = walk.name_path(node).filter(|path| path.name.kind() == "type_identifier") {
        walk.add_reference_at(ReferenceKind::Type, path.name, path.receiver);
    }
    WalkAction::Descend
}
