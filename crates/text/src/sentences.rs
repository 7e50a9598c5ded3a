//! Splits paragraphs into sentences.

/// Abbreviations that end with a full stop within a sentence.
const ABBREVIATIONS: [&str; 8] = ["e.g", "i.e", "etc", "vs", "cf", "incl", "approx", "resp"];

/// Splits a one-line paragraph into its sentences. A sentence ends at a punctuation mark that is followed by white space and
/// by a word that can start a sentence. The full stop of an abbreviation does not count.
pub fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let mut begin = 0;
    let ends = paragraph.match_indices(['.', '!', '?', '。']).filter(|(at, mark)| {
        let (head, tail) = (&paragraph[..*at], &paragraph[at + mark.len()..]);
        match *mark {
            "。" => true,
            "." if is_abbreviation(head) && !tail.is_empty() => false,
            _ => tail.is_empty() || tail.strip_prefix(' ').is_some_and(can_start_sentence),
        }
    });
    let ends = ends.map(|(at, mark)| at + mark.len()).chain([paragraph.len()]);
    ends.filter_map(move |end| {
        let sentence = paragraph[begin..end].trim();
        begin = end;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Returns true if a text can start a sentence: not with a small letter, unless the word is a path or another name of code.
fn can_start_sentence(next: &str) -> bool {
    let word = next.split(' ').next().unwrap_or_default().trim_end_matches(['.', ',', ':']);
    !word.starts_with(char::is_lowercase) || word.contains(['/', '.', '_', '('])
}

/// Returns true if a text ends with an abbreviation or an initial, without its full stop.
fn is_abbreviation(head: &str) -> bool {
    let word = head.rsplit([' ', '(']).next().unwrap_or_default();
    let is_initial = word.len() == 1 && word.starts_with(char::is_uppercase);
    is_initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_split_at_their_ends() {
        for (paragraph, expected) in [
            ("", &[][..]),
            ("One.", &["One."]),
            ("One. Two! Three? Four", &["One.", "Two!", "Three?", "Four"]),
            (
                "Takes names, e.g. `a` (i.e. `B`), etc. in order. More",
                &["Takes names, e.g. `a` (i.e. `B`), etc. in order.", "More"],
            ),
            ("Built for renderers (e.g. `@vue/dom`), too.", &["Built for renderers (e.g. `@vue/dom`), too."]),
            ("It reads app.py. By J. Doe, v1.2.", &["It reads app.py.", "By J. Doe, v1.2."]),
            (
                "It is for the portal. docs/api.md describes it.",
                &["It is for the portal.", "docs/api.md describes it."],
            ),
            ("一。二。", &["一。", "二。"]),
            ("and so on, etc.", &["and so on, etc."]),
        ] {
            assert_eq!(sentences(paragraph).collect::<Vec<_>>(), expected, "{paragraph}");
        }
    }
}
