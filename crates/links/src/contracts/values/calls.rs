//! The parts of a call: its object, its name, its arguments by position and by name.

use graph::FileIdx;
use model::code::{Code, Expression, ExpressionId, NameId};

use super::ValueReader;

/// The parts of a call.
#[derive(Debug, Clone, Copy)]
pub(in crate::contracts) struct CallShape<'p> {
    /// The call itself.
    pub(in crate::contracts) call: ExpressionId,
    pub(in crate::contracts) callee: ExpressionId,
    /// The object whose member is called.
    pub(in crate::contracts) object: Option<ExpressionId>,
    /// The called name; empty if the callee is another expression.
    pub(in crate::contracts) name: &'p str,
    /// All arguments as written.
    pub(in crate::contracts) arguments: &'p [ExpressionId],
    code: &'p Code,
}

impl<'p> CallShape<'p> {
    /// Returns the positional arguments.
    pub(in crate::contracts) fn positional(&self) -> impl Iterator<Item = ExpressionId> + use<'p> {
        let code = self.code;
        self.arguments.iter().copied().filter(move |argument| keyword_arguments(code, *argument).is_none())
    }

    /// Returns the positional argument at an index.
    pub(in crate::contracts) fn at(&self, index: usize) -> Option<ExpressionId> {
        self.positional().nth(index)
    }

    /// Returns the argument with one of these names: a keyword argument, or a member of an object among the arguments.
    pub(in crate::contracts) fn named(&self, names: &[&str]) -> Option<ExpressionId> {
        self.arguments.iter().find_map(|argument| {
            let fields = match keyword_arguments(self.code, *argument) {
                Some(fields) => fields,
                None => match self.code.expression(*argument) {
                    Expression::Object(fields) => fields,
                    _ => return None,
                },
            };
            fields.iter().find(|(name, _)| names.contains(&self.code.name(*name))).map(|(_, value)| *value)
        })
    }
}

/// Returns the keyword arguments that an argument stands for.
pub(in crate::contracts) fn keyword_arguments(
    code: &Code,
    argument: ExpressionId,
) -> Option<&[(NameId, ExpressionId)]> {
    let Expression::Dereferenced { of } = code.expression(argument) else { return None };
    match code.expression(*of) {
        Expression::Object(fields) => Some(fields),
        _ => None,
    }
}

impl<'p> ValueReader<'_, 'p> {
    /// Returns the parts of a call; `None` for any other expression.
    pub(in crate::contracts) fn call(&self, file: FileIdx, call: ExpressionId) -> Option<CallShape<'p>> {
        let code = self.code(file);
        let Expression::Call { callee, arguments, .. } = code.expression(call) else { return None };
        let (object, name) = match code.expression(*callee) {
            Expression::Member { of, name } | Expression::Path { of, name } => (Some(*of), code.name(*name)),
            Expression::Name { name, .. } => (None, code.name(*name)),
            _ => (None, ""),
        };
        Some(CallShape { call, callee: *callee, object, name, arguments, code })
    }

    /// Returns the names of a chain of members, such as `process.env.X`; `None` if it begins with another expression.
    pub(in crate::contracts) fn dotted(&self, file: FileIdx, expression: ExpressionId) -> Option<String> {
        let code = self.code(file);
        let mut names = Vec::new();
        let mut at = expression;
        for _ in 0..8 {
            match code.expression(at) {
                Expression::Name { name, .. } => {
                    names.push(code.name(*name));
                    names.reverse();
                    return Some(names.join("."));
                }
                Expression::This { .. } => {
                    names.push("this");
                    names.reverse();
                    return Some(names.join("."));
                }
                Expression::Member { of, name } | Expression::Path { of, name } => {
                    names.push(code.name(*name));
                    at = *of;
                }
                Expression::Type(written) => {
                    let (path, _) = self.written_name(file, *written)?;
                    names.extend(path.iter().rev().map(|name| code.name(*name)));
                    names.reverse();
                    return Some(names.join("."));
                }
                Expression::Awaited { of } | Expression::Tried { of } | Expression::Dereferenced { of } => at = *of,
                _ => return None,
            }
        }
        None
    }
}
