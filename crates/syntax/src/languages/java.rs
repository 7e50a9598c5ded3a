//! Rules of Java.

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", NodeRule::Define(SymbolKind::Class)),
        ("record_declaration", NodeRule::Define(SymbolKind::Class)),
        ("interface_declaration", NodeRule::Define(SymbolKind::Interface)),
        ("enum_declaration", NodeRule::Define(SymbolKind::Enum)),
        ("enum_constant", NodeRule::Define(SymbolKind::Variant)),
        ("annotation_type_declaration", NodeRule::Define(SymbolKind::Annotation)),
        ("annotation_type_element_declaration", NodeRule::Define(SymbolKind::Method)),
        ("method_declaration", NodeRule::Define(SymbolKind::Method)),
        ("constructor_declaration", NodeRule::Define(SymbolKind::Constructor)),
        ("compact_constructor_declaration", NodeRule::Define(SymbolKind::Constructor)),
        ("field_declaration", NodeRule::Visit(visit_field)),
        ("constant_declaration", NodeRule::Visit(visit_field)),
        ("formal_parameter", NodeRule::Visit(visit_component)),
        ("lambda_expression", NodeRule::Anonymous),
        ("modifiers", NodeRule::Modifiers),
        ("annotation", NodeRule::Attribute),
        ("marker_annotation", NodeRule::Attribute),
        ("line_comment", NodeRule::Comment),
        ("block_comment", NodeRule::Comment),
        ("import_declaration", NodeRule::Visit(visit_import)),
        ("package_declaration", NodeRule::Skip),
        ("method_invocation", NodeRule::Call("")),
        ("method_reference", NodeRule::Visit(visit_method_reference)),
        ("explicit_constructor_invocation", NodeRule::Call("constructor")),
        ("object_creation_expression", NodeRule::Construct("type")),
        ("superclass", NodeRule::Bases(ReferenceKind::Extend)),
        ("super_interfaces", NodeRule::Visit(visit_implements)),
        ("extends_interfaces", NodeRule::Visit(visit_extends)),
        ("type_identifier", NodeRule::Type),
        ("scoped_type_identifier", NodeRule::Type),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("this", NameRule::Leaf),
        ("super", NameRule::Leaf),
        ("method_invocation", NameRule::Member { object: "object", name: "name" }),
        ("scoped_identifier", NameRule::Member { object: "scope", name: "name" }),
        ("field_access", NameRule::Member { object: "object", name: "field" }),
        ("scoped_type_identifier", NameRule::Last),
        ("generic_type", NameRule::First),
        ("annotated_type", NameRule::Last),
        ("array_type", NameRule::Inside("element")),
        ("annotation", NameRule::Inside("name")),
        ("marker_annotation", NameRule::Inside("name")),
    ],
    ..LanguageRules::EMPTY
};

/// Records one definition per declarator. `static final` fields and fields of interfaces are constants.
fn visit_field<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let modifiers = node.named_child(0).filter(|child| child.kind() == "modifiers").map(|child| walk.text(child));
    let has = |word: &str| modifiers.as_ref().is_some_and(|text| text.split_whitespace().any(|w| w == word));
    let is_constant = node.kind() == "constant_declaration" || has("static") && has("final");
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Field };
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        if let Some(name) = declarator.child_by_field_name("name") {
            walk.define(DefinitionSpec::without_body(kind, node, name, walk));
        }
    }
    WalkAction::Descend
}

/// A record component is a field.
fn visit_component<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_component = walk.is_in_type() && walk.ancestor(1).is_some_and(|owner| owner.kind() == "record_declaration");
    if is_component { walk.define_named(SymbolKind::Field, node) } else { WalkAction::Descend }
}

fn visit_implements<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    add_base_references(walk, node, ReferenceKind::Implement)
}

fn visit_extends<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    add_base_references(walk, node, ReferenceKind::Extend)
}

fn add_base_references<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>, kind: ReferenceKind) -> WalkAction {
    if let Some(list) = node.named_child(0) {
        let mut cursor = list.walk();
        list.named_children(&mut cursor).for_each(|base| walk.add_reference(kind, base));
    }
    WalkAction::Descend
}

/// `A::b` is recorded as a call of `b`, and `A::new` as a construction of `A`.
fn visit_method_reference<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let n_children = node.child_count();
    let (Some(object), Some(name)) = (node.child(0), node.child(n_children.saturating_sub(1))) else {
        return WalkAction::Descend;
    };
    match name.kind() {
        "new" => walk.add_reference(ReferenceKind::Construct, object),
        "identifier" => {
            walk.add_reference_at(ReferenceKind::Call, name, Some((object.start_byte(), object.end_byte())))
        }
        _ => {}
    }
    WalkAction::Descend
}

/// `import a.b.C`, `import static a.b.C.d`, `import a.b.*`.
fn visit_import<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    let mut path = String::new();
    let mut takes_all = false;
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "asterisk" => takes_all = true,
            "scoped_identifier" | "identifier" => path = walk.text(child).split_whitespace().collect(),
            _ => {}
        }
    }
    match path.rsplit_once('.') {
        _ if takes_all => walk.add_import(node, &path, "*", "", false),
        Some((module, name)) => walk.add_import(node, module, name, "", false),
        None => walk.add_import(node, "", &path, "", false),
    }
    WalkAction::Skip
}
