//! Both tiers in one process: a worker, and a gateway before it, joined by a wire in memory.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use gateway::{Gateway, WorkerEndpoint};
use proto::v1::{
    EnqueueRequest, InventoryRequest, InventoryResponse, indexing_service_client::IndexingServiceClient,
    shard_service_client::ShardServiceClient,
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use worker::{StartError, Worker};

use crate::{
    data,
    exit::{Exit, Failure},
};

/// Longer than a gateway takes to hear of a worker in the same process.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);

/// A worker and a gateway that run until they are shut down.
pub(crate) struct Laptop {
    pub(crate) gateway: Gateway,
    pub(crate) n_repositories: usize,
    worker: Channel,
    serving: JoinHandle<Result<(), StartError>>,
    stop: CancellationToken,
}

impl Laptop {
    /// Takes the data folder, finds the repositories below `roots` and starts to index them. Finding none is an error.
    pub(crate) async fn start(data: &Path, roots: &[PathBuf], config: gateway::Config) -> anyhow::Result<Laptop> {
        data::check_roots(roots)?;
        let settings = worker::Settings { model: config.model().clone(), ..Default::default() };
        let worker = start_worker(data, roots, settings, None).await?;
        let n_repositories = worker.found().checkouts.len();
        let name = worker.name().to_owned();
        let (channel, incoming) = runtime::in_memory::wire();
        let stop = CancellationToken::new();
        let serving = tokio::spawn(worker.serve(incoming, stop.clone().cancelled_owned()));
        let to_worker = channel.clone();
        let endpoint = WorkerEndpoint::new(name, move || to_worker.clone());
        let gateway = Gateway::start(config, vec![endpoint]);
        Ok(Laptop { gateway, n_repositories, worker: channel, serving, stop })
    }

    /// Returns a client of the worker's indexing.
    pub(crate) fn indexing(&self) -> IndexingServiceClient<Channel> {
        IndexingServiceClient::new(self.worker.clone()).max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
    }

    /// Returns what the worker holds.
    pub(crate) async fn inventory(&self) -> anyhow::Result<InventoryResponse> {
        let mut shard =
            ShardServiceClient::new(self.worker.clone()).max_decoding_message_size(proto::MAX_MESSAGE_BYTES);
        let mut inventories = shard.inventory(InventoryRequest {}).await?.into_inner();
        inventories.message().await?.context("the worker did not say what it holds")
    }

    /// Puts repositories into the queue, even those that are up to date.
    pub(crate) async fn index_again(&self, repositories: Vec<String>) -> anyhow::Result<()> {
        self.indexing().enqueue(EnqueueRequest { repositories, force: true, urls: Vec::new() }).await?;
        Ok(())
    }

    /// Waits until the gateway knows what the worker holds, which takes no more than a moment.
    pub(crate) async fn settled(&self) {
        if !self.gateway.settled(SETTLE_TIMEOUT).await {
            tracing::warn!("the gateway does not know yet what the worker holds");
        }
    }

    /// Ends both, the gateway first.
    pub(crate) async fn shutdown(self) -> anyhow::Result<()> {
        self.gateway.shutdown().await;
        self.stop.cancel();
        drop(self.worker);
        Ok(self.serving.await.context("the worker panicked")??)
    }
}

/// Starts a worker that has something to serve. `operators` is where it tells how it is, from the first moment on.
pub(crate) async fn start_worker(
    data: &Path,
    roots: &[PathBuf],
    settings: worker::Settings,
    operators: Option<TcpListener>,
) -> anyhow::Result<Worker> {
    // What is listed may come later, and what is held elsewhere is nothing to miss.
    let may_be_empty = settings.repositories.is_used();
    let config = worker::Config { data: data.to_owned(), roots: roots.to_owned(), settings };
    let worker = Worker::start_watched(config, operators).await?;
    let found = worker.found();
    if may_be_empty || !found.checkouts.is_empty() {
        for diagnostic in &found.diagnostics {
            eprintln!("left out: `{}`: {}", diagnostic.path, diagnostic.message);
        }
        return Ok(worker);
    }
    let reasons: Vec<String> =
        found.diagnostics.iter().map(|diagnostic| format!("`{}`: {}", diagnostic.path, diagnostic.message)).collect();
    let message = format!("nothing to index: {}; name a folder that holds repositories", reasons.join("; "));
    Err(Failure::new(Exit::NothingToIndex, message).into())
}
