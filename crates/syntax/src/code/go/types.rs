//! Types of Go.

pub(super) mod signatures;

use model::code::{Expression, NameId, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::UNKNOWN_TYPE;
use super::fields::FIELDS;
use crate::code::CodeBuilder;
use crate::node::SyntaxNode;

/// Lowers a type.
pub(super) fn lower_type(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> TypeId {
    out.deeper(|out| lower_node(out, scope, node)).unwrap_or(UNKNOWN_TYPE)
}

fn lower_node(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> TypeId {
    let written_type = match node.kind() {
        // Expressions can occur here as types: `(*T)(x)`, or `new(T)` in a broken file.
        "type_identifier" | "identifier" => {
            let path = Box::new([out.intern_node(node)]);
            TypeExpression::Named { path, arguments: Box::new([]), scope }
        }
        "qualified_type" | "selector_expression" => match qualified_path(out, node) {
            Some(path) => TypeExpression::Named { path, arguments: Box::new([]), scope },
            None => return UNKNOWN_TYPE,
        },
        "generic_type" => return lower_generic(out, scope, node),
        "pointer_type" | "parenthesized_type" | "negated_type" | "parenthesized_expression" | "unary_expression" => {
            return node.named_child(0).map_or(UNKNOWN_TYPE, |inner| lower_type(out, scope, inner));
        }
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            TypeExpression::List(lower_field(out, scope, node, FIELDS.element))
        }
        "map_type" => {
            let key = lower_field(out, scope, node, FIELDS.key);
            let value = lower_field(out, scope, node, FIELDS.value);
            TypeExpression::Map { key, value }
        }
        "channel_type" => {
            let path = Box::new([out.intern("chan")]);
            let arguments = Box::new([lower_field(out, scope, node, FIELDS.value)]);
            TypeExpression::Named { path, arguments, scope }
        }
        "function_type" => {
            let parameters = node.child_by_field_id(FIELDS.parameters);
            let parameters =
                parameters.map(|list| signatures::lower_parameters(out, scope, list, None)).unwrap_or_default();
            let parameters = parameters.iter().map(|one| one.declared.unwrap_or(UNKNOWN_TYPE)).collect();
            let result = signatures::lower_result(out, scope, node, None);
            TypeExpression::Function { parameters, result }
        }
        "struct_type" => return lower_struct(out, scope, node),
        "interface_type" => return lower_interface(out, scope, node),
        "type_elem" | "type_constraint" => {
            let mut cursor = node.walk();
            let members: Vec<SyntaxNode> = node.named_children(&mut cursor).collect();
            if let [member] = members[..] {
                return lower_type(out, scope, member);
            }
            let members = members.into_iter().map(|member| lower_type(out, scope, member)).collect();
            TypeExpression::Union(members)
        }
        _ => return UNKNOWN_TYPE,
    };
    out.add_type(written_type)
}

/// Lowers type parameters.
pub(super) fn lower_type_parameters(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    list: SyntaxNode<'_>,
) -> Box<[TypeParameter]> {
    let mut parameters = Vec::new();
    let mut cursor = list.walk();
    for declaration in list.named_children(&mut cursor).filter(|one| one.kind() == "type_parameter_declaration") {
        let bound = declaration.child_by_field_id(FIELDS.type_).map(|bound| lower_type(out, scope, bound));
        let mut names = declaration.walk();
        for name in declaration.children_by_field_name("name", &mut names).filter(SyntaxNode::is_named) {
            let name = out.intern_node(name);
            parameters.push(TypeParameter { name, bounds: bound.into_iter().collect(), default: None });
        }
    }
    parameters.into()
}

/// Lowers type arguments.
pub(super) fn lower_type_arguments(out: &mut CodeBuilder<'_>, scope: ScopeId, list: SyntaxNode<'_>) -> Box<[TypeId]> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .filter(|argument| argument.kind() != "comment")
        .map(|argument| lower_type(out, scope, argument))
        .collect()
}

fn lower_generic(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> TypeId {
    let Some(of) = node.child_by_field_id(FIELDS.type_) else { return UNKNOWN_TYPE };
    let path = match of.kind() {
        "type_identifier" => Some(Box::from([out.intern_node(of)])),
        "qualified_type" => qualified_path(out, of),
        _ => None,
    };
    let Some(path) = path else { return UNKNOWN_TYPE };
    let arguments = node
        .child_by_field_id(FIELDS.type_arguments)
        .map(|list| lower_type_arguments(out, scope, list))
        .unwrap_or_default();
    out.add_type(TypeExpression::Named { path, arguments, scope })
}

/// Lowers an anonymous struct: its fields, and the types that it embeds.
fn lower_struct(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> TypeId {
    let mut members = Vec::new();
    let mut embedded = Vec::new();
    let Some(fields) = node.named_child(0) else { return UNKNOWN_TYPE };
    let mut cursor = fields.walk();
    for field in fields.named_children(&mut cursor).filter(|field| field.kind() == "field_declaration") {
        let Some(of) = field.child_by_field_id(FIELDS.type_) else { continue };
        let declared = lower_type(out, scope, of);
        let n_before = members.len();
        let mut names = field.walk();
        for name in field.children_by_field_name("name", &mut names).filter(SyntaxNode::is_named) {
            members.push((out.intern_node(name), declared));
        }
        if members.len() == n_before {
            embedded.push(declared);
            members.extend(embedded_name(out, declared).map(|name| (name, declared)));
        }
    }
    combine_embedded(out, members, embedded)
}

/// Lowers an anonymous interface. Its methods are separate definitions.
fn lower_interface(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> TypeId {
    let mut members = Vec::new();
    let mut embedded = Vec::new();
    let mut cursor = node.walk();
    for element in node.named_children(&mut cursor) {
        match element.kind() {
            "method_elem" => {
                signatures::lower_method_signature(out, scope, element);
                let Some(name) = element.child_by_field_id(FIELDS.name) else { continue };
                let Some(definition) = out.definition_at(name) else { continue };
                let method = out.add_expression(Expression::Definition(definition));
                let declared = out.add_type(TypeExpression::Of(method));
                members.push((out.intern_node(name), declared));
            }
            "type_elem" if element.named_child_count() == 1 => embedded.push(lower_type(out, scope, element)),
            _ => {}
        }
    }
    combine_embedded(out, members, embedded)
}

fn combine_embedded(out: &mut CodeBuilder<'_>, members: Vec<(NameId, TypeId)>, mut embedded: Vec<TypeId>) -> TypeId {
    if members.is_empty() && embedded.len() == 1 {
        return embedded[0];
    }
    let own = out.add_type(TypeExpression::Object(members.into()));
    if embedded.is_empty() {
        return own;
    }
    embedded.insert(0, own);
    out.add_type(TypeExpression::Intersection(embedded.into()))
}

/// Returns the name under which a type is embedded.
fn embedded_name(out: &CodeBuilder<'_>, of: TypeId) -> Option<NameId> {
    match out.code.written(of) {
        TypeExpression::Named { path, .. } => path.last().copied(),
        _ => None,
    }
}

fn qualified_path(out: &mut CodeBuilder<'_>, node: SyntaxNode<'_>) -> Option<Box<[NameId]>> {
    let package = node.named_child(0)?;
    let name = node.named_child(1)?;
    Some(Box::new([out.intern_node(package), out.intern_node(name)]))
}

fn lower_field(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>, field: u16) -> TypeId {
    node.child_by_field_id(field).map_or(UNKNOWN_TYPE, |of| lower_type(out, scope, of))
}
