//! Calls of procedures through a broker: a procedure has the name of its queue.

use super::{MessageClient, NONE, call};

/// Patterns of aio-pika: `RPC` and `Master`.
pub(super) const PROCEDURES: MessageClient = MessageClient {
    broker: "rabbitmq",
    marks: &["aio_pika.patterns"],
    publishes: &[call("rpc.call", "K"), call("aster.create_task", "K")],
    consumes: &[call("rpc.register", "Q"), call("aster.create_worker", "Q")],
    names: &[("method_name", 'K')],
    ..NONE
};
