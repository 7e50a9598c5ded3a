//! Lowered snippets of Dart.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Dart, snippets);
}

#[test]
fn routes_and_annotations() {
    check(&[
        (
            "@RestApi(baseUrl: 'http://b') abstract class A extends B with M implements C { @GET('/x/{id}') Future<String> get(@Path() int id, [String? q]); }",
            &[
                "def A() < B, embeds M, implements C",
                "def get(id: int, q: String): Future<String>",
                "@RestApi(*{baseUrl: \"http://b\"}) A",
                "@GET(\"/x/{id}\") get",
                "id: int",
                "q: String",
            ],
        ),
        (
            "void main() { final router = Router(); router.get('/x', (Request r) { return Response.ok('a'); }); router..get('/y', h)..url = 'z'; }",
            &[
                "router.url = \"z\"",
                "def main(): void",
                "router = Router()",
                "r: Request",
                "1 in main: Router()",
                "1 in main: Response.ok(\"a\")",
                "1 in main: router.get(\"/x\", fn(r: Request) => Response.ok(\"a\"))",
                "1 in main: router.get(\"/y\", h)",
            ],
        ),
    ]);
}

#[test]
fn clients_and_fields() {
    check(&[(
        "class A { final String url = 'http://y'; final Dio dio = Dio(BaseOptions(baseUrl: 'http://q')); static const k = 'z'; A(this.url, {required String name, int x = 3}) : super(name) { this.y = x; url = k; } A.named() : url = 'n'; String get full => '$url/x'; }",
        &[
            "def A()",
            "def url: String = \"http://y\"",
            "def dio: Dio = Dio(BaseOptions(*{baseUrl: \"http://q\"}))",
            "def k = \"z\"",
            "def A(url, name: String, x?: int)",
            "def named()",
            "def full(): String = \"{}/x\"{url}",
            "field A.url = url",
            "field A.y = x",
            "field A.url = \"n\"",
            "url",
            "name: String",
            "x: int = integer",
            "url = k",
            "1 in A: BaseOptions(*{baseUrl: \"http://q\"})",
            "1 in A: Dio(BaseOptions(*{baseUrl: \"http://q\"}))",
        ],
    )]);
}

#[test]
fn values_and_bindings() {
    check(&[
        (
            "Future<void> run(int id) async { var u = '$base/x/${id.toInt()}' + '/y'; u += 'z'; final r = await http.get(Uri.parse(u), headers: {'a': 'b'}); final c = const String.fromEnvironment('X', defaultValue: 'd'); final e = Platform.environment['X'] ?? 'd'; String s = 'a' 'b'; }",
            &[
                "def run(id: int): Future<void>",
                "id: int",
                "u = \"{}/x/{}\"{base, id.toInt()} + \"/y\"",
                "u = u + \"z\"",
                "r = await http.get(Uri.parse(u), *{headers: {a: \"b\"}})",
                "c = String.fromEnvironment(\"X\", *{defaultValue: \"d\"})",
                "e = (Platform.environment[\"X\"] | \"d\")",
                "s: String = \"a\" + \"b\"",
                "1 in run: id.toInt()",
                "1 in run: Uri.parse(u)",
                "1 in run: http.get(Uri.parse(u), *{headers: {a: \"b\"}})",
                "1 in run: String.fromEnvironment(\"X\", *{defaultValue: \"d\"})",
            ],
        ),
        (
            "main() { for (var i in items) { g(i); } var (p, q) = f(); final n = new Foo(1); final l = <int>[1, 2]; list.map((x) => x.y); r?.foo(); final t = c ? 'a' : 'b'; f<int>(x as Foo); }",
            &[
                "def main()",
                "i = item(items)",
                "p = f()#0",
                "q = f()#1",
                "n = new Foo(integer)",
                "l = [integer, integer]",
                "x",
                "t = (\"a\" | \"b\")",
                "1 in main: g(i)",
                "1 in main: f()",
                "1 in main: new Foo(integer)",
                "1 in main: list.map(fn(x) => x.y)",
                "1 in main: r.foo()",
                "1 in main: f<int>(x)",
            ],
        ),
    ]);
}

#[test]
fn annotations_may_have_a_path() {
    check(&[(
        "class A { @Route.get('/x') @override Future<Response> h(Request r) async => f(); }",
        &[
            "def A()",
            "def h(r: Request): Future<Response> = f()",
            "@Route.get(\"/x\") h",
            "@override h",
            "r: Request",
            "1 in h: f()",
        ],
    )]);
}
