//! NATS and its streams.

use super::{MessageClient, NONE, call};

/// Publishers and listeners whose type argument names the subject.
pub(super) const TYPED: MessageClient = MessageClient {
    broker: "nats",
    marks: &["extends Publisher<", "extends Listener<"],
    requires: &["nats-streaming", "from 'nats", "from \"nats"],
    publishes: &[call("extends Publisher", "G")],
    consumes: &[call("extends Listener", "G")],
    ..NONE
};

/// The other clients of NATS.
pub(super) const NATS: MessageClient = MessageClient {
    broker: "nats",
    marks: &["nats", "NATS", "Nats", "Gnat"],
    publishes: &[
        call(".Publish", "T"),
        call(".PublishAsync", "T"),
        call(".publish", "T"),
        call("nats.Msg", "_"),
        call("nats.NewMsg", "T"),
        call("onn.Request", "T"),
        call("nc.Request", "T"),
        call("nc.request", "T"),
        call("Gnat.pub", "_T"),
    ],
    consumes: &[
        call(".Subscribe", "T"),
        call(".SubscribeSync", "T"),
        call(".QueueSubscribe", "T"),
        call(".PullSubscribe", "T"),
        call(".ChanSubscribe", "T"),
        call(".subscribe", "T"),
        call(".queue_subscribe", "T"),
        call(".pull_subscribe", "T"),
        call("Gnat.sub", "__T"),
    ],
    names: &[("subject", 'T'), ("Subject", 'T')],
    ..NONE
};
