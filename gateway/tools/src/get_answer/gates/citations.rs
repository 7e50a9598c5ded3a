//! Citation gate: a draft cites spans by number, and only those that it was shown.

use super::{
    citation_marks::{DraftPiece, pieces},
    identifiers::contains_word,
    paths::paths,
};

/// A draft and its citations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct CitedDraft {
    /// Invalid numbers are removed; the others stay.
    pub(in super::super) text: String,
    /// Indices of spans, in the order of their first citation.
    pub(in super::super) places: Vec<usize>,
    /// Numbers and paths that were not retrieved.
    pub(in super::super) foreign: Vec<String>,
}

/// Reads the citations of a draft, by number and by path. `places` holds pairs of alias and path; a bare file name may
/// also occur in `retrieved`.
pub(in super::super) fn citations(draft: &str, places: &[(String, String)], retrieved: &str) -> CitedDraft {
    let mut cited = CitedDraft { text: String::with_capacity(draft.len()), places: Vec::new(), foreign: Vec::new() };
    for piece in pieces(draft) {
        match piece {
            DraftPiece::Text(text) => cited.text.push_str(text),
            DraftPiece::Mark(numbers) => cite(&mut cited, &numbers, places.len()),
        }
    }
    for path in paths(draft) {
        let (has_folder, candidates) = (path.contains('/'), matching_places(path, places));
        match candidates.first() {
            // A file name that several files share cites none of them.
            Some(first) if has_folder || candidates.iter().all(|place| places[*place] == places[*first]) => {
                push(&mut cited.places, *first);
            }
            None if has_folder || !contains_word(retrieved, path) => push(&mut cited.foreign, path.to_owned()),
            _ => {}
        }
    }
    cited
}

/// Adds a mark without its invalid numbers.
fn cite(cited: &mut CitedDraft, numbers: &[usize], n_places: usize) {
    let (known, foreign): (Vec<usize>, Vec<usize>) =
        numbers.iter().copied().partition(|number| (1..=n_places).contains(number));
    known.iter().for_each(|number| push(&mut cited.places, number - 1));
    foreign.iter().for_each(|number| push(&mut cited.foreign, format!("[{number}]")));
    if !known.is_empty() {
        let shown: Vec<String> = known.iter().map(usize::to_string).collect();
        cited.text.push_str(&format!("[{}]", shown.join(", ")));
    }
}

/// Returns the indices of the spans that a path may mean.
fn matching_places(path: &str, places: &[(String, String)]) -> Vec<usize> {
    let of_places = places.iter().enumerate().filter(|(_, (alias, known))| is_path_of(path, alias, known));
    of_places.map(|(place, _)| place).collect()
}

/// Returns true if a path means a file: it is a suffix of the file's path, with or without the alias.
fn is_path_of(path: &str, alias: &str, known: &str) -> bool {
    let ends_in = |end: &str| known == end || known.strip_suffix(end).is_some_and(|before| before.ends_with('/'));
    let of_alias = path.strip_prefix(alias).filter(|rest| rest.starts_with([':', '/']));
    ends_in(path) || of_alias.is_some_and(|rest| ends_in(rest.trim_start_matches([':', '/'])))
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
    fn only_retrieved_files_are_cited() {
        let place = |alias: &str, path: &str| (alias.to_owned(), path.to_owned());
        let places = [
            place("web", "src/app/session.py"),
            place("api", "lib/retry.rs"),
            place("web", "README.md"),
            place("api", "README.md"),
        ];
        let retrieved = "def sign(): run('setup.py')";
        for (draft, text, cited, foreign) in [
            ("Signed here [1].", "Signed here [1].", &[0][..], &[][..]),
            ("Both [2, 1] and [2].", "Both [2, 1] and [2].", &[1, 0], &[]),
            ("Some [1, 9].", "Some [1].", &[0], &["[9]"]),
            ("None [5].", "None .", &[], &["[5]"]),
            ("All of them [1-2].", "All of them [1, 2].", &[0, 1], &[]),
            ("As a note [^1].", "As a note [1].", &[0], &[]),
            ("See `app/session.py:12` and web:src/app/session.py.", "", &[0], &[]),
            ("See lib/other.rs [2].", "", &[1], &["lib/other.rs"]),
            ("It is in session.py.", "", &[0], &[]),
            ("The README.md tells [2], and `setup.py` runs.", "", &[1], &[]),
            ("It is in `secret_store.py` [1].", "", &[0], &["secret_store.py"]),
            (
                "See src/components/Hidden.vue, infra/main.tf and src/Dockerfile [1].",
                "",
                &[0],
                &["src/components/Hidden.vue", "infra/main.tf", "src/Dockerfile"],
            ),
            ("See website/app/session.py [1].", "", &[0], &["website/app/session.py"]),
            ("It needs Vue.js, `flask.Flask` and `self.app`, e.g. os.path [1].", "", &[0], &[]),
            ("The list a[0] = [x] stays.", "", &[], &[]),
            ("See https://example.com/a.py, and [", "", &[], &[]),
        ] {
            let got = citations(draft, &places, retrieved);
            let expected = if text.is_empty() { draft } else { text };
            assert_eq!(got.text, expected);
            assert_eq!((got.places.as_slice(), got.foreign.as_slice()), (cited, &owned(foreign)[..]), "{draft}");
        }
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}
