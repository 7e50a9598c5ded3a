//! Macros of C and C++ that a grammar cannot read, blanked out before parsing.
//!
//! `SPDLOG_INLINE void f()`, `class API A {` and a line that is only `NAMESPACE_BEGIN` are no syntax until the preprocessor
//! has run. They are told by their shape: capitals, in a place where the names around them are a whole declaration
//! already. They are replaced by as many spaces, so that every offset stays as it is.

use std::borrow::Cow;

mod conditionals;
mod tokens;

use tokens::{Token, TokenKind};

/// How many macros, with the tokens of their arguments, are looked at before a declaration.
const MAX_MACROS_IN_A_ROW: usize = 200;

/// How many tokens the parameters of a template, or the arguments of a macro, are looked through for.
const MAX_TEMPLATE_TOKENS: usize = 60;

/// Words of single compilers, which say nothing of what is declared.
const COMPILER_WORDS: [&str; 10] = [
    "__declspec",
    "__attribute__",
    "__stdcall",
    "__cdecl",
    "__fastcall",
    "__vectorcall",
    "__forceinline",
    "__inline",
    "__extension__",
    "__restrict",
];

/// Words after which the name of a type follows.
const TYPE_HEADS: [&str; 4] = ["class", "struct", "union", "enum"];

/// Words that may stand before a type, so that what follows is read as at the start of a declaration.
const SPECIFIERS: [&str; 14] = [
    "static",
    "inline",
    "extern",
    "virtual",
    "constexpr",
    "const",
    "friend",
    "explicit",
    "typedef",
    "volatile",
    "mutable",
    "register",
    "thread_local",
    "typename",
];

/// Words that cannot follow the type of a declaration, so that capitals before them are no type.
const FRESH_STARTS: [&str; 46] = [
    "namespace",
    "class",
    "struct",
    "union",
    "enum",
    "template",
    "typename",
    "static",
    "inline",
    "constexpr",
    "virtual",
    "explicit",
    "friend",
    "using",
    "typedef",
    "extern",
    "void",
    "int",
    "char",
    "bool",
    "short",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "auto",
    "public",
    "private",
    "protected",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "return",
    "break",
    "continue",
    "goto",
    "try",
    "throw",
    "delete",
    "size_t",
];

/// Words after which an expression follows, so that capitals behind them are a value.
const BEFORE_VALUES: [&str; 15] = [
    "return",
    "case",
    "goto",
    "else",
    "do",
    "throw",
    "new",
    "delete",
    "sizeof",
    "operator",
    "using",
    "and",
    "or",
    "not",
    "namespace",
];

/// Words whose parentheses a statement follows.
const STATEMENT_HEADS: [&str; 6] = ["if", "while", "for", "switch", "catch", "return"];

/// Returns the file with macros and conditions blanked that stand where a grammar reads them as something else.
pub(crate) fn blank(source: &[u8]) -> Cow<'_, [u8]> {
    let (tokens, directives) = tokens::of(source);
    let other_branches = conditionals::to_blank(source, &tokens, &directives);
    if other_branches.is_empty() {
        return blanked(source, &macros_in(source, &tokens));
    }
    let plain = blanked(source, &other_branches);
    let (tokens, _) = tokens::of(&plain);
    let macros = macros_in(&plain, &tokens);
    Cow::Owned(blanked(&plain, &macros).into_owned())
}

/// Replaces these bytes by spaces; line breaks stay.
fn blanked<'s>(source: &'s [u8], spans: &[(usize, usize)]) -> Cow<'s, [u8]> {
    if spans.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut plain = source.to_vec();
    for &(start, end) in spans {
        plain[start..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    Cow::Owned(plain)
}

/// Returns where the macros are that a declaration is whole without.
fn macros_in(source: &[u8], tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut blanked: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<usize> = None;
    let mut token_idx = 0;
    while token_idx < tokens.len() {
        let spoken = Spoken { source, tokens };
        match spoken.macro_ends(token_idx, before) {
            Some(end) => {
                // A parameter of a template goes with the comma before it.
                let comma = before.filter(|before| spoken.text(*before) == ",");
                blanked.push((tokens[comma.unwrap_or(token_idx)].start, tokens[end].end));
                token_idx = end + 1;
            }
            None => {
                before = Some(token_idx);
                token_idx += 1;
            }
        }
    }
    blanked
}

/// The tokens of a file, with what they say.
struct Spoken<'s> {
    source: &'s [u8],
    tokens: &'s [Token],
}

impl Spoken<'_> {
    /// If a macro to blank starts at this token, returns its last token. `before` is the token before that stays.
    fn macro_ends(&self, at: usize, before: Option<usize>) -> Option<usize> {
        if COMPILER_WORDS.contains(&self.text(at)) {
            return Some(self.end_of_arguments(at));
        }
        if !self.is_capitals(at) {
            return None;
        }
        let last = self.end_of_arguments(at);
        let next = last + 1;
        let is_blank = match before.map(|before| (self.text(before), self.tokens[before].kind)) {
            Some((word, _)) if TYPE_HEADS.contains(&word) => self.is_name(next) && self.text(next) != "final",
            Some((">", _)) if !self.ends_template(before?) && self.is_function_of(next) => true,
            None | Some((";" | "{" | "}" | ":" | ">" | "]", _)) => self.is_extra(at, next, before),
            Some(("const" | "noexcept", _)) if self.is_after_parameters(before?) => true,
            Some((word, _)) if SPECIFIERS.contains(&word) => self.is_extra(at, next, before),
            Some((")", _)) => self.trails_parameters(before?, next),
            Some((",", _)) => last > at && matches!(self.text(next), ">" | ",") && self.is_in_template(before?),
            Some(("*" | "&", _)) => last == at && self.is_name(next),
            Some((word, TokenKind::Word)) if !BEFORE_VALUES.contains(&word) => match last == at {
                true => self.is_name(next),
                false => self.trails_variable(before?, next),
            },
            _ => false,
        };
        let is_label = before.is_some_and(|before| matches!(self.text(before), ";" | "{" | "}" | ":"));
        let takes_colon = is_blank && is_label && last == at && self.text(next) == ":";
        is_blank.then_some(if takes_colon { next } else { last })
    }

    /// Says whether a declaration is whole without the macro before `next`.
    fn is_extra(&self, at: usize, next: usize, before: Option<usize>) -> bool {
        let next = self.end_of_run(next);
        let Some(token) = self.tokens.get(next) else { return before.is_some_and(|b| self.text(b) != "{") };
        match self.text(next) {
            word if FRESH_STARTS.contains(&word) => true,
            ":" => next == at + 1 && before.is_some(),
            "{" => {
                before.is_some_and(|before| matches!(self.text(before), ";" | "{" | "}"))
                    && !self.has_value_arguments(at)
            }
            "}" => before.is_some_and(|before| matches!(self.text(before), ";" | "}")) && !self.calls_in_arguments(at),
            "~" => next == at + 1 && self.is_name(next + 1) && self.text(next + 2) == "(" && before.is_some(),
            _ if token.kind == TokenKind::Word => self.is_declaration(next),
            _ => false,
        }
    }

    /// Says whether these angle brackets are those of `template <…>`, rather than of a type.
    fn ends_template(&self, close: usize) -> bool {
        let mut n_open = 0usize;
        for at in (0..=close).rev().take(MAX_TEMPLATE_TOKENS) {
            match self.text(at) {
                ">" => n_open += 1,
                "<" if n_open == 1 => return at.checked_sub(1).is_some_and(|head| self.text(head) == "template"),
                "<" => n_open -= 1,
                ";" | "{" | "}" => break,
                _ => {}
            }
        }
        true
    }

    /// Says whether the name of a function that is written outside of its type starts here: `A::f(`.
    fn is_function_of(&self, start: usize) -> bool {
        let mut at = start;
        while self.is_name(at) && self.text(at + 1) == "::" {
            at += 2;
        }
        at > start && self.is_name(at) && self.text(at + 1) == "("
    }

    /// Says whether a comma is between the parameters of a template.
    fn is_in_template(&self, comma: usize) -> bool {
        let mut at = comma;
        for _ in 0..MAX_TEMPLATE_TOKENS {
            let Some(before) = at.checked_sub(1) else { return false };
            at = self.tokens[before].opens.map_or(before, |open| open as usize);
            match self.text(at) {
                "template" => return self.text(at + 1) == "<",
                ";" | "{" | "}" | "(" => return false,
                _ => {}
            }
        }
        false
    }

    /// Says whether a type and a name end at `name`, and what is after them ends a declaration: `int a GUARDED_BY(b);`.
    fn trails_variable(&self, name: usize, next: usize) -> bool {
        let Some(of) = name.checked_sub(1).filter(|_| matches!(self.text(next), ";" | "=")) else { return false };
        let is_pointed_at = |star: usize| matches!(self.text(star), "*" | "&");
        let ends_type = match self.text(of) {
            "*" | "&" | ">" => true,
            // `A *const a`; in `static A B(c)` and `const A B(c)`, which make a `B`, no name is before `A`.
            "const" => of.checked_sub(1).is_some_and(is_pointed_at),
            word if TYPE_HEADS.contains(&word) || SPECIFIERS.contains(&word) || BEFORE_VALUES.contains(&word) => false,
            _ => self.tokens[of].kind == TokenKind::Word && !self.is_capitals(of),
        };
        ends_type && !FRESH_STARTS.contains(&self.text(name)) && !SPECIFIERS.contains(&self.text(name))
    }

    /// Returns the token behind the macros that start here, one after another.
    fn end_of_run(&self, start: usize) -> usize {
        let mut at = start;
        let limit = self.tokens.len().min(start + MAX_MACROS_IN_A_ROW);
        while at < limit && self.is_capitals(at) && (self.text(at + 1) == "(" || self.is_name(at + 1)) {
            at = self.end_of_arguments(at) + 1;
        }
        at
    }

    /// Says whether the macro has arguments that an expression could be, as `TEST_CASE("a") {` has and `CATCH(A&) {` has not.
    fn has_value_arguments(&self, at: usize) -> bool {
        let close = self.end_of_arguments(at);
        close > at && !matches!(self.text(close - 1), "&" | "*")
    }

    /// Says whether the arguments of a macro hold a call, so that it is a statement itself.
    fn calls_in_arguments(&self, at: usize) -> bool {
        let close = self.end_of_arguments(at);
        (at + 2..close).take(MAX_TEMPLATE_TOKENS).any(|inner| self.text(inner) == "(" && self.is_name(inner - 1))
    }

    /// Says whether a type and a name start here, or the name of a constructor with its type before it.
    fn is_declaration(&self, start: usize) -> bool {
        let mut at = start;
        let mut last_name = "";
        while matches!(self.text(at), "const" | "volatile") {
            at += 1;
        }
        if !self.is_name(at) {
            return false;
        }
        loop {
            let name = self.text(at);
            let is_constructor = !last_name.is_empty() && name == last_name;
            last_name = name;
            at += 1;
            if self.text(at) == "<" {
                at = self.end_of_angles(at) + 1;
            }
            if self.text(at) != "::" {
                if self.text(at) == "(" && (is_constructor || self.is_constructor_tail(at)) {
                    return true;
                }
                break;
            }
            at += 1;
            if self.text(at) == "~" {
                return true;
            }
        }
        while matches!(self.text(at), "*" | "&" | "const") {
            at += 1;
        }
        self.is_name(at) || self.text(at) == "operator"
    }

    /// Says whether what is behind these parentheses only follows a constructor: initialisers, `= default`.
    fn is_constructor_tail(&self, open: usize) -> bool {
        let Some(close) = self.tokens[open].closes.map(|close| close as usize) else { return false };
        let next =
            if self.tokens.get(close + 1).is_some() && self.is_capitals(close + 1) { close + 2 } else { close + 1 };
        match self.text(next) {
            ":" => true,
            "=" => matches!(self.text(next + 1), "default" | "delete"),
            _ => false,
        }
    }

    /// Says whether the parentheses that end at `close` are parameters, and what is after them ends a declaration.
    fn trails_parameters(&self, close: usize, next: usize) -> bool {
        let ends =
            matches!(self.text(next), "{" | ";" | "=" | "->" | ":" | "override" | "final" | "const" | "noexcept");
        let head = self.tokens[close].opens.and_then(|open| (open as usize).checked_sub(1));
        ends && head.is_some_and(|head| {
            self.tokens[head].kind == TokenKind::Word
                && !STATEMENT_HEADS.contains(&self.text(head))
                && !self.is_capitals(head)
        })
    }

    /// Says whether the word before this place follows parentheses, as the `const` of a method does.
    fn is_after_parameters(&self, word: usize) -> bool {
        word.checked_sub(1).is_some_and(|close| self.text(close) == ")")
    }

    /// Returns the last token of a macro's arguments; the macro itself if it has none.
    fn end_of_arguments(&self, at: usize) -> usize {
        match self.tokens.get(at + 1).and_then(|open| open.closes) {
            Some(close) if self.text(at + 1) == "(" => close as usize,
            _ => at,
        }
    }

    /// Returns the token that closes these angle brackets, as far as nesting tells; the opening one if none does.
    fn end_of_angles(&self, open: usize) -> usize {
        let mut n_open = 0usize;
        for at in open..self.tokens.len().min(open + 100) {
            match self.text(at) {
                "<" => n_open += 1,
                ">" if n_open == 1 => return at,
                ">" => n_open -= 1,
                ";" | "{" | "}" => break,
                _ => {}
            }
        }
        open
    }

    fn is_capitals(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let text = &self.source[token.start..token.end];
        token.kind == TokenKind::Word
            && text.len() >= 3
            && text.iter().any(u8::is_ascii_uppercase)
            && !text.iter().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() && text.len() < 5)
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
    }

    fn text(&self, at: usize) -> &str {
        let bytes = self.tokens.get(at).map_or(&b""[..], |token| &self.source[token.start..token.end]);
        std::str::from_utf8(bytes).unwrap_or("?")
    }
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
    fn of_conditions_in_the_midst_one_branch_stays() {
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
    fn types_values_and_calls_in_capitals_stay() {
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
