//! Frameworks of event sourcing: Eventuate, Axon.

use super::{MessageClient, NONE, call, call_if};

/// Eventuate of Java.
pub(super) const EVENTUATE: MessageClient = MessageClient {
    broker: "eventuate",
    marks: &["eventuate"],
    publishes: &[
        call("withChannel", "T"),
        call("AbstractAggregateDomainEventPublisher", "G"),
        call("omainEventPublisher.publish", "C"),
    ],
    consumes: &[call("fromChannel", "T"), call("forAggregateType", "C")],
    ..NONE
};

/// Axon of Java.
pub(super) const AXON: MessageClient = MessageClient {
    broker: "axon",
    marks: &["axonframework"],
    publishes: &[
        call("apply", "Y"),
        call("ventGateway.publish", "Y"),
        call("ommandGateway.send", "Y"),
        call("ommandGateway.sendAndWait", "Y"),
        call("ueryGateway.query", "Y"),
    ],
    consumes: &[
        call_if("void on", "P", "@EventHandler"),
        call_if("void on", "P", "@EventSourcingHandler"),
        call_if("fun on", "P", "@EventHandler"),
        call_if("void handle", "P", "@EventHandler"),
        call_if("void handle", "P", "@SagaEventHandler"),
        call_if("void handle", "P", "@CommandHandler"),
        call_if("fun on", "P", "@EventSourcingHandler"),
        call_if("fun handle", "P", "@EventHandler"),
        call_if("fun on", "P", "@SagaEventHandler"),
        call_if("fun handle", "P", "@SagaEventHandler"),
        call_if("fun handle", "P", "@CommandHandler"),
        call_if("fun handle", "P", "@QueryHandler"),
        call_if(" handle", "P", "@QueryHandler"),
        call_if("constructor", "P", "@CommandHandler"),
    ],
    ..NONE
};
