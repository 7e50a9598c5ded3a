//! Topics that types, constants and libraries name.

use super::*;

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
fn loops_give_the_topics_of_maps_and_lists() {
    use Language::*;
    check(&[
        (
            Python,
            "import pika\nHANDLERS = {\n    # orders\n    'order.create': on_create,\n    'order.update': on_update,\n}\nfor queue, handler in HANDLERS.items():\n    channel.basic_consume(queue=queue, on_message_callback=handler)",
            "rabbitmq consume order.create, rabbitmq consume order.update",
        ),
        (
            JavaScript,
            "const { Kafka } = require('kafkajs')\nconst handlers = { orders: onOrder, 'pays.v1': onPay }\nfor (const topic of Object.keys(handlers)) {\n  await consumer.subscribe({ topic })\n}\nObject.entries(handlers).forEach(async ([topic, handler]) => {\n  await consumer.subscribe({ topic: topic })\n})",
            "kafka consume {name:topic}, kafka consume orders, kafka consume pays.v1",
        ),
        (
            JavaScript,
            "const { Kafka } = require('kafkajs')\nawait Promise.all(['orders', 'pays'].map((topic) => consumer.subscribe({ topic: topic })))",
            "kafka consume orders, kafka consume pays",
        ),
        (
            Go,
            "import \"github.com/nats-io/nats.go\"\nhandlers := map[string]nats.MsgHandler{\n  \"orders.new\": onNew,\n  \"orders.old\": onOld,\n}\nfor subject, handler := range handlers {\n  nc.Subscribe(subject, handler)\n}",
            "nats consume orders.new, nats consume orders.old",
        ),
        // The index of an item has no name of the list.
        (
            Go,
            "import \"github.com/nats-io/nats.go\"\nsubjects := []string{\"orders.new\"}\nfor subject, other := range subjects {\n  nc.Subscribe(subject, handler)\n}",
            "nats consume {name:subject}",
        ),
    ]);
}

#[test]
fn procedures_have_the_names_of_their_queues() {
    use Language::*;
    check(&[
        (
            Python,
            "from aio_pika.patterns import RPC\nrpc = await RPC.create(channel)\nawait rpc.register('cart.add', add, auto_delete=True)\nawait rpc.call('order.make', kwargs=dict(x=1))",
            "rabbitmq consume cart.add, rabbitmq publish order.make",
        ),
        (
            Python,
            "from aio_pika.patterns import Master\nmaster = Master(channel)\nawait master.create_worker('mails', send)\nawait master.create_task('mails', kwargs=dict(x=1))",
            "rabbitmq consume mails, rabbitmq publish mails",
        ),
        // A call of something else.
        (Python, "import jsonrpc\nrpc.call('eth_blockNumber')", ""),
    ]);
}

#[test]
fn assignments_that_differ_name_the_topic_where_it_is_used() {
    use Language::*;
    check(&[
        // Two functions have a variable of the same name.
        (
            Python,
            "import kafka\ndef f():\n    topic = 'orders'\n    producer.send(topic, b'')\ndef g():\n    topic = 'mails'\n    producer.send(topic, b'')\n",
            "kafka publish orders, kafka publish mails",
        ),
        // Both branches are possible, and a text that replaces an empty variable is its default.
        (
            Python,
            "import kafka\ndef f(paid):\n    if paid:\n        topic = 'orders'\n    else:\n        topic = 'mails'\n    producer.send(topic, b'')\n",
            "",
        ),
        (
            Go,
            "// kafka-go\nfunc F() {\n\ttopic := os.Getenv(\"ORDERS_TOPIC\")\n\tif topic == \"\" {\n\t\ttopic = \"orders\"\n\t}\n\tw := &kafka.Writer{Topic: topic}\n}\nfunc G() {\n\ttopic := \"mails\"\n\tw := &kafka.Writer{Topic: topic}\n}\n",
            "kafka publish {env:ORDERS_TOPIC}|orders, kafka publish mails",
        ),
        // Branches in one line.
        (Python, "import kafka\ntopic = 'orders' if paid else 'mails'\nproducer.send(topic, b'')\n", ""),
        (Python, "import kafka\nproducer.send('orders' if paid else 'mails', b'')\n", ""),
        (Python, "import kafka\nproducer.send(ORDERS if paid else MAILS, b'')\n", ""),
        (Python, "import kafka\nif paid: topic = 'orders'\nelse: topic = 'mails'\nproducer.send(topic, b'')\n", ""),
        (
            Java,
            "// kafka\nif (paid) { topic = \"orders\"; } else { topic = \"mails\"; }\nproducer.send(topic, x);\n",
            "",
        ),
        (Java, "// kafka\nproducer.send(paid ? \"orders\" : \"mails\", x);\n", ""),
        // A text of another branch or function is no default, nor is one under another condition.
        (
            Python,
            "import kafka\nif kind:\n    topic = os.environ['ORDERS_TOPIC']\nelse:\n    topic = 'mails'\nproducer.send(topic, b'')\n",
            "",
        ),
        (
            Python,
            "import kafka\ntopic = os.environ['ORDERS_TOPIC']\nif paid:\n    topic = 'paid'\nproducer.send(topic, b'')\n",
            "",
        ),
        (
            Python,
            "import kafka\ntopic = os.environ['ORDERS_TOPIC']\nif not topic: topic = 'orders'\nproducer.send(topic, b'')\n",
            "kafka publish {env:ORDERS_TOPIC}|orders",
        ),
        // Fields of two classes behind the uses.
        (
            Java,
            "// kafka\nclass A {\n  void f() { producer.send(topic, x); }\n  String topic = \"orders\";\n}\nclass B {\n  String topic = \"mails\";\n}\n",
            "",
        ),
        // A queue that is declared in two branches.
        (
            JavaScript,
            "const amqp = require('amqplib')\nlet q\nif (mail) { q = await ch.assertQueue('mails') } else { q = await ch.assertQueue('orders') }\nch.consume(q.queue, f)",
            "",
        ),
        (
            JavaScript,
            "const amqp = require('amqplib')\nlet q\nif (mail) {\n  q = await ch.assertQueue('mails')\n} else {\n  q = await ch.assertQueue('mails')\n}\nch.consume(q.queue, f)",
            "rabbitmq consume mails",
        ),
    ]);
}
