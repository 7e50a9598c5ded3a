//! Topics: a producer is linked to each consumer of the same topic of the same broker.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CANDIDATE, CONFIRMED, EvidenceStep, MAX_LINKS, ServiceLink, ServiceRepository, link,
    network::Network,
    systems::Systems,
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
use crate::{
    contract::ContractKind,
    contracts::{exchange_of_unknown_key, has_known_key},
    join::SurfaceUse,
};

/// Maximum number of producers, and of consumers, of one topic.
const MAX_ENDS: usize = 200;

/// Maximum number of consumers with a wildcard.
const MAX_PATTERNS: usize = 1_000;

/// Maximum number of queues and subscriptions that are bound to topics.
const MAX_BINDINGS: usize = 10_000;

/// The topic of clients that send each message under the name of its type.
const TYPE_TOPIC: &str = "bus:{type}";

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

/// Buses whose clients always name a topic by the type of its messages.
const TYPED_BUSES: [&str; 3] = ["masstransit", "nservicebus", "wolverine"];

/// Brokers whose topics an event bus may name by the type of a message.
const BUS_BROKERS: [&str; 5] = ["dapr", "kafka", "servicebus", "nats", "redis"];

/// The broker of a topic whose client a library of the system wraps.
const ANY_BROKER: &str = "any:";

/// Brokers that such a library may use.
const WRAPPED_BROKERS: [&str; 7] = ["kafka", "rabbitmq", "nats", "redis", "servicebus", "pubsub", "sqs"];

/// Confidence of a topic of which one side does not tell the broker.
const WITHOUT_BROKER: f32 = 0.7;

/// A producer or consumer of a topic.
#[derive(Clone)]
struct TopicEnd<'a> {
    repository: usize,
    used: &'a SurfaceUse,
    /// The setting that names the topic, and the binding of the queue.
    evidence: Vec<EvidenceStep>,
}

/// The producers and the consumers of each topic.
type TopicEnds<'a> = BTreeMap<String, [Vec<TopicEnd<'a>>; 2]>;

/// Returns the topics that nobody reads, and those that nobody writes. Those of tutorials are left out.
pub(super) fn unlinked(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<UnlinkedContract> {
    let topics = with_bound(repositories, network, ends(repositories, network));
    let patterns = patterns(&topics);
    let senders = type_senders(repositories);
    let written = topics.iter().filter(|(_, [producers, _])| !producers.is_empty());
    let written: BTreeSet<&String> = written
        .flat_map(|(topic, ends)| further_names(topic, &ends[0], &topics, &patterns, &senders).chain([topic]))
        .collect();
    let mut found = Vec::new();
    let is_named = |topic: &str| topic != TYPE_TOPIC && !is_generic(topic) && !topic.starts_with(ANY_BROKER);
    for (topic, [producers, consumers]) in topics.iter().filter(|(topic, _)| is_named(topic)) {
        let is_read =
            !consumers.is_empty() || further_consumers(topic, producers, &topics, &patterns, &senders).next().is_some();
        let is_written = written.contains(topic);
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
    ends(repositories, network).into_keys().filter(|topic| topic != TYPE_TOPIC).collect()
}

/// Returns every producer and consumer of a topic as a user of the topic, with a place on the other side.
pub(super) fn users(repositories: &[ServiceRepository<'_>], network: &Network<'_>, topic: &str) -> Vec<ServiceLink> {
    let topics = with_bound(repositories, network, ends(repositories, network));
    let Some([producers, consumers]) = topics.get(topic) else { return Vec::new() };
    let patterns = patterns(&topics);
    let senders = type_senders(repositories);
    let consumers: Vec<TopicEnd<'_>> =
        consumers.iter().chain(further_consumers(topic, producers, &topics, &patterns, &senders)).cloned().collect();
    let mut users = Vec::new();
    for (ends, others, does) in [(producers, &consumers, "reads"), (&consumers, producers, "writes")] {
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
    let of_callers = exchanges_of_callers(repositories);
    for (repository, used) in uses_of(repositories, ContractKind::Topic) {
        let exchange = exchange_of_unknown_key(&used.key);
        if exchange.is_some_and(|exchange| of_callers.contains(&(repository, used.serves, exchange))) {
            continue;
        }
        for (topic, evidence) in names(network, repository, used) {
            let ends = &mut topics.entry(topic).or_default()[usize::from(used.serves)];
            if ends.len() < MAX_ENDS {
                ends.push(TopicEnd { repository, used, evidence });
            }
        }
    }
    topics
}

/// Returns the exchanges whose routing keys the callers of a wrapper name, by repository and direction. The wrapper itself does not know
/// the key.
fn exchanges_of_callers<'a>(repositories: &'a [ServiceRepository<'a>]) -> BTreeSet<(usize, bool, &'a str)> {
    let wrapped = uses_of(repositories, ContractKind::Topic)
        .filter(|(_, used)| used.confidence < CONFIRMED && has_known_key(&used.key));
    wrapped.filter_map(|(repository, used)| Some((repository, used.serves, used.key.split_once('/')?.0))).collect()
}

/// Adds the consumers of a queue or subscription to the consumers of each topic whose messages it gets.
fn with_bound<'a>(
    repositories: &'a [ServiceRepository<'a>],
    network: &Network<'_>,
    mut topics: TopicEnds<'a>,
) -> TopicEnds<'a> {
    let all = repositories.iter().enumerate();
    let offers = all.flat_map(|(repository, one)| one.surface.offers.iter().map(move |offer| (repository, offer)));
    let bindings = offers.filter(|(_, offer)| offer.kind == ContractKind::Topic).take(MAX_BINDINGS);
    for (repository, binding) in bindings {
        let queues = stated_names(network, repository, &binding.key);
        let sources = stated_names(network, repository, &binding.member);
        let step = EvidenceStep {
            repository,
            path: binding.site.path.clone(),
            line: binding.site.line,
            content: format!("{} gets {}", binding.key, binding.member),
        };
        let consumers: Vec<TopicEnd<'_>> = queues
            .iter()
            .filter_map(|(queue, _)| topics.get(queue))
            .flat_map(|[_, consumers]| consumers.clone())
            .collect();
        for (source, _) in sources {
            let bound = consumers.iter().cloned().map(|mut consumer| {
                consumer.evidence.push(step.clone());
                consumer
            });
            let known = &mut topics.entry(source).or_default()[1];
            let n_free = MAX_ENDS.saturating_sub(known.len());
            known.extend(bound.take(n_free));
        }
    }
    topics
}

/// Returns the links from producers to consumers, within and between repositories.
///
/// A name of one word is common. Two repositories that different deployments run, and that have no owner in common, need a longer one.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let topics = with_bound(repositories, network, ends(repositories, network));
    let systems = Systems::new(repositories, network);
    let senders = type_senders(repositories);
    let confidence = |topic: &str, producer: usize, consumer: &TopicEnd<'_>| {
        let is_typed = !topic.starts_with("bus:") || senders.contains(&producer);
        let may_be_one = systems.may_be_one(producer, consumer.repository);
        let is_likely_one = systems.is_likely_one(producer, consumer.repository);
        // The names of constants are as common as those of types.
        let is_one_system = if is_constant(topic) { is_likely_one } else { has_words(topic) || may_be_one };
        let has_keys = has_known_key(topic) && has_known_key(&consumer.used.key);
        let is_confirmed = is_typed && has_keys && !is_generic(topic) && is_one_system;
        let has_broker = ![topic, &consumer.used.key].iter().any(|topic| topic.starts_with(ANY_BROKER));
        match is_confirmed {
            true if has_broker => CONFIRMED,
            true if has_words(topic) && is_likely_one => WITHOUT_BROKER,
            _ => CANDIDATE,
        }
    };
    let patterns = patterns(&topics);
    let mut links = Vec::new();
    for (topic, [producers, consumers]) in topics.iter().filter(|(topic, _)| *topic != TYPE_TOPIC) {
        if links.len() >= MAX_LINKS {
            break;
        }
        for producers in producers.chunk_by(|a, b| a.repository == b.repository) {
            let consumers = consumers.iter().chain(further_consumers(topic, producers, &topics, &patterns, &senders));
            links.extend(pairs(topic, producers, &consumers.collect::<Vec<_>>(), &confidence));
        }
    }
    links
}

/// Returns the repositories with a client that sends each message under the name of its type.
fn type_senders(repositories: &[ServiceRepository<'_>]) -> BTreeSet<usize> {
    let senders =
        uses_of(repositories, ContractKind::Topic).filter(|(_, used)| !used.serves && *used.key == *TYPE_TOPIC);
    senders.map(|(repository, _)| repository).collect()
}

/// Returns the consumers that get the messages that some producers send to a topic by another name.
fn further_consumers<'t, 'a>(
    topic: &'t str,
    producers: &[TopicEnd<'_>],
    topics: &'t TopicEnds<'a>,
    patterns: &'t [&'t String],
    senders: &BTreeSet<usize>,
) -> impl Iterator<Item = &'t TopicEnd<'a>> {
    further_names(topic, producers, topics, patterns, senders)
        .filter_map(|name| topics.get(name))
        .flat_map(|[_, consumers]| consumers)
}

/// Returns the other names by which consumers get the messages that some producers send to a topic.
fn further_names<'t>(
    topic: &'t str,
    producers: &[TopicEnd<'_>],
    topics: &'t TopicEnds<'_>,
    patterns: &'t [&'t String],
    senders: &BTreeSet<usize>,
) -> impl Iterator<Item = &'t String> {
    let of_patterns = patterns.iter().copied().filter(|pattern| matches(pattern, topic));
    // The name of a type is a topic of the broker that an event bus uses.
    let of_type = topic.strip_prefix("bus:");
    let is_typed = producers.iter().any(|producer| senders.contains(&producer.repository));
    let of_buses: &[&str] = if is_typed { &BUS_BROKERS } else { &[] };
    let brokers = TYPED_BUSES.iter().chain(of_buses);
    let of_brokers = brokers.filter_map(move |broker| topics.get_key_value(&format!("{broker}:{}", of_type?)));
    let of_brokers = of_brokers.map(|(name, _)| name);
    // A queue may have the name of the key, and its binding may not be known.
    let queue = route(topic).filter(|(exchange, _)| exchange.is_some()).map(|(_, key)| format!("rabbitmq:{key}"));
    let of_queue = queue.and_then(|queue| topics.get_key_value(&queue)).map(|(name, _)| name);
    // A library may hide the broker on one side.
    let hidden = topic.strip_prefix(ANY_BROKER);
    let of_wrapped = hidden.into_iter().flat_map(move |name| {
        let named = WRAPPED_BROKERS.iter().map(move |broker| format!("{broker}:{name}"));
        named.filter_map(|named| topics.get_key_value(&named)).map(|(name, _)| name)
    });
    let plain = topic.split_once(':').filter(|(broker, _)| WRAPPED_BROKERS.contains(broker));
    let of_any = plain.and_then(|(_, name)| topics.get_key_value(&format!("{ANY_BROKER}{name}"))).map(|(name, _)| name);
    of_patterns.chain(of_brokers).chain(of_queue).chain(of_wrapped).chain(of_any)
}

/// Returns the topics with wildcards or exchanges.
fn patterns<'t>(topics: &'t TopicEnds<'_>) -> Vec<&'t String> {
    let is_pattern = |topic: &&String| topic.contains(['*', '>', '#', '+']) || is_routed(topic);
    topics.keys().filter(is_pattern).take(MAX_PATTERNS).collect()
}

fn pairs(
    topic: &str,
    producers: &[TopicEnd<'_>],
    consumers: &[&TopicEnd<'_>],
    confidence: &impl Fn(&str, usize, &TopicEnd<'_>) -> f32,
) -> Vec<ServiceLink> {
    let mut links = Vec::new();
    for producer in producers {
        for consumer in consumers {
            let (from, to) = (producer.repository, consumer.repository);
            // The events of a program for itself have such names, too.
            if from == to && topic.starts_with(ANY_BROKER) {
                continue;
            }
            let evidence = [producer.evidence.clone(), consumer.evidence.clone()].concat();
            let found = link(producer.used, topic, &consumer.used.site, confidence(topic, from, consumer), evidence);
            links.push(ServiceLink { user: from, provider: to, link: found });
        }
    }
    links
}

/// Returns the names of the topic of a use, each with the setting that states it.
fn names(network: &Network<'_>, repository: usize, used: &SurfaceUse) -> Vec<(String, Vec<EvidenceStep>)> {
    let mut found = stated_names(network, repository, &used.key);
    if found.is_empty() && !used.member.is_empty() {
        let (broker, _) = used.key.split_once(':').unwrap_or_default();
        found.push((named(broker, &used.member), Vec::new()));
    }
    found
}

/// Returns the names of a topic that a repository states as a key, each with the setting that states it; empty if it is not known.
fn stated_names(network: &Network<'_>, repository: usize, key: &str) -> Vec<(String, Vec<EvidenceStep>)> {
    let (broker, topic) = key.split_once(':').unwrap_or(("", key));
    let Some((before, rest)) = topic.split_once("{env:") else { return vec![(named(broker, topic), Vec::new())] };
    let Some((variable, after)) = rest.split_once('}') else { return Vec::new() };
    let mut found: Vec<(String, Vec<EvidenceStep>)> = Vec::new();
    for setting in network.settings_for(repository, variable) {
        let whole = format!("{before}{}{after}", setting.used.member);
        // An exchange and a key may both be variables; the second one is not followed.
        let name = named(broker, &whole);
        if found.len() < MAX_VALUES && !name.contains('{') && !found.iter().any(|(known, _)| *known == name) {
            found.push((name, vec![network.setting_evidence(&setting)]));
        }
    }
    found
}

fn named(broker: &str, topic: &str) -> String {
    let last = match broker {
        // The address of a queue ends with its name.
        "sqs" | "sns" => topic.rsplit(['/', ':']).next().unwrap_or(topic),
        // So does the full name of a topic in a project.
        "pubsub" => topic.rsplit('/').next().unwrap_or(topic),
        _ => topic,
    };
    if broker.is_empty() { last.to_owned() } else { format!("{broker}:{last}") }
}

/// Returns true for a name of more than one word, or one with a routing key.
fn has_words(topic: &str) -> bool {
    let name = topic.split_once(':').map_or(topic, |(_, name)| name).trim_matches('/');
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1);
    let is_after_lower = |(before, c): (char, char)| before.is_ascii_lowercase() && c.is_ascii_uppercase();
    words.count() > 1 || name.chars().zip(name.chars().skip(1)).any(is_after_lower)
}

/// Returns true for a topic that may be the name of a constant, of which no value is known: `Topics.CREATED`, `messaging.TopicOrders`.
fn is_constant(topic: &str) -> bool {
    let name = topic.split_once(':').map_or(topic, |(_, name)| name);
    let is_identifier = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let starts_upper = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    name.split_once('.').is_some_and(|(qualifier, constant)| {
        let is_named = !qualifier.is_empty() && is_identifier(qualifier) && is_identifier(constant);
        is_named && (starts_upper(qualifier) || starts_upper(constant))
    })
}

fn is_generic(topic: &str) -> bool {
    let name = topic.split_once(':').map_or(topic, |(_, name)| name).to_ascii_lowercase();
    GENERIC_TOPICS.contains(&name.as_str()) || name.len() < 3
}

/// Returns true for a topic of RabbitMQ with an exchange: `rabbitmq:EXCHANGE/KEY`.
fn is_routed(topic: &str) -> bool {
    topic.strip_prefix("rabbitmq:").is_some_and(|name| name.contains('/'))
}

/// Returns true if a topic is one of a pattern: `*` is a part, `>` and `#` are all parts that follow.
///
/// With exchanges of RabbitMQ, the exchanges are equal or one is not known. An exchange without a key gives its messages to all
/// its queues, and a queue may be bound without a key. A key that is not known may be any.
fn matches(pattern: &str, topic: &str) -> bool {
    if pattern == topic {
        return false;
    }
    if is_routed(pattern) || is_routed(topic) {
        let Some(((bound_to, bound_key), (exchange, key))) = route(pattern).zip(route(topic)) else { return false };
        let is_same = bound_to.is_none() || exchange.is_none() || bound_to == exchange;
        let has_exchanges = bound_to.is_some() && exchange.is_some();
        let is_for_all = has_exchanges && (bound_key.is_empty() || key.is_empty());
        let may_be_any = has_exchanges && !(has_known_key(pattern) && has_known_key(topic));
        return is_same && (is_for_all || may_be_any || bound_key == key || matches_parts(bound_key, key, false));
    }
    let broker = |name: &str| name.split_once(':').map_or(0, |(broker, _)| broker.len() + 1);
    let (wanted, found) = (pattern.split_at(broker(pattern)), topic.split_at(broker(topic)));
    // Parts of a topic of MQTT are separated by slashes, and `+` is one of them.
    let is_mqtt = wanted.0 == "mqtt:";
    wanted.0 == found.0 && matches_parts(wanted.1, found.1, is_mqtt)
}

/// Returns the exchange and the key of a topic of RabbitMQ.
fn route(topic: &str) -> Option<(Option<&str>, &str)> {
    let name = topic.strip_prefix("rabbitmq:")?;
    Some(name.split_once('/').map_or((None, name), |(exchange, key)| (Some(exchange), key)))
}

fn matches_parts(pattern: &str, topic: &str, is_mqtt: bool) -> bool {
    let separator = if is_mqtt { '/' } else { '.' };
    let mut parts = topic.split(separator);
    for wanted in pattern.split(separator) {
        let is_rest = wanted.ends_with(['>', '#']);
        let Some(part) = parts.next() else { return is_rest && wanted.ends_with('#') };
        if is_rest {
            return wanted.len() == 1 || part.starts_with(&wanted[..wanted.len() - 1]);
        }
        if wanted != "*" && wanted != part && !(is_mqtt && wanted == "+") {
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
            ("rabbitmq:shop/orders.*", "rabbitmq:shop/orders.new", true),
            ("mqtt:shop/+/paid", "mqtt:shop/orders/paid", true),
            ("mqtt:+/paid", "mqtt:orders/paid", true),
            ("mqtt:+/paid", "redis:orders/paid", false),
            ("mqtt:shop/#", "mqtt:shop/orders/paid", true),
            ("mqtt:shop/+", "mqtt:shop/orders/paid", false),
            ("rabbitmq:shop/", "rabbitmq:shop/orders.new", true),
            ("rabbitmq:shop/orders.new", "rabbitmq:shop/", true),
            ("rabbitmq:shop/pays.*", "rabbitmq:shop/orders.new", false),
            ("rabbitmq:other/orders.*", "rabbitmq:shop/orders.new", false),
            ("rabbitmq:shop/orders.new", "rabbitmq:orders.new", true),
            ("rabbitmq:orders", "rabbitmq:shop/orders", true),
            ("rabbitmq:shop/orders.*", "rabbitmq:shop/?", true),
            ("rabbitmq:shop/?", "rabbitmq:shop/orders", true),
            ("rabbitmq:other/?", "rabbitmq:shop/orders", false),
            ("rabbitmq:orders", "rabbitmq:shop/?", false),
        ] {
            assert_eq!(matches(pattern, topic), expected, "{pattern} {topic}");
        }
    }
}
