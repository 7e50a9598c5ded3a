//! The code of a Go file.
//!
//! Pointers are transparent: members are the same with and without one, so that `*T` is written as `T`, and `&x` and
//! `*x` as `x`. Whatever ranges gives two values, as a tuple of key and element. A channel is a type named `chan`, and
//! what is received from it is awaited.

mod expressions;
mod fields;
mod functions;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use model::code::{Base, BaseKind, DefinitionId, Expression, ExpressionId, Flags, ScopeId, TypeId};

use crate::node::Node;

use self::fields::FIELDS;
use super::Lowering;
use super::lowering::FILE_SCOPE;

/// Writes the code of a file.
pub(super) fn lower(lowering: &mut Lowering<'_>, root: Node<'_>) {
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        match node.kind() {
            "package_clause" => {
                let package = node.named_child(0).map_or("", |name| lowering.text(name));
                lowering.code.package = package.to_owned();
            }
            "comment" if lowering.code.package.is_empty() => condition(lowering, node),
            "import_declaration" | "comment" => {}
            "function_declaration" | "method_declaration" => functions::function(lowering, node),
            _ => statements::statement(lowering, FILE_SCOPE, node),
        }
    }
}

/// Writes the condition that a comment above the package clause is, in its present form or that of before Go 1.17.
fn condition(lowering: &mut Lowering<'_>, comment: Node<'_>) {
    let text = lowering.text(comment).trim_start_matches('/');
    if let Some(condition) = text.strip_prefix("go:build ") {
        lowering.code.condition = condition.trim().to_owned();
    } else if let Some(choices) = text.trim_start().strip_prefix("+build ") {
        // Words are alternatives, each of words joined by commas; all of such lines must hold.
        let choices: Vec<String> = choices.split_whitespace().map(|all| all.replace(',', " && ")).collect();
        let line = format!("({})", choices.join(" || "));
        let before = std::mem::take(&mut lowering.code.condition);
        lowering.code.condition = if before.is_empty() { line } else { format!("{before} && {line}") };
    }
}

/// Writes the types of a declaration, in the file or in a function.
fn type_declaration(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) {
    let mut cursor = node.walk();
    for spec in node.named_children(&mut cursor) {
        let is_alias = spec.kind() == "type_alias";
        let (Some(name), Some(of)) = (spec.child_by_field_id(FIELDS.name), spec.child_by_field_id(FIELDS.type_)) else {
            continue;
        };
        let definition = lowering.definition_named(name);
        if let Some(definition) = definition.filter(|_| scope != FILE_SCOPE) {
            let value = lowering.expression(Expression::Definition(definition));
            let name = lowering.name_of(name);
            lowering.bind(scope, name, None, Some(value));
        }
        let within = match spec.child_by_field_id(FIELDS.type_parameters) {
            Some(parameters) => {
                let within = lowering.scope(scope, definition);
                let parameters = types::type_parameters(lowering, within, parameters);
                if let Some(definition) = definition {
                    lowering.shape(definition).type_parameters = parameters;
                }
                within
            }
            None => scope,
        };
        match (of.kind(), definition) {
            ("struct_type", Some(owner)) => structure(lowering, within, owner, of),
            ("interface_type", Some(owner)) => interface(lowering, within, owner, of),
            (_, Some(owner)) => named(lowering, within, owner, of, is_alias),
            (_, None) => {}
        }
        if let Some(definition) = definition {
            let exported = exported(lowering, name);
            lowering.shape(definition).flags |= exported;
        }
    }
}

/// Writes what a type of another form stands for: a second name is declared as it; a new type builds on it.
fn named(lowering: &mut Lowering<'_>, scope: ScopeId, owner: DefinitionId, of: Node<'_>, is_alias: bool) {
    let base = types::written(lowering, scope, of);
    let shape = lowering.shape(owner);
    if is_alias {
        shape.declared = Some(base);
    } else {
        shape.bases = Box::new([Base { kind: BaseKind::Extend, base }]);
    }
}

/// Writes the fields of a struct; those without a name are what it embeds.
fn structure(lowering: &mut Lowering<'_>, scope: ScopeId, owner: DefinitionId, of: Node<'_>) {
    let mut bases = Vec::new();
    let Some(fields) = of.named_child(0) else { return };
    let mut cursor = fields.walk();
    for field in fields.named_children(&mut cursor).filter(|field| field.kind() == "field_declaration") {
        let Some(written) = field.child_by_field_id(FIELDS.type_) else { continue };
        let declared = types::written(lowering, scope, written);
        let mut n_names = 0;
        let mut names = field.walk();
        for name in field.children_by_field_name("name", &mut names).filter(Node::is_named) {
            n_names += 1;
            if let Some(definition) = lowering.definition_named(name) {
                let exported = exported(lowering, name);
                let shape = lowering.shape(definition);
                shape.declared = Some(declared);
                shape.flags |= exported;
            }
        }
        if n_names == 0 {
            bases.push(Base { kind: BaseKind::Embed, base: declared });
        }
    }
    lowering.shape(owner).bases = bases.into();
}

/// Writes the methods of an interface, and what it takes in: other interfaces, or the types that it is limited to.
fn interface(lowering: &mut Lowering<'_>, scope: ScopeId, owner: DefinitionId, of: Node<'_>) {
    let mut bases = Vec::new();
    let mut cursor = of.walk();
    for element in of.named_children(&mut cursor) {
        match element.kind() {
            "method_elem" => functions::signature(lowering, scope, element),
            "type_elem" => {
                let base = types::written(lowering, scope, element);
                bases.push(Base { kind: BaseKind::Extend, base });
            }
            _ => {}
        }
    }
    lowering.shape(owner).bases = bases.into();
}

/// Writes variables or constants: definitions where they stand in the file, bindings where they stand in a function.
///
/// Returns what it wrote, which the next line of constants repeats if it says nothing.
fn values(lowering: &mut Lowering<'_>, scope: ScopeId, spec: Node<'_>, repeated: &Repeated) -> Repeated {
    let declared = spec.child_by_field_id(FIELDS.type_).map(|written| types::written(lowering, scope, written));
    let mut cursor = spec.walk();
    let names: Vec<Node> = spec.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    let given = spec.child_by_field_id(FIELDS.value);
    let own = match given {
        Some(list) => Repeated { declared, values: expressions::for_each_of(lowering, scope, names.len(), list) },
        None => Repeated { declared, values: Vec::new() },
    };
    let says_nothing = declared.is_none() && given.is_none();
    let said = if says_nothing { repeated.clone() } else { own };
    for (index, name) in names.iter().enumerate() {
        let value = said.values.get(index).copied().filter(|value| *value != ExpressionId(0));
        if scope != FILE_SCOPE {
            let name = lowering.name_of(*name);
            lowering.bind(scope, name, said.declared, value);
        } else if let Some(definition) = lowering.definition_named(*name) {
            let exported = exported(lowering, *name);
            let shape = lowering.shape(definition);
            shape.declared = said.declared;
            shape.values = value.into_iter().collect();
            shape.flags |= exported;
        }
    }
    said
}

/// The type and the values of a line of constants.
#[derive(Clone, Default)]
struct Repeated {
    declared: Option<TypeId>,
    values: Vec<ExpressionId>,
}

/// Names with a capital are seen outside of their package.
fn exported(lowering: &Lowering<'_>, name: Node<'_>) -> Flags {
    let is_exported = lowering.text(name).chars().next().is_some_and(char::is_uppercase);
    if is_exported { Flags::EXPORTED } else { Flags::PRIVATE }
}
