//! Rust.

use std::rc::Rc;

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::names;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_item", Rule::Define(SymbolKind::Function)),
        ("function_signature_item", Rule::Define(SymbolKind::Function)),
        ("struct_item", Rule::Visit(structure)),
        ("union_item", Rule::Define(SymbolKind::Union)),
        ("enum_item", Rule::Define(SymbolKind::Enum)),
        ("enum_variant", Rule::Visit(variant)),
        ("trait_item", Rule::Define(SymbolKind::Trait)),
        ("type_item", Rule::Define(SymbolKind::TypeAlias)),
        ("associated_type", Rule::Define(SymbolKind::TypeAlias)),
        ("const_item", Rule::Define(SymbolKind::Constant)),
        ("static_item", Rule::Define(SymbolKind::Variable)),
        ("field_declaration", Rule::Define(SymbolKind::Field)),
        ("macro_definition", Rule::Visit(macro_definition)),
        ("mod_item", Rule::Visit(module)),
        ("impl_item", Rule::Visit(implementation)),
        ("trait_bounds", Rule::Visit(bounds)),
        ("closure_expression", Rule::Anonymous),
        ("line_comment", Rule::Comment),
        ("block_comment", Rule::Comment),
        ("attribute_item", Rule::Attributes(attribute)),
        ("inner_attribute_item", Rule::Skip),
        ("use_declaration", Rule::Visit(use_declaration)),
        ("extern_crate_declaration", Rule::Visit(extern_crate)),
        ("call_expression", Rule::Call("function")),
        ("macro_invocation", Rule::Call("macro")),
        ("struct_expression", Rule::Construct("name")),
        ("type_identifier", Rule::Type),
        ("scoped_type_identifier", Rule::Type),
        ("scoped_identifier", Rule::Visit(path_through_type)),
        ("token_tree", Rule::Visit(tokens)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("field_identifier", NameRule::Leaf),
        ("scoped_identifier", NameRule::Member { object: "path", name: "name" }),
        ("scoped_type_identifier", NameRule::Member { object: "path", name: "name" }),
        ("field_expression", NameRule::Member { object: "value", name: "field" }),
        ("generic_function", NameRule::Inside("function")),
        ("generic_type", NameRule::Inside("type")),
        ("generic_type_with_turbofish", NameRule::Inside("type")),
        ("reference_type", NameRule::Inside("type")),
        ("pointer_type", NameRule::Inside("type")),
        ("dynamic_type", NameRule::Inside("trait")),
        ("attribute", NameRule::First),
        ("attribute_item", NameRule::First),
        ("higher_ranked_trait_bound", NameRule::Inside("type")),
        ("primitive_type", NameRule::Leaf),
    ],
    bodies: &["macro_rule"],
    builtin_types: &["Self"],
    ..LanguageRules::NONE
};

/// The fields of a tuple are a part of the signature, those of a struct with names are definitions of their own.
fn structure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        let subject = Subject::new(SymbolKind::Struct, node, name, walk);
        let body = subject.body.filter(|body| body.kind() == "field_declaration_list");
        walk.define(Subject { body, ..subject });
    }
    Next::Into
}

fn variant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(Subject { body: None, ..Subject::new(SymbolKind::Variant, node, name, walk) });
    }
    Next::Into
}

/// A macro is a definition; what is in its patterns is no code yet.
fn macro_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    walk.define_named(SymbolKind::Macro, node);
    Next::Over
}

/// `mod a { … }` defines a module, `mod a;` takes one in from another file.
fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    if node.child_by_field_name("body").is_some() {
        return walk.define_named(SymbolKind::Module, node);
    }
    let name = walk.text(name);
    let path = path_attribute(walk, node);
    walk.import(node, path.as_deref().unwrap_or("self"), &name, "", is_public(node));
    Next::Over
}

/// Returns the file that `#[path = "…"]` before a module names.
fn path_attribute<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<String> {
    let is_attribute = |before: &Node| before.kind() == "attribute_item";
    let mut attributes = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling)
        .take_while(is_attribute)
        .take(MAX_ATTRIBUTES);
    attributes.find_map(|attribute| {
        let text = walk.text(attribute);
        let value = text.strip_prefix("#[path")?.trim_start().strip_prefix('=')?;
        Some(value.split('"').nth(1)?.to_owned())
    })
}

/// How many attributes before a module are looked through.
const MAX_ATTRIBUTES: usize = 16;

/// `impl A` and `impl T for A` are no definitions, but what is in them belongs to `A`.
fn implementation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let implementor = node.child_by_field_name("type").and_then(|of| names::resolve(walk.grammar, of));
    let implementor = implementor.map_or_else(String::new, |path| walk.text(path.name).into_owned());
    walk.open_scope(ScopeKind::Type, &implementor);
    let implemented = node.child_by_field_name("trait").and_then(|of| names::resolve(walk.grammar, of));
    if let Some(path) = implemented {
        // The type that implements need not be in this file, so that it is named here.
        walk.mention_with(ReferenceKind::Implement, path.name, implementor);
    }
    Next::Into
}

/// Bounds of a trait are the traits that it extends; elsewhere they are types in use.
fn bounds<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if walk.is_in("trait_item") {
        let mut cursor = node.walk();
        for bound in node.named_children(&mut cursor) {
            walk.mention(ReferenceKind::Extend, bound);
        }
    }
    Next::Into
}

/// An attribute refers to its macro; a derive refers to the traits it implements.
fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    walk.mention(ReferenceKind::Decorate, node);
    let Some(attribute) = node.named_child(0) else { return Next::Over };
    let is_derive = attribute.named_child(0).is_some_and(|name| walk.text(name) == "derive");
    if let Some(arguments) = attribute.child_by_field_name("arguments").filter(|_| is_derive) {
        let mut cursor = arguments.walk();
        let traits: Vec<Node> =
            arguments.named_children(&mut cursor).filter(|child| child.kind() == "identifier").collect();
        for (index, name) in traits.iter().enumerate() {
            let is_last_of_path = traits
                .get(index + 1)
                .is_none_or(|next| !walk.source[name.end_byte()..next.start_byte()].starts_with(b"::"));
            if is_last_of_path {
                walk.mention(ReferenceKind::Implement, *name);
            }
        }
    }
    Next::Over
}

/// `A` is a type in use in `A::b`, as far as case tells.
fn path_through_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let path = node.child_by_field_name("path").and_then(|path| names::resolve(walk.grammar, path));
    if let Some(path) = path.filter(|path| walk.source[path.name.start_byte()].is_ascii_uppercase()) {
        walk.mention_at(ReferenceKind::Type, path.name, path.receiver);
    }
    Next::Into
}

/// What stands in the parentheses of a macro is no syntax yet; a name before parentheses is taken for a call.
fn tokens<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let mut chain_start: Option<usize> = None;
    let mut previous: Option<Node<'t>> = None;
    let mut before_dot: Option<(usize, usize)> = None;
    for token in node.children(&mut cursor) {
        let text = &walk.source[token.byte_range()];
        let is_link = matches!(text, b"." | b"::" | b"?");
        let is_tree = token.kind() == "token_tree";
        let continues =
            is_link || is_tree || previous.is_some_and(|p| matches!(&walk.source[p.byte_range()], b"." | b"::"));
        if let Some(name) = previous.filter(|p| is_tree && p.kind() == "identifier" && text.starts_with(b"(")) {
            walk.mention_at(ReferenceKind::Call, name, before_dot);
        }
        match (continues, chain_start) {
            (true, Some(start)) if is_link => before_dot = Some((start, token.start_byte())),
            (true, Some(_)) => {}
            _ => {
                chain_start = (token.kind() == "identifier" || token.kind() == "self").then(|| token.start_byte());
                before_dot = None;
            }
        }
        previous = Some(token);
    }
    Next::Into
}

fn is_public(node: Node<'_>) -> bool {
    node.child(0).is_some_and(|first| first.kind() == "visibility_modifier")
}

fn extern_crate<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let alias = node.child_by_field_name("alias").map(|alias| walk.text(alias)).unwrap_or_default();
    if let Some(name) = node.child_by_field_name("name") {
        let module = walk.text(name);
        walk.import(node, &module, "", &alias, is_public(node));
    }
    Next::Over
}

/// `use a::{b, c::*, d as e}` is one import per name.
fn use_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let reexport = is_public(node);
    let Some(argument) = node.child_by_field_name("argument") else { return Next::Over };
    let mut open: Vec<(Node, Rc<str>)> = vec![(argument, "".into())];
    while let Some((tree, prefix)) = open.pop() {
        let field = |walk: &Walk<'t>, name: &str| {
            tree.child_by_field_name(name)
                .map_or_else(String::new, |child| names::fold(&walk.source[child.byte_range()]))
        };
        match tree.kind() {
            "scoped_use_list" => {
                let inner = join(&prefix, &field(walk, "path"));
                let list = tree.child_by_field_name("list").filter(|_| inner.len() <= names::MAX_PATH_BYTES);
                open.extend(list.map(|list| (list, inner.into())));
            }
            "use_list" => {
                let mut cursor = tree.walk();
                let entries: Vec<Node> = tree.named_children(&mut cursor).collect();
                open.extend(entries.into_iter().rev().map(|entry| (entry, Rc::clone(&prefix))));
            }
            "use_wildcard" => {
                let path = tree.named_child(0).map_or_else(String::new, |path| walk.text(path).into_owned());
                walk.import(tree, &join(&prefix, &path), "*", "", reexport);
            }
            "use_as_clause" => {
                let (path, alias) = (field(walk, "path"), field(walk, "alias"));
                import_path(walk, tree, &join(&prefix, &path), &alias, reexport);
            }
            "line_comment" | "block_comment" => {}
            _ => {
                let path = names::fold(&walk.source[tree.byte_range()]);
                import_path(walk, tree, &join(&prefix, &path), "", reexport);
            }
        }
    }
    Next::Over
}

/// Takes the last name of a path from the module before it; `a::{self}` is the module `a` itself.
fn import_path<'t>(walk: &mut Walk<'t>, node: Node<'t>, path: &str, alias: &str, reexport: bool) {
    match path.rsplit_once("::") {
        Some((module, "self")) => walk.import(node, module, "", alias, reexport),
        Some((module, name)) => walk.import(node, module, name, alias, reexport),
        None => walk.import(node, path, "", alias, reexport),
    }
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("", path) => path.to_owned(),
        // `a::{*}`
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}::{path}"),
    }
}
