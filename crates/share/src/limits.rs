//! How long a store may take, and how much is under way at once.

use std::{future::Future, time::Duration};

use crate::ShareError;

/// Files of one generation that are under way at the same time: enough to fill a network of some hundred megabytes per
/// second, few enough that what is buffered of them stays below a hundred megabytes.
pub(crate) const FILES_AT_ONCE: usize = 4;

/// Chunks of a file that wait between the network and the thread that packs or unpacks them.
pub(crate) const CHUNKS_IN_FLIGHT: usize = 4;

/// Bytes that a file is read and written by.
pub(crate) const CHUNK_BYTES: usize = 256 << 10;

/// A file that packs to more is uploaded in parts of this size: S3 takes no fewer than 5 MiB, and no more than 10,000 parts.
pub(crate) const PART_BYTES: usize = 8 << 20;

/// Requests of one upload in parts at the same time.
pub(crate) const PARTS_AT_ONCE: usize = 2;

/// What a manifest takes at most. One lists a hundred files and a thousand diagnostics in far less.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// Compression of what is not compressed yet: the fastest, since whoever loads waits for what it saves on the network alone.
pub(crate) const ZSTD_LEVEL: i32 = 1;

/// How often the client repeats a request that failed, within the deadline of that request.
pub(crate) const MAX_RETRIES: usize = 3;

/// How long a connection may take.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a store may take. The values of `default` are those of a worker; tests have less patience.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a small answer: whether there is a generation, a page of a listing. A run that could index instead waits for it.
    pub ask: Duration,
    /// Without a single byte of what is under way.
    pub stall: Duration,
    /// For all of a generation, besides a second for each `BYTES_PER_SECOND` of it.
    pub whole: Duration,
}

/// A store that is slower than this for a whole generation is worse than indexing.
const BYTES_PER_SECOND: u64 = 1 << 20;

impl Default for Limits {
    fn default() -> Limits {
        Limits { ask: Duration::from_secs(5), stall: Duration::from_secs(20), whole: Duration::from_secs(60) }
    }
}

impl Limits {
    /// Returns how long a generation of so many bytes may take.
    pub(crate) fn of_bytes(&self, n_bytes: u64) -> Duration {
        self.whole + Duration::from_secs(n_bytes / BYTES_PER_SECOND)
    }
}

/// Waits no longer than that.
pub(crate) async fn within<T>(limit: Duration, what: &str, work: impl Future<Output = T>) -> Result<T, ShareError> {
    let late = |_| ShareError::Unavailable(format!("{what} took longer than {limit:?}"));
    tokio::time::timeout(limit, work).await.map_err(late)
}
