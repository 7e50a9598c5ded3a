//! Reads values of tool answers. A missing field is empty: an answer leaves out what it does not have.

use serde_json::Value;

/// Returns the text of a field; empty if it has none.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// Returns the number of a field; 0 if it has none.
pub fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_default()
}

/// Returns the decimal number of a field; 0 if it has none.
pub fn decimal(value: &Value, field: &str) -> f64 {
    value[field].as_f64().unwrap_or_default()
}

/// Returns the entries of a list; none if there is no list.
pub fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns the texts of a list.
pub fn texts<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    list(value, field).iter().filter_map(Value::as_str)
}

/// Returns names with their counts, in the order of the answer.
pub fn counts<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = (&'a str, u64)> {
    value[field]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, count)| (name.as_str(), count.as_u64().unwrap_or_default()))
}

/// Name of the number of further names in such counts.
const MORE: &str = "+more";

/// Returns the names with the largest counts as text, `src, web, and 3 more`. JSON has them by name.
pub fn names_by_count(value: &Value, field: &str) -> String {
    let mut named: Vec<(&str, u64)> = counts(value, field).filter(|(name, _)| *name != MORE).collect();
    named.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let n_more = number(&value[field], MORE);
    let more = (n_more > 0).then(|| format!("and {} more", grouped(n_more)));
    named.into_iter().map(|(name, _)| name.to_owned()).chain(more).collect::<Vec<_>>().join(", ")
}

/// Returns a number with separators of thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits are text")).collect();
    groups.join("\u{202f}")
}

/// Returns a count with its noun in singular or plural.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count)) }
}

/// The repository, path and line of a place such as `alias:src/main.rs:10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// The alias of the repository.
    pub repo: String,
    /// The path in the repository.
    pub path: String,
    /// The line; 0 for none.
    pub line: u32,
}

impl CodePlace {
    /// Reads a place; `None` without a repository.
    pub fn parse(written: &str) -> Option<CodePlace> {
        let (repo, rest) = written.split_once(':')?;
        let (path, line) = match rest.rsplit_once(':') {
            Some((path, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => (path, line),
            _ => (rest, ""),
        };
        Some(CodePlace { repo: repo.to_owned(), path: path.to_owned(), line: line.parse().unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups_and_nouns() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1\u{202f}000"), (1_234_567, "1\u{202f}234\u{202f}567")]
        {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!((counted(1, "file"), counted(2, "file")), ("1 file".to_owned(), "2 files".to_owned()));
    }

    #[test]
    fn places_have_a_repository_and_maybe_a_line() {
        let place =
            |repo: &str, path: &str, line| Some(CodePlace { repo: repo.to_owned(), path: path.to_owned(), line });
        assert_eq!(CodePlace::parse("api:src/a.rs:12"), place("api", "src/a.rs", 12));
        assert_eq!(CodePlace::parse("acme/api:src/a:b.rs"), place("acme/api", "src/a:b.rs", 0));
        assert_eq!(CodePlace::parse("nothing"), None);
    }
}
