//! Rules of Go.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", NodeRule::Define(SymbolKind::Function)),
        ("method_declaration", NodeRule::Visit(visit_method)),
        ("method_elem", NodeRule::Define(SymbolKind::Method)),
        ("type_declaration", NodeRule::SingleWrapper),
        ("type_spec", NodeRule::Visit(visit_type_spec)),
        ("type_alias", NodeRule::Define(SymbolKind::TypeAlias)),
        ("type_elem", NodeRule::Visit(visit_type_element)),
        ("field_declaration", NodeRule::Visit(visit_field)),
        ("const_declaration", NodeRule::SingleWrapper),
        ("const_spec", NodeRule::Visit(visit_constants)),
        ("var_declaration", NodeRule::SingleWrapper),
        ("var_spec_list", NodeRule::SingleWrapper),
        ("var_spec", NodeRule::Visit(visit_variables)),
        ("func_literal", NodeRule::Anonymous),
        ("comment", NodeRule::Comment),
        ("import_spec", NodeRule::Visit(visit_import)),
        ("call_expression", NodeRule::Call("function")),
        ("type_conversion_expression", NodeRule::Call("type")),
        ("composite_literal", NodeRule::Construct("type")),
        ("type_identifier", NodeRule::Type),
        ("qualified_type", NodeRule::Type),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("field_identifier", NameRule::Leaf),
        ("selector_expression", NameRule::Member { object: "operand", name: "field" }),
        ("qualified_type", NameRule::Member { object: "package", name: "name" }),
        ("generic_type", NameRule::Inside("type")),
        ("type_instantiation_expression", NameRule::Inside("type")),
        ("index_expression", NameRule::Inside("operand")),
        ("pointer_type", NameRule::First),
        ("parenthesized_type", NameRule::First),
        ("type_elem", NameRule::First),
    ],
    builtin_types: &[
        "any",
        "bool",
        "byte",
        "comparable",
        "complex64",
        "complex128",
        "error",
        "float32",
        "float64",
        "int",
        "int8",
        "int16",
        "int32",
        "int64",
        "rune",
        "string",
        "uint",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "uintptr",
    ],
    ..LanguageRules::EMPTY
};

/// A method belongs to the type of its receiver.
fn visit_method<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let receiver = node.child_by_field_name("receiver").and_then(|list| list.named_child(0));
    let of = receiver.and_then(|one| one.child_by_field_name("type")).and_then(|of| walk.name_path(of));
    let qualifier = of.map_or_else(String::new, |path| walk.text(path.name).into_owned());
    walk.define(DefinitionSpec { qualifier, ..DefinitionSpec::new(SymbolKind::Method, node, name, walk) });
    WalkAction::Descend
}

fn visit_type_spec<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let (Some(name), Some(of)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) else {
        return WalkAction::Descend;
    };
    let (kind, body) = match of.kind() {
        "struct_type" => (SymbolKind::Struct, of.named_child(0)),
        "interface_type" => (SymbolKind::Interface, of.child(1)),
        _ => (SymbolKind::TypeAlias, None),
    };
    walk.define(DefinitionSpec { body, ..DefinitionSpec::new(kind, node, name, walk) });
    WalkAction::Descend
}

/// A type element on its own is an interface that is extended. The members of a union are plain type references.
fn visit_type_element<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_in_interface = walk.is_child_of("interface_type");
    if is_in_interface && node.named_child_count() == 1 {
        walk.add_reference(ReferenceKind::Extend, node);
    }
    WalkAction::Descend
}

/// Defines the named fields. A field without a name embeds its type.
fn visit_field<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let defined = define_each(walk, SymbolKind::Field, node);
    if let Some(of) = node.child_by_field_name("type").filter(|_| !defined) {
        walk.add_reference(ReferenceKind::Extend, of);
    }
    WalkAction::Descend
}

fn visit_constants<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if !walk.is_in_function() {
        define_each(walk, SymbolKind::Constant, node);
    }
    WalkAction::Descend
}

fn visit_variables<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if !walk.is_in_function() {
        define_each(walk, SymbolKind::Variable, node);
    }
    WalkAction::Descend
}

fn define_each<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>) -> bool {
    let mut cursor = node.walk();
    let names: Vec<SyntaxNode> =
        node.children_by_field_name("name", &mut cursor).filter(SyntaxNode::is_named).collect();
    for name in &names {
        if &walk.source[name.byte_range()] != b"_" {
            walk.define(DefinitionSpec::without_body(kind, node, *name, walk));
        }
    }
    !names.is_empty()
}

/// `import "a/b"` imports the module itself; `import . "a/b"` imports all of its names.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(path) = node.child_by_field_name("path") else { return WalkAction::Skip };
    let path = walk.text(path);
    let module = path.trim_matches(['"', '`']);
    let alias = node.child_by_field_name("name").map(|name| walk.text(name)).unwrap_or_default();
    match alias.as_ref() {
        "." => walk.add_import(node, module, "*", "", false),
        alias => walk.add_import(node, module, "", alias, false),
    }
    WalkAction::Skip
}
