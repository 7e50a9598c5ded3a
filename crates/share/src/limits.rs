//! Deadlines of store requests, and bounds of concurrency and memory.

use std::{future::Future, time::Duration};

use crate::error::ShareError;

/// Number of files of one generation that are transferred concurrently. It saturates a network of some hundred megabytes per
/// second, and keeps all buffers below a hundred megabytes.
pub(crate) const FILES_AT_ONCE: usize = 4;

/// Maximum number of chunks of a file that are queued between the network and the thread that encodes or decodes them.
pub(crate) const CHUNKS_IN_FLIGHT: usize = 4;

/// Chunk size of reading and writing files.
pub(crate) const CHUNK_BYTES: usize = 256 << 10;

/// Part size of multipart uploads, which are used for larger files. S3 requires at least 5 MiB per part and at most 10,000
/// parts.
pub(crate) const PART_BYTES: usize = 8 << 20;

/// Number of concurrent requests of one multipart upload.
pub(crate) const PARTS_AT_ONCE: usize = 2;

/// Maximum length of a manifest. A hundred files and a thousand diagnostics take far less.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// Compression level of uploads: the fastest one. Compression only serves to save network time.
pub(crate) const ZSTD_LEVEL: i32 = 1;

/// Maximum number of retries of a failed request, within its deadline.
pub(crate) const MAX_RETRIES: usize = 3;

/// Deadline of opening a connection.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Deadlines of store requests. The default values are those of a worker; tests use shorter ones.
#[derive(Debug, Clone, Copy)]
pub struct TransferLimits {
    /// Deadline of a small request, such as a lookup. It is short, since an indexing run waits for it.
    pub request: Duration,
    /// Maximum time without progress of a transfer.
    pub stall: Duration,
    /// Deadline of the transfer of a generation, extended by a second per megabyte.
    pub whole: Duration,
}

/// Minimum throughput of a transfer. Indexing is faster than loading from a slower store.
const BYTES_PER_SECOND: u64 = 1 << 20;

impl Default for TransferLimits {
    fn default() -> TransferLimits {
        TransferLimits {
            request: Duration::from_secs(5),
            stall: Duration::from_secs(20),
            whole: Duration::from_secs(60),
        }
    }
}

impl TransferLimits {
    /// Returns the deadline of the transfer of a generation of this size.
    pub(crate) fn of_bytes(&self, n_bytes: u64) -> Duration {
        self.whole + Duration::from_secs(n_bytes / BYTES_PER_SECOND)
    }
}

/// Runs an operation with a deadline. The error names the operation.
pub(crate) async fn within<T>(
    limit: Duration,
    operation: &str,
    work: impl Future<Output = T>,
) -> Result<T, ShareError> {
    let late = |_| ShareError::Unavailable(format!("{operation} took longer than {limit:?}"));
    tokio::time::timeout(limit, work).await.map_err(late)
}
