//! Lowering of C and C++.
//!
//! One lowering serves both, since C++ uses the node kinds of C. `items` lowers declarations and statements,
//! `declarators` finds the declared names, and `types` and `expressions` lower types and values.
//!
//! These modules import each other because the productions of the grammar do: a type specifier may hold a class body, a
//! template argument or array size is an expression, and a lambda holds statements.

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

use model::code::{ExpressionId, ScopeId, TypeParameter};

use super::CodeBuilder;
use super::builder::{FILE_SCOPE, OPAQUE, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

/// Maximum number of parts of a qualified name.
const MAX_PATH_PARTS: usize = 48;

/// Context of a declaration or statement.
#[derive(Debug, Default)]
struct CContext {
    is_cpp: bool,
    /// True if declarations are inside a function, and so bound in a scope.
    is_in_function: bool,
    /// True if declarations are visible only in this file, as in an unnamed namespace.
    is_hidden: bool,
    /// True if declarations are friends of the enclosing class.
    is_friend: bool,
    /// True if declarations are conditionally compiled.
    is_conditional: bool,
    /// Template parameters that the next declaration takes.
    templates: Vec<TypeParameter>,
    /// Results of the enclosing function if its result type is inferred; `None` if it is declared.
    results: Option<Vec<ExpressionId>>,
}

/// Lowers a C file.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    lower_dialect(out, root, false);
}

/// Lowers a C++ file.
pub(super) fn lower_cpp(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    lower_dialect(out, root, true);
}

fn lower_dialect(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>, is_cpp: bool) {
    let mut context = CContext { is_cpp, ..CContext::default() };
    items::lower_children(out, &mut context, root, FILE_SCOPE);
}

/// Calls `visit` with each named child that is not a comment.
fn for_each_child<'t>(node: SyntaxNode<'t>, mut visit: impl FnMut(SyntaxNode<'t>)) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() != "comment" {
            visit(child);
        }
    }
}

/// Returns true if one of the specifiers before a declaration is `word`.
fn has_specifier(out: &CodeBuilder<'_>, node: SyntaxNode<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| {
        matches!(child.kind(), "storage_class_specifier" | "type_qualifier" | "virtual" | "virtual_function_specifier")
            && out.text(child) == word
    })
}

/// Lowers a block, or a statement with a scope of its own.
fn lower_block(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let inner = out.open_scope(scope, None);
    items::lower_children(out, context, node, inner);
}

#[cfg(test)]
mod tests {
    use model::code::{Expression, TypeExpression, TypeId};
    use model::{Code, Language};

    use super::*;

    /// Writes an expression as code again.
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
    fn call_sites_are_lowered() {
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
    fn pointers_in_types_are_kept() {
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
