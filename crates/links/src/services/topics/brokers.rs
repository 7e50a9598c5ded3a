//! Brokers that stand for each other: a library, a framework or a bus hides the one behind it.

/// Buses whose clients always name a topic by the type of its messages.
pub(super) const TYPED_BUSES: [&str; 3] = ["masstransit", "nservicebus", "wolverine"];

/// Brokers whose topics an event bus may name by the type of a message.
pub(super) const BUS_BROKERS: [&str; 5] = ["dapr", "kafka", "servicebus", "nats", "redis"];

/// The broker of a topic whose client a library of the system wraps.
pub(super) const ANY_BROKER: &str = "any:";

/// Brokers that such a library may use.
const WRAPPED_BROKERS: [&str; 11] =
    ["kafka", "rabbitmq", "nats", "redis", "servicebus", "pubsub", "sqs", "mqtt", "jms", "nest", "watermill"];

/// Frameworks whose settings choose the broker.
const FRAMEWORKS: [&str; 2] = ["nest", "watermill"];

/// Brokers that these frameworks use.
const OF_FRAMEWORKS: [&str; 5] = ["kafka", "rabbitmq", "nats", "redis", "mqtt"];

/// Returns the topics of other brokers that a topic may be.
pub(super) fn equivalents(topic: &str) -> Vec<String> {
    let Some((broker, name)) = topic.split_once(':') else { return Vec::new() };
    let mut found: Vec<&str> = Vec::new();
    if topic.starts_with(ANY_BROKER) {
        found.extend(WRAPPED_BROKERS);
    } else if WRAPPED_BROKERS.contains(&broker) {
        found.push(ANY_BROKER.trim_end_matches(':'));
    }
    if FRAMEWORKS.contains(&broker) {
        found.extend(OF_FRAMEWORKS);
    } else if OF_FRAMEWORKS.contains(&broker) {
        found.extend(FRAMEWORKS);
    }
    found.into_iter().map(|other| format!("{other}:{name}")).collect()
}

/// Returns true for a topic of a framework whose settings choose the broker.
pub(super) fn is_of_framework(topic: &str) -> bool {
    topic.split_once(':').is_some_and(|(broker, _)| FRAMEWORKS.contains(&broker))
}

/// Returns true for a topic of a bus whose clients always name it by the type of its messages.
pub(super) fn has_typed_bus(topic: &str) -> bool {
    topic.split_once(':').is_some_and(|(broker, _)| TYPED_BUSES.contains(&broker))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brokers_stand_for_those_that_they_hide() {
        for (topic, other, expected) in [
            ("any:orders.paid", "kafka:orders.paid", true),
            ("kafka:orders.paid", "any:orders.paid", true),
            ("nest:orders.paid", "kafka:orders.paid", true),
            ("kafka:orders.paid", "nest:orders.paid", true),
            ("kafka:orders.paid", "rabbitmq:orders.paid", false),
            ("celery:orders.paid", "any:orders.paid", false),
            ("nest:orders.paid", "celery:orders.paid", false),
        ] {
            assert_eq!(equivalents(topic).iter().any(|one| one == other), expected, "{topic} {other}");
        }
    }
}
