//! Fields of a parameter that is an object: `url` of `function send({url, method = "GET"})` and of `options.url`.

use graph::FileIdx;
use model::code::{Expression, ExpressionId};

use super::{CallFrame, TextValue};
use crate::contracts::values::{CalledFunction, ValueReader, ValueSource};

impl ValueReader<'_, '_> {
    /// Returns the text of a field of a parameter in a call that gives an object for it; `None` otherwise. The default of a field counts
    /// only if the object has no such field.
    pub(super) fn field_of_parameter(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<TextValue> {
        let frame = frame?;
        let (member, default) = match self.expression(file, expression) {
            Expression::Either(choices) => match choices[..] {
                [member, default] => (member, Some(default)),
                _ => return None,
            },
            Expression::Member { .. } => (expression, None),
            _ => return None,
        };
        let Expression::Member { of, name } = self.expression(file, member) else { return None };
        let (function, position) = self.parameter_of(file, *of)?;
        if function != frame.function {
            return None;
        }
        let argument = self.argument(frame, position)?;
        let (home, fields) = self.object(frame.file, argument, 0)?;
        let (code, written) = (self.code(home), self.code(file).name(*name));
        let field = fields.iter().find(|(field, _)| code.name(*field) == written).map(|(_, value)| *value);
        match (field, default) {
            (Some(value), _) => Some(self.text_within(home, value, frame.outer, depth + 1)),
            (None, Some(default)) => Some(self.text_within(file, default, Some(frame), depth + 1)),
            (None, None) => None,
        }
    }

    /// Returns true for a field of a parameter, which only the callers of the function may know.
    pub(super) fn is_field_of_parameter(&mut self, file: FileIdx, expression: ExpressionId) -> bool {
        match self.expression(file, expression) {
            Expression::Member { of, .. } => self.parameter_of(file, *of).is_some(),
            _ => false,
        }
    }

    /// Returns the parameter that a name means, by its function and its position.
    fn parameter_of(&mut self, file: FileIdx, of: ExpressionId) -> Option<(CalledFunction, usize)> {
        if !matches!(self.expression(file, of), Expression::Name { .. }) {
            return None;
        }
        self.sources(file, of).into_iter().find_map(|source| match source {
            ValueSource::Parameter(function, position) => Some((function, position)),
            _ => None,
        })
    }
}
