//! Removes characters that a reader cannot see but a terminal or a model processes: control characters, terminal escapes,
//! direction overrides, and invisible characters.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// Returns `text` without control characters (tab and line feed stay), terminal escape sequences, direction controls
/// and invisible characters.
///
/// The number of line feeds is kept, so line numbers stay valid; `\r\n` becomes `\n`. Emoji stay readable, although
/// sequences joined by an invisible character are split.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    strip(text, |c| matches!(c, '\n' | '\t'))
}

/// Returns a name, path or id for one line: like [`sanitise`], but also without tabs and line feeds.
pub fn sanitise_name(name: &str) -> Cow<'_, str> {
    strip(name, |_| false)
}

/// Strips `text`; keeps the control characters for which `is_layout` returns true.
fn strip(text: &str, is_layout: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Fast path for most source: examining characters takes ten times as long.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') || is_layout(char::from(byte))) {
        return Cow::Borrowed(text);
    }
    let is_suspect = |c: char| (c.is_control() && !is_layout(c)) || is_invisible(c) || is_variation_selector(c);
    let Some(first_suspect) = text.find(is_suspect) else { return Cow::Borrowed(text) };

    let (prefix, rest) = text.split_at(first_suspect);
    let mut stripped = String::with_capacity(text.len());
    stripped.push_str(prefix);
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape_sequence(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            _ if is_variation_selector(c) => {
                if stripped.ends_with(|base| selects(c, base)) {
                    stripped.push(c);
                }
            }
            _ if is_suspect(c) => {}
            _ => stripped.push(c),
        }
    }
    if stripped == text { Cow::Borrowed(text) } else { Cow::Owned(stripped) }
}

/// Skips the rest of an escape sequence as defined by ECMA-48.
fn skip_escape_sequence(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => skip_control_string(chars),
        Some(' '..='/') => {
            while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
        Some('0'..='~') => {
            chars.next();
        }
        _ => {}
    }
}

/// Skips parameters, intermediates and the final character, such as `31;1m`. A malformed sequence ends at its error.
fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, '0'..='?')).is_some() {}
    while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Skips a control string, such as a title or a hyperlink, up to its terminator. An unterminated one ends with its line.
fn skip_control_string(chars: &mut Peekable<Chars<'_>>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// Returns true if `c` has no glyph and no use in source code, or changes the direction of the following text.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}'                       // soft hyphen
        | '\u{34f}'                    // combining grapheme joiner
        | '\u{61c}'                    // Arabic letter mark
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{17b4}' | '\u{17b5}'      // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}'      // Mongolian selectors and vowel separator
        | '\u{200b}'..='\u{200f}'      // zero-width characters and direction marks
        | '\u{2028}'..='\u{202e}'      // line and paragraph separator, direction embeddings and overrides
        | '\u{2060}'..='\u{206f}'      // word joiner, invisible operators, direction isolates
        | '\u{feff}'                   // byte order mark
        | '\u{fff9}'..='\u{fffb}'      // interlinear annotation
        | '\u{1d173}'..='\u{1d17a}'    // musical beams and slurs
        | '\u{e0000}'..='\u{e00ff}'    // tags, able to spell out hidden ASCII
        | '\u{e01f0}'..='\u{e0fff}'    // unassigned, ignored by every renderer
    )
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns true if `selector` visibly changes `base`: it selects the emoji or the text form of a pictograph.
///
/// All others are dropped, since a row of selectors can carry a hidden message, one byte in each.
fn selects(selector: char, base: char) -> bool {
    matches!(selector, '\u{fe0e}' | '\u{fe0f}') && base >= '\u{a9}' && !is_variation_selector(base)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_invisible_characters_are_removed() {
        for (text, expected) in [
            ("fn a() {\n\tb()\n}\n", "fn a() {\n\tb()\n}\n"),
            ("a\r\nb\rc\r\n", "a\nbc\n"),
            ("nul\0 bell\x07 del\x7f c1\u{85}", "nul bell del c1"),
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("\u{9b}31mred", "red"),
            ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x07", "link"),
            ("\x1b]0;unterminated\nnext", "\nnext"),
            ("\x1b(Bplain\x1b7\x1b", "plain"),
            ("\x1b[31\nbroken", "\nbroken"),
            ("if access != \"user\u{202e} \u{2066}// admin\u{2069}\"", "if access != \"user // admin\""),
            ("\u{feff}use\u{200b} st\u{ad}d;\u{2060}\u{61c}\u{200f}", "use std;"),
            ("a\u{e0041}\u{e0042}b", "ab"),
            ("line\u{2028}separator", "lineseparator"),
            ("☎\u{fe0f} ☎\u{fe0e}", "☎\u{fe0f} ☎\u{fe0e}"),
            ("☎\u{fe0f}\u{fe01}\u{fe0f}\u{e0101}a\u{fe0f}", "☎\u{fe0f}a"),
            ("👩\u{200d}🔧 🚢 🇳🇴", "👩🔧 🚢 🇳🇴"),
            ("Bjørn Ærø 渡し船 परिवहन", "Bjørn Ærø 渡し船 परिवहन"),
        ] {
            assert_eq!(sanitise(text), expected, "{text:?}");
        }
    }

    #[test]
    fn names_are_one_line() {
        assert_eq!(sanitise_name("src/a\n.rs\t\u{202e}"), "src/a.rs");
        assert!(matches!(sanitise_name("src/a.rs"), Cow::Borrowed(_)));
    }

    fn hostile_text() -> impl Strategy<Value = String> {
        let hostile = "[\\n\\r\\t\\x1b\\[\\]\\\\a-f0-9;m\\x07\
            \u{9b}\u{9c}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{fe00}-\u{fe0f}\u{e0100}☎é]{0,60}";
        prop_oneof![hostile, "(?s).{0,60}"]
    }

    proptest! {
        #[test]
        fn sanitising_is_idempotent(text in hostile_text()) {
            let once = sanitise(&text).into_owned();
            prop_assert!(matches!(sanitise(&once), Cow::Borrowed(_)), "{:?}", once);
        }

        #[test]
        fn lines_are_kept(text in hostile_text()) {
            prop_assert_eq!(sanitise(&text).matches('\n').count(), text.matches('\n').count());
        }

        #[test]
        fn no_invisible_character_is_left(text in hostile_text()) {
            let is_hidden = |c: char| is_invisible(c) || (c.is_control() && !matches!(c, '\n' | '\t'));
            prop_assert_eq!(sanitise(&text).find(is_hidden), None);
        }
    }
}
