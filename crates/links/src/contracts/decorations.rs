//! Decorators, annotations and attributes, with their arguments.

use graph::{FileIdx, SymbolIdx};
use model::code::{Decoration, Expression, ExpressionId, NameId};

use super::values::{ValueReader, keyword_arguments};

/// A decoration of a definition.
#[derive(Debug, Clone)]
pub(super) struct DecorationCall<'p> {
    pub(super) file: FileIdx,
    /// The name without the object that it is a member of.
    pub(super) name: &'p str,
    /// The object: `app` of `@app.get("/x")`.
    pub(super) object: Option<ExpressionId>,
    /// The arguments by position.
    pub(super) positional: Vec<ExpressionId>,
    /// The arguments by name.
    pub(super) by_name: &'p [(NameId, ExpressionId)],
    pub(super) line: u32,
}

impl DecorationCall<'_> {
    /// Returns the argument with one of these names.
    pub(super) fn named(&self, values: &ValueReader<'_, '_>, names: &[&str]) -> Option<ExpressionId> {
        let code = values.code(self.file);
        self.by_name.iter().find(|(name, _)| names.contains(&code.name(*name))).map(|(_, value)| *value)
    }
}

/// Returns the decorations of a definition, in order.
pub(super) fn decorations_of<'p>(values: &ValueReader<'_, 'p>, symbol: SymbolIdx) -> Vec<DecorationCall<'p>> {
    let program = values.program();
    let (file, definition) = (program.file_of(symbol), program.definition_id(symbol));
    let decorations = values.code(file).decorations.iter().filter(|decoration| decoration.definition == definition);
    decorations.filter_map(|decoration| decoration_call(values, file, decoration)).collect()
}

/// Returns the parts of a decoration.
pub(super) fn decoration_call<'p>(
    values: &ValueReader<'_, 'p>,
    file: FileIdx,
    decoration: &Decoration,
) -> Option<DecorationCall<'p>> {
    let code = values.code(file);
    let (callee, arguments): (_, &[ExpressionId]) = match code.expression(decoration.expression) {
        Expression::Call { callee, arguments, .. } => (*callee, arguments),
        _ => (decoration.expression, &[]),
    };
    let (object, name) = match code.expression(callee) {
        Expression::Member { of, name } | Expression::Path { of, name } => (Some(*of), code.name(*name)),
        Expression::Name { name, .. } => (None, code.name(*name)),
        _ => return None,
    };
    let mut positional = Vec::new();
    let mut by_name: &[(NameId, ExpressionId)] = &[];
    for argument in arguments {
        match (keyword_arguments(code, *argument), code.expression(*argument)) {
            (Some(fields), _) => by_name = fields,
            (None, Expression::Object(fields)) => by_name = fields,
            _ => positional.push(*argument),
        }
    }
    let name = name.strip_suffix("Attribute").unwrap_or(name);
    Some(DecorationCall { file, name, object, positional, by_name, line: decoration.line })
}
