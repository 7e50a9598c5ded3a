//! Target: queries, names, paths, globs and patterns of any kind.

use std::sync::LazyLock;

use index::{Snapshot, SymbolQuery, SymbolSelector};
use model::{ContentKind, FileClass, Filter, Language, PageType, RepoId, SymbolKind};
use ranking::{
    QueryMode, QueryParts,
    analyser::{self, Analyser},
    edit_distance::edit_distance,
    name::NamePattern,
    path,
    query::{self, MAX_TERMS},
    typo::Suspect,
};

use crate::generation::Sealed;

/// Number of lines of an input, each a field of the request.
const N_FIELDS: usize = 4;

pub(crate) fn run(input: &[u8]) {
    let Some((mode, bytes)) = crate::choose(input, QueryMode::ALL) else { return };
    let text = String::from_utf8_lossy(bytes);
    check_query(&text, *mode);
    let mut lines = text.splitn(N_FIELDS, '\n');
    let [typed, known, scope, pattern] = std::array::from_fn(|_| lines.next().unwrap_or_default());
    check_names(typed, known);
    check_filter(typed, known, scope);
    check_patterns(typed, scope, pattern);
}

fn check_query(text: &str, mode: QueryMode) {
    let parts = query::parse(text, mode);
    let QueryParts { terms, identifiers, paths, .. } = &parts;
    assert!(
        terms.len() <= MAX_TERMS && terms.iter().all(|term| !term.text.is_empty() && term.weight > 0.0),
        "{terms:?}"
    );
    assert!(identifiers.iter().chain(paths).all(|name| !name.trim().is_empty()), "{parts:?}");
    assert_eq!(query::parse(text, mode), parts, "parsing is deterministic");
    assert!(query::vector_words(text).len() <= query::content_words(text).len());
    let mut numbers = Vec::new();
    let mut known = Analyser::default();
    known.analyse(text, &mut numbers);
    assert!(numbers.iter().all(|number| (*number as usize) < known.n_terms()));
    assert_eq!(analyser::terms(text).len(), known.n_terms());
}

fn check_names(typed: &str, known: &str) {
    let pattern = NamePattern::parse(typed);
    let folded = analyser::fold(known);
    let is_match = pattern.match_tier(known, &folded).is_some();
    assert!(!is_match || !pattern.is_empty());
    let _ = (pattern.distance(&folded), pattern.unmatched_qualifier(known));
    drop((query::is_identifier(typed), query::is_stop_word(typed), analyser::words(typed)));
    let score = path::path_score(typed, known);
    assert!(score.is_finite() && score >= 0.0, "{typed} in {known}: {score}");
    for max in 0..3 {
        let (there, back) = (edit_distance(typed, known, max), edit_distance(known, typed, max));
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

/// A generation that is opened once, since the index evaluates patterns and globs.
static SNAPSHOT: LazyLock<Snapshot> = LazyLock::new(|| Sealed::new().open().expect("a sound generation can be opened"));

fn check_patterns(typed: &str, scope: &str, file_pattern: &str) {
    let id = SymbolSelector::Id { path: scope.to_owned(), qualified: typed.to_owned(), ordinal: 0 };
    for selector in [SymbolSelector::Name(typed.to_owned()), SymbolSelector::Regex(typed.to_owned()), id] {
        let filter = Filter { scope: scope.to_owned(), ..Filter::default() };
        let query = SymbolQuery { selector, filter, file_pattern: file_pattern.to_owned(), limit: 3 };
        let found = SNAPSHOT.symbols(&query);
        assert_eq!(found.is_ok(), query.validate().is_ok(), "{query:?}");
        assert!(found.is_ok_and(|found| found.hits.len() <= 3) || query.validate().is_err());
    }
    drop(SNAPSHOT.outline(typed, 2));
    drop(Suspect::new(typed).map(|suspect| SNAPSHOT.suggest_terms(&suspect)));
}
