//! The gRPC services of a worker: each call looks up snapshots in the catalog, and queries them on the threads of queries.

mod changes;
mod compare;
mod grant_guard;
mod graph;
mod history;
mod indexing_service;
mod messages;
mod overview;
mod query_pool;
mod rpc_telemetry;
mod search;
mod shard_service;
mod sites;
mod suggest;
mod targets;
mod tokens;

pub(crate) use grant_guard::GrantGuard;
pub(crate) use indexing_service::IndexingApi;
pub(crate) use query_pool::QueryPool;
pub(crate) use rpc_telemetry::RpcTelemetryLayer;
pub(crate) use shard_service::ShardApi;
