//! The one seam between gateway and workers: the generated services, and the conversions between wire and nouns.
//!
//! `v1` is generated from `causeway/v1/*.proto`, which says what each message means. This crate deliberately holds
//! no behaviour: a message that cannot be converted is a `WireError`, and the caller decides. What a gateway signs with a
//! request, and how a worker sees that, is in `grant`.

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

/// The largest message that either side sends or takes, in bytes; tonic's own default of 4 MiB is too small for the
/// inventory of a worker with ten thousand repositories.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// The service name under which grpc.health.v1 tells whether a worker may be asked.
pub const READINESS_SERVICE: &str = "causeway.v1.ShardService";

/// The service name under which grpc.health.v1 tells whether the process is alive, whatever it has indexed.
pub const LIVENESS_SERVICE: &str = "liveness";

/// The metadata of every reply by which a worker says who it is: the id of its data folder, as in its inventory.
pub const WORKER_HEADER: &str = "causeway-worker";

pub use convert::WireError;
