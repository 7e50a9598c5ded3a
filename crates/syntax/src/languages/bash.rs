//! Rules of Bash. Other shells are parsed as Bash.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_definition", NodeRule::Define(SymbolKind::Function)),
        ("declaration_command", NodeRule::SingleWrapper),
        ("variable_assignment", NodeRule::Visit(visit_variable)),
        ("comment", NodeRule::Comment),
        ("command", NodeRule::Visit(visit_command)),
    ],
    names: &[("word", NameRule::Leaf), ("command_name", NameRule::First), ("command", NameRule::Inside("name"))],
    ..LanguageRules::EMPTY
};

/// Defines variables outside of functions. An assignment before a command sets its environment and is not a definition.
fn visit_variable<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_environment = walk.is_child_of("command");
    if let Some(name) = node.child_by_field_name("name").filter(|_| !walk.is_in_function() && !is_environment) {
        walk.define(DefinitionSpec::new(SymbolKind::Variable, node, name, walk));
    }
    WalkAction::Descend
}

/// `source a` and `. a` are imports. Any other command is a call of a function or a program.
fn visit_command<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let argument = node.child_by_field_name("argument");
    match (&walk.source[name.byte_range()], argument) {
        (b"source" | b".", Some(path)) => {
            let text = walk.text(path);
            walk.add_import(node, text.trim_matches(['"', '\'']), "", "", false);
        }
        _ => walk.add_reference(ReferenceKind::Call, node),
    }
    WalkAction::Descend
}
