//! Frameworks that hide the broker: NestJS, Watermill.

use super::{MessageClient, NONE, call};

/// Microservices of NestJS.
pub(super) const NEST: MessageClient = MessageClient {
    broker: "nest",
    marks: &["@nestjs/microservices"],
    publishes: &[call("lient.emit", "T"), call("lient.send", "T")],
    consumes: &[call("@EventPattern", "T"), call("@MessagePattern", "T")],
    ..NONE
};

/// Watermill of Go.
pub(super) const WATERMILL: MessageClient = MessageClient {
    broker: "watermill",
    marks: &["watermill"],
    publishes: &[call("ublisher.Publish", "T")],
    consumes: &[call("ubscriber.Subscribe", "T"), call("AddNoPublisherHandler", "_T"), call("AddHandler", "_T")],
    ..NONE
};
