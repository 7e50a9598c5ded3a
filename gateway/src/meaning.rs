//! What a query means, as a vector of the model that is configured. A table tells at once; a service is asked off the
//! runtime, for so long, and a query that it does not answer is searched by text alone.

use std::{sync::Arc, time::Duration};

use embed::{EmbedError, Embedder, ModelId, StaticModel, Vector, WordCache};
use proto::v1;
use tokio::{sync::Semaphore, time::Instant};

use crate::recent::Recent;

/// How long after it came in a call may wait for its vector. It ends after 10 s (`HARD_DEADLINE`), and what is left is what
/// workers get once the first of them has answered (`SOFT_DEADLINE`).
pub(crate) const DEADLINE: Duration = Duration::from_secs(8);

/// Queries that wait for the service at the same time, each on a thread of its own. A service that has so many before it is
/// not in time for one more.
const MAX_WAITING: usize = 32;

/// Vectors of queries kept per half of the cache. One takes 0.4 to 4 kB.
const MAX_KEPT: usize = 1_000;

/// What makes vectors of queries.
pub(crate) struct QueryModel {
    embedder: Arc<Embedder>,
    deadline: Duration,
    waiting: Arc<Semaphore>,
    /// By the hash of the text.
    kept: Recent<[u8; 32], Vector>,
}

/// What is known of the meaning of a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meaning {
    Vector(v1::QueryVector),
    /// None of its words means anything.
    Nothing,
    /// The model did not tell; why, as one line for those who asked. The log says more.
    Untold(&'static str),
}

impl Meaning {
    /// Says whether it is a vector of the table inside the program, by which messages of commits are compared.
    pub(crate) fn is_of_built_in_table(&self) -> bool {
        matches!(self, Meaning::Vector(vector) if vector.model == StaticModel::built_in().id().as_str())
    }

    pub(crate) fn vector(&self) -> Option<v1::QueryVector> {
        match self {
            Meaning::Vector(vector) => Some(vector.clone()),
            Meaning::Nothing | Meaning::Untold(_) => None,
        }
    }
}

impl QueryModel {
    pub(crate) fn new(embedder: Arc<Embedder>, deadline: Duration) -> QueryModel {
        QueryModel { embedder, deadline, waiting: Arc::new(Semaphore::new(MAX_WAITING)), kept: Recent::new(MAX_KEPT) }
    }

    /// Returns the table that tells at once; none where a service is asked.
    pub(crate) fn table(&self) -> Option<&StaticModel> {
        self.embedder.static_model()
    }

    /// Returns what the query of a call means that came in at `started`.
    pub(crate) async fn meaning(&self, text: &str, started: Instant) -> Meaning {
        if let Some(table) = self.embedder.static_model() {
            return self.of(&embed_query(table, text));
        }
        let key = *blake3::hash(text.as_bytes()).as_bytes();
        if let Some(vector) = self.kept.get(key) {
            return self.of(&vector);
        }
        match self.ask(text, started + self.deadline).await {
            Ok(vector) => {
                self.kept.insert(key, vector.clone());
                self.of(&vector)
            }
            Err(reason) => Meaning::Untold(reason),
        }
    }

    async fn ask(&self, text: &str, deadline: Instant) -> Result<Vector, &'static str> {
        if let Some(error) = self.embedder.away() {
            return Err(told(&error));
        }
        let waiting = Arc::clone(&self.waiting);
        let turn = waiting.try_acquire_owned().map_err(|_| "too many queries wait for the model's service")?;
        let (embedder, text) = (Arc::clone(&self.embedder), text.to_owned());
        let asking = tokio::task::spawn_blocking(move || {
            // Who stops waiting for the answer leaves the thread behind, and its turn with it.
            let _turn = turn;
            embedder.embed_by(&[&text], deadline.into_std())
        });
        let asked = tokio::time::timeout_at(deadline, asking).await.map_err(|_| LATE)?;
        let answered = asked.unwrap_or_else(|panic| Err(EmbedError::Misconfigured(panic.to_string())));
        let mut vectors = answered.map_err(|error| if Instant::now() >= deadline { LATE } else { told(&error) })?;
        vectors.pop().ok_or("the model's service gave nothing")
    }

    fn of(&self, vector: &Vector) -> Meaning {
        wire(vector, self.embedder.id()).map_or(Meaning::Nothing, Meaning::Vector)
    }
}

/// Returns what messages of commits are compared with: what a text means by the table inside the program, if anything.
pub(crate) fn of_message(text: &str) -> Option<v1::QueryVector> {
    let table = StaticModel::built_in();
    wire(&embed_query(table, text), table.id())
}

/// Leaves out of a text the words that stand nowhere and are cut into letters by the table: what is near to those means
/// nothing.
pub(crate) fn without_noise(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    let table = StaticModel::built_in();
    let makes_sense = |word: &str| {
        let parts = ranking::analyser::words(word);
        parts.is_empty() || parts.iter().any(|part| table.makes_sense_of(part)) || is_known(word)
    };
    let line = |line: &str| line.split_whitespace().filter(|word| makes_sense(word)).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn wire(vector: &Vector, model: &ModelId) -> Option<v1::QueryVector> {
    let codes = vector.codes().iter().map(|code| *code as u8).collect();
    (!vector.is_zero()).then(|| v1::QueryVector { model: model.as_str().to_owned(), codes })
}

const LATE: &str = "the model's service did not answer in time";

fn told(error: &EmbedError) -> &'static str {
    match error {
        EmbedError::Unavailable(_) => "the model's service does not answer; the gateway's log says more",
        EmbedError::Misconfigured(_) => "the model's service refuses; the gateway's log says why",
    }
}

fn embed_query(model: &StaticModel, text: &str) -> Vector {
    let words = ranking::query::words_of_meaning(text).join(" ");
    model.embed(&words, &mut WordCache::new(model))
}

#[cfg(test)]
mod tests {
    use embed::ModelConfig;

    use super::*;

    #[test]
    fn letters_mean_nothing_unless_they_stand_somewhere() {
        for (text, expected) in [
            ("jkgrv", ""),
            ("open jkgrv\n\nof  diyfp.", "open\n\nof diyfp."),
            ("deserialize — the 42 sessions", "deserialize — the 42 sessions"),
        ] {
            assert_eq!(without_noise(text, |word| word.contains("diyfp")), expected);
        }
    }

    #[tokio::test]
    async fn a_table_tells_at_once() {
        let embedder = Embedder::open(&ModelConfig::BuiltIn, None).unwrap();
        let model = QueryModel::new(Arc::new(embedder), Duration::ZERO);
        let Meaning::Vector(vector) = model.meaning("open the session", Instant::now()).await else {
            panic!("these words mean something")
        };
        assert_eq!(vector.model, StaticModel::built_in().id().as_str());
        assert_eq!(vector.codes.len(), StaticModel::built_in().n_dims());
        assert_eq!(model.meaning("", Instant::now()).await, Meaning::Nothing);
    }
}
