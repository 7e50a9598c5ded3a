//! Vectors of weighted words, with a cache of each word's tokens.

use rustc_hash::FxHashMap;

use crate::{StaticModel, Vector};

/// Maximum number of cached words, beyond which the cache is cleared: more than a large repository has, in some 10 MB.
const MAX_WORDS: usize = 200_000;

/// Caches the tokens of words. Each thread needs its own.
pub struct WordCache<'m> {
    model: &'m StaticModel,
    /// Cached words, with the range of their tokens in `token_ids`.
    words: FxHashMap<Box<str>, (u32, u32)>,
    token_ids: Vec<u32>,
}

impl<'m> WordCache<'m> {
    /// Returns an empty cache.
    pub fn new(model: &'m StaticModel) -> WordCache<'m> {
        WordCache { model, words: FxHashMap::default(), token_ids: Vec::new() }
    }

    /// Starts the vector of a text.
    pub fn start(&mut self) -> Sum<'_, 'm> {
        Sum { sums: vec![0.0; self.model.n_dims()], cache: self }
    }

    /// Returns the vector of a text, with weight 1 for each occurrence of a word.
    pub fn embed(&mut self, text: &str) -> Vector {
        let mut sum = self.start();
        for word in ranking::analyser::words(text) {
            sum.add(&word, 1.0);
        }
        sum.finish()
    }

    fn tokens(&mut self, word: &str) -> (u32, u32) {
        if let Some(range) = self.words.get(word) {
            return *range;
        }
        if self.words.len() >= MAX_WORDS {
            self.words.clear();
            self.token_ids.clear();
        }
        let start = self.token_ids.len() as u32;
        self.model.tokenize(word, &mut self.token_ids);
        let range = (start, self.token_ids.len() as u32);
        self.words.insert(word.into(), range);
        range
    }
}

/// The vector of a text under construction. Equal words in equal order give bit-identical vectors.
pub struct Sum<'c, 'm> {
    cache: &'c mut WordCache<'m>,
    sums: Vec<f32>,
}

impl Sum<'_, '_> {
    /// Adds a word with a weight. The caller splits identifiers into words; case is irrelevant.
    pub fn add(&mut self, word: &str, weight: f32) {
        let (start, end) = self.cache.tokens(word);
        for token_id in &self.cache.token_ids[start as usize..end as usize] {
            self.cache.model.add(*token_id, weight, &mut self.sums);
        }
    }

    /// Returns the sums, for further computation.
    pub fn into_numbers(self) -> Vec<f32> {
        self.sums
    }

    /// Returns the quantised vector; the zero vector if no word is known.
    pub fn finish(self) -> Vector {
        Vector::quantise(&self.sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_shift_the_direction() {
        let mut cache = WordCache::new(StaticModel::built_in());
        let mut vector = |words: &[(&str, f32)]| {
            let mut sum = cache.start();
            for (word, weight) in words {
                sum.add(word, *weight);
            }
            sum.finish()
        };
        let (http, lock) = (vector(&[("http", 1.0)]), vector(&[("lock", 1.0)]));
        let mostly_http = vector(&[("http", 3.0), ("lock", 1.0)]);
        assert!(mostly_http.cosine(&http) > mostly_http.cosine(&lock) + 0.2);
        assert_eq!(vector(&[("http", 1.0), ("http", 2.0), ("lock", 1.0)]), mostly_http);
        assert_eq!(vector(&[("HTTP", 0.5)]), http, "length is lost");
        assert!(vector(&[("http", 0.0)]).is_zero() && vector(&[]).is_zero());
    }

    #[test]
    fn cleared_cache_gives_equal_vectors() {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let before = cache.embed("read the file");
        for number in 0..MAX_WORDS {
            cache.tokens(&number.to_string());
        }
        assert_eq!(cache.embed("read the file"), before);
        assert!(cache.words.len() < MAX_WORDS);
    }
}
