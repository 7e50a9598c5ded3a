//! The paper of a page: Markdown that never grows over its size.

use std::borrow::Cow;

/// A page that is being written. What does not fit any more is left out, line by line.
pub(crate) struct Sheet {
    text: String,
    max_bytes: usize,
}

impl Sheet {
    /// Begins a page of at most `max_bytes` with its heading.
    pub(crate) fn new(heading: &str, max_bytes: usize) -> Sheet {
        let mut sheet = Sheet { text: String::with_capacity(max_bytes), max_bytes };
        sheet.text.push_str("# ");
        sheet.text.push_str(&shortened(heading, max_bytes / 2));
        sheet.text.push('\n');
        sheet
    }

    /// Returns the page.
    pub(crate) fn finish(mut self) -> String {
        self.text.shrink_to_fit();
        self.text
    }

    /// Writes a line of its own, unless it is empty.
    pub(crate) fn line(&mut self, line: &str) {
        if !line.is_empty() && self.left() > line.len() {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Writes a paragraph of at most `max_bytes`, unless it is empty.
    pub(crate) fn paragraph(&mut self, text: &str, max_bytes: usize) {
        let max_bytes = max_bytes.min(self.left().saturating_sub(2));
        if text.is_empty() || max_bytes < MIN_PARAGRAPH_BYTES {
            return;
        }
        self.text.push('\n');
        self.text.push_str(&shortened(text, max_bytes));
        self.text.push('\n');
    }

    /// Writes a label and items with commas between them, as many as fit into `max_bytes`. Where `n_all` is more than
    /// were written, the line ends in how many are left out.
    pub(crate) fn list(&mut self, label: &str, items: impl Iterator<Item = String>, n_all: usize, max_bytes: usize) {
        let max_bytes = max_bytes.min(self.left().saturating_sub(MORE_BYTES));
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
        let n_left_out = n_all.saturating_sub(n_items);
        let more = if n_left_out > 0 { format!(", +{n_left_out}") } else { String::new() };
        self.text.push_str(&format!("\n{label}: {line}{more}\n"));
    }

    /// Writes a label and lines below it, as many as fit into `max_bytes`; one that does not fit ends the list.
    pub(crate) fn lines(&mut self, label: &str, lines: impl Iterator<Item = String>, max_bytes: usize) {
        let max_bytes = max_bytes.min(self.left());
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

    fn left(&self) -> usize {
        self.max_bytes.saturating_sub(self.text.len())
    }
}

/// A paragraph that would have to be shorter than this is left out.
const MIN_PARAGRAPH_BYTES: usize = 40;

/// What the end of a list may take: line feeds, and how many items are left out.
const MORE_BYTES: usize = 12;

/// Cuts text before the word that does not fit into `max_bytes`.
pub(crate) fn shortened(text: &str, max_bytes: usize) -> Cow<'_, str> {
    const ELLIPSIS: &str = "…";
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let most = max_bytes.saturating_sub(ELLIPSIS.len()).min(text.len());
    let kept = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let whole_words = text[..kept].rfind(char::is_whitespace).filter(|end| *end > kept / 2).unwrap_or(kept);
    Cow::Owned(format!("{}{ELLIPSIS}", text[..whole_words].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_words() {
        for (text, max_bytes, expected) in [
            ("one two", 7, "one two"),
            ("one two three", 12, "one two…"),
            ("onetwothreefour", 9, "onetwo…"),
            ("übermäßig", 6, "üb…"),
            ("a", 0, "…"),
        ] {
            assert_eq!(shortened(text, max_bytes), expected, "{text}");
        }
    }

    #[test]
    fn no_page_outgrows_its_size() {
        for max_bytes in [0, 20, 60, 200] {
            let mut sheet = Sheet::new("a heading of some length", max_bytes);
            sheet.line(&"line ".repeat(8));
            sheet.paragraph(&"word ".repeat(40), 80);
            sheet.list("Used by", (0..50).map(|n| format!("file{n}")), 90, 100);
            sheet.lines("API", (0..50).map(|n| format!("name{n}")), 100);
            let text = sheet.finish();
            assert!(text.len() <= max_bytes.max(8), "{max_bytes}: {text}");
        }
    }

    #[test]
    fn lists_tell_what_they_leave_out() {
        let mut sheet = Sheet::new("a", 200);
        sheet.list("Used by", ["x".to_owned(), "y".to_owned()].into_iter(), 5, 100);
        sheet.list("Empty", std::iter::empty(), 0, 100);
        assert_eq!(sheet.finish(), "# a\n\nUsed by: x, y, +3\n");
    }
}
