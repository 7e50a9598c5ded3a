//! The effect of another signature on the methods that override or implement it.

use model::Language;

use crate::{
    DeclaredSignature, SignatureChange, SiteVerdict,
    lost_base::is_marked,
    signature_changes,
    type_fit::{TypeFit, type_fit},
};

/// A method that overrides or implements a changed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverridingMethod<'a> {
    /// Its declaration as written.
    pub declaration: &'a str,
    /// The parts of the declaration.
    pub signature: DeclaredSignature,
    /// True if the change wrote it.
    pub is_rewritten: bool,
}

/// Judges a method whose base method has another signature. `is_abstract` is true if the base has no body, so that the method must match it.
pub fn judge_overriding(
    new: &DeclaredSignature,
    changes: &[SignatureChange],
    is_abstract: bool,
    method: &OverridingMethod<'_>,
) -> SiteVerdict {
    let language = method.signature.language;
    let matters = |change: &SignatureChange| matters(language, change);
    // The method may have more parameters than its base, if no call must pass them.
    let is_allowed = |change: &SignatureChange| {
        may_leave_parameters_out(language)
            && matches!(change, SignatureChange::ParameterAdded { is_required: false, .. })
    };
    let mut differences = signature_changes(new, &method.signature);
    differences.retain(|change| matters(change) && !is_allowed(change));
    let form = changes.iter().find(|change| changes_form(change)).filter(|_| differences.iter().any(changes_form));
    let matching = form.or_else(|| changes.iter().find(|change| matters(change) && !changes_form(change)));
    let Some(change) = matching.filter(|_| !differences.is_empty()) else { return SiteVerdict::Fine };
    let doubt = || SiteVerdict::Maybe(format!("it overrides the old declaration: {change}"));
    let is_marked = is_marked(language, method.declaration);
    match change {
        _ if method.is_rewritten || !is_checked(language) => doubt(),
        SignatureChange::ParameterAdded { .. } if may_leave_parameters_out(language) => doubt(),
        SignatureChange::ParameterAdded { .. } | SignatureChange::ParameterRemoved { .. }
            if is_abstract || is_marked =>
        {
            SiteVerdict::Broken(format!("it implements the old declaration: {change}"))
        }
        // A marked method may have the type as an argument of its base.
        SignatureChange::ParameterType { from, to, .. } if is_abstract && is_apart(language, from, to) => {
            SiteVerdict::Broken(format!("it implements the old declaration: {change}"))
        }
        _ => doubt(),
    }
}

/// Returns true if changes of a declaration may concern a method that overrides it.
pub fn may_concern_overrides(language: Language, changes: &[SignatureChange]) -> bool {
    changes.iter().any(|change| matters(language, change))
}

fn matters(language: Language, change: &SignatureChange) -> bool {
    changes_form(change) || is_checked(language) && changes_result(change)
}

fn changes_form(change: &SignatureChange) -> bool {
    matches!(
        change,
        SignatureChange::ParameterAdded { .. }
            | SignatureChange::ParameterRemoved { .. }
            | SignatureChange::ParameterType { .. }
    )
}

/// Returns true for another result. An overriding method may have a narrower one.
fn changes_result(change: &SignatureChange) -> bool {
    matches!(change, SignatureChange::Result { .. })
}

/// Returns true for languages in which an overriding method has the parameters of its base.
fn is_checked(language: Language) -> bool {
    !matches!(language, Language::Python | Language::Ruby | Language::JavaScript | Language::Php)
}

/// Returns true for languages in which an overriding method may leave the last parameters of its base out.
fn may_leave_parameters_out(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript)
}

/// Returns true if a method with a parameter of the type `from` cannot implement one with `to`. Parameters of methods of TypeScript may be
/// narrower or wider than those of the base. Only Java has no other names of types; there, a type variable may stand for `from`, and a type
/// without arguments implements one with them.
fn is_apart(language: Language, from: &str, to: &str) -> bool {
    match language {
        _ if may_leave_parameters_out(language) || has_type_variable(to) => false,
        Language::Java => to.split('<').next() != Some(from),
        _ => type_fit(language, from, to) == TypeFit::Never,
    }
}

/// Returns true if a name in a type may be that of a type variable: it has no small letter, or is like `TKey` and `Self`.
fn has_type_variable(text: &str) -> bool {
    let is_variable = |name: &str| {
        let mut letters = name.chars();
        let (first, second) = (letters.next(), letters.next());
        let is_prefixed = first == Some('T') && second.is_some_and(char::is_uppercase);
        first.is_some_and(char::is_uppercase) && (is_prefixed || name == "Self" || !name.contains(char::is_lowercase))
    };
    text.split(|character: char| !(character.is_alphanumeric() || character == '_')).any(is_variable)
}

#[cfg(test)]
mod tests {
    use model::SymbolKind;

    use super::*;

    #[test]
    fn methods_that_must_match_their_base_break_with_it() {
        use Language::{CSharp, Java, Python, Rust, TypeScript};
        let (broken, maybe, fine) = ("broken", "maybe", "fine");
        for (language, old, new, method, is_abstract, expected) in [
            (Java, "void f(int a)", "void f(int a, int b)", "@Override public void f(int a)", false, broken),
            (Java, "void f(int a)", "void f(int a, int b)", "public void f(int a)", false, maybe),
            (Java, "void f(int a)", "void f(int a, int b)", "public void f(int a)", true, broken),
            (Java, "void f(int a)", "void f(int a, int b)", "@Override public void f(int a, int b)", true, fine),
            (Java, "void f(int a)", "void f(T a)", "@Override public void f(int a)", false, maybe),
            (Java, "int f(int a)", "long f(int a)", "@Override public int f(int a)", true, maybe),
            (Java, "int f(int a)", "long f(int a)", "@Override public long f(int a)", true, fine),
            (Python, "def f(self) -> int", "def f(self) -> str", "def f(self)", true, fine),
            (CSharp, "virtual void F(int a)", "virtual void F()", "override void F(int a)", false, broken),
            (Rust, "fn f(&self)", "fn f(&self, a: u8)", "fn f(&self)", true, broken),
            (Python, "def f(self, a)", "def f(self, a, b)", "def f(self, a)", true, maybe),
            (TypeScript, "f(a: string): void", "f(a: string, b: string): void", "f(a: string): void", true, maybe),
            (TypeScript, "f(a: string): void", "f(): void", "f(a: string): void", true, broken),
            (TypeScript, "f(a: string): void", "f(a: string | number): void", "f(a: string): void", true, maybe),
            (TypeScript, "f(a: string): void", "f(a: number): void", "f(a: unknown): void", true, maybe),
            (TypeScript, "f(o: O): void", "f(): void", "f(o: O = {}): void", true, fine),
            (TypeScript, "f(o: O): void", "f(): void", "f(o?: O): void", true, fine),
            (TypeScript, "f(o: O): void", "f(): string", "f(o?: O): void", true, maybe),
            (Java, "void f(int a)", "void f(long a)", "public void f(int a)", true, broken),
            (Java, "void f(Size a)", "void f(Text a)", "public void f(Size a)", true, broken),
            (Java, "void f(String a, T b)", "void f(T a, T b)", "public void f(String a, String b)", true, maybe),
            (Java, "void f(String[] a)", "void f(T[] a)", "public void f(String[] a)", true, maybe),
            (Java, "void f(List a)", "void f(List<String> a)", "public void f(List a)", true, maybe),
            (CSharp, "void F(string a)", "void F(TKey a)", "public void F(string a)", true, maybe),
            (Rust, "fn f(&self, a: u32)", "fn f(&self, a: Id)", "fn f(&self, a: u32)", true, maybe),
            (Rust, "fn f(&self, a: u32)", "fn f(&self, a: Self::Item)", "fn f(&self, a: u32)", true, maybe),
            (Rust, "fn f(&self, a: u32)", "fn f(&self, a: String)", "fn f(&self, a: u32)", true, broken),
        ] {
            let name = if language == CSharp { "F" } else { "f" };
            let read = |text: &str| DeclaredSignature::of(language, SymbolKind::Method, "A", name, text);
            let changes = signature_changes(&read(old), &read(new));
            let verdict = |is_rewritten: bool| {
                let method = OverridingMethod { declaration: method, signature: read(method), is_rewritten };
                match judge_overriding(&read(new), &changes, is_abstract, &method) {
                    SiteVerdict::Broken(_) => broken,
                    SiteVerdict::Maybe(_) => maybe,
                    SiteVerdict::Fine => fine,
                }
            };
            assert_eq!(verdict(false), expected, "{language:?} {new} {method}");
            assert_ne!(verdict(true), broken, "{language:?} {new} {method}");
        }
    }
}
