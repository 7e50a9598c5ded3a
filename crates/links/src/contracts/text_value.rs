//! Texts that code puts together: from literals, variables, concatenation, interpolation, format strings and functions.

mod config_objects;
mod discovery;
mod functions;
mod parameter_fields;
mod placeholders;
mod properties;
mod registered_settings;
mod settings;
mod url_objects;

use graph::{FileIdx, SymbolIdx};
use model::{
    Language,
    code::{Expression, ExpressionId},
};

use super::values::{CallShape, CalledFunction, ValueReader, ValueSource};

pub(super) use functions::{BUILDERS_OF_PATHS, with_slash};
pub(super) use settings::is_variable_name;

/// Maximum number of steps from a text to its parts.
const MAX_DEPTH: u32 = 14;

/// Maximum number of alternatives of a text: the value of a variable, its default, and a case or two.
const MAX_ALTERNATIVES: usize = 4;

/// Maximum number of parts of a text.
const MAX_PARTS: usize = 32;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextPart {
    /// Text as written.
    Text(String),
    /// The value of a variable of the environment, or of a setting of the application.
    Variable(String),
    /// The value of a parameter, which callers know.
    Parameter,
    /// A part that only the running program knows.
    Computed,
}

/// A text as the alternatives that it may be, in order of preference.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct TextValue {
    pub(super) alternatives: Vec<Vec<TextPart>>,
}

/// A call whose arguments are known, while the body of its function is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallFrame<'f> {
    pub(super) function: CalledFunction,
    /// The file and the arguments of the call.
    pub(super) file: FileIdx,
    pub(super) arguments: &'f [ExpressionId],
    /// The type whose object the function belongs to, if it is known: it may have fields that the type of the function has not.
    pub(super) receiver: Option<SymbolIdx>,
    pub(super) outer: Option<&'f CallFrame<'f>>,
}

impl TextValue {
    pub(super) fn of_parts(parts: Vec<TextPart>) -> TextValue {
        TextValue { alternatives: vec![parts] }
    }

    fn computed() -> TextValue {
        TextValue::of_parts(vec![TextPart::Computed])
    }

    pub(super) fn literal(text: &str) -> TextValue {
        TextValue::of_parts(literal_parts(text))
    }

    pub(super) fn variable(name: &str) -> TextValue {
        TextValue::of_parts(vec![TextPart::Variable(name.to_owned())])
    }

    /// Returns the text if it is a single literal.
    pub(super) fn as_literal(&self) -> Option<String> {
        let [parts] = self.alternatives.as_slice() else { return None };
        let text = parts.iter().map(|part| if let TextPart::Text(text) = part { Some(text.as_str()) } else { None });
        text.collect()
    }

    /// Returns true if nothing is known of the text.
    pub(super) fn is_computed(&self) -> bool {
        self.alternatives.iter().flatten().all(|part| matches!(part, TextPart::Computed))
    }

    /// Returns true if a caller of the function around it may know more.
    pub(super) fn has_parameter(&self) -> bool {
        self.alternatives.iter().flatten().any(|part| *part == TextPart::Parameter)
    }

    /// Returns true if the text has a query: `/items?q=` and all that follows.
    fn has_query(&self) -> bool {
        let is_query = |part: &TextPart| matches!(part, TextPart::Text(text) if text.contains('?'));
        self.alternatives.iter().all(|parts| parts.iter().any(is_query))
    }

    /// Returns this text followed by another.
    pub(super) fn followed_by(&self, other: &TextValue) -> TextValue {
        let pairs = self.alternatives.iter().flat_map(|left| other.alternatives.iter().map(move |right| (left, right)));
        let joined = pairs.map(|(left, right)| left.iter().chain(right).take(MAX_PARTS).cloned().collect());
        TextValue { alternatives: joined.take(MAX_ALTERNATIVES).collect() }
    }

    /// Returns a text that is either this or another; nothing is lost by an alternative of which nothing is known.
    fn or(self, other: TextValue) -> TextValue {
        match (self.is_computed(), other.is_computed()) {
            (true, _) => return other,
            (_, true) => return self,
            _ => {}
        }
        let mut alternatives = self.alternatives;
        for one in other.alternatives {
            if !alternatives.contains(&one) && alternatives.len() < MAX_ALTERNATIVES {
                alternatives.push(one);
            }
        }
        TextValue { alternatives }
    }

    /// Returns a text that is either this or nothing, which is the choice at a position.
    fn or_empty(mut self, position: usize) -> TextValue {
        if self.alternatives.len() < MAX_ALTERNATIVES && !self.alternatives.contains(&Vec::new()) {
            self.alternatives.insert(position.min(self.alternatives.len()), Vec::new());
        }
        self
    }

    fn any_of(values: impl IntoIterator<Item = TextValue>) -> TextValue {
        values.into_iter().reduce(TextValue::or).unwrap_or_else(TextValue::computed)
    }
}

impl<'p> ValueReader<'_, 'p> {
    /// Returns the text that an expression gives.
    pub(super) fn text(&mut self, file: FileIdx, expression: ExpressionId) -> TextValue {
        self.text_within(file, expression, None, 0)
    }

    /// Returns the text that an expression gives in a call of the function around it.
    pub(super) fn text_in_call(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        frame: Option<&CallFrame<'_>>,
    ) -> TextValue {
        self.text_within(file, expression, frame, 0)
    }

    fn text_within(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        if depth > MAX_DEPTH || !self.may_step() {
            return TextValue::computed();
        }
        if let Some(setting) = self.setting(file, expression, frame, depth) {
            return setting;
        }
        if let Some(field) = self.field_of_parameter(file, expression, frame, depth) {
            return field;
        }
        let code = self.code(file);
        let one = |reader: &mut Self, of: ExpressionId| reader.text_within(file, of, frame, depth + 1);
        match code.expression(expression) {
            Expression::Literal(model::code::Literal::Text(Some(text))) => {
                let holes: Vec<TextValue> = code.holes(expression).iter().map(|hole| one(self, *hole)).collect();
                self.literal_text(file, code.name(*text), &holes)
            }
            Expression::Name { .. }
            | Expression::Member { .. }
            | Expression::Path { .. }
            | Expression::Import { .. } => {
                if let Some(text) = self.appended(file, expression, frame, depth) {
                    return text;
                }
                let of_receiver = self.receiver_field(file, expression, frame);
                let sources = of_receiver.unwrap_or_else(|| self.sources(file, expression));
                if sources.is_empty() && self.program().language(file) == Language::Bash {
                    return self.shell_variable(file, expression);
                }
                // `Paths.ITEMS.value` of an enumeration.
                if let (true, Expression::Member { of, name }) = (sources.is_empty(), code.expression(expression))
                    && code.name(*name) == "value"
                {
                    return one(self, *of);
                }
                let value = self.text_of_sources(sources, frame, depth);
                if (value.is_computed() || value.has_parameter())
                    && let Some(setting) = self.config_object_setting(file, expression)
                {
                    return setting;
                }
                if value.is_computed() && self.is_field_of_parameter(file, expression) {
                    return TextValue::of_parts(vec![TextPart::Parameter]);
                }
                self.with_assigned_path(file, expression, value, frame, depth)
            }
            Expression::Operation { operator, left, right: Some(right) } => match code.name(*operator) {
                "+" | "." | "<>" | "++" | "&" => {
                    let left = one(self, *left);
                    left.followed_by(&one(self, *right))
                }
                "/" => {
                    let left = one(self, *left);
                    functions::with_slash(&left, &one(self, *right))
                }
                "%" => self.formatted(file, *left, &[*right], frame, depth),
                "??" | "||" | "?:" | "or" => TextValue::any_of([one(self, *left), one(self, *right)]),
                _ => TextValue::computed(),
            },
            Expression::Either(choices) => {
                let choices = &choices[..choices.len().min(MAX_ALTERNATIVES)];
                let known = TextValue::any_of(choices.iter().map(|choice| one(self, *choice)));
                let empty = choices.iter().position(|choice| self.literal(file, *choice) == Some(""));
                empty.map_or(known.clone(), |position| known.or_empty(position))
            }
            Expression::Call { .. } => self.text_of_call(file, expression, frame, depth),
            Expression::Make { arguments, .. } => match self.url_of_fields(file, arguments, frame, depth) {
                Some(url) => url,
                None => self.joined_url(file, arguments, frame, depth),
            },
            Expression::Awaited { of }
            | Expression::Tried { of }
            | Expression::Dereferenced { of }
            | Expression::Cast { of, .. }
            | Expression::Matched { of, .. }
            | Expression::Part { of, index: 0 } => one(self, *of),
            Expression::Element { of, index: Some(index) } => self.text_of_element(file, *of, *index, frame, depth),
            Expression::Tuple(parts) if parts.len() == 1 => one(self, parts[0]),
            _ => TextValue::computed(),
        }
    }

    /// Returns the variable that a script reads but does not set.
    fn shell_variable(&self, file: FileIdx, expression: ExpressionId) -> TextValue {
        match self.dotted(file, expression).filter(|name| is_variable_name(name)) {
            Some(name) => TextValue::variable(&name),
            None => TextValue::computed(),
        }
    }

    /// Returns the text of a literal whose `{}` stand for these values. A placeholder of a framework is a variable.
    fn literal_text(&self, file: FileIdx, text: &str, holes: &[TextValue]) -> TextValue {
        let has_placeholders = matches!(self.program().language(file), Language::Java | Language::Kotlin);
        if has_placeholders && text.contains("${") {
            return placeholders::value(text);
        }
        if holes.is_empty() {
            return TextValue::literal(text);
        }
        let mut pieces = text.split("{}");
        let first = TextValue::literal(pieces.next().unwrap_or_default());
        let computed = TextValue::computed();
        pieces.enumerate().fold(first, |value, (idx, piece)| {
            // The choices of a query tell no address and no path.
            let hole = holes.get(idx).filter(|_| !value.has_query()).unwrap_or(&computed);
            value.followed_by(hole).followed_by(&TextValue::literal(piece))
        })
    }

    fn text_of_sources(&mut self, sources: Vec<ValueSource>, frame: Option<&CallFrame<'_>>, depth: u32) -> TextValue {
        // An argument takes the place of the default.
        if let Some((file, argument, outer)) = frame.and_then(|frame| self.given_argument(&sources, frame)) {
            return self.text_within(file, argument, outer, depth + 1);
        }
        let values: Vec<TextValue> = sources
            .into_iter()
            .map(|source| match source {
                ValueSource::Expression(file, value) => self.text_within(file, value, frame, depth + 1),
                ValueSource::Variable(name) => {
                    let (name, default) = name.split_once(':').unwrap_or((name.as_str(), ""));
                    let variable = TextValue::variable(name);
                    if default.is_empty() { variable } else { variable.or(TextValue::literal(default)) }
                }
                ValueSource::Parameter(function, _) => match frame.and_then(|frame| self.frame_of(function, frame)) {
                    Some(_) => TextValue::computed(),
                    None => TextValue::of_parts(vec![TextPart::Parameter]),
                },
                ValueSource::Declared(..) => TextValue::computed(),
            })
            .collect();
        TextValue::any_of(values)
    }

    /// Returns the type of the object that a call runs a function of, if it is the own object: the type around the outermost such call.
    pub(super) fn receiver_of(
        &self,
        file: FileIdx,
        call: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<SymbolIdx> {
        let own = self.own_type(file, call)?;
        Some(frame.and_then(|frame| frame.receiver).unwrap_or(own))
    }

    /// Returns the sources of a field of the own object that the type of the receiver has: a trait and a base class use fields of the types
    /// that have them.
    fn receiver_field(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<Vec<ValueSource>> {
        let receiver = frame?.receiver?;
        let Expression::Member { of, name } = self.expression(file, expression) else { return None };
        let owner = self.own_object(file, *of).filter(|owner| *owner != receiver)?;
        let found = self.field_sources(file, receiver, *name, 0);
        (!found.is_empty() && owner != receiver).then_some(found)
    }

    /// Returns the innermost call of a function among a call and those around it. A call on another object ends the search: the calls around
    /// it give their arguments to other objects.
    fn frame_of<'f>(&self, function: CalledFunction, frame: &'f CallFrame<'f>) -> Option<&'f CallFrame<'f>> {
        let mut at = frame;
        loop {
            if at.function == function {
                return Some(at);
            }
            if at.receiver.is_none() && self.is_of_type(at.function) {
                return None;
            }
            at = at.outer?;
        }
    }

    /// Returns true for a method, and for a closure within a type.
    fn is_of_type(&self, function: CalledFunction) -> bool {
        match function {
            CalledFunction::Function(function) => {
                let program = self.program();
                program.parent(function).is_some_and(|parent| program.definition(parent).kind.is_type())
            }
            CalledFunction::Closure(file, closure) => match self.expression(file, closure) {
                Expression::Function { scope, .. } => self.type_around(file, *scope).is_some(),
                _ => false,
            },
        }
    }

    /// Returns the argument that a call gives for the parameter among the sources of a value: its file, and the call around it.
    fn given_argument<'f>(
        &self,
        sources: &[ValueSource],
        frame: &'f CallFrame<'f>,
    ) -> Option<(FileIdx, ExpressionId, Option<&'f CallFrame<'f>>)> {
        sources.iter().find_map(|source| match source {
            ValueSource::Parameter(function, position) => {
                let frame = self.frame_of(*function, frame)?;
                Some((frame.file, self.argument(frame, *position)?, frame.outer))
            }
            _ => None,
        })
    }

    /// Returns the argument that a call gives for a parameter.
    pub(super) fn argument_of<'f>(
        &mut self,
        file: FileIdx,
        parameter: ExpressionId,
        frame: &'f CallFrame<'f>,
    ) -> Option<(FileIdx, ExpressionId, Option<&'f CallFrame<'f>>)> {
        let is_name = matches!(self.expression(file, parameter), Expression::Name { .. });
        let sources = if is_name { self.sources(file, parameter) } else { Vec::new() };
        self.given_argument(&sources, frame)
    }

    /// Returns the argument of a call for a parameter of its function.
    pub(super) fn argument(&self, frame: &CallFrame<'_>, position: usize) -> Option<ExpressionId> {
        let home = self.home_of(frame.function);
        let parameter = self.parameters_of(frame.function).get(position)?;
        let wanted = self.code(home).name(parameter.name);
        let code = self.code(frame.file);
        let named = frame.arguments.iter().find_map(|argument| {
            let fields = super::values::keyword_arguments(code, *argument)?;
            fields.iter().find(|(name, _)| code.name(*name) == wanted).map(|(_, value)| *value)
        });
        let is_positional = |argument: &&ExpressionId| super::values::keyword_arguments(code, **argument).is_none();
        named.or_else(|| frame.arguments.iter().filter(is_positional).nth(position).copied())
    }

    pub(super) fn text_of_element(
        &mut self,
        file: FileIdx,
        of: ExpressionId,
        index: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        let Some((home, fields)) = self.object(file, of, 0) else { return TextValue::computed() };
        let key = match self.literal(file, index) {
            Some(key) => key.to_owned(),
            // The caller of the function may name the key: `URLS[service]`.
            None => {
                let text = self.text_within(file, index, frame, depth + 1);
                match text.as_literal() {
                    Some(key) => key,
                    None if text.has_parameter() => return TextValue::of_parts(vec![TextPart::Parameter]),
                    None => return TextValue::computed(),
                }
            }
        };
        let code = self.code(home);
        match fields.iter().find(|(name, _)| code.name(*name) == key) {
            Some((_, value)) => self.text_within(home, *value, frame, depth + 1),
            None => TextValue::computed(),
        }
    }
}

/// Returns the parts of a literal: `{id}` and `{}` are computed.
fn literal_parts(text: &str) -> Vec<TextPart> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let Some(end) = rest[start..].find('}').map(|len| start + len) else { break };
        let before = rest[..start].strip_suffix(['$', '#']).unwrap_or(&rest[..start]);
        if !before.is_empty() {
            parts.push(TextPart::Text(before.to_owned()));
        }
        parts.push(TextPart::Computed);
        rest = &rest[end + 1..];
    }
    if !rest.is_empty() {
        parts.push(TextPart::Text(rest.to_owned()));
    }
    parts.truncate(MAX_PARTS);
    parts
}
