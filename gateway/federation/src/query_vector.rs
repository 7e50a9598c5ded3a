//! Query embeddings of the configured model. A static model answers at once; a model service is called on a blocking thread with
//! a deadline. Without an embedding, a query is searched by text alone.

use std::{sync::Arc, time::Duration};

use embed::{EmbedError, Embedder, ModelId, StaticModel, Vector, WordCache};
use proto::v1;
use tokio::{sync::Semaphore, time::Instant};

use crate::{cache::RecentCache, principal::Principal};

/// Deadline of the embedding, from the start of the call. The call ends after 10 s (`HARD_DEADLINE`); the difference is
/// `SOFT_DEADLINE`, the time of the workers.
pub const DEADLINE: Duration = Duration::from_secs(8);

/// Maximum number of concurrent calls to the model service, each on its own thread. A service with a longer queue would miss
/// the deadline.
const MAX_WAITING: usize = 32;

/// Capacity of each generation of the cache. A vector takes 0.4 to 4 kB.
const MAX_CACHED: usize = 1_000;

/// Embeds queries.
pub struct QueryModel {
    embedder: Arc<Embedder>,
    deadline: Duration,
    waiting: Arc<Semaphore>,
    /// By the hash of caller and text. Callers share no entry, since a fast answer would reveal that another one asked
    /// the same.
    cache: RecentCache<[u8; 32], Vector>,
}

/// The embedding of a query, if there is one.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryEmbedding {
    /// The quantised vector, with the id of its model.
    Vector(v1::QueryVector),
    /// The model knows none of its words.
    Empty,
    /// The model is unavailable; with a one-line reason for the caller. The log has the details.
    Unavailable(&'static str),
}

impl QueryEmbedding {
    /// Returns true if it is a vector of the built-in model, which also embeds commit messages.
    pub fn is_of_built_in_table(&self) -> bool {
        matches!(self, QueryEmbedding::Vector(vector) if vector.model == StaticModel::built_in().id().as_str())
    }

    pub(crate) fn vector(&self) -> Option<v1::QueryVector> {
        match self {
            QueryEmbedding::Vector(vector) => Some(vector.clone()),
            QueryEmbedding::Empty | QueryEmbedding::Unavailable(_) => None,
        }
    }
}

impl QueryModel {
    pub(crate) fn new(embedder: Arc<Embedder>, deadline: Duration) -> QueryModel {
        QueryModel {
            embedder,
            deadline,
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            cache: RecentCache::new(MAX_CACHED),
        }
    }

    /// Returns the static model; none if a model service is configured.
    pub fn table(&self) -> Option<&StaticModel> {
        self.embedder.static_model()
    }

    /// Embeds the query of a call that started at `started`.
    pub async fn embed_query(&self, principal: &Principal, text: &str, started: Instant) -> QueryEmbedding {
        if let Some(table) = self.embedder.static_model() {
            return self.of(&embed_query(table, text));
        }
        let key = cache_key(principal, text);
        if let Some(vector) = self.cache.get(key) {
            return self.of(&vector);
        }
        match self.ask(text, started + self.deadline).await {
            Ok(vector) => {
                self.cache.insert(key, vector.clone());
                self.of(&vector)
            }
            Err(reason) => QueryEmbedding::Unavailable(reason),
        }
    }

    async fn ask(&self, text: &str, deadline: Instant) -> Result<Vector, &'static str> {
        if let Some(error) = self.embedder.breaker_error() {
            return Err(unavailable_reason(&error));
        }
        let waiting = Arc::clone(&self.waiting);
        let turn = waiting.try_acquire_owned().map_err(|_| "too many queries wait for the model's service")?;
        let (embedder, text) = (Arc::clone(&self.embedder), text.to_owned());
        let asking = tokio::task::spawn_blocking(move || {
            // A cancelled call leaves its thread running, which keeps the permit until it ends.
            let _turn = turn;
            embedder.embed_by(&[&text], deadline.into_std())
        });
        let asked = tokio::time::timeout_at(deadline, asking).await.map_err(|_| LATE)?;
        let answered = asked.unwrap_or_else(|panic| Err(EmbedError::Misconfigured(panic.to_string())));
        let mut vectors =
            answered.map_err(|error| if Instant::now() >= deadline { LATE } else { unavailable_reason(&error) })?;
        vectors.pop().ok_or("the model's service gave nothing")
    }

    fn of(&self, vector: &Vector) -> QueryEmbedding {
        to_wire(vector, self.embedder.id()).map_or(QueryEmbedding::Empty, QueryEmbedding::Vector)
    }
}

fn cache_key(principal: &Principal, text: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(principal.name().len() as u64).to_le_bytes());
    hasher.update(principal.name().as_bytes());
    *hasher.update(text.as_bytes()).finalize().as_bytes()
}

/// Embeds a text with the built-in model, for comparison with commit messages.
pub fn of_message(text: &str) -> Option<v1::QueryVector> {
    let table = StaticModel::built_in();
    to_wire(&embed_query(table, text), table.id())
}

/// Removes unknown words that the built-in model splits into letters: their vectors are noise.
pub fn without_noise(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    let table = StaticModel::built_in();
    let makes_sense = |word: &str| {
        let parts = ranking::analyser::words(word);
        parts.is_empty() || parts.iter().any(|part| table.makes_sense_of(part)) || is_known(word)
    };
    let line = |line: &str| line.split_whitespace().filter(|word| makes_sense(word)).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn to_wire(vector: &Vector, model: &ModelId) -> Option<v1::QueryVector> {
    let codes = vector.codes().iter().map(|code| *code as u8).collect();
    (!vector.is_zero()).then(|| v1::QueryVector { model: model.as_str().to_owned(), codes })
}

const LATE: &str = "the model's service did not answer in time";

fn unavailable_reason(error: &EmbedError) -> &'static str {
    match error {
        EmbedError::Unavailable(_) => "the model's service does not answer; the gateway's log says more",
        EmbedError::Misconfigured(_) => "the model's service refuses; the gateway's log says why",
    }
}

fn embed_query(model: &StaticModel, text: &str) -> Vector {
    let words = ranking::query::vector_words(text).join(" ");
    WordCache::new(model).embed(&words)
}

#[cfg(test)]
mod tests {
    use embed::ModelConfig;

    use super::*;

    #[test]
    fn unknown_letter_sequences_are_removed() {
        for (text, expected) in [
            ("jkgrv", ""),
            ("open jkgrv\n\nof  diyfp.", "open\n\nof diyfp."),
            ("deserialize — the 42 sessions", "deserialize — the 42 sessions"),
        ] {
            assert_eq!(without_noise(text, |word| word.contains("diyfp")), expected);
        }
    }

    #[test]
    fn cached_vectors_belong_to_one_caller() {
        let caller = |name: &str| Principal::limited(name, ["*".to_owned()]);
        assert_eq!(cache_key(&caller("a"), "open"), cache_key(&caller("a"), "open"));
        for (name, text) in [("b", "open"), ("a", "close"), ("ao", "pen")] {
            assert_ne!(cache_key(&caller("a"), "open"), cache_key(&caller(name), text), "{name} {text}");
        }
    }

    #[tokio::test]
    async fn a_static_model_answers_at_once() {
        let embedder = Embedder::open(&ModelConfig::BuiltIn, None).unwrap();
        let model = QueryModel::new(Arc::new(embedder), Duration::ZERO);
        let QueryEmbedding::Vector(vector) =
            model.embed_query(&Principal::local(), "open the session", Instant::now()).await
        else {
            panic!("these words mean something")
        };
        assert_eq!(vector.model, StaticModel::built_in().id().as_str());
        assert_eq!(vector.codes.len(), StaticModel::built_in().n_dims());
        assert_eq!(model.embed_query(&Principal::local(), "", Instant::now()).await, QueryEmbedding::Empty);
    }
}
