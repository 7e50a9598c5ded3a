//! The configured model, of any kind.

use std::{fmt, sync::Arc, time::Instant};

use store::{Store, StoreError};

use crate::{EmbedError, ModelConfig, ModelId, StaticModel, Vector, WordCache, endpoint::Endpoint, local};

/// A model that maps texts to vectors.
pub enum Embedder {
    /// The table in the binary.
    BuiltIn(&'static StaticModel),
    /// A table from a directory.
    Local(StaticModel),
    /// A remote service.
    Endpoint(Endpoint),
}

impl Embedder {
    /// Opens the configured model. It does not contact an endpoint. `store` caches the vectors of an endpoint.
    pub fn open(config: &ModelConfig, store: Option<Arc<Store>>) -> Result<Embedder, EmbedError> {
        match config {
            ModelConfig::BuiltIn => Ok(Embedder::BuiltIn(StaticModel::built_in())),
            ModelConfig::Local(directory) => local::open(directory).map(Embedder::Local),
            ModelConfig::Endpoint(config) => Endpoint::new(config, store).map(Embedder::Endpoint),
        }
    }

    /// Returns the id of the model.
    pub fn id(&self) -> &ModelId {
        match self {
            Embedder::BuiltIn(model) => model.id(),
            Embedder::Local(model) => model.id(),
            Embedder::Endpoint(endpoint) => endpoint.id(),
        }
    }

    /// Returns the number of dimensions of the model's vectors.
    pub fn n_dims(&self) -> usize {
        match self {
            Embedder::BuiltIn(model) => model.n_dims(),
            Embedder::Local(model) => model.n_dims(),
            Embedder::Endpoint(endpoint) => endpoint.n_dims(),
        }
    }

    /// Returns the model if it accepts weighted words; `None` if it accepts whole texts only.
    pub fn static_model(&self) -> Option<&StaticModel> {
        match self {
            Embedder::BuiltIn(model) => Some(model),
            Embedder::Local(model) => Some(model),
            Embedder::Endpoint(_) => None,
        }
    }

    /// Returns the last error while the circuit breaker of an endpoint is open.
    pub fn breaker_error(&self) -> Option<EmbedError> {
        match self {
            Embedder::Endpoint(endpoint) => endpoint.last_failure(),
            Embedder::BuiltIn(_) | Embedder::Local(_) => None,
        }
    }

    /// Makes the cache of an endpoint's vectors again if its files were removed. Returns true if it did.
    pub fn restore_cache(&self) -> Result<bool, StoreError> {
        match self {
            Embedder::Endpoint(endpoint) => endpoint.restore_cache(),
            Embedder::BuiltIn(_) | Embedder::Local(_) => Ok(false),
        }
    }

    /// Returns the vectors of the texts if they need no request.
    pub fn cached(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        match self {
            Embedder::Endpoint(endpoint) => endpoint.cached(texts),
            Embedder::BuiltIn(_) | Embedder::Local(_) => self.embed(texts).ok(),
        }
    }

    /// Returns the vectors of the texts. An endpoint has several minutes.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        self.embed_within(texts, None)
    }

    /// Returns the vectors of the texts, or an error before the deadline.
    pub fn embed_by(&self, texts: &[&str], deadline: Instant) -> Result<Vec<Vector>, EmbedError> {
        self.embed_within(texts, Some(deadline))
    }

    fn embed_within(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vector>, EmbedError> {
        let with_table = |model: &StaticModel| {
            let mut cache = WordCache::new(model);
            Ok(texts.iter().map(|text| cache.embed(text)).collect())
        };
        match self {
            Embedder::BuiltIn(model) => with_table(model),
            Embedder::Local(model) => with_table(model),
            Embedder::Endpoint(endpoint) => endpoint.embed(texts, deadline),
        }
    }
}

/// Shows the model, not its address.
impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Embedder").field(self.id()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_weighted_words_have_equal_vectors() {
        let embedder = Embedder::open(&ModelConfig::default(), None).expect("it is part of the program");
        let vectors = embedder.embed(&["parseURL", "", "parse url"]).expect("tables always answer");
        assert_eq!(vectors[0], vectors[2]);
        assert!(vectors[1].is_zero());
        let mut cache = WordCache::new(embedder.static_model().expect("a table"));
        let mut sum = cache.start();
        sum.add("parse", 1.0);
        sum.add("url", 1.0);
        assert_eq!(sum.finish(), vectors[0]);
    }
}
