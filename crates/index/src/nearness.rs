//! How near the words of a row come to those of a query: each word of the query counts by the one that is nearest to it
//! (late interaction, Khattab and Zaharia 2020), where the vector of a whole row has forgotten the single words.
//!
//! Words are compared by the table inside the program, whatever model the vectors of rows are of.

use std::ops::RangeInclusive;

use embed::{Comparison, StaticModel, Vector, WordCache};
use ranking::analyser::{for_each_word, words};
use rustc_hash::FxHashMap;

use crate::{
    error::IndexError,
    records::{symbol_texts::SymbolText, tables::ArchivedSpanRecord},
    rows::{RowSource, RowText, SymbolSource},
    snapshot::Snapshot,
};

/// Words that are not nearer than this have nothing in common.
const COSINE_FLOOR: f32 = 0.3;

/// Bytes of a body, and of any other field, that are looked at: what a long function is about shows in its first pages.
const MAX_FIELD_BYTES: usize = 4_000;
const MAX_BODY_BYTES: usize = 8_000;

/// Longer words are data.
const WORD_BYTES: RangeInclusive<usize> = 2..=64;

/// Words that are remembered at most; then all of them are forgotten.
const MAX_KNOWN: usize = 20_000;

/// The words of a query, and how much each tells.
pub struct QueryWords {
    /// In lower case.
    words: Vec<String>,
    weights: Vec<f32>,
    total: f32,
    vectors: Vec<Vector>,
}

impl QueryWords {
    /// Takes words in lower case with their weights, which are not negative.
    pub fn new(words: impl IntoIterator<Item = (String, f32)>) -> QueryWords {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let (words, weights): (Vec<String>, Vec<f32>) = words.into_iter().unzip();
        let vectors = words.iter().map(|word| model.embed(word, &mut cache)).collect();
        QueryWords { total: weights.iter().sum(), words, weights, vectors }
    }
}

/// Compares rows with the words of a query, and remembers words that it met.
pub struct RowComparer<'q> {
    query: &'q QueryWords,
    comparison: Comparison<'static>,
    /// By word that was met: its place among `nearness`.
    places: FxHashMap<String, usize>,
    /// Of each word that was met, how near it is to each of the query, from 0 to 1.
    nearness: Vec<f32>,
}

impl<'q> RowComparer<'q> {
    /// Returns a comparer with an empty cache.
    pub fn new(query: &'q QueryWords) -> RowComparer<'q> {
        let comparison = Comparison::new(StaticModel::built_in(), &query.vectors);
        RowComparer { query, comparison, places: FxHashMap::default(), nearness: Vec::new() }
    }

    /// Returns how much of the query one of these rows of a file says at best, from 0 to 1; nothing where there is no such
    /// file.
    pub fn nearness(&mut self, snapshot: &Snapshot, path: &str, rows: &[u32]) -> Result<Option<f32>, IndexError> {
        let Some(file_idx) = snapshot.file_index(path) else { return Ok(None) };
        let (bytes, texts) = (snapshot.source_bytes(file_idx)?, snapshot.symbol_texts(file_idx)?);
        let file = &snapshot.tables().files[file_idx];
        let symbols = snapshot.symbols_of(file_idx).iter().enumerate();
        let symbols = symbols.map(|(place, symbol)| {
            let SymbolText { signature, doc } = texts.get(place);
            let span = symbol.span.bytes();
            SymbolSource { kind: symbol.kind(), name: &symbol.name, container: &symbol.container, signature, doc, span }
        });
        let chunks = file.chunks.iter().map(ArchivedSpanRecord::bytes).collect();
        let source = RowSource { path, doc: &file.doc, bytes: &bytes, symbols: symbols.collect(), chunks };
        let wanted = source.rows_where(|number| rows.contains(&number));
        Ok(Some(wanted.map(|row| self.of_row(path, &row)).fold(0.0, f32::max)))
    }

    fn of_row(&mut self, path: &str, row: &RowText<'_>) -> f32 {
        let mut nearest = vec![0.0_f32; self.query.words.len()];
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        for text in [row.name, stem, row.parent, &row.signature, row.doc] {
            self.meet(bounded(text, MAX_FIELD_BYTES), &mut nearest);
        }
        let mut n_bytes_left = MAX_BODY_BYTES;
        for text in &row.body {
            let text = bounded(text, n_bytes_left);
            n_bytes_left -= text.len();
            self.meet(text, &mut nearest);
        }
        let weighed = self.query.weights.iter().zip(nearest).map(|(weight, near)| weight * near);
        if self.query.total > 0.0 { weighed.sum::<f32>() / self.query.total } else { 0.0 }
    }

    fn meet(&mut self, text: &str, nearest: &mut [f32]) {
        for_each_word(text, |identifier| {
            let place = self.place(identifier);
            take_larger(nearest, &self.nearness[place * nearest.len()..]);
        });
    }

    /// Returns the place of an identifier, which is as near as the nearest of its words.
    fn place(&mut self, identifier: &str) -> usize {
        if let Some(place) = self.places.get(identifier) {
            return *place;
        }
        if self.places.len() > MAX_KNOWN {
            self.places.clear();
            self.nearness.clear();
        }
        let mut near = vec![0.0; self.query.words.len()];
        let mut cosines = Vec::new();
        for word in words(identifier).iter().filter(|word| WORD_BYTES.contains(&word.len())) {
            match self.places.get(word.as_str()) {
                Some(place) => take_larger(&mut near, &self.nearness[place * self.query.words.len()..]),
                None => {
                    self.comparison.cosines(word, &mut cosines);
                    let of_word = cosines.iter().zip(&self.query.words).map(|(cosine, wanted)| {
                        let shared = ((cosine - COSINE_FLOOR) / (1.0 - COSINE_FLOOR)).clamp(0.0, 1.0);
                        if wanted == word { 1.0 } else { shared }
                    });
                    let of_word: Vec<f32> = of_word.collect();
                    take_larger(&mut near, &of_word);
                    self.keep(word, &of_word);
                }
            }
        }
        if !self.places.contains_key(identifier) {
            self.keep(identifier, &near);
        }
        self.places[identifier]
    }

    fn keep(&mut self, word: &str, near: &[f32]) {
        self.places.insert(word.to_owned(), self.places.len());
        self.nearness.extend_from_slice(near);
    }
}

/// Returns no more than so many bytes of a text, cut between characters.
fn bounded(text: &str, max_bytes: usize) -> &str {
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

fn take_larger(numbers: &mut [f32], others: &[f32]) {
    numbers.iter_mut().zip(others).for_each(|(number, other)| *number = number.max(*other));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_as_much_as_its_nearest_words() {
        let query = QueryWords::new([("remove".to_owned(), 2.0), ("customer".to_owned(), 1.0)]);
        let mut comparer = RowComparer::new(&query);
        let mut of_body = |body: &'static str| {
            let (number, signature) = (1, "".into());
            let row = RowText { number, name: "f", parent: "", signature, doc: "", body: vec![body.into()] };
            comparer.of_row("a.rs", &row)
        };
        assert_eq!(of_body("removeCustomer(1)"), 1.0);
        let half = of_body("customer");
        assert!((1.0 / 3.0..0.7).contains(&half), "{half}");
        assert!(of_body("delete(client)") > of_body("parse(float)"));
        assert_eq!(of_body("customer"), half, "whatever was met before");
        let data: &'static str = Box::leak(format!("{} removeCustomer", "qx9".repeat(20_000)).into_boxed_str());
        assert!(of_body(data) < half, "what stands behind so much is not looked at");
        let nothing = QueryWords::new([]);
        assert_eq!(RowComparer::new(&nothing).place("customer"), 0);
    }
}
