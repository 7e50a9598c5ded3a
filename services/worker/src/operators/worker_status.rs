//! The status of a worker at one moment, as operators see it. It has counts, and no names.

use std::time::Duration;

/// The status of a worker.
#[derive(Debug, Default)]
pub(crate) struct WorkerStatus {
    /// True if gateways should send requests.
    pub(crate) is_ready: bool,
    /// True if the worker is about to stop.
    pub(crate) is_draining: bool,
    /// True if the listing of repositories has an error; its last valid version stays in force.
    pub(crate) has_listing_error: bool,
    /// Problems of the worker as a whole, which its inventory names.
    pub(crate) n_problems: usize,
    /// Queries that run or wait for a thread.
    pub(crate) queries_in_flight: usize,
    pub(crate) repositories: RepositoryFigures,
}

/// The counts of the repositories of a worker.
#[derive(Debug, Default)]
pub(crate) struct RepositoryFigures {
    pub(crate) pending: usize,
    pub(crate) ready: usize,
    pub(crate) indexing: usize,
    pub(crate) failed: usize,
    /// Repositories that wait for an indexing run.
    pub(crate) queued: usize,
    /// Repositories that are being indexed.
    pub(crate) running: usize,
    /// Served repositories without vectors.
    pub(crate) without_vectors: usize,
    /// Bytes on disk of the served generations.
    pub(crate) index_bytes: u64,
    /// The time since each served generation was indexed, ascending.
    pub(crate) ages: Vec<Duration>,
    /// The time for which each repository has been out of date, ascending.
    pub(crate) lags: Vec<Duration>,
}

impl RepositoryFigures {
    /// Returns the number of repositories by the name of their state.
    pub(crate) fn by_state(&self) -> [(&'static str, usize); 4] {
        [("pending", self.pending), ("ready", self.ready), ("indexing", self.indexing), ("failed", self.failed)]
    }

    /// Returns the number of repositories.
    pub(crate) fn total(&self) -> usize {
        self.by_state().iter().map(|(_, n_repositories)| n_repositories).sum()
    }
}
