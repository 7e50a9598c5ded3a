//! Requests to an embedding service for the vectors of rows.
//!
//! They are made before anything is written, so that no half-written generation waits for the network. The vectors are stored,
//! so that none is requested twice.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use source::{BlobSource, ReadError, Tree};

use super::{
    IndexingRun, MissingVectors, RunError, RunStep,
    diff::GenerationDiff,
    extract::{self, ExtractedFile, FileInput},
    resolve::RunTarget,
    row_vectors::{RowVectors, as_strs},
};

/// Maximum wait of a commit for the vectors of its changes. After that it is published without vectors, which follow in another
/// generation. A change of some hundred rows takes a service a few seconds.
const CHANGE_PATIENCE: Duration = Duration::from_secs(20);

/// Maximum time in which one run requests vectors for text that is already served. The next run continues, and notices a
/// `HEAD` that has moved in the meantime.
const BACKFILL_PATIENCE: Duration = Duration::from_secs(60);

/// Rows of one request.
const ROWS_PER_REQUEST: usize = 64;

/// Deadline of a request with its retries. A server without a graphics card takes some seconds. A worker that is stopped waits
/// for it.
const REQUEST_DEADLINE: Duration = Duration::from_secs(20);

/// Has the service make the vectors of all changed files, and stores them. Returns why some are missing. A model without a
/// service needs no requests. Blocking, possibly for long: it holds no lock, and no thread that others need.
pub(super) fn embed(
    run: &IndexingRun<'_>,
    target: &RunTarget,
    tree: &Tree,
    changes: &GenerationDiff,
) -> Result<Option<MissingVectors>, RunError> {
    if run.model.static_model().is_some() || tree.files.is_empty() {
        return Ok(None);
    }
    let until = Instant::now() + patience(target);
    let blobs = BlobSource::open(run.checkout)?.with_contents_of(tree);
    for batch in extract::batches(&tree.files) {
        run.progress(RunStep::Embed, batch.start, tree.files.len());
        let changed: Vec<FileInput<'_>> = batch
            .filter(|file_idx| !changes.is_unchanged[*file_idx])
            .map(|file_idx| FileInput { file: &tree.files[file_idx], is_unchanged: false })
            .collect();
        let texts = run.threads.install(|| {
            let extracted = extract::extract_all(&blobs, run.facts, run.warm_facts, &RowVectors::None, &changed)?;
            let texts = |(extracted, input): (&ExtractedFile, &FileInput<'_>)| {
                index::row_texts(&input.file.path, &extracted.facts, &extracted.bytes)
            };
            Ok::<Vec<String>, ReadError>(extracted.par_iter().zip(&changed).flat_map_iter(texts).collect())
        })?;
        for rows in texts.chunks(ROWS_PER_REQUEST) {
            run.check_stopped()?;
            let rows = as_strs(rows);
            if run.model.cached(&rows).is_some() {
                continue;
            }
            let now = Instant::now();
            if now >= until {
                return Ok(Some(MissingVectors::Pending));
            }
            if let Err(error) = run.model.embed_by(&rows, now + REQUEST_DEADLINE) {
                return Ok(Some(MissingVectors::Failed(error)));
            }
        }
    }
    Ok(None)
}

/// Returns how long a run may request vectors. A commit that would lose the vectors of the served generation waits for a
/// while. A repository without any generation is published without vectors first.
fn patience(target: &RunTarget) -> Duration {
    match (target.is_text_served(), &target.with_vectors) {
        (true, _) => BACKFILL_PATIENCE,
        (false, Some(_)) => CHANGE_PATIENCE,
        (false, None) => Duration::ZERO,
    }
}
