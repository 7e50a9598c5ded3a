//! Options of requests that stand elsewhere: a variable, a parameter, a call or a choice gives them.

use graph::FileIdx;
use model::code::{Expression, ExpressionId, Literal};

use super::{METHOD_NAMES, RequestReader, methods};
use crate::contracts::{
    text_value::CallFrame,
    values::{CallShape, ValueReader, ValueSource},
};

/// The name of a field that has all fields of another object.
const SPREAD: &str = "...";

/// Maximum number of arguments of a function that makes options, which are searched for the method.
const MAX_OPTIONS: usize = 4;

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the method among options that a variable, a parameter, a call or a choice gives, and true if the options are not known.
    pub(super) fn method_of_options(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> (Option<String>, bool) {
        shape.at(1).map_or((None, false), |options| self.method_among(file, options, frame))
    }

    /// Returns the method that an expression for options gives, and true if the options are not known. It reads no `method` of an object
    /// that is written there.
    pub(super) fn method_among(
        &mut self,
        file: FileIdx,
        mut options: ExpressionId,
        frame: Option<&CallFrame<'_>>,
    ) -> (Option<String>, bool) {
        while let Expression::Awaited { of } | Expression::Cast { of, .. } = self.values.expression(file, options) {
            options = *of;
        }
        let choices = match self.values.expression(file, options) {
            Expression::Either(choices) => choices.to_vec(),
            Expression::Name { .. } | Expression::Call { .. } => vec![options],
            // `{ ...options, headers }` has the method of the options.
            Expression::Object(fields) => {
                let code = self.values.code(file);
                fields.iter().filter(|(name, _)| code.name(*name) == SPREAD).map(|(_, value)| *value).collect()
            }
            _ => return (None, false),
        };
        let mut is_open = false;
        for choice in choices {
            if is_nothing(self.values, file, choice) {
                continue;
            }
            match self.method_of_choice(file, choice, frame) {
                (Some(method), _) => return (Some(method), false),
                (None, is_unknown) => is_open |= is_unknown,
            }
        }
        (None, is_open)
    }

    /// Returns the method in an object of options, and true if the object is not known.
    fn method_of_choice(
        &mut self,
        file: FileIdx,
        options: ExpressionId,
        frame: Option<&CallFrame<'_>>,
    ) -> (Option<String>, bool) {
        // A function adds headers to the options, or makes them for a method.
        if let Some(call) = self.values.call(file, options) {
            let arguments: Vec<ExpressionId> = call.positional().take(MAX_OPTIONS).collect();
            let method = call.named(&METHOD_NAMES).or_else(|| {
                let is_method = |argument: &ExpressionId| {
                    self.values.literal(file, *argument).is_some_and(|text| methods::METHODS.contains(&text))
                };
                arguments.iter().copied().find(is_method)
            });
            return (method.and_then(|method| methods::of_value(self.values, file, method, frame)), true);
        }
        let is_name = matches!(self.values.expression(file, options), Expression::Name { .. });
        let sources = if is_name { self.values.sources(file, options) } else { Vec::new() };
        let given = sources.into_iter().find_map(|source| match (source, frame) {
            (ValueSource::Parameter(function, position), Some(frame)) if frame.function == function => {
                self.values.argument(frame, position).map(|argument| (frame.file, argument, frame.outer))
            }
            _ => None,
        });
        let is_given = given.is_some();
        let (home, options, frame) = given.unwrap_or((file, options, frame));
        let Some((fields_home, fields)) = self.values.object(home, options, 0) else { return (None, !is_given) };
        let code = self.values.code(fields_home);
        let method = fields.iter().find(|(name, _)| METHOD_NAMES.contains(&code.name(*name))).map(|(_, value)| *value);
        let frame = frame.filter(|_| fields_home == home);
        match method {
            Some(method) => {
                let known = methods::of_value(self.values, fields_home, method, frame);
                let is_unknown = known.is_none();
                (known, is_unknown)
            }
            None => (None, fields.iter().any(|(name, _)| code.name(*name) == SPREAD)),
        }
    }
}

/// Returns true for an expression that stands for no options: `undefined`, `null`.
fn is_nothing(values: &ValueReader<'_, '_>, file: FileIdx, expression: ExpressionId) -> bool {
    match values.expression(file, expression) {
        Expression::Literal(literal) => !matches!(literal, Literal::Text(_)),
        Expression::Name { name, .. } => values.code(file).name(*name) == "undefined",
        _ => false,
    }
}
