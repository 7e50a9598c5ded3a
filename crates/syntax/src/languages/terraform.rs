//! Rules of Terraform.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("block", NodeRule::Visit(visit_block)),
        ("attribute", NodeRule::Visit(visit_attribute)),
        ("comment", NodeRule::Comment),
        ("function_call", NodeRule::Visit(visit_function_call)),
        ("variable_expr", NodeRule::Visit(visit_reference)),
    ],
    names: &[("identifier", NameRule::Leaf)],
    bodies: &["block_start"],
    ..LanguageRules::EMPTY
};

/// A top-level block is named by its labels: `aws_s3_bucket.logs`. Nested blocks are settings.
fn visit_block<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if walk.is_in_function() {
        return WalkAction::Descend;
    }
    let mut cursor = node.walk();
    let labels: Vec<SyntaxNode> =
        node.named_children(&mut cursor).filter(|child| child.kind() == "string_lit").collect();
    let Some(last) = labels.last() else {
        let is_locals = node.named_child(0).is_some_and(|keyword| walk.text(keyword) == "locals");
        walk.open_scope(if is_locals { ScopeKind::Module } else { ScopeKind::Function }, "");
        return WalkAction::Descend;
    };
    let label = |label: &SyntaxNode<'t>| walk.text(*label).trim_matches('"').to_owned();
    let name = labels.iter().map(label).collect::<Vec<_>>().join(".");
    let spec = DefinitionSpec::new(SymbolKind::Resource, node, *last, walk);
    walk.define(DefinitionSpec { name, scope: None, ..spec });
    walk.open_scope(ScopeKind::Function, "");
    add_module_source(walk, node);
    WalkAction::Descend
}

/// `module "m" { source = "./a" }` imports another directory.
fn add_module_source<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) {
    let is_module = node.named_child(0).is_some_and(|keyword| walk.text(keyword) == "module");
    let body = node.named_child_of_kind("body").filter(|_| is_module);
    let Some(body) = body else { return };
    let mut inner = body.walk();
    for setting in body.named_children(&mut inner) {
        let is_source = setting.named_child(0).is_some_and(|name| walk.text(name) == "source");
        if let Some(value) = setting.named_child(1).filter(|_| is_source) {
            let text = walk.text(value);
            walk.add_import(setting, text.trim_matches('"'), "", "", false);
        }
    }
}

/// The settings of `locals` are definitions. Settings of other blocks are not.
fn visit_attribute<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.named_child(0).filter(|_| walk.is_in_unnamed_module()) {
        walk.define(DefinitionSpec::new(SymbolKind::Variable, node, name, walk));
    }
    WalkAction::Descend
}

fn visit_function_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.named_child(0) {
        walk.add_reference(ReferenceKind::Call, name);
    }
    WalkAction::Descend
}

/// `var.a`, `local.a`, `module.m`, `aws_s3_bucket.logs`, `data.aws_ami.a`: the path before the name is its block.
fn visit_reference<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut path = vec![node];
    if let Some(expression) = walk.ancestor(0) {
        let mut cursor = expression.walk();
        let after = expression.named_children(&mut cursor).skip_while(|child| *child != node).skip(1);
        path.extend(after.take_while(|part| part.kind() == "get_attr").take(2));
    }
    let n_before_name = if walk.text(node) == "data" { 2 } else { 1 };
    if let Some(name) = path.get(n_before_name).and_then(|part| part.named_child(0)) {
        let receiver = (node.start_byte(), path[n_before_name - 1].end_byte());
        walk.add_reference_at(ReferenceKind::Type, name, Some(receiver));
    }
    WalkAction::Descend
}
