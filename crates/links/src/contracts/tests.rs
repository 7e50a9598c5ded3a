//! Contracts of small repositories.

use crate::testing::contracts;

/// Checks that these are among the lines of a fixture's contracts.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let lines = contracts(fixture);
    for line in expected {
        assert!(lines.iter().any(|found| found == line), "`{line}` is missing from\n{}", lines.join("\n"));
    }
}

/// Checks that no line of a fixture's contracts has this in it.
#[track_caller]
fn check_none(fixture: &str, part: &str) {
    let lines = contracts(fixture);
    assert!(!lines.iter().any(|found| found.contains(part)), "`{part}` is in\n{}", lines.join("\n"));
}

#[test]
fn names_of_packages_are_offered_and_used() {
    check(
        "//- /go.mod\nmodule m.org/kit\nrequire m.org/base v1\n//- /x/a.go\npackage x\nimport \"m.org/base/net\"\ntype A struct{}\nfunc (A) Run() { net.Dial() }\nfunc hidden() {}",
        &[
            "+ go:m.org/kit = go.mod",
            "+ go:m.org/kit x::A = x/a.go::A",
            "+ go:m.org/kit x::A.Run = x/a.go::A.Run",
            "- go:m.org/base by go.mod:2 1",
            "- go:m.org/base net by x/a.go:2 0.95",
            "- go:m.org/base net::Dial by x/a.go::A.Run:4 0.95",
        ],
    );
    check(
        "//- /pyproject.toml\n[project]\nname = \"app\"\ndependencies = [\"Kit>=1\"]\n//- /src/app/__init__.py\nfrom .core import start\n//- /src/app/core.py\nfrom kit import Tool\nimport kit.io as kio\ndef start():\n    Tool().x()\n    kio.read()\n",
        &[
            "+ python:app = src/app/__init__.py",
            "+ python:app core::start = src/app/core.py::start",
            "+ python:app start = src/app/core.py::start",
            "- python:kit Tool by src/app/core.py::start:4 0.95",
            "- python:kit io::read by src/app/core.py::start:5 0.95",
        ],
    );
    check(
        "//- /Cargo.toml\n[package]\nname = \"my-kit\"\n[dependencies]\nbase-kit = \"1\"\n//- /src/lib.rs\npub mod net;\npub use net::dial;\n//- /src/net.rs\nuse base_kit::io::Pipe;\npub fn dial(p: Pipe) { base_kit::log(p) }\nfn hidden() {}",
        &[
            "+ cargo:my-kit net::dial = src/net.rs::dial",
            "- cargo:base-kit io::Pipe by src/net.rs::dial:2 0.95",
            "- cargo:base-kit log by src/net.rs::dial:2 0.95",
        ],
    );
    check(
        "//- /src/A.java\npackage org.acme.app;\nimport org.acme.kit.Tool;\npublic class A { void run() { Tool.make(); } }",
        &["+ java:org.acme.app A.run = src/A.java::A.run", "- java:org.acme.kit Tool.make by src/A.java::A.run:3 0.95"],
    );
}

#[test]
fn installed_dependencies_have_no_contracts_of_the_repository() {
    check_none(
        "//- /vendor/example.org/kit/kit.proto\nsyntax = \"proto3\";\npackage kit;\nmessage Link { string code = 1; }\nservice Store { rpc Get(Link) returns (Link); }",
        "kit",
    );
    check_none(
        "//- /go.mod\nmodule m.org/app\n//- /vendor/a.org/x/x.go\npackage x\nimport \"m.org/kit\"\nfunc f() { kit.Do() }",
        "vendor",
    );
}

#[test]
fn private_names_are_not_offered() {
    check_none("//- /go.mod\nmodule m.org/kit\n//- /x/a_test.go\npackage x\nfunc TestA() {}", "TestA");
    check_none("//- /Cargo.toml\n[package]\nname = \"kit\"\n//- /src/lib.rs\nfn hidden() {}", "hidden");
    check_none("//- /app/__init__.py\ndef _hidden(): pass", "hidden");
}

#[test]
fn an_undeclared_package_is_used_with_low_confidence() {
    check("//- /a/x.py\nimport utils\nutils.go()", &["- python:utils go by a/x.py:2 0.4"]);
    check_none("//- /requirements.txt\nflask\n//- /x.py\nimport utils\nutils.go()", "python:utils");
}

#[test]
fn routes_of_frameworks_are_read() {
    for (fixture, expected) in [
        (
            "//- /a.go\npackage a\nfunc get() {}\nfunc Start(r *Router) { api := r.Group(\"/api\")\n api.GET(\"/x/:id\", get) }",
            "/ GET /api/x/:id -> a.go::get",
        ),
        (
            "//- /a.go\npackage a\nfunc get() {}\nfunc Start(r *Router) { r.Route(\"/api\", func(r Router) { r.Get(\"/x\", get) }) }",
            "/ GET /api/x -> a.go::get",
        ),
        ("//- /a.py\napp = Flask()\n@app.get('/x/<int:id>')\ndef show(id): pass", "/ GET /x/<int:id> -> a.py::show"),
        (
            "//- /a.py\nbp = Blueprint('b', url_prefix='/b')\n@bp.route('/x')\ndef show(): pass",
            "/ GET /b/x -> a.py::show",
        ),
        ("//- /a.js\nfunction show(req, res) {}\napp.get('/x/:id', show)", "/ GET /x/:id -> a.js::show"),
        (
            "//- /A.java\n@RequestMapping(\"/api\") class A { @GetMapping(\"/x\") void show() {} }",
            "/ GET /api/x -> A.java::A.show",
        ),
        (
            "//- /src/main.rs\nasync fn show() {}\nfn app() { Router::new().route(\"/x/{id}\", get(show)) }",
            "/ GET /x/{id} -> src/main.rs::show",
        ),
    ] {
        check(fixture, &[expected]);
    }
}

#[test]
fn requests_are_read() {
    for (fixture, expected) in [
        (
            "//- /a.ts\nasync function load(id: string) { return fetch(`/api/v1/x/${id}`) }",
            "- GET /api/v1/x/{} by a.ts::load:1 0.9",
        ),
        ("//- /a.ts\nfunction save() { return axios.post('/api/x', {}) }", "- POST /api/x by a.ts::save:1 0.9"),
        (
            "//- /a.py\nimport requests\ndef load(base): return requests.get(f'{base}/api/x')",
            "- GET {}/api/x {} by a.py::load:2 0.9",
        ),
        (
            "//- /a.go\npackage a\nfunc load(base string) { http.NewRequest(\"PUT\", base+\"/api/x\", nil) }",
            "- PUT {}/api/x {} by a.go::load:2 0.9",
        ),
    ] {
        check(fixture, &[expected]);
    }
    check_none("//- /a.js\napp.get('/x/:id', (req, res) => {})", "- GET");
    check_none("//- /a.py\nimport os\nos.path.join('/usr', 'get')", "- GET");
}

#[test]
fn the_entry_of_a_package_reexports_names() {
    check(
        "//- /package.json\n{\"name\": \"@a/kit\"}\n//- /src/index.ts\nexport { make as build } from \"./make.js\";\nexport * from \"./other\";\n//- /src/make.ts\nexport function make() {}\n//- /src/other.ts\nexport class Other {}",
        &[
            "+ npm:@a/kit build = src/make.ts::make",
            "+ npm:@a/kit Other = src/other.ts::Other",
            "+ npm:@a/kit make::make = src/make.ts::make",
        ],
    );
}

#[test]
fn reexported_names_are_offered_at_the_reexport() {
    check(
        "//- /Cargo.toml\n[package]\nname = \"kit\"\n[dependencies]\nhttp = \"1\"\n//- /src/lib.rs\npub mod net;\npub use http::Request;\npub mod unix { pub use crate::net::Dial; pub struct Pipe; }\n//- /src/net.rs\nmod dial;\npub use dial::*;\nmacro_rules! dialled { () => {} }\n//- /src/net/dial.rs\npub struct Dial;\nimpl Dial { pub fn open() {} }",
        &[
            "+ cargo:kit Request = src/lib.rs",
            "+ cargo:kit dialled = src/net.rs::dialled",
            "+ cargo:kit net = src/net.rs",
            "+ cargo:kit net::Dial = src/net/dial.rs::Dial",
            "+ cargo:kit net::Dial.open = src/net/dial.rs::Dial.open",
            "+ cargo:kit unix::Dial.open = src/net/dial.rs::Dial.open",
            "+ cargo:kit unix::Pipe = src/lib.rs::unix.Pipe",
        ],
    );
    check(
        "//- /kit/__init__.py\nfrom .types import STRING\n//- /kit/types.py\nSTRING = make()\n",
        &["+ python:kit STRING = kit/types.py::STRING", "+ python:kit types = kit/types.py"],
    );
    check(
        "//- /package.json\n{\"name\": \"kit\"}\n//- /index.js\nmodule.exports = require('./lib/kit')\n//- /lib/kit.js\nexports = module.exports = make\nexports.part = part\nfunction make() {}\nfunction part() {}",
        &["+ npm:kit = lib/kit.js::make", "+ npm:kit part = lib/kit.js::part"],
    );
}

#[test]
fn uses_have_the_notation_of_offers() {
    check(
        "//- /pyproject.toml\n[project]\nname = \"app\"\ndependencies = [\"kit\"]\n//- /app.py\nimport kit.io\nfrom kit import read, part\ndef run():\n    read()\n    part.go()\n    kit.io.open()\n",
        &[
            "- python:kit io by app.py:1 0.95",
            "- python:kit io::open by app.py::run:6 0.95",
            "- python:kit part::go by app.py::run:5 0.95",
            "- python:kit read by app.py::run:4 0.95",
        ],
    );
    check(
        "//- /package.json\n{\"name\": \"app\", \"dependencies\": {\"kit\": \"1\"}}\n//- /a.js\nvar kit = require('kit')\nfunction run() { kit(); kit.part() }",
        &["- npm:kit by a.js::run:2 0.95", "- npm:kit part by a.js::run:2 0.95"],
    );
    let rust = "//- /Cargo.toml\n[package]\nname = \"app\"\n[dependencies]\nkit = \"1\"\n//- /src/lib.rs\nuse kit::{part, tool};\nfn run() { let part = 1; part::go(); kit::Type::new().more(); }\nfn other() { let tool = tool(); tool.work(); }";
    check(rust, &["- cargo:kit Type.new by src/lib.rs::run:2 0.95", "- cargo:kit part::go by src/lib.rs::run:2 0.95"]);
    check_none(
        &rust.replace("use kit::{part, tool};", "use kit::Trait as _;").replace("tool.work()", "_"),
        "Trait by src/lib.rs::",
    );
    check_none(rust, "more");
    check_none(rust, "work");
}

#[test]
fn platform_modules_are_no_uses() {
    check_none(
        "//- /package.json\n{\"name\": \"app\", \"dependencies\": {\"kit\": \"1\"}}\n//- /a.js\nvar fs = require('fs')\nfs.open()",
        "npm:fs",
    );
}

#[test]
fn tests_and_examples_are_not_offered() {
    check_none("//- /examples/app/package.json\n{\"name\": \"sample\"}", "+ npm:sample");
    check_none("//- /tests/app.py\napp = Flask()\n@app.get('/x')\ndef show(): pass", "+ GET");
    check(
        "//- /src/com/example/A.java\npackage com.example;\npublic class A {}",
        &["+ java:com.example A = src/com/example/A.java::A"],
    );
    check_none("//- /src/test/java/com/example/A.java\npackage com.example;\npublic class A {}", "+ java");
}

#[test]
fn public_headers_are_offered_and_includes_are_used() {
    let fixture = "//- /include/kit/pool.h\nclass Pool {};\n//- /src/own.h\nint f();\n//- /src/a.cpp\n#include <vector>\n#include <stdio.h>\n#include \"own.h\"\n#include <kat/log.h>\n#include <zmq.h>\nint main() { return h.f(); }";
    check(
        fixture,
        &[
            "+ include:kit = include/kit/pool.h",
            "+ include:own = src/own.h",
            "+ include:own.h = src/own.h",
            "- include:kat kat/log.h by src/a.cpp:4 0.4",
            "- include:zmq.h zmq.h by src/a.cpp:5 0.4",
        ],
    );
    for absent in ["stdio", "vector", "Pool"] {
        check_none(fixture, absent);
    }
    check_none(
        "//- /util.h\nint f();\n//- /third_party/zlib/zlib.h\nint g();\n//- /a.c\n#include \"config.h\"\n",
        "include:",
    );
}

#[test]
fn topics_and_tables_are_uses_of_their_function() {
    check(
        "//- /Topics.java\npublic class Topics { public static final String ORDERS = \"orders.v1\"; }\n//- /A.java\n// Kafka\npublic class A { void send() { kafkaTemplate.send(Topics.ORDERS, 1); } }",
        &["- kafka:orders.v1 by A.java::A.send:2 0.9"],
    );
    check(
        "//- /app/tasks.py\nfrom celery import shared_task\n@shared_task\ndef mail(): pass\n",
        &["- celery:app.tasks.mail by app/tasks.py::mail:2 0.9 serves"],
    );
    check(
        "//- /a.sql\nCREATE TABLE orders (id int);\n//- /a.py\ndef f(db):\n    db.execute('SELECT * FROM billing.Invoices')\n",
        &["+ orders = a.sql::orders", "- billing.invoices by a.py::f:2 0.9"],
    );
    // The callers of a function name the topic.
    check(
        "//- /bus.ts\nimport { Kafka } from 'kafkajs'\nconst producer = new Kafka({}).producer()\nexport async function publish(topic: string, value: object) {\n  await producer.send({ topic, messages: [value] })\n}\n//- /orders.ts\nimport { publish } from './bus'\nconst ORDERS = 'orders.v1'\nexport function f() { return publish(ORDERS, {}) }\n",
        &["- kafka:orders.v1 by orders.ts::f:3 0.7"],
    );
    let mut routed = contracts(
        "//- /Bus.java\n// Rabbit\npublic class Bus {\n  void paid(Order o) { this.send(System.getenv(\"PAID_QUEUE\"), o); }\n  private void send(String key, Object o) { rabbitTemplate.convertAndSend(\"shop\", key, o); }\n}",
    );
    routed.retain(|line| line.contains("rabbitmq:"));
    routed.sort();
    let expected = [
        "- rabbitmq:shop/? by Bus.java::Bus.send:4 0.4",
        "- rabbitmq:shop/{env:PAID_QUEUE} by Bus.java::Bus.paid:3 0.7",
    ];
    assert_eq!(routed, expected);
    check(
        "//- /bus.go\npackage bus\nimport amqp \"x/amqp091-go\"\ntype Bus struct { ch *amqp.Channel }\nfunc (b *Bus) Listen(topics []string) {\n  for _, s := range topics {\n    b.ch.QueueBind(q, s, \"logs_topic\", false, nil)\n  }\n}\nfunc f(b *Bus) { b.Listen([]string{\"log.INFO\", \"log.WARNING\"}) }\n",
        &["- rabbitmq:logs_topic/log.INFO by bus.go::f:9 0.7 serves"],
    );
    check(
        "//- /bus.py\nfrom kafka import KafkaProducer\nclass Bus:\n    def publish(self, topic, value):\n        self.producer.send(topic, value)\n    def paid(self):\n        self.publish('orders.paid', 1)\n",
        &["- kafka:orders.paid by bus.py::Bus.paid:6 0.7"],
    );
    check_none("//- /tests/a.py\nimport kafka\nproducer.send('orders', b'')\n", "kafka:");
}
