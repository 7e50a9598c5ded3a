//! Rules of Ruby.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class", NodeRule::Visit(visit_class)),
        ("module", NodeRule::Visit(visit_module)),
        ("method", NodeRule::Define(SymbolKind::Function)),
        ("singleton_method", NodeRule::Define(SymbolKind::Function)),
        ("assignment", NodeRule::Visit(visit_assignment)),
        ("lambda", NodeRule::Anonymous),
        ("comment", NodeRule::Comment),
        ("call", NodeRule::Visit(visit_call)),
        ("superclass", NodeRule::Bases(ReferenceKind::Extend)),
        ("scope_resolution", NodeRule::Type),
        ("constant", NodeRule::Type),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("constant", NameRule::Leaf),
        ("operator", NameRule::Leaf),
        ("call", NameRule::Member { object: "receiver", name: "method" }),
        ("scope_resolution", NameRule::Member { object: "scope", name: "name" }),
    ],
    bodies: &[";", "end"],
    constructors: &["initialize"],
    ..LanguageRules::EMPTY
};

fn visit_class<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_path(walk, SymbolKind::Class, node)
}

fn visit_module<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_path(walk, SymbolKind::Module, node)
}

/// `class A::B` is `B` in `A`. Functions in a module are methods as well.
fn define_path<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>) -> WalkAction {
    let Some(path) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let name = path.child_by_field_name("name").unwrap_or(path);
    let scope = path.child_by_field_name("scope").map(|scope| walk.text(scope).replace("::", "."));
    let spec = DefinitionSpec::new(kind, node, name, walk);
    walk.define(DefinitionSpec { qualifier: scope.unwrap_or_default(), scope: Some(ScopeKind::Type), ..spec });
    WalkAction::Descend
}

/// A constant is a definition; `A = Struct.new … do` and `A = Class.new … do` are classes.
fn visit_assignment<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let (Some(left), right) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return WalkAction::Descend;
    };
    if left.kind() == "constant" && !walk.is_in_function() {
        let makes_class = right.is_some_and(|right| {
            let makers = ["Struct.new", "Class.new", "Data.define", "Module.new"];
            makers.iter().any(|maker| walk.starts_with(right, maker))
        });
        let kind = if makes_class { SymbolKind::Class } else { SymbolKind::Constant };
        walk.define(DefinitionSpec::new(kind, node, left, walk));
    }
    WalkAction::Descend
}

fn visit_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(method) = node.child_by_field_name("method") else { return WalkAction::Descend };
    let arguments = node.child_by_field_name("arguments");
    let receiver = node.child_by_field_name("receiver");
    let name = walk.text(method);
    match (name.as_ref(), receiver, arguments) {
        ("require" | "require_relative" | "load" | "autoload", None, Some(arguments)) => {
            let module =
                arguments.named_children(&mut arguments.walk()).filter(|child| child.kind() == "string").last();
            if let Some(module) = module {
                let text = walk.text(module).trim_matches(['"', '\'']).to_owned();
                let is_relative = name == "require_relative" && !text.starts_with('.');
                walk.add_import(node, &if is_relative { format!("./{text}") } else { text }, "", "", false);
            }
            return WalkAction::Skip;
        }
        ("include" | "extend" | "prepend", None, Some(arguments)) if walk.is_in_type() => {
            let mut cursor = arguments.walk();
            arguments.named_children(&mut cursor).for_each(|base| walk.add_reference(ReferenceKind::Implement, base));
        }
        ("attr_reader" | "attr_writer" | "attr_accessor", None, Some(arguments)) if walk.is_in_type() => {
            let mut cursor = arguments.walk();
            for symbol in arguments.named_children(&mut cursor).filter(|child| child.kind() == "simple_symbol") {
                let spec = DefinitionSpec::without_body(SymbolKind::Property, node, symbol, walk);
                walk.define(DefinitionSpec { name: spec.name.trim_start_matches(':').to_owned(), ..spec });
            }
        }
        ("new", Some(receiver), _) if matches!(receiver.kind(), "constant" | "scope_resolution") => {
            walk.add_reference(ReferenceKind::Construct, receiver);
        }
        _ => walk.add_reference(ReferenceKind::Call, node),
    }
    WalkAction::Descend
}
