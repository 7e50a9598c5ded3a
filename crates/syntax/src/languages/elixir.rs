//! Rules of Elixir, whose definitions are macro calls.

use model::{ReferenceKind, SymbolKind};

use crate::docs;
use crate::names;
use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("call", NodeRule::Visit(visit_call)),
        ("unary_operator", NodeRule::Visit(visit_attribute)),
        ("anonymous_function", NodeRule::Anonymous),
        ("comment", NodeRule::Comment),
        ("struct", NodeRule::Construct("")),
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
    inner_doc: Some(find_module_doc),
    ..LanguageRules::EMPTY
};

fn visit_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(target) = node.child_by_field_name("target") else { return WalkAction::Descend };
    let arguments = node.named_child_of_kind("arguments");
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    let keyword = if target.kind() == "identifier" { walk.text(target) } else { Default::default() };
    let second = arguments.and_then(|arguments| arguments.named_child(1));
    match (keyword.as_ref(), first) {
        ("defmodule", Some(name)) => define_module(walk, SymbolKind::Module, node, name),
        ("defprotocol", Some(name)) => define_module(walk, SymbolKind::Interface, node, name),
        ("defimpl", Some(name)) => return open_implementation(walk, name, second),
        ("def" | "defp" | "defdelegate", Some(head)) => return define_function(walk, SymbolKind::Function, node, head),
        ("defmacro" | "defmacrop" | "defguard" | "defguardp", Some(head)) => {
            return define_function(walk, SymbolKind::Macro, node, head);
        }
        ("defstruct" | "defexception", Some(_)) => {
            let spec = DefinitionSpec::new(SymbolKind::Struct, node, target, walk);
            walk.define(DefinitionSpec { name: "__struct__".to_owned(), scope: None, ..spec });
        }
        ("alias" | "import" | "require" | "use", Some(path)) => {
            add_imports(walk, node, path, second, keyword == "import" || keyword == "use");
            return WalkAction::Skip;
        }
        _ => walk.add_reference(ReferenceKind::Call, node),
    }
    WalkAction::Descend
}

fn define_module<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>, name: SyntaxNode<'t>) {
    walk.define(DefinitionSpec { scope: Some(ScopeKind::Module), ..DefinitionSpec::new(kind, node, name, walk) });
}

/// `def f(a) when g, do: …`: the name is at the left end, and the head is not a call.
fn define_function<'t>(
    walk: &mut TreeWalk<'t>,
    kind: SymbolKind,
    node: SyntaxNode<'t>,
    head: SyntaxNode<'t>,
) -> WalkAction {
    if let Some(path) = walk.name_path(head) {
        let spec = DefinitionSpec::new(kind, node, path.name, walk);
        let keywords = node.named_child_of_kind("arguments").and_then(|list| list.named_child_of_kind("keywords"));
        let body = spec.body.or(keywords);
        walk.define(DefinitionSpec { body, scope: Some(ScopeKind::Function), ..spec });
    }
    WalkAction::Descend
}

/// Definitions in `defimpl P, for: T` belong to `T`.
fn open_implementation<'t>(
    walk: &mut TreeWalk<'t>,
    protocol: SyntaxNode<'t>,
    keywords: Option<SyntaxNode<'t>>,
) -> WalkAction {
    let of = keywords.map(|keywords| walk.text(keywords).into_owned()).unwrap_or_default();
    let of = of.split("for:").nth(1).unwrap_or_default().trim().trim_matches(['[', ']']).to_owned();
    walk.add_reference_with_receiver(ReferenceKind::Implement, protocol, of.clone());
    let name = if of.is_empty() { walk.text(protocol).into_owned() } else { of };
    if name.len() <= names::MAX_NAME_BYTES {
        walk.open_scope(ScopeKind::Module, &names::collapse_white_space(name.as_bytes()));
    }
    WalkAction::Descend
}

/// `@doc "…"` documents the next definition, `@type t :: …` defines a type, `@limit 3` defines a constant.
fn visit_attribute<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_attribute = node.child(0).is_some_and(|operator| operator.kind() == "@");
    let Some(operand) = node.child_by_field_name("operand").filter(|_| is_attribute) else {
        return WalkAction::Descend;
    };
    let Some(target) = operand.child_by_field_name("target") else { return WalkAction::Skip };
    let arguments = operand.named_child_of_kind("arguments");
    let Some(value) = arguments.and_then(|arguments| arguments.named_child(0)) else { return WalkAction::Skip };
    match walk.text(target).as_ref() {
        "doc" | "typedoc" => {
            if let Some(text) = string_doc(walk.source, value) {
                walk.set_next_doc(text);
            }
            return WalkAction::SkipAttribute;
        }
        "spec" | "impl" | "deprecated" | "since" => return WalkAction::SkipAttribute,
        "type" | "typep" | "opaque" => {
            if let Some(path) = walk.name_path(value) {
                walk.define(DefinitionSpec {
                    scope: None,
                    ..DefinitionSpec::new(SymbolKind::TypeAlias, node, path.name, walk)
                });
            }
        }
        "callback" | "macrocallback" => {
            if let Some(path) = walk.name_path(value) {
                walk.define(DefinitionSpec {
                    scope: None,
                    ..DefinitionSpec::new(SymbolKind::Function, node, path.name, walk)
                });
            }
        }
        "behaviour" => walk.add_reference(ReferenceKind::Implement, value),
        "moduledoc" => {}
        _ if !walk.is_in_function() => walk.define(DefinitionSpec::new(SymbolKind::Constant, node, target, walk)),
        _ => {}
    }
    WalkAction::Skip
}

/// Returns the `@moduledoc` of a module.
fn find_module_doc(source: &[u8], node: SyntaxNode<'_>) -> Option<String> {
    let block = node.named_child_of_kind("do_block")?;
    let operand = block.named_child(0)?.child_by_field_name("operand")?;
    operand.child_by_field_name("target").filter(|target| &source[target.byte_range()] == b"moduledoc")?;
    let arguments = operand.named_child_of_kind("arguments")?;
    string_doc(source, arguments.named_child(0)?)
}

fn string_doc(source: &[u8], value: SyntaxNode<'_>) -> Option<String> {
    let content = value.named_child_of_kind("quoted_content")?;
    Some(docs::dedent(&String::from_utf8_lossy(&source[content.byte_range()])))
}

/// `alias A.{B, C}`, `alias A.B, as: C`, `import A`.
fn add_imports<'t>(
    walk: &mut TreeWalk<'t>,
    node: SyntaxNode<'t>,
    path: SyntaxNode<'t>,
    options: Option<SyntaxNode<'t>>,
    takes_all: bool,
) {
    let name = if takes_all { "*" } else { "" };
    let prefix = path.child_by_field_name("left").map(|left| walk.text(left));
    let list = path.child_by_field_name("right").filter(|right| right.kind() == "tuple");
    if let (Some(prefix), Some(list)) = (prefix, list) {
        let mut cursor = list.walk();
        for entry in list.named_children(&mut cursor) {
            walk.add_import(entry, &format!("{prefix}.{}", walk.text(entry)), name, "", false);
        }
        return;
    }
    let options = options.map(|options| walk.text(options).into_owned()).unwrap_or_default();
    let alias = options.split("as:").nth(1).unwrap_or_default().split(',').next().unwrap_or_default().trim().to_owned();
    walk.add_import(node, &walk.text(path), name, &alias, false);
}
