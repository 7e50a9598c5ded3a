//! Topics that code passes through functions, objects and types.

use crate::testing::contracts;

/// Checks the topics that a fixture uses.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    check_keys(fixture, &["kafka:", "rabbitmq:", "redis:", "any:", "bus:"], expected);
}

/// Checks the offers and uses of a fixture whose keys begin in one of some ways.
#[track_caller]
fn check_keys(fixture: &str, beginnings: &[&str], expected: &[&str]) {
    let is_topic = |line: &&String| beginnings.iter().any(|beginning| line[2..].starts_with(beginning));
    let all = contracts(fixture);
    let found: Vec<&str> = all.iter().filter(is_topic).map(String::as_str).collect();
    assert_eq!(found, expected, "{fixture}\n{all:#?}");
}

#[test]
fn an_object_has_the_topic_that_it_is_made_with() {
    // A field of a type of Go, whose constructor gets a setting of another package.
    check(
        "//- /config/config.go\npackage config\ntype Config struct { CartTopic string }\nfunc Load() *Config {\n  return &Config{CartTopic: getEnv(\"CART_TOPIC\", \"cart.events\")}\n}\n//- /events/publisher.go\npackage events\nimport \"github.com/segmentio/kafka-go\"\ntype Publisher struct { topic string }\nfunc NewPublisher(brokers []string, topic string) *Publisher {\n  return &Publisher{topic: topic}\n}\nfunc (p *Publisher) Publish() {\n  w := &kafka.Writer{Topic: p.topic}\n}\n//- /main.go\npackage main\nimport (\n\"shop/config\"\n\"shop/events\"\n)\nfunc main() {\n  cfg := config.Load()\n  p := events.NewPublisher(cfg.Brokers, cfg.CartTopic)\n}\n//- /go.mod\nmodule shop\n",
        &["- kafka:{env:CART_TOPIC} cart.events by main.go::main:8 0.7"],
    );
    // An object of options.
    check(
        "//- /todo.js\nconst redis = require('redis')\nclass TodoPublisher {\n  constructor({ client, logChannel }) {\n    this._client = client\n    this._logChannel = logChannel\n  }\n  log(o) {\n    this._client.publish(this._logChannel, o)\n  }\n}\nmodule.exports = TodoPublisher\n//- /app.js\nconst TodoPublisher = require('./todo')\nconst logChannel = process.env.REDIS_CHANNEL || 'log_channel'\nfunction start() {\n  const p = new TodoPublisher({ client, logChannel })\n}\n",
        &["- redis:{env:REDIS_CHANNEL} log_channel by app.js::start:4 0.7"],
    );
    // The function that makes the object gets the topic from its own callers, and its name says nothing.
    check(
        "//- /log.js\nconst redis = require('redis')\nclass Log {\n  constructor({ client, logChannel }) {\n    this.client = client\n    this.logChannel = logChannel\n  }\n  write(o) {\n    this.client.publish(this.logChannel, o)\n  }\n}\nmodule.exports = Log\n//- /routes.js\nconst Log = require('./log')\nmodule.exports = function (app, { client, logChannel }) {\n  const log = new Log({ client, logChannel })\n  app.use(log)\n}\n//- /app.js\nconst routes = require('./routes')\nconst logChannel = process.env.LOG_CHANNEL || 'log_channel'\nroutes(app, { client, logChannel })\n",
        &["- redis:{env:LOG_CHANNEL} log_channel by app.js:3 0.7"],
    );
    // A constructor of C#, whose object has the type of an interface.
    check(
        "//- /Bus.cs\nusing RabbitMQ.Client;\npublic class BusPublisher {\n  private readonly string _queue;\n  public BusPublisher(IModel channel, string queue) { _queue = queue; }\n  public void Publish(byte[] body) {\n    _channel.BasicPublish(\"\", _queue, null, body);\n  }\n}\n//- /Program.cs\npublic class Program {\n  public void Run() {\n    var bus = new BusPublisher(channel, \"orders.paid\");\n  }\n}\n",
        &["- rabbitmq:orders.paid by Program.cs::Program.Run:3 0.7"],
    );
}

#[test]
fn functions_pass_topics_on() {
    // A wrapper of a wrapper, and a method behind an interface.
    check(
        "//- /bus.ts\nimport { Kafka } from 'kafkajs'\nexport interface EventBus { publish(topic: string, value: object): Promise<void> }\nexport class KafkaBus implements EventBus {\n  async publish(topic: string, value: object) {\n    await this.producer.send({ topic, messages: [value] })\n  }\n}\n//- /orders.ts\nimport { EventBus } from './bus'\nexport class Orders {\n  constructor(private readonly bus: EventBus) {}\n  async paid() {\n    await this.sendEvent('orders.paid', {})\n  }\n  private async sendEvent(name: string, value: object) {\n    await this.bus.publish(name, value)\n  }\n}\n",
        &["- kafka:orders.paid by orders.ts::Orders.paid:5 0.7"],
    );
    // A method of a declared type, in a language without inference.
    check(
        "//- /Bus.cs\nusing Confluent.Kafka;\npublic interface IEventBus { Task PublishAsync(string topic, object o); }\npublic class KafkaEventBus : IEventBus {\n  public Task PublishAsync(string topic, object o) {\n    return _producer.ProduceAsync(topic, o);\n  }\n}\n//- /Orders.cs\npublic class Orders {\n  private readonly IEventBus _bus;\n  public Orders(IEventBus bus) { _bus = bus; }\n  public void Paid() {\n    _bus.PublishAsync(\"orders.paid\", order);\n  }\n}\n",
        &["- kafka:orders.paid by Orders.cs::Orders.Paid:5 0.7"],
    );
    // The argument of a record behind its topic is no topic.
    check(
        "//- /Sender.java\nimport org.apache.kafka.clients.producer.KafkaProducer;\npublic class Sender {\n  void send(String topic, String v) {\n    var record = new ProducerRecord<>(topic, \"order-events\", v);\n    producer.send(record);\n  }\n}\n",
        &[],
    );
    // A function that is too far behind one caller is near another.
    check(
        "//- /bus.py\nfrom kafka import KafkaProducer\ndef send_e(topic):\n    producer.send(topic, b'')\ndef send_d(topic):\n    send_e(topic)\ndef send_c(topic):\n    send_d(topic)\ndef send_b(topic):\n    send_c(topic)\ndef send_a(topic):\n    send_b(topic)\n//- /main.py\nfrom bus import send_a, send_d\ndef f():\n    send_a('orders.far')\ndef g():\n    send_d('orders.near')\n",
        &["- kafka:orders.near by main.py::g:5 0.7"],
    );
    // A parameter is not the constant of another file that has its name, and a function that sends nothing is no wrapper.
    check(
        "//- /names.py\ntopic = 'shop.other'\n//- /bus.py\nfrom kafka import KafkaProducer\ndef publish(topic, value):\n    producer.send(topic, value)\ndef publish_log(topic, value):\n    print(topic)\ndef f():\n    publish_log('orders.log', 1)\n",
        &[],
    );
}

#[test]
fn a_declared_queue_has_its_name() {
    // The function that declares it gets the name from its caller.
    check(
        "//- /go.mod\nmodule shop\n//- /names/names.go\npackage names\nconst Queue = \"ORDERS_QUEUE\"\n//- /rabbit.go\npackage shop\nimport (\n  \"os\"\n  \"shop/names\"\n  amqp \"github.com/rabbitmq/amqp091-go\"\n)\nfunc Send(body string) {\n  queue := declare(channel, os.Getenv(names.Queue))\n  publish(channel, queue.Name)\n}\nfunc declare(channel *amqp.Channel, queueName string) amqp.Queue {\n  queue, err := channel.QueueDeclare(queueName, true, false, false, false, nil)\n  check(err)\n  return queue\n}\nfunc publish(channel *amqp.Channel, queueName string) {\n  channel.PublishWithContext(ctx, \"\", queueName, false, false, amqp.Publishing{})\n}\n",
        &["- rabbitmq:{env:ORDERS_QUEUE} by rabbit.go::Send:9 0.7"],
    );
    check(
        "//- /a.js\nconst amqp = require('amqplib')\nasync function f(channel) {\n  const q = await channel.assertQueue('orders.paid')\n  channel.consume(q.queue, handle)\n}\n",
        &["- rabbitmq:orders.paid by a.js::f:4 0.9 serves"],
    );
    // Declarations of two names in two branches name none, those that agree one.
    for (second, expected) in [("mails", &[][..]), ("orders", &["- rabbitmq:orders by a.js::f:5 0.9 serves"])] {
        check(
            &format!(
                "//- /a.js\nconst amqp = require('amqplib')\nasync function f(channel, isMail) {{\n  let q\n  if (isMail) {{ q = await channel.assertQueue('{second}') }} else {{ q = await channel.assertQueue('orders') }}\n  channel.consume(q.queue, handle)\n}}\n"
            ),
            expected,
        );
    }
    // Near misses: a queue that the broker names, and the name of something else.
    check(
        "//- /a.js\nconst amqp = require('amqplib')\nasync function f(channel) {\n  const q = await channel.assertQueue('')\n  channel.consume(q.queue, handle)\n}\n",
        &[],
    );
    check(
        "//- /a.go\npackage a\nimport amqp \"github.com/rabbitmq/amqp091-go\"\nfunc f(ch *amqp.Channel) {\n  q := load(\"orders.paid\")\n  ch.Consume(q.Name, \"\", true, false, false, false, nil)\n}\n",
        &[],
    );
}

#[test]
fn a_type_of_go_implements_an_interface_by_all_its_methods() {
    let system = |methods: &str| {
        format!(
            "//- /go.mod\nmodule shop\n//- /kafka.go\npackage shop\nimport \"github.com/segmentio/kafka-go\"\ntype Publisher interface {{\n  Publish(topic string, value []byte)\n  Close()\n}}\ntype KafkaPublisher struct {{}}\nfunc (p *KafkaPublisher) Publish(topic string, value []byte) {{\n  w := &kafka.Writer{{Topic: topic}}\n}}\n{methods}\n//- /orders.go\npackage shop\ntype Orders struct {{ bus Publisher }}\nfunc (o *Orders) Paid() {{\n  o.bus.Publish(\"orders\", nil)\n}}\n"
        )
    };
    check(&system("func (p *KafkaPublisher) Close() {}"), &["- kafka:orders by orders.go::Orders.Paid:4 0.7"]);
    check(&system("func (p *KafkaPublisher) Stop() {}"), &[]);
}

#[test]
fn types_declare_the_topics_of_their_base_types() {
    check(
        "//- /paid.ts\nimport { Listener, Subjects } from '@shop/common'\nexport class PaidListener extends Listener<PaidEvent> {\n  readonly subject = Subjects.OrderPaid\n  queueGroup = 'mail'\n}\n",
        &["- any:Subjects.OrderPaid by paid.ts::PaidListener:3 0.7 serves"],
    );
    check(
        "//- /paid.ts\nimport { BasePublisher, Exchanges } from '@shop/common'\nexport class PaidPublisher extends BasePublisher {\n  exchangeName = Exchanges.Orders\n  routingKey = 'order.paid'\n}\n",
        &["- rabbitmq:Exchanges.Orders/order.paid by paid.ts::PaidPublisher:4 0.7"],
    );
    // Near misses: another base, and a member with another name.
    check(
        "//- /paid.ts\nimport { Component, Listener } from '@shop/common'\nexport class Paid extends Component {\n  subject = 'order.paid'\n}\nexport class PaidListener extends Listener {\n  title = 'order.paid'\n}\n",
        &[],
    );
}

#[test]
fn constants_of_topics_are_offered() {
    check_keys(
        "//- /topics.ts\nexport enum EventTopic {\n  PAID = 'order.paid',\n}\nexport const QUEUES = { MAIL: 'mail-jobs' } as const\nexport enum Color { RED = 'dark-red' }\nexport const message = { created: 'was-created' }\n",
        &["constant:"],
        &[
            "+ constant:EventTopic.PAID order.paid = topics.ts::EventTopic.PAID",
            "+ constant:QUEUES.MAIL mail-jobs = topics.ts::QUEUES",
        ],
    );
    check_keys(
        "//- /topics.go\npackage messaging\nconst TopicPaid = \"order.paid\"\nconst Greeting = \"order.paid\"\n",
        &["constant:"],
        &["+ constant:messaging.TopicPaid order.paid = topics.go::TopicPaid"],
    );
}

#[test]
fn an_outbox_stores_topics_by_their_constants() {
    let store = |line: &str| {
        format!("//- /a.ts\nimport {{ Topics }} from '@shop/common'\nfunction f(outbox) {{\n  {line}\n}}\n")
    };
    check(&store("outbox.save({ topic: Topics.PAID, payload })"), &["- any:Topics.PAID by a.ts::f:3 0.9"]);
    check(&store("if (outbox.topic === Topics.PAID) return"), &[]);
}
