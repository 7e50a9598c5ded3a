//! Lowered snippets of C#.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::CSharp, snippets);
}

#[test]
fn routes_and_attributes() {
    check(&[
        (
            "namespace Acme.Shop; [Route(\"api/[controller]\")] class A : B, IC { [HttpGet(\"{id}\", Name = \"Get\")] public Task<Foo> Get(int id) => f(id); }",
            &[
                "def Acme.Shop",
                "def A() < B, IC",
                "def Get(id: int): Task<Foo> = f(id)",
                "@Route(\"api/[controller]\") A",
                "@HttpGet(\"{id}\", *{Name: \"Get\"}) Get",
                "id: int",
                "1 in Get: f(id)",
            ],
        ),
        (
            "app.MapGet(\"/x\", (int id) => Results.Ok(id)); app.MapGroup(\"/v1\").MapPost(\"/y\", async ctx => { await f(ctx); return 1; });",
            &[
                "id: int",
                "ctx",
                "1 in -: Results.Ok(id)",
                "1 in -: app.MapGet(\"/x\", fn(id: int) => Results.Ok(id))",
                "1 in -: app.MapGroup(\"/v1\")",
                "1 in -: f(ctx)",
                "1 in -: app.MapGroup(\"/v1\").MapPost(\"/y\", fn(ctx) => integer)",
            ],
        ),
    ]);
}

#[test]
fn clients_and_their_settings() {
    check(&[
        (
            "class A { private readonly HttpClient _http = new HttpClient { BaseAddress = new Uri(\"http://b\"), Timeout = 3 }; A(HttpClient http, string url = \"d\") { _http = http; this.Url = url; } }",
            &[
                "def A()",
                "def _http: HttpClient = new HttpClient({BaseAddress: new Uri(\"http://b\"), Timeout: integer})",
                "def A(http: HttpClient, url?: string)",
                "field A._http = http",
                "field A.Url = url",
                "http: HttpClient",
                "url: string = \"d\"",
                "1 in A: new Uri(\"http://b\")",
                "1 in A: new HttpClient({BaseAddress: new Uri(\"http://b\"), Timeout: integer})",
            ],
        ),
        (
            "services.AddGrpcClient<Greeter.GreeterClient>(o => o.Address = new Uri(config[\"Service:Url\"])); HttpClient c = new(\"x\");",
            &[
                "o.Address = new Uri(config[\"Service:Url\"])",
                "o",
                "c: HttpClient = new _(\"x\")",
                "1 in -: new Uri(config[\"Service:Url\"])",
                "1 in -: services.AddGrpcClient<Greeter.GreeterClient>(fn(o) => new Uri(config[\"Service:Url\"]))",
                "1 in -: new _(\"x\")",
            ],
        ),
        (
            "class K(HttpClient http) { const string U = \"http://x\" + \"/y\"; public string Full => $\"{U}/x/{Id:D}\"; string P { get { return \"p\"; } } }",
            &[
                "def K(http: HttpClient)",
                "def U: string = \"http://x\" + \"/y\"",
                "def Full: string = \"{}/x/{}\"{U, Id}",
                "def P: string = \"p\"",
                "http: HttpClient",
            ],
        ),
    ]);
}

#[test]
fn values_and_bindings() {
    check(&[
        (
            "var url = $\"/a/{id}\" + q; url += \"/z\"; var r = await c?.GetAsync<Foo>(url, timeout: 3); url = Env(\"X\") ?? \"d\";",
            &[
                "url = \"/a/{}\"{id} + q",
                "url = url + \"/z\"",
                "r = c.GetAsync<Foo>(url, *{timeout: integer})",
                "url = (Env(\"X\") | \"d\")",
                "1 in -: c.GetAsync<Foo>(url, *{timeout: integer})",
                "1 in -: Env(\"X\")",
            ],
        ),
        (
            "foreach (var i in items) { g(i); } var (p, q) = f(); if (x is Foo foo) { foo.Bar(); } var m = new Dictionary<string, int> { [\"a\"] = 1 }; var l = new[] { \"a\", @\"b\\c\" }; var o = new { A = 1, b };",
            &[
                "i = item(items)",
                "p = f()#0",
                "q = f()#1",
                "foo: Foo",
                "m = new Dictionary<string, int>({a: integer})",
                "l = [\"a\", \"b\\\\c\"]",
                "o = {A: integer, b: b}",
                "1 in -: g(i)",
                "1 in -: f()",
                "1 in -: foo.Bar()",
                "1 in -: new Dictionary<string, int>({a: integer})",
            ],
        ),
        (
            "var s = a switch { 1 => \"x\", _ => \"y\" }; var t = c ? (Foo)a : b as Foo; x.Headers[\"k\"] = \"v\";",
            &["x.Headers[\"k\"] = \"v\"", "s = (\"x\" | \"y\")", "t = ((a as Foo) | (b as Foo))"],
        ),
    ]);
}
