//! Dapr.

use super::{MessageClient, NONE, call};

/// The clients of Dapr.
pub(super) const DAPR: MessageClient = MessageClient {
    broker: "dapr",
    marks: &["dapr", "Dapr"],
    publishes: &[
        call("publish_event", "_T"),
        call("PublishEventAsync", "_T"),
        call("PublishEvent", "_T"),
        call("publishEvent", "_T"),
        call("pubsub.publish", "_T"),
    ],
    consumes: &[
        call("[Topic", "_T"),
        call("WithTopic", "_T"),
        call("@Topic", "_"),
        call("pubsub.subscribe", "_T"),
        call("app.subscribe", "_T"),
        call("common.Subscription", "_"),
    ],
    names: &[("topic", 'T'), ("Topic", 'T'), ("name", 'T'), ("topic_name", 'T'), ("topicName", 'T')],
    ..NONE
};
