//! Lowered snippets of PHP.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Php, snippets);
}

#[test]
fn routes_and_attributes() {
    check(&[
        (
            "<?php Route::prefix('admin')->group(function () { Route::post('/y', [UserController::class, 'show'])->name('a'); }); $app->get('/z', fn(Request $r) => $r->body());",
            &[
                "r: Request",
                "1 in -: Route.prefix(\"admin\")",
                "1 in -: Route.post(\"/y\", [type UserController, \"show\"])",
                "1 in -: Route.post(\"/y\", [type UserController, \"show\"]).name(\"a\")",
                "1 in -: Route.prefix(\"admin\").group(fn() => )",
                "1 in -: r.body()",
                "1 in -: app.get(\"/z\", fn(r: Request) => r.body())",
            ],
        ),
        (
            "<?php namespace A\\B; #[Route('/api', name: 'x')] class A extends Base implements I { #[Route('/{id}', methods: ['GET'])] public function get(int $id, ?Foo $f): string { return A::make()->x; } }",
            &[
                "def A.B",
                "def A() < Base, implements I",
                "def get(id: int, f: Foo): string = A.make().x",
                "@Route(\"/api\", *{name: \"x\"}) A",
                "@Route(\"/{id}\", *{methods: [\"GET\"]}) get",
                "id: int",
                "f: Foo",
                "1 in get: A.make()",
            ],
        ),
    ]);
}

#[test]
fn clients_and_fields() {
    check(&[
        (
            "<?php class A { const URL = 'http://x'; private string $base = \"http://b\"; function __construct(private HttpClient $http, $url = 'd') { $this->url = $url . '/x'; } function f($id) { $u = \"{$this->base}/x/$id\" . self::URL; return $this->http->request('GET', $u, ['query' => ['a' => 1]]); } }",
            &[
                "def A()",
                "def URL = \"http://x\"",
                "def base: string = \"http://b\"",
                "def __construct(http: HttpClient, url?)",
                "def http: HttpClient",
                "def f(id) = this.http.request(\"GET\", u, {query: {a: integer}})",
                "field A.url = url + \"/x\"",
                "http: HttpClient",
                "url = \"d\"",
                "id",
                "u = \"{}/x/{}\"{this.base, id} + this.URL",
                "1 in f: this.http.request(\"GET\", u, {query: {a: integer}})",
            ],
        ),
        (
            "<?php $c = new \\GuzzleHttp\\Client(['base_uri' => getenv('X'), 'timeout' => 3]); $d = new Foo(timeout: 3);",
            &[
                "c = new GuzzleHttp.Client({base_uri: getenv(\"X\"), timeout: integer})",
                "d = new Foo(*{timeout: integer})",
                "1 in -: getenv(\"X\")",
                "1 in -: new GuzzleHttp.Client({base_uri: getenv(\"X\"), timeout: integer})",
                "1 in -: new Foo(*{timeout: integer})",
            ],
        ),
    ]);
}

#[test]
fn values_and_bindings() {
    check(&[(
        "<?php $e = $_ENV['X'] ?? 'd'; $e .= '/z'; $s = sprintf('%s/x', $e); foreach ($items as $k => $v) { f($v); } [$p, $q] = g(); $m = match($x) { 1 => 'a', default => 'b' }; $j?->k(); $h['a'] = 1;",
        &[
            "h[\"a\"] = integer",
            "e = (_ENV[\"X\"] | \"d\")",
            "e = e + \"/z\"",
            "s = sprintf(\"%s/x\", e)",
            "v = item(items)",
            "p = g()#0",
            "q = g()#1",
            "m = (\"a\" | \"b\")",
            "1 in -: sprintf(\"%s/x\", e)",
            "1 in -: f(v)",
            "1 in -: g()",
            "1 in -: j.k()",
        ],
    )]);
}
