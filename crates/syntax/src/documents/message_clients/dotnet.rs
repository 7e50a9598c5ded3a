//! Buses of .NET, whose messages are known by their types.

use super::{MessageClient, NONE, call, call_if};

/// MassTransit.
pub(super) const MASSTRANSIT: MessageClient = MessageClient {
    broker: "masstransit",
    // A base class may give its controllers the endpoint.
    marks: &["MassTransit", "PublishEndpoint", "SendEndpoint", "ConsumeContext<"],
    publishes: &[call(".Publish", "Y"), call(".Send", "Y")],
    consumes: &[call("IConsumer", "G"), call_if("Event", "G", "MassTransitStateMachine")],
    ..NONE
};

/// NServiceBus and Rebus.
pub(super) const NSERVICEBUS: MessageClient = MessageClient {
    broker: "nservicebus",
    marks: &["NServiceBus", "IHandleMessages<", "IMessageSession", "Rebus"],
    publishes: &[call(".Publish", "Y"), call(".Send", "Y"), call(".SendLocal", "Y")],
    consumes: &[call("IHandleMessages", "G"), call("IAmStartedByMessages", "G"), call("IAmInitiatedBy", "G")],
    ..NONE
};

/// Wolverine.
pub(super) const WOLVERINE: MessageClient = MessageClient {
    broker: "wolverine",
    marks: &["Wolverine", "IMessageBus"],
    publishes: &[call("us.PublishAsync", "Y"), call("us.SendAsync", "Y")],
    consumes: &[call("ListenToTopic", "G"), call("void Handle", "P"), call("Task Handle", "P")],
    ..NONE
};

/// EasyNetQ.
pub(super) const EASYNETQ: MessageClient = MessageClient {
    broker: "easynetq",
    marks: &["EasyNetQ"],
    publishes: &[
        call("PubSub.Publish", "Y"),
        call("PubSub.PublishAsync", "Y"),
        call("us.Publish", "Y"),
        call("us.PublishAsync", "Y"),
    ],
    consumes: &[
        call("PubSub.Subscribe", "G"),
        call("PubSub.SubscribeAsync", "G"),
        call("us.Subscribe", "G"),
        call("us.SubscribeAsync", "G"),
    ],
    ..NONE
};
