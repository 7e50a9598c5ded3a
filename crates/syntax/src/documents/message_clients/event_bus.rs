//! Event buses that a system has of its own.

use super::{MessageClient, NONE, call, call_if};

/// An event bus.
pub(super) const EVENT_BUS: MessageClient = MessageClient {
    broker: "bus",
    marks: &[
        "EventBus",
        "eventBus",
        "event_bus",
        "MessageBus",
        "messageBus",
        "IntegrationEvent",
        "essagePublisher",
        "essageHandler",
        "essageSubscriber",
        "treamPublisher",
        "treamSubscriber",
    ],
    publishes: &[
        call("ventBus.Publish", "Y"),
        call("ventBus.PublishAsync", "Y"),
        call("ventBus.publish", "Y"),
        call_if("us.Publish", "Y", "EventBus"),
        call_if("us.PublishAsync", "Y", "EventBus"),
        call("essageBus.Publish", "Y"),
        call("essageBus.PublishAsync", "Y"),
        call("essageBus.publish", "Y"),
        call("essagePublisher.Publish", "Y"),
        call("essagePublisher.PublishAsync", "Y"),
        call("essagePublisher.PublishMessage", "Y"),
        call("essagePublisher.PublishMessageAsync", "Y"),
        call("essagePublisher.publish", "Y"),
        call("treamPublisher.Publish", "T"),
        call("treamPublisher.PublishAsync", "T"),
        call("treamPublisher.publish", "T"),
    ],
    consumes: &[
        call("IntegrationEventHandler", "G"),
        call("IEventHandler", "G"),
        call("IMessageHandler", "G"),
        call("AddSubscription", "G"),
        call("ventBus.Subscribe", "G"),
        call("essageSubscriber.Subscribe", "G"),
        call("essageSubscriber.SubscribeAsync", "G"),
        call("treamSubscriber.Subscribe", "T"),
        call("treamSubscriber.SubscribeAsync", "T"),
        call("treamSubscriber.subscribe", "T"),
    ],
    ..NONE
};
