//! Assignments to fields and variables, where the type of an object does not tell its values: in Go, and by calls that store a
//! variable of the environment (`mapEnv(&server.cartAddr, "CART_ADDR")`).

use graph::{FileIdx, Name, Program};
use model::code::{Expression, ExpressionId, Literal};
use rustc_hash::FxHashMap;

use super::{ValueSource, keyword_arguments};
use crate::contracts::text_value::is_variable_name;

/// A value that is stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredValue {
    Expression(ExpressionId),
    Variable(String),
}

impl StoredValue {
    pub(super) fn source(&self, file: FileIdx) -> ValueSource {
        match self {
            StoredValue::Expression(value) => ValueSource::Expression(file, *value),
            StoredValue::Variable(name) => ValueSource::Variable(name.clone()),
        }
    }
}

/// The assignments of one file.
#[derive(Debug, Default)]
pub(super) struct Assignments {
    /// By name: the variable at the place of the assignment, and the value.
    names: FxHashMap<Name, Vec<(ExpressionId, ExpressionId)>>,
    /// By field: the object, if it is written, and the value.
    fields: FxHashMap<Name, Vec<(Option<ExpressionId>, StoredValue)>>,
    /// By keyword: the callee and the value of `Callee(keyword=value)`.
    keywords: FxHashMap<Name, Vec<(ExpressionId, ExpressionId)>>,
    /// By key: the object and the value of `object["key"] = value`.
    elements: FxHashMap<Name, Vec<(ExpressionId, ExpressionId)>>,
}

impl Assignments {
    pub(super) fn of(program: &Program<'_>, file: FileIdx) -> Assignments {
        let code = program.code(file);
        let mut found = Assignments::default();
        for expression in &code.expressions {
            match expression {
                Expression::Operation { operator, left, right: Some(value) } if code.name(*operator) == "=" => {
                    match code.expression(*left) {
                        Expression::Name { name, .. } => {
                            found.names.entry(program.name(file, *name)).or_default().push((*left, *value));
                        }
                        Expression::Member { of, name } => {
                            found.add_field(program.name(file, *name), Some(*of), StoredValue::Expression(*value));
                        }
                        Expression::Element { of, index: Some(index) } => {
                            if let Expression::Literal(Literal::Text(Some(key))) = code.expression(*index) {
                                let of_key = found.elements.entry(program.name(file, *key)).or_default();
                                of_key.push((*of, *value));
                            }
                        }
                        _ => {}
                    }
                }
                Expression::Make { arguments, .. } => {
                    let Some(Expression::Object(fields)) = arguments.last().map(|last| code.expression(*last)) else {
                        continue;
                    };
                    for (name, value) in fields {
                        found.add_field(program.name(file, *name), None, StoredValue::Expression(*value));
                    }
                }
                Expression::Call { callee, arguments, .. } => {
                    for (name, value) in arguments.iter().filter_map(|one| keyword_arguments(code, *one)).flatten() {
                        let of_keyword = found.keywords.entry(program.name(file, *name)).or_default();
                        of_keyword.push((*callee, *value));
                    }
                    let [target, variable, ..] = arguments[..] else { continue };
                    if let Expression::Member { of, name } = code.expression(target)
                        && let Expression::Literal(Literal::Text(Some(text))) = code.expression(variable)
                        && is_variable_name(code.name(*text))
                    {
                        let value = StoredValue::Variable(code.name(*text).to_owned());
                        found.add_field(program.name(file, *name), Some(*of), value);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn add_field(&mut self, name: Name, object: Option<ExpressionId>, value: StoredValue) {
        self.fields.entry(name).or_default().push((object, value));
    }

    /// Returns the places and values of the assignments to variables with a name.
    pub(super) fn of_name(&self, name: Name) -> impl Iterator<Item = (ExpressionId, ExpressionId)> {
        self.names.get(&name).into_iter().flatten().copied()
    }

    /// Returns the places and values of the assignments to variables with a name: at most `n_each` last ones before an expression, and
    /// as many first ones after it.
    pub(super) fn of_name_around(
        &self,
        name: Name,
        used: ExpressionId,
        n_each: usize,
    ) -> Vec<(ExpressionId, ExpressionId)> {
        let all = self.names.get(&name).map_or(&[][..], Vec::as_slice);
        let n_before = all.partition_point(|(_, value)| *value < used);
        let start = n_before.saturating_sub(n_each);
        all[start..].iter().copied().take(n_before - start + n_each).collect()
    }

    /// Returns the objects and values of the assignments to an element.
    pub(super) fn of_element(&self, key: Name) -> impl Iterator<Item = (ExpressionId, ExpressionId)> {
        self.elements.get(&key).into_iter().flatten().copied()
    }

    /// Returns the callees and values of the arguments with a name.
    pub(super) fn of_keyword(&self, name: Name) -> impl Iterator<Item = (ExpressionId, ExpressionId)> {
        self.keywords.get(&name).into_iter().flatten().copied()
    }

    /// Returns the objects and values of the assignments to a field.
    pub(super) fn of_field(&self, name: Name) -> impl Iterator<Item = (Option<ExpressionId>, StoredValue)> {
        self.fields.get(&name).into_iter().flatten().cloned()
    }
}
