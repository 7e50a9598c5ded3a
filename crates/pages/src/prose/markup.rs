//! Removes markup from prose: Markdown, reStructuredText, HTML, Javadoc.

/// Returns text without markup and with folded white space. Underscores are kept, since they mostly belong to names.
pub(super) fn strip_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let n_markup_bytes = match character {
            '<' => tag(rest),
            '{' => inline_tag(rest, &mut plain),
            '!' if rest.starts_with("![") => link(&rest[1..], &mut String::new()).map(|n_bytes| n_bytes + 1),
            '[' => link(rest, &mut plain),
            ':' => role(rest),
            '&' => entity(rest, &mut plain),
            '*' | '`' => Some(1),
            _ => None,
        };
        let n_bytes = n_markup_bytes.unwrap_or_else(|| {
            plain.push(character);
            character.len_utf8()
        });
        rest = &rest[n_bytes..];
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the length of an HTML tag, or of a URL in angle brackets.
fn tag(text: &str) -> Option<usize> {
    let inside = &text[1..text.find('>')?];
    let name = inside.trim_start_matches('/');
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic()) && is_html(name) || name.starts_with("http");
    is_tag.then_some(inside.len() + 2)
}

/// Returns true if angle brackets contain an HTML tag, not type arguments.
fn is_html(inside: &str) -> bool {
    let name = inside.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    HTML_TAGS.contains(&name.as_str())
}

const HTML_TAGS: [&str; 28] = [
    "a", "b", "br", "center", "code", "dd", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "i", "img", "kbd", "li",
    "ol", "p", "picture", "pre", "source", "span", "strong", "sup", "tt", "ul",
];

/// Replaces `{@link Type#member label}` and similar tags by their visible text. Returns the length of the tag.
fn inline_tag(text: &str, plain: &mut String) -> Option<usize> {
    let inside = text.strip_prefix("{@")?;
    let inside = &inside[..inside.find('}')?];
    let shown = inside.split_once(char::is_whitespace).map_or("", |(_, shown)| shown.trim());
    plain.push_str(&shown.trim_start_matches('#').replace('#', "."));
    Some(inside.len() + 3)
}

/// Replaces `[text](address)`, `[text][name]` and `[text]` by the text, which may contain an image. Returns the length.
fn link(text: &str, plain: &mut String) -> Option<usize> {
    let end = closing_bracket(text, b'[', b']')?;
    let inside = &text[1..end];
    let after = &text[end + 1..];
    let target = match after.as_bytes().first() {
        Some(b'(') => closing_bracket(after, b'(', b')').map_or(0, |end| end + 1),
        Some(b'[') => closing_bracket(after, b'[', b']').map_or(0, |end| end + 1),
        _ => 0,
    };
    // `a[0]` and `[u8]` are code.
    let is_link = target > 0 || !plain.ends_with(|c: char| c.is_alphanumeric());
    if !is_link {
        return None;
    }
    plain.push_str(&strip_markup(inside));
    Some(end + 1 + target)
}

/// Returns the offset of the bracket that closes the first one.
fn closing_bracket(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        depth += i32::from(byte == open) - i32::from(byte == close);
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns the length of a reStructuredText role before its text: `:class:` in ``:class:`Flask` ``.
fn role(text: &str) -> Option<usize> {
    let end = text[1..].find(":`")? + 1;
    let name = &text[1..end];
    let is_role = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b':' | b'-'));
    let is_shortened = text[end + 2..].starts_with(['~', '!']);
    is_role.then_some(end + 2 + usize::from(is_shortened))
}

fn entity(text: &str, plain: &mut String) -> Option<usize> {
    let entities = [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&mdash;", "-")];
    let (written, shown) = entities.iter().find(|(written, _)| text.starts_with(written))?;
    plain.push_str(shown);
    Some(written.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visible_text_is_kept() {
        for (text, expected) in [
            ("a **bold** and `code` [link](http://x/y_(z)) [ref][r]", "a bold and code link ref"),
            ("[![badge](a.svg)](b) text", "text"),
            ("see :meth:`~Flask.run` or {@code List<String>}", "see Flask.run or List<String>"),
            ("<p align=\"center\">one<br>two</p> <https://x.org>", "onetwo"),
            ("Vec<T> and a < b, a[0], &amp; &lt;x&gt;", "Vec<T> and a < b, a[0], & <x>"),
            ("snake_case, __init__, _private", "snake_case, __init__, _private"),
            ("unclosed [link and {@code", "unclosed [link and {@code"),
        ] {
            assert_eq!(strip_markup(text), expected, "{text}");
        }
    }
}
