//! Java.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("class_declaration", Rule::Define(SymbolKind::Class)),
        ("record_declaration", Rule::Define(SymbolKind::Class)),
        ("interface_declaration", Rule::Define(SymbolKind::Interface)),
        ("enum_declaration", Rule::Define(SymbolKind::Enum)),
        ("enum_constant", Rule::Define(SymbolKind::Variant)),
        ("annotation_type_declaration", Rule::Define(SymbolKind::Annotation)),
        ("annotation_type_element_declaration", Rule::Define(SymbolKind::Method)),
        ("method_declaration", Rule::Define(SymbolKind::Method)),
        ("constructor_declaration", Rule::Define(SymbolKind::Constructor)),
        ("compact_constructor_declaration", Rule::Define(SymbolKind::Constructor)),
        ("field_declaration", Rule::Visit(field)),
        ("constant_declaration", Rule::Visit(field)),
        ("formal_parameter", Rule::Visit(component)),
        ("lambda_expression", Rule::Anonymous),
        ("modifiers", Rule::Modifiers),
        ("annotation", Rule::Attribute),
        ("marker_annotation", Rule::Attribute),
        ("line_comment", Rule::Comment),
        ("block_comment", Rule::Comment),
        ("import_declaration", Rule::Visit(import)),
        ("package_declaration", Rule::Skip),
        ("method_invocation", Rule::Call("")),
        ("method_reference", Rule::Visit(method_reference)),
        ("explicit_constructor_invocation", Rule::Call("constructor")),
        ("object_creation_expression", Rule::Construct("type")),
        ("superclass", Rule::Bases(ReferenceKind::Extend)),
        ("super_interfaces", Rule::Visit(implemented)),
        ("extends_interfaces", Rule::Visit(extended)),
        ("type_identifier", Rule::Type),
        ("scoped_type_identifier", Rule::Type),
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
    ..LanguageRules::NONE
};

/// One definition per declarator; `static final` ones, and those of interfaces, are constants.
fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let modifiers = node.named_child(0).filter(|child| child.kind() == "modifiers").map(|child| walk.text(child));
    let has = |word: &str| modifiers.as_ref().is_some_and(|text| text.split_whitespace().any(|w| w == word));
    let is_constant = node.kind() == "constant_declaration" || has("static") && has("final");
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Field };
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        if let Some(name) = declarator.child_by_field_name("name") {
            walk.define(Subject::one_of_many(kind, node, name, walk));
        }
    }
    Next::Into
}

/// A component of a record is a field.
fn component<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_component = walk.in_type() && walk.ancestor(1).is_some_and(|owner| owner.kind() == "record_declaration");
    if is_component { walk.define_named(SymbolKind::Field, node) } else { Next::Into }
}

fn implemented<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    bases(walk, node, ReferenceKind::Implement)
}

fn extended<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    bases(walk, node, ReferenceKind::Extend)
}

fn bases<'t>(walk: &mut Walk<'t>, node: Node<'t>, kind: ReferenceKind) -> Next {
    if let Some(list) = node.named_child(0) {
        let mut cursor = list.walk();
        list.named_children(&mut cursor).for_each(|base| walk.mention(kind, base));
    }
    Next::Into
}

/// `A::b` is taken for a call of `b`, `A::new` for the making of an `A`.
fn method_reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let n_children = node.child_count();
    let (Some(object), Some(name)) = (node.child(0), node.child(n_children.saturating_sub(1))) else {
        return Next::Into;
    };
    match name.kind() {
        "new" => walk.mention(ReferenceKind::Construct, object),
        "identifier" => walk.mention_at(ReferenceKind::Call, name, Some((object.start_byte(), object.end_byte()))),
        _ => {}
    }
    Next::Into
}

/// `import a.b.C`, `import static a.b.C.d`, `import a.b.*`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
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
        _ if takes_all => walk.import(node, &path, "*", "", false),
        Some((module, name)) => walk.import(node, module, name, "", false),
        None => walk.import(node, "", &path, "", false),
    }
    Next::Over
}
