//! Topics, queues and subjects that code publishes to and consumes from, and background jobs.

mod base_types;
mod constants;
#[cfg(test)]
mod tests;
mod topic_values;
mod wrappers;

use graph::{FileIdx, Inference, Node, Program};
use model::{
    DocumentEntry, DocumentFormat, SymbolKind,
    code::{Expression, Literal},
};

use super::{
    deployment::is_of_broker,
    enclosing::{enclosing_node, entries},
    values::ValueReader,
    visibility::is_test_or_example,
};
use crate::contract::{ContractKind, ContractOffer, ContractUse};
use topic_values::{KnownTopic, occurrences, open_functions};

pub(crate) use constants::constant_name;

/// Maximum number of definitions of a constant's name that are looked at.
const MAX_CONSTANTS: usize = 50;

/// The routing key of a message of which only the exchange is known.
const UNKNOWN_KEY: &str = "?";

/// The beginning of the key of a topic whose broker a library hides.
const ANY_BROKER: &str = "any:";

/// Confidence of a topic with an unknown routing key.
const OF_UNKNOWN_KEY: f32 = 0.4;

/// Returns false for a topic of which only the exchange is known: `shop/?`.
pub(crate) fn has_known_key(topic: &str) -> bool {
    exchange_of_unknown_key(topic).is_none()
}

/// Returns the exchange of a topic of which nothing more is known.
pub(crate) fn exchange_of_unknown_key(topic: &str) -> Option<&str> {
    topic.strip_suffix(UNKNOWN_KEY)?.strip_suffix('/')
}

/// Returns the topics that a file uses. The key is `BROKER:TOPIC`, or `BROKER:{env:NAME}` with the default as the member.
pub(super) fn uses(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractUse> {
    let program = values.program();
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let mut found = wrappers::uses(values, file);
    let wrapped: Vec<ContractUse> = found.iter().filter(|used| !used.key.starts_with(ANY_BROKER)).cloned().collect();
    found.extend(base_types::uses(values, file));
    let used = entries(program, file, DocumentFormat::Messages).filter(|entry| !entry.key.ends_with(" bind"));
    for entry in used {
        let uses = topic_uses(values, file, entry).into_iter();
        found.extend(uses.filter(|used| !wrapped.iter().any(|known| tells_broker_of(known, used))));
    }
    found
}

/// Returns true if the use of a wrapper tells the broker of the same call, of which the notation tells none.
fn tells_broker_of(known: &ContractUse, used: &ContractUse) -> bool {
    let Some(topic) = used.key.strip_prefix(ANY_BROKER) else { return false };
    let name = known.key.split_once(':').map_or("", |(_, name)| name);
    let before = name.strip_suffix(topic);
    let is_same = before.is_some_and(|exchange| exchange.is_empty() || exchange.ends_with('/'));
    is_same && known.line == used.line && known.serves == used.serves
}

/// Returns what a file offers to those who send and receive: the queues and subscriptions that it binds, and the constants that name
/// topics. The key of a queue is `BROKER:QUEUE`, its member the topic that its messages come from.
pub(super) fn offers(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractOffer> {
    let program = values.program();
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let mut found = constants::offers(values, file);
    for entry in entries(program, file, DocumentFormat::Messages) {
        let Some(broker) = entry.key.strip_suffix(" bind") else { continue };
        let Some((to, from)) = entry.value.split_once('=') else { continue };
        let node = enclosing_node(program, file, entry.line);
        let to = topic_names(values, file, node, to).into_iter().next();
        let Some((to, from)) = to.zip(written_topics(values, file, node, from).into_iter().next()) else { continue };
        found.push(ContractOffer {
            kind: ContractKind::Topic,
            key: format!("{broker}:{}", to.text),
            member: format!("{broker}:{}", from.text),
            node,
            line: entry.line,
        });
    }
    found
}

fn topic_uses(values: &mut ValueReader<'_, '_>, file: FileIdx, entry: &DocumentEntry) -> Vec<ContractUse> {
    let Some((broker, direction)) = entry.key.split_once(' ') else { return Vec::new() };
    let (topic, default) = entry.value.split_once('|').unwrap_or((&entry.value, ""));
    let node = enclosing_node(values.program(), file, entry.line);
    let mut known = written_topics(values, file, node, topic);
    if !default.is_empty() {
        let default = topic_names(values, file, node, default).into_iter().next();
        let default = default.map(|default| default.text).unwrap_or_default();
        known.iter_mut().for_each(|one| one.default.clone_from(&default));
    }
    let used = known.into_iter().map(|known| ContractUse {
        kind: ContractKind::Topic,
        confidence: if has_known_key(&known.text) { 0.9 } else { OF_UNKNOWN_KEY },
        key: format!("{broker}:{}", known.text),
        member: known.default,
        node,
        line: entry.line,
        n_sites: 1,
        serves: direction == "consume",
    });
    used.collect()
}

/// Returns the topics of a message as it is written: `orders`, `{name:Topics.ORDERS}`, `shop/{name:key}`, `{name:EXCHANGE}/orders`.
fn written_topics(values: &mut ValueReader<'_, '_>, file: FileIdx, node: Node, topic: &str) -> Vec<KnownTopic> {
    let (exchange, key) = match topic.split_once("}/").filter(|_| topic.starts_with("{name:")) {
        Some((exchange, key)) => (format!("{exchange}}}"), key),
        None => match topic.split_once("/{name:") {
            Some((exchange, _)) => (exchange.to_owned(), &topic[exchange.len() + 1..]),
            None => return topic_names(values, file, node, topic),
        },
    };
    let is_named = exchange.starts_with("{name:");
    let exchange =
        if is_named { topic_names(values, file, node, &exchange) } else { vec![KnownTopic::literal(&exchange)] };
    let keys =
        if key.contains("{name:") { topic_names(values, file, node, key) } else { vec![KnownTopic::literal(key)] };
    let Some(exchange) = exchange.into_iter().next() else {
        // Any exchange may have the key.
        return if is_named { keys } else { Vec::new() };
    };
    if keys.is_empty() {
        // Without a known key, any queue of the exchange may get the message.
        return vec![KnownTopic::literal(&format!("{}/{UNKNOWN_KEY}", exchange.text))];
    }
    keys.iter().map(|key| KnownTopic::literal(&format!("{}/{}", exchange.text, key.text))).collect()
}

/// Returns the topics that a written one is: the values of the name of a constant, a field, a setting or a task, or the text itself.
fn topic_names(values: &mut ValueReader<'_, '_>, file: FileIdx, node: Node, topic: &str) -> Vec<KnownTopic> {
    if let Some(task) = topic.strip_prefix("{task:") {
        let module = python_module(values.program().path(file));
        return vec![KnownTopic::literal(&format!("{module}.{}", task.trim_end_matches('}')))];
    }
    let Some(whole) = topic.strip_prefix("{name:").map(|name| name.trim_end_matches('}')) else {
        return vec![KnownTopic::literal(topic)];
    };
    let occurrences = occurrences(values, file, node, whole);
    for occurrence in &occurrences {
        let known = topic_values::topics(values, file, *occurrence, None);
        if !known.is_empty() {
            return known;
        }
    }
    let name = whole.rsplit('.').next().unwrap_or(whole);
    // The callers know a parameter, whatever constants have its name.
    let is_open = occurrences.iter().any(|one| !open_functions(values, file, *one).is_empty());
    let found = if is_open { None } else { constant(values.cx, name) };
    let found = found.or_else(|| variable_of_file(values.program(), file, name));
    // A constant of a type of another repository is known by its full name.
    let of_others = || whole.contains('.').then(|| whole.to_owned());
    let setting = || setting_name(name).filter(|_| !is_open).map(|setting| format!("{{env:{setting}}}"));
    let found = found.or_else(of_others).or_else(setting);
    found.map(|found| KnownTopic::literal(&found)).into_iter().collect()
}

/// Returns the text of the constant with a name, if all constants with this name have the same; the variable that its file reads, if
/// none is written.
fn constant(cx: &mut Inference<'_>, name: &str) -> Option<String> {
    let program: &Program<'_> = cx.program;
    let symbols = program.named(program.name_named(name)?);
    let mut texts: Vec<&str> = Vec::new();
    let mut files: Vec<FileIdx> = Vec::new();
    for symbol in symbols.iter().take(MAX_CONSTANTS) {
        let kinds = [SymbolKind::Constant, SymbolKind::Variable, SymbolKind::Field, SymbolKind::Property];
        if !kinds.contains(&program.definition(*symbol).kind) {
            continue;
        }
        let file = program.file_of(*symbol);
        cx.consult(file);
        files.push(file);
        let code = program.code(file);
        let [value] = &*program.shape(*symbol).values else { continue };
        if let Expression::Literal(Literal::Text(Some(text))) = code.expression(*value) {
            texts.push(code.name(*text));
        }
    }
    texts.dedup();
    match texts.as_slice() {
        [text] if !text.is_empty() && !text.contains('{') => Some((*text).to_owned()),
        [] => {
            let mut variables: Vec<&str> = files.iter().flat_map(|file| topic_variables(program, *file)).collect();
            variables.sort_unstable();
            variables.dedup();
            let only = variables.first().filter(|_| variables.len() == 1);
            only.map(|variable| format!("{{env:{variable}}}"))
        }
        _ => None,
    }
}

/// Returns the variable of a name of a topic that has no value: the only one that the file reads a topic from, since the name is a
/// parameter.
fn variable_of_file(program: &Program<'_>, file: FileIdx, name: &str) -> Option<String> {
    let is_name = |variable: &&str| {
        let last = variable.rsplit(['_', '.', ':', '-']).next().unwrap_or(variable).to_ascii_lowercase();
        matches!(last.as_str(), "name" | "topic" | "queue" | "subject" | "exchange" | "channel")
    };
    let mut variables: Vec<&str> = topic_variables(program, file).filter(is_name).collect();
    variables.sort_unstable();
    variables.dedup();
    let only = variables.first().filter(|_| variables.len() == 1 && is_of_broker(name))?;
    Some(format!("{{env:{only}}}"))
}

/// Returns the setting of an option that names a topic: `ORDERS_TOPIC` of `options.OrdersTopic`. Settings are bound by name.
fn setting_name(name: &str) -> Option<String> {
    let mut setting = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && setting.ends_with(|before: char| before.is_ascii_lowercase()) {
            setting.push('_');
        }
        setting.push(c);
    }
    let has_words = setting.trim_matches('_').contains('_');
    (has_words && is_of_broker(name)).then(|| setting.trim_matches('_').to_ascii_uppercase())
}

/// Returns the variables of a file that name a topic. A constant may have its value from a function that reads one.
fn topic_variables<'p>(program: &Program<'p>, file: FileIdx) -> impl Iterator<Item = &'p str> + use<'p> {
    let variables = entries(program, file, DocumentFormat::Variables).map(|entry| entry.key.as_str());
    variables.filter(|variable| is_of_broker(variable))
}

/// Returns the module of a file of Python: `app.tasks` of `src/app/tasks.py`.
fn python_module(path: &str) -> String {
    let path = path.strip_prefix("src/").unwrap_or(path);
    path.strip_suffix(".py").unwrap_or(path).trim_end_matches("/__init__").replace('/', ".")
}
