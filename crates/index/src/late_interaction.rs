//! Late interaction (Khattab and Zaharia, 2020): compares a query with a row word by word. The score of a query word is its
//! maximum similarity to any word of the row. The vector of a whole row cannot show this, since it averages all words.
//!
//! Words are always compared by the built-in token table, independently of the model of the row vectors.

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

/// Cosine at which two words count as unrelated. The similarity grows from 0 here to 1 at cosine 1.
const COSINE_FLOOR: f32 = 0.3;

/// Maximum number of bytes that are compared, of a body and of each other field. The first pages of a long function show its
/// topic.
const MAX_FIELD_BYTES: usize = 4_000;
const MAX_BODY_BYTES: usize = 8_000;

/// Length of a word. Longer words are encoded data.
const WORD_BYTES: RangeInclusive<usize> = 2..=64;

/// Maximum number of cached words. The cache is cleared when it is full.
const MAX_KNOWN: usize = 20_000;

/// The words of a query with their weights.
pub struct QueryWords {
    /// In lower case.
    words: Vec<String>,
    weights: Vec<f32>,
    total: f32,
    vectors: Vec<Vector>,
}

impl QueryWords {
    /// Returns the query of these words, which must be in lower case with non-negative weights.
    pub fn new(words: impl IntoIterator<Item = (String, f32)>) -> QueryWords {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let (words, weights): (Vec<String>, Vec<f32>) = words.into_iter().unzip();
        let vectors = words.iter().map(|word| cache.embed(word)).collect();
        QueryWords { total: weights.iter().sum(), words, weights, vectors }
    }
}

/// Compares rows with the words of a query, and caches the similarities of each word.
pub struct RowComparer<'q> {
    query: &'q QueryWords,
    comparison: Comparison<'static>,
    /// Index of each cached word in `similarities`, in units of the number of query words.
    word_indices: FxHashMap<String, usize>,
    /// For each cached word, its similarity to every query word, from 0 to 1.
    similarities: Vec<f32>,
}

impl<'q> RowComparer<'q> {
    /// Returns a comparer with an empty cache.
    pub fn new(query: &'q QueryWords) -> RowComparer<'q> {
        let comparison = Comparison::new(StaticModel::built_in(), &query.vectors);
        RowComparer { query, comparison, word_indices: FxHashMap::default(), similarities: Vec::new() }
    }

    /// Returns the maximum coverage of the query by one of these rows of a file, from 0 to 1; `None` if the file does not exist.
    /// The coverage is the weighted mean over the query words of their maximum similarity.
    pub fn nearness(&mut self, snapshot: &Snapshot, path: &str, rows: &[u32]) -> Result<Option<f32>, IndexError> {
        let Some(file_idx) = snapshot.file_index(path) else { return Ok(None) };
        let (bytes, texts) = (snapshot.source_bytes(file_idx)?, snapshot.symbol_texts(file_idx)?);
        let file = &snapshot.tables().files[file_idx];
        let symbols = snapshot.symbols_of(file_idx).iter().enumerate();
        let symbols = symbols.map(|(symbol_idx, symbol)| {
            let SymbolText { signature, doc } = texts.get(symbol_idx);
            let span = symbol.span.bytes();
            SymbolSource { kind: symbol.kind(), name: &symbol.name, container: &symbol.container, signature, doc, span }
        });
        let chunks = file.chunks.iter().map(ArchivedSpanRecord::bytes).collect();
        let source = RowSource { path, doc: &file.doc, bytes: &bytes, symbols: symbols.collect(), chunks };
        let requested_rows = source.rows_where(|number| rows.contains(&number));
        Ok(Some(requested_rows.map(|row| self.coverage(path, &row)).fold(0.0, f32::max)))
    }

    fn coverage(&mut self, path: &str, row: &RowText<'_>) -> f32 {
        let mut maxima = vec![0.0_f32; self.query.words.len()];
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        for text in [row.name, stem, row.parent, &row.signature, row.doc] {
            self.raise_maxima(bounded(text, MAX_FIELD_BYTES), &mut maxima);
        }
        let mut n_bytes_left = MAX_BODY_BYTES;
        for text in &row.body {
            let text = bounded(text, n_bytes_left);
            n_bytes_left -= text.len();
            self.raise_maxima(text, &mut maxima);
        }
        let weighted = self.query.weights.iter().zip(maxima).map(|(weight, similarity)| weight * similarity);
        if self.query.total > 0.0 { weighted.sum::<f32>() / self.query.total } else { 0.0 }
    }

    /// Raises the maximum similarity of each query word by the words of a text.
    fn raise_maxima(&mut self, text: &str, maxima: &mut [f32]) {
        for_each_word(text, |identifier| {
            let word_idx = self.word_idx(identifier);
            take_larger(maxima, &self.similarities[word_idx * maxima.len()..]);
        });
    }

    /// Returns the index of an identifier in the cache. Its similarities are the maxima over its words.
    fn word_idx(&mut self, identifier: &str) -> usize {
        if let Some(word_idx) = self.word_indices.get(identifier) {
            return *word_idx;
        }
        if self.word_indices.len() > MAX_KNOWN {
            self.word_indices.clear();
            self.similarities.clear();
        }
        let mut maxima = vec![0.0; self.query.words.len()];
        let mut cosines = Vec::new();
        for word in words(identifier).iter().filter(|word| WORD_BYTES.contains(&word.len())) {
            match self.word_indices.get(word.as_str()) {
                Some(word_idx) => take_larger(&mut maxima, &self.similarities[word_idx * self.query.words.len()..]),
                None => {
                    self.comparison.cosines(word, &mut cosines);
                    let of_word = cosines.iter().zip(&self.query.words).map(|(cosine, query_word)| {
                        let similarity = ((cosine - COSINE_FLOOR) / (1.0 - COSINE_FLOOR)).clamp(0.0, 1.0);
                        if query_word == word { 1.0 } else { similarity }
                    });
                    let of_word: Vec<f32> = of_word.collect();
                    take_larger(&mut maxima, &of_word);
                    self.insert(word, &of_word);
                }
            }
        }
        if !self.word_indices.contains_key(identifier) {
            self.insert(identifier, &maxima);
        }
        self.word_indices[identifier]
    }

    fn insert(&mut self, word: &str, similarities: &[f32]) {
        self.word_indices.insert(word.to_owned(), self.word_indices.len());
        self.similarities.extend_from_slice(similarities);
    }
}

/// Returns the longest prefix of a text with at most `max_bytes` bytes, cut at a character boundary.
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
    fn coverage_is_the_weighted_mean_of_maximum_similarities() {
        let query = QueryWords::new([("remove".to_owned(), 2.0), ("customer".to_owned(), 1.0)]);
        let mut comparer = RowComparer::new(&query);
        let mut of_body = |body: &'static str| {
            let (number, signature) = (1, "".into());
            let row = RowText { number, name: "f", parent: "", signature, doc: "", body: vec![body.into()] };
            comparer.coverage("a.rs", &row)
        };
        assert_eq!(of_body("removeCustomer(1)"), 1.0);
        let half = of_body("customer");
        assert!((1.0 / 3.0..0.7).contains(&half), "{half}");
        assert!(of_body("delete(client)") > of_body("parse(float)"));
        assert_eq!(of_body("customer"), half, "the cache does not change the result");
        let data: &'static str = Box::leak(format!("{} removeCustomer", "qx9".repeat(20_000)).into_boxed_str());
        assert!(of_body(data) < half, "only the beginning of a body is compared");
        let empty = QueryWords::new([]);
        assert_eq!(RowComparer::new(&empty).word_idx("customer"), 0);
    }
}
