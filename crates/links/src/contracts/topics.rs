//! Topics, queues and subjects that code publishes to and consumes from, and background jobs.

pub(super) mod wrappers;

use graph::{FileIdx, Inference, Program};
use model::{
    DocumentEntry, DocumentFormat, SymbolKind,
    code::{Expression, Literal},
};

use super::{
    deployment::is_of_broker,
    enclosing::{enclosing_node, entries},
    visibility::is_test_or_example,
};
use crate::contract::{ContractKind, ContractOffer, ContractUse};

/// Maximum number of definitions of a constant's name that are looked at.
const MAX_CONSTANTS: usize = 50;

/// The routing key of a message of which only the exchange is known.
const UNKNOWN_KEY: &str = "?";

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
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx) -> Vec<ContractUse> {
    let program = cx.program;
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let used = entries(program, file, DocumentFormat::Messages).filter(|entry| !entry.key.ends_with(" bind"));
    used.filter_map(|entry| topic_use(cx, file, entry)).collect()
}

/// Returns the queues and subscriptions that a file binds. The key is `BROKER:QUEUE`, the member the topic that its messages come from.
pub(super) fn offers(cx: &mut Inference<'_>, file: FileIdx) -> Vec<ContractOffer> {
    let program = cx.program;
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let bound = entries(program, file, DocumentFormat::Messages).filter_map(|entry| {
        let broker = entry.key.strip_suffix(" bind")?;
        let (to, from) = entry.value.split_once('=')?;
        let (to, from) = (topic_name(cx, file, to)?, topic_name(cx, file, from)?);
        Some(ContractOffer {
            kind: ContractKind::Topic,
            key: format!("{broker}:{to}"),
            member: format!("{broker}:{from}"),
            node: enclosing_node(program, file, entry.line),
            line: entry.line,
        })
    });
    bound.collect()
}

fn topic_use(cx: &mut Inference<'_>, file: FileIdx, entry: &DocumentEntry) -> Option<ContractUse> {
    let (broker, direction) = entry.key.split_once(' ')?;
    let (topic, default) = entry.value.split_once('|').unwrap_or((&entry.value, ""));
    let topic = match topic.split_once("}/").filter(|_| topic.contains("{name:")) {
        Some((exchange, key)) => {
            format!("{}/{}", topic_name(cx, file, &format!("{exchange}}}"))?, topic_name(cx, file, key)?)
        }
        None => match topic.split_once("/{name:") {
            // Without a known key, any queue of the exchange may get the message.
            Some((exchange, _)) => {
                let key = topic_name(cx, file, &topic[exchange.len() + 1..]);
                format!("{exchange}/{}", key.as_deref().unwrap_or(UNKNOWN_KEY))
            }
            None => topic_name(cx, file, topic)?,
        },
    };
    let default = if default.is_empty() { String::new() } else { topic_name(cx, file, default).unwrap_or_default() };
    let is_known = has_known_key(&topic);
    Some(ContractUse {
        kind: ContractKind::Topic,
        key: format!("{broker}:{topic}"),
        member: default,
        node: enclosing_node(cx.program, file, entry.line),
        line: entry.line,
        confidence: if is_known { 0.9 } else { OF_UNKNOWN_KEY },
        n_sites: 1,
        serves: direction == "consume",
    })
}

/// Returns a topic in which the name of a constant or of a task is replaced by its value.
fn topic_name(cx: &mut Inference<'_>, file: FileIdx, topic: &str) -> Option<String> {
    if let Some(name) = topic.strip_prefix("{name:") {
        let whole = name.trim_end_matches('}');
        let name = whole.rsplit('.').next().unwrap_or(whole);
        // A constant of a type of another repository is known by its full name.
        let of_others = || whole.contains('.').then(|| whole.to_owned());
        let found = constant(cx, name).or_else(|| variable_of_file(cx.program, file, name));
        return found.or_else(of_others).or_else(|| setting_name(name).map(|setting| format!("{{env:{setting}}}")));
    }
    Some(match topic.strip_prefix("{task:") {
        Some(task) => format!("{}.{}", python_module(cx.program.path(file)), task.trim_end_matches('}')),
        None => topic.to_owned(),
    })
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
