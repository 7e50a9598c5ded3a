//! Rules of Dart.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", NodeRule::Define(SymbolKind::Class)),
        ("mixin_declaration", NodeRule::Define(SymbolKind::Trait)),
        ("extension_declaration", NodeRule::Define(SymbolKind::Class)),
        ("extension_type_declaration", NodeRule::Define(SymbolKind::Class)),
        ("enum_declaration", NodeRule::Define(SymbolKind::Enum)),
        ("enum_entry", NodeRule::Define(SymbolKind::Variant)),
        ("type_alias", NodeRule::Visit(visit_type_alias)),
        ("function_declaration", NodeRule::Visit(visit_function)),
        ("local_function_declaration", NodeRule::Visit(visit_function)),
        ("method_declaration", NodeRule::Visit(visit_function)),
        ("declaration", NodeRule::Visit(visit_declaration)),
        ("member_declaration", NodeRule::Wrapper),
        ("static_final_declaration", NodeRule::Visit(visit_constant)),
        ("initialized_identifier", NodeRule::Visit(visit_variable)),
        ("top_level_variable_declaration", NodeRule::Wrapper),
        ("static_final_declaration_list", NodeRule::SingleWrapper),
        ("initialized_identifier_list", NodeRule::SingleWrapper),
        ("function_expression", NodeRule::Anonymous),
        ("annotation", NodeRule::Attribute),
        ("comment", NodeRule::Comment),
        ("documentation_comment", NodeRule::Comment),
        ("import_or_export", NodeRule::Visit(visit_import)),
        ("part_directive", NodeRule::Visit(visit_import)),
        ("call_expression", NodeRule::Call("function")),
        ("superclass", NodeRule::Visit(visit_extends)),
        ("mixins", NodeRule::Bases(ReferenceKind::Extend)),
        ("interfaces", NodeRule::Bases(ReferenceKind::Implement)),
        ("type_identifier", NodeRule::Type),
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
    ..LanguageRules::EMPTY
};

/// Defines a function with a body. Its name is in its signature node.
fn visit_function<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let body = node.named_child_of_kind("function_body");
    if let Some(signature) = node.child_by_field_name("signature").or_else(|| node.named_child(0)) {
        define_signature(walk, node, signature, body);
    }
    WalkAction::Descend
}

/// Defines a member without a body: a signature. Fields are visited as children.
fn visit_declaration<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    walk.wrap(node);
    let mut cursor = node.walk();
    let signature = node.named_children(&mut cursor).find(|child| child.kind().ends_with("_signature"));
    if let Some(signature) = signature {
        define_signature(walk, node, signature, None);
    }
    WalkAction::Descend
}

fn define_signature<'t>(
    walk: &mut TreeWalk<'t>,
    node: SyntaxNode<'t>,
    signature: SyntaxNode<'t>,
    body: Option<SyntaxNode<'t>>,
) {
    let mut cursor = signature.walk();
    let inner =
        signature.named_children(&mut cursor).find(|child| child.kind().ends_with("_signature")).unwrap_or(signature);
    let names: Vec<SyntaxNode> =
        inner.children_by_field_name("name", &mut cursor).filter(SyntaxNode::is_named).collect();
    let name = names.last().copied().or_else(|| inner.child_by_field_name("operator"));
    let kind = match inner.kind() {
        kind if kind.contains("constructor") => SymbolKind::Constructor,
        "getter_signature" if walk.is_in_type() => SymbolKind::Property,
        _ => SymbolKind::Function,
    };
    if let Some(name) = name {
        walk.define(DefinitionSpec { body, ..DefinitionSpec::new(kind, node, name, walk) });
    }
}

fn visit_constant<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_variable(walk, SymbolKind::Constant, node)
}

fn visit_variable<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_variable(walk, if walk.is_in_type() { SymbolKind::Field } else { SymbolKind::Variable }, node)
}

fn define_variable<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>) -> WalkAction {
    if walk.is_in_function() { WalkAction::Descend } else { walk.define_named(kind, node) }
}

fn visit_type_alias<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.named_child_of_kind("type_identifier") {
        walk.define(DefinitionSpec { scope: None, ..DefinitionSpec::new(SymbolKind::TypeAlias, node, name, walk) });
    }
    WalkAction::Descend
}

fn visit_extends<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(base) = node.child_by_field_name("type") {
        walk.add_reference(ReferenceKind::Extend, base);
    }
    WalkAction::Descend
}

/// `import 'a' as b show C`, `export 'a'`, `part 'a'`.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let text = walk.text(node).into_owned();
    let Some(module) = text.split(['\'', '"']).nth(1) else { return WalkAction::Skip };
    let after = text.split(['\'', '"']).skip(2).collect::<String>();
    let after = after.trim_end_matches(';');
    let alias = after.split(" as ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    let shown = after.split(" show ").nth(1).map(|rest| rest.split(" hide ").next().unwrap_or_default());
    let is_export = text.starts_with("export");
    match shown {
        Some(names) => names.split(',').for_each(|name| walk.add_import(node, module, name, "", is_export)),
        None if alias.is_empty() => walk.add_import(node, module, "*", "", is_export),
        None => walk.add_import(node, module, "", alias, is_export),
    }
    WalkAction::Skip
}
