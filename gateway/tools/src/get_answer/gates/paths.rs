//! Path recognition: distinguishes file paths from names of code, products and sites.

use model::Language;

/// Names of files without an extension, other than those that determine a language.
const FILE_NAMES: [&str; 2] = ["Dockerfile", "Makefile"];

/// Maximum length of an unknown extension of a file in a folder: `gradle` and `svelte` have six letters.
const MAX_EXTENSION: usize = 6;

/// Sites with names like files.
const SITES: [&str; 3] = ["brew.sh", "bun.sh", "docs.rs"];

/// Objects before a field access in code.
const OWNERS: [&str; 3] = ["cls", "self", "this"];

/// Returns the paths in a text, without line or symbol suffixes.
pub(super) fn paths(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.lines().flat_map(|line| line.split('`').zip([false, true].into_iter().cycle()));
    pieces.flat_map(|(piece, is_quoted)| piece.split_inclusive(is_gap).filter_map(move |word| path(word, is_quoted)))
}

/// Returns the path in a word, with or without a folder; `is_quoted` is true in backticks.
pub(super) fn path(word: &str, is_quoted: bool) -> Option<&str> {
    let path = strip_path(word);
    let is_path = match path.rsplit_once('/') {
        Some((folder, name)) => !word.contains("://") && is_file_in(folder, name),
        None => !word.ends_with('(') && is_file(path, is_quoted),
    };
    is_path.then_some(path)
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || "(),;\"'’|<>={}—".contains(c)
}

/// Strips punctuation, lines, symbols, citation marks and leading dots from a path.
fn strip_path(word: &str) -> &str {
    let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/'));
    let trimmed = word.trim_end_matches(is_edge).trim_start_matches(|c: char| is_edge(c) && c != '.');
    let mut path = &trimmed[..end_of_path(trimmed)];
    while let Some(rest) = ["../", "./", "/"].iter().find_map(|start| path.strip_prefix(start)) {
        path = rest;
    }
    path
}

/// Returns the end of the path in a word: before `::name`, `:12-30`, `#L12` or `[1]`.
fn end_of_path(word: &str) -> usize {
    let is_lines = |tail: &str| {
        let after = tail.trim_start_matches('L').trim_start_matches(|c: char| c.is_ascii_digit());
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.'));
        after.len() < tail.len() && !goes_on
    };
    let is_end = |at: usize| word[at..].starts_with("::") || is_lines(&word[at + 1..]);
    word.match_indices([':', '[', '#']).map(|(at, _)| at).find(|at| is_end(*at)).unwrap_or(word.len())
}

/// Returns true if a word without a folder is a file of a known language. `Group.Go` is a method, and `Vue.js` a
/// product unless it is quoted.
fn is_file(name: &str, is_quoted: bool) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return is_file_name(name) };
    let is_product = !is_quoted && extension == "js" && name.starts_with(char::is_uppercase);
    let is_field = stem.split('.').next().is_some_and(|owner| OWNERS.contains(&owner));
    let is_known = Language::of_path(name) != Language::Text && !extension.contains(char::is_uppercase);
    is_known && stem.contains(char::is_alphanumeric) && !is_product && !is_field && !SITES.contains(&name)
}

/// Returns true if the last part of a path is a file: of a known language, or with any short extension.
fn is_file_in(folder: &str, name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return is_file_name(name) };
    let is_short = (1..=MAX_EXTENSION).contains(&extension.len());
    // `fs.open/fs.read` are two names.
    let is_pair = !folder.contains('/') && folder.trim_start_matches('.').contains('.');
    let is_extension = is_short && extension.bytes().all(|byte| byte.is_ascii_lowercase()) && !is_pair;
    stem.contains(char::is_alphanumeric) && (is_extension || Language::of_path(name) != Language::Text)
}

fn is_file_name(name: &str) -> bool {
    FILE_NAMES.contains(&name) || Language::of_path(name) != Language::Text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_paths_are_distinguished_from_names() {
        for (text, expected) in [
            ("It is in `secret_store.py`.", &["secret_store.py"][..]),
            ("See src/components/Hidden.vue and infra/main.tf.", &["src/components/Hidden.vue", "infra/main.tf"]),
            ("It has a src/Dockerfile, a Makefile and a.gradle.", &["src/Dockerfile", "Makefile"]),
            ("See app/build.gradle and web:src/a.py.", &["app/build.gradle", "web:src/a.py"]),
            ("README.md tells it.", &["README.md"]),
            ("Lines: src/a.py:12-30, src/b.py:3:5 and src/c.py#L3-L9.", &["src/a.py", "src/b.py", "src/c.py"]),
            ("Symbols: src/b.py::run, web:2024/d.py, e.py[1]", &["src/b.py", "web:2024/d.py", "e.py"]),
            ("session.py's keys are in ./.github/ci.yml", &["session.py", ".github/ci.yml"]),
            ("`Vue.js` and vendor/Vue.js are files", &["Vue.js", "vendor/Vue.js"]),
            ("Vue.js, Node.js and Next.js are products.", &[]),
            ("`flask.Flask` joins os.path, e.g. `self.app`, `self.c` and foo.bar().", &[]),
            ("Call `run.go()` or `Group.Go`, of 1.2.3 and v1.2, at docs.example.com or docs.rs.", &[]),
            ("The `.py` files: *.rs, src/*.rs, **/*.ts", &[]),
            ("I/O, and/or list[int], res.send/res.end, https://example.com/a.py", &[]),
        ] {
            assert_eq!(paths(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
