//! Lowered snippets of Scala.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Scala, snippets);
}

#[test]
fn routes_and_annotations() {
    check(&[
        (
            "object R { val routes = HttpRoutes.of[IO] { case GET -> Root / \"x\" / id => Ok(\"a\") } }",
            &[
                "def R()",
                "def routes = HttpRoutes.of<IO>(fn() => (GET, Root) / \"x\" / id(fn() => Ok(\"a\")))",
                "1 in R: Ok(\"a\")",
                "1 in R: (GET, Root) / \"x\" / id(fn() => Ok(\"a\"))",
                "1 in R: HttpRoutes.of<IO>(fn() => (GET, Root) / \"x\" / id(fn() => Ok(\"a\")))",
            ],
        ),
        (
            "object R { val r = path(\"x\" / IntNumber) { id => get { complete(\"a\") } } ~ post(\"b\") }",
            &[
                "def R()",
                "def r",
                "id",
                "1 in R: complete(\"a\")",
                "1 in R: get(fn() => complete(\"a\"))",
                "1 in R: path(\"x\" / IntNumber, fn(id) => get(fn() => complete(\"a\")))",
                "1 in R: post(\"b\")",
            ],
        ),
        (
            "package a.b\n@Singleton class A @Inject()(http: WSClient, val url: String = \"d\") extends Base(http) with I { @Get(\"/x\") def get(id: Long)(implicit ec: EC): Future[String] = http.url(url).get() }",
            &[
                "def A(http: WSClient, url?: String) < Base, I",
                "def http: WSClient",
                "def url: String = \"d\"",
                "def get(id: Long, ec: EC): Future<String> = http.url(url).get()",
                "@Singleton A",
                "@Inject() A",
                "@Get(\"/x\") get",
                "http: WSClient",
                "url: String = \"d\"",
                "id: Long",
                "ec: EC",
                "2 in get: http.url(url)",
                "2 in get: http.url(url).get()",
            ],
        ),
    ]);
}

#[test]
fn quotes_are_no_part_of_a_text() {
    check(&[(
        r#"object O { val a = "b\\c"; val d = s"$e"; val f = """g$h"""; val i = s"""j$k"""; val l = "\n" }"#,
        &[
            "def O()",
            "def a = \"b\\\\c\"",
            "def d = \"{}\"{e}",
            "def f = \"g$h\"",
            "def i = \"j{}\"{k}",
            "def l = \"\\n\"",
        ],
    )]);
}

#[test]
fn values_and_bindings() {
    check(&[
        (
            "object O { def f(id: Id) = { val u = s\"$base/x/${id.toInt}\" + \"/y\"; val m = Map(\"a\" -> \"b\"); val e = sys.env(\"X\"); new Client(u, timeout = 3) } }",
            &[
                "def O()",
                "def f(id: Id) = new Client(u, *{timeout: integer})",
                "id: Id",
                "u = \"{}/x/{}\"{base, id.toInt} + \"/y\"",
                "m = Map((\"a\", \"b\"))",
                "e = sys.env(\"X\")",
                "1 in f: Map((\"a\", \"b\"))",
                "1 in f: sys.env(\"X\")",
                "1 in f: new Client(u, *{timeout: integer})",
            ],
        ),
        (
            "object O { val (x, y) = f(); var w: Option[String] = None; def g(a: Int = 1): String = a match { case 1 => \"x\"; case _ => \"y\" }; val h = for { a <- b; c = d } yield c }",
            &[
                "def O()",
                "def w: Option<String> = None",
                "def g(a?: Int): String = (\"x\" | \"y\")",
                "def h = c",
                "x = f()#0",
                "y = f()#1",
                "a: Int = integer",
                "a = item(b)",
                "c = d",
                "1 in O: f()",
            ],
        ),
        (
            "class A { var z: Foo = null; def f(w: B) = { z = Foo(\"a\"); this.z = Foo(\"b\"); w.url = \"c\"; w send z; if (p) \"x\" else \"y\" } }",
            &[
                "w.url = \"c\"",
                "def A()",
                "def z: Foo = null",
                "def f(w: B) = (\"x\" | \"y\")",
                "field A.z = Foo(\"a\")",
                "field A.z = Foo(\"b\")",
                "w: B",
                "1 in f: Foo(\"a\")",
                "1 in f: Foo(\"b\")",
                "1 in f: w.send(z)",
            ],
        ),
    ]);
}

#[test]
fn indented_blocks_are_bodies() {
    check(&[(
        "object M extends A:\n  def f(id: Int): String =\n    val u = s\"http://x/$id\"\n    client.get(u)\n",
        &[
            "def M() < A",
            "def f(id: Int): String = client.get(u)",
            "id: Int",
            "u = \"http://x/{}\"{id}",
            "4 in f: client.get(u)",
        ],
    )]);
}
