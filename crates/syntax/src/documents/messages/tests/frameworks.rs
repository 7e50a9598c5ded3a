//! Frameworks for jobs and for messages.

use super::*;

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
fn the_object_of_a_call_may_end_the_line_before() {
    use Language::*;
    check(&[
        (
            TypeScript,
            "import { ClientProxy } from '@nestjs/microservices'\nconst found = await this.natsClient\n  .send('orders.find', { id })\n  .toPromise()",
            "nest publish orders.find",
        ),
        // The method of another object.
        (
            TypeScript,
            "import { ClientProxy } from '@nestjs/microservices'\nclient.log()\nawait this.mailer\n  .send('orders.find', { id })",
            "",
        ),
    ]);
}

#[test]
fn patterns_of_nest_may_be_objects() {
    use Language::*;
    check(&[
        (
            TypeScript,
            "import { ClientProxy } from '@nestjs/microservices'\nclass A { constructor(private users: ClientProxy) {}\n f() { return this.users.send({ cmd: 'find' }, {}) }\n g() { this.users.emit<string>({ role: 'u', cmd: 'made' }, {}) } }",
            "nest publish cmd:find, nest publish cmd:made/role:u",
        ),
        (
            TypeScript,
            "import { MessagePattern } from '@nestjs/microservices'\nclass A {\n @MessagePattern({ cmd: 'find' }) find() {}\n @EventPattern('made') made() {} }",
            "nest consume cmd:find, nest consume made",
        ),
        // The object of another type, and a pattern of which nothing is known.
        (
            TypeScript,
            "import { ClientProxy } from '@nestjs/microservices'\nclass A { constructor(private users: Mailer) {}\n f() { return this.users.send({ cmd: 'find' }, {}) } }",
            "",
        ),
        (
            TypeScript,
            "import { ClientProxy } from '@nestjs/microservices'\nclass A { constructor(private users: ClientProxy) {}\n f(cmd) { return this.users.send({ cmd }, {}) } }",
            "",
        ),
    ]);
}

#[test]
fn frameworks_of_python_and_go() {
    use Language::*;
    check(&[
        (
            Python,
            "from faststream.rabbit import RabbitBroker\n@broker.subscriber('orders.in')\n@broker.publisher('orders.out')\nasync def handle(m): pass\nawait broker.publish(m, 'orders.new')\nawait broker.publish(m, queue='orders.old')",
            "rabbitmq consume orders.in, rabbitmq publish orders.out, rabbitmq publish orders.new, rabbitmq publish orders.old",
        ),
        (
            Python,
            "from faststream.nats import NatsBroker\n@broker.subscriber('orders.*')\nasync def handle(m): pass\nawait broker.publish(m, subject='orders.new')",
            "nats consume orders.*, nats publish orders.new",
        ),
        (Python, "import broker\n@broker.subscriber('orders.in')\nasync def handle(m): pass", ""),
        (
            Go,
            "import \"github.com/hibiken/asynq\"\nconst TypeMail = \"email:send\"\ntask := asynq.NewTask(TypeMail, b)\nmux := asynq.NewServeMux()\nmux.HandleFunc(TypeMail, h)\nmux.HandleFunc(\"/health\", h)",
            "asynq publish email:send, asynq consume email:send",
        ),
        (Go, "mux := http.NewServeMux()\nmux.HandleFunc(\"email:send\", h)", ""),
    ]);
}

#[test]
fn endpoints_of_camel_name_their_brokers() {
    use Language::*;
    check(&[
        (
            Java,
            "import org.apache.camel.builder.RouteBuilder;\nfrom(\"kafka:orders?brokers=localhost:9092\")\n  .to(\"jms:queue:mails\");\nfrom(\"activemq:topic:paid\").toD(\"aws2-sqs://jobs?region=eu\");",
            "kafka consume orders, jms publish mails, sqs publish jobs, jms consume paid",
        ),
        (
            Kotlin,
            "import org.apache.camel.builder.RouteBuilder\nfrom(\"spring-rabbitmq:shop?queues=orders\").to(\"spring-rabbitmq:shop?routingKey=order.paid\")",
            "rabbitmq publish shop/order.paid, rabbitmq consume orders",
        ),
        (
            Java,
            "import org.apache.camel.builder.RouteBuilder;\nfrom(\"kafka:{{orders.topic}}\").to(\"google-pubsub:shop:mails\");",
            "pubsub publish mails, kafka consume {env:orders.topic}",
        ),
        (
            Java,
            "import org.apache.camel.builder.RouteBuilder;\nfrom(\"kafka:localhost:9092?topic=orders&groupId=a\").to(\"nats:localhost:4222?topic=mails\");",
            "nats publish mails, kafka consume orders",
        ),
        (
            Java,
            "import org.apache.camel.builder.RouteBuilder;\nfrom(\"kafka:localhost:9092\").to(\"nats:localhost:4222\").to(\"rabbitmq://localhost:5672/shop\");\nfrom(\"timer:tick\").to(\"kafka:orders\" + suffix).to(\"jms:queue:mails\".concat(suffix));",
            "",
        ),
        // Near misses: endpoints within the application, computed ones, other functions, and other libraries.
        (
            Java,
            "import org.apache.camel.builder.RouteBuilder;\nfrom(\"direct:orders\").to(\"log:orders\").to(\"kafka:\" + topic).toString();\nfrom(\"timer:tick\").toD(\"kafka:${header.topic}\");",
            "",
        ),
        (Java, "Flux.from(\"kafka:orders\").to(\"jms:queue:mails\");", ""),
    ]);
}
