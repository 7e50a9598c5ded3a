//! JMS.

use super::{MessageClient, NONE, call};

/// The clients of JMS.
pub(super) const JMS: MessageClient = MessageClient {
    broker: "jms",
    marks: &["jmsTemplate", "JmsTemplate", "@JmsListener", "jakarta.jms", "javax.jms"],
    publishes: &[
        call("msTemplate.convertAndSend", "T"),
        call("msTemplate.send", "T"),
        call("msTemplate.sendAndReceive", "T"),
    ],
    consumes: &[call("@JmsListener", "_"), call("msTemplate.receive", "T"), call("msTemplate.receiveAndConvert", "T")],
    names: &[("destination", 'T')],
    ..NONE
};
