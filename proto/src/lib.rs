//! The interface between gateway and workers: generated gRPC services, and conversions to model types.
//!
//! `v1` is generated from `causeway/v1/*.proto`, which documents the messages. The crate has no behaviour: a message
//! that cannot be converted is a `WireError`, for the caller to handle. Signing and verification of requests is in
//! `grant`.
//!
//! ```
//! use model::RepoId;
//! use proto::v1::Target;
//!
//! let repo = RepoId([0xab; 16]);
//! assert_eq!(Target::new(repo, None).parse(), Ok((repo, None)));
//! ```

#![warn(missing_docs)]

use std::path::Path;

pub mod convert;
pub mod grant;
pub mod status;

/// Generated messages, clients and servers.
#[allow(clippy::all, unreachable_pub, missing_docs, reason = "what is generated follows the generator's style")]
pub mod v1 {
    tonic::include_proto!("causeway.v1");
}

/// The encoded `FileDescriptorSet` of all proto files, for server reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// Maximum message size in bytes, in both directions. tonic's default of 4 MiB is too small for the inventory of a
/// worker with ten thousand repositories.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// Service name of the readiness check in grpc.health.v1.
pub const READINESS_SERVICE: &str = "causeway.v1.ShardService";

/// Service name of the liveness check in grpc.health.v1.
pub const LIVENESS_SERVICE: &str = "liveness";

/// Reply metadata with the worker's id: the id of its data folder, as in its inventory.
pub const WORKER_HEADER: &str = "causeway-worker";

pub use convert::WireError;

/// Length in bytes of the digest of a work tree.
const DIGEST_BYTES: usize = 16;

/// The node of a definition or file that is new in a draft: the graph of the generation below does not have it.
pub const NO_NODE: u32 = u32::MAX;

/// Returns the digest of the path of a work tree. Workers advertise it instead of the path, and a gateway computes it of the folders of
/// a client.
pub fn work_tree_digest(path: &Path) -> Vec<u8> {
    blake3::hash(path.as_os_str().as_encoded_bytes()).as_bytes()[..DIGEST_BYTES].to_vec()
}
