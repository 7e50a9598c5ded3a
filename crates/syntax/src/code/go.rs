//! Lowering of Go.
//!
//! Pointers are transparent: members are the same with and without one, so `*T` is written as `T`, and `&x` and `*x` as
//! `x`. A range clause yields a tuple of key and element. A channel is a type named `chan`, and a receive from it is an
//! await.
//!
//! `expressions`, `functions` and `statements` import each other because a function literal is an expression that holds
//! statements.

mod expressions;
mod fields;
mod functions;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use model::code::{Base, BaseKind, DefinitionId, Expression, ExpressionId, Flags, ScopeId, TypeId};

use crate::node::SyntaxNode;

use self::fields::FIELDS;
use super::CodeBuilder;
use super::builder::{FILE_SCOPE, OPAQUE, UNKNOWN_TYPE};

/// Lowers a file.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        match node.kind() {
            "package_clause" => {
                let package = node.named_child(0).map_or("", |name| out.text(name));
                out.code.package = package.to_owned();
            }
            "comment" if out.code.package.is_empty() => record_build_constraint(out, node),
            "import_declaration" | "comment" => {}
            "function_declaration" | "method_declaration" => functions::lower_function(out, node),
            _ => statements::lower_statement(out, FILE_SCOPE, node),
        }
    }
}

/// Records the build constraint in a comment above the package clause, in the current syntax or that before Go 1.17.
fn record_build_constraint(out: &mut CodeBuilder<'_>, comment: SyntaxNode<'_>) {
    let text = out.text(comment).trim_start_matches('/');
    if let Some(condition) = text.strip_prefix("go:build ") {
        out.code.condition = condition.trim().to_owned();
    } else if let Some(choices) = text.trim_start().strip_prefix("+build ") {
        // Words are alternatives, each a list of terms joined by commas; all such lines must hold.
        let choices: Vec<String> = choices.split_whitespace().map(|all| all.replace(',', " && ")).collect();
        let line = format!("({})", choices.join(" || "));
        let before = std::mem::take(&mut out.code.condition);
        out.code.condition = if before.is_empty() { line } else { format!("{before} && {line}") };
    }
}

/// Lowers the types of a declaration, in a file or in a function.
fn lower_type_declaration(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    let mut cursor = node.walk();
    for spec in node.named_children(&mut cursor) {
        let is_alias = spec.kind() == "type_alias";
        let (Some(name), Some(of)) = (spec.child_by_field_id(FIELDS.name), spec.child_by_field_id(FIELDS.type_)) else {
            continue;
        };
        let definition = out.definition_at(name);
        if let Some(definition) = definition.filter(|_| scope != FILE_SCOPE) {
            let value = out.add_expression(Expression::Definition(definition));
            let name = out.intern_node(name);
            out.bind(scope, name, None, Some(value));
        }
        let within = match spec.child_by_field_id(FIELDS.type_parameters) {
            Some(parameters) => {
                let within = out.open_scope(scope, definition);
                let parameters = types::lower_type_parameters(out, within, parameters);
                if let Some(definition) = definition {
                    out.shape_mut(definition).type_parameters = parameters;
                }
                within
            }
            None => scope,
        };
        match (of.kind(), definition) {
            ("struct_type", Some(owner)) => lower_struct(out, within, owner, of),
            ("interface_type", Some(owner)) => lower_interface(out, within, owner, of),
            (_, Some(owner)) => lower_named_type(out, within, owner, of, is_alias),
            (_, None) => {}
        }
        if let Some(definition) = definition {
            let visibility = visibility_flag(out, name);
            out.shape_mut(definition).flags |= visibility;
        }
    }
}

/// Lowers a type that is neither struct nor interface: an alias is declared as the other type; a new type extends it.
fn lower_named_type(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    owner: DefinitionId,
    of: SyntaxNode<'_>,
    is_alias: bool,
) {
    let base = types::lower_type(out, scope, of);
    let shape = out.shape_mut(owner);
    if is_alias {
        shape.declared = Some(base);
    } else {
        shape.bases = Box::new([Base { kind: BaseKind::Extend, base }]);
    }
}

/// Lowers the fields of a struct. Fields without a name embed their type.
fn lower_struct(out: &mut CodeBuilder<'_>, scope: ScopeId, owner: DefinitionId, of: SyntaxNode<'_>) {
    let mut bases = Vec::new();
    let Some(fields) = of.named_child(0) else { return };
    let mut cursor = fields.walk();
    for field in fields.named_children(&mut cursor).filter(|field| field.kind() == "field_declaration") {
        let Some(written) = field.child_by_field_id(FIELDS.type_) else { continue };
        let declared = types::lower_type(out, scope, written);
        let mut n_names = 0;
        let mut names = field.walk();
        for name in field.children_by_field_name("name", &mut names).filter(SyntaxNode::is_named) {
            n_names += 1;
            if let Some(definition) = out.definition_at(name) {
                let visibility = visibility_flag(out, name);
                let shape = out.shape_mut(definition);
                shape.declared = Some(declared);
                shape.flags |= visibility;
            }
        }
        if n_names == 0 {
            bases.push(Base { kind: BaseKind::Embed, base: declared });
        }
    }
    out.shape_mut(owner).bases = bases.into();
}

/// Lowers the methods of an interface, and its elements: embedded interfaces, or a union of types.
fn lower_interface(out: &mut CodeBuilder<'_>, scope: ScopeId, owner: DefinitionId, of: SyntaxNode<'_>) {
    let mut bases = Vec::new();
    let mut cursor = of.walk();
    for element in of.named_children(&mut cursor) {
        match element.kind() {
            "method_elem" => types::signatures::lower_method_signature(out, scope, element),
            "type_elem" => {
                let base = types::lower_type(out, scope, element);
                bases.push(Base { kind: BaseKind::Extend, base });
            }
            _ => {}
        }
    }
    out.shape_mut(owner).bases = bases.into();
}

/// Lowers variables or constants: definitions at file level, bindings in a function.
///
/// Returns the type and values, which the next constant specification repeats if it has neither.
fn lower_value_spec(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    spec: SyntaxNode<'_>,
    previous: &ValueSpec,
) -> ValueSpec {
    let declared = spec.child_by_field_id(FIELDS.type_).map(|written| types::lower_type(out, scope, written));
    let mut cursor = spec.walk();
    let names: Vec<SyntaxNode> =
        spec.children_by_field_name("name", &mut cursor).filter(SyntaxNode::is_named).collect();
    let value_list = spec.child_by_field_id(FIELDS.value);
    let own = match value_list {
        Some(list) => ValueSpec { declared, values: expressions::lower_assigned_values(out, scope, names.len(), list) },
        None => ValueSpec { declared, values: Vec::new() },
    };
    let is_empty = declared.is_none() && value_list.is_none();
    let effective = if is_empty { previous.clone() } else { own };
    for (index, name) in names.iter().enumerate() {
        let value = effective.values.get(index).copied().filter(|value| *value != OPAQUE);
        // `var _ Interface = (*T)(nil)` asserts that a type implements an interface.
        let is_assertion = effective.declared.is_some() && value.is_some() && out.text(*name) == "_";
        if scope != FILE_SCOPE || is_assertion {
            let name = out.intern_node(*name);
            out.bind(scope, name, effective.declared, value);
        } else if let Some(definition) = out.definition_at(*name) {
            let visibility = visibility_flag(out, *name);
            let shape = out.shape_mut(definition);
            shape.declared = effective.declared;
            shape.values = value.into_iter().collect();
            shape.flags |= visibility;
        }
    }
    effective
}

/// The type and values of a constant or variable specification.
#[derive(Clone, Default)]
struct ValueSpec {
    declared: Option<TypeId>,
    values: Vec<ExpressionId>,
}

/// Names with a capital are visible outside their package.
fn visibility_flag(out: &CodeBuilder<'_>, name: SyntaxNode<'_>) -> Flags {
    let is_exported = out.text(name).chars().next().is_some_and(char::is_uppercase);
    if is_exported { Flags::EXPORTED } else { Flags::PRIVATE }
}
