//! RabbitMQ and other brokers of AMQP.

use super::{MessageClient, NONE, call, call_if};

/// The clients of RabbitMQ.
pub(super) const RABBITMQ: MessageClient = MessageClient {
    broker: "rabbitmq",
    marks: &["amqp", "pika", "rabbit", "Rabbit", "bunny", "Bunny", "kombu", "lapin"],
    publishes: &[
        call("->basic_publish", "_EK"),
        call("basic_publish", "EK"),
        call("basicPublish", "EK"),
        call("BasicPublish", "EK"),
        call("BasicPublishAsync", "EK"),
        call("convertAndSend", "_|K_|EK_"),
        call("convertSendAndReceive", "_|K_|EK_"),
        call("hannel.publish", "EK"),
        call("hannel.Publish", "EK"),
        call("ch.publish", "EK"),
        call("ch.Publish", "EK"),
        call("PublishWithContext", "EK"),
        call("sendToQueue", "K"),
        call("createPublisher", "_"),
        call("open_sender", "Q"),
        call("ession.NewSender", "Q"),
        call("xchange.publish", "_"),
        call("roducer.publish", "_"),
        call_if("onnection.publish", "EK", "@golevelup/nestjs-rabbitmq"),
    ],
    consumes: &[
        call("createConsumer", "_"),
        call("open_receiver", "Q"),
        call("ession.NewReceiver", "Q"),
        call("basic_consume", "Q"),
        call("basicConsume", "Q"),
        call("BasicConsume", "Q"),
        call("BasicConsumeAsync", "Q"),
        call("@RabbitListener", "_"),
        call("@RabbitSubscribe", "_"),
        call("@RabbitRPC", "_"),
        call("hannel.consume", "Q"),
        call("hannel.Consume", "Q"),
        call("ch.consume", "Q"),
        call("ch.Consume", "Q"),
        call_if("hannel.queue", "Q", ".subscribe"),
    ],
    binds: &[
        call("queue_bind", "QEK"),
        call("queueBind", "QEK"),
        // With five arguments, the exchange is the last name.
        call("QueueBind", "QKE__|QEK"),
        call("QueueBindAsync", "QEK"),
        call("bindQueue", "QEK"),
        call("QueueBinding", "_"),
        call_if(".with", "K", "BindingBuilder"),
        call_if("ueue.bind", "_K", "aio_pika"),
    ],
    names: &[
        ("exchange", 'E'),
        ("Exchange", 'E'),
        ("routing_key", 'K'),
        ("routingKey", 'K'),
        ("key", 'K'),
        ("queue", 'Q'),
        ("queues", 'Q'),
    ],
    ..NONE
};
