//! Background jobs: Celery, Sidekiq, Bull.

use super::{MessageClient, NONE, call};

/// Celery of Python.
pub(super) const CELERY: MessageClient = MessageClient {
    broker: "celery",
    marks: &["celery", "Celery"],
    publishes: &[call("send_task", "T"), call("celery.signature", "T")],
    consumes: &[call("app.task", "_"), call("shared_task", "_"), call("celery.task", "_")],
    names: &[("name", 'T')],
    ..NONE
};

/// Sidekiq of Ruby.
pub(super) const SIDEKIQ: MessageClient = MessageClient {
    broker: "sidekiq",
    marks: &["Sidekiq", "sidekiq", "perform_async", "perform_in"],
    publishes: &[call("Sidekiq::Client.push", "_")],
    names: &[("'class' =>", 'T'), ("\"class\" =>", 'T'), ("class:", 'T')],
    ..NONE
};

/// Bull of JavaScript.
pub(super) const BULL: MessageClient = MessageClient {
    broker: "bull",
    marks: &["bullmq", "'bull'", "\"bull\"", "@nestjs/bull"],
    publishes: &[call("new Queue", "T"), call("@InjectQueue", "T")],
    consumes: &[call("new Worker", "T"), call("@Processor", "T")],
    ..NONE
};
