//! Clients that a library of the system wraps: a topic is known by the constant that both sides name.

use super::{MessageClient, NONE, call};

/// Calls that may send or receive, with a constant of a topic among their arguments. The broker is not known.
pub(super) const SHARED_NAMES: MessageClient = MessageClient {
    broker: "any",
    marks: &["Topic", "TOPIC", "Queue", "QUEUE", "Exchange", "EXCHANGE", "Subject", "SUBJECT", "RoutingKey"],
    publishes: &[
        call(".Publish", "N"),
        call(".PublishAsync", "N"),
        call(".publish", "N"),
        call(".Emit", "N"),
        call(".emit", "N"),
        call(".Produce", "N"),
        call(".produce", "N"),
        call(".SendMessage", "N"),
        call(".sendMessage", "N"),
        call(".send_message", "N"),
        call(".publishEvent", "N"),
        call(".publish_event", "N"),
        call(".PublishEvent", "N"),
        call(".publishMessage", "N"),
        call(".PublishMessage", "N"),
    ],
    consumes: &[
        call(".Subscribe", "N"),
        call(".SubscribeAsync", "N"),
        call(".subscribe", "N"),
        call(".Consume", "N"),
        call(".consume", "N"),
        call(".RegisterHandler", "N"),
        call(".registerHandler", "N"),
        call(".register_handler", "N"),
    ],
    ..NONE
};
