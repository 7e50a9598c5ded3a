//! The notations that occur in a text, found in one pass over it. Most files of code have none.

use std::{collections::BTreeSet, sync::LazyLock};

use aho_corasick::AhoCorasick;

use super::{aspire, environment, listeners, messages, tables};

static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let all = environment::marks()
        .chain(messages::marks())
        .chain(tables::marks())
        .chain(listeners::MARKS)
        .chain([aspire::MARK]);
    let all: BTreeSet<&str> = all.collect();
    all.into_iter().collect()
});

static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(WORDS.iter()).ok());

/// The notations of clients, variables and SQL that occur in a text.
pub(super) struct Marks(BTreeSet<&'static str>);

impl Marks {
    /// Finds the notations in a text.
    pub(super) fn of(text: &str) -> Marks {
        let Some(automaton) = AUTOMATON.as_ref() else { return Marks(BTreeSet::new()) };
        let mut is_found = vec![false; WORDS.len()];
        for found in automaton.find_overlapping_iter(text) {
            is_found[found.pattern().as_usize()] = true;
        }
        Marks(WORDS.iter().zip(is_found).filter(|(_, is_found)| *is_found).map(|(word, _)| *word).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has(word))
    }
}
