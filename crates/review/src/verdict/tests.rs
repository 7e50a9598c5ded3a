//! Verdicts about calls of changed declarations.

use model::SymbolKind;

use super::*;
use crate::signature_changes;

/// Checks the verdict of a call of `f`: its arguments are the number of positional ones, then names.
fn check(language: Language, old: &str, new: &str, arguments: &str, expected: &str) {
    let read = |text: &str| DeclaredSignature::of(language, SymbolKind::Function, "A", "f", text);
    let (old, new): (DeclaredSignature, Vec<DeclaredSignature>) = (read(old), new.split(" | ").map(read).collect());
    let mut words = arguments.split_whitespace();
    let n_positional = words.next().and_then(|count| count.parse().ok()).unwrap_or_default();
    let (open, names): (Vec<&str>, Vec<&str>) = words.partition(|word| *word == "...");
    let names = names.into_iter().map(str::to_owned).collect();
    let call = PassedArguments {
        receiver: String::new(),
        n_positional,
        names,
        is_open: !open.is_empty(),
        ..PassedArguments::default()
    };
    let verdict = match judge(&old, &new, &signature_changes(&old, &new[0]), &call) {
        SiteVerdict::Broken(reason) => format!("broken: {reason}"),
        SiteVerdict::Maybe(reason) => format!("maybe: {reason}"),
        SiteVerdict::Fine => "fine".to_owned(),
    };
    assert_eq!(verdict, expected, "{old:?} {new:?} {arguments}");
}

#[test]
fn literals_do_not_fit_parameters_of_other_types() {
    use Language::{Java, Python, TypeScript};
    for (language, old, new, literal, expected) in [
        (Python, "def f(a: str | bytes)", "def f(a: str)", "bytes", "broken: parameter `a` is `str`, and gets `bytes`"),
        (
            Python,
            "def f(a: t.Union[str, bytes])",
            "def f(a: str | None)",
            "bytes",
            "broken: parameter `a` is `str|None`, and gets `bytes`",
        ),
        (Python, "def f(a: str | bytes)", "def f(a: str)", "str", "maybe"),
        (Python, "def f(a: str | bytes)", "def f(a: str)", "", "maybe"),
        (Python, "def f(a)", "def f(a: float)", "bool", "fine"),
        // It did not fit before either.
        (Python, "def f(a: int)", "def f(a: str)", "bytes", "broken: parameter `a` is `str`, and was `int`"),
        (Python, "def f(a: Name)", "def f(a: Title)", "str", "maybe"),
        (Python, "def f(a: str | None)", "def f(a: str)", "None", "broken: parameter `a` is `str`, and gets `None`"),
        // Older checkers take the default for one of its type.
        (Python, "def f(a: str | None)", "def f(a: str = None)", "None", "maybe"),
        (
            TypeScript,
            "function f(a: T | Promise<T>)",
            "function f(a: () => any)",
            "Promise",
            "broken: parameter `a` is `()=>any`, and gets `Promise`",
        ),
        (TypeScript, "function f(a: T | Promise<T>)", "function f(a: () => any)", "", "maybe"),
        (TypeScript, "function f(a: T | Promise<T>)", "function f(a: () => any)", "function", "maybe"),
        (Java, "void f(Object a)", "void f(int a)", "str", "broken: parameter `a` is `int`, and gets `str`"),
        (Java, "void f(Object a)", "void f(CharSequence a)", "str", "maybe"),
    ] {
        let read = |text: &str| DeclaredSignature::of(language, SymbolKind::Function, "", "f", text);
        let (old, new) = (read(old), read(new));
        for named in [false, true].into_iter().filter(|named| !named || language == Python) {
            let types = vec![literal.to_owned()];
            let call = match named {
                true => PassedArguments { names: vec!["a".to_owned()], named_types: types, ..Default::default() },
                false => PassedArguments { n_positional: 1, types, ..Default::default() },
            };
            let verdict = match judge(&old, std::slice::from_ref(&new), &signature_changes(&old, &new), &call) {
                SiteVerdict::Broken(reason) => format!("broken: {reason}"),
                SiteVerdict::Maybe(_) => "maybe".to_owned(),
                SiteVerdict::Fine => "fine".to_owned(),
            };
            assert_eq!(verdict, expected, "{old:?} {new:?} {literal} {named}");
        }
    }
}

#[test]
fn arguments_move_with_a_new_parameter_before_them() {
    use Language::TypeScript;
    let (old, now) = ("function f(a?: () => A, o: O = {})", "function f(s: string, a?: () => A, o: O = {})");
    check(TypeScript, old, now, "1", "broken: parameter `s` is `string`, and was `()=>A`");
    check(TypeScript, old, now, "0", "broken: no argument for the required parameter `s`");
    let (old, now) = ("function f(a?: A, o: O = {})", "function f(s: S, a?: A, o: O = {})");
    check(TypeScript, old, now, "1", "maybe: parameter `s` is `S`, and was `A`");
    check(TypeScript, "function f(a: A)", "function f(a: A, b?: B)", "1", "fine");
    check(Language::Python, "def f(a: t.List[str])", "def f(a: list[str], b: int = 1)", "1", "fine");
}

#[test]
fn spread_arguments_may_lack_a_new_parameter() {
    use Language::{Go, Python};
    let added = "maybe: new required parameter `b`";
    let missing = "broken: no argument for the required parameter `b`";
    for (language, old, new, arguments, expected) in [
        (Python, "def f(a)", "def f(a, b)", "0 ...", added),
        (Python, "def f(a)", "def f(a, *, b)", "0 ... b", "fine"),
        (Python, "def f(a)", "def f(a, b=1)", "0 ...", "fine"),
        (Python, "def f(a, b=1)", "def f(a, b)", "0 ...", "maybe: parameter `b` is required now"),
        // A call of Go has as many results as the old declaration takes.
        (Go, "func f(a A)", "func f(a A, b B)", "1 ...", missing),
        (Go, "func f(a A, c C)", "func f(a A, c C, b B)", "1 ...", added),
        (Go, "func f(a A, c ...C)", "func f(a A, b B, c ...C)", "1 ...", added),
        (Go, "func f(a A)", "func f(c A)", "1 ...", "fine"),
    ] {
        check(language, old, new, arguments, expected);
    }
}

#[test]
fn a_rewritten_call_of_go_may_have_other_results() {
    let read = |text: &str| DeclaredSignature::of(Language::Go, SymbolKind::Function, "", "f", text);
    let (old, new) = (read("func f(a A)"), read("func f(a A, b B)"));
    for (is_rewritten, is_broken) in [(true, false), (false, true)] {
        let call = PassedArguments { n_positional: 1, is_open: true, is_rewritten, ..PassedArguments::default() };
        let verdict = judge(&old, std::slice::from_ref(&new), &signature_changes(&old, &new), &call);
        assert_eq!(matches!(verdict, SiteVerdict::Broken(_)), is_broken, "{is_rewritten}: {verdict:?}");
    }
}

#[test]
fn other_overloads_may_accept_a_call_of_a_hidden_one() {
    let read = |text: &str| DeclaredSignature::of(Language::Java, SymbolKind::Function, "A", "f", text);
    for (others, n_positional, literal, expected) in [
        (vec![], 1, "", "broken"),
        (vec![], 1, "str", "broken"),
        (vec!["void f(int a, int b)"], 1, "", "broken"),
        (vec!["void f(Object b)"], 1, "", "maybe"),
        (vec!["void f(int a, int b)"], 2, "", "fine"),
        (vec!["void f(String b)"], 1, "", "broken"),
        (vec!["void f(String b)"], 1, "str", "fine"),
        (vec!["void f(String b)"], 1, "int", "broken"),
    ] {
        let others: Vec<DeclaredSignature> = others.into_iter().map(read).collect();
        let call = PassedArguments { n_positional, types: vec![literal.to_owned()], ..PassedArguments::default() };
        let verdict = match judge_hidden(&read("void f(int a)"), &others, &call) {
            SiteVerdict::Broken(_) => "broken",
            SiteVerdict::Maybe(_) => "maybe",
            SiteVerdict::Fine => "fine",
        };
        assert_eq!(verdict, expected, "{others:?} {n_positional} {literal}");
    }
}

#[test]
fn arguments_that_the_change_wrote_are_in_their_places() {
    let read = |text: &str| DeclaredSignature::of(Language::Python, SymbolKind::Function, "", "f", text);
    let doubt = "maybe: parameter `a` removed";
    for (new, is_rewritten, expected) in [
        ("def f(b, c=1)", false, doubt),
        ("def f(b, c=1)", true, "fine"),
        ("def f(c, b)", true, "fine"),
        ("def f(b)", true, "broken"),
        ("def f(b: int, c: str)", true, "fine"),
        ("def f(b: int, c: str)", false, doubt),
        ("async def f(b, c=1)", true, "maybe: `async` added"),
    ] {
        let (old, new) = (read("def f(a, b, c=1)"), read(new));
        let call = PassedArguments { n_positional: 2, is_rewritten, ..PassedArguments::default() };
        let verdict = match judge(&old, std::slice::from_ref(&new), &signature_changes(&old, &new), &call) {
            SiteVerdict::Broken(_) => "broken".to_owned(),
            SiteVerdict::Maybe(reason) => format!("maybe: {reason}"),
            SiteVerdict::Fine => "fine".to_owned(),
        };
        assert_eq!(verdict, expected, "{new:?} {is_rewritten}");
    }
}

#[test]
fn a_literal_behind_a_spread_argument_has_an_unknown_parameter() {
    let read =
        |text: &str| DeclaredSignature::of(Language::Python, SymbolKind::Function, "", "f", &format!("def f({text})"));
    let (old, new) = (read("a: int | str, b: str"), read("a: int, b: str"));
    // `f("x", "y")` and `f(*values, "x")`.
    for (n_positional, is_open, is_broken) in [(2, false, true), (1, true, false)] {
        let types = vec!["str".to_owned(); n_positional];
        let call = PassedArguments { n_positional, is_open, types, ..PassedArguments::default() };
        let verdict = judge(&old, std::slice::from_ref(&new), &signature_changes(&old, &new), &call);
        assert_eq!(matches!(verdict, SiteVerdict::Broken(_)), is_broken, "{is_open}: {verdict:?}");
    }
}

#[test]
fn arguments_are_compared_with_parameters() {
    use Language::{Cpp, Go, Java, JavaScript, Python, Rust, TypeScript};
    let python = |new, arguments, expected| check(Python, "def f(self, a, b=1)", new, arguments, expected);
    python("def f(self, a, b=1, c=2)", "1", "fine");
    python("def f(self, a, b=1, *, c)", "2", "broken: no argument for the required parameter `c`");
    python("def f(self, a)", "2", "broken: 2 arguments, and it takes 1");
    python("def f(self, a, d=1)", "1 b", "broken: no parameter `b`");
    python("def f(self, a, d=1)", "2", "fine");
    python("def f(self, a, **kw)", "1 b", "fine");
    python("def f(self, c, a, b=1)", "1 ...", "maybe: new required parameter `c`");
    python("def f(self, *, a, b=1)", "1", "broken: 1 arguments, and it takes 0");
    python("async def f(self, a, b=1)", "1", "maybe: `async` added");
    python("def f(self, a, c, b=1)", "3", "fine");
    check(Go, "func f(a int) X", "func f(a int) (X, error)", "1", "maybe: type: `X` to `(X,error)`");
    // A removed overload: the arguments of the others differ in number or type.
    check(
        Java,
        "void f(int a)",
        "void f(String b) | void f(int a, int b)",
        "1",
        "broken: parameter `b` is `String`, and was `int`",
    );
    check(
        Java,
        "void f(String a)",
        "void f(int b, int c) | void f(Object b)",
        "1",
        "maybe: another overload accepts the arguments",
    );
    python("def f(self, a: str, b=1)", "2", "fine");
    check(Python, "def f(a: str)", "def f(a: Optional[str])", "1", "fine");
    check(Python, "def f(a: str)", "def f(a: OSError)", "1", "broken: parameter `a` is `OSError`, and was `str`");
    check(
        Java,
        "void f(int a)",
        "void f(int a, int b) | void f(int a)",
        "1",
        "maybe: another overload accepts the arguments",
    );
    check(Java, "void f(int a)", "void f(boolean a) | void f()", "0", "fine");
    check(
        Java,
        "void f(int a)",
        "void f(boolean a) | void f(int a, int b)",
        "0",
        "maybe: the old declaration did not accept the arguments either: no argument for the required parameter `a`",
    );
    check(Java, "void f(int a)", "void f(long a)", "1", "maybe: type of parameter `a`: `int` to `long`");
    check(Rust, "pub fn f(&self, a: u8)", "fn f(&self, a: u8)", "1", "broken: it is private now");
    check(Rust, "fn f(&self)", "fn f(&self, b: u8)", "0", "broken: no argument for the required parameter `b`");
    check(TypeScript, "f(a: X, b?: Y)", "f(a: X, b: Y)", "1", "broken: no argument for the required parameter `b`");
    check(
        JavaScript,
        "f(a)",
        "f(a, b)",
        "1",
        "maybe: no argument for the required parameter `b`; the language does not check this",
    );
    check(Cpp, "void f(int a, int b = 1)", "void f(int a)", "2", "broken: 2 arguments, and it takes 1");
}
