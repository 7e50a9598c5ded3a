//! The inside of an armoured block whose first line is not in the text: lines of base64, all of one width.
//!
//! An excerpt may begin in the middle of a long key. What is beside the lines, where it can be seen, tells that they
//! are no key's: a certificate's, a signature's.

use std::ops::Range;

use super::MASK;
use super::literal::count_of_pieces;

/// The widths that tools break base64 at are 64 (PEM, OpenPGP), 70 (OpenSSH) and 76 (MIME).
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=76;

/// How many full lines make a block if nothing else says that there is one.
const MIN_LINES: usize = 3;

/// The longest line, with quotes, indentation and the like, that is looked at.
const MAX_LINE_BYTES: usize = 160;

/// How many lines after the last full one may belong to the block: a shorter one, and a check sum.
const MAX_TAIL: usize = 2;

/// What stands after `BEGIN` or `END` of a block that anyone may read.
const PUBLIC: [&str; 6] = ["CERTIFICATE", "PUBLIC", "SIGNATURE", "PARAMETERS", "CRL", "MESSAGE"];

/// Lines of one width, one after the other.
struct Run {
    contents: Vec<Range<usize>>,
    /// Where the text around them is.
    before: usize,
    after: usize,
}

/// Returns where lines of base64 are that seem to be a key's.
pub(super) fn find_in(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !has_wide_word(text.as_bytes()) {
        return found;
    }
    for run in runs(text) {
        let tail = tail(text, run.after);
        let is_ended = text[tail.end..].trim_start_matches(is_margin).starts_with("-----END");
        let is_block = run.contents.len() >= MIN_LINES || (is_ended && is_private(&text[tail.end..]));
        if is_block && seems_random(text, &run) && !is_public(text, &run, tail.end) {
            found.extend(run.contents);
            found.extend(tail.contents);
        }
    }
    found
}

/// Says whether so many characters of base64 follow each other that they fill a line.
///
/// Looks at one byte in as many, since such a word cannot be between two of those; most are no base64 or next to a space.
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

fn runs(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
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
                _ => runs.push(Run { contents: vec![content], before: start, after: end }),
            }
        }
        start = end;
    }
    runs
}

/// Returns the base64 in a line that is as wide as those of a block, and holds nothing else.
fn full_line(line: &str) -> Option<Range<usize>> {
    let is_candidate = (*WIDTHS.start()..=MAX_LINE_BYTES).contains(&line.len());
    let content = is_candidate.then(|| base64_of(line)).flatten()?;
    WIDTHS.contains(&content.len()).then_some(content)
}

/// Returns the base64 in a line that holds nothing else but quotes, marks of a comment, or a line feed spelt out.
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

/// Returns the line without `+ "`, `// ` or the like before it.
fn without_joint(line: &str) -> &str {
    let joint = line.trim_start_matches(['+', '/']);
    if joint.starts_with(is_margin) { joint.trim_start_matches(is_margin) } else { line }
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

/// Says whether a character may be around the base64 of a line.
fn is_margin(c: char) -> bool {
    c.is_whitespace() || "\"'`,;|#*>()[]+.\\".contains(c)
}

struct Tail {
    contents: Vec<Range<usize>>,
    end: usize,
}

/// Returns the shorter lines that end a block.
fn tail(text: &str, start: usize) -> Tail {
    /// A word has fewer characters than what is left over at the end of a key, mostly.
    const MIN_ALONE: usize = 16;
    let mut tail = Tail { contents: Vec::new(), end: start };
    for line in text[start..].split_inclusive('\n').take(MAX_TAIL) {
        let Some(content) = base64_of(line).filter(|content| content.len() <= *WIDTHS.end()) else { break };
        let next = &text[tail.end + line.len()..];
        let is_last = next.trim_start_matches(is_margin).starts_with("-----END");
        let is_checksum = |line: &str| line.trim_start_matches(is_margin).starts_with('=');
        let written = &line[content.clone()];
        let is_part = written.len() >= MIN_ALONE && has_mixed_classes(written);
        if !(is_part || is_last || is_checksum(line) || is_checksum(next) || written.ends_with('=')) {
            break;
        }
        tail.contents.push(tail.end + content.start..tail.end + content.end);
        tail.end += line.len();
    }
    tail
}

/// Says whether most lines are of capitals, small letters and digits, and of many different ones: no hex, no rule, no
/// list of names.
fn seems_random(text: &str, run: &Run) -> bool {
    /// Of 64 random characters, 40 are different on average.
    const MIN_DISTINCT: u32 = 24;
    /// Random text has pieces of 2.2 characters on average; in names they are words.
    const MAX_MEAN_PIECE: f32 = 2.8;
    let lines = || run.contents.iter().map(|content| &text[content.clone()]);
    let is_mixed = |line: &&str| {
        let distinct = line.bytes().fold(0u128, |seen, byte| seen | 1 << (byte & 127)).count_ones();
        has_mixed_classes(line) && distinct >= MIN_DISTINCT
    };
    let n_chars: usize = lines().map(str::len).sum();
    let n_pieces: usize = lines().map(count_of_pieces).sum();
    lines().filter(is_mixed).count() * 2 > run.contents.len() && n_chars as f32 <= MAX_MEAN_PIECE * n_pieces as f32
}

fn has_mixed_classes(line: &str) -> bool {
    [u8::is_ascii_digit, u8::is_ascii_uppercase, u8::is_ascii_lowercase]
        .iter()
        .all(|is_of_class| line.as_bytes().iter().any(is_of_class))
}

/// Says whether the line right before the run, or right after it, is that of a block for anyone to read.
fn is_public(text: &str, run: &Run, end: usize) -> bool {
    /// Of lines above the first full one, headers such as `Version: ` among them.
    const N_LINES_ABOVE: usize = 6;
    let above = text[..run.before].lines().rev().take(N_LINES_ABOVE).find(|line| line.contains("-----"));
    let below = text[end..].lines().next().filter(|line| line.contains("-----END"));
    let names_public = |line: &str| PUBLIC.iter().any(|word| line.contains(word)) && !is_private(line);
    above.is_some_and(|line| line.contains("-----BEGIN") && names_public(line)) || below.is_some_and(names_public)
}

/// Says whether the text begins with a line that tells of a private key.
fn is_private(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.contains("PRIVATE") || line.contains("SECRET") || line.contains(MASK))
}

#[cfg(test)]
mod tests {
    use super::super::mask_secrets;

    const FULL: &str = "yOuRk3yM4y8e7xQpL2mNw+Zs5cV/b6Hj0GfTdAeRiUqWtKoPlJhXnCzBvEg1D9Fa";

    #[test]
    fn the_inside_of_a_key_is_masked_without_its_first_line() {
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
    fn what_only_looks_like_it_stays() {
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
