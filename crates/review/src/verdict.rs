//! The effect of a new signature on a call site.

use model::Language;

use crate::{
    DeclaredParameter, DeclaredSignature, ParameterKind, SignatureChange, Visibility,
    type_fit::{TypeFit, type_fit},
};

/// The arguments of a call, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassedArguments {
    /// The last name of the receiver; empty if there is none.
    pub receiver: String,
    /// Number of arguments without a name.
    pub n_positional: usize,
    /// Names of the named arguments.
    pub names: Vec<String>,
    /// True if there may be more arguments: one is spread, or is a block behind the list.
    pub is_open: bool,
    /// The type of each argument without a name, if it is a literal: `str`, `bytes`, `int` or `bool`. Empty for others.
    pub types: Vec<String>,
    /// The same of each named argument.
    pub named_types: Vec<String>,
}

/// The effect of a change on a use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SiteVerdict {
    /// The use fails, for this reason.
    Broken(String),
    /// The use may fail, for this reason.
    Maybe(String),
    /// The use works as before.
    Fine,
}

/// Returns the effect of new declarations of one name on a call of the old one. All overloads are in `new`, the one that replaced `old`
/// first; `changes` are the differences between both, and empty if none replaced it.
pub fn judge(
    old: &DeclaredSignature,
    new: &[DeclaredSignature],
    changes: &[SignatureChange],
    call: &PassedArguments,
) -> SiteVerdict {
    if is_hidden(changes) {
        return SiteVerdict::Broken("it is private now".to_owned());
    }
    let fits: Vec<CallFit> = new.iter().map(|one| fit(old, one, call)).collect();
    let best = || fits.iter().min().cloned();
    let first = if changes.is_empty() { best() } else { fits.first().cloned() };
    let Some(first) = first else { return SiteVerdict::Broken("it no longer exists".to_owned()) };
    let was_accepted = refusal(old, call).is_none();
    match first {
        CallFit::Refused(_) if best().is_some_and(|best| !matches!(best, CallFit::Refused(_))) => {
            SiteVerdict::Maybe("another overload accepts the arguments".to_owned())
        }
        CallFit::Refused(reason) if !was_accepted => {
            SiteVerdict::Maybe(format!("the old declaration did not accept the arguments either: {reason}"))
        }
        CallFit::Refused(reason) if checks_arguments(old.language) => SiteVerdict::Broken(reason),
        CallFit::Refused(reason) => SiteVerdict::Maybe(format!("{reason}; the language does not check this")),
        CallFit::Doubtful(reason) if changes.is_empty() => SiteVerdict::Maybe(format!("it is removed: {reason}")),
        _ => doubt(old, changes, call).map_or(SiteVerdict::Fine, SiteVerdict::Maybe),
    }
}

/// The fit of a declaration for the arguments that an older one accepted, the best first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CallFit {
    Fits,
    /// A type is another one, and may fit.
    Doubtful(String),
    Refused(String),
}

fn fit(old: &DeclaredSignature, new: &DeclaredSignature, call: &PassedArguments) -> CallFit {
    if let Some(reason) = refusal(new, call) {
        return CallFit::Refused(reason);
    }
    // The arguments of a call that passes the receiver are one further.
    let (Some(before), Some(after)) = (&old.parameters, &new.parameters) else { return CallFit::Fits };
    if !old.receiver.is_empty() && call.receiver == old.owner && !call.receiver.is_empty() {
        return CallFit::Fits;
    }
    let is_plain = |one: &&DeclaredParameter| matches!(one.kind, ParameterKind::Plain | ParameterKind::PositionalOnly);
    let by_position = before.iter().zip(after).take(call.n_positional).enumerate();
    let by_position = by_position.take_while(|(_, (from, to))| is_plain(from) && is_plain(to));
    // A spread argument takes an unknown number of places, so that the literals behind it have unknown parameters.
    let literals: &[String] = if call.is_open { &[] } else { &call.types };
    let by_position = by_position.map(|(at, (from, to))| (from, to, literals.get(at)));
    let named = |parameters: &'_ [DeclaredParameter], name: &String| {
        parameters.iter().position(|parameter| parameter.name == *name)
    };
    let by_name = call.names.iter().enumerate().filter_map(|(at, name)| {
        Some((&before[named(before, name)?], &after[named(after, name)?], call.named_types.get(at)))
    });
    let fits = by_position.chain(by_name).map(|(from, to, literal)| {
        let is_refused = |literal: &&String| {
            let fits = |parameter: &DeclaredParameter| {
                parameter.type_text.is_empty()
                    || type_fit(old.language, literal, &parameter.type_text) != TypeFit::Never
            };
            !literal.is_empty() && fits(from) && !fits(to)
        };
        if let Some(literal) = literal.filter(is_refused) {
            return CallFit::Refused(format!("parameter `{}` is `{}`, and gets `{literal}`", to.name, to.type_text));
        }
        let reason = || format!("parameter `{}` is `{}`, and was `{}`", to.name, to.type_text, from.type_text);
        match type_fit(old.language, &from.type_text, &to.type_text) {
            TypeFit::Always => CallFit::Fits,
            _ if from.type_text.is_empty() || to.type_text.is_empty() => CallFit::Fits,
            TypeFit::Unknown => CallFit::Doubtful(reason()),
            TypeFit::Never => CallFit::Refused(reason()),
        }
    });
    fits.max().unwrap_or(CallFit::Fits)
}

fn is_hidden(changes: &[SignatureChange]) -> bool {
    changes.iter().any(|change| matches!(change, SignatureChange::Visibility { to: Visibility::Private, .. }))
}

/// Returns true for languages in which a call with wrong arguments fails.
fn checks_arguments(language: Language) -> bool {
    !matches!(language, Language::JavaScript | Language::Lua | Language::Bash)
}

/// Returns the reason why a declaration does not accept the arguments of a call.
fn refusal(signature: &DeclaredSignature, call: &PassedArguments) -> Option<String> {
    let parameters = signature.parameters.as_ref()?;
    let passes_receiver =
        !signature.receiver.is_empty() && signature.receiver != "cls" && call.receiver == signature.owner;
    if passes_receiver && !call.receiver.is_empty() && call.n_positional == 0 {
        return None;
    }
    let n_positional = call.n_positional - usize::from(passes_receiver && !call.receiver.is_empty());
    let by_position =
        |parameter: &&DeclaredParameter| matches!(parameter.kind, ParameterKind::Plain | ParameterKind::PositionalOnly);
    let has = |kind: ParameterKind| parameters.iter().any(|parameter| parameter.kind == kind);
    let n_places = parameters.iter().filter(by_position).count();
    if n_positional > n_places && !has(ParameterKind::Variadic) && signature.language != Language::Php {
        return Some(format!("{n_positional} arguments, and it takes {n_places}"));
    }
    let takes_names = has_named_arguments(signature.language);
    let is_named = |parameter: &DeclaredParameter| takes_names && call.names.contains(&parameter.name);
    let accepts = |name: &String| {
        let is_it = |parameter: &DeclaredParameter| {
            parameter.name == *name && matches!(parameter.kind, ParameterKind::Plain | ParameterKind::NamedOnly)
        };
        has(ParameterKind::NamedVariadic) || parameters.iter().any(is_it)
    };
    if takes_names && let Some(unknown) = call.names.iter().find(|name| !accepts(name)) {
        return Some(format!("no parameter `{unknown}`"));
    }
    if call.is_open {
        return None;
    }
    let mut n_left = n_positional;
    for parameter in parameters {
        let is_passed = by_position(&parameter) && n_left > 0;
        n_left -= usize::from(is_passed);
        if !is_passed && !parameter.is_optional && !is_named(parameter) {
            let name = if parameter.name.is_empty() { &parameter.type_text } else { &parameter.name };
            return Some(format!("no argument for the required parameter `{name}`"));
        }
    }
    None
}

/// Returns true for languages with named arguments.
fn has_named_arguments(language: Language) -> bool {
    use Language::*;
    matches!(language, Python | Kotlin | Scala | CSharp | Swift | Ruby | Php | Dart)
}

/// Returns the reason why an accepted call may fail or behave in another way.
fn doubt(old: &DeclaredSignature, changes: &[SignatureChange], call: &PassedArguments) -> Option<String> {
    let parameters = old.parameters.as_deref().unwrap_or_default();
    let is_passed = |name: &str| {
        let place = parameters.iter().position(|parameter| parameter.name == name);
        call.is_open
            || call.names.iter().any(|named| named == name)
            || place.is_none_or(|place| place < call.n_positional)
    };
    let matters = |change: &&SignatureChange| match change {
        SignatureChange::ParameterType { name, from, to } => {
            let is_other = type_fit(old.language, from, to) != TypeFit::Always;
            !from.is_empty() && !to.is_empty() && is_other && is_passed(name)
        }
        SignatureChange::ParametersReordered => call.n_positional > 1,
        SignatureChange::Result { from, .. } => !from.is_empty(),
        SignatureChange::Receiver { to, .. } => to.starts_with("&mut") || !to.starts_with('&'),
        SignatureChange::Throws { to, .. } => !to.is_empty(),
        SignatureChange::Visibility { from, to } => to < from,
        SignatureChange::ModifierAdded(word) | SignatureChange::ModifierRemoved(word) => {
            matches!(
                word.as_str(),
                "async" | "static" | "suspend" | "unsafe" | "get" | "readonly" | "property" | "classmethod"
            )
        }
        SignatureChange::ParameterRemoved { name } => is_passed(name),
        SignatureChange::Other => true,
        _ => false,
    };
    changes.iter().find(matters).map(ToString::to_string)
}

#[cfg(test)]
mod tests {
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
        use Language::{Java, Python};
        for (language, old, new, literal, expected) in [
            (
                Python,
                "def f(a: str | bytes)",
                "def f(a: str)",
                "bytes",
                "broken: parameter `a` is `str`, and gets `bytes`",
            ),
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
    fn a_literal_behind_a_spread_argument_has_an_unknown_parameter() {
        let read = |text: &str| {
            DeclaredSignature::of(Language::Python, SymbolKind::Function, "", "f", &format!("def f({text})"))
        };
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
        python("def f(self, c, a, b=1)", "1 ...", "fine");
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
}
