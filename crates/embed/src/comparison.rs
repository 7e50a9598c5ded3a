//! How near many words are to a few, by a table: token by token, each of which is compared once.

use rustc_hash::FxHashMap;

use crate::{StaticModel, Vector, dot, inverse_norm, scan};

/// Tokens of a word that count: more are data, and each is compared with each.
const MAX_TOKENS: usize = 16;

/// Compares words with some that were given before.
pub struct Comparison<'m> {
    model: &'m StaticModel,
    n_wanted: usize,
    /// The vectors of the words given before, one after the other.
    wanted: Vec<i8>,
    inverse_norms: Vec<f32>,
    /// By token that was met: its place among what follows.
    places: FxHashMap<u32, usize>,
    codes: Vec<i8>,
    /// Of each token, the products with each of the words given before.
    products: Vec<i32>,
    /// The tokens of the word at hand.
    tokens: Vec<u32>,
}

impl<'m> Comparison<'m> {
    /// Takes the vectors of the words that others are to be compared with.
    pub fn new(model: &'m StaticModel, wanted: &[Vector]) -> Comparison<'m> {
        Comparison {
            model,
            n_wanted: wanted.len(),
            wanted: wanted.iter().flat_map(|vector| vector.codes()).copied().collect(),
            inverse_norms: wanted.iter().map(|vector| inverse_norm(vector.codes())).collect(),
            places: FxHashMap::default(),
            codes: Vec::new(),
            products: Vec::new(),
            tokens: Vec::new(),
        }
    }

    /// Puts into `cosines` how near a word is to each of those; 0 where one of the two says nothing.
    pub fn cosines(&mut self, word: &str, cosines: &mut Vec<f32>) {
        cosines.clear();
        cosines.resize(self.n_wanted, 0.0);
        let mut tokens = std::mem::take(&mut self.tokens);
        tokens.clear();
        self.model.cut(word, &mut tokens);
        tokens.truncate(MAX_TOKENS);
        let parts: Vec<(f32, usize)> =
            tokens.iter().map(|token| (self.model.scale(*token), self.place(*token))).collect();
        self.tokens = tokens;
        let mut square = 0.0;
        for (part_idx, (scale, place)) in parts.iter().enumerate() {
            for (cosine, product) in cosines.iter_mut().zip(&self.products[place * self.n_wanted..]) {
                *cosine += scale * *product as f32;
            }
            square += scale * scale * dot(self.codes_at(*place), self.codes_at(*place)) as f32;
            for (other_scale, other) in &parts[..part_idx] {
                square += 2.0 * scale * other_scale * dot(self.codes_at(*place), self.codes_at(*other)) as f32;
            }
        }
        let inverse = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        cosines.iter_mut().zip(&self.inverse_norms).for_each(|(cosine, norm)| *cosine *= norm * inverse);
    }

    fn place(&mut self, token: u32) -> usize {
        if let Some(place) = self.places.get(&token) {
            return *place;
        }
        let place = self.places.len();
        self.places.insert(token, place);
        self.codes.extend(self.model.codes(token));
        let codes = &self.codes[place * self.model.n_dims()..];
        scan(&self.wanted, codes, |_, product| self.products.push(product));
        place
    }

    fn codes_at(&self, place: usize) -> &[i8] {
        &self.codes[place * self.model.n_dims()..(place + 1) * self.model.n_dims()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WordCache;

    #[test]
    fn words_are_as_near_as_their_vectors() {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let wanted = ["remove", "customer", "", "deserializer"].map(|word| model.embed(word, &mut cache));
        let mut comparison = Comparison::new(model, &wanted);
        let mut cosines = Vec::new();
        for word in ["delete", "remove", "deserialization", "ünïcode", "", "zzqx", "delete"] {
            comparison.cosines(word, &mut cosines);
            let vector = model.embed(word, &mut cache);
            for (cosine, wanted) in cosines.iter().zip(&wanted) {
                assert!((cosine - vector.cosine(wanted)).abs() < 0.01, "{word}: {cosine} {}", vector.cosine(wanted));
            }
        }
    }
}
