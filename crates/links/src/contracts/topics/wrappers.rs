//! Functions of the repository that send to, or receive from, a topic that their callers name: `publish("orders.v1", order)`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    DocumentFormat,
    code::{Expression, ExpressionId},
};

use super::super::{
    enclosing::{enclosing_node, entries},
    text_value::{TextPart, TextValue},
    values::{CallShape, CalledFunction, ValueReader},
    visibility::is_test_or_example,
};
use crate::contract::{ContractKind, ContractUse};

/// Confidence of a topic that a caller of a wrapper names.
const OF_WRAPPER: f32 = 0.7;

/// Maximum number of topics of one list.
const MAX_ITEMS: usize = 8;

/// Words in the names of functions that send to or receive from a topic.
const VERBS: [&str; 23] = [
    "publish",
    "send",
    "emit",
    "produce",
    "enqueue",
    "dispatch",
    "push",
    "notify",
    "subscribe",
    "consume",
    "listen",
    "receive",
    "handle",
    "on",
    "invoke",
    "trigger",
    "raise",
    "broadcast",
    "fire",
    "event",
    "message",
    "queue",
    "command",
];

/// A message whose topic is a parameter of the function around it.
struct WrappedTopic {
    broker: String,
    serves: bool,
    /// The exchange before the key that the parameter is, with a slash; empty if there is none.
    exchange: String,
    /// The position of the parameter.
    position: usize,
    parameter: String,
}

/// Returns the topics that the calls of a file name for functions of the repository.
pub(in crate::contracts) fn uses(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractUse> {
    let program = values.program();
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let code = values.code(file);
    let mut found = Vec::new();
    for site in &code.sites {
        let Some(call) = values.call(file, site.expression).filter(may_wrap) else { continue };
        let Some(CalledFunction::Function(function)) = values.callee_of(file, &call) else { continue };
        for wrapped in wrapped_topics(values, function) {
            let by_name = call.named(&[wrapped.parameter.as_str()]);
            let Some(argument) = by_name.or_else(|| call.at(wrapped.position)) else { continue };
            let named = topics_of(values, file, argument).into_iter().filter(|topic| is_topic(topic));
            found.extend(named.map(|topic| ContractUse {
                kind: ContractKind::Topic,
                key: format!("{}:{}{topic}", wrapped.broker, wrapped.exchange),
                member: String::new(),
                node: enclosing_node(program, file, site.line),
                line: site.line,
                confidence: OF_WRAPPER,
                n_sites: 1,
                serves: wrapped.serves,
            }));
        }
    }
    found
}

/// Returns the topics of an argument: a text, or a list of texts.
fn topics_of(values: &mut ValueReader<'_, '_>, file: FileIdx, argument: ExpressionId) -> Vec<String> {
    let items: Vec<ExpressionId> = match values.expression(file, argument) {
        Expression::Tuple(items) => items.iter().take(MAX_ITEMS).copied().collect(),
        Expression::Make { arguments, .. } if arguments.len() != 1 => {
            arguments.iter().take(MAX_ITEMS).copied().collect()
        }
        _ => vec![argument],
    };
    items.into_iter().filter_map(|item| topic_of(&values.text(file, item))).collect()
}

/// Returns a text, or the variable that it is the value of.
fn topic_of(text: &TextValue) -> Option<String> {
    text.as_literal().or_else(|| match text.alternatives.as_slice() {
        [parts] => match parts.as_slice() {
            [TextPart::Variable(name)] => Some(format!("{{env:{name}}}")),
            _ => None,
        },
        _ => None,
    })
}

fn may_wrap(call: &CallShape<'_>) -> bool {
    let name = call.name.to_ascii_lowercase();
    !call.arguments.is_empty() && VERBS.iter().any(|verb| name.contains(verb))
}

/// Returns the messages in the body of a function whose topic is one of its parameters.
fn wrapped_topics(values: &mut ValueReader<'_, '_>, function: SymbolIdx) -> Vec<WrappedTopic> {
    let program = values.program();
    let home = program.file_of(function);
    values.cx.consult(home);
    let parameters = &program.shape(function).parameters;
    let messages = entries(program, home, DocumentFormat::Messages);
    let wrapped = messages.filter_map(|entry| {
        let (exchange, key) = match entry.value.rsplit_once("/{name:") {
            Some((exchange, _)) if exchange.contains('{') => ("", &entry.value[exchange.len() + 1..]),
            Some((exchange, _)) => entry.value.split_at(exchange.len() + 1),
            None => ("", entry.value.as_str()),
        };
        let parameter = key.strip_prefix("{name:")?.strip_suffix('}')?;
        let position = parameters.iter().position(|one| values.code(home).name(one.name) == parameter)?;
        let (broker, direction) = entry.key.split_once(' ').filter(|(_, direction)| *direction != "bind")?;
        let is_own = enclosing_node(program, home, entry.line) == Node::Symbol(function);
        is_own.then(|| WrappedTopic {
            broker: broker.to_owned(),
            serves: direction == "consume",
            exchange: exchange.to_owned(),
            position,
            parameter: parameter.to_owned(),
        })
    });
    wrapped.collect()
}

/// Returns true for a text that may name a topic.
fn is_topic(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '/');
    // The setting says whether its value is one.
    let text = text.strip_prefix("{env:").and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    text.len() > 2 && text.chars().all(is_of_name) && !text.contains("://")
}
