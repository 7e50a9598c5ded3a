//! What people and models type: queries, names, paths, globs and patterns, against names and paths of any kind.

use std::sync::LazyLock;

use index::{Snapshot, SymbolQuery, Wanted};
use model::{ContentKind, FileClass, Filter, Language, PageType, RepoId, SymbolKind};
use ranking::{
    Mode, QueryParts,
    analyser::{self, Analyser},
    name::{self, NamePattern},
    path,
    query::{self, MAX_TERMS},
    typo::Suspect,
};

use crate::generation::Sealed;

/// What is typed at a time: the lines of an input, in turn, as the fields of a request.
const N_FIELDS: usize = 4;

pub(crate) fn run(input: &[u8]) {
    let Some((mode, bytes)) = crate::choose(input, Mode::ALL) else { return };
    let text = String::from_utf8_lossy(bytes);
    check_query(&text, *mode);
    let mut lines = text.splitn(N_FIELDS, '\n');
    let [typed, known, scope, pattern] = std::array::from_fn(|_| lines.next().unwrap_or_default());
    check_names(typed, known);
    check_filter(typed, known, scope);
    check_patterns(typed, scope, pattern);
}

fn check_query(text: &str, mode: Mode) {
    let parts = query::read(text, mode);
    let QueryParts { terms, identifiers, paths, .. } = &parts;
    assert!(
        terms.len() <= MAX_TERMS && terms.iter().all(|term| !term.text.is_empty() && term.weight > 0.0),
        "{terms:?}"
    );
    assert!(identifiers.iter().chain(paths).all(|name| !name.trim().is_empty()), "{parts:?}");
    assert_eq!(query::read(text, mode), parts, "a query is read in one way");
    assert!(query::words_of_meaning(text).len() <= query::content_words(text).len());
    let mut numbers = Vec::new();
    let mut known = Analyser::default();
    known.analyse(text, &mut numbers);
    assert!(numbers.iter().all(|number| (*number as usize) < known.n_terms()));
    assert_eq!(analyser::terms(text).len(), known.n_terms());
}

fn check_names(typed: &str, known: &str) {
    let pattern = NamePattern::parse(typed);
    let folded = analyser::fold(known);
    let is_match = pattern.closeness(known, &folded).is_some();
    assert!(!is_match || !pattern.is_empty());
    let _ = (pattern.distance(&folded), pattern.beyond_container(known));
    drop((query::is_identifier(typed), query::is_stop_word(typed), analyser::words(typed)));
    let score = path::path_score(typed, known);
    assert!(score.is_finite() && score >= 0.0, "{typed} in {known}: {score}");
    for max in 0..3 {
        let (there, back) = (name::edit_distance(typed, known, max), name::edit_distance(known, typed, max));
        assert_eq!(there, back, "{typed} and {known}");
        assert!(there.is_none_or(|distance| (1..=max).contains(&distance)));
    }
    if let Some(suspect) = Suspect::new(typed) {
        let _ = (suspect.distance_of_term(known), suspect.distance_of_word(known));
        assert_eq!(suspect.parts().concat(), suspect.word);
    }
}

fn check_filter(typed: &str, known: &str, scope: &str) {
    let language = Language::of_path(known);
    let filter = Filter {
        content: ContentKind::parse(typed),
        symbol_kind: SymbolKind::parse(typed),
        language: Language::parse(typed),
        page_type: PageType::parse(typed),
        scope: scope.to_owned(),
    };
    assert!(filter.admits_path(known) || !filter.admits_file(known, FileClass::Source, language));
    if let Ok(repo) = typed.parse::<RepoId>() {
        assert_eq!(repo.to_string().parse(), Ok(repo));
    }
}

/// A generation of its own, opened once: patterns and globs are for the index to read.
static SNAPSHOT: LazyLock<Snapshot> = LazyLock::new(|| Sealed::new().open().expect("a sound generation can be opened"));

fn check_patterns(typed: &str, scope: &str, file_pattern: &str) {
    let id = Wanted::Id { path: scope.to_owned(), qualified: typed.to_owned(), ordinal: 0 };
    for wanted in [Wanted::Name(typed.to_owned()), Wanted::Regex(typed.to_owned()), id] {
        let filter = Filter { scope: scope.to_owned(), ..Filter::default() };
        let query = SymbolQuery { wanted, filter, file_pattern: file_pattern.to_owned(), limit: 3 };
        let found = SNAPSHOT.symbols(&query);
        assert_eq!(found.is_ok(), query.check().is_ok(), "{query:?}");
        assert!(found.is_ok_and(|found| found.hits.len() <= 3) || query.check().is_err());
    }
    drop(SNAPSHOT.outline(typed, 2));
    drop(Suspect::new(typed).map(|suspect| SNAPSHOT.suggest(&suspect)));
}
