//! Vectors from a service that speaks OpenAI's protocol for embeddings.
//!
//! What was answered is kept by what was asked: a text that is met again is not asked again, and a run that was broken off
//! goes on where it was. The service is asked for several texts at once, at most so often, and again when it is busy.

mod away;
mod pace;
mod request;
#[cfg(test)]
mod tests;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rustc_hash::FxHashMap;
use store::Store;

use self::request::Service;
use crate::{EmbedError, ModelId, Vector, config::EndpointConfig};

/// Texts of one request: the least of what well-known servers take by default.
const MAX_BATCH_TEXTS: usize = 64;

/// Bytes of one request, so that a slow server is done with it in time.
const MAX_BATCH_BYTES: usize = 128 * 1024;

/// Bytes of a text that are sent. That is some 2,000 tokens, of which few models take more.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// How long one batch may take with all its repetitions, where nobody waits for the answer.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the vectors of endpoints are kept under in the store.
const SPACE: &str = "vectors";

/// The hash of a model's id and a text.
type Key = [u8; 32];

/// A service and its model, and what it answered before.
pub struct Endpoint {
    id: ModelId,
    n_dims: usize,
    service: Service,
    store: Option<Arc<Store>>,
}

impl Endpoint {
    pub(crate) fn new(config: &EndpointConfig, store: Option<Arc<Store>>) -> Result<Endpoint, EmbedError> {
        let id = ModelId::of_name(&config.name, config.n_dims);
        Ok(Endpoint { id, n_dims: config.n_dims, service: Service::new(config)?, store })
    }

    pub(crate) fn id(&self) -> &ModelId {
        &self.id
    }

    pub(crate) fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Returns the vector of each text. Blank texts say nothing, and are not sent: some services refuse them.
    pub(crate) fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vector>, EmbedError> {
        let texts: Vec<&str> = texts.iter().map(|text| shortened(text)).collect();
        let keys: Vec<Key> = texts.iter().map(|text| self.key(text)).collect();
        let mut known: FxHashMap<Key, Vector> = FxHashMap::default();
        let mut unknown: Vec<(Key, &str)> = Vec::new();
        for (key, text) in keys.iter().zip(&texts) {
            if known.contains_key(key) {
                continue;
            }
            let kept = if text.is_empty() { Some(Vector::zero(self.n_dims)) } else { self.kept(key) };
            if kept.is_none() {
                unknown.push((*key, text));
            }
            // A text that is met twice is asked for once: until it is answered, nothing stands in its place.
            known.insert(*key, kept.unwrap_or_else(|| Vector::zero(self.n_dims)));
        }
        for batch in batches(&unknown) {
            let asked: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let (deadline, max_attempts) = match deadline {
                Some(deadline) => (deadline, request::MAX_ATTEMPTS_OF_A_QUERY),
                None => (Instant::now() + PATIENCE, request::MAX_ATTEMPTS),
            };
            let answered = self.service.ask(&asked, deadline, max_attempts)?;
            self.keep(batch, &answered);
            known.extend(batch.iter().map(|(key, _)| *key).zip(answered));
        }
        Ok(keys.iter().map(|key| known[key].clone()).collect())
    }

    /// Returns why the service is not asked now, if it failed a moment ago.
    pub(crate) fn away(&self) -> Option<EmbedError> {
        self.service.away.reason(Instant::now())
    }

    /// Returns the vector of each text, where nobody has to be asked for any.
    pub(crate) fn known(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        let known = |text: &&str| match shortened(text) {
            "" => Some(Vector::zero(self.n_dims)),
            text => self.kept(&self.key(text)),
        };
        texts.iter().map(known).collect()
    }

    fn key(&self, text: &str) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.id.as_str().len() as u64).to_le_bytes());
        hasher.update(self.id.as_str().as_bytes()).update(text.as_bytes());
        *hasher.finalize().as_bytes()
    }

    fn kept(&self, key: &Key) -> Option<Vector> {
        let bytes = self.store.as_ref()?.get(SPACE, key)?;
        let codes: Vec<i8> = bytes.iter().map(|byte| *byte as i8).collect();
        (codes.len() == self.n_dims).then(|| Vector::from_codes(&codes))
    }

    /// Keeps what was answered, on disk before the next batch is asked for. A store that fails costs repeated questions.
    fn keep(&self, batch: &[(Key, &str)], vectors: &[Vector]) {
        let Some(store) = &self.store else { return };
        let values: Vec<Vec<u8>> =
            vectors.iter().map(|vector| vector.codes().iter().map(|code| *code as u8).collect()).collect();
        let entries = batch.iter().zip(&values).map(|((key, _), value)| (&key[..], &value[..]));
        if let Err(error) = store.put_batch(SPACE, entries).and_then(|()| store.flush()) {
            tracing::warn!(%error, "vectors are not kept, and will be asked for again");
        }
    }
}

/// Returns what is sent of a text.
fn shortened(text: &str) -> &str {
    let text = text.trim();
    let end = (0..=text.len().min(MAX_TEXT_BYTES)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// Cuts texts into requests, in order.
fn batches<'t, 'k>(texts: &'k [(Key, &'t str)]) -> impl Iterator<Item = &'k [(Key, &'t str)]> {
    let mut rest = texts;
    std::iter::from_fn(move || {
        let mut n_bytes = 0;
        let fits = |(_, text): &&(Key, &str)| {
            n_bytes += text.len();
            n_bytes <= MAX_BATCH_BYTES
        };
        let n_texts = rest.iter().take(MAX_BATCH_TEXTS).take_while(fits).count();
        let (batch, later) = rest.split_at(n_texts);
        rest = later;
        (!batch.is_empty()).then_some(batch)
    })
}
