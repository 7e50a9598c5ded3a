//! MQTT.

use super::{MessageClient, NONE, call};

/// The clients of MQTT.
pub(super) const MQTT: MessageClient = MessageClient {
    broker: "mqtt",
    marks: &["mqtt", "MQTT", "Mqtt", "paho"],
    publishes: &[call("lient.publish", "T"), call("lient.Publish", "T"), call("qtt.publish", "T")],
    consumes: &[call("lient.subscribe", "T"), call("lient.Subscribe", "T"), call("qtt.subscribe", "T")],
    names: &[("topic", 'T')],
    ..NONE
};
