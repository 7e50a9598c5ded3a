//! Clients of Kafka.

use super::*;

#[test]
fn clients_of_kafka() {
    use Language::*;
    check(&[
        (
            Kotlin,
            "val consumer = KafkaConsumer<String, ByteArray>(props).apply {\n  subscribe(listOf(topic))\n}\nconst val topic = \"orders\"",
            "kafka consume {name:props}, kafka consume orders",
        ),
        (
            Java,
            "class A {\n  private final KafkaTemplate<Long, Order> template;\n  void f() {\n    template.send(\"paid-orders\", id, order);\n    mytemplate.send(\"others\", id);\n  }\n}",
            "kafka publish paid-orders",
        ),
        (
            Java,
            "KStream<Long, Order> f(StreamsBuilder builder) {\n  return builder\n    .stream(\"paid-orders\", Consumed.with(a, b));\n}",
            "kafka consume paid-orders",
        ),
        (Java, "// KafkaTemplate\nOther template; void f() { template.send(\"orders\"); }", ""),
        (Go, "// sarama\np.SendMessage(&sarama.ProducerMessage{Topic: \"orders\", Value: v})", "kafka publish orders"),
        (Go, "// sarama\nconsumerGroup.Consume(ctx, []string{\"a.b\"}, h)", "kafka consume a.b"),
        (
            Go,
            "// kafka-go\nw := &kafka.Writer{Addr: a, Topic: \"orders\"}\nw.WriteMessages(ctx, kafka.Message{Value: b})",
            "kafka publish orders",
        ),
        (
            Go,
            "// confluent kafka\np.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic}}, nil)\nvar topic = \"orders\"",
            "kafka publish orders",
        ),
        (
            Go,
            "// franz kgo.\nr := &kgo.Record{Topic: \"orders\", Value: v}\nc, _ := kgo.NewClient(kgo.ConsumeTopics(\"pays\", \"bills\"))",
            "kafka publish orders, kafka consume pays",
        ),
        (
            Java,
            "// Kafka\n@KafkaListener(topics = {\"orders\", \"pays\"}, groupId = \"g\")",
            "kafka consume orders, kafka consume pays",
        ),
        (
            Java,
            "import org.apache.kafka;\nnew ProducerRecord<String, Order>(\"orders\", key, order);\nconsumer.subscribe(Arrays.asList(\"orders\"));",
            "kafka publish orders, kafka consume orders",
        ),
        (
            Java,
            "// KStream\nKStream<String, Order> s = builder.stream(\"orders\", c);\ns.filter(f).to(\"paid-orders\");\nx.to(y.z());",
            "kafka consume orders, kafka publish paid-orders",
        ),
        (
            Java,
            "// org.springframework.kafka\n@Value(\"${app.topic}\")\nprivate String ordersTopic;\nvoid f() { kafkaTemplate.send(ordersTopic, x); }",
            "kafka publish {env:app.topic}",
        ),
        (
            Java,
            "import org.springframework.cloud.stream.function.StreamBridge; // spring.cloud.stream\nstreamBridge.send(\"orders-out-0\", order);",
            "kafka publish {env:spring.cloud.stream.bindings.orders-out-0.destination}|orders-out-0",
        ),
        (
            Java,
            "import org.eclipse.microprofile.reactive.messaging.Incoming;\n@Incoming(\"orders\")\n@Channel(\"pays\") Emitter<String> e;",
            "kafka consume {env:mp.messaging.incoming.orders.topic}|orders, kafka publish {env:mp.messaging.outgoing.pays.topic}|pays",
        ),
        (Java, "@KafkaClient\ninterface A { @Topic(\"orders\") void send(String m); }", "kafka publish orders"),
        (Java, "@KafkaListener\nclass A { @Topic(\"orders\") void on(String m) {} }", "kafka consume orders"),
        (
            Kotlin,
            "import org.apache.kafka\nproducer.send(ProducerRecord(TOPIC, value))\nconst val TOPIC = \"orders\"\nconsumer.subscribe(listOf(\"pays\"))",
            "kafka publish orders, kafka consume pays",
        ),
        (
            Python,
            "from aiokafka import x\nawait producer.send_and_wait(\"orders\", b\"x\")\nc = AIOKafkaConsumer('pays', loop=l)",
            "kafka publish orders, kafka consume pays",
        ),
        (
            Python,
            "from confluent_kafka import x\nproducer.produce('orders', value=v)\nconsumer.subscribe(['pays'])",
            "kafka publish orders, kafka consume pays",
        ),
        (
            Python,
            "import faust\norders = app.topic('orders', value_type=Order)\n@app.agent(orders)\nasync def f(s): pass",
            "kafka consume orders",
        ),
        (
            TypeScript,
            "import { Kafka } from 'kafkajs'\nproducer.send({ messages, topic: 'orders' })\nawait consumer.subscribe({ topic: TOPIC, fromBeginning: true })\nconst TOPIC = 'pays'",
            "kafka publish orders, kafka consume pays",
        ),
        (
            CSharp,
            "using Confluent.Kafka;\nproducer.Produce(\"orders\", new Message<Null, string> { Value = v });\nconsumer.Subscribe(new[] { \"pays\" });",
            "kafka publish orders, kafka consume pays",
        ),
        (
            Rust,
            "// rdkafka\np.send(FutureRecord::to(\"orders\").payload(x), d).await;\nconsumer.subscribe(&[\"pays\"])?;",
            "kafka publish orders, kafka consume pays",
        ),
        (
            Php,
            "// rdkafka\n$t = $producer->newTopic('orders');\n$consumer->subscribe(['pays']);",
            "kafka publish orders, kafka consume pays",
        ),
        (
            Java,
            "import io.vertx.kafka.client.consumer.KafkaConsumer;\nKafkaConsumer.<String, Order>create(vertx, config)\n  .subscribe(\"orders\")\n  .toFlowable();\nproducer.rxSend(KafkaProducerRecord.create(\"pays\", key, value));",
            "kafka consume orders, kafka publish pays",
        ),
        (
            Java,
            "import io.vertx.kafka.client.consumer.KafkaConsumer;\nconsumer.toFlowable()\n  .subscribe(record -> f(record));\nflow\n  .subscribe(this::onOrder);\nchain\n  .subscribe(ORDERS);",
            "kafka consume {name:ORDERS}",
        ),
        (Java, "import io.reactivex.Flowable; // kafka\nflow\n  .subscribe(\"orders\");", ""),
        // Near misses: computed topics, other methods, and a file that has no client.
        (Java, "// Kafka\nproducer.send(recordFor(order));\nproducer.sendOffsets(\"orders\");", ""),
        (Python, "import kafka\nproducer.send(self.topic_of(x), b'')", ""),
        (TypeScript, "producer.send({ topic: 'orders' })", ""),
    ]);
}
