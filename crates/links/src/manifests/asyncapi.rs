//! AsyncAPI documents: the topics that an application sends to and receives from.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser};

/// Maximum number of messages of one document.
const MAX_MESSAGES: usize = 1_000;

/// Maximum number of keys and values of one document.
const MAX_ENTRIES: usize = 200_000;

/// Maximum number of keys of a path that is read: `operations`, `send`, `channel`, `$ref`.
const MAX_KEYS: usize = 4;

/// Protocols of servers, with the brokers that code names.
const PROTOCOLS: [(&str, &str); 13] = [
    ("kafka", "kafka"),
    ("kafka-secure", "kafka"),
    ("amqp", "rabbitmq"),
    ("amqps", "rabbitmq"),
    ("nats", "nats"),
    ("mqtt", "mqtt"),
    ("mqtts", "mqtt"),
    ("secure-mqtt", "mqtt"),
    ("redis", "redis"),
    ("pulsar", "pulsar"),
    ("jms", "jms"),
    ("sqs", "sqs"),
    ("sns", "sns"),
];

/// Start of a reference to a channel of the same document.
const CHANNELS: &str = "#/channels/";

/// A message of the application of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeclaredMessage {
    /// The broker and the topic: `kafka:orders`.
    pub(crate) topic: String,
    /// True if the application receives the message.
    pub(crate) receives: bool,
    pub(crate) line: u32,
}

/// A key, or a value with its key.
struct Entry {
    /// The keys around it and its own; an empty one for a sequence.
    keys: Vec<String>,
    /// None for a key.
    value: Option<String>,
    line: u32,
}

/// Returns the messages of a document in YAML or JSON. A topic with a parameter is left out, and so are all if the protocol of the server
/// is that of no broker.
pub(super) fn messages(text: &str) -> Vec<DeclaredMessage> {
    if !text.contains("asyncapi") {
        return Vec::new();
    }
    let entries = entries(text);
    let value = |keys: &[&str]| {
        let mut same = entries.iter().filter(|entry| is_at(entry, keys));
        same.find_map(|entry| entry.value.as_deref())
    };
    let Some(version) = value(&["asyncapi"]) else { return Vec::new() };
    let protocol = value(&["servers", "*", "protocol"]).unwrap_or_default();
    let Some((_, broker)) = PROTOCOLS.iter().find(|(name, _)| *name == protocol) else { return Vec::new() };
    let found = if version.starts_with('2') { of_channels(&entries) } else { of_operations(&entries) };
    let named = found.into_iter().filter(|(topic, ..)| !topic.is_empty() && !topic.contains('{'));
    let messages = named.map(|(topic, receives, line)| {
        let topic = format!("{broker}:{topic}");
        DeclaredMessage { topic, receives, line }
    });
    messages.take(MAX_MESSAGES).collect()
}

/// Returns the topics of version 2: clients publish to a channel what the application receives.
fn of_channels(entries: &[Entry]) -> Vec<(String, bool, u32)> {
    let operations = entries.iter().filter(|entry| entry.value.is_none());
    let found = operations.filter_map(|entry| match entry.keys.as_slice() {
        [channels, topic, operation] if channels == "channels" => match operation.as_str() {
            "publish" => Some((topic.clone(), true, entry.line)),
            "subscribe" => Some((topic.clone(), false, entry.line)),
            _ => None,
        },
        _ => None,
    });
    found.collect()
}

/// Returns the topics of version 3, whose operations have actions of the application.
fn of_operations(entries: &[Entry]) -> Vec<(String, bool, u32)> {
    let mut addresses: BTreeMap<&str, &str> = BTreeMap::new();
    let mut channels: BTreeMap<&str, &str> = BTreeMap::new();
    let mut actions: Vec<(&str, &str, u32)> = Vec::new();
    for entry in entries {
        let Some(value) = entry.value.as_deref() else { continue };
        match entry.keys.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["channels", channel, "address"] => {
                addresses.insert(channel, value);
            }
            ["operations", operation, "channel", "$ref"] => {
                channels.extend(value.strip_prefix(CHANNELS).map(|channel| (operation, channel)));
            }
            ["operations", operation, "action"] => actions.push((operation, value, entry.line)),
            _ => {}
        }
    }
    let found = actions.into_iter().filter_map(|(operation, action, line)| {
        let channel = channels.get(operation)?;
        let address = addresses.get(channel).unwrap_or(channel);
        match action {
            "receive" => Some(((*address).to_owned(), true, line)),
            "send" => Some(((*address).to_owned(), false, line)),
            _ => None,
        }
    });
    found.collect()
}

fn is_at(entry: &Entry, keys: &[&str]) -> bool {
    entry.keys.len() == keys.len() && entry.keys.iter().zip(keys).all(|(own, key)| *key == "*" || own == key)
}

/// Returns the keys and scalar values of a document in at most `MAX_KEYS` containers. Of a malformed one, those before the error.
fn entries(text: &str) -> Vec<Entry> {
    // `None` for a sequence, else the key whose value comes next, if it was read.
    let mut open: Vec<Option<Option<String>>> = Vec::new();
    let mut found: Vec<Entry> = Vec::new();
    // The containers around an event that are too deep to be read.
    let mut n_deeper: usize = 0;
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        if found.len() >= MAX_ENTRIES {
            break;
        }
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX);
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) if open.len() >= MAX_KEYS => n_deeper += 1,
            Event::MappingEnd | Event::SequenceEnd if n_deeper > 0 => {
                n_deeper -= 1;
                if n_deeper == 0 {
                    end_value(&mut open);
                }
            }
            _ if n_deeper > 0 => {}
            Event::Scalar(scalar, ..) => {
                let is_key = matches!(open.last(), Some(Some(None)));
                if let (true, Some(Some(key))) = (is_key, open.last_mut()) {
                    *key = Some(scalar.into_owned());
                    found.push(Entry { keys: keys(&open), value: None, line });
                } else {
                    found.push(Entry { keys: keys(&open), value: Some(scalar.into_owned()), line });
                    end_value(&mut open);
                }
            }
            Event::MappingStart(..) => open.push(Some(None)),
            Event::SequenceStart(..) => open.push(None),
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                end_value(&mut open);
            }
            Event::Alias(_) => end_value(&mut open),
            _ => {}
        }
    }
    found
}

fn keys(open: &[Option<Option<String>>]) -> Vec<String> {
    open.iter().map(|container| container.clone().flatten().unwrap_or_default()).collect()
}

/// Ends a value, so that the next scalar of its mapping is a key. A key that is no scalar counts as an empty one.
fn end_value(open: &mut [Option<Option<String>>]) {
    if let Some(Some(key)) = open.last_mut() {
        *key = if key.is_none() { Some(String::new()) } else { None };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let shown = |one: &DeclaredMessage| {
            let direction = if one.receives { "receives" } else { "sends" };
            format!("{direction} {} {}", one.topic, one.line)
        };
        assert_eq!(messages(text).iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn operations_of_version_3_have_actions_of_the_application() {
        let document = |protocol: &str| {
            format!(
                "asyncapi: 3.0.0\nservers:\n  main:\n    host: broker:9092\n    protocol: {protocol}\nchannels:\n  paid:\n    address: orders.paid\n  sent:\n    messages: {{}}\n  user:\n    address: users.{{id}}\noperations:\n  onPaid:\n    action: receive\n    channel:\n      $ref: '#/channels/paid'\n  send:\n    action: send\n    channel: {{$ref: '#/channels/sent'}}\n  user:\n    action: send\n    channel: {{$ref: '#/channels/user'}}\n"
            )
        };
        check(&document("kafka"), &["receives kafka:orders.paid 15", "sends kafka:sent 19"]);
        check(&document("amqp"), &["receives rabbitmq:orders.paid 15", "sends rabbitmq:sent 19"]);
        // The messages of a socket are in no broker.
        check(&document("wss"), &[]);
    }

    #[test]
    fn channels_of_version_2_have_operations_of_the_clients() {
        check(
            "{\"asyncapi\":\"2.6.0\",\"servers\":{\"a\":{\"url\":\"x\",\"protocol\":\"kafka\"}},\n\"channels\":{\"orders\":{\n\"publish\":{\"message\":{}},\n\"subscribe\":{}}}}",
            &["receives kafka:orders 3", "sends kafka:orders 4"],
        );
    }

    #[test]
    fn deep_containers_are_passed_over() {
        let document = |deep: &str| {
            format!(
                "asyncapi: 2.0.0\nx:\n  y:\n    z:\n      deep: {deep}\n      key: value\nservers: {{a: {{protocol: nats}}}}\nchannels:\n  a:\n    publish: {{}}\n"
            )
        };
        for deep in ["[[[a]], {b: {c: d}}]", "{a: [{b: c}]}", "{[a]: {b: c}, d: e}"] {
            check(&document(deep), &["receives nats:a 10"]);
        }
        let nested = format!("{}1{}", "[".repeat(100), ",1]".repeat(100));
        let text = document(&nested);
        check(&text, &["receives nats:a 10"]);
        assert!(entries(&text).iter().all(|entry| entry.keys.len() <= MAX_KEYS), "{text}");
        // A key of a deep container is none of the document.
        check(
            "x: {y: {z: {a: {asyncapi: 2.0.0}}}}\nservers: {a: {protocol: nats}}\nchannels: {a: {publish: {}}}\n",
            &[],
        );
    }

    #[test]
    fn other_documents_declare_no_messages() {
        check("openapi: 3.0.0\nservers: [{url: x, protocol: kafka}]\nchannels:\n  a:\n    publish: {}\n", &[]);
        check("asyncapi: 2.0.0\nchannels:\n  a:\n    publish: {}\n", &[]);
        check("", &[]);
        check("asyncapi: [", &[]);
    }
}
