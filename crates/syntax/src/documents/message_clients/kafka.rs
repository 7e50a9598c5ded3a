//! Kafka: its own clients, its streams, Micronaut, SmallRye and Spring.

use super::{MessageClient, NONE, TOPIC_NAMES, call, call_if, channel};

/// Interfaces of Micronaut.
pub(super) const MICRONAUT: MessageClient =
    MessageClient { broker: "kafka", marks: &["@KafkaClient"], publishes: &[call("@Topic", "T")], ..NONE };

/// Streams of Kafka.
pub(super) const STREAMS: MessageClient = MessageClient {
    broker: "kafka",
    marks: &["KStream", "StreamsBuilder", "KTable"],
    publishes: &[call(".to", "T")],
    consumes: &[
        call("uilder.stream", "T"),
        call("uilder.table", "T"),
        call("uilder.globalTable", "T"),
        // A chain has its builder on the line before.
        call_if(".stream", "T", "StreamsBuilder"),
        call_if(".table", "T", "StreamsBuilder"),
    ],
    ..NONE
};

/// The other clients of Kafka.
pub(super) const KAFKA: MessageClient = MessageClient {
    broker: "kafka",
    marks: &["kafka", "Kafka", "sarama", "kgo.", "faust", "microprofile.reactive.messaging", "spring.cloud.stream"],
    publishes: &[
        call("ProducerRecord", "T"),
        call("afkaProducerRecord.create", "T"),
        call("SenderRecord.create", "T"),
        call("FutureRecord::to", "T"),
        call("BaseRecord::to", "T"),
        call("afkaTemplate.send", "T"),
        call("afkaTemplate.sendDefault", "_"),
        call("roducer.send", "T"),
        call("roducer.sendBatch", "_"),
        call("roducer.produce", "T"),
        call("roducer.Produce", "T"),
        call("roducer.ProduceAsync", "T"),
        call("roducer->newTopic", "T"),
        call("roducer.send_and_wait", "T"),
        call("send_and_wait", "T"),
        call("deliver_message", "_"),
        call("ProducerMessage", "_"),
        call("kafka.Writer", "_"),
        call("kafka.NewWriter", "_"),
        call("WriterConfig", "_"),
        call("kafka.Message", "_"),
        call("kgo.Record", "_"),
        channel("streamBridge.send", "spring.cloud.stream.bindings.{}.destination"),
        channel("@Outgoing", "mp.messaging.outgoing.{}.topic"),
        channel("@Channel", "mp.messaging.outgoing.{}.topic"),
    ],
    consumes: &[
        call("@KafkaListener", "T"),
        call("onsumer.subscribe", "T"),
        call("onsumer.Subscribe", "T"),
        call("onsumer->subscribe", "T"),
        call("KafkaConsumer", "T"),
        // A consumer that is the receiver of a block.
        call_if("subscribe", "V", "KafkaConsumer"),
        call("SubscribeTopics", "T"),
        call("ReaderConfig", "_"),
        call("ConsumePartition", "T"),
        call("ConsumeTopics", "T"),
        call("roup.Consume", "T"),
        call_if(".Consume", "T", "sarama"),
        // A chain of Vert.x has its consumer on the line before. Streams have functions of the same name.
        call_if(".subscribe", "V", ".kafka.client.consumer"),
        call_if(".Subscribe", "T", "Confluent.Kafka"),
        call_if(".Subscribe", "T", "confluent-kafka-go"),
        call_if("ConsumerGroup", "_T", "kafka-node"),
        call_if("onsumer.addTopics", "T", "kafka-node"),
        call("Subscriptions.topics", "T"),
        call(".subscription", "T"),
        call("TopicEndpoint", "T"),
        call("app.agent", "T"),
        call_if("@Topic", "T", "@KafkaListener"),
        channel("@Incoming", "mp.messaging.incoming.{}.topic"),
    ],
    names: TOPIC_NAMES,
    ..NONE
};
