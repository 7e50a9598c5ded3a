//! Looks through the inline markup around a name and around a value: `<code>name</code> is <code>x</code>`, `+name+ is +x+`,
//! `\texttt{name} is \texttt{x}`, `&quot;name&quot;: &quot;x&quot;`.

use std::ops::Range;

use super::literal::read_literal;
use super::reader::Reader;

/// Beginnings and ends of inline markup and of escaped quotes. A beginning comes before its prefixes.
const PAIRS: [(&str, &str); 18] = [
    ("&quot;", "&quot;"),
    ("&#34;", "&#34;"),
    ("&#39;", "&#39;"),
    ("&apos;", "&apos;"),
    ("&ldquo;", "&rdquo;"),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("«", "»"),
    ("C<", ">"),
    ("\\fB", "\\f"),
    ("\\fI", "\\f"),
    ("**", "**"),
    ("*", "*"),
    ("+", "+"),
    ("=", "="),
    ("~", "~"),
    ("@", "@"),
];

/// Maximum number of bytes of the beginning of markup.
const MAX_OPENING_BYTES: usize = 24;

/// Maximum number of bytes of a tag, and of tags in succession.
const MAX_TAG_BYTES: usize = 100;
const MAX_TAGS: usize = 3;

/// Maximum number of bytes of a value.
const MAX_VALUE_BYTES: usize = 512;

/// Moves over the end of the markup around a name if text follows on the line. Another element is left to the rules for markup.
pub(super) fn skip_end_before_text(reader: &mut Reader<'_>, name_start: usize) {
    let mut ahead = *reader;
    skip_end(&mut ahead, name_start);
    let mut next = ahead;
    let n_blanks = next.skip_blanks(8);
    let is_linked = n_blanks > 0 || matches!(next.peek(), b':' | b'=');
    if is_linked && !matches!(next.peek(), 0 | b'\r' | b'\n' | b'<') {
        *reader = ahead;
    }
}

/// Moves over the end of the markup around a name, and over quotes behind it.
pub(super) fn skip_end(reader: &mut Reader<'_>, name_start: usize) {
    let before = Reader::new(reader.text, name_start).text_before(MAX_OPENING_BYTES);
    let n_tags = (0..MAX_TAGS).take_while(|_| skip_tag(reader, "</")).count();
    let is_font = reader.before() == b'\\' && (reader.eat("fR") || reader.eat("fP"));
    if n_tags > 0 || is_font || end_of_opening(before).is_some_and(|end| reader.eat(end)) {
        reader.skip_while(4, |byte| matches!(byte, b'`' | b'*'));
    }
}

/// Reads the value within inline markup at the reader. Returns `None` and leaves the reader where it was if there is none.
pub(super) fn read_marked_up(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let mut ahead = *reader;
    let range = read_role(&mut ahead).or_else(|| {
        ahead = *reader;
        let end = skip_opening(&mut ahead)?;
        read_to_end(&mut ahead, end)
    })?;
    *reader = ahead;
    Some(range)
}

/// Reads a value with a role of reStructuredText, as in `:code:`x``.
fn read_role(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let has_role = reader.eat(":") && reader.skip_while(16, |byte| byte.is_ascii_alphabetic()) > 0 && reader.eat(":");
    (has_role && reader.peek() == b'`').then(|| read_literal(reader)).flatten()
}

/// Moves over the beginning of markup, and returns its end.
fn skip_opening(reader: &mut Reader<'_>) -> Option<&'static str> {
    if (0..MAX_TAGS).take_while(|_| skip_tag(reader, "<")).count() > 0 {
        return Some("</");
    }
    let mut command = *reader;
    let is_javadoc = command.eat("{@");
    let begins_command = is_javadoc || command.eat("\\") || command.eat("@");
    let is_named = begins_command && command.skip_while(16, |byte| byte.is_ascii_alphabetic()) > 0;
    if is_named && command.eat(if is_javadoc { " " } else { "{" }) {
        *reader = command;
        return Some("}");
    }
    PAIRS.iter().find(|(opening, _)| reader.eat(opening)).map(|(_, end)| *end)
}

/// Reads the text up to the end of its markup, on the same line. A value may contain a mark of one character.
fn read_to_end(reader: &mut Reader<'_>, end: &str) -> Option<Range<usize>> {
    let window = reader.window(MAX_VALUE_BYTES);
    let n_bytes = match end.len() {
        1 => window.split(|c: char| c.is_whitespace() || c == '<').next()?.rfind(end)?,
        _ => window.lines().next()?.find(end)?,
    };
    let range = reader.at..reader.at + n_bytes;
    let is_value = n_bytes > 0 && !window.starts_with(char::is_whitespace) && !window[..n_bytes].contains(['<', '"']);
    reader.at = range.end;
    if (0..MAX_TAGS).take_while(|_| skip_tag(reader, "</")).count() == 0 {
        reader.eat(end);
    }
    is_value.then_some(range)
}

/// Returns the end of the markup that begins before a name, which is the end of `before`.
fn end_of_opening(before: &str) -> Option<&'static str> {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    // A command of LaTeX or Texinfo, and a subscript such as `ENV{name}`; a tag of Javadoc.
    let unquoted = before.trim_end_matches(['"', '\'']);
    let is_braced = unquoted.strip_suffix('{').is_some_and(|word| word.ends_with(is_letter))
        || before.strip_suffix(' ').is_some_and(|tag| tag.trim_end_matches(is_letter).ends_with("{@"));
    if is_braced {
        return Some("}");
    }
    let (opening, end) = PAIRS.iter().find(|(opening, _)| before.ends_with(opening))?;
    // Between words, such a mark is an operator.
    let outer = before[..before.len() - opening.len()].chars().next_back();
    let begins_word = outer.is_none_or(|c| c.is_whitespace() || "(`*-[>|".contains(c));
    (opening.len() > 1 || begins_word).then_some(*end)
}

/// Moves over a tag that begins with `opening` and a letter.
fn skip_tag(reader: &mut Reader<'_>, opening: &str) -> bool {
    let mut ahead = *reader;
    let is_named = ahead.eat(opening) && ahead.peek().is_ascii_alphabetic();
    ahead.skip_while(MAX_TAG_BYTES, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    let is_tag = is_named && ahead.eat(">");
    if is_tag {
        *reader = ahead;
    }
    is_tag
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn values_in_markup_are_masked() {
        for line in [
            "<p>Set <code>API_KEY</code> to <code>SECRET</code>.</p>",
            "<code>API_KEY</code> is <code>SECRET</code>",
            "<code class=\"env\">API_KEY</code> = <kbd>SECRET</kbd>",
            "<b>DB_PASSWORD</b>: SECRET",
            "<b>Password:</b> <code>SECRET</code><br>",
            "<li><strong><em>API key</em></strong> – <code>SECRET</code></li>",
            "<li>API key (<code>SECRET</code>)</li>",
            "| <code>API_KEY</code> | <code>SECRET</code> |",
            "The password is <b>SECRET</b>.",
            "+API_KEY+ is +SECRET+",
            "`+API_KEY+` is +SECRET+.",
            "=API_KEY= is =SECRET=",
            "~API_KEY~: ~SECRET~",
            "@API_KEY@ is @SECRET@",
            "**API_KEY** is **SECRET**",
            "Set \\texttt{API\\_KEY} or \\texttt{PASSWORD} to \\texttt{SECRET}.",
            "\\textbf{Password:} \\texttt{SECRET}",
            "@code{API_KEY} is @code{SECRET}",
            " * {@code API_KEY} is {@code SECRET}",
            ":envvar:`API_KEY` is :code:`SECRET`",
            "C<API_KEY> is C<SECRET>",
            "\\fBAPI_KEY\\fR is \\fISECRET\\fR",
            "<pre>{&quot;api_key&quot;: &quot;SECRET&quot;}</pre>",
            "<pre>api_key = &#39;SECRET&#39;</pre>",
            "The password is “SECRET”.",
            "„API_KEY“ is „SECRET“",
            "set(ENV{API_KEY} SECRET)",
            "set($ENV{API_KEY} \"SECRET\")",
            "set(CACHE{API_KEY} \"SECRET\")",
            "$ENV{API_KEY}='SECRET';",
            "$ENV{'API_KEY'} ||= 'SECRET';",
        ] {
            let masked = mask_secrets(&line.replace("SECRET", "q8ZtLr2VxN4mWc7KpJ5s")).into_owned();
            assert_eq!(masked, line.replace("SECRET", "[masked]"));
        }
    }

    #[test]
    fn other_text_in_markup_is_kept() {
        for line in [
            "<code>API_KEY</code> is <code>configuration_value_of_the_service</code>",
            "<code>API_KEY</code> and <code>q8ZtLr2VxN4mWc7KpJ5s</code>",
            "<b>Password</b>: required, at least <b>eight</b> characters",
            "<label for=\"p\">Password</label> <input id=\"q8ZtLr2VxN4mWc7KpJ5s\">",
            "<b>Token:</b> <a href=\"/builds/q8ZtLr2VxN4mWc7KpJ5s\">the documentation</a>",
            "const token = <Widget<Props>>createElement(host);",
            "+API_KEY+ is +identifier_of_the_service+",
            "let n = token + q8ZtLr2VxN4mWc7KpJ5s + 1;",
            "\\texttt{API\\_KEY} is \\texttt{identifier}",
            "\\section{Token} \\label{section-of-tokens}",
            "{@code token} is never {@code null}",
            "<pre>api_key = &quot;configuration&quot;</pre>",
            "The token is “valid”, not “expired”.",
            "set(ENV{API_KEY} $ENV{OTHER_KEY_1A2B3C4D5E6F})",
            "set(ENV{API_KEY} ${CMAKE_SOURCE_DIR}/q8ZtLr2VxN4m)",
            "set(ENV{REGION} q8ZtLr2VxN4mWc7KpJ5s)",
            "format!(\"x{token} {id}\")",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
