//! The effect of another signature on the methods that override or implement it.

use model::Language;

use crate::{DeclaredSignature, SignatureChange, SiteVerdict, lost_base::is_marked, signature_changes};

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
    let matters = |change: &SignatureChange| changes_form(change) || is_checked(language) && changes_result(change);
    let form = changes.iter().find(|change| changes_form(change));
    let Some(change) = form.or_else(|| changes.iter().find(|change| matters(change))) else {
        return SiteVerdict::Fine;
    };
    if !signature_changes(new, &method.signature).iter().any(matters) {
        return SiteVerdict::Fine;
    }
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
        SignatureChange::ParameterType { .. } if is_abstract => {
            SiteVerdict::Broken(format!("it implements the old declaration: {change}"))
        }
        _ => doubt(),
    }
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
