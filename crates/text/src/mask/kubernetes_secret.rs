//! Finds the values of Kubernetes secrets. All of them are secret, under any key, and encoded as base64.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::secret_value::is_not_filler;

/// The beginning that every text is searched for.
pub(super) const TRIGGER: &str = r#"kind["']?:[ \t]*["']?Secret(?-u:\b)"#;

/// Minimum length of a value: seven bytes.
const MIN_BYTES: usize = 12;

/// Maximum number of bytes of an object before and after its kind.
const MAX_OBJECT_BYTES: usize = 16 << 10;

/// Returns the values below `data` of the objects of the kind `Secret`, in YAML and in JSON with line feeds.
pub(super) fn find_in(text: &str) -> Vec<Range<usize>> {
    static KIND: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r#"(?m-u)^([ \t]*(?:- )?)["']?kind["']?:[ \t]*["']?Secret["']?,?[ \t]*\r?$"#;
        Regex::new(pattern).expect("the pattern is valid")
    });
    let mut found = Vec::new();
    let mut end = 0;
    for captures in KIND.captures_iter(text) {
        let Some(kind) = captures.get(0).map(|kind| kind.range()) else { continue };
        if kind.start >= end {
            let indent = captures[1].len();
            let object = object_around(text, &kind, indent, end);
            end = object.end;
            found.extend(values_in(text, object, indent));
        }
    }
    found
}

/// Returns the range of the lines of an object whose keys have this indentation. It begins at `earliest` or later.
fn object_around(text: &str, kind: &Range<usize>, indent: usize, earliest: usize) -> Range<usize> {
    let is_part = |line: &&str| {
        let is_separator = line.starts_with("---");
        !is_separator && (line.trim().is_empty() || indent_of(line) >= indent)
    };
    // The dash of an item begins an object.
    let is_first = |line: &str| indent_of(line) == indent && line.trim_start().starts_with("- ");
    let earliest = earliest.max(kind.start.saturating_sub(MAX_OBJECT_BYTES));
    let before = &text[ceil_char(text, earliest)..kind.start];
    let lines_before: Vec<&str> = match is_first(&text[kind.clone()]) {
        true => Vec::new(),
        false => before.split_inclusive('\n').rev().take_while(is_part).collect(),
    };
    let n_lines = lines_before.iter().position(|line| is_first(line)).map_or(lines_before.len(), |first| first + 1);
    let n_before: usize = lines_before[..n_lines].iter().map(|line| line.len()).sum();
    let after = &text[kind.end..ceil_char(text, text.len().min(kind.end + MAX_OBJECT_BYTES))];
    let rest_of_line = after.find('\n').map_or(after.len(), |feed| feed + 1);
    let lines_after = after[rest_of_line..].split_inclusive('\n');
    let n_after: usize = lines_after.take_while(|line| is_part(line) && !is_first(line)).map(str::len).sum();
    kind.start - n_before..kind.end + rest_of_line + n_after
}

/// Returns the values of base64 below the key `data` of an object.
fn values_in(text: &str, object: Range<usize>, indent: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = object.start;
    let mut is_data = false;
    for line in text[object].split_inclusive('\n') {
        let content = line.trim();
        if indent_of(line) <= indent && !content.is_empty() {
            let key = content.trim_start_matches("- ").trim_end_matches(['{', ' ']);
            is_data = matches!(key, "data:" | "\"data\":");
        } else if is_data {
            let value = content.rsplit([':', ' ']).next().unwrap_or_default();
            let value = value.trim_end_matches(',').trim_matches(['"', '\'']);
            let at = line.rfind(value).unwrap_or_default();
            found.extend(is_base64(value).then_some(start + at..start + at + value.len()));
        }
        start += line.len();
    }
    found
}

/// Returns the number of characters before the first key of a line, of which one may be the dash of an item.
fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).trim_start_matches("- ").len()
}

fn is_base64(value: &str) -> bool {
    let digits = value.trim_end_matches('=');
    value.len() >= MIN_BYTES
        && value.len().is_multiple_of(4)
        && value.len() - digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        && is_not_filler(value)
}

/// Returns the first character boundary at or behind an offset.
fn ceil_char(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    const VALUE: &str = "c2VydmVyLnBvcnQ9ODA4MApkYi5wYXNzPWh1bnRlcjJ4eXo=";

    #[test]
    fn values_of_secrets_are_masked_under_any_key() {
        for text in [
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  app.properties: VALUE\n  n: YQ==\ntype: Opaque\n",
            "data:\n  .dockerconfigjson: \"VALUE\"\nkind: Secret\n",
            "kind: Secret\ndata:\n  app.properties: |\n    VALUE\n    VALUE\n",
            "items:\n- apiVersion: v1\n  kind: Secret\n  data:\n    settings: VALUE\n- kind: ConfigMap\n",
            "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"settings\": \"VALUE\"\n  }\n}\n",
            "kind: ConfigMap\ndata:\n  a: b\n---\nkind: Secret\ndata:\n  a: VALUE\n",
        ] {
            assert_eq!(mask_secrets(&text.replace("VALUE", VALUE)), text.replace("VALUE", "[masked]"));
        }
    }

    #[test]
    fn values_of_other_objects_are_kept() {
        for text in [
            "kind: ConfigMap\ndata:\n  app.properties: VALUE\n",
            "kind: SealedSecret\ndata:\n  settings: VALUE\n",
            "kind: Secret\nmetadata:\n  name: VALUE\ndata:\n  user: YWRtaW4=\n",
            "kind: Secret\ndata:\n  settings: {{ .Values.settings | b64enc }}\n",
            "kind: Secret\n---\nkind: ConfigMap\ndata:\n  settings: VALUE\n",
            "items:\n- kind: Secret\n- kind: ConfigMap\n  data:\n    settings: VALUE\n",
            "if kind: Secret then\ndata:\n  settings: VALUE\n",
        ] {
            let text = text.replace("VALUE", VALUE);
            assert_eq!(mask_secrets(&text), text);
        }
    }
}
