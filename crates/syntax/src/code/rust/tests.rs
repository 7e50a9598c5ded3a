use model::Language;

use super::super::testing::print_code;

/// Checks that these lines are among those of a snippet, in this order.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let lines = print_code(Language::Rust, source);
    let mut rest = lines.iter();
    for line in expected {
        assert!(rest.any(|printed| printed == line), "`{line}` is missing or out of order in {lines:#?}");
    }
}

#[test]
fn bounds_are_merged_and_references_are_dropped() {
    check(
        "impl<'a, M: Matcher> Searcher<'a, M> where M: Send { type Item = A; fn run<F>(&mut self, f: F) -> io::Result<Self> where F: FnMut(&T) -> bool {} }",
        &["def Item: A", "def run[F: fn(T): bool](f: F): io.Result<This>", "extend Searcher<M> with Item, run"],
    );
    check(
        "trait M: Send + Base<A> { type C: Captures; fn f(&self) -> Self::C; fn g(f: &dyn Fn(A) -> B, i: impl Iterator<Item = A>) {} }",
        &["def M() < Send, Base<A>", "def C: Captures", "def f(): This::C", "def g(f: fn(A): B, i: Iterator<A>): ()"],
    );
    check(
        "struct P(pub A, Box<B>); enum E { A(P), B { x: P } } const K: A = A::new();",
        &["def P(0: A, 1: Box<B>)", "def A(0: P)", "def x: P", "def K: A = A::new()", "field P.1: Box<B>"],
    );
}

#[test]
fn patterns_bind_parts_of_the_value() {
    check(
        "fn f((a, b): (A, B)) { if let Some(Foo { y, z: Some(q), .. }) = x() {} for (i, mut v) in n {} match w { Kind::A(x) | Kind::B(x) => {} Kind::C => {} } }",
        &[
            "#0: (A, B)",
            "a = #0#0",
            "b = #0#1",
            "y = x() matched Some#0 matched type Foo#4294967295.y",
            "q = x() matched Some#0 matched type Foo#4294967295.z matched Some#0",
            "i = item(n)#0",
            "v = item(n)#1",
            "x = w matched Kind::A#0",
        ],
    );
}

#[test]
fn calls_are_found_in_chains_closures_and_macros() {
    check(
        r#"fn f() {
            let x = a.b.iter().map(|&(i, x)| x.go(i)).collect::<Vec<T>>()?;
            println!("{} {n}", a.m(), n = b.t(|z| z.l()));
            let w = vec![A::new(), Self::make()];
            assert!(matches!(w.foo(), Some(1) if x));
            own!(format!("{}", c.deep()));
            <T as Default>::default()
        }"#,
        &[
            "x = a.b.iter().map(fn(#0) => x.go(i)).collect<Vec<T>>()?",
            "w = [A::new(), type This::make()]",
            "2 in f: a.b.iter()",
            "2 in f: x.go(i)",
            "3 in f: a.m()",
            "3 in f: z.l()",
            "3 in f: b.t(fn(z) => z.l())",
            "4 in f: A::new()",
            "5 in f: w.foo()",
            "6 in f: own!()",
            "6 in f: c.deep()",
            "7 in f: type (T & Default)::default()",
        ],
    );
}

#[test]
fn deeply_nested_macros_terminate() {
    let nested = "m!(".repeat(2_000) + &")".repeat(2_000);
    assert!(!print_code(Language::Rust, &format!("fn f() {{ {nested} }}")).is_empty());
}

#[test]
fn macros_pass_their_argument_on() {
    check(
        "fn f() { let a = dbg!(poll()); let b = ready!(poll()); let c = vec![poll()]; }",
        &["a = poll()", "b = await poll()", "c = [poll()]"],
    );
}

#[test]
fn formats_keep_their_arguments() {
    check(
        "fn f(id: u32) { let u = format!(\"{}/x/{id:?}\", base()); let v = format!(\"{1}-{0}{{\", id, g(id)); }",
        &["id: u32", "u = \"{}/x/{}\"{base(), id}", "v = \"{}-{}{\"{g(id), id}", "1 in f: base()", "1 in f: g(id)"],
    );
}
