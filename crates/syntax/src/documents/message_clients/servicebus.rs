//! Azure Service Bus.

use super::{MessageClient, NONE, call};

/// The clients of Azure Service Bus.
pub(super) const SERVICE_BUS: MessageClient = MessageClient {
    broker: "servicebus",
    marks: &["ServiceBus", "servicebus", "service-bus"],
    publishes: &[
        call("CreateSender", "T"),
        call("createSender", "T"),
        call("get_queue_sender", "T"),
        call("get_topic_sender", "T"),
        call("lient.NewSender", "T"),
        call(".sender", "_"),
    ],
    consumes: &[
        call("CreateProcessor", "T"),
        call("CreateReceiver", "T"),
        call("createReceiver", "T"),
        call("get_queue_receiver", "T"),
        call("get_subscription_receiver", "T"),
        call("NewReceiverForQueue", "T"),
        call("NewReceiverForSubscription", "T"),
        call("[ServiceBusTrigger", "T"),
        call(".processor", "_"),
    ],
    names: &[
        ("queue_name", 'T'),
        ("topic_name", 'T'),
        ("queueName", 'T'),
        ("topicName", 'T'),
        (".queueName(", 'T'),
        (".topicName(", 'T'),
    ],
    ..NONE
};
