//! Clients of brokers and background jobs, and tables.

use super::{ContractKind, NearMiss, NotationRow};

/// Queues that clouds bind to topics.
const BINDINGS: &str = "//- /queues.tf\nresource \"aws_sqs_queue\" \"mail\" {\n  name = \"mail-orders\"\n}\nresource \"aws_sns_topic\" \"orders\" {\n  name = \"shop-orders\"\n}\nresource \"aws_sns_topic_subscription\" \"a\" {\n  topic_arn = aws_sns_topic.orders.arn\n  protocol  = \"sqs\"\n  endpoint  = aws_sqs_queue.mail.arn\n}\n";

/// The same database for both.
const DATABASE: &str = "//- /compose.yaml\nservices:\n  cart:\n    image: acme/cart\n    environment:\n      DB_URL: postgres://db:5432/shop\n  shop:\n    image: acme/shop\n    environment:\n      DB_URL: postgres://db:5432/shop\n";

/// Broker, producer, consumer, near miss of the producer.
#[rustfmt::skip]
const TOPICS: &[(&str, &str, &str, &str)] = &[
    (
        "Kafka",
        "//- /a.ts\nimport { Kafka } from 'kafkajs'\nexport function f(producer) { return producer.send({ topic: 'orders.paid', messages: [] }) }",
        "//- /A.java\nimport org.springframework.kafka.annotation.KafkaListener;\nclass A {\n  @KafkaListener(topics = \"orders.paid\")\n  void on(String m) {}\n}",
        "//- /a.ts\nimport { Kafka } from 'kafkajs'\nexport function f(log) { return log.write({ topic: 'orders.paid' }) }",
    ),
    (
        "NATS",
        "//- /a.go\npackage a\nimport \"github.com/nats-io/nats.go\"\nfunc F(nc *nats.Conn, b []byte) { nc.Publish(\"orders.paid\", b) }",
        "//- /a.ts\nimport { connect } from 'nats'\nexport function f(client) { client.subscribe('orders.*') }",
        "//- /a.go\npackage a\nimport \"github.com/nats-io/nats.go\"\nfunc F(nc *nats.Conn) { nc.LastError(\"orders.paid\") }",
    ),
    (
        "RabbitMQ",
        "//- /a.py\nimport pika\ndef f(ch, b):\n    ch.basic_publish(exchange='shop', routing_key='order.paid', body=b)\n",
        "//- /a.js\nconst amqp = require('amqplib')\nasync function f(channel) {\n  await channel.bindQueue('mails', 'shop', 'order.*')\n  channel.consume('mails', handle)\n}\n",
        "//- /a.py\nimport pika\ndef f(ch):\n    ch.exchange_declare(exchange='shop')\n",
    ),
    (
        "SQS",
        "//- /a.ts\nimport { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs'\nexport function f(c, b) { return c.send(new SendMessageCommand({ QueueUrl: 'https://sqs.eu.amazonaws.com/1/paid-orders', MessageBody: b })) }",
        "//- /a.py\nimport boto3\nsqs = boto3.resource('sqs')\ndef f():\n    q = sqs.get_queue_by_name(QueueName='paid-orders')\n    for m in q.receive_messages(): pass\n",
        "//- /a.ts\nimport { SQSClient, ListQueuesCommand } from '@aws-sdk/client-sqs'\nexport function f(c) { return c.send(new ListQueuesCommand({ QueueNamePrefix: 'paid-orders' })) }",
    ),
    (
        "Pub/Sub of Google",
        "//- /a.py\nfrom google.cloud import pubsub_v1\ndef f(publisher, project, b):\n    publisher.publish(publisher.topic_path(project, 'paid-orders'), b)\n",
        "//- /a.go\npackage a\nimport \"cloud.google.com/go/pubsub\"\nfunc F(ctx C, client *pubsub.Client) {\n\ttopic := client.Topic(\"paid-orders\")\n\tclient.CreateSubscription(ctx, \"mail-orders\", pubsub.SubscriptionConfig{Topic: topic})\n\tsub := client.Subscription(\"mail-orders\")\n\tsub.Receive(ctx, handle)\n}\n",
        "//- /a.py\nfrom google.cloud import storage\ndef f(client):\n    client.bucket('paid-orders')\n",
    ),
    (
        "streams of Redis",
        "//- /a.py\nimport redis\ndef f(r):\n    r.xadd('paid-orders', {'a': 1})\n",
        "//- /a.go\npackage a\nimport \"github.com/redis/go-redis/v9\"\nfunc F(ctx C, rdb *redis.Client) { rdb.XReadGroup(ctx, &redis.XReadGroupArgs{Streams: []string{\"paid-orders\", \">\"}}) }",
        "//- /a.py\nimport redis\ndef f(r):\n    r.set('paid-orders', 1)\n",
    ),
    (
        "jobs of Celery",
        "//- /a.py\nfrom celery import Celery\napp = Celery('shop')\ndef f():\n    app.send_task('mail.send', args=[1])\n",
        "//- /tasks.py\nfrom celery import Celery\napp = Celery('mail')\n@app.task(name='mail.send')\ndef send(x): pass\n",
        "//- /a.py\nfrom celery import Celery\napp = Celery('shop')\ndef f():\n    app.log('mail.send')\n",
    ),
    (
        "jobs of Sidekiq",
        "//- /a.rb\nclass Orders\n  def paid\n    Sidekiq::Client.push('class' => 'PaidOrderJob', 'args' => [])\n  end\nend\n",
        "//- /job.rb\nclass PaidOrderJob\n  include Sidekiq::Worker\n  def perform\n  end\nend\n",
        "//- /a.rb\nclass Orders\n  def paid\n    Registry.push('class' => 'PaidOrderJob')\n  end\nend\n",
    ),
    (
        "names of types as topics",
        "//- /A.cs\nusing MassTransit;\nclass A {\n  async Task F(IPublishEndpoint endpoint) { await endpoint.Publish(new OrderPaid(1)); }\n}\n",
        "//- /B.cs\nusing MassTransit;\nclass PaidConsumer : IConsumer<OrderPaid> {\n  public Task Consume(ConsumeContext<OrderPaid> context) { return null; }\n}\n",
        "//- /A.cs\nusing MassTransit;\nclass A {\n  void F(List<object> list) { list.Add(new OrderPaid(1)); }\n}\n",
    ),
];

/// Form, user, near miss of the user.
#[rustfmt::skip]
const TABLES: &[(&str, &str, &str)] = &[
    ("SQL strings", "//- /a.py\ndef f(db):\n    db.execute('SELECT * FROM paid_orders')\n", "//- /a.py\ndef f(log):\n    log('FROM paid_orders to others')\n"),
    ("models of tables", "//- /a.py\nfrom sqlalchemy.orm import DeclarativeBase\nclass PaidOrder(Base):\n    __tablename__ = 'paid_orders'\n", "//- /a.py\nclass PaidOrder:\n    title = 'paid_orders'\n"),
];

pub(super) fn rows() -> Vec<NotationRow> {
    let topic = |name: &str, user: &str, provider: &str, near: &str| {
        NotationRow::new(name, ContractKind::Topic, "", user, provider, NearMiss::User(near.to_owned()))
    };
    let mut rows: Vec<NotationRow> =
        TOPICS.iter().map(|(name, user, provider, near)| topic(name, user, provider, near)).collect();
    rows.push(
        topic(
            "SNS",
            "//- /a.py\nimport boto3\nsns = boto3.client('sns')\ndef f(m):\n    sns.publish(TopicArn='arn:aws:sns:eu:1:shop-orders', Message=m)\n",
            "//- /a.py\nimport boto3\nsqs = boto3.resource('sqs')\ndef f():\n    q = sqs.get_queue_by_name(QueueName='mail-orders')\n    for m in q.receive_messages(): pass\n",
            "//- /a.py\nimport boto3\nsns = boto3.client('sns')\ndef f(m):\n    sns.get_topic_attributes(TopicArn='arn:aws:sns:eu:1:shop-orders')\n",
        )
        .deployed(BINDINGS),
    );
    let migration = "//- /migrations/V1__orders.sql\nCREATE TABLE paid_orders (id int);\n";
    let table = |name: &str, user: &str, near: NearMiss| {
        NotationRow::new(name, ContractKind::Table, "paid_orders", user, migration, near).deployed(DATABASE)
    };
    rows.extend(TABLES.iter().map(|(name, user, near)| table(name, user, NearMiss::User((*near).to_owned()))));
    let near = "//- /migrations/V1__orders.sql\nCREATE INDEX paid_orders ON bills (id);\n";
    rows.push(table("migrations", TABLES[0].1, NearMiss::Provider(near.to_owned())));
    rows
}
