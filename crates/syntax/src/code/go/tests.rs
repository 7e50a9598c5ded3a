use model::Language;

use crate::code::testing::print_code;

/// Checks that the code of a file has these lines, in this order.
fn check(source: &str, expected: &[&str]) {
    let printed = print_code(Language::Go, &format!("package p\n{source}"));
    let mut rest = printed.iter();
    for line in expected {
        assert!(rest.any(|one| one == line), "{line:?} is missing or out of order in {printed:#?}");
    }
}

#[test]
fn shapes_of_functions_and_types() {
    check("type Handler func(w io.Writer, r *Request) error", &["def Handler < fn(io.Writer, Request): error"]);
    check("type B = []*C", &["def B: [C]"]);
    check(
        "type S[K comparable, V A | B] struct { *Base; pkg.Other; a, b map[K][]V }",
        &["def S[K: comparable, V: (A | B)] < embeds Base, embeds pkg.Other", "def a: {K: [V]}", "def b: {K: [V]}"],
    );
    check(
        "type I interface { io.Closer; M(n int, rest ...string) (S, error); ~int | ~string }",
        &["def I < io.Closer, (int | string)", "def M(n: int, …rest: string): (S, error)"],
    );
    check("func (l *List[T]) Push(x, y T) *List[T] {}", &["def (List<T>) Push(x: T, y: T): List<T>"]);
    check(
        "func Map[T, U any](xs []T, f func(T) U) []U { return nil }",
        &["def Map[T: any, U: any](xs: [T], f: fn(T): U): [U] = null"],
    );
    check("const ( A Kind = iota; B; C = 2 )", &["def A: Kind = integer", "def B: Kind = integer", "def C = integer"]);
    check("var a, b = f()\nvar c *T = g()", &["def a = f()#0", "def b = f()#1", "def c: T = g()"]);
}

#[test]
fn variables_of_functions() {
    check(
        "func f(ch <-chan *T) { x := <-ch; for v := range ch {} }",
        &["ch: chan<T>", "x = await ch", "v = item(ch)#0"],
    );
    check(
        "func f() (n *N, err error) { v, ok := m[k]; a, err := g() }",
        &["n: N", "err: error", "v = m[k]", "a = g()#0"],
    );
    check("func f() { for i, x := range xs[1:] { x.M(i) } }", &["i = item(xs)#0", "x = item(xs)#1", "2 in f: x.M(i)"]);
    check(
        "func f(x any) { switch v := x.(type) { case *T: v.A(); case A, B: v.C(); default: } }",
        &["v: T", "v = x", "v = x", "2 in f: v.A()", "2 in f: v.C()"],
    );
    check("func f() { select { case m, ok := <-c: m.M() } }", &["m = await c", "ok", "2 in f: m.M()"]);
    check("func f() { type L struct{}; var l L; l.M() }", &["L = def L", "l: L"]);
    check("func f(s struct { Base; n *N }) {}", &["s: ({Base: Base, n: N} & Base)"]);
    check("func f(s interface { M() int }) {}", &["s: {M: typeof def M}"]);
}

#[test]
fn calls() {
    check(
        "func f() { a.b.C(1, \"x\", xs...).D() }",
        &["2 in f: a.b.C(integer, \"x\", xs)", "2 in f: a.b.C(integer, \"x\", xs).D()"],
    );
    check(
        "func f() { go (*T).M(x); defer g[int, *T](1); (*T)(x).N() }",
        &["2 in f: T.M(x)", "2 in f: g<int, T>(integer)", "2 in f: T(x)", "2 in f: T(x).N()"],
    );
    check(
        "func f() { x := &T{a: g(), B: []U{{h()}}}; y := new(T); z := make(map[string]T, n()) }",
        &[
            "x = new T({a: g(), B: new [U]()})",
            "y = new T()",
            "z = new {string: T}()",
            "2 in f: g()",
            "2 in f: h()",
            "2 in f: n()",
        ],
    );
    check("var v = func(n *N) { n.M() }", &["n: N", "2 in -: n.M()"]);
    check("func f() {\na.\n\tB().\n\tC()\n}", &["4 in f: a.B()", "5 in f: a.B().C()"]);
    check(
        "func f() { if a := g(); a.B() { } else if h(a + \"/x\") { } }",
        &["a = g()", "2 in f: g()", "2 in f: a.B()", "2 in f: h(a + \"/x\")"],
    );
}

#[test]
fn deep_and_broken_code_is_lowered_in_part() {
    let deep = format!("func f() {{ x := {}y{} }}", "g(".repeat(2_000), ")".repeat(2_000));
    assert!(print_code(Language::Go, &format!("package p\n{deep}")).len() > 50);
    check("func f( { a.B( }", &[]);
    check("func f() { a.B(; c() }\nfunc g() { h() }", &["3 in g: h()"]);
}

#[test]
fn build_constraints() {
    let condition = |source: &str| crate::extract(Language::Go, source.as_bytes()).code.condition;
    assert_eq!(condition("// Copyright\n\n//go:build linux && !cgo\n\npackage p\n"), "linux && !cgo");
    assert_eq!(
        condition("// +build linux,386 darwin\n// +build !cgo\n\npackage p\n"),
        "(linux && 386 || darwin) && (!cgo)"
    );
    assert_eq!(condition("package p\n//go:build no\n"), "");
}
