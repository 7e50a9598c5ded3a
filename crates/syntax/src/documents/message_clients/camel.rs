//! Apache Camel: the endpoints of a route are URIs whose scheme names the broker.

use super::{MessageClient, NONE, call};

/// Routes of Camel.
pub(super) const CAMEL: MessageClient = MessageClient {
    broker: "camel",
    marks: &["org.apache.camel"],
    publishes: &[call(".to", "U"), call(".toD", "U"), call(".wireTap", "U")],
    consumes: &[call("from", "U"), call(".pollEnrich", "U")],
    ..NONE
};

/// Schemes of endpoints, with the brokers that other clients name.
const SCHEMES: &[(&str, &str)] = &[
    ("kafka", "kafka"),
    ("jms", "jms"),
    ("activemq", "jms"),
    ("activemq6", "jms"),
    ("sjms", "jms"),
    ("sjms2", "jms"),
    ("amqp", "jms"),
    ("rabbitmq", "rabbitmq"),
    ("spring-rabbitmq", "rabbitmq"),
    ("nats", "nats"),
    ("paho", "mqtt"),
    ("paho-mqtt5", "mqtt"),
    ("aws-sqs", "sqs"),
    ("aws2-sqs", "sqs"),
    ("aws-sns", "sns"),
    ("aws2-sns", "sns"),
    ("google-pubsub", "pubsub"),
    ("azure-servicebus", "servicebus"),
];

/// Returns the broker and the topic of an endpoint; `None` if it is not that of a broker, or the topic is computed.
pub(in super::super) fn endpoint(written: &str, direction: &str) -> Option<(&'static str, String)> {
    let (uri, rest) = written.trim().strip_prefix('"')?.split_once('"')?;
    // A part of a text is no endpoint: `"kafka:orders" + suffix`.
    if !rest.trim().is_empty() {
        return None;
    }
    let (scheme, rest) = uri.split_once(':')?;
    let (_, broker) = SCHEMES.iter().find(|(known, _)| *known == scheme)?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.trim_start_matches('/');
    let option = |name: &str| query.split('&').find_map(|one| one.strip_prefix(name)?.strip_prefix('='));
    let topic = match *broker {
        "jms" => path.trim_start_matches("queue:").trim_start_matches("topic:").to_owned(),
        "pubsub" => path.rsplit(':').next().unwrap_or(path).to_owned(),
        "rabbitmq" if direction == "consume" => option("queues").or_else(|| option("queue"))?.to_owned(),
        "rabbitmq" if path.contains([':', '/']) => return None,
        "rabbitmq" => format!("{path}/{}", option("routingKey").unwrap_or_default()),
        // The path may be the address of the broker: `kafka:localhost:9092?topic=orders`.
        "kafka" | "nats" => match option("topic") {
            Some(topic) => topic.to_owned(),
            None if path.contains(':') && !path.starts_with("{{") => return None,
            None => path.to_owned(),
        },
        _ => path.to_owned(),
    };
    // `{{orders.topic}}` is a property.
    let topic = match topic.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
        Some(property) if !property.contains(['{', ':']) => format!("{{env:{property}}}"),
        _ => topic,
    };
    let is_known = !topic.is_empty() && topic != "/" && !topic.contains(['$', ' ']) && !topic.contains("{{");
    is_known.then_some((*broker, topic))
}
