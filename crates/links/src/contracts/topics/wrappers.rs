//! Functions of the repository that send to, or receive from, a topic that their callers name: `publish("orders.v1", order)`, and
//! objects that are made with it: `new OrderPublisher(config.ordersTopic)`.

use std::rc::Rc;

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    DocumentFormat, SymbolKind,
    code::{Expression, ExpressionId},
};
use rustc_hash::FxHashMap;

use super::{
    super::{
        deployment::words,
        enclosing::{enclosing_node, entries},
        text_value::CallFrame,
        values::{CalledFunction, ValueReader},
        visibility::is_test_or_example,
    },
    topic_values::{KnownTopic, occurrences, open_functions, topics},
};
use crate::contract::{ContractKind, ContractUse};

/// Confidence of a topic that a caller of a wrapper names.
const OF_WRAPPER: f32 = 0.7;

/// Maximum number of functions between the caller that names a topic and the message.
const MAX_WRAPPERS: u32 = 3;

/// Maximum number of calls of one function, or of one type, that may pass a topic on.
const MAX_CALLS_OF_WRAPPER: usize = 60;

/// Maximum number of open messages of one function, and of one file.
const MAX_OPEN_MESSAGES: usize = 64;

/// Maximum number of topics that the calls of one file name.
const MAX_USES: usize = 500;

/// Maximum number of arguments that are searched for a topic that is passed on.
const MAX_ARGUMENTS: usize = 6;

/// Words in the names of functions and types that send to or receive from a topic.
const WORDS: [&str; 36] = [
    "publish",
    "send",
    "emit",
    "produc",
    "enqueue",
    "dispatch",
    "push",
    "notify",
    "subscri",
    "consum",
    "listen",
    "receive",
    "handle",
    "invoke",
    "trigger",
    "raise",
    "broadcast",
    "fire",
    "event",
    "message",
    "queue",
    "command",
    "topic",
    "stream",
    "bus",
    "broker",
    "kafka",
    "rabbit",
    "nats",
    "channel",
    "worker",
    "writer",
    "reader",
    "outbox",
    "pubsub",
    "register",
];

/// Words in the names of values that are topics.
const TOPIC_WORDS: [&str; 7] = ["topic", "queue", "channel", "subject", "exchange", "stream", "routing"];

/// A message in the body of a function whose topic the callers of a function know.
struct OpenMessage {
    function: CalledFunction,
    broker: String,
    serves: bool,
    /// The exchange before the key, with a slash; empty if there is none, or none is known.
    exchange: String,
    target: OpenTarget,
}

/// The value that names the topic of a message.
enum OpenTarget {
    /// An expression.
    Value(FileIdx, ExpressionId),
    /// That of a message of another function, which a call with these arguments passes it to.
    Call(FileIdx, Box<[ExpressionId]>, Rc<OpenMessage>),
}

/// A call of a function of the repository, or a construction of one of its types.
struct WrapperCall {
    function: CalledFunction,
    arguments: Box<[ExpressionId]>,
}

/// Reads the messages of the wrappers that one file calls.
struct WrapperReader<'r, 'c, 'p> {
    values: &'r mut ValueReader<'c, 'p>,
    /// By file: the messages in it that name an open topic.
    written: FxHashMap<FileIdx, Rc<Vec<Rc<OpenMessage>>>>,
    /// By function, and by the number of functions before it: its open messages. Fewer functions may follow the more precede.
    open: FxHashMap<(CalledFunction, u32), Rc<Vec<Rc<OpenMessage>>>>,
}

/// Returns the topics that the calls of a file name for functions of the repository.
pub(in crate::contracts) fn uses(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractUse> {
    let program = values.program();
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let code = values.code(file);
    let mut reader = WrapperReader { values, written: FxHashMap::default(), open: FxHashMap::default() };
    let mut found: Vec<ContractUse> = Vec::new();
    for site in &code.sites {
        if found.len() >= MAX_USES {
            break;
        }
        let Some(call) = reader.wrapper_call(file, site.expression) else { continue };
        let frame =
            CallFrame { function: call.function, file, arguments: &call.arguments, receiver: None, outer: None };
        for message in reader.open_messages(call.function, 0).iter() {
            for topic in reader.topics_of(message, &frame) {
                let used = ContractUse {
                    kind: ContractKind::Topic,
                    key: format!("{}:{}{}", message.broker, message.exchange, topic.text),
                    member: topic.default,
                    node: enclosing_node(program, file, site.line),
                    line: site.line,
                    confidence: OF_WRAPPER,
                    n_sites: 1,
                    serves: message.serves,
                };
                if !found.contains(&used) {
                    found.push(used);
                }
            }
        }
    }
    found
}

impl WrapperReader<'_, '_, '_> {
    /// Returns a call that may be one of a wrapper.
    fn wrapper_call(&mut self, file: FileIdx, expression: ExpressionId) -> Option<WrapperCall> {
        if let Expression::Make { made, .. } = self.values.expression(file, expression) {
            let (_, name) = self.values.written_name(file, *made)?;
            if !may_wrap(self.values.code(file).name(name)) && !self.has_named_argument(file, expression) {
                return None;
            }
        } else {
            let call = self.values.call(file, expression)?;
            if call.arguments.is_empty() || !may_wrap(call.name) && !self.has_named_argument(file, expression) {
                return None;
            }
            if let Some(function) = self.values.callee_of(file, &call) {
                return Some(WrapperCall { function, arguments: call.arguments.into() });
            }
        }
        let made = self.values.construction(file, expression)?;
        let function = CalledFunction::Function(made.constructor);
        Some(WrapperCall { function, arguments: made.arguments.into() })
    }

    /// Returns true if a call gives an argument, or a field of an object, the name of a topic: `routes(app, { logChannel })`.
    fn has_named_argument(&self, file: FileIdx, call: ExpressionId) -> bool {
        let code = self.values.code(file);
        let (Expression::Call { arguments, .. } | Expression::Make { arguments, .. }) = code.expression(call) else {
            return false;
        };
        arguments.iter().take(MAX_ARGUMENTS).any(|argument| match code.expression(*argument) {
            Expression::Name { name, .. } | Expression::Member { name, .. } => is_of_topic(code.name(*name)),
            Expression::Object(fields) => fields.iter().any(|(name, _)| is_of_topic(code.name(*name))),
            Expression::Dereferenced { of } => match code.expression(*of) {
                Expression::Object(fields) => fields.iter().any(|(name, _)| is_of_topic(code.name(*name))),
                _ => false,
            },
            _ => false,
        })
    }

    fn topics_of(&mut self, message: &OpenMessage, frame: &CallFrame<'_>) -> Vec<KnownTopic> {
        match &message.target {
            OpenTarget::Value(home, value) => topics(self.values, *home, *value, Some(frame)),
            OpenTarget::Call(home, arguments, inner) => {
                let passed =
                    CallFrame { function: inner.function, file: *home, arguments, receiver: None, outer: Some(frame) };
                self.topics_of(inner, &passed)
            }
        }
    }

    /// Returns the messages whose topic the callers of a function know: in its body, in the bodies of the functions that it passes the
    /// topic to, and, of a constructor, in the methods of its type.
    fn open_messages(&mut self, function: CalledFunction, depth: u32) -> Rc<Vec<Rc<OpenMessage>>> {
        if let Some(known) = self.open.get(&(function, depth)) {
            return Rc::clone(known);
        }
        // A function that calls itself is no wrapper of itself.
        self.open.insert((function, depth), Rc::default());
        if self.values.parameters_of(function).is_empty() {
            return Rc::default();
        }
        let home = self.values.home_of(function);
        self.values.cx.consult(home);
        let own = self.written_messages(home);
        let mut found: Vec<Rc<OpenMessage>> = own.iter().filter(|one| one.function == function).cloned().collect();
        if found.is_empty() && depth < MAX_WRAPPERS {
            found = self.passed_on(function, home, depth);
        }
        let found = Rc::new(found);
        self.open.insert((function, depth), Rc::clone(&found));
        found
    }

    /// Returns the open messages of the functions that a function gives its parameters to.
    fn passed_on(&mut self, function: CalledFunction, home: FileIdx, depth: u32) -> Vec<Rc<OpenMessage>> {
        let mut found = Vec::new();
        for call in self.calls_of(function, home) {
            if found.len() >= MAX_OPEN_MESSAGES {
                break;
            }
            let Some(passed) = self.wrapper_call(home, call).filter(|passed| passed.function != function) else {
                continue;
            };
            let messages = self.open_messages(passed.function, depth + 1);
            if messages.is_empty() {
                continue;
            }
            let arguments = passed.arguments.iter().take(MAX_ARGUMENTS);
            let is_open =
                arguments.into_iter().any(|argument| open_functions(self.values, home, *argument).contains(&function));
            if !is_open {
                continue;
            }
            let n_free = MAX_OPEN_MESSAGES - found.len();
            found.extend(messages.iter().take(n_free).map(|inner| {
                Rc::new(OpenMessage {
                    function,
                    broker: inner.broker.clone(),
                    serves: inner.serves,
                    exchange: inner.exchange.clone(),
                    target: OpenTarget::Call(home, passed.arguments.clone(), Rc::clone(inner)),
                })
            }));
        }
        found
    }

    /// Returns the calls in the body of a function; of a constructor, those of all functions of its file.
    fn calls_of(&self, function: CalledFunction, home: FileIdx) -> Vec<ExpressionId> {
        let (program, code) = (self.values.program(), self.values.code(home));
        let scope_of_closure = match function {
            CalledFunction::Closure(_, expression) => match code.expression(expression) {
                Expression::Function { scope, .. } => Some(*scope),
                _ => None,
            },
            CalledFunction::Function(_) => None,
        };
        let sites = code.sites.iter().filter(|site| match (function, scope_of_closure) {
            (CalledFunction::Function(symbol), _) => {
                is_constructor(self.values, symbol)
                    || code.definition_around(site.scope) == Some(program.definition_id(symbol))
            }
            (_, Some(scope)) => code.is_within(site.scope, scope),
            _ => false,
        });
        sites.take(MAX_CALLS_OF_WRAPPER).map(|site| site.expression).collect()
    }

    /// Returns the messages of a file whose topic is open.
    fn written_messages(&mut self, file: FileIdx) -> Rc<Vec<Rc<OpenMessage>>> {
        if let Some(known) = self.written.get(&file) {
            return Rc::clone(known);
        }
        let program = self.values.program();
        let mut found = Vec::new();
        for entry in entries(program, file, DocumentFormat::Messages) {
            let Some((broker, direction)) = entry.key.split_once(' ').filter(|(_, direction)| *direction != "bind")
            else {
                continue;
            };
            if found.len() >= MAX_OPEN_MESSAGES {
                break;
            }
            let node = enclosing_node(program, file, entry.line);
            let (exchange, key) = match entry.value.rsplit_once("/{name:") {
                Some((exchange, _)) => (exchange, &entry.value[exchange.len() + 1..]),
                None => ("", entry.value.as_str()),
            };
            let name = key.strip_prefix("{name:").and_then(|rest| rest.strip_suffix('}'));
            let Some(name) = name.filter(|name| !name.contains('}')) else { continue };
            let exchange = self.exchange(file, node, exchange);
            for value in occurrences(self.values, file, node, name) {
                let functions = open_functions(self.values, file, value);
                let is_found = !functions.is_empty();
                found.extend(functions.into_iter().map(|function| {
                    Rc::new(OpenMessage {
                        function,
                        broker: broker.to_owned(),
                        serves: direction == "consume",
                        exchange: exchange.clone(),
                        target: OpenTarget::Value(file, value),
                    })
                }));
                if is_found {
                    break;
                }
            }
        }
        let found = Rc::new(found);
        self.written.insert(file, Rc::clone(&found));
        found
    }

    /// Returns the exchange of a message with a slash; nothing for one that only the callers know.
    fn exchange(&mut self, file: FileIdx, node: Node, written: &str) -> String {
        let known = match written.strip_prefix("{name:").and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => {
                let mut values = occurrences(self.values, file, node, name).into_iter();
                let known = values.find_map(|value| topics(self.values, file, value, None).into_iter().next());
                known.map(|topic| topic.text).unwrap_or_default()
            }
            None if written.contains('{') => String::new(),
            None => written.to_owned(),
        };
        if known.is_empty() { known } else { known + "/" }
    }
}

/// Returns true for a function that makes an object of a type.
fn is_constructor(values: &ValueReader<'_, '_>, function: SymbolIdx) -> bool {
    let definition = values.program().definition(function);
    let name = definition.name.trim_start_matches('_');
    definition.kind == SymbolKind::Constructor
        || definition.kind.is_type()
        || matches!(name, "init__" | "constructor" | "initialize" | "construct")
        || name.starts_with("New")
        || name == "new"
}

/// Returns true for the name of a value that may be a topic: `logChannel`, `ORDERS_QUEUE`.
fn is_of_topic(name: &str) -> bool {
    let words = words(name);
    words.last().is_some_and(|word| TOPIC_WORDS.contains(&word.strip_suffix('s').unwrap_or(word)))
        || words.len() > 1 && words.iter().any(|word| TOPIC_WORDS.contains(&word.as_str()))
}

fn may_wrap(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "on" || WORDS.iter().any(|word| name.contains(word))
}
