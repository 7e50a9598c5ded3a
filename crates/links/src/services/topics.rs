//! Topics: a producer is linked to each consumer of the same topic of the same broker.

mod brokers;
mod names;
mod patterns;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CANDIDATE, CONFIRMED, EvidenceStep, MAX_LINKS, ServiceLink, ServiceRepository, link,
    network::Network,
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
use crate::{
    contract::ContractKind,
    contracts::{constant_name, exchange_of_unknown_key, has_known_key},
    join::{SurfaceOffer, SurfaceUse},
};
use brokers::{ANY_BROKER, BUS_BROKERS, TYPED_BUSES, equivalents, has_typed_bus, is_of_framework};
use names::{TopicNames, has_words, is_constant, is_generic, is_variable};
use patterns::{is_routed, matches, route};

/// Maximum number of producers, and of consumers, of one topic.
const MAX_ENDS: usize = 200;

/// Maximum number of consumers with a wildcard.
const MAX_PATTERNS: usize = 1_000;

/// Maximum number of queues and subscriptions that are bound to topics.
const MAX_BINDINGS: usize = 10_000;

/// The topic of clients that send each message under the name of its type.
const TYPE_TOPIC: &str = "bus:{type}";

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
    let names = TopicNames::new(repositories, network);
    let bound = bound_queues(repositories, &names);
    let topics = with_bound(repositories, &names, ends(repositories, &names));
    let patterns = patterns(&topics);
    let senders = type_senders(repositories);
    let written = topics.iter().filter(|(_, [producers, _])| !producers.is_empty());
    let written: BTreeSet<&String> = written
        .flat_map(|(topic, ends)| further_names(topic, &ends[0], &topics, &patterns, &senders).chain([topic]))
        .collect();
    let mut found = Vec::new();
    let is_named = |topic: &str| {
        topic != TYPE_TOPIC && !is_generic(topic) && !topic.starts_with(ANY_BROKER) && !is_variable(topic)
    };
    for (topic, [producers, consumers]) in topics.iter().filter(|(topic, _)| is_named(topic)) {
        let is_read =
            !consumers.is_empty() || further_consumers(topic, producers, &topics, &patterns, &senders).next().is_some();
        // The consumers of a queue are those of the topics that it is bound to, and the broker itself writes dead letters.
        let is_written = written.contains(topic) || bound.contains(topic) || has_dead_letters(topic);
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
    let names = TopicNames::new(repositories, network);
    ends(repositories, &names).into_keys().filter(|topic| topic != TYPE_TOPIC).collect()
}

/// Returns every producer and consumer of a topic as a user of the topic, with a place on the other side.
pub(super) fn users(repositories: &[ServiceRepository<'_>], network: &Network<'_>, topic: &str) -> Vec<ServiceLink> {
    let names = TopicNames::new(repositories, network);
    let topics = with_bound(repositories, &names, ends(repositories, &names));
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

fn ends<'a>(repositories: &'a [ServiceRepository<'a>], names: &TopicNames<'_, '_>) -> TopicEnds<'a> {
    let mut topics = TopicEnds::new();
    let of_callers = exchanges_of_callers(repositories);
    for (repository, used) in uses_of(repositories, ContractKind::Topic) {
        let exchange = exchange_of_unknown_key(&used.key);
        if exchange.is_some_and(|exchange| of_callers.contains(&(repository, used.serves, exchange))) {
            continue;
        }
        for (topic, evidence) in names.of_use(repository, used) {
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

/// Returns the bindings of queues and subscriptions, each with its repository.
fn bindings<'a>(repositories: &'a [ServiceRepository<'a>]) -> impl Iterator<Item = (usize, &'a SurfaceOffer)> {
    let all = repositories.iter().enumerate();
    let offers = all.flat_map(|(repository, one)| one.surface.offers.iter().map(move |offer| (repository, offer)));
    let bindings = offers.filter(|(_, offer)| offer.kind == ContractKind::Topic && constant_name(&offer.key).is_none());
    bindings.take(MAX_BINDINGS)
}

/// Returns the queues and subscriptions that get the messages of a topic.
fn bound_queues(repositories: &[ServiceRepository<'_>], names: &TopicNames<'_, '_>) -> BTreeSet<String> {
    let queues = bindings(repositories).flat_map(|(repository, binding)| names.stated(repository, &binding.key));
    queues.map(|(queue, _)| queue).collect()
}

/// Returns true for a queue of messages that no consumer took: `orders.DLQ`, `orders-dead-letter`.
fn has_dead_letters(topic: &str) -> bool {
    let words = crate::contracts::words(topic);
    // `dead` alone may be a part of the domain: `players.dead`.
    words.iter().any(|word| matches!(word.as_str(), "dlq" | "dlx" | "dlt" | "deadletter"))
        || words.windows(2).any(|pair| pair[0] == "dead" && matches!(pair[1].as_str(), "letter" | "letters"))
}

/// Adds the consumers of a queue or subscription to the consumers of each topic whose messages it gets.
fn with_bound<'a>(
    repositories: &'a [ServiceRepository<'a>],
    names: &TopicNames<'_, '_>,
    mut topics: TopicEnds<'a>,
) -> TopicEnds<'a> {
    for (repository, binding) in bindings(repositories) {
        let queues = names.stated(repository, &binding.key);
        let sources = names.stated(repository, &binding.member);
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
            .filter(|consumer| names.is_queue_of(repository, &binding.key, consumer.repository))
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
    let names = TopicNames::new(repositories, network);
    let topics = with_bound(repositories, &names, ends(repositories, &names));
    let systems = names.systems();
    let senders = type_senders(repositories);
    let emitted = emitted(&topics);
    let confidence = |topic: &str, producer: usize, consumer: &TopicEnd<'_>| {
        let is_typed = !topic.starts_with("bus:") || senders.contains(&producer);
        let may_be_one = systems.may_be_one(producer, consumer.repository);
        let is_likely_one = systems.is_likely_one(producer, consumer.repository);
        // The names of constants are as common as those of types.
        let is_one_system = if is_constant(topic) { is_likely_one } else { has_words(topic) || may_be_one };
        // A consumer by the type of a message says that types name topics. The producer may all the same be an event within its program.
        if !is_typed && has_typed_bus(&consumer.used.key) && !is_generic(topic) && is_likely_one {
            return WITHOUT_BROKER;
        }
        let is_emitted = [topic, &consumer.used.key].iter().any(|name| emitted.contains(*name));
        let has_keys = has_known_key(topic) && has_known_key(&consumer.used.key);
        let is_confirmed = is_typed && has_keys && !is_generic(topic) && is_one_system;
        let has_broker = ![topic, &consumer.used.key].iter().any(|topic| topic.starts_with(ANY_BROKER))
            && is_of_framework(topic) == is_of_framework(&consumer.used.key);
        match is_confirmed {
            true if has_broker && !is_variable(topic) => CONFIRMED,
            true if has_words(topic) && is_likely_one && !is_emitted => WITHOUT_BROKER,
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

/// Returns the topics without a broker that a program sends and receives itself. Such texts are events within programs.
fn emitted(topics: &TopicEnds<'_>) -> BTreeSet<String> {
    let is_of_program = |[producers, consumers]: &[Vec<TopicEnd<'_>>; 2]| {
        producers.iter().any(|one| consumers.iter().any(|other| one.repository == other.repository))
    };
    let hidden = topics.iter().filter(|(topic, _)| topic.starts_with(ANY_BROKER) && !is_constant(topic));
    hidden.filter(|(_, ends)| is_of_program(ends)).map(|(topic, _)| topic.clone()).collect()
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
    // A library or a framework may hide the broker on one side.
    let hidden = equivalents(topic).into_iter().filter_map(|name| topics.get_key_value(&name)).map(|(name, _)| name);
    of_patterns.chain(of_brokers).chain(of_queue).chain(hidden)
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
