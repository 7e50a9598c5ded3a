//! The vectors of rows while files are read: computed by a table, or looked up where a service has made them before.

use std::sync::Mutex;

use embed::{Embedder, StaticModel, Vector};
use index::RowEmbedder;
use model::FileFacts;

/// The source of the vectors of rows, for any number of threads.
pub(super) enum RowVectors<'m> {
    /// No vectors are needed.
    None,
    /// A table computes them.
    Table(MeaningsPool<'m>),
    /// An embedding service has made them before.
    Stored(&'m Embedder),
}

impl<'m> RowVectors<'m> {
    /// Returns the source of the vectors of a model.
    pub(super) fn of(model: &'m Embedder) -> RowVectors<'m> {
        match model.static_model() {
            Some(table) => RowVectors::Table(MeaningsPool { model: table, idle: Mutex::default() }),
            None => RowVectors::Stored(model),
        }
    }

    /// Returns the vector of each row of a file, in their order; none if one of them is not stored.
    pub(super) fn of_file(&self, path: &str, facts: &FileFacts, bytes: &[u8]) -> Vec<Vector> {
        match self {
            RowVectors::None => Vec::new(),
            RowVectors::Table(pool) => pool.with(|embedder| embedder.row_vectors(path, facts, bytes)),
            RowVectors::Stored(model) => {
                let texts = index::row_texts(path, facts, bytes);
                model.cached(&as_strs(&texts)).unwrap_or_default()
            }
        }
    }
}

/// Caches of word vectors, one for each thread at work. The vectors of a row do not depend on the cache.
pub(super) struct MeaningsPool<'m> {
    model: &'m StaticModel,
    idle: Mutex<Vec<RowEmbedder<'m>>>,
}

impl<'m> MeaningsPool<'m> {
    fn with<T>(&self, work: impl FnOnce(&mut RowEmbedder<'m>) -> T) -> T {
        let idle = || self.idle.lock().expect("no holder of this lock panics");
        let mut embedder = idle().pop().unwrap_or_else(|| RowEmbedder::new(self.model));
        let result = work(&mut embedder);
        idle().push(embedder);
        result
    }
}

pub(super) fn as_strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
