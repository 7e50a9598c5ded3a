//! A grammar with unpacked tables has the same transitions as that of its package.

use tree_sitter::Language;
use tree_sitter_language::LanguageFn;

/// Compares the successor of each state for each symbol.
fn check(unpacked: LanguageFn, original: LanguageFn) {
    let (unpacked, original) = (Language::from(unpacked), Language::from(original));
    assert_eq!(unpacked.parse_state_count(), original.parse_state_count());
    for state in 0..original.parse_state_count() as u16 {
        for symbol in 0..original.node_kind_count() as u16 {
            let (ours, theirs) = (unpacked.next_state(state, symbol), original.next_state(state, symbol));
            assert_eq!(ours, theirs, "state {state}, symbol {symbol}");
        }
    }
}

#[test]
fn go_has_the_same_transitions() {
    check(grammars::GO, tree_sitter_go::LANGUAGE);
}

#[test]
fn python_has_the_same_transitions() {
    check(grammars::PYTHON, tree_sitter_python::LANGUAGE);
}

#[test]
fn rust_has_the_same_transitions() {
    check(grammars::RUST, tree_sitter_rust::LANGUAGE);
}

#[test]
fn sql_has_the_same_transitions() {
    check(grammars::SQL, tree_sitter_sequel::LANGUAGE);
}

#[test]
fn typescript_and_tsx_have_the_same_transitions() {
    check(grammars::TYPESCRIPT, tree_sitter_typescript::LANGUAGE_TYPESCRIPT);
    check(grammars::TSX, tree_sitter_typescript::LANGUAGE_TSX);
}
