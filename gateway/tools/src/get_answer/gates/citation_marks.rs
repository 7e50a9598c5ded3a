//! Citation marks: numbers of spans in square brackets.

/// A piece of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::get_answer) enum DraftPiece<'d> {
    Text(&'d str),
    /// The numbers of one mark as written, counted from 1.
    Mark(Vec<usize>),
}

/// Maximum length of a range; of a longer one only the ends count.
const MAX_RANGE: usize = 20;

/// Splits a draft into its text and its marks: `[2]`, `[1, 3]`, `[1-3]` and `[^1]`.
pub(in crate::get_answer) fn pieces(draft: &str) -> Vec<DraftPiece<'_>> {
    let mut found = Vec::new();
    let (mut begin, mut from) = (0, 0);
    while let Some(open) = draft[from..].find('[').map(|at| from + at) {
        let (before, text) = (&draft[begin..open], &draft[open..]);
        match leading(text).filter(|_| !is_code(before, text)) {
            Some((numbers, after)) => {
                found.push(DraftPiece::Text(before));
                found.push(DraftPiece::Mark(numbers));
                begin = draft.len() - after.len();
                from = begin;
            }
            None => from = open + 1,
        }
    }
    found.push(DraftPiece::Text(&draft[begin..]));
    found
}

/// Returns the numbers of the mark at the beginning of a text, and the rest.
pub(super) fn leading(text: &str) -> Option<(Vec<usize>, &str)> {
    let (inside, after) = text.strip_prefix('[')?.split_once(']')?;
    Some((numbers(inside)?, after))
}

/// Returns true if a text has words other than its marks.
pub(super) fn has_words(text: &str) -> bool {
    let has_alphanumeric =
        |piece: &DraftPiece<'_>| matches!(piece, DraftPiece::Text(prose) if prose.contains(char::is_alphanumeric));
    pieces(text).iter().any(has_alphanumeric)
}

/// Returns true if the bracket at the beginning of `text` is code: an index after a name, or a character class in
/// backticks.
fn is_code(before: &str, text: &str) -> bool {
    let is_index = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
    let line = before.rsplit('\n').next().unwrap_or(before);
    let is_quoted = line.matches('`').count() % 2 == 1;
    let is_class = text.split(']').next().is_some_and(|inside| inside.contains('-'));
    is_index || (is_quoted && is_class)
}

fn numbers(inside: &str) -> Option<Vec<usize>> {
    let plain = inside.replace('–', "-").replace(" - ", "-");
    let parts = plain.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).filter(|part| !part.is_empty());
    let ranges = parts.map(range).collect::<Option<Vec<Vec<usize>>>>()?;
    Some(ranges.concat()).filter(|numbers| !numbers.is_empty())
}

/// Parses `2`, `^2` or `1-3`. A range begins at 1 or more: `[0-9]` is a character class.
fn range(part: &str) -> Option<Vec<usize>> {
    let number = |text: &str| text.strip_prefix('^').unwrap_or(text).parse::<usize>().ok();
    let Some((first, last)) = part.split_once('-') else { return Some(vec![number(part)?]) };
    let (first, last) = (number(first).filter(|first| *first > 0)?, number(last)?);
    if first <= last && last - first < MAX_RANGE { Some((first..=last).collect()) } else { Some(vec![first, last]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citation_marks_are_distinguished_from_code() {
        for (draft, expected) in [
            ("It opens [2], then [1, 3]; [4;5] [6 7].", &[2_usize, 1, 3, 4, 5, 6, 7][..]),
            ("It opens [1-3], [^4] and [5–6].", &[1, 2, 3, 4, 5, 6]),
            ("Both [1][2].", &[1, 2]),
            ("Too wide: [1-999].", &[1, 999]),
            ("a[0] `[1-9]` [0-9] [int] [ [] [x, 1] [exactly 17 times]", &[]),
            ("An open `[` swallows nothing [1].", &[1]),
        ] {
            let numbers =
                |piece: DraftPiece<'_>| if let DraftPiece::Mark(numbers) = piece { numbers } else { Vec::new() };
            let found: Vec<usize> = pieces(draft).into_iter().flat_map(numbers).collect();
            assert_eq!(found, expected, "{draft}");
        }
    }

    #[test]
    fn text_is_kept_as_it_is() {
        let expected = [DraftPiece::Text("It opens "), DraftPiece::Mark(vec![1]), DraftPiece::Text(" `a[0]`.")];
        assert_eq!(pieces("It opens [1] `a[0]`."), expected);
        for (text, has) in [("It opens [1].", true), ("[1], [2].", false), ("", false), ("[x]", true)] {
            assert_eq!(has_words(text), has, "{text}");
        }
    }
}
