//! The clients of brokers and of background jobs, by their notations. A new client is an entry in the file of its family.

mod aws;
mod camel;
mod dapr;
mod dotnet;
mod event_bus;
mod event_sourcing;
mod frameworks;
mod jms;
mod jobs;
mod kafka;
mod mqtt;
mod nats;
mod procedures;
mod pubsub;
mod pulsar;
mod rabbitmq;
mod redis;
mod servicebus;
mod shared_names;

pub(super) use camel::endpoint;

/// A client library, or several with the same notations.
pub(super) struct MessageClient {
    pub(super) broker: &'static str,
    /// One of these is in a file that uses the client.
    pub(super) marks: &'static [&'static str],
    /// One of these is in the file besides; empty if the marks suffice.
    pub(super) requires: &'static [&'static str],
    pub(super) publishes: &'static [MessageCall],
    pub(super) consumes: &'static [MessageCall],
    /// Calls that lead the messages of a topic or exchange to a queue or subscription.
    pub(super) binds: &'static [MessageCall],
    /// Named arguments, or fields of an object, with their roles.
    pub(super) names: &'static [(&'static str, char)],
}

/// A call: its notation up to the type arguments or the bracket, and the roles of its arguments in order.
///
/// Roles: `T` the topic, `E` an exchange, `K` a routing key, `Q` a queue, `S` a subscription, `Y` a message whose type names the topic,
/// `G` a type argument that names it, `O` types as values (`typeof(A)`), `P` a parameter of this type, `C` a class by its full name, `N` any
/// constant of a topic, `L` any text of several words, `V` a text, a variable of the environment or a constant in capitals, `M` a pattern of NestJS,
/// `U` the URI of an endpoint of Camel, `_` anything else. Alternatives for other numbers of arguments are separated by `|`;
/// the last one is for any number.
#[derive(Clone, Copy)]
pub(super) struct MessageCall {
    pub(super) notation: &'static str,
    pub(super) roles: &'static str,
    /// The setting that names the topic of a channel, with `{}` for the channel; empty if the argument is the topic itself.
    pub(super) setting: &'static str,
    /// Another notation that the file must have; empty if none.
    pub(super) requires: &'static str,
}

impl MessageClient {
    /// Returns true if a file with this text uses the client, given that it has one of the marks.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.requires.is_empty() || self.requires.iter().any(|required| text.contains(required))
    }
}

const fn call(notation: &'static str, roles: &'static str) -> MessageCall {
    MessageCall { notation, roles, setting: "", requires: "" }
}

const fn channel(notation: &'static str, setting: &'static str) -> MessageCall {
    MessageCall { notation, roles: "T", setting, requires: "" }
}

const fn call_if(notation: &'static str, roles: &'static str, requires: &'static str) -> MessageCall {
    MessageCall { notation, roles, setting: "", requires }
}

/// A client without notations, of which the others are made.
const NONE: MessageClient =
    MessageClient { broker: "", marks: &[], requires: &[], publishes: &[], consumes: &[], binds: &[], names: &[] };

/// Named arguments with the topic in many libraries.
const TOPIC_NAMES: &[(&str, char)] = &[
    ("topic", 'T'),
    ("Topic", 'T'),
    ("topics", 'T'),
    ("topicPattern", 'T'),
    ("topicName", 'T'),
    ("topic_name", 'T'),
    ("GroupTopics", 'T'),
];

/// The clients. The first one with a notation of a call wins, so that general notations are at the end.
pub(super) const CLIENTS: &[&MessageClient] = &[
    &camel::CAMEL,
    &dapr::DAPR,
    &servicebus::SERVICE_BUS,
    &frameworks::NEST,
    &frameworks::WATERMILL,
    &frameworks::ASYNQ,
    &frameworks::FASTSTREAM_RABBIT,
    &frameworks::FASTSTREAM_KAFKA,
    &frameworks::FASTSTREAM_NATS,
    &frameworks::FASTSTREAM_REDIS,
    &event_sourcing::EVENTUATE,
    &kafka::MICRONAUT,
    &kafka::STREAMS,
    &kafka::KAFKA,
    &redis::SPRING,
    &aws::SQS,
    &aws::SNS,
    &procedures::PROCEDURES,
    &rabbitmq::RABBITMQ,
    &pubsub::PUBSUB,
    &jobs::CELERY,
    &jobs::SIDEKIQ,
    &jms::JMS,
    &pulsar::PULSAR,
    &mqtt::MQTT,
    &event_sourcing::AXON,
    &nats::TYPED,
    &jobs::BULL,
    &dotnet::MASSTRANSIT,
    &dotnet::NSERVICEBUS,
    &dotnet::WOLVERINE,
    &dotnet::EASYNETQ,
    &event_bus::EVENT_BUS,
    &nats::NATS,
    &redis::REDIS,
    &shared_names::SHARED_NAMES,
    &shared_names::SHARED_TEXTS,
];

/// Expressions of the name of the type of a message. A client with one of them in its file sends messages under the names of types.
pub(super) const TYPE_NAMES: &[&str] = &[
    ".GetType().Name",
    "typeof(T).Name",
    "typeof(TEvent).Name",
    "typeof(TMessage).Name",
    ".getClass().getSimpleName()",
    ".getClass().getName()",
    ".constructor.name",
    ".__class__.__name__",
    "reflect.TypeOf(",
];
