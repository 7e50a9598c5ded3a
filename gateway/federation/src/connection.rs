//! The connection to one worker: its channel, its latencies and its circuit breaker.

mod circuit_breaker;
pub mod hedge_budget;
pub mod latencies;

use std::{ops::Deref, sync::Arc};

use arc_swap::ArcSwapOption;
use proto::v1::shard_service_client::ShardServiceClient;
use tokio_util::sync::CancellationToken;
use tonic::{Status, metadata::MetadataMap, transport::Channel};

use crate::{grants::Grants, rpc_metrics::RpcMetrics};
use circuit_breaker::WorkerCircuitBreaker;
use hedge_budget::HedgeBudget;
use latencies::Latencies;

/// The client of one worker's shard service; clones share its channel.
pub type ShardClient = ShardServiceClient<Channel>;

/// The connection to one worker.
pub struct WorkerConnection {
    /// The number of the watched worker: successive connections to one worker share it.
    pub member: u64,
    /// The display name of the worker.
    pub name: String,
    /// Connects at its first use, and again after a failure.
    pub channel: Channel,
    /// Uses `channel`; a message has at most `proto::MAX_MESSAGE_BYTES`.
    pub client: ShardClient,
    /// The latest latencies by reply type, which set the delay of hedged requests.
    pub latencies: Latencies,
    /// The id of the worker, once it has reported one.
    worker: ArcSwapOption<String>,
    breaker: WorkerCircuitBreaker,
    lost: CancellationToken,
}

impl WorkerConnection {
    pub(crate) fn new(member: u64, name: String, channel: Channel) -> WorkerConnection {
        let client = ShardServiceClient::new(channel.clone())
            .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
            .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
        WorkerConnection {
            member,
            name,
            channel,
            client,
            latencies: Latencies::default(),
            worker: ArcSwapOption::empty(),
            breaker: WorkerCircuitBreaker::default(),
            lost: CancellationToken::new(),
        }
    }

    /// Returns the id of the worker, once it has reported one.
    pub fn worker(&self) -> Option<Arc<String>> {
        self.worker.load_full()
    }

    /// Records the id that the worker reported.
    pub fn set_worker_id(&self, worker: &str) {
        if self.worker().is_none_or(|known| *known != worker) {
            self.worker.store(Some(Arc::new(worker.to_owned())));
        }
    }

    /// Rejects a reply of a worker other than the one that sent the inventory: an address may be reassigned.
    pub fn verify_worker_id(&self, reply: &MetadataMap) -> Result<(), Status> {
        let Some(known) = self.worker() else { return Ok(()) };
        match reply.get(proto::WORKER_HEADER) {
            Some(worker) if worker.as_bytes() == known.as_bytes() => Ok(()),
            Some(_) => Err(Status::unavailable("another worker answers at its address")),
            None => Err(Status::unavailable("the reply has no worker id")),
        }
    }

    /// Requests a health check of a slow worker. Most slow workers are healthy, so the breaker stays closed.
    pub fn request_health_check(&self) {
        self.breaker.request_health_check();
    }

    /// Opens the circuit breaker and requests a health check. Until the check succeeds, calls prefer other replicas.
    pub fn open_breaker(&self) {
        self.breaker.open();
    }

    /// Closes the circuit breaker: the worker is healthy.
    pub fn close_breaker(&self) {
        self.breaker.close();
    }

    pub(crate) fn is_breaker_open(&self) -> bool {
        self.breaker.is_open()
    }

    /// Opens the breaker and fails all pending calls on this connection.
    pub fn disconnect(&self) {
        self.open_breaker();
        self.lost.cancel();
    }

    /// Returns the reply, or an error as soon as the connection is disconnected.
    pub async fn reply<T>(&self, reply: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
        let disconnected = || Err(Status::unavailable("it stopped responding"));
        self.lost.run_until_cancelled(reply).await.unwrap_or_else(disconnected)
    }

    /// Waits for the next request for a health check.
    pub async fn health_check_requested(&self) {
        self.breaker.health_check_requested().await;
    }
}

/// The connections to the workers of one directory, in its order, with the shared hedge budget.
#[derive(Clone, Default)]
pub struct WorkerConnections {
    connections: Arc<[Arc<WorkerConnection>]>,
    /// Shared by all requests and by successive directories.
    pub hedge_budget: Arc<HedgeBudget>,
    /// The latencies of all calls.
    pub rpcs: RpcMetrics,
    /// Signs the requests to all workers.
    pub grants: Grants,
}

impl WorkerConnections {
    /// Returns an empty set of connections whose requests are signed with `grants`.
    pub fn signing(grants: Grants) -> WorkerConnections {
        WorkerConnections { grants, ..WorkerConnections::default() }
    }

    /// Returns a copy with these connections, and with the same budget, metrics and grants.
    pub fn with(&self, connections: Vec<Arc<WorkerConnection>>) -> WorkerConnections {
        WorkerConnections {
            connections: connections.into(),
            hedge_budget: Arc::clone(&self.hedge_budget),
            rpcs: self.rpcs.clone(),
            grants: self.grants.clone(),
        }
    }
}

impl Deref for WorkerConnections {
    type Target = [Arc<WorkerConnection>];

    fn deref(&self) -> &Self::Target {
        &self.connections
    }
}
