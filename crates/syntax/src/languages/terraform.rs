//! Terraform.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("block", Rule::Visit(block)),
        ("attribute", Rule::Visit(attribute)),
        ("comment", Rule::Comment),
        ("function_call", Rule::Visit(function_call)),
        ("variable_expr", Rule::Visit(reference)),
    ],
    names: &[("identifier", NameRule::Leaf)],
    bodies: &["block_start"],
    ..LanguageRules::NONE
};

/// A block at the top of the file is named by its labels: `aws_s3_bucket.logs`. Blocks in it are settings.
fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if walk.in_function() {
        return Next::Into;
    }
    let mut cursor = node.walk();
    let labels: Vec<Node> = node.named_children(&mut cursor).filter(|child| child.kind() == "string_lit").collect();
    let Some(last) = labels.last() else {
        let is_locals = node.named_child(0).is_some_and(|keyword| walk.text(keyword) == "locals");
        walk.open_scope(if is_locals { ScopeKind::Module } else { ScopeKind::Function }, "");
        return Next::Into;
    };
    let label = |label: &Node<'t>| walk.text(*label).trim_matches('"').to_owned();
    let name = labels.iter().map(label).collect::<Vec<_>>().join(".");
    let subject = Subject::new(SymbolKind::Resource, node, *last, walk);
    walk.define(Subject { name, scope: None, ..subject });
    walk.open_scope(ScopeKind::Function, "");
    module_source(walk, node);
    Next::Into
}

/// `module "m" { source = "./a" }` takes in another directory.
fn module_source<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let is_module = node.named_child(0).is_some_and(|keyword| walk.text(keyword) == "module");
    let mut cursor = node.walk();
    let body = node.named_children(&mut cursor).find(|child| child.kind() == "body").filter(|_| is_module);
    let Some(body) = body else { return };
    let mut inner = body.walk();
    for setting in body.named_children(&mut inner) {
        let is_source = setting.named_child(0).is_some_and(|name| walk.text(name) == "source");
        if let Some(value) = setting.named_child(1).filter(|_| is_source) {
            let text = walk.text(value);
            walk.import(setting, text.trim_matches('"'), "", "", false);
        }
    }
}

/// The settings of `locals` are definitions; any other belongs to its block.
fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.named_child(0).filter(|_| walk.in_unnamed_module()) {
        walk.define(Subject::new(SymbolKind::Variable, node, name, walk));
    }
    Next::Into
}

fn function_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.named_child(0) {
        walk.mention(ReferenceKind::Call, name);
    }
    Next::Into
}

/// `var.a`, `local.a`, `module.m`, `aws_s3_bucket.logs`, `data.aws_ami.a`: what stands before the name is its block.
fn reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut path = vec![node];
    let mut next = node.next_named_sibling();
    while let Some(part) = next.filter(|part| part.kind() == "get_attr" && path.len() < 3) {
        path.push(part);
        next = part.next_named_sibling();
    }
    let n_before_name = if walk.text(node) == "data" { 2 } else { 1 };
    if let Some(name) = path.get(n_before_name).and_then(|part| part.named_child(0)) {
        let receiver = (node.start_byte(), path[n_before_name - 1].end_byte());
        walk.mention_at(ReferenceKind::Type, name, Some(receiver));
    }
    Next::Into
}
