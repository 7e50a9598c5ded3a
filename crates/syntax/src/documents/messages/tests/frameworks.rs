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
