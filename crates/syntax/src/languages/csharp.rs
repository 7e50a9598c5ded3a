//! C#.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::names;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("namespace_declaration", Rule::Visit(namespace)),
        ("file_scoped_namespace_declaration", Rule::Visit(namespace)),
        ("class_declaration", Rule::Define(SymbolKind::Class)),
        ("record_declaration", Rule::Define(SymbolKind::Class)),
        ("struct_declaration", Rule::Define(SymbolKind::Struct)),
        ("interface_declaration", Rule::Define(SymbolKind::Interface)),
        ("enum_declaration", Rule::Define(SymbolKind::Enum)),
        ("enum_member_declaration", Rule::Define(SymbolKind::Variant)),
        ("delegate_declaration", Rule::Define(SymbolKind::TypeAlias)),
        ("method_declaration", Rule::Define(SymbolKind::Method)),
        ("local_function_statement", Rule::Define(SymbolKind::Function)),
        ("constructor_declaration", Rule::Define(SymbolKind::Constructor)),
        ("destructor_declaration", Rule::Visit(destructor)),
        ("operator_declaration", Rule::Visit(operator)),
        ("property_declaration", Rule::Define(SymbolKind::Property)),
        ("event_declaration", Rule::Define(SymbolKind::Property)),
        ("field_declaration", Rule::Visit(fields)),
        ("event_field_declaration", Rule::Visit(fields)),
        ("parameter", Rule::Visit(parameter)),
        ("lambda_expression", Rule::Anonymous),
        ("anonymous_method_expression", Rule::Anonymous),
        ("attribute_list", Rule::Attributes(attributes)),
        ("comment", Rule::Comment),
        ("using_directive", Rule::Visit(using)),
        ("invocation_expression", Rule::Call("function")),
        ("object_creation_expression", Rule::Construct("type")),
        ("base_list", Rule::Bases(ReferenceKind::Extend)),
        ("type_argument_list", Rule::Bases(ReferenceKind::Type)),
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
    ..LanguageRules::NONE
};

/// A namespace is a module, but does not qualify: the same one is open in every file.
fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        let subject = Subject::new(SymbolKind::Module, node, name, walk);
        walk.define(Subject { scope: Some(ScopeKind::Namespace), ..subject });
    }
    Next::Into
}

fn destructor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        let subject = Subject::new(SymbolKind::Method, node, name, walk);
        walk.define(Subject { name: format!("~{}", subject.name), ..subject });
    }
    Next::Into
}

fn operator<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("operator") {
        let subject = Subject::new(SymbolKind::Method, node, name, walk);
        walk.define(Subject { name: format!("operator {}", subject.name), ..subject });
    }
    Next::Into
}

fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let is_constant = node.children(&mut cursor).any(|child| child.kind() == "modifier" && walk.text(child) == "const");
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Field };
    let declaration = node.named_children(&mut cursor).find(|child| child.kind() == "variable_declaration");
    if let Some(declaration) = declaration {
        for declarator in declaration.named_children(&mut cursor) {
            if let Some(name) =
                declarator.child_by_field_name("name").filter(|_| declarator.kind() == "variable_declarator")
            {
                walk.define(Subject::one_of_many(kind, node, name, walk));
            }
        }
    }
    Next::Into
}

/// A parameter of a record is a property.
fn parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_property = walk.in_type() && walk.ancestor(1).is_some_and(|owner| owner.kind() == "record_declaration");
    if is_property { walk.define_named(SymbolKind::Property, node) } else { Next::Into }
}

fn attributes<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    for attribute in node.named_children(&mut cursor) {
        walk.mention(ReferenceKind::Decorate, attribute);
    }
    Next::Into
}

/// `using A.B;` takes all names of a namespace, `using static A;` those of a type, `using C = A.B;` renames one.
fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let alias = node.child_by_field_name("name");
    let mut cursor = node.walk();
    let path = node.named_children(&mut cursor).filter(|child| Some(*child) != alias).last();
    let Some(path) = path.map(|path| names::fold(&walk.source[path.byte_range()])) else { return Next::Over };
    match alias.map(|alias| walk.text(alias)) {
        Some(alias) => walk.import(node, &path, "", &alias, false),
        None => walk.import(node, &path, "*", "", false),
    }
    Next::Over
}
