//! Calls of the clients of brokers: a producer, a consumer and a near miss of each.

mod frameworks;
mod kafka;
mod other_brokers;
mod rabbitmq;
mod topic_names;

use model::{DocumentFormat, Language};

use crate::documents::read;

/// Returns the messages of a text as `BROKER DIRECTION TOPIC`, without lines.
fn messages(language: Language, text: &str) -> String {
    let documents = read(language, text.as_bytes());
    let of_messages = documents.iter().filter(|document| document.format == DocumentFormat::Messages);
    let entries = of_messages.flat_map(|document| &document.entries);
    entries.map(|entry| format!("{} {}", entry.key, entry.value)).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(cases: &[(Language, &str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(language, text, expected)| (text, messages(*language, text), *expected))
        .filter(|(_, found, expected)| found != expected)
        .map(|(text, found, expected)| format!("{text}\n  found    {found}\n  expected {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
