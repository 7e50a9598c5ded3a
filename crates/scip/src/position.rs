//! Ranges of characters within a line.

use crate::PositionEncoding;

/// Returns the text of a range of characters of a line; `None` if the line ends before, or if the range divides a character.
pub(crate) fn slice(line: &str, start: u32, end: u32, encoding: PositionEncoding) -> Option<&str> {
    let (start, end) = (offset(line, start, encoding)?, offset(line, end, encoding)?);
    line.get(start..end)
}

/// Returns the byte at which a character of a line begins.
fn offset(line: &str, character: u32, encoding: PositionEncoding) -> Option<usize> {
    let character = character as usize;
    if encoding == PositionEncoding::Utf8 || line.is_ascii() {
        return (character <= line.len()).then_some(character);
    }
    let width = |c: char| if encoding == PositionEncoding::Utf32 { 1 } else { c.len_utf16() };
    let mut n_before = 0;
    for (byte, c) in line.char_indices() {
        if n_before >= character {
            return (n_before == character).then_some(byte);
        }
        n_before += width(c);
    }
    (n_before == character).then_some(line.len())
}

/// Returns true if a range of a line, given as a part of it, neither begins nor ends within an identifier.
pub(crate) fn is_whole_token(line: &str, part: &str) -> bool {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    let (before, after) = (&line[..start], &line[start + part.len()..]);
    let divides = |left: Option<char>, right: Option<char>| {
        left.is_some_and(is_identifier_part) && right.is_some_and(is_identifier_part)
    };
    let (first, last) = (part.chars().next(), part.chars().next_back());
    !divides(before.chars().next_back(), first) && !divides(last, after.chars().next())
}

fn is_identifier_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use PositionEncoding::*;

    #[test]
    fn characters_are_counted_in_the_unit_of_the_index() {
        let line = "a = '😀é' + name";
        for (encoding, start) in [(Utf8, 15), (Utf16, 12), (Utf32, 11), (Unspecified, 12)] {
            assert_eq!(slice(line, start, start + 4, encoding), Some("name"), "{encoding:?}");
            assert_eq!(slice(line, start, start + 9, encoding), None, "{encoding:?}");
        }
        assert_eq!(slice(line, 5, 6, Utf8), None);
        assert_eq!(slice(line, 5, 6, Utf16), None);
        assert_eq!(slice("abc", 3, 3, Utf16), Some(""));
        assert_eq!(slice("abc", 2, 1, Utf16), None);
        assert_eq!(slice("é", 1, 1, Utf16), Some(""));
    }

    #[test]
    fn a_part_of_an_identifier_is_no_token() {
        let line = "let name = other(x);";
        for (start, end, expected) in [(4, 8, true), (4, 7, false), (5, 8, false), (11, 16, true), (8, 8, true)] {
            assert_eq!(is_whole_token(line, &line[start..end]), expected, "{start}..{end}");
        }
    }
}
