//! Documents as text.

use model::{DocumentFormat, Language};

use super::read;

/// Returns the entries with a value, as `path = value :line`.
fn shown(language: Language, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for document in read(language, text.as_bytes()) {
        let mut paths: Vec<String> = Vec::new();
        for entry in &document.entries {
            let before = entry.parent.map_or("", |parent| paths[parent as usize].as_str()).to_owned();
            let path = if before.is_empty() { entry.key.clone() } else { format!("{before}/{}", entry.key) };
            if !entry.value.is_empty() {
                lines.push(format!("{path} = {} :{}", entry.value, entry.line));
            }
            paths.push(path);
        }
    }
    lines
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(shown(Language::Text, text), expected, "{text}");
}

#[test]
fn yaml_has_several_documents_anchors_tags_and_merge_keys() {
    check(
        "apiVersion: v1\nkind: Service\nmetadata: {name: cart}\n---\nx: &base\n  image: acme/cart:1\n  host: cart\nservices:\n  a:\n    <<: *base\n    host: !str other\n  b: *base\n",
        &[
            "apiVersion = v1 :1",
            "kind = Service :2",
            "metadata/name = cart :3",
            "x/image = acme/cart:1 :6",
            "x/host = cart :7",
            "services/a/host = other :11",
            "services/a/image = acme/cart:1 :6",
            "services/b/image = acme/cart:1 :6",
            "services/b/host = cart :7",
        ],
    );
}

#[test]
fn templates_of_helm_keep_their_lines_and_actions() {
    check(
        "{{- if .Values.cart.create }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.cart.name }}\n  {{- with .Values.x }}\n  labels:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\nspec:\n  image: {{ .Values.repository }}/{{ .Values.cart.name }}:{{ .Values.tag | default .Chart.AppVersion }}\n  env:\n  - name: CART_ADDR\n    value: \"{{ .Release.Name }}-cart:7070\"\n{{- end }}\n",
        &[
            "apiVersion = apps/v1 :2",
            "kind = Deployment :3",
            "metadata/name = {{ .Values.cart.name }} :5",
            "spec/image = {{ .Values.repository }}/{{ .Values.cart.name }}:{{ .Values.tag | default .Chart.AppVersion }} :11",
            "spec/env//name = CART_ADDR :13",
            "spec/env//value = {{ .Release.Name }}-cart:7070 :14",
        ],
    );
}

#[test]
fn templates_of_helm_may_begin_with_a_comment() {
    check(
        "{{- /*\nA licence: of two\nlines\n*/}}\n\nkind: Service\nmetadata:\n  name: shop-{{ .Values.cart.name }}\n",
        &["kind = Service :6", "metadata/name = shop-{{ .Values.cart.name }} :8"],
    );
}

#[test]
fn an_error_costs_one_line() {
    check("a:\n  command: [\n    x\n  ]\n  host: cart\n", &["a/host = cart :5"]);
    check("host: cart\nlist: [a, b\n", &["host = cart :1"]);
    check("host: cart\n  bad: ]\nurl: http://a/b\n", &["host = cart :1", "url = http://a/b :3"]);
}

#[test]
fn a_secret_is_in_no_entry() {
    for secret in ["s3cr3tHunter2", "hunter2", "admin:hunter2", "$apr1$hunter2/x"] {
        check_secret(secret);
    }
}

#[test]
fn a_bare_secret_is_no_name() {
    for secret in ["s3cr3tpassw0rd", "sk_live_abcdefgh", "a1b2c3d4e5", "correcthorsebatterystaplecorrecthorse"] {
        for key in ["CART_HOST", "CART_SERVICE", "ORDERS_TOPIC", "DB_NAME"] {
            check(&format!("{key}={secret}\nPORT=1\n"), &[]);
        }
    }
    // Names that people give.
    for name in ["cart", "cart-v2", "redis01", "orders.v1.paid", "shop_db", "k8s-gateway", "s3"] {
        check(&format!("CART_HOST={name}\nPORT=1\n"), &[&format!("CART_HOST = {name} :1")]);
    }
}

#[test]
fn a_bare_host_stands_in_the_name_of_its_variable() {
    for (line, expected) in [
        ("CART_BASE_URL=cart", Some("CART_BASE_URL = cart :1")),
        ("LOGIN_SERVICE_URL=loginservice", Some("LOGIN_SERVICE_URL = loginservice :1")),
        ("FEATURE_FLAG_SERVICE_URI=feature-flag-service", Some("FEATURE_FLAG_SERVICE_URI = feature-flag-service :1")),
        // Near misses: another word, a part of a word with other characters, and no address.
        ("CART_BASE_URL=hunter", None),
        ("CART_BASE_URL=Cart!", None),
        ("CART_LOGIN=cart", None),
    ] {
        check(&format!("{line}\nPORT=1\n"), expected.as_slice());
    }
}

#[track_caller]
fn check_secret(secret: &str) {
    for text in [
        "DATABASE_PASSWORD=SECRET\nAPI_KEY=SECRET\nSERVICE_TOKEN=SECRET\nHOST=cart\n",
        "services:\n  a:\n    environment:\n      DATABASE_PASSWORD: SECRET\n    labels:\n    - traefik.http.middlewares.api-auth.basicauth.users=SECRET\n    - traefik.enable=true\n",
        "server {\n  set $token SECRET;\n  location / { proxy_pass http://a; proxy_set_header X-Key SECRET; }\n}\n",
        "image:\n  repository: a/b\n  pullSecret: SECRET\ndatabase:\n  password: SECRET\n  host: db\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: cart}\ndata:\n  host: SECRET\nstringData:\n  url: SECRET\n",
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env:\n    - name: DB_PASSWORD\n      value: SECRET\n    - name: DATABASE_URL\n      value: postgres://admin:SECRET@db:5432/shop?password=SECRET\n",
        "services:\n  cart:\n    environment:\n      - API_KEY=SECRET\n      - TOKEN=SECRET\n      DB_PASS: SECRET\n",
        "API_KEY=SECRET\nDB_URL=postgres://u:SECRET@db/x\nPASSWORD=SECRET:80\nHOST=cart\n",
        "FROM a/b\nENV TOKEN=SECRET KEY=SECRET\nRUN echo SECRET\n",
        "{\"ConnectionStrings\": {\"Shop\": \"Server=db;User=sa;Password=SECRET\"}, \"Jwt\": {\"Key\": \"SECRET\"}}",
        "spring:\n  datasource:\n    url: jdbc:postgresql://db/x?password=SECRET\n    password: ${DB_PASSWORD:SECRET}\n",
        "hook: https://hooks.example.com/services/T0SECRET1/SECRET1\n",
        "STRIPE_API=SECRET\nSLACK_CHANNEL_HOOK=SECRET\nSERVICE_LOGIN=SECRET\nDB_USER=SECRET\nDATABASE_URL=SECRET\nBASE=SECRET\n",
        "api:\n  url: SECRET\n  user: SECRET\n  uri: SECRET\nservice:\n  login: SECRET\n",
        "ConnectionStrings__Shop=Server=db;Database=shop;User Id=sa;Password=SECRET\n",
        "plain: SECRET\nlist: [SECRET]\nargs: [\"--password=SECRET\", \"--token\", \"SECRET\"]\n",
        "server {\n  location / {\n    proxy_set_header Authorization \"Bearer SECRET\";\n    proxy_pass http://u:SECRET@cart/;\n  }\n}\n",
    ] {
        let shown = shown(Language::Text, &text.replace("SECRET", secret));
        assert!(!shown.iter().any(|line| line.contains("unter2")), "{secret}: {shown:#?}");
    }
    let code = "password = os.environ.get('DB_PASSWORD', 's3cr3tHunter2')\n";
    assert!(!shown(Language::Python, code).iter().any(|line| line.contains("unter2")));
}

#[test]
fn settings_of_an_application_name_the_variable_of_their_address() {
    let settings =
        "services:\n  cart:\n    url: ${CART_URL}\n    password: ${CART_PASSWORD}\n    title: ${CART_TITLE}\n";
    check(settings, &["services/cart/url = {env:CART_URL} :3"]);
    // A container passes on variables, and a secret has no address.
    check("CART_URL: ${CART_URL}\nurl: ${API_TOKEN}\n", &[]);
}

#[test]
fn addresses_lose_user_and_query() {
    check(
        "a_url: https://user:pw@cart:80/api/v1?x=1\nbrokers: kafka-1:9092,kafka-2:9092\nlevel: debug\ncart_host: cart\nport: \"8080\"\nspring_url: http://${CART_HOST:cart}:${CART_PORT}/api\n",
        &[
            "a_url = https://cart:80/api/v1 :1",
            "brokers = kafka-1:9092,kafka-2:9092 :2",
            "cart_host = cart :4",
            "port = 8080 :5",
            "spring_url = http://cart:{env:CART_PORT}/api :6",
        ],
    );
}

#[test]
fn names_of_topics_have_the_defaults_of_their_placeholders() {
    check(
        "messaging:\n  subjects:\n    orders: ${orders.new:shop-orders}\n    secret: ${X:s3cr3tpassw0rd}\n  topic: ${T:shop-paid}\nlevel: ${L:debug}\n",
        &["messaging/subjects/orders = shop-orders :3", "messaging/topic = shop-paid :5"],
    );
}

#[test]
fn other_notations_are_read() {
    check(
        "ARG V=1\nFROM golang:1 AS build\nENV PORT=80 \\\n    CART_ADDR=cart:7070\nLABEL org.opencontainers.image.source=\"https://github.com/acme/cart\"\nEXPOSE 80\nCMD [\"x\"]\n",
        &[
            "FROM = golang:1 AS build :2",
            "ENV CART_ADDR = cart:7070 :4",
            "LABEL org.opencontainers.image.source = https://github.com/acme/cart :5",
            "EXPOSE = 80 :6",
        ],
    );
    check(
        "# x\nCART_ADDR=cart:7070\nexport URL=\"http://a\"\nDEBUG=1\n",
        &["CART_ADDR = cart:7070 :2", "URL = http://a :3"],
    );
    check(
        "upstream cart {\n  server cart:80;\n}\nserver {\n  location /cart/ {\n    proxy_pass http://${CART}/;\n  }\n}\n",
        &[
            "upstream = cart :1",
            "upstream/server = cart:80 :2",
            "server/location = /cart/ :5",
            "server/location/proxy_pass = http://{env:CART}/ :6",
        ],
    );
    check(
        "image:\n\tdocker build -t acme/cart:1 -f src/cart/Dockerfile .\n\tdocker push acme/cart\n",
        &["build = acme/cart:1 src/cart :2"],
    );
    let terraform = "resource \"x\" \"cart\" {\n  image = \"acme/cart\"\n  environment = [{ name = \"CART_URL\", value = \"http://cart:80\" }]\n}\n";
    assert_eq!(
        shown(Language::Terraform, terraform),
        [
            "resource x cart/image = acme/cart :2",
            "resource x cart/environment//name = CART_URL :3",
            "resource x cart/environment//value = http://cart:80 :3"
        ]
    );
}

#[test]
fn variables_of_code_have_their_lines_and_defaults() {
    for (language, text, expected) in [
        (
            Language::Go,
            "x := os.Getenv(\"CART_ADDR\")\nmustMapEnv(&y, \"PAY_ADDR\")\nz := other(\"NOT_ONE\")",
            "CART_ADDR:1 PAY_ADDR:2",
        ),
        (
            Language::Python,
            "a = os.environ['A_B']\nb = os.environ.get(\"C_HOST\", \"cart:80\")",
            "A_B:1 C_HOST=cart:80:2",
        ),
        (
            Language::TypeScript,
            "const a = process.env.CART_URL || 'http://cart'\nconst b = process.env['B_X']",
            "CART_URL=http://cart:1 B_X:2",
        ),
        (
            Language::Java,
            "String a = System.getenv(\"A_B\");\n@Value(\"${cart.url:http://cart:80}\") String u;",
            "A_B:1 cart.url=http://cart:80:2",
        ),
        (
            Language::CSharp,
            "var a = Environment.GetEnvironmentVariable(\"A_B\");\nvar b = Configuration[\"Cart:Url\"];",
            "A_B:1 Cart:Url:2",
        ),
        (Language::Ruby, "a = ENV['A_B']\nb = ENV.fetch('CART_URL', 'http://cart')", "A_B:1 CART_URL=http://cart:2"),
        (Language::Rust, "let a = env::var(\"A_B\");", "A_B:1"),
        (Language::Php, "$a = getenv('A_B');", "A_B:1"),
        (Language::Elixir, "a = System.get_env(\"A_B\")", "A_B:1"),
        (Language::Cpp, "auto a = std::getenv(\"A_B\");", "A_B:1"),
        (Language::Bash, "curl ${CART_URL:-http://cart}/x", "CART_URL=http://cart:1"),
    ] {
        let found: Vec<String> = read(language, text.as_bytes())
            .iter()
            .flat_map(|document| &document.entries)
            .map(|entry| {
                let value = if entry.value.is_empty() { String::new() } else { format!("={}", entry.value) };
                format!("{}{value}:{}", entry.key, entry.line)
            })
            .collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }
}

#[test]
fn texts_of_other_kinds_have_no_documents() {
    for text in ["Hello: this is prose.\nMore of it.\n", "{\"name\": \"x\", \"url\": \"http://a\"}", "a,b\n1,2\n", ""] {
        assert!(read(Language::Text, text.as_bytes()).is_empty(), "{text}");
    }
}

/// Returns the entries of a file as `key value:line`.
fn entries(language: Language, text: &str, format: DocumentFormat) -> String {
    let documents = read(language, text.as_bytes());
    let entries = documents.iter().filter(|document| document.format == format).flat_map(|document| &document.entries);
    entries.map(|entry| format!("{} {}:{}", entry.key, entry.value, entry.line)).collect::<Vec<_>>().join(", ")
}

#[test]
fn large_files_have_few_entries() {
    // A client with tens of thousands of calls, and a schema with as many queries.
    let calls = "producer.send(topicOf(x), v)\n".repeat(9_000) + &"producer.send('orders', v)\n".repeat(9_000);
    let calls = entries(Language::Python, &format!("import kafka\n{calls}"), DocumentFormat::Messages);
    assert_eq!(calls, "", "lines with calls are bounded");
    let calls = format!("import kafka\n{}", "producer.send('orders', v)\n".repeat(18_000));
    assert_eq!(entries(Language::Python, &calls, DocumentFormat::Messages).split(", ").count(), 500);
    let queries = "db.execute('SELECT a FROM orders')\n".repeat(12_000);
    assert_eq!(entries(Language::Python, &queries, DocumentFormat::Tables).split(", ").count(), 500);
    // A generated client of 100,000 lines is above the size of a document.
    let generated = "export const a = process.env.CART_URL\n".repeat(100_000);
    assert!(read(Language::TypeScript, generated.as_bytes()).is_empty());
    // Aliases of aliases do not multiply.
    let levels: String =
        (1..30).map(|n| format!("a{n}: &a{n}\n  x: *a{}\n  y: *a{}\n  host: cart\n", n - 1, n - 1)).collect();
    let bomb = format!("a0: &a0\n  host: cart\n{levels}");
    let n_entries: usize = read(Language::Text, bomb.as_bytes()).iter().map(|document| document.entries.len()).sum();
    assert!(n_entries <= 20_000, "{n_entries}");
}

#[test]
fn topics_of_clients_are_read() {
    for (language, text, expected) in [
        (
            Language::Go,
            "import \"github.com/IBM/sarama\"\nmsg := sarama.ProducerMessage{\n  Topic: Topic,\n}\nconst Topic = \"orders\"",
            "kafka publish orders:2",
        ),
        (
            Language::Go,
            "// kafka\nr := kafka.NewReader(kafka.ReaderConfig{Brokers: b, Topic: \"orders\"})",
            "kafka consume orders:2",
        ),
        (
            Language::Go,
            "// kafka\nc.SubscribeTopics([]string{\"a.b\", \"c\"}, nil)",
            "kafka consume a.b:2, kafka consume c:2",
        ),
        (
            Language::Java,
            "import org.apache.kafka;\np.send(new ProducerRecord<>(\"orders\", key, value));",
            "kafka publish orders:2",
        ),
        (
            Language::Java,
            "// Kafka\n@KafkaListener(topics = \"${app.orders:orders}\", groupId = \"x\")",
            "kafka consume {env:app.orders}|orders:2",
        ),
        (Language::Java, "// Kafka\nkafkaTemplate.send(Topics.ORDERS, value);", "kafka publish {name:Topics.ORDERS}:2"),
        (
            Language::Python,
            "import kafka\nproducer.send('orders', value=x)\nc = KafkaConsumer('pay', bootstrap_servers=b)",
            "kafka publish orders:2, kafka consume pay:3",
        ),
        (
            Language::TypeScript,
            "// kafkajs\nawait producer.send({\n  topic: process.env.ORDERS_TOPIC,\n  messages: []\n})\nawait consumer.subscribe({ topics: ['a', 'b'] })",
            "kafka publish {env:ORDERS_TOPIC}:2, kafka consume a:6, kafka consume b:6",
        ),
        (
            Language::CSharp,
            "using Confluent.Kafka;\nconsumer.Subscribe(\"orders\");\nawait producer.ProduceAsync(TopicName, m);\nconst string TopicName = \"orders\";",
            "kafka consume orders:2, kafka publish orders:3",
        ),
        (
            Language::Go,
            "// nats\nnc.Publish(\"orders.new\", b)\nnc.QueueSubscribe(\"orders.*\", \"q\", f)",
            "nats publish orders.new:2, nats consume orders.*:3",
        ),
        (
            Language::Python,
            "import pika\nch.basic_publish(exchange='', routing_key='jobs', body=b)\nch.basic_consume(queue='jobs', on_message_callback=f)",
            "rabbitmq publish jobs:2, rabbitmq consume jobs:3",
        ),
        (
            Language::Python,
            "sqs.send_message(QueueUrl=os.environ['QUEUE_URL'], MessageBody=b)",
            "sqs publish {env:QUEUE_URL}:1",
        ),
        (
            Language::Go,
            "import \"cloud.google.com/go/pubsub\"\nt := client.Topic(\"orders\")",
            "pubsub publish orders:2",
        ),
        (
            Language::Python,
            "from celery import shared_task\n@shared_task\ndef mail(x): pass\napp.send_task('tasks.mail')",
            "celery consume {task:mail}:2, celery publish tasks.mail:4",
        ),
        (
            Language::Ruby,
            "class MailJob\n  include Sidekiq::Job\nend\nMailJob.perform_async(1)",
            "sidekiq consume MailJob:2, sidekiq publish MailJob:4",
        ),
        // Near misses: another object, and a computed topic.
        (Language::TypeScript, "store.subscribe(listener)\nbus.publish('orders')", ""),
        (Language::Python, "import kafka\nproducer.send(topic_for(x), value)", ""),
    ] {
        assert_eq!(entries(language, text, DocumentFormat::Messages), expected, "{text}");
    }
}

#[test]
fn tables_of_models_and_of_sql_are_read() {
    for (language, text, expected) in [
        (
            Language::Sql,
            "CREATE TABLE a (x int);\ncreate table if not exists shop.orders(x int);",
            "define shop.orders:2",
        ),
        (Language::Python, "class A:\n    __tablename__ = 'orders'", "model orders:2"),
        (Language::Java, "@Entity\n@Table(name = \"orders\")\nclass Order {}", "model orders:2"),
        (Language::Ruby, "create_table :orders do |t|", "define orders:1"),
        (Language::Go, "func (Order) TableName() string {\n  return \"orders\"\n}", "model orders:1"),
        (Language::CSharp, "builder.ToTable(\"orders\");", "model orders:1"),
        (
            Language::Python,
            "self.t = Table(\n    \"orders\",\n    MetaData(engine),\n    Column(\"id\"))",
            "model orders:1",
        ),
        (Language::Python, "t = Table(\n    \"Orders of today\",\n    box=None)\nt.add_column(1)", ""),
        (Language::Python, "t = Table(\n    \"orders\",\n    show_lines=True)\nt.add_column(1)", ""),
        // A schema on the line of the model is a part of its name.
        (Language::CSharp, "builder.ToTable(\"orders\", \"shop\");", "model shop.orders:1"),
        (Language::CSharp, "builder.ToTable(\"orders\", t => t.IsTemporal());", "model orders:1"),
        (Language::CSharp, "[Table(\"orders\", Schema = \"shop\")]\nclass Order {}", "model shop.orders:1"),
        (Language::Java, "@Table(name = \"orders\", schema = \"shop\")\nclass Order {}", "model shop.orders:1"),
        (Language::Java, "@Table(schema = \"shop\", name = \"orders\")\nclass Order {}", "model shop.orders:1"),
        (
            Language::Java,
            "@Table(name = \"orders\", indexes = @Index(name = \"schema\"))\nclass A {}",
            "model orders:1",
        ),
        (Language::TypeScript, "@Entity({ name: 'orders', schema: 'shop' })\nclass Order {}", "model shop.orders:1"),
        (
            Language::CSharp,
            "migrationBuilder.CreateTable(\n    name: \"Orders\",\n    schema: \"shop\",",
            "define shop.Orders:1",
        ),
        (Language::Php, "Schema::create('orders', function ($t) {});", "define orders:1"),
        (Language::Elixir, "schema \"orders\" do", "model orders:1"),
        (Language::TypeScript, "knex.schema.createTable('orders', t => {})", "define orders:1"),
        (
            Language::Python,
            "db.execute(\"SELECT id FROM shop.orders o JOIN items i ON true\")",
            "use shop.orders:1, use items:1",
        ),
        (Language::Go, "q := `\n  SELECT *\n  FROM orders`\n// read from the queue", "use orders:3"),
        (
            Language::Java,
            "run(\"update orders set a = 1\"); x(\"insert into items values (1)\");",
            "use items:1, use orders:1",
        ),
        // Migrations of the frameworks.
        (Language::Python, "op.create_table(\n    'orders',\n    sa.Column('id'))", "define orders:1"),
        (Language::Python, "migrations.CreateModel(\n  name='OrderLine',", "model {app}_orderline:1"),
        (Language::CSharp, "migrationBuilder.CreateTable(\n    name: \"Orders\",", "define Orders:1"),
        (Language::Elixir, "create table(:orders) do", "define orders:1"),
        (Language::JavaScript, "await queryInterface.createTable('orders', {})", "define orders:1"),
        (Language::TypeScript, "await q.query(`CREATE TABLE \"orders\" (id int)`)", "define orders:1"),
        (Language::TypeScript, "await q.createTable(new Table({ name: 'orders' }))", "define orders:1"),
        (Language::Text, "<databaseChangeLog>\n<createTable schemaName=\"a\" tableName=\"orders\">", "define orders:2"),
        // Models whose table has the name of the class.
        (Language::Java, "@Entity\npublic class OrderLine {\n}", "model order_line:1"),
        (Language::Java, "@Entity\n@Table(name = \"lines\")\npublic class OrderLine {\n}", "model lines:2"),
        (Language::TypeScript, "@Entity('orders')\nexport class Order {}", "model orders:1"),
        (Language::CSharp, "public DbSet<Order> Orders { get; set; }", "model Orders:1"),
        (Language::Python, "class OrderLine(models.Model):\n    id = 1", "model {app}_orderline:1"),
        (Language::Python, "class A(models.Model):\n  class Meta:\n    db_table = 'orders'", "model orders:3"),
        (Language::Ruby, "class OrderEntry < ApplicationRecord\nend", "model order_entries:1"),
        (Language::Php, "use Illuminate\\Database\\Eloquent\\Model;\nclass Order extends Model {}", "model orders:2"),
        (Language::Go, "type Order struct {\n\tgorm.Model\n}", "model orders:1"),
        (Language::JavaScript, "const O = sequelize.define('order', {})", "model orders:1"),
        (Language::Rust, "diesel::table! {\n    orders (id) {", "model orders:1"),
        (
            Language::Text,
            "datasource db {\n  provider = \"x\"\n}\nmodel Order {\n  id Int\n  @@map(\"orders\")\n}",
            "model orders:6",
        ),
        (Language::Kotlin, "object Orders : Table(\"orders\") {", "model orders:1"),
        (Language::TypeScript, "export const orders = pgTable('orders', {})", "model orders:1"),
        (Language::Sql, "-- name: Get :one\nSELECT * FROM orders WHERE id = 1;", "use orders:2"),
        (
            Language::Text,
            "<mapper namespace=\"a\">\n<select id=\"b\">\nSELECT * FROM orders\n</select>",
            "use orders:3",
        ),
        (Language::Rust, "sqlx::query!(\"SELECT id FROM orders\")", "use orders:1"),
        // Near misses: an abstract model, a class that is no model, another `Table`.
        (Language::Python, "class A(models.Model):\n  class Meta:\n    abstract = True", ""),
        (Language::Java, "@EntityGraph\nclass OrderLine {}", ""),
        (Language::Go, "type Order struct {\n\tID int\n}\n// gorm.Model", ""),
        (Language::Python, "layout = Table(rows)\nt.create(x)", ""),
        (Language::Ruby, "class Order < Struct\nend", ""),
        // Near misses: prose, imports and functions.
        (Language::Python, "from orders import x\nmessage = 'Select one from the list'", ""),
        (Language::JavaScript, "import a from 'b'\nconst s = 'update the file'\nt(\"SELECT 1\")", ""),
    ] {
        assert_eq!(entries(language, text, DocumentFormat::Tables), expected, "{text}");
    }
}
