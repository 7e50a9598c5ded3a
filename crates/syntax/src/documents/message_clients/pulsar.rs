//! Pulsar.

use super::{MessageClient, NONE, call, call_if};

/// The clients of Pulsar.
pub(super) const PULSAR: MessageClient = MessageClient {
    broker: "pulsar",
    marks: &["pulsar", "Pulsar"],
    publishes: &[
        call("ulsarTemplate.send", "T"),
        call("ulsarTemplate.sendAsync", "T"),
        call(".create_producer", "T"),
        call("ProducerOptions", "_"),
        call(".createProducer", "_"),
        call(".newProducer", "_"),
    ],
    consumes: &[
        call("@PulsarListener", "_"),
        call("ConsumerOptions", "_"),
        call("ReaderOptions", "_"),
        call_if("lient.subscribe", "T", "import pulsar"),
        call_if("lient.subscribe", "_", "pulsar-client"),
        call(".newConsumer", "_"),
    ],
    names: &[("topic", 'T'), ("Topic", 'T'), ("topics", 'T'), (".topic(", 'T')],
    ..NONE
};
