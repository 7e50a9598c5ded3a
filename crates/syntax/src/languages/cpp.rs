//! C++.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::languages::declarators;
use crate::names;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("namespace_definition", Rule::Visit(namespace)),
        ("template_declaration", Rule::Wrapper),
        ("class_specifier", Rule::Visit(class)),
        ("struct_specifier", Rule::Visit(declarators::structure)),
        ("union_specifier", Rule::Visit(declarators::union)),
        ("enum_specifier", Rule::Visit(declarators::enumeration)),
        ("enumerator", Rule::Define(SymbolKind::Variant)),
        ("function_definition", Rule::Visit(declarators::function)),
        ("declaration", Rule::Visit(declarators::declaration)),
        ("field_declaration", Rule::Visit(declarators::field)),
        ("alias_declaration", Rule::Define(SymbolKind::TypeAlias)),
        ("concept_definition", Rule::Define(SymbolKind::TypeAlias)),
        ("type_definition", Rule::Visit(declarators::type_definition)),
        ("preproc_def", Rule::Visit(declarators::macro_constant)),
        ("preproc_function_def", Rule::Visit(declarators::macro_function)),
        ("preproc_include", Rule::Visit(declarators::include)),
        ("lambda_expression", Rule::Anonymous),
        ("comment", Rule::Comment),
        ("using_declaration", Rule::Visit(using)),
        ("friend_declaration", Rule::Visit(friend)),
        ("template_instantiation", Rule::Skip),
        ("base_class_clause", Rule::Bases(ReferenceKind::Extend)),
        ("call_expression", Rule::Call("function")),
        ("new_expression", Rule::Construct("type")),
        ("compound_literal_expression", Rule::Construct("type")),
        ("type_identifier", Rule::Type),
        ("template_type", Rule::Type),
        ("qualified_identifier", Rule::Visit(qualified)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("field_identifier", NameRule::Leaf),
        ("namespace_identifier", NameRule::Leaf),
        ("destructor_name", NameRule::Leaf),
        ("field_expression", NameRule::Member { object: "argument", name: "field" }),
        ("qualified_identifier", NameRule::Member { object: "scope", name: "name" }),
        ("template_function", NameRule::Inside("name")),
        ("template_method", NameRule::Inside("name")),
        ("template_type", NameRule::Inside("name")),
        ("dependent_name", NameRule::First),
        ("type_descriptor", NameRule::Inside("type")),
        ("struct_specifier", NameRule::Inside("name")),
        ("class_specifier", NameRule::Inside("name")),
    ],
    builtin_types: &[
        "size_t", "ssize_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    ],
    ..LanguageRules::NONE
};

/// A namespace is a module, but does not qualify: the same one is open in every file.
fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    let text: String = walk.text(name).split_whitespace().collect();
    let subject = Subject::new(SymbolKind::Module, node, name, walk);
    walk.define(Subject { name: text.replace("::", "."), scope: Some(ScopeKind::Namespace), ..subject });
    Next::Into
}

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    declarators::define_type(walk, SymbolKind::Class, node)
}

/// `using a::b;` takes a name in, `using namespace a;` all of them.
fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(path) = node.named_child(0) else { return Next::Over };
    let text: String = walk.text(path).split_whitespace().collect();
    let mut cursor = node.walk();
    let takes_all = node.children(&mut cursor).any(|child| child.kind() == "namespace");
    match text.rsplit_once("::") {
        _ if takes_all => walk.import(node, &text, "*", "", false),
        Some((module, name)) => walk.import(node, module, name, "", false),
        None => {}
    }
    Next::Over
}

/// A friend is a definition only where it has a body.
fn friend<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    let has_body = node.named_children(&mut cursor).any(|child| child.kind() == "function_definition");
    if has_body {
        walk.wrap(node);
        return Next::Into;
    }
    Next::Over
}

/// `a::B` is a type in use where its last name is one; `B` is one in `B::c` as far as the grammar tells.
fn qualified<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(path) = names::resolve(walk.grammar, node).filter(|path| path.name.kind() == "type_identifier") {
        walk.mention_at(ReferenceKind::Type, path.name, path.receiver);
    }
    Next::Into
}
