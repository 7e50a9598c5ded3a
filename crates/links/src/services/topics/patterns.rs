//! Topics with wildcards, exchanges and routing keys.

use crate::contracts::has_known_key;

/// Returns true for a topic of RabbitMQ with an exchange: `rabbitmq:EXCHANGE/KEY`.
pub(super) fn is_routed(topic: &str) -> bool {
    topic.strip_prefix("rabbitmq:").is_some_and(|name| name.contains('/'))
}

/// Returns true if a topic is one of a pattern: `*` is a part, `>` and `#` are all parts that follow.
///
/// With exchanges of RabbitMQ, the exchanges are equal or one is not known. An exchange without a key gives its messages to all
/// its queues, and a queue may be bound without a key. A key that is not known may be any.
pub(super) fn matches(pattern: &str, topic: &str) -> bool {
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
pub(super) fn route(topic: &str) -> Option<(Option<&str>, &str)> {
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
