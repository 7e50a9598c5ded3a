//! Citations: a draft cites places by their numbers, and nothing that it was not shown.

/// A draft, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Cited {
    /// Numbers that stand for no place are taken out; the others stay.
    pub(in super::super) text: String,
    /// Indices of places, in the order in which they are first cited.
    pub(in super::super) places: Vec<usize>,
    /// Numbers and paths that stand for nothing that was retrieved.
    pub(in super::super) foreign: Vec<String>,
}

/// Endings of words that are taken for paths.
const PATH_ENDINGS: [&str; 30] = [
    ".rs", ".py", ".go", ".ts", ".tsx", ".js", ".jsx", ".java", ".kt", ".rb", ".php", ".cs", ".c", ".h", ".cc", ".cpp",
    ".hpp", ".proto", ".sql", ".sh", ".md", ".rst", ".toml", ".yaml", ".yml", ".json", ".xml", ".gradle", ".cfg",
    ".ini",
];

/// Reads what a draft cites: `[2]` or `[1, 3]`, counted from 1, and paths that it names. Places are pairs of an alias and a
/// path.
pub(in super::super) fn citations(draft: &str, places: &[(String, String)]) -> Cited {
    let mut cited = Cited { text: String::with_capacity(draft.len()), places: Vec::new(), foreign: Vec::new() };
    let mut rest = draft;
    while let Some(open) = rest.find('[') {
        cited.text.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        let inside = after.find(']').map(|close| &after[..close]);
        // Straight after a name it is an index of code.
        let is_index = rest[..open].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
        let Some(numbers) = inside.filter(|_| !is_index).and_then(numbers) else {
            cited.text.push('[');
            rest = after;
            continue;
        };
        let mut kept: Vec<String> = Vec::new();
        for number in numbers {
            if (1..=places.len()).contains(&number) {
                push(&mut cited.places, number - 1);
                kept.push(number.to_string());
            } else {
                push(&mut cited.foreign, format!("[{number}]"));
            }
        }
        if !kept.is_empty() {
            cited.text.push_str(&format!("[{}]", kept.join(", ")));
        }
        rest = &after[inside.map_or(0, str::len) + 1..];
    }
    cited.text.push_str(rest);
    for path in paths(draft) {
        match places.iter().position(|(alias, known)| is_of(path, alias, known)) {
            Some(place) => push(&mut cited.places, place),
            None => push(&mut cited.foreign, path.to_owned()),
        }
    }
    cited
}

fn numbers(inside: &str) -> Option<Vec<usize>> {
    let parse = |part: &str| part.trim().parse::<usize>().ok();
    inside.split([',', ';']).map(parse).collect()
}

/// Returns the words of a text that are paths: with a folder and a known ending. A bare file name may as well be a module.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/'));
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '`' | '"'));
    let without_lines = |word: &str| -> usize {
        let end = word.rfind(':').filter(|at| word[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
        end.unwrap_or(word.len())
    };
    words.map(move |word| word.trim_matches(is_edge)).map(move |word| &word[..without_lines(word)]).filter(|word| {
        word.contains('/') && !word.contains("://") && PATH_ENDINGS.iter().any(|ending| word.ends_with(ending))
    })
}

fn is_of(path: &str, alias: &str, known: &str) -> bool {
    let path = path.strip_prefix(alias).map_or(path, |rest| rest.trim_start_matches([':', '/']));
    known == path || known.strip_suffix(path).is_some_and(|before| before.ends_with('/'))
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_retrieved_is_not_cited() {
        let place = |alias: &str, path: &str| (alias.to_owned(), path.to_owned());
        let places = [place("web", "src/app/session.py"), place("api", "lib/retry.rs")];
        for (draft, text, cited, foreign) in [
            ("Signed here [1].", "Signed here [1].", &[0][..], &[][..]),
            ("Both [2, 1] and [2].", "Both [2, 1] and [2].", &[1, 0], &[]),
            ("Some [1, 9].", "Some [1].", &[0], &["[9]"]),
            ("None [3].", "None .", &[], &["[3]"]),
            ("See `app/session.py:12` and web:src/app/session.py.", "", &[0], &[]),
            ("See lib/other.rs [2].", "", &[1], &["lib/other.rs"]),
            ("The list a[0] = [x] stays.", "", &[], &[]),
            ("See https://example.com/a.py, and [", "", &[], &[]),
        ] {
            let got = citations(draft, &places);
            let expected = if text.is_empty() { draft } else { text };
            assert_eq!(got.text, expected);
            assert_eq!((got.places.as_slice(), got.foreign.as_slice()), (cited, &owned(foreign)[..]), "{draft}");
        }
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}
