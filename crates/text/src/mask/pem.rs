//! Finds bodies of private keys in PEM: the lines between `-----BEGIN ... PRIVATE KEY-----` and `-----END`. They may be a whole
//! file, an indented block, string literals with `\n`, or folded into one line. Static keys of OpenVPN have the same form, and those of
//! PuTTY lines between `Private-Lines` and `Private-MAC`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};

use super::MASK;
use super::secret_value::is_random;

/// The trigger of the rule.
pub(super) const TRIGGER: &str = "PRIVATE KEY(?: BLOCK)?-----|OpenVPN Static key V1-----|Private-Lines: [0-9]";

/// Minimum length of the first line of a body. Only the last line is shorter.
const MIN_FIRST_LINE: usize = 16;

/// Maximum number of headers, such as `Proc-Type: 4,ENCRYPTED`, before the body.
const MAX_HEADERS: usize = 6;

/// The beginning and the end of the private part of a key of PuTTY.
const PUTTY_BEGIN: &str = "Private-Lines: ";
const PUTTY_END: &str = "Private-MAC";

static BEGIN: LazyLock<Regex> = LazyLock::new(|| {
    let blocks = "-----BEGIN (?:[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----";
    Regex::new(&format!("{blocks}|{PUTTY_BEGIN}[0-9]+")).expect("the pattern is valid")
});

static LINE_BREAK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\n|\\n|\\r").expect("the pattern is valid"));

/// A line of base64, which may be quoted, commented or joined to the next.
static BODY_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^[\s"'`+,;|#*>./-]*?([A-Za-z0-9+/]+={0,2})[\s"'`+,;)\\.…]*$"#).expect("the pattern is valid")
});

/// Returns the ranges of base64 lines in private keys.
pub(super) fn find_in(text: &str) -> Vec<Range<usize>> {
    // A body ends before the next one at the latest, so that no byte is searched for two of them.
    let mut begins = BEGIN.find_iter(text).peekable();
    let mut found = Vec::new();
    while let Some(begin) = begins.next() {
        let body = begin.end()..begins.peek().map_or(text.len(), Match::start);
        found.extend(match begin.as_str().starts_with(PUTTY_BEGIN) {
            true => body_lines(text, body, PUTTY_END, PUTTY_END),
            false => body_lines(text, body, "-----", "-----END"),
        });
    }
    found
}

/// Returns the lines of a body up to a mark. The body is complete if `complete` is there.
fn body_lines(text: &str, body: Range<usize>, mark: &str, complete: &str) -> Vec<Range<usize>> {
    let start = body.start;
    let rest = &text[body];
    let end = rest.find(mark).unwrap_or(rest.len());
    let is_complete = rest[end..].starts_with(complete);
    let min_later_line = if is_complete { 1 } else { MIN_FIRST_LINE };

    let mut found = Vec::new();
    let mut is_in_body = false;
    let mut n_headers = 0;
    for line in lines(text, start..start + end) {
        let min_chars = if is_in_body { min_later_line } else { MIN_FIRST_LINE };
        let content = body_of(&text[line.clone()]);
        if text[line.clone()].contains(MASK) {
            is_in_body = true;
        } else if let Some(content) = content.filter(|content| content.len() >= min_chars) {
            found.push(line.start + content.start()..line.start + content.end());
            is_in_body = true;
        } else if let Some(folded) = folded_body(text, line.clone()) {
            found.push(folded);
            is_in_body = true;
        } else if text[line.clone()].contains(|c: char| c.is_alphanumeric()) {
            n_headers += 1;
            if is_in_body || n_headers > MAX_HEADERS {
                break;
            }
        }
    }
    found
}

/// Returns the range of base64 words in a line, after optional headers.
fn folded_body(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let mut body: Option<Range<usize>> = None;
    for word in words(text, line) {
        let written = &text[word.clone()];
        let content = body_of(written).map(|content| word.start + content.start()..word.start + content.end());
        body = match (body, content) {
            (Some(body), Some(content)) => Some(body.start..content.end),
            (Some(body), None) if written.contains(char::is_alphanumeric) => return Some(body),
            (None, Some(content)) if content.len() >= MIN_FIRST_LINE && is_random(&text[content.clone()]) => {
                Some(content)
            }
            (body, _) => body,
        };
    }
    body
}

fn words(text: &str, line: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let written = &text[line];
    let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    written.split_whitespace().map(move |word| start_of(word)..start_of(word) + word.len())
}

/// Returns the base64 of a line that contains nothing else.
fn body_of(line: &str) -> Option<Match<'_>> {
    let content = BODY_LINE.captures(line)?.get(1)?;
    content.as_str().contains(|c: char| c.is_ascii_alphanumeric()).then_some(content)
}

/// Returns the ranges between line feeds, real ones or escaped ones in a string literal.
fn lines(text: &str, block: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut rest = Some(block);
    std::iter::from_fn(move || {
        let current = rest.take()?;
        let Some(line_break) = LINE_BREAK.find(&text[current.clone()]) else { return Some(current) };
        rest = Some(current.start + line_break.end()..current.end);
        Some(current.start..current.start + line_break.start())
    })
}

#[cfg(test)]
mod tests {
    use super::super::mask_secrets;

    #[test]
    fn keys_lose_their_body_and_keep_their_lines() {
        for (text, expected) in [
            (
                "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: none\n\nMIIBOgIBAAJBAK8Q1w4t\nq2/+Zw==\n-----END RSA",
                "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: none\n\n[masked]\n[masked]\n-----END RSA",
            ),
            (
                r#"key: "-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG\nAg==\n-----END PRIVATE KEY-----\n""#,
                r#"key: "-----BEGIN PRIVATE KEY-----\n[masked]\n[masked]\n-----END PRIVATE KEY-----\n""#,
            ),
            (
                "  \"-----BEGIN PRIVATE KEY-----\\n\" +\n  \"MIIBVgIBADANBgkqhkiG\\n\" +\n  \"-----END\"",
                "  \"-----BEGIN PRIVATE KEY-----\\n\" +\n  \"[masked]\\n\" +\n  \"-----END\"",
            ),
            (
                "k = `-----BEGIN EC PRIVATE KEY----- DEK-Info: none MHcCAQEEIH8q7Zp2 q2/+Zw== -----END EC PRIVATE KEY-----`",
                "k = `-----BEGIN EC PRIVATE KEY----- DEK-Info: none [masked] -----END EC PRIVATE KEY-----`",
            ),
            (
                "k = `-----BEGIN PRIVATE KEY----- MHcCAQEEIH8q7Zp2 \" + \" q2Zw7hT9xL…",
                "k = `-----BEGIN PRIVATE KEY----- [masked]…",
            ),
            (
                "-----BEGIN OpenVPN Static key V1-----\n7e1f9c04b83da2567e1f9c04b83da256\nb83da256\n-----END OpenVPN",
                "-----BEGIN OpenVPN Static key V1-----\n[masked]\n[masked]\n-----END OpenVPN",
            ),
            (
                "Public-Lines: 1\nAAAAB3NzaC1yc2EAAAAD\nPrivate-Lines: 2\nAAABADq8ZtLr2VxN4mWc7K\nq2/+Zw==\nPrivate-MAC: 7e",
                "Public-Lines: 1\nAAAAB3NzaC1yc2EAAAAD\nPrivate-Lines: 2\n[masked]\n[masked]\nPrivate-MAC: 7e",
            ),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\nno end here\n",
                "-----BEGIN OPENSSH PRIVATE KEY-----\n[masked]\nno end here\n",
            ),
        ] {
            assert_eq!(mask_secrets(text), expected);
        }
    }

    /// It would take minutes if the rest of the text were searched for the end of each.
    #[test]
    fn bodies_without_an_end_are_searched_in_linear_time() {
        for unit in ["Private-Lines: 1 ", "Private-Lines: 1\n"] {
            let text = unit.repeat(1_000_000 / unit.len());
            assert_eq!(mask_secrets(&text), text, "{unit}");
        }
    }

    #[test]
    fn code_that_reads_keys_and_public_keys_are_kept() {
        for text in [
            "const BEGIN = \"-----BEGIN PRIVATE KEY-----\";\nfunction f(x) {\n  return x;\n}\n\"-----END\"",
            "reads the `Private-Lines: 14` of a key\nand its lines\n",
            "-----BEGIN CERTIFICATE-----\nMIIBVgIBADANBgkqhkiG\n-----END CERTIFICATE-----\n",
            "-----BEGIN PUBLIC KEY-----\nMIIBVgIBADANBgkqhkiG\n-----END PUBLIC KEY-----\n",
        ] {
            assert_eq!(mask_secrets(text), text);
        }
    }
}
