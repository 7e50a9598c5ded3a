//! Dart.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", Rule::Define(SymbolKind::Class)),
        ("mixin_declaration", Rule::Define(SymbolKind::Trait)),
        ("extension_declaration", Rule::Define(SymbolKind::Class)),
        ("extension_type_declaration", Rule::Define(SymbolKind::Class)),
        ("enum_declaration", Rule::Define(SymbolKind::Enum)),
        ("enum_entry", Rule::Define(SymbolKind::Variant)),
        ("type_alias", Rule::Visit(type_alias)),
        ("function_declaration", Rule::Visit(function)),
        ("local_function_declaration", Rule::Visit(function)),
        ("method_declaration", Rule::Visit(function)),
        ("declaration", Rule::Visit(declaration)),
        ("member_declaration", Rule::Wrapper),
        ("static_final_declaration", Rule::Visit(constant)),
        ("initialized_identifier", Rule::Visit(variable)),
        ("top_level_variable_declaration", Rule::Wrapper),
        ("static_final_declaration_list", Rule::WrapperOfOne),
        ("initialized_identifier_list", Rule::WrapperOfOne),
        ("function_expression", Rule::Anonymous),
        ("annotation", Rule::Attribute),
        ("comment", Rule::Comment),
        ("documentation_comment", Rule::Comment),
        ("import_or_export", Rule::Visit(import)),
        ("part_directive", Rule::Visit(import)),
        ("call_expression", Rule::Call("function")),
        ("superclass", Rule::Visit(extends)),
        ("mixins", Rule::Bases(ReferenceKind::Extend)),
        ("interfaces", Rule::Bases(ReferenceKind::Implement)),
        ("type_identifier", Rule::Type),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("type", NameRule::First),
        ("member_expression", NameRule::Member { object: "object", name: "property" }),
        ("call_expression", NameRule::Inside("function")),
        ("annotation", NameRule::Inside("name")),
    ],
    builtin_types: &["bool", "double", "dynamic", "int", "num", "Object", "String"],
    ..LanguageRules::NONE
};

/// A function with a body: its name is in its signature.
fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let body = node.named_children(&mut cursor).find(|child| child.kind() == "function_body");
    if let Some(signature) = node.child_by_field_name("signature").or_else(|| node.named_child(0)) {
        define_signature(walk, node, signature, body);
    }
    Next::Into
}

/// A member without a body: a signature, or a field that comes by itself.
fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    walk.wrap(node);
    let mut cursor = node.walk();
    let signature = node.named_children(&mut cursor).find(|child| child.kind().ends_with("_signature"));
    if let Some(signature) = signature {
        define_signature(walk, node, signature, None);
    }
    Next::Into
}

fn define_signature<'t>(walk: &mut Walk<'t>, node: Node<'t>, signature: Node<'t>, body: Option<Node<'t>>) {
    let mut cursor = signature.walk();
    let inner =
        signature.named_children(&mut cursor).find(|child| child.kind().ends_with("_signature")).unwrap_or(signature);
    let names: Vec<Node> = inner.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    let name = names.last().copied().or_else(|| inner.child_by_field_name("operator"));
    let kind = match inner.kind() {
        kind if kind.contains("constructor") => SymbolKind::Constructor,
        "getter_signature" if walk.in_type() => SymbolKind::Property,
        _ => SymbolKind::Function,
    };
    if let Some(name) = name {
        walk.define(Subject { body, ..Subject::new(kind, node, name, walk) });
    }
}

fn constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_variable(walk, SymbolKind::Constant, node)
}

fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_variable(walk, if walk.in_type() { SymbolKind::Field } else { SymbolKind::Variable }, node)
}

fn define_variable<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>) -> Next {
    if walk.in_function() { Next::Into } else { walk.define_named(kind, node) }
}

fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    if let Some(name) = node.named_children(&mut cursor).find(|child| child.kind() == "type_identifier") {
        walk.define(Subject { scope: None, ..Subject::new(SymbolKind::TypeAlias, node, name, walk) });
    }
    Next::Into
}

fn extends<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(base) = node.child_by_field_name("type") {
        walk.mention(ReferenceKind::Extend, base);
    }
    Next::Into
}

/// `import 'a' as b show C`, `export 'a'`, `part 'a'`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let text = walk.text(node).into_owned();
    let Some(module) = text.split(['\'', '"']).nth(1) else { return Next::Over };
    let after = text.split(['\'', '"']).skip(2).collect::<String>();
    let after = after.trim_end_matches(';');
    let alias = after.split(" as ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    let shown = after.split(" show ").nth(1).map(|rest| rest.split(" hide ").next().unwrap_or_default());
    let is_export = text.starts_with("export");
    match shown {
        Some(names) => names.split(',').for_each(|name| walk.import(node, module, name, "", is_export)),
        None if alias.is_empty() => walk.import(node, module, "*", "", is_export),
        None => walk.import(node, module, "", alias, is_export),
    }
    Next::Over
}
