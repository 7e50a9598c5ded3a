//! The clients of brokers and of background jobs, by their notations. A new client is an entry of the table.

/// A client library, or several with the same notations.
pub(super) struct MessageClient {
    pub(super) broker: &'static str,
    /// One of these is in a file that uses the client.
    pub(super) marks: &'static [&'static str],
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
/// `G` a type argument that names it, `P` a parameter of this type, `C` a class by its full name, `_` anything else. Alternatives for other numbers of arguments are separated by `|`; the last one is
/// for any number.
#[derive(Clone, Copy)]
pub(super) struct MessageCall {
    pub(super) notation: &'static str,
    pub(super) roles: &'static str,
    /// The setting that names the topic of a channel, with `{}` for the channel; empty if the argument is the topic itself.
    pub(super) setting: &'static str,
    /// Another notation that the file must have; empty if none.
    pub(super) requires: &'static str,
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

const NONE: MessageClient =
    MessageClient { broker: "", marks: &[], publishes: &[], consumes: &[], binds: &[], names: &[] };

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
pub(super) const CLIENTS: &[MessageClient] = &[
    MessageClient {
        broker: "dapr",
        marks: &["dapr", "Dapr"],
        publishes: &[
            call("publish_event", "_T"),
            call("PublishEventAsync", "_T"),
            call("PublishEvent", "_T"),
            call("publishEvent", "_T"),
            call("pubsub.publish", "_T"),
        ],
        consumes: &[
            call("[Topic", "_T"),
            call("WithTopic", "_T"),
            call("@Topic", "_"),
            call("pubsub.subscribe", "_T"),
            call("app.subscribe", "_T"),
            call("common.Subscription", "_"),
        ],
        names: &[("topic", 'T'), ("Topic", 'T'), ("name", 'T'), ("topic_name", 'T'), ("topicName", 'T')],
        ..NONE
    },
    MessageClient {
        broker: "servicebus",
        marks: &["ServiceBus", "servicebus", "service-bus"],
        publishes: &[
            call("CreateSender", "T"),
            call("createSender", "T"),
            call("get_queue_sender", "T"),
            call("get_topic_sender", "T"),
            call("lient.NewSender", "T"),
            call(".sender", "_"),
        ],
        consumes: &[
            call("CreateProcessor", "T"),
            call("CreateReceiver", "T"),
            call("createReceiver", "T"),
            call("get_queue_receiver", "T"),
            call("get_subscription_receiver", "T"),
            call("NewReceiverForQueue", "T"),
            call("NewReceiverForSubscription", "T"),
            call("[ServiceBusTrigger", "T"),
            call(".processor", "_"),
        ],
        names: &[
            ("queue_name", 'T'),
            ("topic_name", 'T'),
            ("queueName", 'T'),
            ("topicName", 'T'),
            (".queueName(", 'T'),
            (".topicName(", 'T'),
        ],
        ..NONE
    },
    MessageClient {
        broker: "nest",
        marks: &["@nestjs/microservices"],
        publishes: &[call("lient.emit", "T"), call("lient.send", "T")],
        consumes: &[call("@EventPattern", "T"), call("@MessagePattern", "T")],
        ..NONE
    },
    MessageClient {
        broker: "watermill",
        marks: &["watermill"],
        publishes: &[call("ublisher.Publish", "T")],
        consumes: &[call("ubscriber.Subscribe", "T"), call("AddNoPublisherHandler", "_T"), call("AddHandler", "_T")],
        ..NONE
    },
    MessageClient {
        broker: "eventuate",
        marks: &["eventuate"],
        publishes: &[
            call("withChannel", "T"),
            call("AbstractAggregateDomainEventPublisher", "G"),
            call("omainEventPublisher.publish", "C"),
        ],
        consumes: &[call("fromChannel", "T"), call("forAggregateType", "C")],
        ..NONE
    },
    MessageClient { broker: "kafka", marks: &["@KafkaClient"], publishes: &[call("@Topic", "T")], ..NONE },
    MessageClient {
        broker: "kafka",
        marks: &["KStream", "StreamsBuilder", "KTable"],
        publishes: &[call(".to", "T")],
        consumes: &[call("uilder.stream", "T"), call("uilder.table", "T"), call("uilder.globalTable", "T")],
        ..NONE
    },
    MessageClient {
        broker: "kafka",
        marks: &["kafka", "Kafka", "sarama", "kgo.", "faust", "microprofile.reactive.messaging", "spring.cloud.stream"],
        publishes: &[
            call("ProducerRecord", "T"),
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
            call_if("subscribe", "T", "KafkaConsumer"),
            call("SubscribeTopics", "T"),
            call("ReaderConfig", "_"),
            call("ConsumePartition", "T"),
            call("ConsumeTopics", "T"),
            call("roup.Consume", "T"),
            call_if(".Consume", "T", "sarama"),
            call_if(".Subscribe", "T", "Confluent.Kafka"),
            call_if(".Subscribe", "T", "confluent-kafka-go"),
            call_if("ConsumerGroup", "_T", "kafka-node"),
            call("Subscriptions.topics", "T"),
            call(".subscription", "T"),
            call("TopicEndpoint", "T"),
            call("app.agent", "T"),
            call_if("@Topic", "T", "@KafkaListener"),
            channel("@Incoming", "mp.messaging.incoming.{}.topic"),
        ],
        names: TOPIC_NAMES,
        ..NONE
    },
    MessageClient {
        broker: "redis",
        marks: &["edisTemplate", "ChannelTopic", "PatternTopic"],
        publishes: &[call("edisTemplate.convertAndSend", "T")],
        consumes: &[call("ChannelTopic", "T"), call("PatternTopic", "T")],
        ..NONE
    },
    MessageClient {
        broker: "sqs",
        marks: &["sqs", "SQS", "Sqs"],
        publishes: &[
            call("send_message", "_"),
            call("send_message_batch", "_"),
            call("SendMessage", "_"),
            call("SendMessageCommand", "_"),
            call("sendMessage", "T"),
            call("SendMessageAsync", "T"),
            call("SendMessageInput", "_"),
            call("SendMessageRequest", "T"),
            call("SendMessageRequest.builder", "_"),
            call("qsTemplate.send", "T"),
            call("ueueMessagingTemplate.convertAndSend", "T"),
            call_if("get_queue_by_name", "_", "send_message"),
        ],
        consumes: &[
            call("receive_message", "_"),
            call("ReceiveMessage", "_"),
            call("ReceiveMessageCommand", "_"),
            call("receiveMessage", "T"),
            call("ReceiveMessageAsync", "T"),
            call("ReceiveMessageInput", "_"),
            call("ReceiveMessageRequest", "T"),
            call("ReceiveMessageRequest.builder", "_"),
            call("@SqsListener", "T"),
            call_if("get_queue_by_name", "_", "receive_messages"),
        ],
        names: &[
            ("QueueUrl", 'T'),
            ("queueUrl", 'T'),
            ("queue_url", 'T'),
            ("QueueName", 'T'),
            ("queueNames", 'T'),
            (".queueUrl(", 'T'),
        ],
        ..NONE
    },
    MessageClient {
        broker: "sns",
        marks: &["sns", "SNS", "Sns", "SimpleNotificationService"],
        publishes: &[
            call("sns.publish", "_"),
            call("lient.publish", "_"),
            call("PublishCommand", "_"),
            call("sns.Publish", "_"),
            call("PublishInput", "_"),
            call("PublishRequest", "T"),
            call("PublishRequest.builder", "_"),
            call("PublishAsync", "T"),
            call("nsTemplate.sendNotification", "T"),
        ],
        names: &[("TopicArn", 'T'), ("topicArn", 'T'), ("topic_arn", 'T'), (".topicArn(", 'T')],
        ..NONE
    },
    MessageClient {
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
    },
    MessageClient {
        broker: "pubsub",
        marks: &["pubsub", "PubSub", "Pubsub"],
        publishes: &[
            call("client.Topic", "T"),
            call("lient.Publisher", "T"),
            call("topic_path", "_T"),
            call(".topic", "T"),
            call("TopicName.of", "_T"),
            call("TopicName", "_T"),
            call("TopicName.FromProjectTopic", "_T"),
            call("ubSubTemplate.publish", "T"),
        ],
        consumes: &[
            call("client.Subscription", "T"),
            call("lient.Subscriber", "T"),
            call("subscription_path", "_T"),
            call(".subscription", "T"),
            call("SubscriptionName.of", "_T"),
            call("SubscriptionName", "_T"),
            call("SubscriptionName.FromProjectSubscription", "_T"),
            call("ubSubTemplate.subscribe", "T"),
        ],
        binds: &[call("CreateSubscription", "S"), call("createSubscription", "TS|ST")],
        names: &[("Topic", 'T')],
    },
    MessageClient {
        broker: "celery",
        marks: &["celery", "Celery"],
        publishes: &[call("send_task", "T"), call("celery.signature", "T")],
        consumes: &[call("app.task", "_"), call("shared_task", "_"), call("celery.task", "_")],
        names: &[("name", 'T')],
        ..NONE
    },
    MessageClient {
        broker: "sidekiq",
        marks: &["Sidekiq", "sidekiq", "perform_async", "perform_in"],
        publishes: &[call("Sidekiq::Client.push", "_")],
        names: &[("'class' =>", 'T'), ("\"class\" =>", 'T'), ("class:", 'T')],
        ..NONE
    },
    MessageClient {
        broker: "jms",
        marks: &["jmsTemplate", "JmsTemplate", "@JmsListener", "jakarta.jms", "javax.jms"],
        publishes: &[
            call("msTemplate.convertAndSend", "T"),
            call("msTemplate.send", "T"),
            call("msTemplate.sendAndReceive", "T"),
        ],
        consumes: &[
            call("@JmsListener", "_"),
            call("msTemplate.receive", "T"),
            call("msTemplate.receiveAndConvert", "T"),
        ],
        names: &[("destination", 'T')],
        ..NONE
    },
    MessageClient {
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
    },
    MessageClient {
        broker: "mqtt",
        marks: &["mqtt", "MQTT", "Mqtt", "paho"],
        publishes: &[call("lient.publish", "T"), call("lient.Publish", "T"), call("qtt.publish", "T")],
        consumes: &[call("lient.subscribe", "T"), call("lient.Subscribe", "T"), call("qtt.subscribe", "T")],
        names: &[("topic", 'T')],
        ..NONE
    },
    MessageClient {
        broker: "axon",
        marks: &["axonframework"],
        publishes: &[
            call("apply", "Y"),
            call("ventGateway.publish", "Y"),
            call("ommandGateway.send", "Y"),
            call("ommandGateway.sendAndWait", "Y"),
            call("ueryGateway.query", "Y"),
        ],
        consumes: &[
            call_if("void on", "P", "@EventHandler"),
            call_if("void on", "P", "@EventSourcingHandler"),
            call_if("fun on", "P", "@EventHandler"),
            call_if("void handle", "P", "@EventHandler"),
            call_if("void handle", "P", "@SagaEventHandler"),
            call_if("void handle", "P", "@CommandHandler"),
        ],
        ..NONE
    },
    MessageClient {
        broker: "nats",
        marks: &["extends Publisher<", "extends Listener<"],
        publishes: &[
            call_if("extends Publisher", "G", "nats-streaming"),
            call_if("extends Publisher", "G", "from 'nats"),
            call_if("extends Publisher", "G", "from \"nats"),
        ],
        consumes: &[
            call_if("extends Listener", "G", "nats-streaming"),
            call_if("extends Listener", "G", "from 'nats"),
            call_if("extends Listener", "G", "from \"nats"),
        ],
        ..NONE
    },
    MessageClient {
        broker: "bull",
        marks: &["bullmq", "'bull'", "\"bull\"", "@nestjs/bull"],
        publishes: &[call("new Queue", "T"), call("@InjectQueue", "T")],
        consumes: &[call("new Worker", "T"), call("@Processor", "T")],
        ..NONE
    },
    MessageClient {
        broker: "masstransit",
        marks: &["MassTransit", "IPublishEndpoint", "ISendEndpoint", "ConsumeContext<"],
        publishes: &[call(".Publish", "Y"), call(".Send", "Y")],
        consumes: &[call("IConsumer", "G")],
        ..NONE
    },
    MessageClient {
        broker: "nservicebus",
        marks: &["NServiceBus", "IHandleMessages<", "IMessageSession", "Rebus"],
        publishes: &[call(".Publish", "Y"), call(".Send", "Y"), call(".SendLocal", "Y")],
        consumes: &[call("IHandleMessages", "G"), call("IAmStartedByMessages", "G"), call("IAmInitiatedBy", "G")],
        ..NONE
    },
    MessageClient {
        broker: "wolverine",
        marks: &["Wolverine", "IMessageBus"],
        publishes: &[call("us.PublishAsync", "Y"), call("us.SendAsync", "Y")],
        consumes: &[call("ListenToTopic", "G"), call("void Handle", "P"), call("Task Handle", "P")],
        ..NONE
    },
    MessageClient {
        broker: "easynetq",
        marks: &["EasyNetQ"],
        publishes: &[
            call("PubSub.Publish", "Y"),
            call("PubSub.PublishAsync", "Y"),
            call("us.Publish", "Y"),
            call("us.PublishAsync", "Y"),
        ],
        consumes: &[
            call("PubSub.Subscribe", "G"),
            call("PubSub.SubscribeAsync", "G"),
            call("us.Subscribe", "G"),
            call("us.SubscribeAsync", "G"),
        ],
        ..NONE
    },
    MessageClient {
        broker: "bus",
        marks: &[
            "EventBus",
            "eventBus",
            "event_bus",
            "MessageBus",
            "messageBus",
            "IntegrationEvent",
            "essagePublisher",
            "essageHandler",
        ],
        publishes: &[
            call("ventBus.Publish", "Y"),
            call("ventBus.PublishAsync", "Y"),
            call("ventBus.publish", "Y"),
            call_if("us.Publish", "Y", "EventBus"),
            call_if("us.PublishAsync", "Y", "EventBus"),
            call("essageBus.Publish", "Y"),
            call("essageBus.PublishAsync", "Y"),
            call("essageBus.publish", "Y"),
            call("essagePublisher.Publish", "Y"),
            call("essagePublisher.PublishAsync", "Y"),
            call("essagePublisher.PublishMessage", "Y"),
            call("essagePublisher.PublishMessageAsync", "Y"),
            call("essagePublisher.publish", "Y"),
        ],
        consumes: &[
            call("IntegrationEventHandler", "G"),
            call("IEventHandler", "G"),
            call("IMessageHandler", "G"),
            call("AddSubscription", "G"),
            call("ventBus.Subscribe", "G"),
        ],
        ..NONE
    },
    MessageClient {
        broker: "nats",
        marks: &["nats", "NATS", "Nats", "Gnat"],
        publishes: &[
            call(".Publish", "T"),
            call(".PublishAsync", "T"),
            call(".publish", "T"),
            call("nats.Msg", "_"),
            call("nats.NewMsg", "T"),
            call("onn.Request", "T"),
            call("nc.Request", "T"),
            call("nc.request", "T"),
            call("Gnat.pub", "_T"),
        ],
        consumes: &[
            call(".Subscribe", "T"),
            call(".SubscribeSync", "T"),
            call(".QueueSubscribe", "T"),
            call(".PullSubscribe", "T"),
            call(".ChanSubscribe", "T"),
            call(".subscribe", "T"),
            call(".queue_subscribe", "T"),
            call(".pull_subscribe", "T"),
            call("Gnat.sub", "__T"),
        ],
        names: &[("subject", 'T'), ("Subject", 'T')],
        ..NONE
    },
    MessageClient {
        broker: "redis",
        marks: &["redis", "Redis"],
        publishes: &[
            call(".XAdd", "_"),
            call(".xadd", "T"),
            call(".xAdd", "T"),
            call("StreamAdd", "T"),
            call("StreamAddAsync", "T"),
            call(".Publish", "T"),
            call(".PublishAsync", "T"),
            call(".publish", "T"),
            call(".rpush", "T"),
            call(".lpush", "T"),
            call(".rPush", "T"),
            call(".lPush", "T"),
            call(".RPush", "T"),
            call(".LPush", "T"),
            call("ListRightPush", "T"),
            call("ListRightPushAsync", "T"),
            call("ListLeftPush", "T"),
            call("ListLeftPushAsync", "T"),
        ],
        consumes: &[
            call(".XRead", "_"),
            call(".XReadGroup", "_"),
            call(".xread", "T"),
            call(".xreadgroup", "__T"),
            call(".xRead", "_"),
            call(".xReadGroup", "_"),
            call("StreamRead", "T"),
            call("StreamReadGroupAsync", "T"),
            call(".Subscribe", "T"),
            call(".SubscribeAsync", "T"),
            call(".PSubscribe", "T"),
            call(".subscribe", "T"),
            call(".psubscribe", "T"),
            call(".pSubscribe", "T"),
            call(".blpop", "T"),
            call(".brpop", "T"),
            call(".blPop", "T"),
            call(".brPop", "T"),
            call(".lpop", "T"),
            call(".rpop", "T"),
            call(".BLPop", "_T"),
            call(".BRPop", "_T"),
            call("ListLeftPop", "T"),
            call("ListLeftPopAsync", "T"),
            call("ListRightPop", "T"),
            call("ListRightPopAsync", "T"),
        ],
        names: &[("Stream", 'T'), ("Streams", 'T'), ("stream", 'T'), ("key", 'T')],
        ..NONE
    },
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
