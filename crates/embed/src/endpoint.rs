//! Vectors from a service with OpenAI's embeddings API.
//!
//! Vectors are cached by text, so that no text is requested twice and an interrupted run resumes. Requests have batches
//! of texts, a limited rate, and retries.

mod circuit_breaker;
mod rate_limiter;
mod service;
#[cfg(test)]
mod tests;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rustc_hash::FxHashMap;
use store::{Store, StoreError};

use self::service::EmbeddingService;
use crate::{EmbedError, ModelId, Vector, config::EndpointConfig};

/// Maximum number of texts per request: the smallest default limit of well-known servers.
const MAX_BATCH_TEXTS: usize = 64;

/// Maximum bytes per request, so that a slow server answers in time.
const MAX_BATCH_BYTES: usize = 128 * 1024;

/// Maximum bytes of a text. These are some 2,000 tokens; few models accept more.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// Timeout of a batch with all retries if no caller waits for it.
const BATCH_TIMEOUT: Duration = Duration::from_secs(300);

/// Key space of endpoint vectors in the store.
const SPACE: &str = "vectors";

/// Hash of a model id and a text.
type CacheKey = [u8; 32];

/// A model behind a service, with a cache of its vectors.
pub struct Endpoint {
    id: ModelId,
    n_dims: usize,
    service: EmbeddingService,
    store: Option<Arc<Store>>,
}

impl Endpoint {
    pub(crate) fn new(config: &EndpointConfig, store: Option<Arc<Store>>) -> Result<Endpoint, EmbedError> {
        let id = ModelId::of_name(&config.name, config.n_dims);
        Ok(Endpoint { id, n_dims: config.n_dims, service: EmbeddingService::new(config)?, store })
    }

    pub(crate) fn restore_cache(&self) -> Result<bool, StoreError> {
        self.store.as_ref().map_or(Ok(false), |store| store.restore())
    }

    pub(crate) fn id(&self) -> &ModelId {
        &self.id
    }

    pub(crate) fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Returns the vectors of the texts. Blank texts are not sent, since some services reject them; they have the zero
    /// vector.
    pub(crate) fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vector>, EmbedError> {
        let texts: Vec<&str> = texts.iter().map(|text| truncated(text)).collect();
        let keys: Vec<CacheKey> = texts.iter().map(|text| self.cache_key(text)).collect();
        let mut vectors_by_key: FxHashMap<CacheKey, Vector> = FxHashMap::default();
        let mut missing: Vec<(CacheKey, &str)> = Vec::new();
        for (cache_key, text) in keys.iter().zip(&texts) {
            if vectors_by_key.contains_key(cache_key) {
                continue;
            }
            let cached_vector =
                if text.is_empty() { Some(Vector::zero(self.n_dims)) } else { self.cached_vector(cache_key) };
            if cached_vector.is_none() {
                missing.push((*cache_key, text));
            }
            // Duplicates are requested once: the zero vector is a placeholder until the response.
            vectors_by_key.insert(*cache_key, cached_vector.unwrap_or_else(|| Vector::zero(self.n_dims)));
        }
        for batch in batches(&missing) {
            let batch_texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let (deadline, max_attempts) = match deadline {
                Some(deadline) => (deadline, service::MAX_QUERY_ATTEMPTS),
                None => (Instant::now() + BATCH_TIMEOUT, service::MAX_ATTEMPTS),
            };
            let batch_vectors = self.service.embed(&batch_texts, deadline, max_attempts)?;
            self.cache(batch, &batch_vectors);
            vectors_by_key.extend(batch.iter().map(|(cache_key, _)| *cache_key).zip(batch_vectors));
        }
        Ok(keys.iter().map(|cache_key| vectors_by_key[cache_key].clone()).collect())
    }

    /// Returns the last error while the circuit breaker is open.
    pub(crate) fn last_failure(&self) -> Option<EmbedError> {
        self.service.circuit_breaker.open_reason(Instant::now())
    }

    /// Returns the vectors of the texts if all of them are cached.
    pub(crate) fn cached(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        let cached = |text: &&str| match truncated(text) {
            "" => Some(Vector::zero(self.n_dims)),
            text => self.cached_vector(&self.cache_key(text)),
        };
        texts.iter().map(cached).collect()
    }

    fn cache_key(&self, text: &str) -> CacheKey {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.id.as_str().len() as u64).to_le_bytes());
        hasher.update(self.id.as_str().as_bytes()).update(text.as_bytes());
        *hasher.finalize().as_bytes()
    }

    fn cached_vector(&self, cache_key: &CacheKey) -> Option<Vector> {
        let bytes = self.store.as_ref()?.get(SPACE, cache_key)?;
        let codes: Vec<i8> = bytes.iter().map(|byte| *byte as i8).collect();
        (codes.len() == self.n_dims).then(|| Vector::from_codes(&codes))
    }

    /// Caches a batch, and flushes it before the next request. A failing store only costs repeated requests.
    fn cache(&self, batch: &[(CacheKey, &str)], vectors: &[Vector]) {
        let Some(store) = &self.store else { return };
        let values: Vec<Vec<u8>> =
            vectors.iter().map(|vector| vector.codes().iter().map(|code| *code as u8).collect()).collect();
        let entries = batch.iter().zip(&values).map(|((cache_key, _), value)| (&cache_key[..], &value[..]));
        if let Err(error) = store.put_batch(SPACE, entries).and_then(|()| store.flush()) {
            tracing::warn!(%error, "vectors cannot be cached and will be requested again");
        }
    }
}

/// Returns the part of a text that is sent.
fn truncated(text: &str) -> &str {
    let text = text.trim();
    let end = (0..=text.len().min(MAX_TEXT_BYTES)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// Splits texts into batches, in order.
fn batches<'t, 'k>(texts: &'k [(CacheKey, &'t str)]) -> impl Iterator<Item = &'k [(CacheKey, &'t str)]> {
    let mut rest = texts;
    std::iter::from_fn(move || {
        let mut n_bytes = 0;
        let fits = |(_, text): &&(CacheKey, &str)| {
            n_bytes += text.len();
            n_bytes <= MAX_BATCH_BYTES
        };
        let n_texts = rest.iter().take(MAX_BATCH_TEXTS).take_while(fits).count();
        let (batch, later) = rest.split_at(n_texts);
        rest = later;
        (!batch.is_empty()).then_some(batch)
    })
}
