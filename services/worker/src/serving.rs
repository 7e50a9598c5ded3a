//! The gRPC services of a worker.

mod compare;
mod graph;
mod guard;
mod history;
mod indexing_service;
mod observe;
mod overview;
mod pool;
mod search;
mod shard_service;
mod suggest;
mod targets;
mod wire;

pub(crate) use guard::Guarded;
pub(crate) use indexing_service::IndexingApi;
pub(crate) use observe::Observe;
pub(crate) use pool::QueryPool;
pub(crate) use shard_service::ShardApi;
