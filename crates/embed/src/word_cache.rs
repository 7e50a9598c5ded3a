//! The fast path to vectors: words with weights, each cut into tokens once.

use rustc_hash::FxHashMap;

use crate::{StaticModel, Vector};

/// Words kept before the cache is begun anew: more than a large repository has, in some 10 MB.
const MAX_WORDS: usize = 200_000;

/// Remembers the tokens of the words that a model was asked for. One for each thread.
pub struct WordCache<'m> {
    model: &'m StaticModel,
    /// Words met before, with the place of their tokens in `token_ids`.
    words: FxHashMap<Box<str>, (u32, u32)>,
    token_ids: Vec<u32>,
}

impl<'m> WordCache<'m> {
    /// Returns an empty cache.
    pub fn new(model: &'m StaticModel) -> WordCache<'m> {
        WordCache { model, words: FxHashMap::default(), token_ids: Vec::new() }
    }

    /// Begins the vector of a text.
    pub fn start(&mut self) -> Sum<'_, 'm> {
        Sum { sums: vec![0.0; self.model.n_dims()], cache: self }
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
        self.model.cut(word, &mut self.token_ids);
        let range = (start, self.token_ids.len() as u32);
        self.words.insert(word.into(), range);
        range
    }
}

/// The vector of a text that is being put together. The same words in the same order give the same bits.
pub struct Sum<'c, 'm> {
    cache: &'c mut WordCache<'m>,
    sums: Vec<f32>,
}

impl Sum<'_, '_> {
    /// Adds what a word means, so many times. Words are cut from identifiers by the caller; their case does not matter.
    pub fn add(&mut self, word: &str, weight: f32) {
        let (start, end) = self.cache.tokens(word);
        for token_id in &self.cache.token_ids[start as usize..end as usize] {
            self.cache.model.add(*token_id, weight, &mut self.sums);
        }
    }

    /// Returns the numbers that were summed, for those who go on with them.
    pub fn into_numbers(self) -> Vec<f32> {
        self.sums
    }

    /// Returns the vector of all that was added; the zero vector if none of it says anything.
    pub fn finish(self) -> Vector {
        Vector::quantise(&self.sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_weigh() {
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
    fn a_full_cache_gives_the_same_vectors() {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let before = model.embed("read the file", &mut cache);
        for number in 0..MAX_WORDS {
            cache.tokens(&number.to_string());
        }
        assert_eq!(model.embed("read the file", &mut cache), before);
        assert!(cache.words.len() < MAX_WORDS);
    }
}
