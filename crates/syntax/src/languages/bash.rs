//! Bash, and the shells that are read as if they were it.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_definition", Rule::Define(SymbolKind::Function)),
        ("declaration_command", Rule::WrapperOfOne),
        ("variable_assignment", Rule::Visit(variable)),
        ("comment", Rule::Comment),
        ("command", Rule::Visit(command)),
    ],
    names: &[("word", NameRule::Leaf), ("command_name", NameRule::First), ("command", NameRule::Inside("name"))],
    ..LanguageRules::NONE
};

/// Variables outside of functions; those before a command are its environment.
fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_environment = walk.is_in("command");
    if let Some(name) = node.child_by_field_name("name").filter(|_| !walk.in_function() && !is_environment) {
        walk.define(Subject::new(SymbolKind::Variable, node, name, walk));
    }
    Next::Into
}

/// `source a` and `. a` import; any other command is a call of a function or a program.
fn command<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    let argument = node.child_by_field_name("argument");
    match (&walk.source[name.byte_range()], argument) {
        (b"source" | b".", Some(path)) => {
            let text = walk.text(path);
            walk.import(node, text.trim_matches(['"', '\'']), "", "", false);
        }
        _ => walk.mention(ReferenceKind::Call, node),
    }
    Next::Into
}
