//! Google Pub/Sub.

use super::{MessageClient, NONE, call};

/// The clients of Google Pub/Sub.
pub(super) const PUBSUB: MessageClient = MessageClient {
    broker: "pubsub",
    marks: &["pubsub", "PubSub", "Pubsub"],
    publishes: &[
        call("client.Topic", "T"),
        call("lient.Publisher", "T"),
        call("topic_path", "_T"),
        call(".topic", "T"),
        call("TopicName.of", "_T"),
        call("TopicName", "_T"),
        call("TopicName.FromProjectTopic", "_T"),
        call("ubSubTemplate.publish", "T"),
    ],
    consumes: &[
        call("client.Subscription", "T"),
        call("lient.Subscriber", "T"),
        call("subscription_path", "_T"),
        call(".subscription", "T"),
        call("SubscriptionName.of", "_T"),
        call("SubscriptionName", "_T"),
        call("SubscriptionName.FromProjectSubscription", "_T"),
        call("ubSubTemplate.subscribe", "T"),
    ],
    binds: &[call("CreateSubscription", "S"), call("createSubscription", "TS|ST")],
    names: &[("Topic", 'T')],
    ..NONE
};
