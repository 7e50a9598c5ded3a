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

/// Calls of wrapped clients with a text of several words. Equal texts on both sides tell the topic. What an object emits stays within the
/// program, or goes to a page.
pub(super) const SHARED_TEXTS: MessageClient = MessageClient {
    broker: "any",
    marks: &[
        ".Publish(",
        ".PublishAsync(",
        ".publish(",
        ".publishAsync(",
        ".PublishEvent(",
        ".publishEvent(",
        ".publish_event(",
        ".PublishMessage(",
        ".publishMessage(",
        ".publish_message(",
        ".SendMessage(",
        ".sendMessage(",
        ".send_message(",
        ".Subscribe(",
        ".SubscribeAsync(",
        ".subscribe(",
        ".Consume(",
        ".consume(",
        ".RegisterHandler(",
        ".registerHandler(",
        ".register_handler(",
    ],
    publishes: &[
        call(".Publish", "L"),
        call(".PublishAsync", "L"),
        call(".publish", "L"),
        call(".publishAsync", "L"),
        call(".PublishEvent", "L"),
        call(".publishEvent", "L"),
        call(".publish_event", "L"),
        call(".PublishMessage", "L"),
        call(".publishMessage", "L"),
        call(".publish_message", "L"),
        call(".SendMessage", "L"),
        call(".sendMessage", "L"),
        call(".send_message", "L"),
    ],
    consumes: &[
        call(".Subscribe", "L"),
        call(".SubscribeAsync", "L"),
        call(".subscribe", "L"),
        call(".Consume", "L"),
        call(".consume", "L"),
        call(".RegisterHandler", "L"),
        call(".registerHandler", "L"),
        call(".register_handler", "L"),
    ],
    ..NONE
};
