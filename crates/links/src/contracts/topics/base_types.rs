//! Topics that a type declares for a base type, which sends or receives: `class OrderPaidListener extends Listener { subject =
//! Subjects.OrderPaid }`.

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    SymbolKind,
    code::{Expression, ExpressionId},
};

use super::{super::values::ValueReader, topic_values};
use crate::contract::{ContractKind, ContractUse};

/// Confidence of a topic that a type declares: its base type is not seen to send or receive it.
const OF_DECLARATION: f32 = 0.7;

/// Words in the names of base types that send.
const SENDERS: [&str; 4] = ["publisher", "producer", "emitter", "sender"];

/// Words in the names of base types that receive.
const RECEIVERS: [&str; 4] = ["listener", "consumer", "subscriber", "receiver"];

/// Names of members with the topic or the routing key, in small letters without underscores, the best first.
const TOPICS: [&str; 11] = [
    "routingkey",
    "topic",
    "topicname",
    "subject",
    "queue",
    "queuename",
    "channel",
    "channelname",
    "eventname",
    "pattern",
    "streamname",
];

/// Names of members with the exchange.
const EXCHANGES: [&str; 2] = ["exchange", "exchangename"];

/// Returns the topics that the types of a file declare.
pub(super) fn uses(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractUse> {
    let program = values.program();
    let mut found = Vec::new();
    for class in program.symbols_of(file).filter(|symbol| program.definition(*symbol).kind.is_type()) {
        let Some(serves) = direction(values, file, class) else { continue };
        let Some((member, topic)) = declared(values, file, class, &TOPICS) else { continue };
        let key = match declared(values, file, class, &EXCHANGES) {
            Some((_, exchange)) => format!("rabbitmq:{exchange}/{topic}"),
            None => format!("any:{topic}"),
        };
        found.push(ContractUse {
            kind: ContractKind::Topic,
            key,
            member: String::new(),
            node: Node::Symbol(class),
            line: program.definition(member).lines.start,
            confidence: OF_DECLARATION,
            n_sites: 1,
            serves,
        });
    }
    found
}

/// Returns true if the base type of a type receives, false if it sends; `None` if its name tells neither.
fn direction(values: &ValueReader<'_, '_>, file: FileIdx, class: SymbolIdx) -> Option<bool> {
    let program = values.program();
    program.shape(class).bases.iter().find_map(|base| {
        let (_, name) = values.written_name(file, base.base)?;
        let name = program.code(file).name(name).to_ascii_lowercase();
        let has_any = |words: &[&str]| words.iter().any(|word| name.contains(word));
        match (has_any(&SENDERS), has_any(&RECEIVERS)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    })
}

/// Returns the member of a type with one of these names, and its topic: a text, or the full name of a constant of another repository.
fn declared(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    class: SymbolIdx,
    names: &[&str],
) -> Option<(SymbolIdx, String)> {
    let program = values.program();
    let kinds = [SymbolKind::Field, SymbolKind::Property, SymbolKind::Constant, SymbolKind::Variable];
    let members: Vec<SymbolIdx> = program
        .symbols_of(file)
        .filter(|symbol| program.parent(*symbol) == Some(class) && kinds.contains(&program.definition(*symbol).kind))
        .collect();
    names.iter().find_map(|name| {
        let is_named =
            |member: &&SymbolIdx| program.definition(**member).name.to_ascii_lowercase().replace('_', "") == *name;
        let member = *members.iter().find(is_named)?;
        let value = *program.shape(member).values.first()?;
        let known = topic_values::topics(values, file, value, None).into_iter().next().map(|topic| topic.text);
        Some((member, known.or_else(|| constant(values, file, value))?))
    })
}

/// Returns the full name of a constant that another repository has: `Subjects.OrderPaid`.
fn constant(values: &ValueReader<'_, '_>, file: FileIdx, value: ExpressionId) -> Option<String> {
    if !matches!(values.expression(file, value), Expression::Member { .. } | Expression::Path { .. }) {
        return None;
    }
    let dotted = values.dotted(file, value)?;
    let parts: Vec<&str> = dotted.split('.').collect();
    let starts_upper = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    match parts[..] {
        [.., holder, name] if starts_upper(holder) => Some(format!("{holder}.{name}")),
        _ => None,
    }
}
