//! The code of C and C++.
//!
//! One walk serves both: what C has, C++ has under the same node. `items` goes over declarations and statements,
//! `declarators` finds what a declaration declares, `types` and `expressions` write what stands in them.

mod calls;
mod classes;
mod declarations;
mod declarators;
mod expressions;
mod functions;
mod items;
mod names;
mod templates;
mod types;

use model::code::{ExpressionId, ScopeId, TypeId, TypeParameter};

use super::Lowering;
use super::lowering::FILE_SCOPE;
use crate::node::Node;

/// A value of which nothing is known.
const OPAQUE: ExpressionId = ExpressionId(0);

/// A type that is not written, or not understood.
const UNWRITTEN: TypeId = TypeId(0);

/// Where the walk is.
#[derive(Debug, Default)]
struct Around {
    is_cpp: bool,
    /// Whether a function is around, so that what is declared is bound in a scope.
    in_function: bool,
    /// Whether what is declared is seen in this file alone, as in a namespace without a name.
    is_hidden: bool,
    /// Whether what is declared stands in a class as its friend.
    is_friend: bool,
    /// Whether what is declared is there under a condition alone.
    is_conditional: bool,
    /// Parameters of the templates that open here, for the next declaration to take.
    templates: Vec<TypeParameter>,
    /// What the function around returns, where it does not say so itself; nothing where it does.
    results: Option<Vec<ExpressionId>>,
}

/// Writes the code of a file of C.
pub(super) fn lower(l: &mut Lowering<'_>, root: Node<'_>) {
    lower_as(l, root, false);
}

/// Writes the code of a file of C++.
pub(super) fn lower_cpp(l: &mut Lowering<'_>, root: Node<'_>) {
    lower_as(l, root, true);
}

fn lower_as(l: &mut Lowering<'_>, root: Node<'_>, is_cpp: bool) {
    let mut around = Around { is_cpp, ..Around::default() };
    items::children(l, &mut around, root, FILE_SCOPE);
}

/// Calls `visit` with each named child that is no comment.
fn each_child<'t>(node: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() != "comment" {
            visit(child);
        }
    }
}

/// Says whether one of the children without a name, such as a keyword, is this.
fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == word)
}

/// Says whether one of the specifiers before a declaration is this.
fn has_specifier(l: &Lowering<'_>, node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| {
        matches!(child.kind(), "storage_class_specifier" | "type_qualifier" | "virtual" | "virtual_function_specifier")
            && l.text(child) == word
    })
}

/// A block in a function, or the whole of it.
fn block(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let inner = l.scope(scope, None);
    items::children(l, around, node, inner);
}

#[cfg(test)]
mod tests {
    use model::code::{Expression, TypeExpression};
    use model::{Code, Language};

    use super::*;

    /// Writes an expression as code again, as far as it was understood.
    fn show(code: &Code, of: ExpressionId) -> String {
        let all = |of: &[ExpressionId]| of.iter().map(|of| show(code, *of)).collect::<Vec<_>>().join(", ");
        match code.expression(of) {
            Expression::Name { name, .. } => code.name(*name).to_owned(),
            Expression::This { .. } => "this".to_owned(),
            Expression::Literal(_) => "literal".to_owned(),
            Expression::Member { of, name } => format!("{}.{}", show(code, *of), code.name(*name)),
            Expression::Path { of, name } => format!("{}::{}", show(code, *of), code.name(*name)),
            Expression::Dereferenced { of } => format!("*{}", show(code, *of)),
            Expression::Call { callee, type_arguments, arguments } => {
                let types: String = type_arguments.iter().map(|of| format!("<{}>", show_type(code, *of))).collect();
                format!("{}{types}({})", show(code, *callee), all(arguments))
            }
            Expression::Make { made, arguments } => format!("make {}({})", show_type(code, *made), all(arguments)),
            Expression::Cast { of, to } => format!("{} as {}", show(code, *of), show_type(code, *to)),
            Expression::List(items) => format!("{{{}}}", all(items)),
            Expression::Type(of) => show_type(code, *of),
            Expression::Function { .. } => "lambda".to_owned(),
            Expression::Operation { operator, left, right } => match right {
                Some(right) => format!("{} {} {}", show(code, *left), code.name(*operator), show(code, *right)),
                None => format!("{}{}", code.name(*operator), show(code, *left)),
            },
            _ => "?".to_owned(),
        }
    }

    fn show_type(code: &Code, of: TypeId) -> String {
        match code.written(of) {
            TypeExpression::Named { path, arguments, .. } => {
                let path: Vec<&str> = path.iter().map(|name| code.name(*name)).collect();
                let arguments: String = arguments.iter().map(|of| format!("<{}>", show_type(code, *of))).collect();
                path.join("::") + &arguments
            }
            TypeExpression::Pointer(of) => format!("{}*", show_type(code, *of)),
            TypeExpression::List(of) => format!("{}[]", show_type(code, *of)),
            TypeExpression::Member { of, name } => format!("{}::{}", show_type(code, *of), code.name(*name)),
            TypeExpression::Function { .. } => "function".to_owned(),
            TypeExpression::Of(of) => show(code, *of),
            _ => "?".to_owned(),
        }
    }

    #[track_caller]
    fn check(language: Language, source: &str, expected: &[&str]) {
        let code = crate::extract(language, source.as_bytes()).code;
        let sites: Vec<String> = code.sites.iter().map(|site| show(&code, site.expression)).collect();
        assert_eq!(sites, expected, "{source}");
    }

    #[test]
    fn calls_are_told_as_they_are_meant() {
        for (source, expected) in [
            ("void f() { a.b->c(1, &d); }", &["*a.b.c(literal, &d)"][..]),
            ("void f() { n::m::g<A, 3>(x...); }", &["n::m::g<A><?>(...x)"]),
            ("void f() { A a(b, c); A d{e}; auto g = new n::B(h); }", &["make A(b, c)", "make A(e)", "make n::B(h)"]),
            ("struct B : A { B() : A(1), b_(x()) {} };", &["make A(literal)", "x()", "make b_(x())"]),
            ("void f() { g(static_cast<A*>(p)); ::h(std::move(q)); }", &["g(p as A*)", "h(moveq)"]),
            ("void f() { if (auto a = g()) h([&](A b) { b.c(); }); }", &["g()", "b.c()", "h(lambda)"]),
            ("void f() { for (auto& a : b()) { a->c(); } }", &["b()", "*a.c()"]),
            ("void f() { a.template g<A>(); A<B>::h(); this->i(); }", &["a.g<A>()", "A<B>::h()", "*this.i()"]),
            ("auto a = A{1, {2}}; int b = c();", &["make A(literal, {literal})", "c()"]),
        ] {
            check(Language::Cpp, source, expected);
        }
        for (source, expected) in [
            (
                "void f(void) { A a = {g()}; p->h((A){1}); CHECK(i(), j); }",
                &["g()", "*p.h(? as A)", "i()", "CHECK(i(), j)"][..],
            ),
            ("#if X\nint f() { return g(); }\n#else\nint f() { return h(); }\n#endif", &["g()", "h()"]),
        ] {
            check(Language::C, source, expected);
        }
    }

    #[test]
    fn types_keep_their_pointers() {
        for (source, expected) in [
            (
                "struct A *const *f(char b[3], int (*c)(void), unsigned d, ...);",
                "A** <- char[] function unsigned int ?",
            ),
            ("auto f(const n::B<C> &b, D &&...d) -> E::F;", "E::F <- const<n::B<C>> &&<D>"),
            ("int f(void);", "int <-"),
            ("A<B>::C f(std::vector<D*> a = {});", "A<B>::C <- std::vector<D*>"),
        ] {
            let code = crate::extract(Language::Cpp, source.as_bytes()).code;
            let shape = &code.shapes[0];
            let written = |of: Option<TypeId>| of.map_or("?".to_owned(), |of| show_type(&code, of));
            let parameters: String = shape.parameters.iter().map(|one| format!(" {}", written(one.declared))).collect();
            assert_eq!(format!("{} <-{parameters}", written(shape.declared)), expected, "{source}");
        }
    }
}
