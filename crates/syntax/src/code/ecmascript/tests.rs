//! Tests of the code of snippets.

use model::Language;

use crate::code::testing::print_code;

/// Checks that the code of a file has these lines, in this order.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let printed = print_code(Language::TypeScript, source);
    let mut rest = printed.iter();
    for line in expected {
        assert!(rest.any(|one| one == line), "{line:?} is missing or out of order in {printed:#?}");
    }
}

#[test]
fn shapes_of_functions_and_types() {
    check(
        "function f<T extends A>(a: T, b = 1, ...c: B[]): C { return d }",
        &["def f[T: A](a: T, b?, …c: [B]): C = d"],
    );
    check("export const f = async (a?: A) => a.b()", &["def f(a?: A) = a.b()"]);
    check("const f: F = (a) => a", &["def f(a: F::#0): F::#result = a"]);
    check(
        "class A<T> extends b.B<T> implements C { d = new D(); get e() { return this.d } constructor(private f: F) {} }",
        &["def A[T]() < b.B<T>, implements C", "def d = new typeof D()", "def e() = this.d", "def f: F"],
    );
    check(
        "interface A extends B { c(d?: D): this; e: E | null; new (f: F): A }",
        &["def A() < B", "def c(d?: D): This", "def e: (E)"],
    );
    check("interface A { new (f: F): A }", &["field A.new: fn(F): A"]);
    check("type A<T> = { [K in keyof T]: T[K] } & B['c']", &["def A[T](): (T & B::c)"]);
    check("type A = { b(): C; d: () => E }", &["def A(): {b: typeof def b, d: fn(): E}"]);
}

#[test]
fn bindings() {
    check("function f({ a, b: { c }, ...d }: A, [e, , g]) {}", &["#0: A", "#1", "a = #0.a", "c = #0.b.c", "d = #0"]);
    check("function f() { let a; a = g(); }", &["a", "a = g()"]);
    check("function f() { for (const a of b) {} }", &["a = item(b)"]);
    check("function f(a) { if (a instanceof A) {} else if (isB(a)) {} }", &["a: A", "a = a matched isB(a)#0"]);
    check("function f(a) { if (!(a instanceof A)) return; a.b(); }", &["1 in f: a.b()"]);
    check("function f() { const g = () => h(); }", &["g = def g", "1 in g: h()"]);
    check(
        "const f = { a, b() {}, c: () => d(), ...e };",
        &["def f = {a: a, b: def b, c: def c, ...: e}", "1 in c: d()"],
    );
}

#[test]
fn calls_and_modules() {
    check(
        "a.b?.c<D>(e)\n  .f`g${h()}`",
        &["1 in -: a.b.c<D>(e)", "2 in -: h()", "2 in -: a.b.c<D>(e).f(\"g{}\"{h()})"],
    );
    check("new Map<A, B>(); new (a())();", &["1 in -: new Map<A, B>()", "1 in -: a()", "1 in -: new typeof a()()"]);
    check("const a = require('./b').c(); await import('d')", &["def a = import ./b.c()", "1 in -: import ./b.c()"]);
    check("class A { m() { this.b = new B() } }", &["field A.b = new typeof B()"]);
    check(
        "const a = b as any as C, d = <D>e, f = g!.h",
        &["def a = ((b as any) as C)", "def d = (e as D)", "def f = g.h"],
    );
    check("@a() class B { @c d() {} }", &["@a() B", "@c d"]);
}

#[test]
fn signatures_declare_the_result_of_a_function_with_a_body() {
    check(
        "export function f<T>(a: T): A<T>\nexport function f(a: B, b: B): C\nexport function f<T>(a: any, b?: B) { return c }",
        &["def f[T](a: any, b?: B): (A<T> | C) = c"],
    );
    check("class A { f(a: B): C\n f(a: any): any { return c } }", &["def f(a: any): C = c"]);
    check(
        "function f(): any\nfunction g() { return c }\nfunction f(): A { return c }",
        &["def g() = c", "def f(): any = c"],
    );
    check("function f(): A { return c }\nfunction g(a: B): C { return c }", &["def f(): A = c", "def g(a: B): C = c"]);
    check("declare function f(a: B): A", &["def f(a: B): A"]);
}

#[test]
fn awaited_calls_with_type_arguments_are_calls() {
    let plain = print_code(Language::TypeScript, "const a = await b.get('c')");
    assert_eq!(print_code(Language::TypeScript, "const a = await (b.get('c'))"), plain);
    let typed = print_code(Language::TypeScript, "const a = await b.get<T>('c')");
    assert!(typed.iter().any(|line| line.contains("await b.get<T>(")), "{typed:#?}");
    let other = print_code(Language::TypeScript, "const a = (await b)('c')");
    assert_ne!(other, plain);
}
