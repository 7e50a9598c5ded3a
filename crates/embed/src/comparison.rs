//! Cosines between many words and a few query words. The dot products of each token are computed once and cached.

use rustc_hash::FxHashMap;

use crate::{StaticModel, Vector, dot, inverse_norm, scan};

/// Maximum number of tokens of a word. Longer ones are data, and the cost is quadratic.
const MAX_TOKENS: usize = 16;

/// Compares words with given query vectors, and caches the products per token.
pub struct Comparison<'m> {
    model: &'m StaticModel,
    n_queries: usize,
    /// Codes of the query vectors, concatenated.
    queries: Vec<i8>,
    inverse_norms: Vec<f32>,
    /// Index of each cached token into `codes` and `products`.
    token_indices: FxHashMap<u32, usize>,
    codes: Vec<i8>,
    /// For each cached token, its products with all query vectors.
    products: Vec<i32>,
    /// Tokens of the current word; kept to reuse the allocation.
    tokens: Vec<u32>,
}

impl<'m> Comparison<'m> {
    /// Returns a comparison with these query vectors.
    pub fn new(model: &'m StaticModel, queries: &[Vector]) -> Comparison<'m> {
        Comparison {
            model,
            n_queries: queries.len(),
            queries: queries.iter().flat_map(|vector| vector.codes()).copied().collect(),
            inverse_norms: queries.iter().map(|vector| inverse_norm(vector.codes())).collect(),
            token_indices: FxHashMap::default(),
            codes: Vec::new(),
            products: Vec::new(),
            tokens: Vec::new(),
        }
    }

    /// Sets `cosines` to the cosine between a word and each query vector; 0 if one of both is the zero vector.
    pub fn cosines(&mut self, word: &str, cosines: &mut Vec<f32>) {
        cosines.clear();
        cosines.resize(self.n_queries, 0.0);
        let mut tokens = std::mem::take(&mut self.tokens);
        tokens.clear();
        self.model.tokenize(word, &mut tokens);
        tokens.truncate(MAX_TOKENS);
        let parts: Vec<(f32, usize)> =
            tokens.iter().map(|token| (self.model.scale(*token), self.token_idx(*token))).collect();
        self.tokens = tokens;
        let mut square = 0.0;
        for (part_idx, (scale, token_idx)) in parts.iter().enumerate() {
            for (cosine, product) in cosines.iter_mut().zip(&self.products[token_idx * self.n_queries..]) {
                *cosine += scale * *product as f32;
            }
            square += scale * scale * dot(self.codes_at(*token_idx), self.codes_at(*token_idx)) as f32;
            for (other_scale, other) in &parts[..part_idx] {
                square += 2.0 * scale * other_scale * dot(self.codes_at(*token_idx), self.codes_at(*other)) as f32;
            }
        }
        let inverse = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        cosines.iter_mut().zip(&self.inverse_norms).for_each(|(cosine, norm)| *cosine *= norm * inverse);
    }

    fn token_idx(&mut self, token: u32) -> usize {
        if let Some(token_idx) = self.token_indices.get(&token) {
            return *token_idx;
        }
        let token_idx = self.token_indices.len();
        self.token_indices.insert(token, token_idx);
        self.codes.extend(self.model.codes(token));
        let codes = &self.codes[token_idx * self.model.n_dims()..];
        scan(&self.queries, codes, |_, product| self.products.push(product));
        token_idx
    }

    fn codes_at(&self, token_idx: usize) -> &[i8] {
        &self.codes[token_idx * self.model.n_dims()..(token_idx + 1) * self.model.n_dims()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WordCache;

    #[test]
    fn cosines_approximate_those_of_whole_vectors() {
        let model = StaticModel::built_in();
        let mut cache = WordCache::new(model);
        let queries = ["remove", "customer", "", "deserializer"].map(|word| cache.embed(word));
        let mut comparison = Comparison::new(model, &queries);
        let mut cosines = Vec::new();
        for word in ["delete", "remove", "deserialization", "ünïcode", "", "zzqx", "delete"] {
            comparison.cosines(word, &mut cosines);
            let vector = cache.embed(word);
            for (cosine, queries) in cosines.iter().zip(&queries) {
                assert!((cosine - vector.cosine(queries)).abs() < 0.01, "{word}: {cosine} {}", vector.cosine(queries));
            }
        }
    }
}
