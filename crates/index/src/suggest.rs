//! Spelling suggestions: indexed terms similar to an unknown word.

use ranking::{
    analyser,
    typo::{Suspect, TermCandidate, TermCandidates, sole_term},
};

use crate::snapshot::Snapshot;

impl Snapshot {
    /// Returns the terms of this repository that are within edit distance of a word.
    ///
    /// The word is compared with terms, and also with the unstemmed words of symbol names: `santize` is one edit away from
    /// `sanitize`, but their stems are further apart.
    pub fn suggest_terms(&self, suspect: &Suspect) -> TermCandidates {
        let mut found = TermCandidates::default();
        let Some(first_letter) = suspect.word.chars().next() else { return found };
        self.terms().for_each_with_initial(first_letter, |term, rows| {
            let rows = rows.saturating_sub(self.replaced_rows(term));
            if let Some(distance) = suspect.distance_of_term(term).filter(|_| rows > 0) {
                found.0.insert(term.to_owned(), TermCandidate { distance, rows, spelling: String::new() });
            }
        });
        self.add_spellings(suspect, first_letter, &mut found);
        found
    }

    fn add_spellings(&self, suspect: &Suspect, first_letter: char, found: &mut TermCandidates) {
        let parts = suspect.parts();
        for name in
            self.tables().names.iter().filter(|name| parts.iter().any(|part| name.folded.contains(part.as_str())))
        {
            let symbols = name.symbols.iter().map(|symbol_idx| &self.tables().symbols[symbol_idx.to_native() as usize]);
            let mut symbols = symbols.filter(|symbol| !self.is_replaced(symbol.file.to_native()));
            let Some(symbol) = symbols.next() else { continue };
            for word in analyser::words(&symbol.name).into_iter().filter(|word| word.starts_with(first_letter)) {
                let distance = suspect.distance_of_word(&word);
                let Some(term) = sole_term(&word) else { continue };
                let known = found.0.get(&term).map(|known| known.distance);
                let Some(distance) = distance.into_iter().chain(known).min() else { continue };
                // Several spellings may have one term; its rows count once.
                let rows = if known.is_some() { 0 } else { self.rows_with_term(&term) };
                if rows > 0 || known.is_some() {
                    found.add(suspect, term, TermCandidate { distance, rows, spelling: word });
                }
            }
        }
    }
}
