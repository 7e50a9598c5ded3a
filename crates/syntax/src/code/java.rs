//! The code of Java.
//!
//! A class body is a scope of the class, the body of a method one of the method; the body of a class without a name is a
//! scope of nobody, and stands in `Code::anonymous`. Pattern variables are bound in the block around them.

mod declarations;
mod expressions;
mod statements;
mod types;

use model::code::{ExpressionId, ScopeId};

use crate::node::Node;

use declarations::Around;

use super::Lowering;
use super::lowering::{FILE_SCOPE, MAX_DEPTH};

/// Writes the code of a file.
pub(super) fn lower(lowering: &mut Lowering<'_>, root: Node<'_>) {
    Java { out: lowering, depth: 0, types: Vec::new(), results: Vec::new(), yields: Vec::new() }.file(root);
}

/// A walk through a file.
struct Java<'l, 't> {
    out: &'l mut Lowering<'t>,
    depth: u32,
    /// The types around, innermost last.
    types: Vec<Around>,
    /// What the open functions return, innermost last.
    results: Vec<Vec<ExpressionId>>,
    /// What the open `switch`es give, innermost last.
    yields: Vec<Vec<ExpressionId>>,
}

/// An expression of which nothing is known.
const OPAQUE: ExpressionId = ExpressionId(0);

impl Java<'_, '_> {
    fn file(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        for child in root.named_children(&mut cursor) {
            match child.kind() {
                "package_declaration" => self.package(child),
                "import_declaration" | "module_declaration" => {}
                _ => {
                    self.visit(child, FILE_SCOPE);
                }
            }
        }
    }

    fn package(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let name =
            node.named_children(&mut cursor).find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"));
        if let Some(name) = name {
            self.out.code.package = self.out.text(name).split_whitespace().collect();
        }
    }

    /// Writes a statement, a declaration or an expression, and returns its value.
    fn visit(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        if self.depth >= MAX_DEPTH {
            return OPAQUE;
        }
        self.depth += 1;
        let value = self.visit_node(node, scope);
        self.depth -= 1;
        value
    }

    fn visit_node(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let kind = node.kind();
        if let Some(value) = self.expression(kind, node, scope) {
            return value;
        }
        if !self.statement(kind, node, scope) && !self.declaration(kind, node, scope) {
            self.visit_children(node, scope);
        }
        OPAQUE
    }

    fn visit_children(&mut self, node: Node<'_>, scope: ScopeId) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, scope);
        }
    }

    fn visit_field(&mut self, node: Node<'_>, field: &str, scope: ScopeId) -> ExpressionId {
        node.child_by_field_name(field).map_or(OPAQUE, |child| self.visit(child, scope))
    }
}

/// Returns the first named child that is no comment.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_comment(child.kind()))
}

fn is_comment(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment")
}

/// Returns the first child of a kind, which may be no named one.
fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

#[cfg(test)]
mod tests {
    use model::Language;

    use crate::code::testing::printed;

    fn check(source: &str, expected: &[&str]) {
        assert_eq!(printed(Language::Java, source), expected, "{source}");
    }

    #[test]
    fn definitions_have_shapes() {
        for (source, expected) in [
            (
                "abstract class A<T extends B & C> extends D<T> implements E.F { abstract <U> U f(int a, T[] b, String... c); A() { this(1); } static int X = g(), y[]; }",
                &[
                    "def A[T: B + C]() < D<T>, implements E.F",
                    "def f[U](a: int, b: [T], …c: String): U",
                    "def A()",
                    "def X: int = g()",
                    "def y: [int]",
                    "a: int",
                    "b: [T]",
                    "c: [String]",
                    "1 in A: this(integer)",
                    "1 in A: g()",
                ][..],
            ),
            (
                "enum E { A(1) { void f() {} }, B; E(int... a) {} }",
                &[
                    "def E()",
                    "def A: E",
                    "def f(): void",
                    "def B: E",
                    "def E(…a: int)",
                    "a: [int]",
                    "1 in E: new E(integer)",
                    "1 in E: new E()",
                ],
            ),
            (
                "record R<T>(T a, int... b) implements I { R { f(); } }",
                &["def R[T](a: T, …b: int) < implements I", "def a: T", "def R(a: T, …b: int)", "1 in R: f()"],
            ),
            (
                "interface I { int X = f(); void g(); default void h() {} } @interface J { String value() default \"a\"; }",
                &[
                    "def I()",
                    "def X: int = f()",
                    "def g(): void",
                    "def h(): void",
                    "def J()",
                    "def value(): String",
                    "1 in I: f()",
                ],
            ),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn names_are_bound_where_they_are_seen() {
        for (source, expected) in [
            (
                "class A { void m(Object o) { var a = f(); int[] b[] = {}; for (C c : d) {} try (E e = g()) {} catch (H | I h) {} if (o instanceof J j && k) {} if (o instanceof L(M n, var p)) {} } }",
                &[
                    "def A()",
                    "def m(o: Object): void",
                    "o: Object",
                    "a = f()",
                    "b: [[int]] = []",
                    "c: C",
                    "e: E = g()",
                    "h: (H | I)",
                    "j: J = o",
                    "n: M = o matched type L#0",
                    "p = o matched type L#1",
                    "1 in m: f()",
                    "1 in m: g()",
                ][..],
            ),
            (
                "class A { int m(Object o) { return switch (o) { case B b when b.f() -> b.g(); case C(D d) -> { yield d.h(); } default -> 1; }; } }",
                &[
                    "def A()",
                    "def m(o: Object): int = (b.g() | d.h() | integer)",
                    "o: Object",
                    "b: B = o",
                    "d: D = o matched type C#0",
                    "1 in m: b.f()",
                    "1 in m: b.g()",
                    "1 in m: d.h()",
                ],
            ),
            (
                "class A { B b = new B() { C c; void m() { c.f(); } }; }",
                &[
                    "def A()",
                    "def b: B = new B()",
                    "def c: C",
                    "def m(): void",
                    "c: C",
                    "1 in A: new B()",
                    "1 in m: c.f()",
                ],
            ),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn calls_stand_in_the_order_of_the_text() {
        for (source, expected) in [
            (
                "class A { void m() { a.b().<C>c(1, 2L, 1f, 'c', null, \"t\" + x); super.f(); A.super.g(); A.this.h(); B.super.i(); } }",
                &[
                    "def A()",
                    "def m(): void",
                    "1 in m: a.b()",
                    "1 in m: a.b().c<C>(integer, (integer as long), (float as float), character, null, \"t\" + x)",
                    "1 in m: super.f()",
                    "1 in m: (super as A).g()",
                    "1 in m: (this as A).h()",
                    "1 in m: (super as B).i()",
                ][..],
            ),
            (
                "class A { void m() { new B<C>(1); d.new E(); new F[2][g()]; new int[] {h()}; ((I) j).k(); l[0].n(); } }",
                &[
                    "def A()",
                    "def m(): void",
                    "1 in m: new B<C>(integer)",
                    "1 in m: new typeof d::E()",
                    "1 in m: g()",
                    "1 in m: h()",
                    "1 in m: (j as I).k()",
                    "1 in m: l[integer].n()",
                ],
            ),
            (
                "class A { void m() { f(x -> x.g(), (y, z) -> { return y; }, A::h, B[]::new, C<D>::new, this::i); b = () -> j(); } }",
                &[
                    "def A()",
                    "def m(): void",
                    "x",
                    "y",
                    "z",
                    "1 in m: x.g()",
                    "1 in m: f(fn(x) => x.g(), fn(y, z) => y, A::h, type [B]::new, type C<D>::new, this::i)",
                    "1 in m: j()",
                ],
            ),
            (
                "@B(\"/x\") class A { @C(d = \"/y\", e = {F.G, \"z\"}) void m() { } @H int i; }",
                &["def A()", "def m(): void", "def i: int", "@B(\"/x\") A", "@C({d: \"/y\", e: [F.G, \"z\"]}) m"],
            ),
        ] {
            check(source, expected);
        }
    }
}
