//! Constants that name topics for other repositories: `enum Topics { ORDERS = 'orders.v1' }`, `const TopicOrders = "orders.v1"` of a
//! package, `export const TOPICS = { ORDERS: 'orders.v1' }`.

use graph::{FileIdx, SymbolIdx};
use model::{
    Language, SymbolKind,
    code::{Expression, ExpressionId},
};

use super::super::{deployment::words, values::ValueReader};
use crate::contract::{ContractKind, ContractOffer};

/// The beginning of the key of a constant.
const PREFIX: &str = "constant:";

/// Maximum number of constants of one file.
const MAX_CONSTANTS: usize = 100;

/// Words in the names of constants of topics, and of the types that hold them.
const WORDS: [&str; 16] = [
    "topic", "queue", "exchange", "subject", "routing", "route", "channel", "event", "stream", "pattern", "kafka",
    "rabbit", "rabbitmq", "nats", "message", "command",
];

/// Returns the name of a constant in the key of an offer: `Topics.ORDERS` of `constant:Topics.ORDERS`.
pub(crate) fn constant_name(key: &str) -> Option<&str> {
    key.strip_prefix(PREFIX)
}

/// Returns the constants of a file that name topics. The member is the topic.
pub(super) fn offers(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractOffer> {
    let program = values.program();
    let mut found = Vec::new();
    for symbol in program.symbols_of(file) {
        if found.len() >= MAX_CONSTANTS {
            break;
        }
        let kind = program.definition(symbol).kind;
        let is_constant = matches!(
            kind,
            SymbolKind::Variant
                | SymbolKind::Constant
                | SymbolKind::Field
                | SymbolKind::Variable
                | SymbolKind::Property
        );
        let [value] = *program.shape(symbol).values else { continue };
        if is_constant {
            add_constants(values, file, symbol, value, &mut found);
        }
    }
    found
}

fn add_constants(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    symbol: SymbolIdx,
    value: ExpressionId,
    found: &mut Vec<ContractOffer>,
) {
    let program = values.program();
    let definition = program.definition(symbol);
    let holder = match program.parent(symbol) {
        Some(parent) if program.definition(parent).kind.is_type() => program.definition(parent).name.as_str(),
        Some(_) => return,
        None => "",
    };
    let code = values.code(file);
    let mut add = |holder: &str, name: &str, topic: &str| {
        // `message.created` is no name of a constant where code uses it.
        let is_constant = holder.is_empty() || [holder, name].iter().any(|part| starts_upper(part));
        let is_named = has_word(holder) || has_word(name);
        if !is_constant || !is_named || !is_topic(topic) || found.len() >= MAX_CONSTANTS {
            return;
        }
        let name = if holder.is_empty() { name.to_owned() } else { format!("{holder}.{name}") };
        found.push(ContractOffer {
            kind: ContractKind::Topic,
            key: format!("{PREFIX}{name}"),
            member: topic.to_owned(),
            node: graph::Node::Symbol(symbol),
            line: definition.lines.start,
        });
    };
    if let Some(topic) = values.literal(file, value) {
        // Other packages of Go write the name of the package.
        let package = code.package.rsplit('.').next().unwrap_or_default();
        let is_of_package = holder.is_empty() && program.language(file) == Language::Go;
        add(if is_of_package { package } else { holder }, &definition.name, topic);
        return;
    }
    let mut at = value;
    while let Expression::Cast { of, .. } | Expression::Dereferenced { of } = code.expression(at) {
        at = *of;
    }
    // `Object.freeze({…})` gives its argument.
    if let Expression::Call { arguments, .. } = code.expression(at)
        && let [only] = **arguments
    {
        at = only;
    }
    let Expression::Object(fields) = code.expression(at) else { return };
    for (name, value) in fields {
        match code.expression(*value) {
            Expression::Object(inner) => {
                for (inner, value) in inner {
                    if let Some(topic) = values.literal(file, *value).filter(|_| has_word(&definition.name)) {
                        add(code.name(*name), code.name(*inner), topic);
                    }
                }
            }
            _ => {
                if let Some(topic) = values.literal(file, *value) {
                    add(&definition.name, code.name(*name), topic);
                }
            }
        }
    }
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

fn has_word(name: &str) -> bool {
    words(name).iter().any(|word| WORDS.contains(&word.strip_suffix('s').unwrap_or(word)))
}

/// Returns true for a text that may name a topic.
fn is_topic(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '/');
    (3..=200).contains(&text.len())
        && text.chars().all(is_of_name)
        && text.contains(|c: char| c.is_ascii_alphabetic())
        && !text.contains("://")
}
