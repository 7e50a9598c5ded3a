//! C and C++ macros that a grammar cannot parse, blanked out before parsing.
//!
//! `SPDLOG_INLINE void f()`, `class API A {` and a line `NAMESPACE_BEGIN` are not valid syntax before the preprocessor
//! has run. Such macros are recognized by their shape: capitals, at a place where the names around them already form a
//! complete declaration. They are replaced by the same number of spaces, so that all offsets stay valid.

use std::borrow::Cow;

mod conditionals;
mod keywords;
mod removable;
mod tokens;

/// Returns the file with the macros and conditional directives blanked that a grammar would misread.
pub(crate) fn blank(source: &[u8]) -> Cow<'_, [u8]> {
    let (tokens, directives) = tokens::lex(source);
    let branches = conditionals::removable(source, &tokens, &directives);
    if branches.is_empty() {
        return blank_spans(source, &removable::macros(source, &tokens));
    }
    let plain = blank_spans(source, &branches);
    let (tokens, _) = tokens::lex(&plain);
    let macros = removable::macros(&plain, &tokens);
    Cow::Owned(blank_spans(&plain, &macros).into_owned())
}

/// Replaces these byte ranges by spaces. Line breaks stay.
fn blank_spans<'s>(source: &'s [u8], spans: &[(usize, usize)]) -> Cow<'s, [u8]> {
    if spans.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut plain = source.to_vec();
    for &(start, end) in spans {
        plain[start..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let plain = blank(source.as_bytes());
        assert_eq!(plain.len(), source.len());
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&String::from_utf8_lossy(&plain)), words(expected), "{source}");
    }

    #[test]
    fn macros_around_declarations_are_blanked() {
        for (source, expected) in [
            ("SPDLOG_INLINE void f() {}", "void f() {}"),
            ("class LIB_API A : public B {", "class A : public B {"),
            ("class LIB_API(x) A final {", "class A final {"),
            ("BEGIN_NAMESPACE\nnamespace detail\n{", "namespace detail\n{"),
            ("}\nEND_NAMESPACE\n", "}\n"),
            ("}\nEND_NAMESPACE\n#include <x>\nint a;", "}\n\n#include <x>\nint a;"),
            ("LIB_INLINE logger::logger(int a) : a_(a) {}", "logger::logger(int a) : a_(a) {}"),
            ("{ LIB_CONSTEXPR point(int a) LIB_NOEXCEPT : a_(a) {}", "{ point(int a) : a_(a) {}"),
            ("{ LIB_CONSTEXPR point() = default;", "{ point() = default;"),
            ("{ LIB_CONSTEXPR point(point&& a) noexcept : a_(a) {}", "{ point(point&& a) noexcept : a_(a) {}"),
            ("{ LIB_CONSTEXPR point(int a) noexcept(true) : a_(a) {}", "{ point(int a) noexcept(true) : a_(a) {}"),
            ("extern \"C\" __declspec(dllimport) void __stdcall f(int a);", "extern \"C\" void f(int a);"),
            ("LIB_INLINE logger::~logger() {}", "logger::~logger() {}"),
            ("LIB_INLINE std::unique_ptr<a> A::f() {", "std::unique_ptr<a> A::f() {"),
            ("void LIB_INLINE A<T>::f() {", "void A<T>::f() {"),
            ("private:\nJSON_PRIVATE_UNLESS_TESTED:\n int a;", "private:\n int a;"),
            ("; NON_NULL(3)\nstatic void f(int* a);", ";\nstatic void f(int* a);"),
            ("const char* what() const LIB_NOEXCEPT override;", "const char* what() const override;"),
            ("A::A(A&& b) LIB_NOEXCEPT : b_(b) {}", "A::A(A&& b) : b_(b) {}"),
            ("[[noreturn]] LIB_API void f(int a);", "[[noreturn]] void f(int a);"),
            ("int f(int a) PRINTF_LIKE(1, 2);", "int f(int a) ;"),
            ("LIB_INLINE const std::string &A::f() const {", "const std::string &A::f() const {"),
            ("; UNUSED_RESULT\nDEPRECATED_FOR(3.8.0, g(a))\nstatic A f();", ";\nstatic A f();"),
            ("{ JSON_TRY { a(); } JSON_CATCH (A&) { b(); } }", "{ { a(); } { b(); } }"),
            ("template <typename T> LIB_API bool f();", "template <typename T> bool f();"),
            ("int a GUARDED_BY(b);", "int a ;"),
            ("std::future<void> LIB_INLINE A::f(int a) {", "std::future<void> A::f(int a) {"),
            ("template <typename T, ENABLE_IF(a<T>::b)> void f();", "template <typename T > void f();"),
            ("{ A(); LIB_CONSTEXPR ~A() {}", "{ A(); ~A() {}"),
            ("A *const a GUARDED_BY(b) = c;", "A *const a = c;"),
            ("std::set<int> a GUARDED_BY(b);", "std::set<int> a ;"),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn one_branch_of_an_incomplete_conditional_remains() {
        for (source, expected) in [
            ("int f(\n#if A\nint a\n#else\nlong a\n#endif\n);", "int f( int a );"),
            ("#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}", "void f(int a) { }"),
            ("#ifdef WIN32\nint wide(int a) {\n#else\nint main() {\n#endif\n}", "int main() { }"),
            ("#if 0\nif (a) {\n#else\nif (b) {\n#endif\n}", "if (b) { }"),
            (
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif",
                "extern \"C\" { int a; }",
            ),
            ("#if A\nint a;\n#else\nint b;\n#endif", "#if A\nint a;\n#else\nint b;\n#endif"),
            ("#endif\n#else\n}\n#if", "#endif\n#else\n}\n#if"),
            ("A(int a) :\n#if A\nb(a),\n#endif\nc(a) {}", "A(int a) : b(a), c(a) {}"),
            ("if (a)\n#ifdef A\nb();\n#else\nc();\n#endif\nelse { d(); }", "if (a) b(); else { d(); }"),
            ("f(int a)\n#if A\n;\n#endif", "f(int a)\n#if A\n;\n#endif"),
            ("case 1:\n#if A\nf();\n#endif", "case 1:\n#if A\nf();\n#endif"),
            ("#ifdef A\nextern \"C\"\n#endif\nint a;", "extern \"C\" int a;"),
            ("#ifdef A\nif (a)\n#else\nif (b)\n#endif\nc();", "if (a) c();"),
            ("enum { A,\n#define B A\n};", "enum { A,\n#define B A\n};"),
            ("A a[] = {\n#define B(x) {x},\nB(1)\n};", "A a[] = { B(1) };"),
            ("int a[] = {\n#include <x>\n1,\n#undef B\n2};", "int a[] = { 1, 2};"),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn capitalized_types_values_and_calls_are_not_blanked() {
        for source in [
            "BOOL f(int a) {}",
            "HANDLE h = OPEN(x);",
            "FILE *f;",
            "FILE const *f;",
            "class FOO { };",
            "class FOO final { };",
            "enum A { FOO, BAR }; enum B { FOO };",
            "void f() { CHECK(a); return FOO; }",
            "if (a) FAIL(b);",
            "switch (a) { case FOO: b(); }",
            "a = b ? FOO : BAR;",
            "TEST_CASE(\"a\") { x(); }",
            "UINT8 a, b;",
            "typedef DWORD word;",
            "#define FOO void x\nint a;",
            "const char* a = \"FOO void x\"; // FOO void x",
            "static A FOO(b);",
            "template <class T> BOOL A<T>::f(int a) {",
            "void f() { a(); CATCH(b()) }",
            "std::lock_guard FOO(b);",
            "unsigned int FOO(b);",
            "struct a FOO(b);",
            "const a FOO(b);",
            "#include <x>\nint a;",
        ] {
            check(source, source);
        }
    }
}
