//! Topics: a producer is linked to each consumer of the same topic of the same broker.

use std::collections::BTreeMap;

use super::{
    CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, link,
    network::Network,
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
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

/// The producers and the consumers of each topic.
type TopicEnds<'a> = BTreeMap<String, [Vec<TopicEnd<'a>>; 2]>;

/// Returns the links from producers to consumers in other repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    linked(&ends(repositories, network), |producer, consumer| producer != consumer)
}

/// Returns the links from producers to consumers in the same repository.
pub(super) fn own_links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    linked(&ends(repositories, network), |producer, consumer| producer == consumer)
}

/// Returns the topics that nobody reads, and those that nobody writes. Those of tutorials are left out.
pub(super) fn unlinked(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<UnlinkedContract> {
    let topics = ends(repositories, network);
    let patterns = patterns(&topics);
    let is_pattern_written = |pattern: &str| {
        let mut written = topics.iter().filter(|(_, [producers, _])| !producers.is_empty());
        is_pattern(pattern) && written.any(|(topic, _)| matches(pattern, topic))
    };
    let mut found = Vec::new();
    for (topic, [producers, consumers]) in topics.iter().filter(|(topic, _)| !is_generic(topic)) {
        let is_read = !consumers.is_empty() || patterns.iter().any(|pattern| matches(pattern, topic));
        let is_written = !producers.is_empty() || is_pattern_written(topic);
        let ends = if !is_read {
            (producers, UnlinkedReason::NoReader)
        } else if !is_written {
            (consumers, UnlinkedReason::NoWriter)
        } else {
            continue;
        };
        let of_end = |end: &TopicEnd<'_>| UnlinkedContract {
            key: topic.clone(),
            evidence: end.evidence.clone(),
            ..UnlinkedContract::of_use(end.repository, end.used, ends.1)
        };
        found.extend(ends.0.iter().map(of_end));
    }
    found
}

/// Returns the names of the topics that code uses, with those of variables resolved.
pub(super) fn names_of_topics(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<String> {
    ends(repositories, network).into_keys().collect()
}

/// Returns every producer and consumer of a topic as a user of the topic, with a place on the other side.
pub(super) fn users(repositories: &[ServiceRepository<'_>], network: &Network<'_>, topic: &str) -> Vec<ServiceLink> {
    let mut topics = ends(repositories, network);
    let Some([producers, mut consumers]) = topics.remove(topic) else { return Vec::new() };
    let patterns = topics.iter().filter(|(pattern, _)| matches(pattern, topic));
    consumers.extend(patterns.flat_map(|(_, [_, consumers])| consumers.iter().cloned()));
    let mut users = Vec::new();
    for (ends, others, does) in [(&producers, &consumers, "reads"), (&consumers, &producers, "writes")] {
        for end in ends {
            let other = others.iter().find(|other| other.repository != end.repository).or(others.first());
            let step = other.map(|other| EvidenceStep {
                repository: other.repository,
                path: other.used.site.path.clone(),
                line: other.used.site.line,
                content: format!("{does} {topic}"),
            });
            let (provider, offer) =
                other.map_or((end.repository, &end.used.site), |other| (other.repository, &other.used.site));
            let evidence = end.evidence.iter().cloned().chain(step).collect();
            let found = link(end.used, topic, offer, CONFIRMED, evidence);
            users.push(ServiceLink { user: end.repository, provider, link: found });
        }
    }
    users
}

fn ends<'a>(repositories: &'a [ServiceRepository<'a>], network: &Network<'_>) -> TopicEnds<'a> {
    let mut topics = TopicEnds::new();
    for (repository, used) in uses_of(repositories, ContractKind::Topic) {
        for (topic, evidence) in names(network, repository, used) {
            let ends = &mut topics.entry(topic).or_default()[usize::from(used.serves)];
            if ends.len() < MAX_ENDS {
                ends.push(TopicEnd { repository, used, evidence });
            }
        }
    }
    topics
}

fn linked(topics: &TopicEnds<'_>, is_wanted: impl Fn(usize, usize) -> bool + Copy) -> Vec<ServiceLink> {
    let patterns = patterns(topics);
    let mut links = Vec::new();
    for (topic, [producers, consumers]) in topics {
        links.extend(pairs(topic, producers, consumers, is_wanted));
        for pattern in patterns.iter().filter(|pattern| !producers.is_empty() && matches(pattern, topic)) {
            links.extend(pairs(topic, producers, &topics[*pattern][1], is_wanted));
        }
    }
    links
}

fn is_pattern(topic: &str) -> bool {
    topic.contains(['*', '>', '#'])
}

/// Returns the topics with wildcards.
fn patterns<'t>(topics: &'t TopicEnds<'_>) -> Vec<&'t String> {
    topics.keys().filter(|topic| is_pattern(topic)).take(MAX_PATTERNS).collect()
}

fn pairs(
    topic: &str,
    producers: &[TopicEnd<'_>],
    consumers: &[TopicEnd<'_>],
    is_wanted: impl Fn(usize, usize) -> bool,
) -> Vec<ServiceLink> {
    let confidence = if is_generic(topic) { CANDIDATE } else { CONFIRMED };
    let mut links = Vec::new();
    for producer in producers {
        for consumer in consumers.iter().filter(|consumer| is_wanted(producer.repository, consumer.repository)) {
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
