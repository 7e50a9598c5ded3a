//! Clients of RabbitMQ.

use super::*;

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
            "rabbitmq publish shop/order.paid, rabbitmq consume shop/order.#, rabbitmq bind q=shop/order.#",
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

#[test]
fn bindings_of_spring_lead_to_the_queues_of_beans() {
    let beans = "import org.springframework.amqp;\n@Bean Queue orders() {\n  return QueueBuilder.durable(\"OrderQueue\").build();\n}\n@Bean Queue pays() { return new Queue(\"PayQueue\"); }\n@Bean DirectExchange shop() { return new DirectExchange(\"Shop\"); }\n";
    for (binding, expected) in [
        (
            "BindingBuilder.bind(orders()).to(shop()).with(\"order.new\");",
            "rabbitmq consume order.new, rabbitmq bind OrderQueue=Shop/order.new",
        ),
        (
            "BindingBuilder\n  .bind(pays)\n  .to(shop)\n  .with(\"pay.new\");",
            "rabbitmq consume pay.new, rabbitmq bind PayQueue=Shop/pay.new",
        ),
        // The parameter of a method is the only exchange.
        (
            "BindingBuilder.bind(orders()).to(exchange).with(\"order.new\");",
            "rabbitmq consume order.new, rabbitmq bind OrderQueue=Shop/order.new",
        ),
        // An exchange and a queue of other files.
        (
            "BindingBuilder.bind(orders()).to(other()).with(\"order.new\");",
            "rabbitmq consume order.new, rabbitmq bind OrderQueue=order.new",
        ),
        ("BindingBuilder.bind(mails()).to(shop()).with(\"mail.new\");", "rabbitmq consume mail.new"),
        // The name of the next bean.
        (
            "@Bean Queue mails() { return new Queue(props.getMail()); }\n@Bean Queue bills() { return new Queue(\"BillQueue\"); }\nBindingBuilder.bind(mails()).to(shop()).with(\"mail.new\");",
            "rabbitmq consume mail.new",
        ),
    ] {
        assert_eq!(messages(Language::Java, &format!("{beans}{binding}")), expected, "{binding}");
    }
}
