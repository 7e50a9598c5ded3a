//! Rules of C#.

use model::{ReferenceKind, SymbolKind};

use crate::names;
use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("namespace_declaration", NodeRule::Visit(visit_namespace)),
        ("file_scoped_namespace_declaration", NodeRule::Visit(visit_namespace)),
        ("class_declaration", NodeRule::Define(SymbolKind::Class)),
        ("record_declaration", NodeRule::Define(SymbolKind::Class)),
        ("struct_declaration", NodeRule::Define(SymbolKind::Struct)),
        ("interface_declaration", NodeRule::Define(SymbolKind::Interface)),
        ("enum_declaration", NodeRule::Define(SymbolKind::Enum)),
        ("enum_member_declaration", NodeRule::Define(SymbolKind::Variant)),
        ("delegate_declaration", NodeRule::Define(SymbolKind::TypeAlias)),
        ("method_declaration", NodeRule::Define(SymbolKind::Method)),
        ("local_function_statement", NodeRule::Define(SymbolKind::Function)),
        ("constructor_declaration", NodeRule::Define(SymbolKind::Constructor)),
        ("destructor_declaration", NodeRule::Visit(visit_destructor)),
        ("operator_declaration", NodeRule::Visit(visit_operator)),
        ("property_declaration", NodeRule::Define(SymbolKind::Property)),
        ("event_declaration", NodeRule::Define(SymbolKind::Property)),
        ("field_declaration", NodeRule::Visit(visit_fields)),
        ("event_field_declaration", NodeRule::Visit(visit_fields)),
        ("parameter", NodeRule::Visit(visit_parameter)),
        ("lambda_expression", NodeRule::Anonymous),
        ("anonymous_method_expression", NodeRule::Anonymous),
        ("attribute_list", NodeRule::Attributes(visit_attributes)),
        ("comment", NodeRule::Comment),
        ("using_directive", NodeRule::Visit(visit_using)),
        ("invocation_expression", NodeRule::Call("function")),
        ("object_creation_expression", NodeRule::Construct("type")),
        ("base_list", NodeRule::Bases(ReferenceKind::Extend)),
        ("type_argument_list", NodeRule::Bases(ReferenceKind::Type)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("generic_name", NameRule::First),
        ("qualified_name", NameRule::Member { object: "qualifier", name: "name" }),
        ("member_access_expression", NameRule::Member { object: "expression", name: "name" }),
        ("conditional_access_expression", NameRule::Last),
        ("member_binding_expression", NameRule::Inside("name")),
        ("alias_qualified_name", NameRule::Inside("name")),
        ("nullable_type", NameRule::Inside("type")),
        ("array_type", NameRule::Inside("type")),
        ("primary_constructor_base_type", NameRule::First),
        ("attribute", NameRule::Inside("name")),
    ],
    bodies: &["accessor_list", "arrow_expression_clause", "constructor_initializer"],
    type_fields: &["type", "returns"],
    ..LanguageRules::EMPTY
};

/// A namespace is a module that does not qualify names, since many files reopen it.
fn visit_namespace<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        let spec = DefinitionSpec::new(SymbolKind::Module, node, name, walk);
        walk.define(DefinitionSpec { scope: Some(ScopeKind::Namespace), ..spec });
    }
    WalkAction::Descend
}

fn visit_destructor<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        let spec = DefinitionSpec::new(SymbolKind::Method, node, name, walk);
        walk.define(DefinitionSpec { name: format!("~{}", spec.name), ..spec });
    }
    WalkAction::Descend
}

fn visit_operator<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("operator") {
        let spec = DefinitionSpec::new(SymbolKind::Method, node, name, walk);
        walk.define(DefinitionSpec { name: format!("operator {}", spec.name), ..spec });
    }
    WalkAction::Descend
}

fn visit_fields<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let is_constant = node.children(&mut cursor).any(|child| child.kind() == "modifier" && walk.text(child) == "const");
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Field };
    let declaration = node.named_child_of_kind("variable_declaration");
    if let Some(declaration) = declaration {
        for declarator in declaration.named_children(&mut cursor) {
            if let Some(name) =
                declarator.child_by_field_name("name").filter(|_| declarator.kind() == "variable_declarator")
            {
                walk.define(DefinitionSpec::without_body(kind, node, name, walk));
            }
        }
    }
    WalkAction::Descend
}

/// A parameter of a record is a property.
fn visit_parameter<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_property = walk.is_in_type() && walk.ancestor(1).is_some_and(|owner| owner.kind() == "record_declaration");
    if is_property { walk.define_named(SymbolKind::Property, node) } else { WalkAction::Descend }
}

fn visit_attributes<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    for attribute in node.named_children(&mut cursor) {
        walk.add_reference(ReferenceKind::Decorate, attribute);
    }
    WalkAction::Descend
}

/// `using A.B;` imports all names of a namespace, `using static A;` those of a type, and `using C = A.B;` renames one.
fn visit_using<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let alias = node.child_by_field_name("name");
    let mut cursor = node.walk();
    let path = node.named_children(&mut cursor).filter(|child| Some(*child) != alias).last();
    let Some(path) = path.map(|path| names::collapse_white_space(&walk.source[path.byte_range()])) else {
        return WalkAction::Skip;
    };
    match alias.map(|alias| walk.text(alias)) {
        Some(alias) => walk.add_import(node, &path, "", &alias, false),
        None => walk.add_import(node, &path, "*", "", false),
    }
    WalkAction::Skip
}
