//! Extracts the first sentence of a doc comment for output.

use crate::{clean, sentences};

/// Maximum length of a sentence in characters, for layouts with one line for it.
const MAX_SENTENCE_CHARS: usize = 120;

/// Returns the cleaned first sentence of a doc comment on one line.
pub fn first_sentence(doc: &str) -> String {
    /// Maximum number of characters examined. The sentence is shortened long before.
    const MAX_READ_CHARS: usize = 1_000;
    let beginning = doc.char_indices().nth(MAX_READ_CHARS).map_or(doc, |(end, _)| &doc[..end]);
    let cleaned = clean(beginning);
    let lines = cleaned.lines().map(str::trim).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let paragraph = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let sentence = sentences(&paragraph).next().unwrap_or_default();
    match sentence.char_indices().nth(MAX_SENTENCE_CHARS) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_a_doc_is_returned() {
        let long = "word ".repeat(50);
        let cut = format!("{}…", "word ".repeat(24).trim_end());
        for (doc, expected) in [
            ("", ""),
            ("Returns it.", "Returns it."),
            ("\n  Returns what\n  was asked. More of it.\n", "Returns what was asked."),
            ("Takes names, e.g. of files, in v1.2 form. Rest", "Takes names, e.g. of files, in v1.2 form."),
            ("A title\n\nA text.", "A title"),
            ("Really? Yes", "Really?"),
            (&long, &cut),
        ] {
            assert_eq!(first_sentence(doc), expected, "{doc:?}");
        }
    }
}
