//! A position in a text that moves forward over what it recognises.

/// A position in a text.
#[derive(Clone, Copy)]
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    /// The offset in bytes; always at the start of a character.
    pub(super) at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Reader<'t> {
        Reader { text, at }
    }

    /// Returns the text from here on.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Returns the next byte; 0 at the end of the text.
    pub(super) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Returns the byte before the position; a line feed at the start of the text.
    pub(super) fn before(&self) -> u8 {
        self.text.as_bytes()[..self.at].last().copied().unwrap_or(b'\n')
    }

    /// Moves over `expected`, and returns true if it is next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let is_next = self.rest().as_bytes().starts_with(expected.as_bytes());
        self.at += if is_next { expected.len() } else { 0 };
        is_next
    }

    /// Moves over at most `max` bytes of ASCII for which `is_skipped` returns true, and returns their number.
    pub(super) fn skip_while(&mut self, max: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let n = rest.iter().take(max).take_while(|byte| byte.is_ascii() && is_skipped(**byte)).count();
        self.at += n;
        n
    }

    /// Moves over at most `max` spaces and tabs, and returns their number.
    pub(super) fn skip_blanks(&mut self, max: usize) -> usize {
        self.skip_while(max, |byte| matches!(byte, b' ' | b'\t'))
    }

    /// Moves over at most `max` characters of whitespace, and returns their number.
    pub(super) fn skip_space(&mut self, max: usize) -> usize {
        self.skip_while(max, |byte| byte.is_ascii_whitespace())
    }

    /// Moves over the mark that continues a statement on the next line, and over the blanks there. Returns true if there is one.
    pub(super) fn skip_continuation(&mut self, max_blanks: usize) -> bool {
        let is_continued = ["\\\n", "\\\r\n", "`\n", "^\r\n"].iter().any(|mark| self.eat(mark));
        if is_continued {
            self.skip_blanks(max_blanks);
        }
        is_continued
    }

    /// Returns the text from here on; at most `max` bytes.
    pub(super) fn window(&self, max: usize) -> &'t str {
        let latest = self.text.len().min(self.at + max);
        let end = (self.at..=latest).rev().find(|end| self.text.is_char_boundary(*end)).unwrap_or(self.at);
        &self.text[self.at..end]
    }

    /// Returns the text before the position; at most `max` bytes.
    pub(super) fn text_before(&self, max: usize) -> &'t str {
        let earliest = self.at.saturating_sub(max);
        let start = (earliest..=self.at).find(|start| self.text.is_char_boundary(*start)).unwrap_or(self.at);
        &self.text[start..self.at]
    }

    /// Returns true if only blanks, and perhaps a comment, are left of the line.
    pub(super) fn is_at_line_end(mut self) -> bool {
        /// Number of blanks before a comment. It bounds the work for a hostile text.
        const MAX_BLANKS: usize = 100;
        let n_blanks = self.skip_blanks(MAX_BLANKS);
        self.eat("\r");
        matches!(self.peek(), 0 | b'\n') || (n_blanks > 0 && (matches!(self.peek(), b'#' | b';') || self.eat("//")))
    }
}
