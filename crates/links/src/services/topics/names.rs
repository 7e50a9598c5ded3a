//! The names of topics: as code states them, through settings, and through the constants of other repositories.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{EvidenceStep, ServiceRepository, network::Network, systems::Systems},
    patterns::is_routed,
};
use crate::{
    contract::ContractKind,
    contracts::constant_name,
    join::{SurfaceOffer, SurfaceUse},
};

/// Maximum number of values of a variable that names a topic.
const MAX_VALUES: usize = 4;

/// Maximum number of constants of one name.
const MAX_CONSTANTS: usize = 50;

/// Topics of tutorials and defaults: equal names say nothing about the system.
const GENERIC_TOPICS: [&str; 26] = [
    "test",
    "tests",
    "topic",
    "topics",
    "event",
    "events",
    "message",
    "messages",
    "default",
    "queue",
    "queues",
    "data",
    "demo",
    "example",
    "jobs",
    "tasks",
    "logs",
    "updates",
    "notifications",
    "hello",
    "foo",
    "bar",
    "my-topic",
    "my_topic",
    "mytopic",
    "test-topic",
];

/// The name of a topic, with the places that tell it.
pub(super) type NamedTopic = (String, Vec<EvidenceStep>);

/// Reads the names of topics.
pub(super) struct TopicNames<'a, 'n> {
    network: &'n Network<'a>,
    systems: Systems<'a>,
    /// By full name: the constants of all repositories.
    constants: BTreeMap<&'a str, Vec<(usize, &'a SurfaceOffer)>>,
}

impl<'a, 'n> TopicNames<'a, 'n> {
    pub(super) fn new(repositories: &'a [ServiceRepository<'a>], network: &'n Network<'a>) -> TopicNames<'a, 'n> {
        let all = repositories.iter().enumerate();
        let offers = all.flat_map(|(repository, one)| one.surface.offers.iter().map(move |offer| (repository, offer)));
        let mut constants: BTreeMap<&str, Vec<(usize, &SurfaceOffer)>> = BTreeMap::new();
        for (repository, offer) in offers.filter(|(_, offer)| offer.kind == ContractKind::Topic) {
            let Some(name) = constant_name(&offer.key) else { continue };
            let of_name = constants.entry(name).or_default();
            if of_name.len() < MAX_CONSTANTS {
                of_name.push((repository, offer));
            }
        }
        TopicNames { network, systems: Systems::new(repositories, network), constants }
    }

    pub(super) fn systems(&self) -> &Systems<'a> {
        &self.systems
    }

    /// Returns true if the queue that one repository binds may be the one of this name that another repository reads. Other systems have
    /// queues of the same short names.
    pub(super) fn is_queue_of(&self, binding: usize, queue: &str, reader: usize) -> bool {
        let is_of_rabbitmq = queue.starts_with("rabbitmq:");
        !is_of_rabbitmq || binding == reader || has_words(queue) && self.systems.is_likely_one(binding, reader)
    }

    /// Returns the names of the topic of a use, each with the setting or constant that states it.
    pub(super) fn of_use(&self, repository: usize, used: &SurfaceUse) -> Vec<NamedTopic> {
        let mut found = self.stated(repository, &used.key);
        if found.is_empty() && !used.member.is_empty() {
            let (broker, _) = used.key.split_once(':').unwrap_or_default();
            found.push((qualified_topic(broker, &used.member), Vec::new()));
        }
        // Several programs of a system read a variable that no repository sets.
        if found.is_empty() && is_shared_variable(&used.key) {
            found.push((used.key.to_string(), Vec::new()));
        }
        found
    }

    /// Returns the names of a topic that a repository states as a key, each with the setting or constant that states it; empty if it is
    /// not known.
    pub(super) fn stated(&self, repository: usize, key: &str) -> Vec<NamedTopic> {
        let (broker, topic) = key.split_once(':').unwrap_or(("", key));
        let Some((before, rest)) = topic.split_once("{env:") else {
            return vec![self.of_constants(repository, &qualified_topic(broker, topic))];
        };
        let Some((variable, after)) = rest.split_once('}') else { return Vec::new() };
        let mut found: Vec<NamedTopic> = Vec::new();
        for setting in self.network.settings_for(repository, variable) {
            let whole = format!("{before}{}{after}", setting.used.member);
            // An exchange and a key may both be variables; the second one is not followed.
            let name = qualified_topic(broker, &whole);
            if found.len() < MAX_VALUES && !name.contains('{') && !found.iter().any(|(known, _)| *known == name) {
                found.push((name, vec![self.network.setting_evidence(&setting)]));
            }
        }
        // The name may be that of a constant, whose repository the code imports.
        if let Some((topic, step)) = self.constant(repository, variable).filter(|_| found.is_empty()) {
            let name = qualified_topic(broker, &format!("{before}{topic}{after}"));
            found.extend((!name.contains('{')).then(|| (name, vec![step])));
        }
        found
    }

    /// Returns a name in which the constants of other repositories are replaced by their topics.
    fn of_constants(&self, repository: usize, name: &str) -> NamedTopic {
        let (broker, topic) = name.split_once(':').unwrap_or(("", name));
        let separator = if is_routed(name) { "/" } else { "\n" };
        let mut evidence = Vec::new();
        // A text may be equal to the name of a variable: `message.created`.
        let constant = |part: &str| self.constant(repository, part).filter(|_| is_constant(part));
        let parts = topic.split(separator).map(|part| match constant(part) {
            Some((topic, step)) => {
                evidence.push(step);
                topic
            }
            None => part,
        });
        let whole: Vec<&str> = parts.collect();
        match evidence.is_empty() {
            true => (name.to_owned(), evidence),
            false => (qualified_topic(broker, &whole.join(separator)), evidence),
        }
    }

    /// Returns the topic of a constant, if all repositories of the system that have it give it the same.
    fn constant(&self, repository: usize, name: &str) -> Option<(&'a str, EvidenceStep)> {
        let all = self.constants.get(name)?.iter();
        let known: Vec<&(usize, &SurfaceOffer)> =
            all.filter(|(home, _)| *home == repository || self.systems.is_likely_one(*home, repository)).collect();
        let topics: BTreeSet<&str> = known.iter().map(|(_, offer)| &*offer.member).collect();
        let (home, offer) = known.first().filter(|_| topics.len() == 1)?;
        let step = EvidenceStep {
            repository: *home,
            path: offer.site.path.clone(),
            line: offer.site.line,
            content: format!("{name} = {}", offer.member),
        };
        Some((&offer.member, step))
    }
}

fn qualified_topic(broker: &str, topic: &str) -> String {
    let last = match broker {
        // The address of a queue ends with its name.
        "sqs" | "sns" => topic.rsplit(['/', ':']).next().unwrap_or(topic),
        // So does the full name of a topic in a project.
        "pubsub" => topic.rsplit('/').next().unwrap_or(topic),
        _ => topic,
    };
    if broker.is_empty() { last.to_owned() } else { format!("{broker}:{last}") }
}

/// Returns true for a topic that is a variable whose name tells more than that it is a topic: `kafka:{env:ORDERS_TOPIC}`.
fn is_shared_variable(key: &str) -> bool {
    const COMMON: [&str; 43] = [
        "topic", "queue", "channel", "exchange", "subject", "stream", "name", "kafka", "rabbit", "rabbitmq", "mq",
        "redis", "nats", "sqs", "sns", "url", "arn", "default", "aws", "gcp", "azure", "pubsub", "input", "output",
        "in", "out", "source", "target", "event", "message", "job", "task", "work", "data", "dlq", "dead", "letter",
        "consumer", "producer", "group", "id", "app", "service",
    ];
    let variable = key.split_once("{env:").and_then(|(_, rest)| rest.strip_suffix('}'));
    let words = |name: &str| crate::contracts::words(name);
    variable.is_some_and(|name| {
        let is_common =
            |word: &str| COMMON.contains(&word) || word.strip_suffix('s').is_some_and(|one| COMMON.contains(&one));
        let tells = |word: &String| word.len() > 2 && !is_common(word);
        words(name).iter().any(tells) && words(name).len() > 1
    })
}

/// Returns true for a topic of which only the variable is known.
pub(super) fn is_variable(topic: &str) -> bool {
    topic.contains("{env:")
}

/// Returns the name of a topic without its broker, and without the only field of a pattern of NestJS: `find` of `nest:cmd:find`. Every
/// pattern may have the field, so it is no word of the name.
fn telling_name(topic: &str) -> &str {
    const FIELDS: [&str; 8] = ["cmd", "role", "type", "event", "action", "pattern", "topic", "name"];
    let (broker, name) = topic.split_once(':').unwrap_or(("", topic));
    let value = name.split_once(':').filter(|(field, value)| FIELDS.contains(field) && !value.contains([':', '/']));
    value.filter(|_| broker == "nest").map_or(name, |(_, value)| value)
}

/// Returns true for a name of more than one word, or one with a routing key.
pub(super) fn has_words(topic: &str) -> bool {
    let name = telling_name(topic).trim_matches('/');
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1);
    let is_after_lower = |(before, c): (char, char)| before.is_ascii_lowercase() && c.is_ascii_uppercase();
    words.count() > 1 || name.chars().zip(name.chars().skip(1)).any(is_after_lower)
}

/// Returns true for a topic that may be the name of a constant, of which no value is known: `Topics.CREATED`, `messaging.TopicOrders`.
pub(super) fn is_constant(topic: &str) -> bool {
    let name = topic.split_once(':').map_or(topic, |(_, name)| name);
    let is_identifier = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let starts_upper = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    name.split_once('.').is_some_and(|(qualifier, constant)| {
        let is_named = !qualifier.is_empty() && is_identifier(qualifier) && is_identifier(constant);
        is_named && (starts_upper(qualifier) || starts_upper(constant))
    })
}

pub(super) fn is_generic(topic: &str) -> bool {
    let name = telling_name(topic).to_ascii_lowercase();
    GENERIC_TOPICS.contains(&name.as_str()) || name.len() < 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_field_of_a_pattern_is_no_word() {
        for (topic, words, generic) in [
            ("nest:cmd:find", false, false),
            ("nest:cmd:test", false, true),
            ("nest:cmd:findOrder", true, false),
            ("nest:cmd:find/role:users", true, false),
            ("nest:orders:made", true, false),
            ("kafka:cmd:find", true, false),
        ] {
            assert_eq!((has_words(topic), is_generic(topic)), (words, generic), "{topic}");
        }
    }
}
