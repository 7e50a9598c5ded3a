//! Finds the values of Kubernetes secrets. All of them are secret, under any key, encoded as base64 or as they are.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::secret_value::{is_not_filler, is_not_placeholder};

/// The beginning that every text is searched for.
pub(super) const TRIGGER: &str = r#"kind["']?:[ \t]*["']?Secret(?-u:\b)"#;

/// Minimum length of a value of base64: seven bytes, as in text.
const MIN_BYTES: usize = 12;
const MIN_PLAIN_BYTES: usize = 7;

/// Maximum number of bytes of an object before and after its kind, up to the end of a line. Kubernetes allows no more in a secret.
const MAX_OBJECT_BYTES: usize = 1 << 20;

/// The form of the values below a key of an object.
#[derive(Clone, Copy)]
enum SecretFields {
    /// Below `data`.
    Base64,
    /// Below `stringData`.
    Plain,
}

/// Returns the values below `data` and `stringData` of the objects of the kind `Secret`, in YAML and in JSON with line feeds.
pub(super) fn find_in(text: &str) -> Vec<Range<usize>> {
    static KIND: LazyLock<Regex> = LazyLock::new(|| {
        let pattern =
            r#"(?m-u)^([ \t]*(?:- )?)["']?kind["']?:[ \t]*["']?Secret["']?,?[ \t]*(?:[ \t]#(?u:[^\n])*)?\r?$"#;
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
        !is_separator && (line.trim().is_empty() || is_comment(line) || indent_of(line) >= indent)
    };
    // The dash of an item begins an object.
    let is_first = |line: &str| indent_of(line) == indent && line.trim_start().starts_with("- ");
    let bytes = text.as_bytes();
    let bound = earliest.max(kind.start.saturating_sub(MAX_OBJECT_BYTES));
    let feed_before = bytes[earliest..bound].iter().rposition(|byte| *byte == b'\n');
    let before = &text[feed_before.map_or(earliest, |feed| earliest + feed + 1)..kind.start];
    let lines_before: Vec<&str> = match is_first(&text[kind.clone()]) {
        true => Vec::new(),
        false => before.split_inclusive('\n').rev().take_while(is_part).collect(),
    };
    let n_lines = lines_before.iter().position(|line| is_first(line)).map_or(lines_before.len(), |first| first + 1);
    let n_before: usize = lines_before[..n_lines].iter().map(|line| line.len()).sum();
    let bound = text.len().min(kind.end + MAX_OBJECT_BYTES);
    let feed_after = bytes[bound..].iter().position(|byte| *byte == b'\n');
    let after = &text[kind.end..feed_after.map_or(text.len(), |feed| bound + feed)];
    let rest_of_line = after.find('\n').map_or(after.len(), |feed| feed + 1);
    let lines_after = after[rest_of_line..].split_inclusive('\n');
    let n_after: usize = lines_after.take_while(|line| is_part(line) && !is_first(line)).map(str::len).sum();
    kind.start - n_before..kind.end + rest_of_line + n_after
}

/// Returns the secret values below the keys `data` and `stringData` of an object.
fn values_in(text: &str, object: Range<usize>, indent: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = object.start;
    let mut values = None;
    // The indentation of the key whose value is a block of lines.
    let mut block = None;
    for line in text[object].split_inclusive('\n') {
        let content = line.trim();
        if content.is_empty() || is_comment(line) {
            // Conditions of templates stand at any indentation.
        } else if indent_of(line) <= indent {
            let key = content.split(" #").next().unwrap_or_default();
            values = values_below(key.trim_start_matches("- ").trim_end_matches(['{', ' ']));
            block = None;
        } else if let Some(form) = values {
            let is_in_block = block.is_some_and(|key_indent| indent_of(line) > key_indent);
            let written = match content.split_once(": ") {
                Some((_, written)) if !is_in_block => written,
                _ => content,
            };
            let value = if is_in_block { content } else { bare_value(written) };
            if !is_in_block {
                block = (value.starts_with(['|', '>']) && value.len() <= 3).then(|| indent_of(line));
            }
            let value = match form {
                SecretFields::Base64 => value.rsplit(' ').next().unwrap_or_default(),
                SecretFields::Plain => value,
            };
            let at = start + value.as_ptr().addr() - line.as_ptr().addr();
            found.extend(is_value(value, form).then_some(at..at + value.len()));
        }
        start += line.len();
    }
    found
}

fn values_below(key: &str) -> Option<SecretFields> {
    match key {
        "data:" | "\"data\":" => Some(SecretFields::Base64),
        "stringData:" | "\"stringData\":" => Some(SecretFields::Plain),
        _ => None,
    }
}

/// Returns a value without its quotes and the comment behind it.
fn bare_value(written: &str) -> &str {
    let written = written.trim();
    let Some(quote) = written.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let bare =
            if written.starts_with('#') { &written[..0] } else { written.split(" #").next().unwrap_or_default() };
        return bare.trim_end().trim_end_matches(',');
    };
    let rest = &written[1..];
    let before_comment = rest.find(&format!("{quote} #")).map(|end| &rest[..end]);
    before_comment.or(rest.trim_end_matches(',').strip_suffix(quote)).unwrap_or(rest)
}

/// Returns true for a line that only has a comment, or code of a template.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#') || line.trim_start().starts_with("{{")
}

fn is_value(value: &str, form: SecretFields) -> bool {
    match form {
        SecretFields::Base64 => is_base64(value),
        SecretFields::Plain => {
            value.len() >= MIN_PLAIN_BYTES && !value.ends_with([':', '{']) && is_not_placeholder(value)
        }
    }
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
            "kind: Secret\ndata:\n{{- if .Values.db }}\n  app.properties: VALUE\n{{- end }}\n# the rest\n  b: VALUE\n",
            "items:\n- kind: Secret\n# the values\n{{ if .b }}\n  data:\n    settings: VALUE\n",
            "kind: Secret # opaque\ndata: # encoded\n  a: VALUE # of the server\n  b: 'VALUE' # old\n",
            "{\n  \"kind\": \"Secret\",\n  \"stringData\": {\n    \"settings\": \"VALUE\",\n    \"b\": \"VALUE\"\n  }\n}\n",
        ] {
            assert_eq!(mask_secrets(&text.replace("VALUE", VALUE)), text.replace("VALUE", "[masked]"));
        }
    }

    #[test]
    fn plain_values_are_masked_unless_they_are_placeholders() {
        for (text, expected) in [
            (
                "  a: quiet harbour # of moors\n  b: \"quiet #1 \\\"x\\\" harbour\"\n",
                "  a: [masked] # of moors\n  b: \"[masked]\"\n",
            ),
            (
                "  my.cnf: |\n    [client]\n    user: harbour # x\n\n  b: ${PASSWORD}\n",
                "  my.cnf: |\n    [client]\n    [masked]\n\n  b: ${PASSWORD}\n",
            ),
            (
                "  a: {{ .Values.moor }}\n  b: <harbour>\n  c: changeme\n",
                "  a: {{ .Values.moor }}\n  b: <harbour>\n  c: changeme\n",
            ),
            ("  port: \"5432\"\ntype: Opaque-harbour\n", "  port: \"5432\"\ntype: Opaque-harbour\n"),
        ] {
            let of = |values: &str| format!("kind: Secret\nstringData:\n{values}");
            assert_eq!(mask_secrets(&of(text)), of(expected));
        }
    }

    #[test]
    fn values_far_from_the_kind_are_masked() {
        let filler = "  n: YQ==\n".repeat(20_000);
        for text in [
            format!("kind: Secret\ndata:\n{filler}  settings: VALUE\n"),
            format!("data:\n  settings: VALUE\n{filler}kind: Secret\n"),
            format!("kind: Secret\ndata:\n{}  settings: VALUE\n  b: YQ==\n", "# harbour ä\n".repeat(80_658)),
        ] {
            let text = text.replace("VALUE", VALUE);
            let found: Vec<&str> = super::find_in(&text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, [VALUE]);
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
            "kind: ConfigMap\ndata:\n{{- if .b }}\n  settings: VALUE\n",
            "if kind: Secret then\ndata:\n  settings: VALUE\n",
        ] {
            let text = text.replace("VALUE", VALUE);
            assert_eq!(mask_secrets(&text), text);
        }
    }
}
