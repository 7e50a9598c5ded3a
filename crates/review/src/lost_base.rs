//! The effect of a method that is gone on the methods that override or implement it.

use model::Language;

use crate::SiteVerdict;

/// Returns the verdict about a method whose base method is gone for this reason: it is removed, or renamed. `declaration` is that of the
/// overriding method.
pub fn judge_lost_base(language: Language, declaration: &str, is_renamed: bool, reason: &str) -> SiteVerdict {
    match language {
        // A type has the methods of an interface without naming it. It lacks one that is renamed.
        Language::Go if !is_renamed => SiteVerdict::Fine,
        // An implementation of a trait has no further members.
        Language::Rust => SiteVerdict::Broken(reason.to_owned()),
        _ if is_marked(language, declaration) => SiteVerdict::Broken(reason.to_owned()),
        _ => SiteVerdict::Maybe(format!("{reason}, and this method no longer overrides it")),
    }
}

/// Returns true if a declaration says that it overrides another. Annotations of Java may be missing in it.
pub(crate) fn is_marked(language: Language, declaration: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let outside = without_parameters(declaration);
    match language {
        Language::Python | Language::JavaScript => false,
        Language::Java => outside.contains("@Override"),
        _ => outside.split(|character| !is_word(character)).any(|word| word == "override"),
    }
}

/// Cuts everything between parentheses.
fn without_parameters(declaration: &str) -> String {
    let mut depth = 0_usize;
    let mut outside = String::new();
    for character in declaration.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(character),
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_fail_where_they_are_marked_or_bound_to_their_base() {
        use Language::{CSharp, Cpp, Go, Java, JavaScript, Kotlin, Python, Rust, TypeScript};
        for (language, declaration, is_renamed, expected) in [
            (Python, "def run(self)", false, "maybe"),
            (TypeScript, "run(): void", false, "maybe"),
            (TypeScript, "override run(): void", false, "broken"),
            (Kotlin, "override fun run()", false, "broken"),
            (Cpp, "void run() override;", false, "broken"),
            (Cpp, "void run(bool override_all)", false, "maybe"),
            (CSharp, "public void Run()", false, "maybe"),
            (Rust, "fn run(&self)", false, "broken"),
            (Python, "def apply(self, config, override=False)", false, "maybe"),
            (JavaScript, "apply(config, override)", false, "maybe"),
            (Kotlin, "fun apply(override: Boolean)", false, "maybe"),
            (Cpp, "void run(bool override)", false, "maybe"),
            (Java, "@Override public void run()", false, "broken"),
            (Java, "public void run()", false, "maybe"),
            (Go, "func (a *A) Run()", false, "fine"),
            (Go, "func (a *A) Run()", true, "maybe"),
        ] {
            let verdict = match judge_lost_base(language, declaration, is_renamed, "it is removed") {
                SiteVerdict::Broken(_) => "broken",
                SiteVerdict::Maybe(_) => "maybe",
                SiteVerdict::Fine => "fine",
            };
            assert_eq!(verdict, expected, "{language:?} {declaration}");
        }
    }
}
