//! Word lists: stop words, and words by which a query requests a file class.

/// Words by which a query requests tests, examples and benchmarks.
pub(super) const TEST_WORDS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "tested",
    "unittest",
    "unittests",
    "spec",
    "specs",
    "example",
    "examples",
    "benchmark",
    "benchmarks",
    "bench",
    "fixture",
    "fixtures",
];

/// Words by which a query requests documentation.
pub(super) const DOCS_WORDS: &[&str] =
    &["docs", "documentation", "documented", "readme", "changelog", "tutorial", "guide", "contributing"];

/// Words by which a query requests manifests, settings or build files.
pub(super) const CONFIG_WORDS: &[&str] = &[
    "ci",
    "workflow",
    "workflows",
    "dockerfile",
    "docker",
    "makefile",
    "manifest",
    "yaml",
    "toml",
    "kubernetes",
    "helm",
    "terraform",
    "deployment",
    "dependencies",
    "pyproject",
    "package.json",
    "compose",
];

/// Returns true for a word without information about code.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word.to_lowercase().as_str()).is_ok()
}

/// English stop words, in alphabetical order.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "aren't", "as", "at", "be", "been", "being",
    "but", "by", "can", "can't", "could", "did", "do", "does", "doesn't", "doing", "don't", "done", "each", "for",
    "from", "had", "has", "have", "he", "her", "here", "his", "how", "i", "if", "in", "into", "is", "isn't", "it",
    "it's", "its", "just", "may", "me", "might", "must", "my", "no", "of", "on", "only", "or", "our", "shall", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "too", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "whose", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
