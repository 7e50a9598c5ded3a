//! The value of a topic that a message names: a constant, a setting, a field, a parameter of the function around it.

use graph::{FileIdx, Node, Program, SymbolIdx};
use model::{
    SymbolKind,
    code::{Code, Expression, ExpressionId, NameId, ScopeId, TypeExpression, TypeId},
};

use super::super::{
    text_value::{CallFrame, TextPart, TextValue},
    values::{CalledFunction, ValueReader, ValueSource},
};

/// Maximum number of expressions with the name of a topic in one function.
const MAX_OCCURRENCES: usize = 8;

/// Maximum number of steps from a name to the parameters behind it.
const MAX_STEPS: u32 = 6;

/// Maximum number of topics of one list.
const MAX_ITEMS: usize = 8;

/// Fields of a record with its topic.
const FIELDS: [&str; 5] = ["topic", "queue", "subject", "channel", "routingKey"];

/// Functions that declare a queue, whose result has its name.
const DECLARATIONS: [&str; 6] =
    ["QueueDeclare", "QueueDeclareAsync", "queueDeclare", "queue_declare", "assertQueue", "declare_queue"];

/// Members of such a result with the name of the queue.
const NAMES_OF_QUEUES: [&str; 4] = ["Name", "name", "queue", "QueueName"];

/// Functions of a list whose result has the same items, or some of them.
const SAME_ITEMS: [&str; 4] = ["filter", "slice", "sort", "concat"];

/// A topic: its text with `{env:NAME}` for a variable, and the value that the variable has without a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownTopic {
    pub(super) text: String,
    pub(super) default: String,
}

impl KnownTopic {
    pub(super) fn literal(text: &str) -> KnownTopic {
        KnownTopic { text: text.to_owned(), default: String::new() }
    }
}

/// Returns the expressions with a name in the function around a message: a variable, a member of any object, a member of the object that
/// the name is qualified with.
pub(super) fn occurrences(values: &ValueReader<'_, '_>, file: FileIdx, node: Node, whole: &str) -> Vec<ExpressionId> {
    let (program, code) = (values.program(), values.code(file));
    let (qualifier, name) = whole.rsplit_once('.').unwrap_or(("", whole));
    let Some(name) = code.names.iter().position(|one| *one == name).map(|position| NameId(position as u32)) else {
        return Vec::new();
    };
    let around = match node {
        Node::Symbol(symbol) => callable(program, Some(symbol)),
        Node::File(_) => None,
    };
    let of_scope = |scope: ScopeId| {
        let definition = code.definition_around(scope);
        callable(program, definition.map(|definition| program.symbol(file, definition)))
    };
    let named = (0u32..).zip(&code.expressions).filter_map(|(index, expression)| {
        let of = match expression {
            Expression::Name { name: written, .. } if *written == name => None,
            Expression::Member { of, name: written } | Expression::Path { of, name: written } if *written == name => {
                Some(*of)
            }
            _ => return None,
        };
        let is_qualified = qualifier.is_empty()
            || of.and_then(|of| values.dotted(file, of)).is_some_and(|of| of.rsplit('.').next() == Some(qualifier));
        let scope = root_scope(code, ExpressionId(index))?;
        // The constant of a type is the same in all functions.
        let is_here = !qualifier.is_empty() || of_scope(scope) == around;
        (is_qualified && is_here).then_some(ExpressionId(index))
    });
    named.take(MAX_OCCURRENCES).collect()
}

/// Returns the function or method that a definition is, or that contains it.
fn callable(program: &Program<'_>, symbol: Option<SymbolIdx>) -> Option<SymbolIdx> {
    let mut at = symbol;
    for _ in 0..16 {
        let symbol = at?;
        if matches!(
            program.definition(symbol).kind,
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor
        ) {
            return Some(symbol);
        }
        at = program.parent(symbol);
    }
    None
}

/// Returns the scope of the name that a chain of members begins with.
fn root_scope(code: &Code, expression: ExpressionId) -> Option<ScopeId> {
    let mut at = expression;
    for _ in 0..8 {
        match code.expression(at) {
            Expression::Name { scope, .. } | Expression::This { scope } => return Some(*scope),
            Expression::Member { of, .. } | Expression::Path { of, .. } => at = *of,
            _ => return None,
        }
    }
    None
}

/// Returns the functions whose callers know a value: those of its parameters, and of the fields that parameters are stored in.
pub(super) fn open_functions(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    expression: ExpressionId,
) -> Vec<CalledFunction> {
    let mut found = Vec::new();
    find_open(values, file, expression, 0, &mut found);
    found
}

fn find_open(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    expression: ExpressionId,
    depth: u32,
    found: &mut Vec<CalledFunction>,
) {
    if depth > MAX_STEPS || !values.may_step() {
        return;
    }
    let n_before = found.len();
    match values.expression(file, expression) {
        Expression::Name { .. } | Expression::Member { .. } | Expression::Path { .. } => {
            for source in values.sources(file, expression) {
                match source {
                    ValueSource::Parameter(function, _) if !found.contains(&function) => found.push(function),
                    ValueSource::Expression(home, value) => find_open(values, home, value, depth + 1, found),
                    _ => {}
                }
            }
            // A field of a parameter: `options.topic`.
            if let (Expression::Member { of, .. }, true) =
                (values.expression(file, expression), found.len() == n_before)
            {
                find_open(values, file, *of, depth + 1, found);
            }
        }
        Expression::Operation { left, right, .. } => {
            find_open(values, file, *left, depth + 1, found);
            if let Some(right) = right {
                find_open(values, file, *right, depth + 1, found);
            }
        }
        Expression::Object(fields) => {
            fields.iter().take(MAX_ITEMS).for_each(|(_, value)| find_open(values, file, *value, depth + 1, found));
        }
        Expression::Either(parts) => {
            parts.iter().take(MAX_ITEMS).for_each(|part| find_open(values, file, *part, depth + 1, found));
        }
        Expression::Awaited { of }
        | Expression::Tried { of }
        | Expression::Dereferenced { of }
        | Expression::Cast { of, .. }
        | Expression::Item { of } => find_open(values, file, *of, depth + 1, found),
        _ => {}
    }
}

/// Returns the topics that a value is, in a call of the function around it: those of its text, or of each item of a list.
pub(super) fn topics(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    expression: ExpressionId,
    frame: Option<&CallFrame<'_>>,
) -> Vec<KnownTopic> {
    topics_within(values, file, expression, frame, 0)
}

fn topics_within(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    expression: ExpressionId,
    frame: Option<&CallFrame<'_>>,
    depth: u32,
) -> Vec<KnownTopic> {
    if depth > MAX_STEPS {
        return Vec::new();
    }
    let items = match values.expression(file, expression) {
        Expression::List(items) | Expression::Tuple(items) => Some(items),
        Expression::Make { made, arguments } if arguments.len() != 1 && is_list(values, file, *made) => Some(arguments),
        _ => None,
    };
    if let Some(items) = items {
        let items = items.iter().take(MAX_ITEMS);
        return items.flat_map(|item| topics_within(values, file, *item, frame, depth + 1)).collect();
    }
    match values.expression(file, expression) {
        // A record has its topic in a field: `producer.send([{ topic: ORDERS }])`.
        Expression::Object(fields) => {
            let code = values.code(file);
            let field = fields.iter().find(|(name, _)| FIELDS.contains(&code.name(*name)));
            return match field {
                Some((_, value)) => topics_within(values, file, *value, frame, depth + 1),
                None => Vec::new(),
            };
        }
        Expression::Call { .. } => {
            let call = values.call(file, expression).filter(|call| SAME_ITEMS.contains(&call.name));
            if let Some(list) = call.and_then(|call| call.object) {
                return topics_within(values, file, list, frame, depth + 1);
            }
        }
        _ => {}
    }
    if let Some(queue) = declared_queue(values, file, expression, frame, 0) {
        return known(&queue);
    }
    let known = known(&values.text_in_call(file, expression, frame));
    if !known.is_empty() || !matches!(values.expression(file, expression), Expression::Name { .. }) {
        return known;
    }
    // A name may mean a list.
    let sources = values.sources(file, expression);
    let of_source = sources.into_iter().map(|source| match (source, frame) {
        (ValueSource::Parameter(function, position), Some(frame)) if frame.function == function => {
            match values.argument(frame, position) {
                Some(argument) => topics_within(values, frame.file, argument, frame.outer, depth + 1),
                None => Vec::new(),
            }
        }
        (ValueSource::Expression(home, value), _) => topics_within(values, home, value, frame, depth + 1),
        _ => Vec::new(),
    });
    of_source.into_iter().find(|topics| !topics.is_empty()).unwrap_or_default()
}

/// Returns the name with which a queue is declared, if an expression is the name of the result: `q.Name` of `q, err := ch.QueueDeclare("orders")`.
fn declared_queue(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    expression: ExpressionId,
    frame: Option<&CallFrame<'_>>,
    depth: u32,
) -> Option<TextValue> {
    let Expression::Member { of, name } = values.expression(file, expression) else { return None };
    if !NAMES_OF_QUEUES.contains(&values.code(file).name(*name)) {
        return None;
    }
    // The result of pika has the name in its method.
    let declared = match values.expression(file, *of) {
        Expression::Member { of, name } if values.code(file).name(*name) == "method" => *of,
        _ => *of,
    };
    name_of_declaration(values, file, declared, frame, depth)
}

/// Returns the name that a declaration of a queue has, or the function that declares it.
fn name_of_declaration(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    declared: ExpressionId,
    frame: Option<&CallFrame<'_>>,
    depth: u32,
) -> Option<TextValue> {
    if depth > MAX_STEPS || !values.may_step() {
        return None;
    }
    match values.expression(file, declared) {
        Expression::Call { .. } => {
            let call = values.call(file, declared)?;
            if DECLARATIONS.contains(&call.name) {
                let queue = call.named(&["queue"]).or_else(|| call.at(0))?;
                let text = values.text_in_call(file, queue, frame);
                return (!known(&text).is_empty()).then_some(text);
            }
            let function = values.callee_of(file, &call)?;
            let CalledFunction::Function(symbol) = function else { return None };
            let home = values.home_of(function);
            values.cx.consult(home);
            let inner = CallFrame { function, file, arguments: call.arguments, receiver: None, outer: frame };
            let results = values.program().shape(symbol).values.iter().take(MAX_ITEMS);
            let names = results.map(|result| name_of_declaration(values, home, *result, Some(&inner), depth + 1));
            agreed(names.flatten())
        }
        Expression::Name { .. } => {
            let sources = values.sources(file, declared);
            let names = sources.into_iter().filter_map(|source| match source {
                ValueSource::Expression(home, value) if home == file => {
                    name_of_declaration(values, home, value, frame, depth + 1)
                }
                _ => None,
            });
            agreed(names)
        }
        Expression::Awaited { of }
        | Expression::Tried { of }
        | Expression::Cast { of, .. }
        | Expression::Part { of, index: 0 } => name_of_declaration(values, file, *of, frame, depth + 1),
        _ => None,
    }
}

/// Returns the name on which all declarations agree, and a text without alternatives if they do not.
fn agreed(mut names: impl Iterator<Item = TextValue>) -> Option<TextValue> {
    let first = names.next()?;
    Some(if names.all(|name| name == first) { first } else { TextValue::default() })
}

/// Returns true for the type of a list or a set. Other types have arguments that are no topics.
fn is_list(values: &ValueReader<'_, '_>, file: FileIdx, made: TypeId) -> bool {
    match values.written_name(file, made) {
        Some((_, name)) => {
            let name = values.code(file).name(name);
            ["List", "Set", "Array"].iter().any(|end| name.ends_with(end))
        }
        None => matches!(values.code(file).written(made), TypeExpression::List(_)),
    }
}

/// Returns the topics that the alternatives of a text are, without those that have an unknown part. A text behind a variable is its
/// default.
fn known(text: &TextValue) -> Vec<KnownTopic> {
    let mut found: Vec<KnownTopic> = Vec::new();
    for parts in &text.alternatives {
        let Some(written) = written(parts).filter(|written| is_topic(written)) else { continue };
        match found.last_mut() {
            Some(last) if last.text.contains("{env:") && last.default.is_empty() && !written.contains("{env:") => {
                last.default = written;
            }
            _ => found.push(KnownTopic { text: written, default: String::new() }),
        }
    }
    found
}

/// Returns a text with `{env:NAME}` for its variable; `None` if a part is unknown, or if it has two variables.
fn written(parts: &[TextPart]) -> Option<String> {
    let mut text = String::new();
    for part in parts {
        match part {
            TextPart::Text(part) => text.push_str(part),
            TextPart::Variable(name) if !text.contains("{env:") => text.push_str(&format!("{{env:{name}}}")),
            _ => return None,
        }
    }
    Some(text)
}

/// Returns true for a text that may name a topic.
fn is_topic(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '/' | '*' | '#' | '>');
    let (before, rest) = text.split_once("{env:").unwrap_or((text, ""));
    let (variable, after) = rest.split_once('}').unwrap_or((rest, ""));
    let length = before.len() + variable.len() + after.len();
    let has_letter = [before, variable, after].iter().any(|part| part.contains(|c: char| c.is_ascii_alphabetic()));
    let is_plain = [before, variable, after].iter().all(|part| part.chars().all(is_of_name));
    (3..=200).contains(&length) && has_letter && is_plain && !text.contains("://")
}
