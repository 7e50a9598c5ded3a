//! Clients of NATS, Redis and the queues of clouds.

use super::*;

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
