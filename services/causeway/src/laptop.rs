//! Laptop mode: a worker and a gateway in one process, joined by an in-memory transport.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use federation::discovery::WorkerEndpoint;
use gateway::{Gateway, ServedViews};
use proto::v1::{
    EnqueueRequest, InventoryRequest, InventoryResponse, indexing_service_client::IndexingServiceClient,
    shard_service_client::ShardServiceClient,
};
use runtime::telemetry::{print_to_stderr, tell};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use worker::{StartError, Worker};

use crate::{
    data,
    exit::{CommandError, Exit},
    open_files,
    server_file::ServerFile,
};

/// Maximum wait for the discovery of the worker, which is in the same process.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);

/// A worker and a gateway that run until [`Laptop::shutdown`].
pub(crate) struct Laptop {
    pub(crate) gateway: Gateway,
    pub(crate) n_repositories: usize,
    /// True if nothing can be written into the data folder.
    pub(crate) is_read_only: bool,
    worker: Channel,
    serving: JoinHandle<Result<(), StartError>>,
    stop: CancellationToken,
}

impl Laptop {
    /// Opens the data folder, finds the repositories below `roots` and starts to index them. Fails if there are none.
    pub(crate) async fn start(
        data: &Path,
        roots: &[PathBuf],
        config: gateway::GatewayConfig,
    ) -> anyhow::Result<Laptop> {
        data::check_roots(data, roots)?;
        // Only the user of this process can write to the folders.
        let follow_outside_links = true;
        let settings = worker::WorkerSettings {
            model: config.model().clone(),
            follow_outside_links,
            work_trees: config.views() == ServedViews::WorkTree,
            ..Default::default()
        };
        let worker = start_worker(data, roots, settings, None).await?;
        let is_read_only = worker.read_only_reason().is_some();
        let config = if is_read_only { config.without_state() } else { config };
        let n_repositories = worker.discovery().checkouts.len();
        let name = worker.name().to_owned();
        let (channel, incoming) = runtime::in_memory::wire();
        let stop = CancellationToken::new();
        let serving = tokio::spawn(worker.serve(incoming, stop.clone().cancelled_owned()));
        let to_worker = channel.clone();
        let endpoint = WorkerEndpoint::new(name, move || to_worker.clone());
        let gateway = Gateway::start(config, vec![endpoint]);
        Ok(Laptop { gateway, n_repositories, is_read_only, worker: channel, serving, stop })
    }

    /// Returns a client of the worker's indexing service.
    pub(crate) fn indexing(&self) -> IndexingServiceClient<Channel> {
        IndexingServiceClient::new(self.worker.clone()).max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
    }

    /// Returns the worker's inventory.
    pub(crate) async fn inventory(&self) -> anyhow::Result<InventoryResponse> {
        let mut shard =
            ShardServiceClient::new(self.worker.clone()).max_decoding_message_size(proto::MAX_MESSAGE_BYTES);
        let mut inventories = shard.inventory(InventoryRequest {}).await?.into_inner();
        inventories.message().await?.context("the worker sent no inventory")
    }

    /// Enqueues repositories for indexing, even if they are up to date.
    pub(crate) async fn index_again(&self, repositories: Vec<String>) -> anyhow::Result<()> {
        self.indexing().enqueue(EnqueueRequest { repositories, force: true, urls: Vec::new() }).await?;
        Ok(())
    }

    /// Writes the file by which other commands find this server. A read-only data folder has none, and they need `--url`.
    pub(crate) fn write_server_file(&self, data: &Path, url: &str) -> anyhow::Result<Option<ServerFile>> {
        let write = || ServerFile::write(data, url).context("cannot write server.json into the data folder");
        (!self.is_read_only).then(write).transpose()
    }

    /// Waits until the gateway has the worker's inventory.
    pub(crate) async fn until_settled(&self) {
        if !self.gateway.wait_for_workers(SETTLE_TIMEOUT).await {
            tracing::warn!("the gateway has not received the worker's inventory yet");
        }
    }

    /// Shuts down the gateway, then the worker.
    pub(crate) async fn shutdown(self) -> anyhow::Result<()> {
        self.gateway.shutdown().await;
        self.stop.cancel();
        drop(self.worker);
        Ok(self.serving.await.context("the worker panicked")??)
    }
}

/// Starts a worker, which must have repositories. `operators` is the listener for operators' requests during the
/// start-up and after it.
pub(crate) async fn start_worker(
    data: &Path,
    roots: &[PathBuf],
    settings: worker::WorkerSettings,
    operators: Option<TcpListener>,
) -> anyhow::Result<Worker> {
    open_files::require_limit_of_server()?;
    // Configured repositories may appear later, or may be placed on other workers.
    let is_configured = settings.repositories.is_used();
    let config = worker::WorkerConfig { data: data.to_owned(), roots: roots.to_owned(), settings };
    let worker = Worker::start_with_status_port(config, operators).await?;
    if let Some(reason) = worker.read_only_reason() {
        tell(&format!(
            "{reason}; the indexed commits are served, and nothing is indexed: free some space or make the folder writable, and restart"
        ));
    }
    let found = worker.discovery();
    if is_configured || !found.checkouts.is_empty() {
        for diagnostic in &found.diagnostics {
            print_to_stderr(&format!("note: `{}`: {}", diagnostic.path, diagnostic.message));
        }
        return Ok(worker);
    }
    let reasons: Vec<String> =
        found.diagnostics.iter().map(|diagnostic| format!("`{}`: {}", diagnostic.path, diagnostic.message)).collect();
    let message = format!("nothing to index: {}; name a folder with repositories", reasons.join("; "));
    Err(CommandError::new(Exit::NothingToIndex, message).into())
}
