//! Lowered snippets of Kotlin.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Kotlin, snippets);
}

#[test]
fn routes_and_annotations() {
    check(&[
        (
            "fun Application.routes() { routing { route(\"/v1\") { get(\"/x/{id}\") { call.respond(\"a\") } } } }",
            &[
                "def routes()",
                "1 in routes: call.respond(\"a\")",
                "1 in routes: get(\"/x/{id}\", fn() => call.respond(\"a\"))",
                "1 in routes: route(\"/v1\", fn() => get(\"/x/{id}\", fn() => call.respond(\"a\")))",
                "1 in routes: routing(fn() => route(\"/v1\", fn() => get(\"/x/{id}\", fn() => call.respond(\"a\"))))",
            ],
        ),
        (
            "package a.b\n@RequestMapping(\"/api\", produces = [\"x\"]) class A(private val http: HttpClient, @Value(\"\\${url}\") val url: String = \"d\") : Base(http), I { @GetMapping(\"/{id}\") suspend fun get(id: Long): List<String> { return http.list(id) } }",
            &[
                "def A(http: HttpClient, url?: String) < Base, I",
                "def http: HttpClient",
                "def url: String = \"d\"",
                "def get(id: Long): List<String> = http.list(id)",
                "@RequestMapping(\"/api\", *{produces: [\"x\"]}) A",
                "@Value(\"${url}\") url",
                "@GetMapping(\"/{id}\") get",
                "http: HttpClient",
                "url: String = \"d\"",
                "id: Long",
                "2 in get: http.list(id)",
            ],
        ),
        (
            "interface I { @GET(\"x\") fun g(@Path(\"id\") id: String = \"a\"): Call<B> }",
            &["def I()", "def g(id?: String): Call<B>", "@GET(\"x\") g", "id: String = \"a\""],
        ),
    ]);
}

#[test]
fn texts_and_bindings() {
    check(&[
        (
            "fun f(id: Id) { val u = \"$base/x/${id.toInt()}\" + \"/y\"; val e = System.getenv(\"X\") ?: \"d\"; var v = u; v += \"/z\" }",
            &[
                "def f(id: Id)",
                "id: Id",
                "u = \"{}/x/{}\"{base, id.toInt()} + \"/y\"",
                "e = (System.getenv(\"X\") | \"d\")",
                "v = u",
                "v = v + \"/z\"",
                "1 in f: id.toInt()",
                "1 in f: System.getenv(\"X\")",
            ],
        ),
        (
            "object O { const val URL = \"/u\"; val w by lazy { WebClient.builder().baseUrl(URL).build() }; val s: String get() = \"x\" }",
            &[
                "def O()",
                "def URL = \"/u\"",
                "def w = lazy(fn() => WebClient.builder().baseUrl(URL).build())",
                "def s: String = \"x\"",
                "1 in O: WebClient.builder()",
                "1 in O: WebClient.builder().baseUrl(URL)",
                "1 in O: WebClient.builder().baseUrl(URL).build()",
                "1 in O: lazy(fn() => WebClient.builder().baseUrl(URL).build())",
            ],
        ),
        (
            "fun f() { val m = mapOf(\"a\" to \"b\"); val (p, q) = g(); for (i in items) { h(i) }; val c = config[\"a.b\"]; val w = when (x) { 1 -> \"a\"; else -> \"b\" }; val z = y!!.list<Foo>().map { it.name } }",
            &[
                "def f()",
                "m = mapOf((\"a\", \"b\"))",
                "p = g()#0",
                "q = g()#1",
                "i = item(items)",
                "c = config[\"a.b\"]",
                "w = (\"a\" | \"b\")",
                "z = y.list<Foo>().map(fn() => it.name)",
                "1 in f: mapOf((\"a\", \"b\"))",
                "1 in f: g()",
                "1 in f: h(i)",
                "1 in f: y.list<Foo>()",
                "1 in f: y.list<Foo>().map(fn() => it.name)",
            ],
        ),
    ]);
}

#[test]
fn assignments() {
    check(&[(
        "class A { lateinit var z: Foo\n init { z = Foo(1) }\n fun f(w: B) { this.z = Foo(url = \"x\"); w.url = \"y\"; http.get(u) { url = \"q\" } } }",
        &[
            "w.url = \"y\"",
            "url = \"q\"",
            "def A()",
            "def z: Foo",
            "def f(w: B)",
            "field A.z = Foo(integer)",
            "field A.z = Foo(*{url: \"x\"})",
            "w: B",
            "2 in A: Foo(integer)",
            "3 in f: Foo(*{url: \"x\"})",
            "3 in f: http.get(u, fn() => \"q\")",
        ],
    )]);
}

#[test]
fn references_and_literals() {
    check(&[(
        "fun r() = router { GET(\"/x\", ::handler); POST(\"/y\", h::post); f(null, true, *xs) }",
        &[
            "def r() = router(fn() => f(null, boolean, xs))",
            "1 in r: GET(\"/x\", handler)",
            "1 in r: POST(\"/y\", h.post)",
            "1 in r: f(null, boolean, xs)",
            "1 in r: router(fn() => f(null, boolean, xs))",
        ],
    )]);
}
