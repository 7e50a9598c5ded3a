//! Removes markup from prose: Markdown, reStructuredText, HTML, Javadoc.

use std::ops::Range;

/// Maximum number of links inside each other that are replaced: an image in a link is two. Brackets inside them are text.
const MAX_NESTED_LINKS: usize = 8;

/// Returns text without markup and with folded white space. Underscores are kept, since they mostly belong to names.
///
/// Takes time linear in the length of the text.
pub(super) fn strip_markup(text: &str) -> String {
    let mut markup = Markup {
        text,
        square: BracketPairs::of(text, b'[', b']'),
        round: BracketPairs::of(text, b'(', b')'),
        next_tag_end: NextMatch::of(">"),
        next_inline_tag_end: NextMatch::of("}"),
        next_role_end: NextMatch::of(":`"),
    };
    markup.strip(0..text.len(), 0)
}

/// A text, with the places where its markup may end. Looking for them at each character would take quadratic time.
struct Markup<'a> {
    text: &'a str,
    square: BracketPairs,
    round: BracketPairs,
    next_tag_end: NextMatch,
    next_inline_tag_end: NextMatch,
    next_role_end: NextMatch,
}

impl<'a> Markup<'a> {
    /// Returns a part of the text, which lies inside `n_links` links, without markup.
    fn strip(&mut self, part: Range<usize>, n_links: usize) -> String {
        let mut plain = String::with_capacity(part.len());
        let mut at = part.start;
        while let Some(character) = self.text[at..part.end].chars().next() {
            let rest = at..part.end;
            let n_markup_bytes = match character {
                '<' => self.tag(rest),
                '{' => self.inline_tag(rest, &mut plain),
                '!' if self.text[rest.clone()].starts_with("![") => {
                    self.link(at + 1..part.end, n_links, "").map(|link| link.n_bytes + 1)
                }
                '[' => self.link(rest, n_links, &plain).map(|link| {
                    plain.push_str(&link.shown);
                    link.n_bytes
                }),
                ':' => self.role(rest),
                '&' => entity(&self.text[rest], &mut plain),
                '*' | '`' => Some(1),
                _ => None,
            };
            at += n_markup_bytes.unwrap_or_else(|| {
                plain.push(character);
                character.len_utf8()
            });
        }
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the length of an HTML tag, or of a URL in angle brackets.
    fn tag(&mut self, rest: Range<usize>) -> Option<usize> {
        let inside = &self.text[rest.start + 1..self.next_tag_end.find(self.text, &rest)?];
        let name = inside.trim_start_matches('/');
        let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic()) && is_html(name) || name.starts_with("http");
        is_tag.then_some(inside.len() + 2)
    }

    /// Replaces `{@link Type#member label}` and similar tags by their visible text. Returns the length of the tag.
    fn inline_tag(&mut self, rest: Range<usize>, plain: &mut String) -> Option<usize> {
        let name_start = self.text[rest.clone()].starts_with("{@").then_some(rest.start + 2)?;
        let inside = &self.text[name_start..self.next_inline_tag_end.find(self.text, &rest)?];
        let shown = inside.split_once(char::is_whitespace).map_or("", |(_, shown)| shown.trim());
        plain.push_str(&shown.trim_start_matches('#').replace('#', "."));
        Some(inside.len() + 3)
    }

    /// Reads `[text](address)`, `[text][name]` and `[text]`, which show the text. It may contain an image. `before` is the
    /// visible text before the link.
    fn link(&mut self, rest: Range<usize>, n_links: usize, before: &str) -> Option<Link> {
        let end = self.square.close_of(rest.start).filter(|end| *end < rest.end)?;
        let target = match self.text.as_bytes()[end + 1..rest.end].first() {
            Some(b'(') => self.round.close_of(end + 1),
            Some(b'[') => self.square.close_of(end + 1),
            _ => None,
        };
        let link_end = target.filter(|target| *target < rest.end);
        // `a[0]` and `[u8]` are code.
        let is_link = link_end.is_some() || !before.ends_with(|c: char| c.is_alphanumeric());
        (is_link && n_links < MAX_NESTED_LINKS).then(|| Link {
            shown: self.strip(rest.start + 1..end, n_links + 1),
            n_bytes: link_end.unwrap_or(end) + 1 - rest.start,
        })
    }

    /// Returns the length of a reStructuredText role before its text: `:class:` in ``:class:`Flask` ``.
    fn role(&mut self, rest: Range<usize>) -> Option<usize> {
        let end = self.next_role_end.find(self.text, &(rest.start + 1..rest.end))?;
        let name = &self.text[rest.start + 1..end];
        let is_role = !name.is_empty()
            && name.len() <= MAX_ROLE_BYTES
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b':' | b'-'));
        let is_shortened = self.text[end + 2..rest.end].starts_with(['~', '!']);
        is_role.then_some(end + 2 + usize::from(is_shortened) - rest.start)
    }
}

/// Maximum length in bytes of the name of a role, such as `py:class`.
const MAX_ROLE_BYTES: usize = 64;

/// A link.
struct Link {
    /// Its visible text.
    shown: String,
    n_bytes: usize,
}

/// The pairs of one kind of brackets in a text.
struct BracketPairs {
    /// Offsets of the opening and the closing bracket of each pair, sorted.
    pairs: Vec<(usize, usize)>,
}

impl BracketPairs {
    fn of(text: &str, open: u8, close: u8) -> BracketPairs {
        let mut opened = Vec::new();
        let mut pairs = Vec::new();
        for (at, byte) in text.bytes().enumerate() {
            if byte == open {
                opened.push(at);
            } else if byte == close {
                pairs.extend(opened.pop().map(|start| (start, at)));
            }
        }
        pairs.sort_unstable();
        BracketPairs { pairs }
    }

    /// Returns the offset of the bracket that closes the one at `open`.
    fn close_of(&self, open: usize) -> Option<usize> {
        let index = self.pairs.binary_search_by_key(&open, |(start, _)| *start).ok()?;
        Some(self.pairs[index].1)
    }
}

/// The next place of a delimiter in a text that is read from its start to its end.
struct NextMatch {
    delimiter: &'static str,
    /// The place found last: no earlier one is at or after the start of that search. The length of the text if there is none.
    found: Option<(usize, usize)>,
}

impl NextMatch {
    fn of(delimiter: &'static str) -> NextMatch {
        NextMatch { delimiter, found: None }
    }

    /// Returns the first place of the delimiter within a part of the text.
    fn find(&mut self, text: &str, part: &Range<usize>) -> Option<usize> {
        let place = match self.found {
            Some((searched_from, place)) if searched_from <= part.start && part.start <= place => place,
            _ => {
                let place = text[part.start..].find(self.delimiter).map_or(text.len(), |offset| part.start + offset);
                self.found = Some((part.start, place));
                place
            }
        };
        (place + self.delimiter.len() <= part.end).then_some(place)
    }
}

/// Returns true if angle brackets contain an HTML tag, not type arguments.
fn is_html(inside: &str) -> bool {
    let name = inside.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    HTML_TAGS.contains(&name.as_str())
}

const HTML_TAGS: [&str; 39] = [
    "a", "b", "br", "center", "code", "dd", "details", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "hr", "i",
    "img", "kbd", "li", "ol", "p", "picture", "pre", "small", "source", "span", "strong", "sub", "summary", "sup",
    "table", "tbody", "td", "th", "thead", "tr", "tt", "ul",
];

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
            ("[a](b", "a(b"),
            ("![image [with](brackets)](address) text", "text"),
            ("[[[[[[[[[[deep]]]]]]]]]]", "[[deep]]"),
        ] {
            assert_eq!(strip_markup(text), expected, "{text}");
        }
    }
}
