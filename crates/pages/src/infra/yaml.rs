//! A tolerant YAML reader for infrastructure files: keys by indentation, items by dashes, one scalar a line.
//!
//! It reads line by line, since templates such as Helm charts are not valid YAML. Anchors, multi-line flow collections and
//! tabs yield fewer facts, but no wrong ones.

/// A key or a list item, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlEntry<'a> {
    /// The path of keys, including its own; a list item is `-`.
    pub(super) path: Vec<&'a str>,
    /// The scalar on its line, without quotes; may be empty.
    pub(super) value: &'a str,
}

impl YamlEntry<'_> {
    /// Returns true if the path matches a pattern, in which `*` matches any key.
    pub(super) fn is_at(&self, pattern: &[&str]) -> bool {
        self.path.len() == pattern.len()
            && self.path.iter().zip(pattern).all(|(key, expected)| *expected == "*" || key == expected)
    }

    pub(super) fn key(&self) -> &str {
        self.path.last().copied().unwrap_or_default()
    }
}

/// Maximum number of lines examined. Longer files are data.
const MAX_LINES: usize = 2_000;

/// Returns the entries of a text, in order.
pub(super) fn entries(text: &str) -> Vec<YamlEntry<'_>> {
    let mut entries = Vec::new();
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut literal_indent: Option<usize> = None;
    for line in text.lines().take(MAX_LINES) {
        let mut rest = line.trim_start();
        let mut indent = line.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        // Literal blocks and template lines contain no keys.
        if literal_indent.is_some_and(|outer| indent > outer) || rest.starts_with("{{") {
            continue;
        }
        literal_indent = None;
        if rest == "---" {
            open.clear();
            continue;
        }
        while let Some(item) = rest.strip_prefix("- ").or_else(|| (rest == "-").then_some("")) {
            // A list may have the same indentation as its key.
            while open.last().is_some_and(|(at, key)| *at > indent || *at == indent && *key == "-") {
                open.pop();
            }
            open.push((indent, "-"));
            let next = item.trim_start();
            indent += rest.len() - next.len();
            rest = next;
        }
        let (key, value) = split_key_value(rest);
        if key.is_empty() {
            let path = open.iter().map(|(_, key)| *key).collect();
            entries.push(YamlEntry { path, value });
            continue;
        }
        while open.last().is_some_and(|(at, _)| *at >= indent) {
            open.pop();
        }
        open.push((indent, key));
        if matches!(value.as_bytes().first(), Some(b'|' | b'>')) {
            literal_indent = Some(indent);
        }
        entries.push(YamlEntry { path: open.iter().map(|(_, key)| *key).collect(), value });
    }
    entries
}

/// Returns key and value of a line; the key is empty if there is none.
fn split_key_value(line: &str) -> (&str, &str) {
    let after_key = match line.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => line[1..].find(*quote as char).map_or(0, |end| end + 2),
        Some(b'{' | b'[') => return ("", scalar(line)),
        _ => 0,
    };
    let rest = &line[after_key..];
    let colon = rest.match_indices(':').find(|(at, _)| matches!(rest.as_bytes().get(at + 1), None | Some(b' ')));
    match colon {
        Some((at, _)) if after_key == 0 || at == 0 => {
            let key = line[..after_key + at].trim().trim_matches(['"', '\'']);
            (key, scalar(&rest[at + 1..]))
        }
        _ => ("", scalar(line)),
    }
}

fn scalar(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split(quote).next().unwrap_or(inside);
        }
    }
    text.split(" #").next().unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_paths_and_values() {
        let text = "\
name: CI # the one
on: [push]
jobs:
  test:
    steps:
    - uses: a/b@v1
      with:
        x: 1
    - run: |
        key: no entry
  'lint':
    image: \"x:1\"
---
kind: Pod
args:
  - one
  -
    - two
";
        let found: Vec<String> =
            entries(text).iter().map(|entry| format!("{}={}", entry.path.join("."), entry.value)).collect();
        let expected = [
            "name=CI",
            "on=[push]",
            "jobs=",
            "jobs.test=",
            "jobs.test.steps=",
            "jobs.test.steps.-.uses=a/b@v1",
            "jobs.test.steps.-.with=",
            "jobs.test.steps.-.with.x=1",
            "jobs.test.steps.-.run=|",
            "jobs.lint=",
            "jobs.lint.image=x:1",
            "kind=Pod",
            "args=",
            "args.-=one",
            "args.-=",
            "args.-.-=two",
        ];
        assert_eq!(found, expected);
    }
}
