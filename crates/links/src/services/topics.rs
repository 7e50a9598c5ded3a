//! Topics: a producer is linked to each consumer of the same topic of the same broker.

use std::collections::BTreeMap;

use super::{CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, link, network::Network, uses_of};
use crate::{contract::ContractKind, join::SurfaceUse};

/// Maximum number of producers, and of consumers, of one topic.
const MAX_ENDS: usize = 200;

/// Maximum number of consumers with a wildcard.
const MAX_PATTERNS: usize = 200;

/// Maximum number of values of a variable that names a topic.
const MAX_VALUES: usize = 4;

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

/// A producer or consumer of a topic.
#[derive(Clone)]
struct TopicEnd<'a> {
    repository: usize,
    used: &'a SurfaceUse,
    /// The setting that names the topic.
    evidence: Vec<EvidenceStep>,
}

/// Returns the links from producers to consumers in other repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let mut topics: BTreeMap<String, [Vec<TopicEnd<'_>>; 2]> = BTreeMap::new();
    for (repository, used) in uses_of(repositories, ContractKind::Topic) {
        for (topic, evidence) in names(network, repository, used) {
            let ends = &mut topics.entry(topic).or_default()[usize::from(used.serves)];
            if ends.len() < MAX_ENDS {
                ends.push(TopicEnd { repository, used, evidence });
            }
        }
    }
    let is_pattern = |topic: &&String| topic.contains(['*', '>', '#']);
    let patterns: Vec<&String> = topics.keys().filter(is_pattern).take(MAX_PATTERNS).collect();
    let mut links = Vec::new();
    for (topic, [producers, consumers]) in &topics {
        links.extend(pairs(topic, producers, consumers));
        for pattern in patterns.iter().filter(|pattern| !producers.is_empty() && matches(pattern, topic)) {
            links.extend(pairs(topic, producers, &topics[*pattern][1]));
        }
    }
    links
}

fn pairs(topic: &str, producers: &[TopicEnd<'_>], consumers: &[TopicEnd<'_>]) -> Vec<ServiceLink> {
    let confidence = if is_generic(topic) { CANDIDATE } else { CONFIRMED };
    let mut links = Vec::new();
    for producer in producers {
        for consumer in consumers.iter().filter(|consumer| consumer.repository != producer.repository) {
            let evidence = [producer.evidence.clone(), consumer.evidence.clone()].concat();
            let found = link(producer.used, topic, &consumer.used.site, confidence, evidence);
            links.push(ServiceLink { user: producer.repository, provider: consumer.repository, link: found });
        }
    }
    links
}

/// Returns the names of the topic of a use, each with the setting that states it.
fn names(network: &Network<'_>, repository: usize, used: &SurfaceUse) -> Vec<(String, Vec<EvidenceStep>)> {
    let (broker, topic) = used.key.split_once(':').unwrap_or(("", &used.key));
    let name = |topic: &str| {
        let last = match broker {
            // The address of a queue ends with its name.
            "sqs" | "sns" => topic.rsplit(['/', ':']).next().unwrap_or(topic),
            _ => topic,
        };
        if broker.is_empty() { last.to_owned() } else { format!("{broker}:{last}") }
    };
    let Some(variable) = topic.strip_prefix("{env:").and_then(|rest| rest.strip_suffix('}')) else {
        return vec![(name(topic), Vec::new())];
    };
    let mut found: Vec<(String, Vec<EvidenceStep>)> = Vec::new();
    for setting in network.settings_for(repository, variable) {
        let named = name(&setting.used.member);
        if found.len() < MAX_VALUES && !found.iter().any(|(known, _)| *known == named) {
            found.push((named, vec![network.setting_evidence(setting)]));
        }
    }
    if found.is_empty() && !used.member.is_empty() {
        found.push((name(&used.member), Vec::new()));
    }
    found
}

fn is_generic(topic: &str) -> bool {
    let name = topic.split_once(':').map_or(topic, |(_, name)| name).to_ascii_lowercase();
    GENERIC_TOPICS.contains(&name.as_str()) || name.len() < 3
}

/// Returns true if a topic is one of a pattern: `*` is a part, `>` and `#` are all parts that follow.
fn matches(pattern: &str, topic: &str) -> bool {
    if pattern == topic {
        return false;
    }
    let mut parts = topic.split('.');
    for wanted in pattern.split('.') {
        let is_rest = wanted.ends_with(['>', '#']);
        let Some(part) = parts.next() else { return is_rest && wanted.ends_with('#') };
        if is_rest {
            return wanted.len() == 1 || part.starts_with(&wanted[..wanted.len() - 1]);
        }
        if wanted != "*" && wanted != part {
            return false;
        }
    }
    parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_parts() {
        for (pattern, topic, expected) in [
            ("nats:orders.*", "nats:orders.new", true),
            ("nats:orders.>", "nats:orders.a.b", true),
            ("nats:orders.*", "nats:orders.a.b", false),
            ("nats:orders.*", "kafka:orders.new", false),
            ("rabbitmq:orders.#", "rabbitmq:orders", true),
        ] {
            assert_eq!(matches(pattern, topic), expected, "{pattern} {topic}");
        }
    }
}
