//! Finds bodies of armoured private keys without their first line: lines of base64 of equal width.
//!
//! An excerpt may start in the middle of a long key. Visible `BEGIN` and `END` lines identify public blocks, such as
//! certificates and signatures.

use std::ops::Range;

use super::MASK;
use super::words::count_runs;

/// Line widths of base64: tools break lines at 64 (PEM, OpenPGP), 70 (OpenSSH) and 76 (MIME) characters.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=76;

/// Minimum number of full lines of a block without other evidence.
const MIN_LINES: usize = 3;

/// Maximum length in bytes of a line, with quotes, indentation and the like.
const MAX_LINE_BYTES: usize = 160;

/// Maximum number of lines after the last full one that belong to the block: a shorter line and a check sum.
const MAX_TAIL: usize = 2;

/// Words after `BEGIN` or `END` of a public block.
const PUBLIC: [&str; 6] = ["CERTIFICATE", "PUBLIC", "SIGNATURE", "PARAMETERS", "CRL", "MESSAGE"];

/// Consecutive lines of base64 of equal width.
struct Base64Lines {
    contents: Vec<Range<usize>>,
    /// The offset of the first line.
    before: usize,
    after: usize,
}

/// Returns the ranges of base64 lines that look like a private key.
pub(super) fn find_in(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !has_wide_word(text.as_bytes()) {
        return found;
    }
    for run in base64_lines(text) {
        let tail = block_tail(text, run.after);
        let is_ended = text[tail.end..].trim_start_matches(is_margin).starts_with("-----END");
        let is_block = run.contents.len() >= MIN_LINES || (is_ended && is_private(&text[tail.end..]));
        if is_block && looks_random(text, &run) && !is_public(text, &run, tail.end) {
            found.extend(run.contents);
            found.extend(tail.contents);
        }
    }
    found
}

/// Returns true if the text contains a base64 word as long as a full line.
///
/// Examines one byte per line width, since such a word cannot lie between two of them. Most bytes are no base64 or next to
/// a space.
fn has_wide_word(bytes: &[u8]) -> bool {
    let width = *WIDTHS.start();
    let mut position = width - 1;
    while position < bytes.len() {
        let is_in_word = |byte: &&u8| is_base64(**byte as char);
        let n_before = bytes[..=position].iter().rev().take(width).take_while(is_in_word).count();
        let n_after = bytes[position + 1..].iter().take(width).take_while(is_in_word).count();
        if n_before > 0 && n_before + n_after >= width {
            return true;
        }
        position += width;
    }
    false
}

fn base64_lines(text: &str) -> Vec<Base64Lines> {
    let mut runs: Vec<Base64Lines> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if let Some(content) = full_line(line) {
            let content = start + content.start..start + content.end;
            match runs.last_mut() {
                Some(run) if run.after == start && run.contents[0].len() == content.len() => {
                    run.contents.push(content);
                    run.after = end;
                }
                _ => runs.push(Base64Lines { contents: vec![content], before: start, after: end }),
            }
        }
        start = end;
    }
    runs
}

/// Returns the base64 of a line that is as wide as a full line and contains nothing else.
fn full_line(line: &str) -> Option<Range<usize>> {
    let is_candidate = (*WIDTHS.start()..=MAX_LINE_BYTES).contains(&line.len());
    let content = is_candidate.then(|| base64_of(line)).flatten()?;
    WIDTHS.contains(&content.len()).then_some(content)
}

/// Returns the base64 of a line that contains nothing else except quotes, comment signs, or an escaped line feed.
fn base64_of(line: &str) -> Option<Range<usize>> {
    let start = line.find(|c| !is_margin(c) || matches!(c, '+' | '/'))?;
    let start = start + (line[start..].len() - without_joint(&line[start..]).len());
    let rest = &line[start..];
    let length = rest.find(|c: char| !is_base64(c)).unwrap_or(rest.len());
    let after = rest[length..].trim_start_matches("\\r").trim_start_matches("\\n");
    let content = &rest[..length];
    let is_alone = after.chars().all(is_margin);
    (is_alone && content.contains(|c: char| c.is_ascii_alphanumeric())).then_some(start..start + length)
}

/// Returns the line without leading `+ "`, `// ` and the like.
fn without_joint(line: &str) -> &str {
    let joint = line.trim_start_matches(['+', '/']);
    if joint.starts_with(is_margin) { joint.trim_start_matches(is_margin) } else { line }
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

/// Returns true if a character may surround the base64 of a line.
fn is_margin(c: char) -> bool {
    c.is_whitespace() || "\"'`,;|#*>()[]+.\\".contains(c)
}

struct BlockTail {
    contents: Vec<Range<usize>>,
    end: usize,
}

/// Returns the shorter lines at the end of a block.
fn block_tail(text: &str, start: usize) -> BlockTail {
    /// Minimum length of a final line without other evidence. Words are mostly shorter.
    const MIN_ALONE: usize = 16;
    let mut tail = BlockTail { contents: Vec::new(), end: start };
    for line in text[start..].split_inclusive('\n').take(MAX_TAIL) {
        let Some(content) = base64_of(line).filter(|content| content.len() <= *WIDTHS.end()) else { break };
        let next = &text[tail.end + line.len()..];
        let is_last = next.trim_start_matches(is_margin).starts_with("-----END");
        let is_checksum = |line: &str| line.trim_start_matches(is_margin).starts_with('=');
        let written = &line[content.clone()];
        let is_part = written.len() >= MIN_ALONE && has_mixed_characters(written);
        if !(is_part || is_last || is_checksum(line) || is_checksum(next) || written.ends_with('=')) {
            break;
        }
        tail.contents.push(tail.end + content.start..tail.end + content.end);
        tail.end += line.len();
    }
    tail
}

/// Returns true if most lines contain capitals, small letters, digits, and many different characters. This excludes hex,
/// rulers and lists of names.
fn looks_random(text: &str, run: &Base64Lines) -> bool {
    /// 64 random characters contain 40 different ones on average.
    const MIN_DISTINCT: u32 = 24;
    /// The mean run length of random text is 2.2 characters; runs of names are words.
    const MAX_MEAN_RUN: f32 = 2.8;
    let lines = || run.contents.iter().map(|content| &text[content.clone()]);
    let is_mixed = |line: &&str| {
        let distinct = line.bytes().fold(0u128, |seen, byte| seen | 1 << (byte & 127)).count_ones();
        has_mixed_characters(line) && distinct >= MIN_DISTINCT
    };
    let n_chars: usize = lines().map(str::len).sum();
    let n_runs: usize = lines().map(count_runs).sum();
    lines().filter(is_mixed).count() * 2 > run.contents.len() && n_chars as f32 <= MAX_MEAN_RUN * n_runs as f32
}

fn has_mixed_characters(line: &str) -> bool {
    [u8::is_ascii_digit, u8::is_ascii_uppercase, u8::is_ascii_lowercase]
        .iter()
        .all(|is_of_class| line.as_bytes().iter().any(is_of_class))
}

/// Returns true if the line before or after the block marks it as public.
fn is_public(text: &str, run: &Base64Lines, end: usize) -> bool {
    /// Number of lines examined above the first full one. Headers such as `Version: ` may precede it.
    const N_LINES_ABOVE: usize = 6;
    let above = text[..run.before].lines().rev().take(N_LINES_ABOVE).find(|line| line.contains("-----"));
    let below = text[end..].lines().next().filter(|line| line.contains("-----END"));
    let names_public = |line: &str| PUBLIC.iter().any(|word| line.contains(word)) && !is_private(line);
    above.is_some_and(|line| line.contains("-----BEGIN") && names_public(line)) || below.is_some_and(names_public)
}

/// Returns true if the first line mentions a private key.
fn is_private(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.contains("PRIVATE") || line.contains("SECRET") || line.contains(MASK))
}

#[cfg(test)]
mod tests {
    use super::super::mask_secrets;

    const FULL: &str = "yOuRk3yM4y8e7xQpL2mNw+Zs5cV/b6Hj0GfTdAeRiUqWtKoPlJhXnCzBvEg1D9Fa";

    #[test]
    fn key_bodies_without_their_first_line_are_masked() {
        let wide = &format!("{FULL}{}", "Qm7Zp2");
        for (text, expected) in [
            (format!("{FULL}\n{FULL}\n{FULL}\n"), "[masked]\n[masked]\n[masked]\n"),
            (format!("  {wide}\r\n  {wide}\r\n  {wide}"), "  [masked]\r\n  [masked]\r\n  [masked]"),
            (
                format!("{FULL}\n{FULL}\n{FULL}\nq2Zw\n=aB3d\n-----END PGP"),
                "[masked]\n[masked]\n[masked]\n[masked]\n[masked]\n-----END PGP",
            ),
            (
                format!("\"{FULL}\\n\" +\n\"{FULL}\\n\" +\n\"{FULL}\\n\";"),
                "\"[masked]\\n\" +\n\"[masked]\\n\" +\n\"[masked]\\n\";",
            ),
            (format!("// {FULL}\n// {FULL}\n// {FULL}\n}}"), "// [masked]\n// [masked]\n// [masked]\n}"),
            (
                format!("{FULL}\nq2Zw==\n-----END RSA PRIVATE KEY-----"),
                "[masked]\n[masked]\n-----END RSA PRIVATE KEY-----",
            ),
        ] {
            assert_eq!(mask_secrets(&text), expected);
        }
    }

    #[test]
    fn other_base64_and_hex_is_kept() {
        let [hex, rule] = [&"9f86d081884c7d65".repeat(4), &"a".repeat(64)];
        let name = "theVeryLongNameOfAFunctionThatDoesNotFitOnOneLine2TimesInARow123";
        for text in [
            format!("{FULL}\n{FULL}\n"),
            format!("{hex}\n{hex}\n{hex}\n"),
            format!("{rule}\n{rule}\n{rule}\n"),
            format!("{name}\n{name}\n{name}\n"),
            format!("-----BEGIN CERTIFICATE-----\n{FULL}\n{FULL}\n{FULL}\n"),
            format!("{FULL}\n{FULL}\n{FULL}\nq2Zw==\n-----END PUBLIC KEY-----\n"),
        ] {
            assert_eq!(mask_secrets(&text), text);
        }
    }
}
