//! Detects commits that fix something, by their subject.

/// Words of a subject, in lower case, that indicate a fix. A revert counts as a fix: the reverted change did not work.
const FIX_WORDS: &[&str] = &[
    "bug",
    "bugfix",
    "bugfixes",
    "bugs",
    "crash",
    "crashed",
    "crashes",
    "crashing",
    "deadlock",
    "defect",
    "defects",
    "fix",
    "fixed",
    "fixes",
    "fixing",
    "hotfix",
    "hotfixes",
    "leak",
    "leaks",
    "regression",
    "regressions",
    "revert",
    "reverted",
    "reverting",
    "reverts",
    "segfault",
];

/// Returns true if a subject indicates a fix or a revert.
pub(crate) fn is_fix(subject: &str) -> bool {
    let words = subject.split(|character: char| !character.is_alphanumeric());
    words.map(str::to_ascii_lowercase).any(|word| FIX_WORDS.binary_search(&word.as_str()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted() {
        assert!(FIX_WORDS.is_sorted());
    }

    #[test]
    fn only_whole_words_indicate_a_fix() {
        for (subject, expected) in [
            ("Fix the parser", true),
            ("parser: fixes #12", true),
            ("fix(parser): handle tabs", true),
            ("Revert \"Add tabs\"", true),
            ("A regression in tabs", true),
            ("Repair of bug_12", true),
            ("Add a prefix", false),
            ("Use fixtures", false),
            ("Debug output", false),
            ("Add tabs", false),
            ("", false),
        ] {
            assert_eq!(is_fix(subject), expected, "{subject}");
        }
    }
}
