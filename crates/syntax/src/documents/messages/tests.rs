//! Calls of the clients of brokers: a producer, a consumer and a near miss of each.

use model::{DocumentFormat, Language};

use crate::documents::read;

/// Returns the messages of a text as `BROKER DIRECTION TOPIC`, without lines.
fn messages(language: Language, text: &str) -> String {
    let documents = read(language, text.as_bytes());
    let of_messages = documents.iter().filter(|document| document.format == DocumentFormat::Messages);
    let entries = of_messages.flat_map(|document| &document.entries);
    entries.map(|entry| format!("{} {}", entry.key, entry.value)).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(cases: &[(Language, &str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(language, text, expected)| (text, messages(*language, text), *expected))
        .filter(|(_, found, expected)| found != expected)
        .map(|(text, found, expected)| format!("{text}\n  found    {found}\n  expected {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

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
        // Near misses: computed topics, other methods, and a file that has no client.
        (Java, "// Kafka\nproducer.send(recordFor(order));\nproducer.sendOffsets(\"orders\");", ""),
        (Python, "import kafka\nproducer.send(self.topic_of(x), b'')", ""),
        (TypeScript, "producer.send({ topic: 'orders' })", ""),
    ]);
}

#[test]
fn clients_of_rabbitmq() {
    use Language::*;
    check(&[
        (
            JavaScript,
            "const amqp = require('amqplib')\nch.publish('shop', 'order.paid', Buffer.from(x))\nchannel.sendToQueue('jobs', b)\nawait channel.bindQueue(q.queue, 'shop', 'order.*')\nchannel.consume('mails', f)",
            "rabbitmq publish shop/order.paid, rabbitmq publish jobs, rabbitmq consume shop/order.*, rabbitmq consume mails",
        ),
        (
            Python,
            "import pika\nch.basic_publish(exchange='shop', routing_key='order.paid', body=b)\nch.queue_bind(exchange='shop', queue='q', routing_key='order.#')",
            "rabbitmq publish shop/order.paid, rabbitmq consume shop/order.#",
        ),
        (
            Python,
            "import pika\nch.basic_publish('', 'jobs', b)\nch.basic_consume(callback, queue='jobs')",
            "rabbitmq publish jobs, rabbitmq consume jobs",
        ),
        (
            Java,
            "import org.springframework.amqp;\nrabbitTemplate.convertAndSend(\"shop\", \"order.paid\", x);\nrabbitTemplate.convertAndSend(\"jobs\", x);\n@RabbitListener(queues = \"mails\")",
            "rabbitmq publish shop/order.paid, rabbitmq publish jobs, rabbitmq consume mails",
        ),
        (
            Java,
            "import org.springframework.amqp;\n@RabbitListener(bindings = @QueueBinding(value = @Queue(\"q\"), exchange = @Exchange(value = \"shop\"), key = \"order.paid\"))",
            "rabbitmq consume shop/order.paid",
        ),
        (
            Java,
            "import com.rabbitmq.client;\nchannel.basicPublish(EXCHANGE, \"\", null, b);\nchannel.queueBind(q, EXCHANGE, \"\");\nstatic final String EXCHANGE = \"shop\";",
            "rabbitmq publish shop/, rabbitmq consume shop/",
        ),
        (
            CSharp,
            "using RabbitMQ.Client;\nchannel.BasicPublish(exchange: \"shop\", routingKey: \"order.paid\", body: b);\nchannel.QueueBind(queue: q, exchange: \"shop\", routingKey: \"order.paid\");\nchannel.BasicConsume(\"jobs\", true, c);",
            "rabbitmq publish shop/order.paid, rabbitmq consume shop/order.paid, rabbitmq consume jobs",
        ),
        (
            Go,
            "// amqp091-go\nch.PublishWithContext(ctx, \"shop\", \"order.paid\", false, false, amqp.Publishing{Body: b})\nch.QueueBind(q.Name, \"order.*\", \"shop\", false, nil)\nch.Consume(\"jobs\", \"\", true, false, false, false, nil)",
            "rabbitmq publish shop/order.paid, rabbitmq consume shop/order.*, rabbitmq consume jobs",
        ),
        (
            Php,
            "// php-amqplib\n$channel->basic_publish($msg, 'shop', 'order.paid');",
            "rabbitmq publish shop/order.paid",
        ),
        (
            Ruby,
            "require 'bunny'\nx.exchange.publish(p, routing_key: 'jobs')\nq = channel.queue('mails')\nq.subscribe { |d| }",
            "rabbitmq publish jobs, rabbitmq consume mails",
        ),
        (
            JavaScript,
            "const rabbit = require('rabbitmq-amqp-js-client')\nconst queueName = process.env.QUEUE_NAME\nconn.createPublisher({ queue: { name: queueName } })",
            "rabbitmq publish {env:QUEUE_NAME}",
        ),
        (
            Go,
            "// go-amqp\nsession.NewReceiver(ctx, \"/queues/\"+queueName, nil)\nsession.NewSender(ctx, \"/queues/mails\", nil)",
            "rabbitmq consume {name:queueName}, rabbitmq publish mails",
        ),
        (
            Go,
            "// amqp091-go\nq, err := ch.QueueDeclare(\"jobs\", true, false, false, false, nil)\nch.PublishWithContext(ctx, \"\", q.Name, false, false, m)\nch.Consume(q.Name, \"\", true, false, false, false, nil)",
            "rabbitmq publish jobs, rabbitmq consume jobs",
        ),
        (
            Go,
            "// amqp091-go\nfunc F() {\n q, err := ch.QueueDeclare(\"jobs\", true)\n ch.Consume(q.Name, x)\n}\nfunc G() {\n q, err := ch.QueueDeclare(\"mails\", true)\n ch.Consume(q.Name, x)\n}",
            "rabbitmq consume jobs, rabbitmq consume mails",
        ),
        (
            Go,
            "// amqp091-go\nfunc (s *S) F() {\n ch.Consume(s.q.Name, x)\n}\nfunc (s *S) G() {\n s.q, err = ch.QueueDeclare(\"jobs\", true)\n}",
            "rabbitmq consume jobs",
        ),
        // The variable of a later function is another one.
        (
            Go,
            "// amqp091-go\nfunc F(q amqp.Queue) {\n ch.Consume(q.Name, x)\n}\nfunc G() {\n q, err := ch.QueueDeclare(\"jobs\", true)\n}",
            "rabbitmq consume {name:Name}",
        ),
        (
            TypeScript,
            "import amqp from 'amqplib'\nconst q = await channel.assertQueue('jobs', { durable: true })\nchannel.consume(q.queue, f)",
            "rabbitmq consume jobs",
        ),
        (
            TypeScript,
            "import { RabbitSubscribe } from '@golevelup/nestjs-rabbitmq'\n@RabbitSubscribe({ exchange: 'shop', routingKey: 'order.paid', queue: 'q' })\nawait this.amqpConnection.publish('shop', 'order.paid', m)",
            "rabbitmq consume q, rabbitmq publish shop/order.paid",
        ),
        // Near misses: a message without a key, a declared queue, a queue that the broker names, and a computed key.
        (
            Go,
            "// amqp091-go\nq, err := ch.QueueDeclare(\"\", false, true, true, false, nil)\nch.Consume(q.Name, x)",
            "rabbitmq consume {name:Name}",
        ),
        (Java, "import org.springframework.amqp;\nrabbitTemplate.convertAndSend(order);", ""),
        (JavaScript, "const amqp = require('amqplib')\nchannel.sendToQueue('jobs-' + region, b)", ""),
        (
            JavaScript,
            "const amqp = require('amqplib')\nchannel.assertQueue('jobs')\nchannel.publish('', keyOf(x), b)",
            "",
        ),
    ]);
}

#[test]
fn clients_of_nats_redis_and_clouds() {
    use Language::*;
    check(&[
        (
            Go,
            "// nats.go\njs.Publish(\"orders.new\", b)\ns.conn.QueueSubscribe(\"orders.*\", \"q\", f)",
            "nats publish orders.new, nats consume orders.*",
        ),
        (
            TypeScript,
            "import { connect } from 'nats'\nclient.publish('orders.new', x)\nclient.subscribe('orders.>')",
            "nats publish orders.new, nats consume orders.>",
        ),
        (
            Python,
            "import nats\nawait nc.publish(\"orders\", b'')\nawait nc.subscribe(\"pays\", cb=f)",
            "nats publish orders, nats consume pays",
        ),
        (Rust, "use async_nats;\nclient.publish(\"orders.new\", x).await;", "nats publish orders.new"),
        (
            Python,
            "import redis\nr.xadd('orders', {'a': 1})\nr.xreadgroup('g', 'c', {'orders': '>'})\nr.publish('mails', x)\np.subscribe('mails')",
            "redis publish orders, redis consume orders, redis publish mails, redis consume mails",
        ),
        (
            Go,
            "// redis\nrdb.XAdd(ctx, &redis.XAddArgs{Stream: \"orders\"})\nrdb.XReadGroup(ctx, &redis.XReadGroupArgs{Streams: []string{\"orders\", \">\"}})\nrdb.Publish(ctx, \"mails\", x)",
            "redis publish orders, redis consume orders, redis publish mails",
        ),
        (
            Python,
            "from redis import Redis\nredis.rpush('votes', data)\nredis.blpop('votes')",
            "redis publish votes, redis consume votes",
        ),
        (
            CSharp,
            "using StackExchange.Redis;\ndb.ListLeftPopAsync(\"votes\").Result;\nsub.Publish(\"mails\", x);",
            "redis consume votes, redis publish mails",
        ),
        (
            Java,
            "// RedisTemplate redisTemplate\nredisTemplate.convertAndSend(\"mails\", x);\nc.addMessageListener(l, new ChannelTopic(\"mails\"));",
            "redis publish mails, redis consume mails",
        ),
        (
            TypeScript,
            "import { SQSClient } from '@aws-sdk/client-sqs'\nc.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: b }))",
            "sqs publish {env:QUEUE_URL}",
        ),
        (
            Java,
            "// software.amazon.awssdk.services.sqs\nclient.sendMessage(SendMessageRequest.builder()\n  .queueUrl(queueUrl)\n  .build());\nString queueUrl = \"https://sqs.eu/1/mails\";\n@SqsListener(\"jobs\")",
            "sqs publish https://sqs.eu/1/mails, sqs consume jobs",
        ),
        (
            Python,
            "# sqs\nq = sqs.get_queue_by_name(QueueName='jobs')\nfor m in q.receive_messages(): pass",
            "sqs consume jobs",
        ),
        (Python, "sns.publish(TopicArn=os.environ['TOPIC_ARN'], Message=m)", "sns publish {env:TOPIC_ARN}"),
        (
            Go,
            "// sns\nc.Publish(ctx, &sns.PublishInput{TopicArn: aws.String(\"x\"), Message: m})\nc.Publish(ctx, &sns.PublishInput{TopicArn: &arn})\narn := os.Getenv(\"TOPIC_ARN\")",
            "sns publish {env:TOPIC_ARN}",
        ),
        (
            Go,
            "import \"cloud.google.com/go/pubsub\"\nsub := client.Subscription(\"mail-orders\")\nclient.CreateSubscription(ctx, \"mail-orders\", pubsub.SubscriptionConfig{Topic: topic})\ntopic := client.Topic(\"orders\")",
            "pubsub consume mail-orders, pubsub bind mail-orders=orders, pubsub publish orders",
        ),
        (
            Python,
            "from google.cloud import pubsub_v1\np = publisher.topic_path(project, 'orders')\ns = subscriber.subscription_path(project, \"mail-orders\")",
            "pubsub publish orders, pubsub consume mail-orders",
        ),
        (
            CSharp,
            "using Azure.Messaging.ServiceBus;\nvar s = client.CreateSender(\"orders\");\nvar p = client.CreateProcessor(\"orders\", \"mail\");",
            "servicebus publish orders, servicebus consume orders",
        ),
        (
            Python,
            "from azure.servicebus import x\nc.get_queue_sender(queue_name=\"orders\")\nc.get_subscription_receiver(topic_name='pays', subscription_name='a')",
            "servicebus publish orders, servicebus consume pays",
        ),
        (
            CSharp,
            "// ServiceBus\npublic void Run([ServiceBusTrigger(\"orders\", Connection = \"c\")] string m) {}",
            "servicebus consume orders",
        ),
        (
            CSharp,
            "using StackExchange.Redis;\nsub.PublishAsync(RedisChannel.Literal(\"mails\"), x);",
            "redis publish mails",
        ),
        (
            Java,
            "// org.springframework.jms\njmsTemplate.convertAndSend(\"mails\", x);\n@JmsListener(destination = \"mails\")",
            "jms publish mails, jms consume mails",
        ),
        (
            Python,
            "import pulsar\np = client.create_producer('orders')\nc = client.subscribe('orders', 'mail')",
            "pulsar publish orders, pulsar consume orders",
        ),
        (
            Go,
            "// pulsar\np, err := client.CreateProducer(pulsar.ProducerOptions{Topic: \"orders\"})\nc, err := client.Subscribe(pulsar.ConsumerOptions{Topic: \"orders\", SubscriptionName: \"s\"})",
            "pulsar publish orders, pulsar consume orders",
        ),
        (
            Python,
            "import paho.mqtt.client as mqtt\nclient.publish('shop/orders', b)\nclient.subscribe('shop/orders')",
            "mqtt publish shop/orders, mqtt consume shop/orders",
        ),
        (Java, "// jms\nmailTemplate.convertAndSend(\"mails\", x);", ""),
        // Near misses: values of a cache, streams of values, and an address.
        (Python, "import redis\nr.set('votes', 1)\nr.get('votes')", ""),
        (TypeScript, "// nats\nnew Observable().subscribe(value => use(value))", ""),
        (Python, "sqs.list_queues(QueueNamePrefix='jobs')", ""),
        (CSharp, "// ServiceBus\nvar c = new ServiceBusClient(\"sb.example.com\");", ""),
    ]);
}

#[test]
fn jobs_and_frameworks() {
    use Language::*;
    check(&[
        (
            Java,
            "import io.eventuate.tram;\nclass A extends AbstractAggregateDomainEventPublisher<Order, OrderEvent> {}\nDomainEventHandlersBuilder.forAggregateType(\"org.acme.domain.Order\")\ndomainEventPublisher.publish(Bill.class, id, events);",
            "eventuate publish Order, eventuate consume Order, eventuate publish Bill",
        ),
        (
            Python,
            "from celery import Celery\n@app.task(name='mail.send')\ndef send(x): pass\napp.send_task('mail.send', args=[1])",
            "celery consume mail.send, celery publish mail.send",
        ),
        (
            Python,
            "from celery import Celery\n@celery_app.task(bind=True)\ndef send(self): pass",
            "celery consume {task:send}",
        ),
        (
            Ruby,
            "class MailJob\n  include Sidekiq::Worker\nend\nSidekiq::Client.push('class' => 'MailJob', 'args' => [])",
            "sidekiq consume MailJob, sidekiq publish MailJob",
        ),
        (
            TypeScript,
            "import { Queue, Worker } from 'bullmq'\nconst q = new Queue('mail')\nnew Worker('mail', run)",
            "bull publish mail, bull consume mail",
        ),
        (
            Python,
            "from dapr.clients import DaprClient\nd.publish_event(pubsub_name='bus', topic_name='orders', data=x)\n@app.subscribe(pubsub_name='bus', topic='pays')",
            "dapr publish orders, dapr consume pays",
        ),
        (
            CSharp,
            "using Dapr;\nawait client.PublishEventAsync(\"bus\", \"orders\", o);\n[Topic(\"bus\", \"orders\")]",
            "dapr publish orders, dapr consume orders",
        ),
        (
            Java,
            "import io.dapr;\n@Topic(name = \"orders\", pubsubName = \"bus\")\nclient.publishEvent(\"bus\", \"pays\", x);",
            "dapr consume orders, dapr publish pays",
        ),
        (
            Go,
            "// dapr\nclient.PublishEvent(ctx, \"bus\", \"orders\", b)\nvar s = &common.Subscription{PubsubName: \"bus\", Topic: \"pays\"}",
            "dapr publish orders, dapr consume pays",
        ),
        (
            TypeScript,
            "import { DaprClient } from '@dapr/dapr'\nclient.pubsub.publish('bus', 'orders', o)\nserver.pubsub.subscribe('bus', 'pays', f)",
            "dapr publish orders, dapr consume pays",
        ),
        (
            TypeScript,
            "import { EventPattern } from '@nestjs/microservices'\nthis.client.emit('order.paid', o)\n@EventPattern('order.paid')",
            "nest publish order.paid, nest consume order.paid",
        ),
        (
            Go,
            "// watermill\npublisher.Publish(\"orders\", m)\nsubscriber.Subscribe(ctx, \"orders\")",
            "watermill publish orders, watermill consume orders",
        ),
        (
            Java,
            "import io.eventuate.tram;\nSagaCommandHandlersBuilder.fromChannel(\"kitchen\")\nCommandEndpointBuilder.forCommand(A.class).withChannel(\"kitchen\")",
            "eventuate consume kitchen, eventuate publish kitchen",
        ),
        // The client is not known, but a text of several words may be known to others.
        (TypeScript, "this.client.publish('order.paid', o)", "any publish order.paid"),
        (Go, "err := h.broker.Subscribe(\"order.paid\", h.onPaid)", "any consume order.paid"),
        // Near misses: events of a page, an own decorator, and an own queue.
        (TypeScript, "events.emit('order-created', o)\nevents.on('order-created', f)", ""),
        (TypeScript, "this.client.publish('click', o)", ""),
        (TypeScript, "this.client.publish('update:model-value', o)", ""),
        (TypeScript, "this.rooms.publish('Order was paid', o)", ""),
        (Python, "@app.task(name='mail.send')\ndef send(x): pass", ""),
        (TypeScript, "const q = new Queue('mail')", ""),
    ]);
}

#[test]
fn topics_are_names_of_types() {
    use Language::*;
    check(&[
        (CSharp, "RaiseEvent(new OrderPaid(id));", "bus publish OrderPaid"),
        (
            CSharp,
            "app.UseRabbitListeners(new List<Type> { typeof(OrderPaid), typeof(OrderSent) });",
            "bus consume OrderPaid, bus consume OrderSent",
        ),
        (CSharp, "app.UseRabbitListeners(new List<Handler> { paid, sent });", ""),
        (CSharp, "await _eventDispatcher.SendAsync(new OrderPaid(id), ct);", "bus publish OrderPaid"),
        (
            CSharp,
            "var e = OrderPaid.FromCommand(command);\nawait _messagePublisher.PublishMessageAsync(\"t\", e, \"\");",
            "bus publish OrderPaid",
        ),
        (
            Kotlin,
            "import org.axonframework.x\n@EventHandler\nfun handle(event: OrderPaidEvent, @SequenceNumber n: Long) {",
            "axon consume OrderPaidEvent",
        ),
        (
            Kotlin,
            "import org.axonframework.x\n@CommandHandler\nconstructor(command: PayOrderCommand) {",
            "axon consume PayOrderCommand",
        ),
        // Near misses: events of a domain and of a user interface, listeners of entities, and an object that makes other types.
        (CSharp, "AddDomainEvent(new OrderPaid(id));", ""),
        (CSharp, "AddDomainEvent(new PaidIntegrationEvent(id));", "bus publish PaidIntegrationEvent"),
        (CSharp, "RaiseEvent(new RoutedEventArgs(Tapped));", ""),
        (Java, "@EntityListeners(AuditingEntityListener.class)", ""),
        (CSharp, "var paid = OrderFactory.CreateOrder(c);\nawait _eventBus.PublishAsync(paid);", ""),
        (CSharp, "await _eventBus.PublishAsync(OrderFactory.CreateOrder(c));", ""),
        (CSharp, "await _eventBus.PublishAsync(OrderPaid.CreateFrom(c));", "bus publish OrderPaid"),
        // Near misses: a declaration, a format of a type, a handler without the framework.
        (CSharp, "void RaiseEvent(Event e) {}", ""),
        (CSharp, "var e = OrderPaid.Formatted(x);\n_messagePublisher.PublishMessageAsync(\"t\", e, \"\");", ""),
        (Kotlin, "@EventHandler\nfun handle(event: OrderPaidEvent) {", ""),
        (CSharp, "using MassTransit;\nclass A\n  : IConsumer<OrderPaid>\n{", "masstransit consume OrderPaid"),
        (
            CSharp,
            "using MassTransit;\nvar paid = order.Adapt<OrderPaid>();\nawait endpoint.Publish(paid, token);\nvar sent = order.MapToOrderSent();\nawait endpoint.Publish(sent);",
            "masstransit publish OrderPaid, masstransit publish OrderSent",
        ),
        (
            CSharp,
            "using MassTransit;\nawait publishEndpoint.Publish<OrderPaid>(new { Id = 1 });\nawait endpoint.Send(new PayOrder(1));\nclass A : IConsumer<OrderPaid> {}",
            "masstransit publish OrderPaid, masstransit publish PayOrder, masstransit consume OrderPaid",
        ),
        (
            CSharp,
            "using NServiceBus;\nvar paid = new OrderPaid { Id = 1 };\nawait context.Publish(paid);\nclass A : IHandleMessages<PayOrder>, IHandleMessages<Acme.OrderPaid> {}",
            "nservicebus publish OrderPaid, nservicebus consume PayOrder, nservicebus consume OrderPaid",
        ),
        (
            CSharp,
            "using Wolverine;\nawait bus.PublishAsync(new OrderPaid(1));\npublic static void Handle(PayOrder order) {}",
            "wolverine publish OrderPaid, wolverine consume PayOrder",
        ),
        (
            CSharp,
            "using EasyNetQ;\nawait bus.PubSub.PublishAsync(new OrderPaid());\nbus.PubSub.Subscribe<OrderPaid>(\"id\", f);",
            "easynetq publish OrderPaid, easynetq consume OrderPaid",
        ),
        (
            CSharp,
            "// own\nawait _eventBus.PublishAsync(paid);\nclass A : IIntegrationEventHandler<OrderPaid> {}\nvoid F(OrderPaid paid) { _eventBus.Publish(paid); }",
            "bus consume OrderPaid, bus publish OrderPaid",
        ),
        (
            CSharp,
            "// own\nIntegrationEvent done = isPaid\n  ? (IntegrationEvent)new OrderPaidIntegrationEvent(id)\n  : new OrderFailedIntegrationEvent(id);\nawait _eventBus.PublishAsync(done);",
            "bus publish OrderPaidIntegrationEvent, bus publish OrderFailedIntegrationEvent",
        ),
        (
            CSharp,
            "// own\nIntegrationEvent done;\nif (isPaid)\n{\n  done = new OrderPaidIntegrationEvent(id);\n}\nelse\n{\n  done = new OrderFailedIntegrationEvent(id);\n}\nawait _eventBus.PublishAsync(done);",
            "bus publish OrderFailedIntegrationEvent, bus publish OrderPaidIntegrationEvent",
        ),
        (
            CSharp,
            "class A {\n  IStreamPublisher _streamPublisher;\n  Task F() => _streamPublisher.PublishAsync(\"prices\", price);\n}",
            "bus publish prices",
        ),
        (
            CSharp,
            "await _streamSubscriber.SubscribeAsync<Price>(\"prices\", price => { });\nawait _messageSubscriber.SubscribeAsync<OrderPaid>(\"orders\", e => { });",
            "bus consume prices, bus consume OrderPaid",
        ),
        (
            CSharp,
            "// IExternalEventBus bus\nvar paid = OrderPaid.Of(order.Id);\nawait bus.PublishAsync(paid, token);",
            "bus publish OrderPaid",
        ),
        (
            CSharp,
            "// own IMessagePublisher _messagePublisher\nswitch (messageType)\n{\n  case \"OrderPaid\":\n    break;\n}",
            "bus consume OrderPaid",
        ),
        (
            CSharp,
            "class A { void F(IMessagePublisher messagePublisher) {\n OrderPaid e = o.MapToOrderPaid();\n messagePublisher.PublishMessageAsync(e.MessageType, e, \"\"); } }",
            "bus publish {type}, bus publish OrderPaid",
        ),
        (
            CSharp,
            "class A : IMessageHandlerCallback { void F(string messageType) {\n switch (messageType)\n {\n case \"OrderPaid\":\n G();\n break; } } }",
            "bus consume OrderPaid",
        ),
        (
            CSharp,
            "using RabbitMQ.Client;\nvar name = @event.GetType().Name;\nchannel.BasicPublish(exchange: \"shop\", routingKey: name, body: b);",
            "bus publish {type}, rabbitmq publish shop/{name:name}",
        ),
        (
            TypeScript,
            "import { Stan } from 'node-nats-streaming'\nexport class A extends Publisher<OrderPaidEvent> {\n  subject: Subjects.OrderPaid = Subjects.OrderPaid\n}\nclass B extends Listener<OrderPaidEvent> {}",
            "nats publish OrderPaidEvent, nats consume OrderPaidEvent",
        ),
        (Java, "class M extends Listener<MailSent> { String subject; }", ""),
        (Ruby, "# sidekiq\nputs \"→Job.perform_async\"", "sidekiq publish Job"),
        (
            CSharp,
            "// IEventBus\nvar paid = new OrderPaid { Items = new List<Item>(), Payer = new Payer() };\nawait eventBus.PublishAsync(paid);",
            "bus publish OrderPaid",
        ),
        (
            TypeScript,
            "// eventBus\nconst paid = ok\n  ? new OrderPaid(new Price(1))\n  : new OrderFailed()\nconst log = new Journal()\nawait eventBus.publish(paid)",
            "bus publish OrderPaid, bus publish OrderFailed",
        ),
        (
            TypeScript,
            "// eventBus\nconst paid = new OrderPaid()\nconst log = new Journal()\nawait eventBus.publish(paid)",
            "bus publish OrderPaid",
        ),
        (
            Java,
            "import org.axonframework;\napply(new OrderPaidEvent(id));\n@EventHandler\npublic void on(OrderPaidEvent event) {}",
            "axon publish OrderPaidEvent, axon consume OrderPaidEvent",
        ),
        // Near misses: a stream without a subject, events within a process, and requests of a mediator.
        (Java, "interface A extends Publisher<OrderPaidEvent> {}", ""),
        (Java, "// messageBus\napplicationEventPublisher.publishEvent(new OrderPaid());", ""),
        (
            CSharp,
            "using MediatR;\nawait mediator.Publish(new OrderPaid());\nclass A : INotificationHandler<OrderPaid> {}",
            "",
        ),
    ]);
}

#[test]
fn long_lines_say_nothing_of_types() {
    let sent = |declaration: &str| {
        messages(Language::TypeScript, &format!("// eventBus\n{declaration}\nawait eventBus.publish(paid)"))
    };
    let long = "x".repeat(5_000);
    assert_eq!(sent("const paid = new OrderPaid()"), "bus publish OrderPaid");
    assert_eq!(sent(&format!("const paid = new OrderPaid() // {long}")), "");
    let chosen = |rest: &str| sent(&format!("const paid = ok\n  ? new OrderPaid()\n  : {rest}new OrderFailed()"));
    assert_eq!(chosen(""), "bus publish OrderPaid, bus publish OrderFailed");
    assert_eq!(chosen(&format!("/* {long} */ ")), "");
    // Neither one long line nor many assignments take long.
    assert_eq!(sent(&"paid = ok ? new OrderPaid() : ".repeat(50_000)), "");
    let many = format!("{}\n", "paid=a?b:".repeat(200)).repeat(80);
    assert_eq!(sent(&many), "");
}

#[test]
fn topics_are_known_by_constants_of_a_library() {
    use Language::*;
    check(&[
        (
            Go,
            "import \"shop/common/messaging\"\nfunc f(c Client) {\n  c.Publish(ctx, messaging.TopicOrders, e)\n}",
            "any publish {name:messaging.TopicOrders}",
        ),
        (
            Go,
            "import \"shop/common/messaging\"\ntopics := []string{\n  messaging.TopicOrders,\n  messaging.TopicPays,\n}\nfor _, topic := range topics {\n  c.Subscribe(topic, handle)\n}",
            "any consume {name:messaging.TopicOrders}, any consume {name:messaging.TopicPays}",
        ),
        (TypeScript, "this.bus.publish(OrderTopics.PAID, event)", "any publish {name:OrderTopics.PAID}"),
        (
            Kotlin,
            "private lateinit var kafka: KafkaTemplate<String, Paid>\nprivate val topic = TopicNames.PAID\nfun f(e: Paid) { kafka.send(topic, e) }",
            "kafka publish {name:TopicNames.PAID}",
        ),
        // A field of another object, a constant for something else, and a text.
        (Go, "func f(c Client, cfg Config) {\n  c.Publish(ctx, cfg.TopicOrders, e)\n}", ""),
        (TypeScript, "// Topic\nthis.bus.publish(Colors.RED, event)", ""),
        (TypeScript, "// Topic\nthis.emitter.emit('done', event)", ""),
    ]);
}

#[test]
fn sagas_of_masstransit_and_inherited_endpoints() {
    use Language::*;
    check(&[
        (CSharp, "await PublishEndpoint.Publish(new OrderPaid(id));", "masstransit publish OrderPaid"),
        (
            CSharp,
            "class Saga : MassTransitStateMachine<State> {\n  public Event<OrderPaid> Paid { get; set; }\n  void f() { During(x, When(Paid).Publish(context => new ShipOrder(context.Message.Id))); }\n}",
            "masstransit consume OrderPaid, masstransit publish ShipOrder",
        ),
        (CSharp, "public Event<OrderPaid> Paid { get; set; }", ""),
    ]);
}

#[test]
fn queues_of_aio_pika_are_bound_by_keys() {
    check(&[
        (
            Language::Python,
            "import aio_pika\nasync def f(exchange):\n    await queue.bind(exchange, 'orders.*')\n",
            "rabbitmq consume orders.*",
        ),
        (Language::Python, "import amqp\nqueue.bind(exchange, 'orders.*')\n", ""),
    ]);
}
