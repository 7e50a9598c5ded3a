//! Go.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::names;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", Rule::Define(SymbolKind::Function)),
        ("method_declaration", Rule::Visit(method)),
        ("method_elem", Rule::Define(SymbolKind::Method)),
        ("type_declaration", Rule::WrapperOfOne),
        ("type_spec", Rule::Visit(type_spec)),
        ("type_alias", Rule::Define(SymbolKind::TypeAlias)),
        ("type_elem", Rule::Visit(embedded)),
        ("field_declaration", Rule::Visit(field)),
        ("const_declaration", Rule::WrapperOfOne),
        ("const_spec", Rule::Visit(constants)),
        ("var_declaration", Rule::WrapperOfOne),
        ("var_spec_list", Rule::WrapperOfOne),
        ("var_spec", Rule::Visit(variables)),
        ("func_literal", Rule::Anonymous),
        ("comment", Rule::Comment),
        ("import_spec", Rule::Visit(import)),
        ("call_expression", Rule::Call("function")),
        ("type_conversion_expression", Rule::Call("type")),
        ("composite_literal", Rule::Construct("type")),
        ("type_identifier", Rule::Type),
        ("qualified_type", Rule::Type),
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
    ..LanguageRules::NONE
};

/// A method belongs to the type of its receiver.
fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    let receiver = node.child_by_field_name("receiver").and_then(|list| list.named_child(0));
    let of = receiver.and_then(|one| one.child_by_field_name("type")).and_then(|of| names::resolve(walk.grammar, of));
    let qualifier = of.map_or_else(String::new, |path| walk.text(path.name).into_owned());
    walk.define(Subject { qualifier, ..Subject::new(SymbolKind::Method, node, name, walk) });
    Next::Into
}

fn type_spec<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let (Some(name), Some(of)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) else {
        return Next::Into;
    };
    let (kind, body) = match of.kind() {
        "struct_type" => (SymbolKind::Struct, of.named_child(0)),
        "interface_type" => (SymbolKind::Interface, of.child(1)),
        _ => (SymbolKind::TypeAlias, None),
    };
    walk.define(Subject { body, ..Subject::new(kind, node, name, walk) });
    Next::Into
}

/// An interface extends those that are named in it alone; of a union, each is but a type in use.
fn embedded<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_in_interface = walk.is_in("interface_type");
    if is_in_interface && node.named_child_count() == 1 {
        walk.mention(ReferenceKind::Extend, node);
    }
    Next::Into
}

/// Fields by their names; a field without a name embeds its type.
fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let defined = define_each(walk, SymbolKind::Field, node);
    if let Some(of) = node.child_by_field_name("type").filter(|_| !defined) {
        walk.mention(ReferenceKind::Extend, of);
    }
    Next::Into
}

fn constants<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if !walk.in_function() {
        define_each(walk, SymbolKind::Constant, node);
    }
    Next::Into
}

fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if !walk.in_function() {
        define_each(walk, SymbolKind::Variable, node);
    }
    Next::Into
}

fn define_each<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>) -> bool {
    let mut cursor = node.walk();
    let names: Vec<Node> = node.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    for name in &names {
        if &walk.source[name.byte_range()] != b"_" {
            walk.define(Subject::one_of_many(kind, node, *name, walk));
        }
    }
    !names.is_empty()
}

/// `import "a/b"` is the module itself; `import . "a/b"` takes all of its names.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(path) = node.child_by_field_name("path") else { return Next::Over };
    let path = walk.text(path);
    let module = path.trim_matches(['"', '`']);
    let alias = node.child_by_field_name("name").map(|name| walk.text(name)).unwrap_or_default();
    match alias.as_ref() {
        "." => walk.import(node, module, "*", "", false),
        alias => walk.import(node, module, "", alias, false),
    }
    Next::Over
}
