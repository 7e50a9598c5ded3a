//! Writes Markdown of bounded size.

use std::borrow::Cow;

/// A Markdown text under construction. Lines that exceed the maximum size are skipped.
pub(crate) struct BoundedMarkdown {
    text: String,
    max_bytes: usize,
}

impl BoundedMarkdown {
    /// Starts a text of at most `max_bytes` with its heading.
    pub(crate) fn new(heading: &str, max_bytes: usize) -> BoundedMarkdown {
        let mut markdown = BoundedMarkdown { text: String::with_capacity(max_bytes), max_bytes };
        markdown.text.push_str("# ");
        markdown.text.push_str(&shorten(heading, max_bytes / 2));
        markdown.text.push('\n');
        markdown
    }

    /// Returns the text.
    pub(crate) fn finish(mut self) -> String {
        self.text.shrink_to_fit();
        self.text
    }

    /// Writes a line, unless it is empty.
    pub(crate) fn line(&mut self, line: &str) {
        if !line.is_empty() && self.remaining_bytes() > line.len() {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Writes a paragraph of at most `max_bytes`, unless it is empty.
    pub(crate) fn paragraph(&mut self, text: &str, max_bytes: usize) {
        let max_bytes = max_bytes.min(self.remaining_bytes().saturating_sub(2));
        if text.is_empty() || max_bytes < MIN_PARAGRAPH_BYTES {
            return;
        }
        self.text.push('\n');
        self.text.push_str(&shorten(text, max_bytes));
        self.text.push('\n');
    }

    /// Writes a label and comma-separated items, as many as fit into `max_bytes`. If `n_all` exceeds the number of written
    /// items, the line ends with the number of omitted ones.
    pub(crate) fn list(&mut self, label: &str, items: impl Iterator<Item = String>, n_all: usize, max_bytes: usize) {
        let max_bytes = max_bytes.min(self.remaining_bytes().saturating_sub(MORE_BYTES));
        let mut line = String::new();
        let mut n_items = 0;
        for item in items {
            if label.len() + line.len() + item.len() + 4 > max_bytes {
                break;
            }
            line.push_str(if n_items == 0 { "" } else { ", " });
            line.push_str(&item);
            n_items += 1;
        }
        if n_items == 0 {
            return;
        }
        let n_omitted = n_all.saturating_sub(n_items);
        let more = if n_omitted > 0 { format!(", +{n_omitted}") } else { String::new() };
        self.text.push_str(&format!("\n{label}: {line}{more}\n"));
    }

    /// Writes a label and lines below it, as many as fit into `max_bytes`. The first line that does not fit ends the list.
    pub(crate) fn lines(&mut self, label: &str, lines: impl Iterator<Item = String>, max_bytes: usize) {
        let max_bytes = max_bytes.min(self.remaining_bytes());
        let mut block = format!("\n{label}:\n");
        let empty = block.len();
        for line in lines {
            if block.len() + line.len() + 3 > max_bytes {
                break;
            }
            block.push_str("- ");
            block.push_str(&line);
            block.push('\n');
        }
        if block.len() > empty {
            self.text.push_str(&block);
        }
    }

    fn remaining_bytes(&self) -> usize {
        self.max_bytes.saturating_sub(self.text.len())
    }
}

/// Minimum space in bytes for a paragraph; with less space it is omitted.
const MIN_PARAGRAPH_BYTES: usize = 40;

/// Maximum size of the end of a list: line feeds, and the number of omitted items.
const MORE_BYTES: usize = 12;

/// Shortens text to `max_bytes` at a word boundary.
pub(crate) fn shorten(text: &str, max_bytes: usize) -> Cow<'_, str> {
    const ELLIPSIS: &str = "…";
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let most = max_bytes.saturating_sub(ELLIPSIS.len()).min(text.len());
    let cut = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let whole_words = text[..cut].rfind(char::is_whitespace).filter(|end| *end > cut / 2).unwrap_or(cut);
    Cow::Owned(format!("{}{ELLIPSIS}", text[..whole_words].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shortened_at_word_boundaries() {
        for (text, max_bytes, expected) in [
            ("one two", 7, "one two"),
            ("one two three", 12, "one two…"),
            ("onetwothreefour", 9, "onetwo…"),
            ("übermäßig", 6, "üb…"),
            ("a", 0, "…"),
        ] {
            assert_eq!(shorten(text, max_bytes), expected, "{text}");
        }
    }

    #[test]
    fn the_size_is_never_exceeded() {
        for max_bytes in [0, 20, 60, 200] {
            let mut markdown = BoundedMarkdown::new("a heading of some length", max_bytes);
            markdown.line(&"line ".repeat(8));
            markdown.paragraph(&"word ".repeat(40), 80);
            markdown.list("Used by", (0..50).map(|n| format!("file{n}")), 90, 100);
            markdown.lines("API", (0..50).map(|n| format!("name{n}")), 100);
            let text = markdown.finish();
            assert!(text.len() <= max_bytes.max(8), "{max_bytes}: {text}");
        }
    }

    #[test]
    fn lists_end_with_the_number_of_omitted_items() {
        let mut markdown = BoundedMarkdown::new("a", 200);
        markdown.list("Used by", ["x".to_owned(), "y".to_owned()].into_iter(), 5, 100);
        markdown.list("Empty", std::iter::empty(), 0, 100);
        assert_eq!(markdown.finish(), "# a\n\nUsed by: x, y, +3\n");
    }
}
