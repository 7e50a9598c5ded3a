//! Reads string literals whose delimiters are no quotes: `%q(x)`, `q{x}`, `~s(x)`, `[[x]]`, `$$x$$` and heredocs.

use std::ops::Range;

use super::reader::Reader;

/// Maximum length in bytes of a literal that is examined.
const MAX_BYTES: usize = 1 << 10;

/// Maximum length in bytes of the tag of a heredoc.
const MAX_TAG_BYTES: usize = 40;

/// The beginnings of literals between brackets, in Ruby, Perl and Elixir.
const BRACKETED: [&str; 7] = ["%q", "%Q", "qq", "qw", "q", "~s", "~S"];

/// Reads a literal with other delimiters than quotes. Returns the range of its content without the whitespace around it, or
/// `None` and leaves the reader where it was.
pub(super) fn read_delimited(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let mut ahead = *reader;
    let content = match ahead.peek() {
        b'%' | b'q' | b'~' => read_bracketed(&mut ahead),
        b'[' => {
            read_between(&mut ahead, "[[", "]]").filter(|content| !ahead.text[content.clone()].contains(['"', '\'']))
        }
        b'$' => read_dollars(&mut ahead),
        b'\'' => read_two_quotes(&mut ahead),
        b'@' => read_here_string(&mut ahead),
        b'<' => read_heredoc(&mut ahead),
        _ => None,
    }?;
    *reader = ahead;
    let written = &reader.text[content.clone()];
    let start = content.start + written.len() - written.trim_start().len();
    Some(start..start + written.trim().len())
}

/// Reads `%q(x)`, `q{x}` or `~s[x]`.
fn read_bracketed(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    if reader.before().is_ascii_alphanumeric() || matches!(reader.before(), b'_' | b'.' | b')') {
        return None;
    }
    BRACKETED.iter().find(|beginning| reader.eat(beginning))?;
    let closing = match reader.peek() {
        b'(' => ")",
        b'{' => "}",
        b'[' => "]",
        b'<' => ">",
        b'|' => "|",
        _ => return None,
    };
    reader.at += 1;
    read_to(reader, closing).filter(|content| !reader.text[content.clone()].contains('\n'))
}

fn read_between(reader: &mut Reader<'_>, opening: &str, closing: &str) -> Option<Range<usize>> {
    reader.eat(opening).then(|| read_to(reader, closing)).flatten()
}

/// Reads `$$x$$` or `$tag$x$tag$`.
fn read_dollars(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let start = reader.at;
    reader.eat("$");
    reader.skip_while(MAX_TAG_BYTES, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_tag = reader.eat("$");
    let tag = &reader.text[start..reader.at];
    is_tag.then(|| read_to(reader, tag)).flatten()
}

/// Reads two quotes, a line, and two quotes, as in Nix.
fn read_two_quotes(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let content = read_between(reader, "''\n", "''")?;
    let is_one_line = reader.text[content.clone()].trim().lines().count() == 1;
    is_one_line.then_some(content)
}

/// Reads `@'x'@` or `@"x"@` with line feeds around `x`, as in PowerShell.
fn read_here_string(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    reader.eat("@");
    let closing = match reader.peek() {
        b'\'' => "\n'@",
        b'"' => "\n\"@",
        _ => return None,
    };
    reader.at += 1;
    reader.is_at_line_end().then(|| read_to(reader, closing)).flatten()
}

/// Reads the lines from `<<TAG` to `TAG`, in the forms of shells, Ruby, Perl, PHP and Terraform.
fn read_heredoc(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    if !reader.eat("<<<") && !reader.eat("<<") {
        return None;
    }
    reader.skip_while(1, |byte| matches!(byte, b'-' | b'~'));
    let n_quotes = reader.skip_while(1, |byte| matches!(byte, b'\'' | b'"'));
    let start = reader.at;
    reader.skip_while(MAX_TAG_BYTES, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let tag = &reader.text[start..reader.at];
    reader.skip_while(n_quotes, |byte| matches!(byte, b'\'' | b'"'));
    // The rest of the line belongs to the statement.
    reader.skip_while(100, |byte| byte != b'\n');
    if tag.is_empty() || !reader.eat("\n") {
        return None;
    }
    let start = reader.at;
    for line in reader.window(MAX_BYTES).split_inclusive('\n') {
        let end = reader.at;
        let n_blanks = line.len() - line.trim_start().len();
        if line.trim_start().strip_prefix(tag).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())) {
            reader.at += n_blanks + tag.len();
            return Some(start..end);
        }
        reader.at += line.len();
    }
    None
}

/// Moves over `closing`, and returns the range of the text before it.
fn read_to(reader: &mut Reader<'_>, closing: &str) -> Option<Range<usize>> {
    let start = reader.at;
    let end = start + reader.window(MAX_BYTES).find(closing)?;
    reader.at = end + closing.len();
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_with_other_delimiters_are_read() {
        for (text, content) in [
            ("%q(abc)", Some("abc")),
            ("q{abc};", Some("abc")),
            ("~s[abc]", Some("abc")),
            ("%(abc)", None),
            ("quote(abc)", None),
            ("[[abc]]", Some("abc")),
            ("[[\"abc\", 1]]", None),
            ("$$abc$$;", Some("abc")),
            ("$x$abc$x$;", Some("abc")),
            ("$x abc$x", None),
            ("''\n  abc\n'';", Some("abc")),
            ("''\nabc\ndef\n''", None),
            ("@'\nabc\n'@", Some("abc")),
            ("<<~TEXT\n  abc\n  TEXT\n", Some("abc")),
            ("<<-'EOT'.strip\nabc\nEOT\n", Some("abc")),
            ("<<<KEY\nabc\nKEY;\n", Some("abc")),
            ("<<EOF\nabc\n", None),
            ("<< 3\nabc\n", None),
        ] {
            let read = read_delimited(&mut Reader::new(text, 0)).map(|range| &text[range]);
            assert_eq!(read, content, "{text}");
        }
    }
}
