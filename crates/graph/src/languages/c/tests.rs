//! Call edges of C and C++.

use crate::testing::check_calls;

#[test]
fn a_header_declaration_resolves_to_its_definition() {
    check_calls(
        "//- /src/a.c\n#include \"a.h\"\nint f(int x) { return x; }\nstatic int g(void) { return f(1); }\n\
         //- /src/a.h\nint f(int x);\n\
         //- /src/b.c\n#include <a.h>\nstatic int g(void) { return 2; }\nint main(void) { return f(g()); }",
        &["src/a.c::g -calls-> src/a.c::f", "src/b.c::main -calls-> src/a.c::f", "src/b.c::main -calls-> src/b.c::g"],
    );
}

#[test]
fn static_functions_are_visible_only_where_included() {
    check_calls("//- /a.c\nstatic void f(void) {}\n//- /b.c\nvoid g(void) { f(); }", &[]);
    check_calls(
        "//- /a.h\nstatic inline void f(void) {}\n//- /b.c\n#include \"a.h\"\nvoid g(void) { f(); }",
        &["b.c::g -calls-> a.h::f"],
    );
}

#[test]
fn the_nearest_definition_wins_and_ties_are_ambiguous() {
    check_calls(
        "//- /a.h\nvoid f(void);\n//- /x/a.c\nvoid f(void) {}\n//- /y/a.c\nvoid f(void) {}\n\
         //- /x/b.c\n#include \"../a.h\"\nvoid g(void) { f(); }",
        &["x/b.c::g -calls-> x/a.c::f"],
    );
    check_calls(
        "//- /a.h\nvoid f(void);\n//- /x/a.c\nvoid f(void) {}\n//- /y/a.c\nvoid f(void) {}\n\
         //- /b.c\n#include \"a.h\"\nvoid g(void) { f(); }",
        &["b.c::g -calls-> x/a.c::f (ambiguous)", "b.c::g -calls-> y/a.c::f (ambiguous)"],
    );
}

#[test]
fn conditional_variants_are_one_function() {
    check_calls(
        "//- /a.c\n#if A\nvoid f(void) {}\n#else\nvoid f(void) {}\n#endif\nvoid g(void) { f(); }",
        &["a.c::g -calls-> a.c::f"],
    );
}

#[test]
fn variables_shadow_functions_and_function_pointers_have_no_target() {
    check_calls(
        "//- /a.c\nvoid f(void) {}\nstruct s { void (*f)(void); };\n\
         void g(struct s *a, void (*f)(void)) { f(); a->f(); h(f); }",
        &[],
    );
}

#[test]
fn macro_arguments_are_calls_and_conditional_macros_are_ambiguous() {
    check_calls(
        "//- /a.c\n#define CHECK(x) do { x; } while (0)\n#ifndef A\n#define close(x) 0\n#endif\n\
         static int f(void) { return 1; }\nvoid g(void) { CHECK(f()); close(1); }",
        &["a.c::g -calls-> a.c::CHECK", "a.c::g -calls-> a.c::close (ambiguous)", "a.c::g -calls-> a.c::f"],
    );
}

#[test]
fn members_resolve_through_pointers_fields_and_bases() {
    check_calls(
        "//- /a.h\nnamespace n {\nclass base { public: void b(); };\n\
         class a : public base { public: void f(); static a *make(); a *next() const; std::unique_ptr<a> child; };\n}\n\
         //- /a.cc\n#include \"a.h\"\nnamespace n {\nvoid base::b() {}\nvoid a::f() { b(); this->next()->f(); }\n\
         a *a::make() { return new a(); }\na *a::next() const { return child->next(); }\n}\n\
         //- /b.cc\n#include \"a.h\"\nvoid g() { auto x = n::a::make(); x->child->b(); n::a y; y.next()->f(); }",
        &[
            "a.cc::a.f -calls-> a.cc::a.f",
            "a.cc::a.f -calls-> a.cc::a.next",
            "a.cc::a.f -calls-> a.cc::base.b",
            "a.cc::a.next -calls-> a.cc::a.next",
            "b.cc::g -calls-> a.cc::a.f",
            "b.cc::g -calls-> a.cc::a.make",
            "b.cc::g -calls-> a.cc::a.next",
            "b.cc::g -calls-> a.cc::base.b",
        ],
    );
}

#[test]
fn namespaces_span_files() {
    check_calls(
        "//- /a.h\nnamespace a { namespace b { inline void f() {} } inline namespace v1 { inline void g() {} } }\n\
         //- /b.cc\n#include \"a.h\"\nnamespace c = a::b;\nusing a::g;\nnamespace { void f() {} }\n\
         void h() { a::b::f(); c::f(); a::g(); g(); f(); }\n\
         void i() { using namespace a::b; std::f(); }\nnamespace a { void j() { b::f(); g(); } }",
        &[
            "b.cc::h -calls-> a.h::f",
            "b.cc::h -calls-> a.h::g",
            "b.cc::h -calls-> b.cc::f",
            "b.cc::j -calls-> a.h::f",
            "b.cc::j -calls-> a.h::g",
        ],
    );
}

#[test]
fn namespaces_named_by_themselves_are_unknown() {
    for aliases in [
        "namespace a = a;",
        "namespace a = b; namespace b = a;",
        "using namespace c; namespace a = c::a;",
        &"namespace a = b; namespace b = a; namespace b = b; namespace a = a; ".repeat(4),
    ] {
        check_calls(
            &format!("//- /a.cc\n{aliases}\nvoid f() {{ a::g(); h(); }}\nvoid h() {{}}"),
            &["a.cc::f -calls-> a.cc::h"],
        );
    }
}

/// Overloads of one name, each in a file named after its parameter type.
const OVERLOADS: &str = "//- /int.hpp\nint f(int x, int y = 0) { return 1; }\n//- /text.hpp\nint f(const char *x) { return 1; }\n\
    //- /base.hpp\nstruct base {};\nint f(const base &x) { return 1; }\n\
    //- /string.hpp\nint f(const std::string &x) { return 1; }\n//- /rvalue.hpp\nint f(std::string &&x) { return 1; }\n\
    //- /any.hpp\ntemplate <class T> int f(T *x) { return 1; }\n\
    //- /a.cc\n#include \"int.hpp\"\n#include \"text.hpp\"\n#include \"base.hpp\"\n#include \"string.hpp\"\n\
    #include \"rvalue.hpp\"\n#include \"any.hpp\"\nstruct derived : base {};\n";

#[test]
fn arguments_select_overloads() {
    for (caller, expected) in [
        ("int g() { return f(1); }", "int.hpp"),
        ("int g() { return f(1, 'a'); }", "int.hpp"),
        ("int g() { return f(\"a\"); }", "text.hpp"),
        ("int g(derived x) { return f(x); }", "base.hpp"),
        ("int g(std::string x) { return f(x); }", "string.hpp"),
        ("int g(std::string x) { return f(std::move(x)); }", "rvalue.hpp"),
        ("int g(derived x) { return f(&x); }", "any.hpp"),
    ] {
        check_calls(&format!("{OVERLOADS}{caller}"), &[&format!("a.cc::g -calls-> {expected}::f")]);
    }
}

#[test]
fn const_objects_select_const_overloads() {
    let declared = "//- /a.h\nstruct a { const a *f() const; a *f(); a *own; };\n\
        //- /const.cc\n#include \"a.h\"\nconst a *a::f() const { return this; }\n\
        //- /other.cc\n#include \"a.h\"\na *a::f() { return this; }\n//- /b.cc\n#include \"a.h\"\n";
    for (caller, expected) in [
        ("void g(const a &x) { x.f(); }", "const.cc"),
        ("void g(const a *x) { x->f(); }", "const.cc"),
        ("void g(a *x) { x->f(); }", "other.cc"),
        ("void g(a *const x) { x->f(); }", "other.cc"),
        ("void g(const a &x) { x.own->f(); }", "other.cc"),
        ("void g(const a *x) { auto y = x; y->f(); }", "const.cc"),
    ] {
        check_calls(&format!("{declared}{caller}"), &[&format!("b.cc::g -calls-> {expected}::a.f")]);
    }
}

#[test]
fn object_creation_calls_constructors() {
    check_calls(
        "//- /a.cc\nstruct a { a(int x); a(const char *x, int y); }; struct b : a { b() : a(1), own(\"\", 2) {} a own; };\n\
         struct c { int x; };\nvoid f() { a x(1); auto y = a{\"\", 2}; auto z = new a(3); c w{1}; a v(x); }",
        &[
            "a.cc::b.b -calls-> a.cc::a.a",
            "a.cc::b.b -calls-> a.cc::a.a",
            "a.cc::f -calls-> a.cc::a.a",
            "a.cc::f -calls-> a.cc::a.a",
        ],
    );
}

#[test]
fn template_dependent_calls_are_ambiguous() {
    check_calls(
        "//- /a.h\ntemplate <class T> struct queue { void push(T x); void pop() { own(); } void own(); };\n\
         template <class T> struct user { queue<T> q; void f(T x) { q.push(x); x.g(); g(); } void g() {} };\n\
         //- /b.cc\n#include \"a.h\"\nvoid h(user<int> &u) { u.g(); u.q.pop(); }",
        &[
            "a.h::queue.pop -calls-> a.h::queue.own",
            "a.h::user.f -calls-> a.h::queue.push (ambiguous)",
            "a.h::user.f -calls-> a.h::user.g",
            "b.cc::h -calls-> a.h::queue.pop",
            "b.cc::h -calls-> a.h::user.g",
        ],
    );
}

#[test]
fn types_pass_through_the_standard_library() {
    check_calls(
        "//- /a.cc\nstruct a { void f(); };\nvoid a::f() {}\nusing all = std::map<std::string, std::shared_ptr<a>>;\n\
         void g(std::vector<a> &x) { for (auto &y : x) y.f(); x.back().f(); }\n\
         void h(all &x) { x[\"k\"]->f(); for (auto &[k, v] : x) v->f(); auto i = x.find(\"k\"); i->second->f(); }\n\
         void i() { auto x = std::make_unique<a>(); x->f(); x.reset(); }",
        &["a.cc::g -calls-> a.cc::a.f", "a.cc::h -calls-> a.cc::a.f", "a.cc::i -calls-> a.cc::a.f"],
    );
}

#[test]
fn library_and_unknown_names_are_not_guessed() {
    check_calls(
        "//- /a.cc\nnamespace n { int to_string(int x) { return x; } void lock() {} }\nstruct a { void lock(); void size(); };\n\
         void f(std::mutex &m, X &x) { m.lock(); x.size(); std::to_string(1); ::lock(); boost::lock(); }",
        &[],
    );
}

#[test]
fn friends_belong_to_the_enclosing_namespace() {
    check_calls(
        "//- /a.cc\nnamespace n { struct a { friend void f(a &x) {} void g() { f(*this); } }; }\nvoid h(n::a &x) { f(x); }",
        &["a.cc::a.g -calls-> a.cc::a.f", "a.cc::h -calls-> a.cc::a.f"],
    );
}

#[test]
fn unconditional_definitions_win_over_conditional_ones() {
    check_calls(
        "//- /a.hpp\n#if !defined(A_HPP)\n#define A_HPP\ninline int f(x a, int b) { return b; }\n#endif\n\
         //- /b.hpp\n#ifdef WIDE\ninline int f(y a, int b) { return b; }\n#endif\n\
         //- /c.cc\n#include \"a.hpp\"\n#include \"b.hpp\"\nint g() { return f(h(), 1); }",
        &["c.cc::g -calls-> a.hpp::f"],
    );
}

#[test]
fn functions_from_macros_are_not_callers() {
    check_calls(
        "//- /a.cc\n#define TEST(a) void test_##a()\nvoid f() {}\nTEST(b) { f(); }\nvoid g() { f(); }",
        &["a.cc -calls-> a.cc::f", "a.cc::g -calls-> a.cc::f"],
    );
}

#[test]
fn macro_opened_namespaces_do_not_hide_members() {
    check_calls(
        "//- /a.cc\n#define LIB_BEGIN namespace lib { namespace impl {\n#define LIB_END } }\n\
         namespace lib { struct a { void f() {} }; }\nLIB_BEGIN\nvoid g(a &x) { x.f(); }\nLIB_END\n\
         namespace lib { void h(a &x) { impl::g(x); } }\nvoid i(lib::a &x) { lib::impl::g(x); }",
        &["a.cc::g -calls-> a.cc::a.f", "a.cc::h -calls-> a.cc::g", "a.cc::i -calls-> a.cc::g"],
    );
}
