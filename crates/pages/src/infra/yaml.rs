//! YAML as far as people write it in files of infrastructure: keys by indentation, items by dashes, one scalar a line.
//!
//! Whoever writes anchors, flow collections of several lines or tabs gets fewer facts, and never wrong ones.

/// A key or an item with what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// The keys that lead to it, itself last; an item of a list is `-`.
    pub(super) path: Vec<&'a str>,
    /// The scalar beside it, without quotes; may be empty.
    pub(super) value: &'a str,
}

impl Entry<'_> {
    /// Says whether the path is this one, where `*` stands for any key.
    pub(super) fn is_at(&self, pattern: &[&str]) -> bool {
        self.path.len() == pattern.len()
            && self.path.iter().zip(pattern).all(|(key, wanted)| *wanted == "*" || key == wanted)
    }

    pub(super) fn key(&self) -> &str {
        self.path.last().copied().unwrap_or_default()
    }
}

/// Longer files are data.
const MAX_LINES: usize = 2_000;

/// Returns the entries of a text, in order.
pub(super) fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut literal: Option<usize> = None;
    for line in text.lines().take(MAX_LINES) {
        let mut rest = line.trim_start();
        let mut indent = line.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        // The text of a literal block, and what only templates read, are nobody's keys.
        if literal.is_some_and(|outer| indent > outer) || rest.starts_with("{{") {
            continue;
        }
        literal = None;
        if rest == "---" {
            open.clear();
            continue;
        }
        while let Some(item) = rest.strip_prefix("- ").or_else(|| (rest == "-").then_some("")) {
            // A list may stand as far left as its key.
            while open.last().is_some_and(|(at, key)| *at > indent || *at == indent && *key == "-") {
                open.pop();
            }
            open.push((indent, "-"));
            let next = item.trim_start();
            indent += rest.len() - next.len();
            rest = next;
        }
        let (key, value) = split(rest);
        if key.is_empty() {
            let path = open.iter().map(|(_, key)| *key).collect();
            entries.push(Entry { path, value });
            continue;
        }
        while open.last().is_some_and(|(at, _)| *at >= indent) {
            open.pop();
        }
        open.push((indent, key));
        if matches!(value.as_bytes().first(), Some(b'|' | b'>')) {
            literal = Some(indent);
        }
        entries.push(Entry { path: open.iter().map(|(_, key)| *key).collect(), value });
    }
    entries
}

/// Returns key and value of a line; the key is empty where there is none.
fn split(line: &str) -> (&str, &str) {
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
    fn keys_lead_to_values() {
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
