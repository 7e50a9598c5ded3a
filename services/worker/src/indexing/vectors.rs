//! The vectors of rows. A table gives them while files are read; a service is asked before anything is written, so that no
//! half-written generation waits for the network, and nothing is asked twice: what it answered is in the store.

use std::{
    fmt,
    sync::Mutex,
    time::{Duration, Instant},
};

use embed::{EmbedError, Embedder, StaticModel, Vector};
use index::{Meanings, Snapshot};
use model::FileFacts;
use rayon::prelude::*;
use source::{BlobSource, Tree, TreeFile};

use super::{
    Changes, Run, RunError, Step,
    extract::{self, Extracted},
};

/// How long a commit may wait for the vectors of what changed: then it is searched by text alone, which is newer, and the
/// vectors follow. A change of some hundred rows takes a service a few seconds.
const CHANGE_PATIENCE: Duration = Duration::from_secs(20);

/// How long one run asks for vectors of what is searched by text already; the next one goes on where it was. So a `HEAD` that
/// moves meanwhile is noticed.
const TURN: Duration = Duration::from_secs(60);

/// Rows that are asked for together: one request of most services.
const ROWS_AT_ONCE: usize = 64;

/// How long the answer for so many may take, with all repetitions: some seconds, on a server without a graphics card. A worker
/// that is told to stop waits for it.
const ANSWER_PATIENCE: Duration = Duration::from_secs(20);

/// Why a generation has no vectors for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// The service has not been asked for all of them yet.
    Pending,
    Failed(EmbedError),
}

/// What callers are told. What is wrong with the service is for those who run it.
impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lack::Pending => f.write_str("searched by text alone: its vectors are still being made"),
            Lack::Failed(_) => f.write_str(
                "searched by text alone: the model's service gave no vectors; it is asked again by itself, and the \
                 worker's log says what is wrong",
            ),
        }
    }
}

/// Makes the vectors of the rows of files, for as many threads as there are.
pub(super) enum RowVectors<'m> {
    /// Nobody wants any.
    None,
    Table(SharedMeanings<'m>),
    /// A service was asked before.
    Known(&'m Embedder),
}

impl<'m> RowVectors<'m> {
    /// Returns what makes vectors of a model.
    pub(super) fn of(model: &'m Embedder) -> RowVectors<'m> {
        match model.static_model() {
            Some(table) => RowVectors::Table(SharedMeanings { model: table, idle: Mutex::default() }),
            None => RowVectors::Known(model),
        }
    }

    /// Returns the vector of each row of a file, in their order; none if one of them is not known.
    pub(super) fn of_file(&self, path: &str, facts: &FileFacts, bytes: &[u8]) -> Vec<Vector> {
        match self {
            RowVectors::None => Vec::new(),
            RowVectors::Table(table) => table.with(|meanings| meanings.row_vectors(path, facts, bytes)),
            RowVectors::Known(model) => {
                let texts = index::row_texts(path, facts, bytes);
                model.known(&borrowed(&texts)).unwrap_or_default()
            }
        }
    }
}

/// What remembers words, for as many threads as there are. The vectors are the same whoever makes them.
pub(super) struct SharedMeanings<'m> {
    model: &'m StaticModel,
    idle: Mutex<Vec<Meanings<'m>>>,
}

impl<'m> SharedMeanings<'m> {
    fn with<T>(&self, work: impl FnOnce(&mut Meanings<'m>) -> T) -> T {
        let idle = || self.idle.lock().expect("no holder of this lock panics");
        let mut meanings = idle().pop().unwrap_or_else(|| Meanings::new(self.model));
        let result = work(&mut meanings);
        idle().push(meanings);
        result
    }
}

/// Returns how long a run may ask for vectors, if the text of its commit is served already, and if not, beside the
/// generation whose vectors would be lost. What has neither is searched by text first: no vector is worth waiting for then.
pub(super) fn patience(text_is_served: bool, with_vectors: Option<&Snapshot>) -> Duration {
    match (text_is_served, with_vectors) {
        (true, _) => TURN,
        (false, Some(_)) => CHANGE_PATIENCE,
        (false, None) => Duration::ZERO,
    }
}

/// Asks for the vectors of all files that are not kept, until they are known or patience is at its end. Blocking, and for
/// long: it holds no lock, and no thread that others need.
pub(super) fn ask(run: &Run<'_>, tree: &Tree, changes: &Changes, patience: Duration) -> Result<Option<Lack>, RunError> {
    if tree.files.is_empty() {
        return Ok(None);
    }
    let until = Instant::now() + patience;
    let blobs = BlobSource::open(run.checkout)?;
    let n_files = tree.files.len() as u64;
    for batch in extract::batches(&tree.files) {
        (run.progress)(Step::Embed, batch.start as u64, n_files);
        let is_new = |file_idx: &usize| !changes.is_kept[*file_idx];
        let wanted: Vec<(&TreeFile, bool)> =
            batch.filter(is_new).map(|file_idx| (&tree.files[file_idx], false)).collect();
        let texts = run.threads.install(|| {
            let extracted = extract::extract_all(&blobs, run.facts, &RowVectors::None, &wanted);
            let texts = |(read, (file, _)): (&Extracted, &(&TreeFile, bool))| {
                index::row_texts(&file.path, &read.facts, &read.bytes)
            };
            extracted.par_iter().zip(&wanted).flat_map_iter(texts).collect::<Vec<String>>()
        });
        for rows in texts.chunks(ROWS_AT_ONCE) {
            if (run.stopped)() {
                return Err(RunError::Stopped);
            }
            let rows = borrowed(rows);
            if run.model.known(&rows).is_some() {
                continue;
            }
            let now = Instant::now();
            if now >= until {
                return Ok(Some(Lack::Pending));
            }
            if let Err(error) = run.model.embed_by(&rows, now + ANSWER_PATIENCE) {
                return Ok(Some(Lack::Failed(error)));
            }
        }
    }
    Ok(None)
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
