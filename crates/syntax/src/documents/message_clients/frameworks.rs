//! Frameworks that hide the broker: NestJS, Watermill, FastStream, Asynq.

use super::{MessageClient, NONE, call, call_if};

/// Microservices of NestJS.
pub(super) const NEST: MessageClient = MessageClient {
    broker: "nest",
    marks: &["@nestjs/microservices"],
    publishes: &[
        call("lient.emit", "M"),
        call("lient.send", "M"),
        call("ClientProxy.emit", "M"),
        call("ClientProxy.send", "M"),
        call("ClientKafka.emit", "M"),
        call("ClientKafka.send", "M"),
    ],
    consumes: &[call("@EventPattern", "M"), call("@MessagePattern", "M")],
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

/// Asynq of Go, whose tasks have names.
pub(super) const ASYNQ: MessageClient = MessageClient {
    broker: "asynq",
    marks: &["hibiken/asynq"],
    publishes: &[call("asynq.NewTask", "T")],
    consumes: &[call_if("ux.HandleFunc", "T", "asynq.NewServeMux"), call_if("ux.Handle", "T", "asynq.NewServeMux")],
    ..NONE
};

/// FastStream of Python, by its brokers.
pub(super) const FASTSTREAM_RABBIT: MessageClient = MessageClient {
    broker: "rabbitmq",
    marks: &["faststream.rabbit"],
    publishes: &[call("roker.publish", "_K"), call("@broker.publisher", "K"), call("@router.publisher", "K")],
    consumes: &[call("@broker.subscriber", "Q"), call("@router.subscriber", "Q")],
    names: &[("queue", 'Q'), ("routing_key", 'K'), ("exchange", 'E')],
    ..NONE
};

/// See [`FASTSTREAM_RABBIT`].
pub(super) const FASTSTREAM_KAFKA: MessageClient =
    MessageClient { broker: "kafka", marks: &["faststream.kafka", "faststream.confluent"], ..FASTSTREAM };

/// See [`FASTSTREAM_RABBIT`].
pub(super) const FASTSTREAM_NATS: MessageClient =
    MessageClient { broker: "nats", marks: &["faststream.nats"], ..FASTSTREAM };

/// See [`FASTSTREAM_RABBIT`].
pub(super) const FASTSTREAM_REDIS: MessageClient =
    MessageClient { broker: "redis", marks: &["faststream.redis"], ..FASTSTREAM };

/// The notations of the brokers whose topics have one name.
const FASTSTREAM: MessageClient = MessageClient {
    publishes: &[call("roker.publish", "_T"), call("@broker.publisher", "T"), call("@router.publisher", "T")],
    consumes: &[call("@broker.subscriber", "T"), call("@router.subscriber", "T")],
    names: &[("topic", 'T'), ("subject", 'T'), ("channel", 'T'), ("stream", 'T'), ("list", 'T')],
    ..NONE
};
