//! Elixir, where definitions are calls of macros.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::docs;
use crate::names;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("call", Rule::Visit(call)),
        ("unary_operator", Rule::Visit(attribute)),
        ("anonymous_function", Rule::Anonymous),
        ("comment", Rule::Comment),
        ("struct", Rule::Construct("")),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("alias", NameRule::Leaf),
        ("dot", NameRule::Member { object: "left", name: "right" }),
        ("call", NameRule::Inside("target")),
        ("binary_operator", NameRule::Inside("left")),
        ("struct", NameRule::First),
    ],
    bodies: &["do_block"],
    inner_doc: Some(module_doc),
    ..LanguageRules::NONE
};

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(target) = node.child_by_field_name("target") else { return Next::Into };
    let mut cursor = node.walk();
    let arguments = node.named_children(&mut cursor).find(|child| child.kind() == "arguments");
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    let keyword = if target.kind() == "identifier" { walk.text(target) } else { Default::default() };
    match (keyword.as_ref(), first) {
        ("defmodule", Some(name)) => define(walk, SymbolKind::Module, node, name),
        ("defprotocol", Some(name)) => define(walk, SymbolKind::Interface, node, name),
        ("defimpl", Some(name)) => return implementation(walk, name),
        ("def" | "defp" | "defdelegate", Some(head)) => return function(walk, SymbolKind::Function, node, head),
        ("defmacro" | "defmacrop" | "defguard" | "defguardp", Some(head)) => {
            return function(walk, SymbolKind::Macro, node, head);
        }
        ("defstruct" | "defexception", Some(_)) => {
            let subject = Subject::new(SymbolKind::Struct, node, target, walk);
            walk.define(Subject { name: "__struct__".to_owned(), scope: None, ..subject });
        }
        ("alias" | "import" | "require" | "use", Some(path)) => {
            import(walk, node, path, keyword == "import" || keyword == "use");
            return Next::Over;
        }
        _ => walk.mention(ReferenceKind::Call, node),
    }
    Next::Into
}

fn define<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>, name: Node<'t>) {
    walk.define(Subject { scope: Some(ScopeKind::Module), ..Subject::new(kind, node, name, walk) });
}

/// `def f(a) when g, do: …`: the name is at the left end; what is in the head is no call.
fn function<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>, head: Node<'t>) -> Next {
    if let Some(path) = names::resolve(walk.grammar, head) {
        let subject = Subject::new(kind, node, path.name, walk);
        let mut cursor = node.walk();
        let keywords = node.named_children(&mut cursor).find(|child| child.kind() == "arguments").and_then(|list| {
            let mut inner = list.walk();
            list.named_children(&mut inner).find(|child| child.kind() == "keywords")
        });
        let body = subject.body.or(keywords);
        walk.define(Subject { body, scope: Some(ScopeKind::Function), ..subject });
    }
    Next::Into
}

/// What is in `defimpl P, for: T` belongs to `T`.
fn implementation<'t>(walk: &mut Walk<'t>, protocol: Node<'t>) -> Next {
    let of = protocol.next_named_sibling().map(|keywords| walk.text(keywords).into_owned()).unwrap_or_default();
    let of = of.split("for:").nth(1).unwrap_or_default().trim().trim_matches(['[', ']']).to_owned();
    walk.mention_with(ReferenceKind::Implement, protocol, of.clone());
    let name = if of.is_empty() { walk.text(protocol).into_owned() } else { of };
    if name.len() <= names::MAX_NAME_BYTES {
        walk.open_scope(ScopeKind::Module, &names::fold(name.as_bytes()));
    }
    Next::Into
}

/// `@doc "…"` documents the next definition, `@type t :: …` defines a type, `@limit 3` a constant.
fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_attribute = node.child(0).is_some_and(|operator| operator.kind() == "@");
    let Some(operand) = node.child_by_field_name("operand").filter(|_| is_attribute) else { return Next::Into };
    let Some(target) = operand.child_by_field_name("target") else { return Next::Over };
    let mut cursor = operand.walk();
    let arguments = operand.named_children(&mut cursor).find(|child| child.kind() == "arguments");
    let Some(value) = arguments.and_then(|arguments| arguments.named_child(0)) else { return Next::Over };
    match walk.text(target).as_ref() {
        "doc" | "typedoc" => {
            if let Some(text) = quoted(walk, value) {
                walk.document_next(text);
            }
            return Next::OverAttribute;
        }
        "spec" | "impl" | "deprecated" | "since" => return Next::OverAttribute,
        "type" | "typep" | "opaque" => {
            if let Some(path) = names::resolve(walk.grammar, value) {
                walk.define(Subject { scope: None, ..Subject::new(SymbolKind::TypeAlias, node, path.name, walk) });
            }
        }
        "callback" | "macrocallback" => {
            if let Some(path) = names::resolve(walk.grammar, value) {
                walk.define(Subject { scope: None, ..Subject::new(SymbolKind::Function, node, path.name, walk) });
            }
        }
        "behaviour" => walk.mention(ReferenceKind::Implement, value),
        "moduledoc" => {}
        _ if !walk.in_function() => walk.define(Subject::new(SymbolKind::Constant, node, target, walk)),
        _ => {}
    }
    Next::Over
}

/// The `@moduledoc` of a module.
fn module_doc<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<String> {
    let mut cursor = node.walk();
    let block = node.named_children(&mut cursor).find(|child| child.kind() == "do_block")?;
    let operand = block.named_child(0)?.child_by_field_name("operand")?;
    let target = operand.child_by_field_name("target").filter(|target| walk.text(*target) == "moduledoc")?;
    quoted(walk, target.next_named_sibling()?.named_child(0)?)
}

fn quoted(walk: &Walk<'_>, value: Node<'_>) -> Option<String> {
    let mut cursor = value.walk();
    let content = value.named_children(&mut cursor).find(|child| child.kind() == "quoted_content")?;
    Some(docs::dedent(&walk.text(content)))
}

/// `alias A.{B, C}`, `alias A.B, as: C`, `import A`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>, path: Node<'t>, takes_all: bool) {
    let name = if takes_all { "*" } else { "" };
    let prefix = path.child_by_field_name("left").map(|left| walk.text(left));
    let list = path.child_by_field_name("right").filter(|right| right.kind() == "tuple");
    if let (Some(prefix), Some(list)) = (prefix, list) {
        let mut cursor = list.walk();
        for entry in list.named_children(&mut cursor) {
            walk.import(entry, &format!("{prefix}.{}", walk.text(entry)), name, "", false);
        }
        return;
    }
    let options = path.next_named_sibling().map(|options| walk.text(options).into_owned()).unwrap_or_default();
    let alias = options.split("as:").nth(1).unwrap_or_default().split(',').next().unwrap_or_default().trim().to_owned();
    walk.import(node, &walk.text(path), name, &alias, false);
}
