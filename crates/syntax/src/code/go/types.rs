//! Types as Go writes them.

use model::code::{Expression, NameId, ScopeId, TypeExpression, TypeId, TypeParameter};

use super::fields::FIELDS;
use super::functions;
use crate::code::Lowering;
use crate::node::Node;

/// Writes a type.
pub(super) fn written(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> TypeId {
    lowering.deeper(|lowering| one(lowering, scope, node)).unwrap_or(TypeId(0))
}

fn one(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> TypeId {
    let written_type = match node.kind() {
        // What an expression names as a type is read as an expression: `(*T)(x)`, `new(T)` in a broken file.
        "type_identifier" | "identifier" => {
            let path = Box::new([lowering.name_of(node)]);
            TypeExpression::Named { path, arguments: Box::new([]), scope }
        }
        "qualified_type" | "selector_expression" => match qualified(lowering, node) {
            Some(path) => TypeExpression::Named { path, arguments: Box::new([]), scope },
            None => return TypeId(0),
        },
        "generic_type" => return generic(lowering, scope, node),
        "pointer_type" | "parenthesized_type" | "negated_type" | "parenthesized_expression" | "unary_expression" => {
            return node.named_child(0).map_or(TypeId(0), |inner| written(lowering, scope, inner));
        }
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            TypeExpression::List(field(lowering, scope, node, FIELDS.element))
        }
        "map_type" => {
            let key = field(lowering, scope, node, FIELDS.key);
            let value = field(lowering, scope, node, FIELDS.value);
            TypeExpression::Map { key, value }
        }
        "channel_type" => {
            let path = Box::new([lowering.name("chan")]);
            let arguments = Box::new([field(lowering, scope, node, FIELDS.value)]);
            TypeExpression::Named { path, arguments, scope }
        }
        "function_type" => {
            let parameters = node.child_by_field_id(FIELDS.parameters);
            let parameters =
                parameters.map(|list| functions::parameters(lowering, scope, list, None)).unwrap_or_default();
            let parameters = parameters.iter().map(|one| one.declared.unwrap_or(TypeId(0))).collect();
            let result = functions::result(lowering, scope, node, None);
            TypeExpression::Function { parameters, result }
        }
        "struct_type" => return structure(lowering, scope, node),
        "interface_type" => return interface(lowering, scope, node),
        "type_elem" | "type_constraint" => {
            let mut cursor = node.walk();
            let members: Vec<Node> = node.named_children(&mut cursor).collect();
            if let [member] = members[..] {
                return written(lowering, scope, member);
            }
            let members = members.into_iter().map(|member| written(lowering, scope, member)).collect();
            TypeExpression::Union(members)
        }
        _ => return TypeId(0),
    };
    lowering.written(written_type)
}

/// Writes the parameters of a type or function that stand for types.
pub(super) fn type_parameters(lowering: &mut Lowering<'_>, scope: ScopeId, list: Node<'_>) -> Box<[TypeParameter]> {
    let mut parameters = Vec::new();
    let mut cursor = list.walk();
    for declaration in list.named_children(&mut cursor).filter(|one| one.kind() == "type_parameter_declaration") {
        let bound = declaration.child_by_field_id(FIELDS.type_).map(|bound| written(lowering, scope, bound));
        let mut names = declaration.walk();
        for name in declaration.children_by_field_name("name", &mut names).filter(Node::is_named) {
            let name = lowering.name_of(name);
            parameters.push(TypeParameter { name, bounds: bound.into_iter().collect(), default: None });
        }
    }
    parameters.into()
}

/// Writes the arguments of a generic type or function.
pub(super) fn arguments(lowering: &mut Lowering<'_>, scope: ScopeId, list: Node<'_>) -> Box<[TypeId]> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .filter(|argument| argument.kind() != "comment")
        .map(|argument| written(lowering, scope, argument))
        .collect()
}

fn generic(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> TypeId {
    let Some(of) = node.child_by_field_id(FIELDS.type_) else { return TypeId(0) };
    let path = match of.kind() {
        "type_identifier" => Some(Box::from([lowering.name_of(of)])),
        "qualified_type" => qualified(lowering, of),
        _ => None,
    };
    let Some(path) = path else { return TypeId(0) };
    let arguments =
        node.child_by_field_id(FIELDS.type_arguments).map(|list| arguments(lowering, scope, list)).unwrap_or_default();
    lowering.written(TypeExpression::Named { path, arguments, scope })
}

/// Writes a struct without a name: its fields, and the types it embeds.
fn structure(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> TypeId {
    let mut members = Vec::new();
    let mut embedded = Vec::new();
    let Some(fields) = node.named_child(0) else { return TypeId(0) };
    let mut cursor = fields.walk();
    for field in fields.named_children(&mut cursor).filter(|field| field.kind() == "field_declaration") {
        let Some(of) = field.child_by_field_id(FIELDS.type_) else { continue };
        let declared = written(lowering, scope, of);
        let n_before = members.len();
        let mut names = field.walk();
        for name in field.children_by_field_name("name", &mut names).filter(Node::is_named) {
            members.push((lowering.name_of(name), declared));
        }
        if members.len() == n_before {
            embedded.push(declared);
            members.extend(last_name(lowering, declared).map(|name| (name, declared)));
        }
    }
    together(lowering, members, embedded)
}

/// Writes an interface without a name. Its methods are definitions of their own.
fn interface(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> TypeId {
    let mut members = Vec::new();
    let mut embedded = Vec::new();
    let mut cursor = node.walk();
    for element in node.named_children(&mut cursor) {
        match element.kind() {
            "method_elem" => {
                functions::signature(lowering, scope, element);
                let Some(name) = element.child_by_field_id(FIELDS.name) else { continue };
                let Some(definition) = lowering.definition_named(name) else { continue };
                let method = lowering.expression(Expression::Definition(definition));
                let declared = lowering.written(TypeExpression::Of(method));
                members.push((lowering.name_of(name), declared));
            }
            "type_elem" if element.named_child_count() == 1 => embedded.push(written(lowering, scope, element)),
            _ => {}
        }
    }
    together(lowering, members, embedded)
}

fn together(lowering: &mut Lowering<'_>, members: Vec<(NameId, TypeId)>, mut embedded: Vec<TypeId>) -> TypeId {
    if members.is_empty() && embedded.len() == 1 {
        return embedded[0];
    }
    let own = lowering.written(TypeExpression::Object(members.into()));
    if embedded.is_empty() {
        return own;
    }
    embedded.insert(0, own);
    lowering.written(TypeExpression::Intersection(embedded.into()))
}

/// Returns the name under which a type is embedded.
fn last_name(lowering: &Lowering<'_>, of: TypeId) -> Option<NameId> {
    match lowering.code.written(of) {
        TypeExpression::Named { path, .. } => path.last().copied(),
        _ => None,
    }
}

fn qualified(lowering: &mut Lowering<'_>, node: Node<'_>) -> Option<Box<[NameId]>> {
    let package = node.named_child(0)?;
    let name = node.named_child(1)?;
    Some(Box::new([lowering.name_of(package), lowering.name_of(name)]))
}

fn field(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>, field: u16) -> TypeId {
    node.child_by_field_id(field).map_or(TypeId(0), |of| written(lowering, scope, of))
}
