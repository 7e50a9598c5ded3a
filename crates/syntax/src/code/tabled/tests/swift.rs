//! Lowered snippets of Swift.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Swift, snippets);
}

#[test]
fn routes_and_attributes() {
    check(&[
        (
            "func routes(_ app: Application) throws { app.get(\"hello\", \":name\") { req -> String in return \"a\" }; app.group(\"api\") { g in g.post(\"x\", use: index) } }",
            &[
                "def routes(app: Application)",
                "app: Application",
                "req",
                "g",
                "1 in routes: app.get(\"hello\", \":name\", fn(req) => \"a\")",
                "1 in routes: g.post(\"x\", *{use: index})",
                "1 in routes: app.group(\"api\", fn(g) => g.post(\"x\", *{use: index}))",
            ],
        ),
        (
            "@Model class A: B, C { @Field(key: \"n\") var n: String; let k = 1 }\nextension A: D { func e() {} }",
            &["def A() < B, C", "def n: String", "def k = integer", "def e()", "@Model A", "@Field(*{key: \"n\"}) n"],
        ),
    ]);
}

#[test]
fn clients_and_fields() {
    check(&[(
        "class A { let base: String = \"http://x\"; var full: String { return \"\\(base)/x\" }; private let client = HTTPClient(provider: .createNew); init(url: String, _ x: Int = 3) { self.url = url; super.init() } }",
        &[
            "def A()",
            "def base: String = \"http://x\"",
            "def full: String = \"{}/x\"{base}",
            "def client = HTTPClient(*{provider: createNew})",
            "def init(url: String, x?: Int)",
            "field A.url = url",
            "url: String",
            "x: Int = integer",
            "1 in A: HTTPClient(*{provider: createNew})",
            "1 in init: super.init()",
        ],
    )]);
}

#[test]
fn values_and_bindings() {
    check(&[
        (
            "func get(id: Int, with q: String?) async throws -> [String] { let u = \"\\(base)/x/\\(id.foo())\" + \"/y\"; var req = URLRequest(url: URL(string: u)!); req.httpMethod = \"POST\"; let (d, r) = try await URLSession.shared.data(for: req); return d }",
            &[
                "req.httpMethod = \"POST\"",
                "def get(id: Int, q: String): [String] = d",
                "id: Int",
                "q: String",
                "u = \"{}/x/{}\"{base, id.foo()} + \"/y\"",
                "req = URLRequest(*{url: URL(*{string: u})})",
                "d = await URLSession.shared.data(*{for: req})#0",
                "r = await URLSession.shared.data(*{for: req})#1",
                "1 in get: id.foo()",
                "1 in get: URL(*{string: u})",
                "1 in get: URLRequest(*{url: URL(*{string: u})})",
                "1 in get: URLSession.shared.data(*{for: req})",
            ],
        ),
        (
            "func f() { let e = ProcessInfo.processInfo.environment[\"X\"] ?? \"d\"; let m = [\"a\": 1]; let l = [1, 2]; for i in items { g(i) }; list.map { $0.x }; if let z = foo?.bar() { h(z) }; let c = a ? 1 : 2; let s = x as! Foo; let p = Foo<Int>(a: 1) }",
            &[
                "def f()",
                "e = (ProcessInfo.processInfo.environment[\"X\"] | \"d\")",
                "m = {a: integer}",
                "l = [integer, integer]",
                "i = item(items)",
                "z = foo.bar()",
                "c = (integer | integer)",
                "s = (x as Foo)",
                "p = new Foo<Int>(*{a: integer})",
                "1 in f: g(i)",
                "1 in f: list.map(fn() => 0.x)",
                "1 in f: foo.bar()",
                "1 in f: h(z)",
                "1 in f: new Foo<Int>(*{a: integer})",
            ],
        ),
        ("enum E: String { case a = \"/x\", b }", &["def E() < String", "def a = \"/x\"", "def b"]),
    ]);
}
