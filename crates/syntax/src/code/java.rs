//! Lowering of Java.
//!
//! A class body is a scope of the class, and a method body a scope of the method. The body of an anonymous class is a
//! scope without a definition, listed in `Code::anonymous`. Pattern variables are bound in the enclosing block.

mod declarations;
mod expressions;
mod statements;
mod types;

use model::code::{ExpressionId, ScopeId};

use crate::node::SyntaxNode;

use declarations::EnclosingType;

use super::CodeBuilder;
use super::builder::{FILE_SCOPE, OPAQUE, UNKNOWN_TYPE};

/// Lowers a file.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    JavaLowering { out, types: Vec::new(), results: Vec::new(), yields: Vec::new() }.lower_file(root);
}

/// The lowering of a file.
struct JavaLowering<'l, 't> {
    out: &'l mut CodeBuilder<'t>,
    /// Enclosing types, innermost last.
    types: Vec<EnclosingType>,
    /// Results of the enclosing functions, innermost last.
    results: Vec<Vec<ExpressionId>>,
    /// Results of the enclosing `switch`es, innermost last.
    yields: Vec<Vec<ExpressionId>>,
}

impl JavaLowering<'_, '_> {
    fn lower_file(&mut self, root: SyntaxNode<'_>) {
        let mut cursor = root.walk();
        for child in root.named_children(&mut cursor) {
            match child.kind() {
                "package_declaration" => self.lower_package(child),
                "import_declaration" | "module_declaration" => {}
                _ => {
                    self.visit(child, FILE_SCOPE);
                }
            }
        }
    }

    fn lower_package(&mut self, node: SyntaxNode<'_>) {
        let mut cursor = node.walk();
        let name =
            node.named_children(&mut cursor).find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"));
        if let Some(name) = name {
            self.out.code.package = self.out.text(name).split_whitespace().collect();
        }
    }

    /// Lowers a statement, a declaration or an expression, and returns its value.
    fn visit(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        if !self.out.descend() {
            return OPAQUE;
        }
        let value = self.visit_node(node, scope);
        self.out.ascend();
        value
    }

    fn visit_node(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let kind = node.kind();
        if let Some(value) = self.lower_expression(kind, node, scope) {
            return value;
        }
        if !self.lower_statement(kind, node, scope) && !self.lower_declaration(kind, node, scope) {
            self.visit_children(node, scope);
        }
        OPAQUE
    }

    fn visit_children(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, scope);
        }
    }

    fn visit_field(&mut self, node: SyntaxNode<'_>, field: &str, scope: ScopeId) -> ExpressionId {
        node.child_by_field_name(field).map_or(OPAQUE, |child| self.visit(child, scope))
    }
}

/// Returns the first named child that is not a comment.
fn first_child(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_comment(child.kind()))
}

fn is_comment(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment")
}

#[cfg(test)]
mod tests {
    use model::Language;

    use crate::code::testing::print_code;

    fn check(source: &str, expected: &[&str]) {
        assert_eq!(print_code(Language::Java, source), expected, "{source}");
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
    fn names_are_bound_in_their_scopes() {
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
    fn call_sites_are_in_text_order() {
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
                &[
                    "def A()",
                    "def m(): void",
                    "def i: int",
                    "@B(\"/x\") A",
                    "@C({d: \"/y\", e: [F.G, \"z\"]}) m",
                    "@H i",
                ],
            ),
        ] {
            check(source, expected);
        }
    }
}
