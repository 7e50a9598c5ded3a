//! Links by topics and tables.

use super::check;

#[test]
fn queues_get_the_messages_of_the_topics_that_they_are_bound_to() {
    check(
        "## shop
         - topic sns:{env:TOPIC_ARN}
         - topic pubsub:orders
         - topic rabbitmq:shop/order.paid
         - config /TOPIC_ARN arn:aws:sns:eu:1:orders
         ## infra
         + topic sqs:mail-orders sns:orders
         + topic pubsub:mail-orders pubsub:orders
         ## mail
         * topic sqs:https://sqs.eu/1/mail-orders
         * topic pubsub:projects/p/subscriptions/mail-orders
         * topic rabbitmq:shop/order.*
         * topic rabbitmq:shop/pay.*
         * topic rabbitmq:other/order.paid
         * topic sqs:orders",
        &[
            "shop:1 uses sns:orders mail:1 0.90",
            "shop:2 uses pubsub:orders mail:2 0.90",
            "shop:3 uses rabbitmq:shop/order.paid mail:3 0.90",
        ],
    );
}

#[test]
fn readers_of_a_queue_get_the_messages_that_its_binding_leads_to_it() {
    let system = |queue: &str, reader: &str| {
        format!(
            "## shop/orders
             - topic rabbitmq:Shop/order.new
             ## shop/mail
             + topic rabbitmq:{queue} rabbitmq:Shop/order.new
             ## {reader}
             * topic rabbitmq:{queue}"
        )
    };
    check(&system("OrderQueue", "shop/reader"), &["shop/orders:1 uses rabbitmq:Shop/order.new shop/reader:1 0.90"]);
    // Near misses: the queue of another owner, and a common name.
    check(&system("OrderQueue", "other/reader"), &[]);
    check(&system("orders", "shop/reader"), &[]);
}

#[test]
fn common_topics_of_systems_that_are_deployed_apart_are_candidates() {
    let system = |topic: &str, deployment: &str| {
        format!(
            "## one-deploy
             + workload a x/a
             ## {deployment}
             + workload b x/b
             ## a
             + image
             - topic kafka:{topic}
             ## b
             + image
             * topic kafka:{topic}"
        )
    };
    let images = ["one-deploy:1 uses image a a:1 0.90", "other-deploy:1 uses image b b:1 0.90"];
    check(&system("orders", "other-deploy"), &[&images[..], &["a:2 uses kafka:orders b:2 0.40"]].concat());
    check(&system("shop.orders", "other-deploy"), &[&images[..], &["a:2 uses kafka:shop.orders b:2 0.90"]].concat());
}

#[test]
fn names_of_types_are_topics_if_a_client_sends_them() {
    let events = "## orders
         - topic bus:OrderPaid
         - topic masstransit:OrderShipped
         ## mail
         * topic bus:OrderPaid
         * topic masstransit:OrderShipped";
    let shipped = "orders:2 uses masstransit:OrderShipped mail:2 0.90";
    check(events, &["orders:1 uses bus:OrderPaid mail:1 0.40", shipped]);
    let with_client = events.replace("## orders", "## orders\n- topic bus:{type}\n");
    let linked = with_client.replace("* topic bus:OrderPaid", "* topic kafka:OrderPaid");
    check(
        &with_client,
        &["orders:2 uses bus:OrderPaid mail:1 0.90", "orders:3 uses masstransit:OrderShipped mail:2 0.90"],
    );
    check(&linked, &["orders:2 uses bus:OrderPaid mail:1 0.90", "orders:3 uses masstransit:OrderShipped mail:2 0.90"]);
    // However many other repositories have such a client.
    let many: String = (0..300).map(|idx| format!("## r{idx}\n- topic bus:{{type}}\n")).collect();
    check(
        &format!("{many}{with_client}"),
        &["orders:2 uses bus:OrderPaid mail:1 0.90", "orders:3 uses masstransit:OrderShipped mail:2 0.90"],
    );
    // The client of another repository says nothing of these messages.
    let other = format!("{events}\n## messaging\n- topic bus:{{type}}");
    check(&other, &["orders:1 uses bus:OrderPaid mail:1 0.40", shipped]);
    check(&other.replace("* topic bus:OrderPaid", "* topic redis:OrderPaid"), &[shipped]);
}

#[test]
fn migrations_own_tables_and_models_use_them() {
    let system = |settings: &str, of_report: &str| {
        format!(
            "## report
             {of_report}
             - table orders
             {settings}
             ## shop
             + table orders
             {settings}"
        )
    };
    let database = "- config /DB_HOST db\n- config /DB_NAME shop";
    let linked = "report:2 uses orders shop:1 0.90";
    check(&system(database, "+ table orders model"), &[linked]);
    check(&system("- config /DB_URL postgres://db/shop", "+ table orders model"), &[linked]);
    // The own model is of an own table, unless the database is shared.
    check(&system("", "+ table orders model"), &[]);
    check(&system("- config /DB_HOST db", "+ table orders model"), &[]);
    check(&system("", ""), &["report:1 uses orders shop:1 0.40"]);
    // The repository of the migration builds the image of the database.
    check(
        "## report
         - table orders
         - config /DB_URL mysql://shop-db/shop
         ## deploy
         + host shop-db shop-db
         + workload shop-db x/shop-db
         ## shop-db
         + image
         + table orders",
        &[
            "report:1 uses orders shop-db:2 0.90",
            "report:2 uses DB_URL shop-db:1 0.90",
            "deploy:2 uses image shop-db shop-db:1 0.90",
        ],
    );
}

#[test]
fn producers_are_linked_to_consumers_of_the_same_broker() {
    check(
        "## a
         - topic kafka:orders
         * topic kafka:orders
         - topic kafka:events
         - topic kafka:{env:PAY_TOPIC}
         - topic nats:stock.new
         - topic sqs:https://sqs.eu/1/mails
         - topic kafka:{env:BOOKS_TOPIC} books
         ## b
         * topic kafka:orders
         * topic nats:orders
         * topic kafka:payments
         * topic kafka:events
         * topic nats:stock.*
         * topic sqs:{env:MAIL_QUEUE_URL}
         * topic kafka:books
         ## deploy
         + workload a acme/a
         - config a/PAY_TOPIC payments
         - config /MAIL_QUEUE_URL https://sqs.eu/1/mails",
        &[
            "a:1 uses kafka:orders b:1 0.90",
            "a:3 uses kafka:events b:4 0.40",
            "a:4 uses kafka:payments b:3 0.90",
            "a:5 uses nats:stock.new b:5 0.90",
            "a:6 uses sqs:mails b:6 0.90",
            "a:7 uses kafka:books b:7 0.90",
        ],
    );
}

#[test]
fn tables_of_one_name_need_a_shared_database() {
    let tables = "
         - table users
         - table billing.invoices
         - table own
         + table own
         ## shop
         + table users
         + table billing.invoices
         + table own";
    check(
        &format!("## report{tables}"),
        &["report:1 uses users shop:1 0.40", "report:2 uses billing.invoices shop:2 0.90"],
    );
    check(
        &format!(
            "## report\n- config /DB_URL postgres://db:5432/shop{tables}\n- config /URL jdbc:postgresql://db/shop"
        ),
        &["report:2 uses users shop:1 0.90", "report:3 uses billing.invoices shop:2 0.90"],
    );
    check(
        &format!(
            "## report\n- config /DB_URL postgres://db:5432/other{tables}\n- config /URL jdbc:postgresql://db/shop"
        ),
        &["report:2 uses users shop:1 0.40", "report:3 uses billing.invoices shop:2 0.90"],
    );
}

#[test]
fn a_library_may_hide_the_broker_of_one_side() {
    let events = "## orders
         - topic any:OrderTopics.PAID
         - topic any:in.process
         * topic any:in.process
         ## mail
         * topic any:OrderTopics.PAID
         ## stock
         * topic kafka:OrderTopics.PAID
         ## other
         * topic any:OrderTopics.SHIPPED
         * topic zeromq:OrderTopics.PAID";
    // Constants of unrelated owners have equal names, with and without a broker.
    for (broker, n) in [("any", "0.70"), ("kafka", "0.90")] {
        let named = |topic: &str, consumer: &str| {
            format!("## a/x\n- topic {broker}:{topic}\n## {consumer}/y\n* topic {broker}:{topic}")
        };
        for topic in ["Topics.CREATED", "messaging.TopicOrders"] {
            check(&named(topic, "b"), &[&format!("a/x:1 uses {broker}:{topic} b/y:1 0.40")]);
            check(&named(topic, "a"), &[&format!("a/x:1 uses {broker}:{topic} a/y:1 {n}")]);
        }
    }
    check(
        "## a/x\n- topic kafka:shop.orders\n## b/y\n* topic kafka:shop.orders",
        &["a/x:1 uses kafka:shop.orders b/y:1 0.90"],
    );
    let linked = ["mail:1", "stock:1"].map(|to| format!("orders:1 uses any:OrderTopics.PAID {to} 0.70"));
    check(events, &linked.each_ref().map(String::as_str));
}

#[test]
fn constants_of_another_repository_name_topics() {
    let system = |constants: &str| {
        format!(
            "## shop
             - topic any:Topics.PAID
             - topic kafka:{{env:TOPIC_SOLD}}
             - topic rabbitmq:Exchanges.ORDERS/Keys.PAID
             ## mail
             * topic kafka:order.paid
             * topic kafka:order.sold
             * topic rabbitmq:orders/paid.mail
             ## common
             {constants}"
        )
    };
    let constants = "+ topic constant:Topics.PAID order.paid
         + topic constant:TOPIC_SOLD order.sold
         + topic constant:Exchanges.ORDERS orders
         + topic constant:Keys.PAID paid.mail";
    check(
        &system(constants),
        &[
            "shop:1 uses any:order.paid mail:1 0.70",
            "shop:2 uses kafka:order.sold mail:2 0.90",
            "shop:3 uses rabbitmq:orders/paid.mail mail:3 0.90",
        ],
    );
    // Two values of one name tell none.
    check(
        &system(&format!("{constants}\n## other\n+ topic constant:Topics.PAID paid")),
        &["shop:2 uses kafka:order.sold mail:2 0.90", "shop:3 uses rabbitmq:orders/paid.mail mail:3 0.90"],
    );
}

#[test]
fn a_text_is_no_constant_of_its_name() {
    let system = |sent: &str, received: &str| {
        format!(
            "## a/web
             + topic constant:message.created Created
             + topic constant:channel.created Created
             + topic constant:order_events Created
             + topic constant:Topics.CREATED Created
             ## a/api
             - topic kafka:{sent}
             ## a/mail
             * topic kafka:{received}"
        )
    };
    for (sent, received, expected) in [
        ("order_events", "order_events", &["a/api:1 uses kafka:order_events a/mail:1 0.90"][..]),
        ("order_events", "channel.created", &[]),
        ("message.created", "channel.created", &[]),
        ("Topics.CREATED", "Created", &["a/api:1 uses kafka:Created a/mail:1 0.90"]),
    ] {
        check(&system(sent, received), expected);
    }
}

#[test]
fn a_variable_that_nobody_sets_is_one_topic_of_the_system() {
    let system = |variable: &str| {
        format!(
            "## a/shop\n- topic kafka:{{env:{variable}}}\n## a/mail\n* topic kafka:{{env:{variable}}}\n## b/mail\n* topic kafka:{{env:{variable}}}"
        )
    };
    let of_other = "a/shop:1 uses kafka:{env:KAFKA_TOPIC_NEWS} b/mail:1 0.40";
    check(&system("KAFKA_TOPIC_NEWS"), &["a/shop:1 uses kafka:{env:KAFKA_TOPIC_NEWS} a/mail:1 0.70", of_other]);
    for common in
        ["KAFKA_TOPIC", "AWS_SQS_QUEUE_URL", "INPUT_TOPIC", "EVENTS_TOPIC", "TASK_QUEUE", "PUBSUB_TOPIC", "NATS_URL"]
    {
        check(&system(common), &[]);
    }
}

#[test]
fn frameworks_and_typed_buses_hide_the_broker() {
    check(
        "## shop
         - topic kafka:order.paid
         - topic bus:OrderPaid
         - topic nest:order.sold
         ## mail
         * topic nest:order.paid
         * topic masstransit:OrderPaid
         * topic rabbitmq:order.sold
         * topic celery:order.sold",
        &[
            "shop:1 uses kafka:order.paid mail:1 0.70",
            "shop:2 uses bus:OrderPaid mail:2 0.70",
            "shop:3 uses nest:order.sold mail:3 0.70",
        ],
    );
    // Both sides hide the broker: a program that has both is an emitter of its own events.
    let events = "## shop\n- topic any:order.paid\n## mail\n* topic any:order.paid";
    check(events, &["shop:1 uses any:order.paid mail:1 0.70"]);
    check(&format!("{events}\n- topic any:order.paid"), &["shop:1 uses any:order.paid mail:1 0.40"]);
    // So is a consumer that sends the topic itself, although the producer names a broker.
    let page = "## api\n- topic kafka:order.paid\n## page\n* topic any:order.paid";
    check(page, &["api:1 uses kafka:order.paid page:1 0.70"]);
    check(&format!("{page}\n- topic any:order.paid"), &["api:1 uses kafka:order.paid page:1 0.40"]);
    // An event within a program has the name of the message of another owner.
    for (owner, n) in [("a", "0.70"), ("b", "0.40")] {
        check(
            &format!("## a/shop\n- topic bus:OrderPaid\n## {owner}/mail\n* topic masstransit:OrderPaid"),
            &[&format!("a/shop:1 uses bus:OrderPaid {owner}/mail:1 {n}")],
        );
    }
}

#[test]
fn an_unknown_routing_key_is_that_of_every_queue_unless_callers_name_it() {
    let queues = "
         ## mail
         * topic rabbitmq:shop/order.paid
         ## stock
         * topic rabbitmq:shop/item.sold
         * topic rabbitmq:other/order.paid
         * topic rabbitmq:shop/?";
    let unknown = "- topic rabbitmq:shop/?";
    check(
        &format!("## orders\n{unknown}{queues}"),
        &[
            "orders:1 uses rabbitmq:shop/? mail:1 0.40",
            "orders:1 uses rabbitmq:shop/? stock:1 0.40",
            "orders:1 uses rabbitmq:shop/? stock:3 0.40",
        ],
    );
    check(
        &format!("## orders\n{unknown}\n~ topic rabbitmq:shop/order.paid{queues}"),
        &["orders:2 uses rabbitmq:shop/order.paid mail:1 0.70", "orders:2 uses rabbitmq:shop/order.paid stock:3 0.40"],
    );
}

#[test]
fn a_model_with_a_schema_is_of_the_table_that_the_system_defines() {
    let system = |model: &str, defined: &str| {
        format!("## shop\n- table {model}\n+ table {model} model\n## schema\n+ table {defined}")
    };
    check(&system("shop.orders", "shop.orders"), &["shop:1 uses shop.orders schema:1 0.70"]);
    // Near misses: the model of a table without a schema is of an own table, and two repositories that define a table are alternatives.
    check(&system("orders", "orders"), &[]);
    check(&system("shop.orders", "orders"), &[]);
    check(&format!("{}\n## other\n+ table shop.orders", system("shop.orders", "shop.orders")), &[]);
    // A table of another schema is another table: those of the database system have the names of tables of applications.
    for used in ["information_schema.columns", "pg_catalog.columns", "auth.columns"] {
        check(&format!("## own\n- table {used}\n+ table columns\n## other\n+ table columns"), &[]);
        check(&format!("## own\n- table {used}\n## other\n+ table columns"), &[]);
    }
    let billing = "## own\n- table billing.orders\n+ table orders\n## billing\n+ table billing.orders";
    check(billing, &["own:1 uses billing.orders billing:1 0.90"]);
}

#[test]
fn an_event_within_programs_needs_more_than_a_bus_of_the_same_owner() {
    let system =
        |library: &str| format!("## a/orders\n- topic bus:OrderPaid\n## a/mail\n* topic bus:OrderPaid\n## {library}");
    let candidate = &["a/orders:1 uses bus:OrderPaid a/mail:1 0.40"][..];
    check(&system("a/other"), candidate);
    // Nothing says that the two programs use the bus of the third one.
    check(&system("a/event-bus\n- topic bus:{type}"), candidate);
}
