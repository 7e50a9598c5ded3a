//! Ruby.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class", Rule::Visit(class)),
        ("module", Rule::Visit(module)),
        ("method", Rule::Define(SymbolKind::Function)),
        ("singleton_method", Rule::Define(SymbolKind::Function)),
        ("assignment", Rule::Visit(assignment)),
        ("lambda", Rule::Anonymous),
        ("comment", Rule::Comment),
        ("call", Rule::Visit(call)),
        ("superclass", Rule::Bases(ReferenceKind::Extend)),
        ("scope_resolution", Rule::Type),
        ("constant", Rule::Type),
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
    ..LanguageRules::NONE
};

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_path(walk, SymbolKind::Class, node)
}

fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_path(walk, SymbolKind::Module, node)
}

/// `class A::B` is `B` in `A`. Functions in a module are methods too.
fn define_path<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>) -> Next {
    let Some(path) = node.child_by_field_name("name") else { return Next::Into };
    let name = path.child_by_field_name("name").unwrap_or(path);
    let scope = path.child_by_field_name("scope").map(|scope| walk.text(scope).replace("::", "."));
    let subject = Subject::new(kind, node, name, walk);
    walk.define(Subject { qualifier: scope.unwrap_or_default(), scope: Some(ScopeKind::Type), ..subject });
    Next::Into
}

/// A constant is a definition; `A = Struct.new … do` and `A = Class.new … do` are classes.
fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let (Some(left), right) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return Next::Into;
    };
    if left.kind() == "constant" && !walk.in_function() {
        let makes_class = right.is_some_and(|right| {
            let makers = ["Struct.new", "Class.new", "Data.define", "Module.new"];
            makers.iter().any(|maker| walk.starts_with(right, maker))
        });
        let kind = if makes_class { SymbolKind::Class } else { SymbolKind::Constant };
        walk.define(Subject::new(kind, node, left, walk));
    }
    Next::Into
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(method) = node.child_by_field_name("method") else { return Next::Into };
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
                walk.import(node, &if is_relative { format!("./{text}") } else { text }, "", "", false);
            }
            return Next::Over;
        }
        ("include" | "extend" | "prepend", None, Some(arguments)) if walk.in_type() => {
            let mut cursor = arguments.walk();
            arguments.named_children(&mut cursor).for_each(|base| walk.mention(ReferenceKind::Implement, base));
        }
        ("attr_reader" | "attr_writer" | "attr_accessor", None, Some(arguments)) if walk.in_type() => {
            let mut cursor = arguments.walk();
            for symbol in arguments.named_children(&mut cursor).filter(|child| child.kind() == "simple_symbol") {
                let subject = Subject::one_of_many(SymbolKind::Property, node, symbol, walk);
                walk.define(Subject { name: subject.name.trim_start_matches(':').to_owned(), ..subject });
            }
        }
        ("new", Some(receiver), _) if matches!(receiver.kind(), "constant" | "scope_resolution") => {
            walk.mention(ReferenceKind::Construct, receiver);
        }
        _ => walk.mention(ReferenceKind::Call, node),
    }
    Next::Into
}
