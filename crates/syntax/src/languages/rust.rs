//! Rules of Rust.

use std::rc::Rc;

use model::{ReferenceKind, SymbolKind};

use crate::names;
use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_item", NodeRule::Define(SymbolKind::Function)),
        ("function_signature_item", NodeRule::Define(SymbolKind::Function)),
        ("struct_item", NodeRule::Visit(visit_struct)),
        ("union_item", NodeRule::Define(SymbolKind::Union)),
        ("enum_item", NodeRule::Define(SymbolKind::Enum)),
        ("enum_variant", NodeRule::Visit(visit_variant)),
        ("trait_item", NodeRule::Define(SymbolKind::Trait)),
        ("type_item", NodeRule::Define(SymbolKind::TypeAlias)),
        ("associated_type", NodeRule::Define(SymbolKind::TypeAlias)),
        ("const_item", NodeRule::Define(SymbolKind::Constant)),
        ("static_item", NodeRule::Define(SymbolKind::Variable)),
        ("field_declaration", NodeRule::Define(SymbolKind::Field)),
        ("macro_definition", NodeRule::Visit(visit_macro_definition)),
        ("mod_item", NodeRule::Visit(visit_module)),
        ("impl_item", NodeRule::Visit(visit_impl)),
        ("trait_bounds", NodeRule::Visit(visit_trait_bounds)),
        ("closure_expression", NodeRule::Anonymous),
        ("line_comment", NodeRule::Comment),
        ("block_comment", NodeRule::Comment),
        ("attribute_item", NodeRule::Attributes(visit_attribute)),
        ("inner_attribute_item", NodeRule::Skip),
        ("use_declaration", NodeRule::Visit(visit_use_declaration)),
        ("extern_crate_declaration", NodeRule::Visit(visit_extern_crate)),
        ("call_expression", NodeRule::Call("function")),
        ("macro_invocation", NodeRule::Call("macro")),
        ("struct_expression", NodeRule::Construct("name")),
        ("type_identifier", NodeRule::Type),
        ("scoped_type_identifier", NodeRule::Type),
        ("scoped_identifier", NodeRule::Visit(visit_scoped_identifier)),
        ("token_tree", NodeRule::Visit(visit_token_tree)),
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
    ..LanguageRules::EMPTY
};

/// The fields of a tuple struct are part of its signature. The named fields of a struct are separate definitions.
fn visit_struct<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        let spec = DefinitionSpec::new(SymbolKind::Struct, node, name, walk);
        let body = spec.body.filter(|body| body.kind() == "field_declaration_list");
        walk.define(DefinitionSpec { body, ..spec });
    }
    WalkAction::Descend
}

fn visit_variant<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(DefinitionSpec { body: None, ..DefinitionSpec::new(SymbolKind::Variant, node, name, walk) });
    }
    WalkAction::Descend
}

/// A macro is a definition. Its patterns are not code and are skipped.
fn visit_macro_definition<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    walk.define_named(SymbolKind::Macro, node);
    WalkAction::Skip
}

/// `mod a { … }` defines a module; `mod a;` imports one from another file.
fn visit_module<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    if node.child_by_field_name("body").is_some() {
        return walk.define_named(SymbolKind::Module, node);
    }
    let name = walk.text(name);
    let path = find_path_attribute(walk, node);
    walk.add_import(node, path.as_deref().unwrap_or("self"), &name, "", is_public(node));
    WalkAction::Skip
}

/// Returns the file in `#[path = "…"]` before a module.
fn find_path_attribute<'t>(walk: &TreeWalk<'t>, node: SyntaxNode<'t>) -> Option<String> {
    let attributes = walk.leading_attributes(node);
    attributes.split("#[path").skip(1).find_map(|rest| {
        let value = rest.trim_start().strip_prefix('=')?;
        Some(value.split('"').nth(1)?.to_owned())
    })
}

/// `impl A` and `impl T for A` are not definitions, but their members belong to `A`.
fn visit_impl<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let implementor = node.child_by_field_name("type").and_then(|of| walk.name_path(of));
    let implementor = implementor.map_or_else(String::new, |path| walk.text(path.name).into_owned());
    walk.open_scope(ScopeKind::Type, &implementor);
    let implemented = node.child_by_field_name("trait").and_then(|of| walk.name_path(of));
    if let Some(path) = implemented {
        // The implementing type may be in another file, so the reference names it as its receiver.
        walk.add_reference_with_receiver(ReferenceKind::Implement, path.name, implementor);
    }
    WalkAction::Descend
}

/// The bounds of a trait are the traits that it extends. Elsewhere bounds are plain type references.
fn visit_trait_bounds<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if walk.is_child_of("trait_item") {
        let mut cursor = node.walk();
        for bound in node.named_children(&mut cursor) {
            walk.add_reference(ReferenceKind::Extend, bound);
        }
    }
    WalkAction::Descend
}

/// An attribute refers to its macro; a derive refers to the traits that it implements.
fn visit_attribute<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    walk.add_reference(ReferenceKind::Decorate, node);
    let Some(attribute) = node.named_child(0) else { return WalkAction::Skip };
    let is_derive = attribute.named_child(0).is_some_and(|name| walk.text(name) == "derive");
    if let Some(arguments) = attribute.child_by_field_name("arguments").filter(|_| is_derive) {
        let mut cursor = arguments.walk();
        let traits: Vec<SyntaxNode> =
            arguments.named_children(&mut cursor).filter(|child| child.kind() == "identifier").collect();
        for (index, name) in traits.iter().enumerate() {
            let is_last_of_path = traits
                .get(index + 1)
                .is_none_or(|next| !walk.source[name.end_byte()..next.start_byte()].starts_with(b"::"));
            if is_last_of_path {
                walk.add_reference(ReferenceKind::Implement, *name);
            }
        }
    }
    WalkAction::Skip
}

/// `A` in `A::b` is a reference to a type if it starts with a capital.
fn visit_scoped_identifier<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let path = node.child_by_field_name("path").and_then(|path| walk.name_path(path));
    if let Some(path) = path.filter(|path| walk.source[path.name.start_byte()].is_ascii_uppercase()) {
        walk.add_reference_at(ReferenceKind::Type, path.name, path.receiver);
    }
    WalkAction::Descend
}

/// Macro arguments are not parsed as code. A name before parentheses counts as a call.
fn visit_token_tree<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let mut chain_start: Option<usize> = None;
    let mut previous: Option<SyntaxNode<'t>> = None;
    let mut before_dot: Option<(usize, usize)> = None;
    for token in node.children(&mut cursor) {
        let text = &walk.source[token.byte_range()];
        let is_link = matches!(text, b"." | b"::" | b"?");
        let is_tree = token.kind() == "token_tree";
        let continues =
            is_link || is_tree || previous.is_some_and(|p| matches!(&walk.source[p.byte_range()], b"." | b"::"));
        if let Some(name) = previous.filter(|p| is_tree && p.kind() == "identifier" && text.starts_with(b"(")) {
            walk.add_reference_at(ReferenceKind::Call, name, before_dot);
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
    WalkAction::Descend
}

fn is_public(node: SyntaxNode<'_>) -> bool {
    node.child(0).is_some_and(|first| first.kind() == "visibility_modifier")
}

fn visit_extern_crate<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let alias = node.child_by_field_name("alias").map(|alias| walk.text(alias)).unwrap_or_default();
    if let Some(name) = node.child_by_field_name("name") {
        let module = walk.text(name);
        walk.add_import(node, &module, "", &alias, is_public(node));
    }
    WalkAction::Skip
}

/// `use a::{b, c::*, d as e}` is one import per name.
fn visit_use_declaration<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let reexport = is_public(node);
    let Some(argument) = node.child_by_field_name("argument") else { return WalkAction::Skip };
    let mut open: Vec<(SyntaxNode, Rc<str>)> = vec![(argument, "".into())];
    while let Some((tree, prefix)) = open.pop() {
        let field = |walk: &TreeWalk<'t>, name: &str| {
            tree.child_by_field_name(name)
                .map_or_else(String::new, |child| names::collapse_white_space(&walk.source[child.byte_range()]))
        };
        match tree.kind() {
            "scoped_use_list" => {
                let inner = join_path(&prefix, &field(walk, "path"));
                let list = tree.child_by_field_name("list").filter(|_| inner.len() <= names::MAX_PATH_BYTES);
                open.extend(list.map(|list| (list, inner.into())));
            }
            "use_list" => {
                let mut cursor = tree.walk();
                let entries: Vec<SyntaxNode> = tree.named_children(&mut cursor).collect();
                open.extend(entries.into_iter().rev().map(|entry| (entry, Rc::clone(&prefix))));
            }
            "use_wildcard" => {
                let path = tree.named_child(0).map_or_else(String::new, |path| walk.text(path).into_owned());
                walk.add_import(tree, &join_path(&prefix, &path), "*", "", reexport);
            }
            "use_as_clause" => {
                let (path, alias) = (field(walk, "path"), field(walk, "alias"));
                add_path_import(walk, tree, &join_path(&prefix, &path), &alias, reexport);
            }
            "line_comment" | "block_comment" => {}
            _ => {
                let path = names::collapse_white_space(&walk.source[tree.byte_range()]);
                add_path_import(walk, tree, &join_path(&prefix, &path), "", reexport);
            }
        }
    }
    WalkAction::Skip
}

/// Splits a path into its module and its last name; `a::{self}` is the module `a` itself.
fn add_path_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>, path: &str, alias: &str, reexport: bool) {
    match path.rsplit_once("::") {
        Some((module, "self")) => walk.add_import(node, module, "", alias, reexport),
        Some((module, name)) => walk.add_import(node, module, name, alias, reexport),
        None => walk.add_import(node, path, "", alias, reexport),
    }
}

fn join_path(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("", path) => path.to_owned(),
        // `a::{*}`
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}::{path}"),
    }
}
