//! The effect of a method that is gone on the methods that override or implement it.

use model::Language;

use crate::SiteVerdict;

/// Returns the verdict about a method whose base method is gone for this reason. `declaration` is that of the overriding method.
pub fn judge_lost_base(language: Language, declaration: &str, reason: &str) -> SiteVerdict {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let is_marked =
        declaration.split(|character| !is_word(character)).any(|word| matches!(word, "override" | "Override"));
    match language {
        // A type has the methods of an interface without naming it.
        Language::Go => SiteVerdict::Fine,
        // An implementation of a trait has no further members. Overrides of Java have annotations, which declarations lack.
        Language::Rust | Language::Java => SiteVerdict::Broken(reason.to_owned()),
        _ if is_marked => SiteVerdict::Broken(reason.to_owned()),
        _ => SiteVerdict::Maybe(format!("{reason}, and this method no longer overrides it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_fail_where_they_are_marked_or_bound_to_their_base() {
        use Language::{CSharp, Cpp, Go, Java, Kotlin, Python, Rust, TypeScript};
        for (language, declaration, expected) in [
            (Python, "def run(self)", "maybe"),
            (TypeScript, "run(): void", "maybe"),
            (TypeScript, "override run(): void", "broken"),
            (Kotlin, "override fun run()", "broken"),
            (Cpp, "void run() override;", "broken"),
            (Cpp, "void run(bool override_all)", "maybe"),
            (CSharp, "public void Run()", "maybe"),
            (Rust, "fn run(&self)", "broken"),
            (Java, "public void run()", "broken"),
            (Go, "func (a *A) Run()", "fine"),
        ] {
            let verdict = match judge_lost_base(language, declaration, "it is removed") {
                SiteVerdict::Broken(_) => "broken",
                SiteVerdict::Maybe(_) => "maybe",
                SiteVerdict::Fine => "fine",
            };
            assert_eq!(verdict, expected, "{language:?} {declaration}");
        }
    }
}
