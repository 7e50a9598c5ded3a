//! One front for all kinds of models.

use std::{fmt, sync::Arc, time::Instant};

use store::Store;

use crate::{EmbedError, ModelConfig, ModelId, StaticModel, Vector, WordCache, endpoint::Endpoint, local};

/// What turns texts into vectors.
pub enum Embedder {
    BuiltIn(&'static StaticModel),
    Local(StaticModel),
    Endpoint(Endpoint),
}

impl Embedder {
    /// Makes the model of a configuration ready. Nothing is asked of an endpoint yet; what it will answer is kept in
    /// the store, if there is one.
    pub fn open(config: &ModelConfig, store: Option<Arc<Store>>) -> Result<Embedder, EmbedError> {
        match config {
            ModelConfig::BuiltIn => Ok(Embedder::BuiltIn(StaticModel::built_in())),
            ModelConfig::Local(directory) => local::open(directory).map(Embedder::Local),
            ModelConfig::Endpoint(config) => Endpoint::new(config, store).map(Embedder::Endpoint),
        }
    }

    /// Returns what tells the model from any other.
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

    /// Returns the model as one that takes words with weights; none if it understands whole texts only.
    pub fn static_model(&self) -> Option<&StaticModel> {
        match self {
            Embedder::BuiltIn(model) => Some(model),
            Embedder::Local(model) => Some(model),
            Embedder::Endpoint(_) => None,
        }
    }

    /// Returns why no service is asked now, if one failed a moment ago.
    pub fn away(&self) -> Option<EmbedError> {
        match self {
            Embedder::Endpoint(endpoint) => endpoint.away(),
            Embedder::BuiltIn(_) | Embedder::Local(_) => None,
        }
    }

    /// Returns the vector of each text, where nobody has to be asked for any.
    pub fn known(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        match self {
            Embedder::Endpoint(endpoint) => endpoint.known(texts),
            Embedder::BuiltIn(_) | Embedder::Local(_) => self.embed(texts).ok(),
        }
    }

    /// Returns the vector of each text, however long an endpoint takes for it within its own bounds.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        self.embed_within(texts, None)
    }

    /// Returns the vector of each text, or says before the deadline that there will be none.
    pub fn embed_by(&self, texts: &[&str], deadline: Instant) -> Result<Vec<Vector>, EmbedError> {
        self.embed_within(texts, Some(deadline))
    }

    fn embed_within(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vector>, EmbedError> {
        let by_table = |model: &StaticModel| {
            let mut cache = WordCache::new(model);
            Ok(texts.iter().map(|text| model.embed(text, &mut cache)).collect())
        };
        match self {
            Embedder::BuiltIn(model) => by_table(model),
            Embedder::Local(model) => by_table(model),
            Embedder::Endpoint(endpoint) => endpoint.embed(texts, deadline),
        }
    }
}

/// Tells the model, and nothing of how it is reached.
impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Embedder").field(self.id()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_words_agree() {
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
