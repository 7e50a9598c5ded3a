//! Workers and a gateway in one process, joined by gRPC over in-memory pipes.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use ::federation::{discovery::WorkerEndpoint, principal::Principal};
use gateway::{Gateway, GatewayConfig};
use proto::v1::{self, indexing_service_client::IndexingServiceClient, shard_service_client::ShardServiceClient};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use tools::ToolResult;

use crate::PATIENCE;

/// A worker in tasks of this process, until it is stopped or dropped.
pub struct InProcessWorker {
    pub channel: Channel,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), worker::StartError>>,
}

impl InProcessWorker {
    /// Starts a worker on a data folder.
    pub async fn start(data: &Path, roots: &[PathBuf]) -> Result<InProcessWorker, worker::StartError> {
        InProcessWorker::configured(data, roots, worker::WorkerSettings::default()).await
    }

    /// Starts a worker with settings.
    pub async fn configured(
        data: &Path,
        roots: &[PathBuf],
        settings: worker::WorkerSettings,
    ) -> Result<InProcessWorker, worker::StartError> {
        let config = worker::WorkerConfig { data: data.to_owned(), roots: roots.to_vec(), settings };
        let worker = worker::Worker::start(config).await?;
        let (channel, incoming) = runtime::in_memory::wire();
        let stop = CancellationToken::new();
        let serving = tokio::spawn(worker.serve(incoming, stop.clone().cancelled_owned()));
        Ok(InProcessWorker { channel, stop, serving })
    }

    /// Starts a worker, and waits until indexing has finished.
    pub async fn indexed(data: &Path, roots: &[PathBuf]) -> InProcessWorker {
        InProcessWorker::indexed_within(PATIENCE, data, roots).await
    }

    /// Does the same with another timeout.
    pub async fn indexed_within(patience: Duration, data: &Path, roots: &[PathBuf]) -> InProcessWorker {
        let worker = InProcessWorker::start(data, roots).await.expect("the worker starts");
        idle_within(patience, worker.channel.clone()).await;
        worker
    }

    /// Waits until indexing has finished, and returns the status of the repositories.
    pub async fn idle(&self) -> Vec<v1::RepositoryStatus> {
        idle(self.channel.clone()).await
    }

    pub fn shard(&self) -> ShardServiceClient<Channel> {
        ShardServiceClient::new(self.channel.clone()).max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
    }

    /// Returns the current inventory.
    pub async fn inventory(&self) -> Vec<v1::Repository> {
        let mut stream = self.shard().inventory(v1::InventoryRequest {}).await.expect("it answers").into_inner();
        stream.message().await.expect("the stream holds").expect("it begins with all").repositories
    }

    /// Stops the worker, and waits until its data folder is unlocked.
    pub async fn stop(self) {
        self.stop.cancel();
        self.serving.await.expect("serving does not panic").expect("it stops in order");
    }
}

/// Waits until the worker of a channel has finished indexing.
pub async fn idle(channel: Channel) -> Vec<v1::RepositoryStatus> {
    idle_within(PATIENCE, channel).await
}

/// Does the same with another timeout.
pub async fn idle_within(patience: Duration, channel: Channel) -> Vec<v1::RepositoryStatus> {
    let following = async {
        let request = v1::StatusRequest { follow: false };
        let mut stream = IndexingServiceClient::new(channel).status(request).await.expect("it answers").into_inner();
        let mut last = Vec::new();
        while let Some(status) = stream.message().await.expect("the stream holds") {
            last = status.repositories;
        }
        last
    };
    tokio::time::timeout(patience, following).await.expect("indexing comes to its end")
}

/// Workers with a gateway.
pub struct Federation {
    pub gateway: Gateway,
    pub workers: Vec<InProcessWorker>,
}

impl Federation {
    /// Starts a gateway for workers, and waits until it has their inventories.
    pub async fn of(workers: Vec<InProcessWorker>) -> Federation {
        Federation::configured(GatewayConfig::laptop(), workers).await
    }

    /// Does the same with a gateway configuration.
    pub async fn configured(config: GatewayConfig, workers: Vec<InProcessWorker>) -> Federation {
        let endpoint = |(worker_idx, worker): (usize, &InProcessWorker)| {
            let channel = worker.channel.clone();
            WorkerEndpoint::new(format!("worker-{worker_idx}"), move || channel.clone())
        };
        let gateway = Gateway::start(config, workers.iter().enumerate().map(endpoint).collect());
        assert!(
            gateway.wait_for_workers(PATIENCE).await,
            "not every worker has sent its inventory: {:?}",
            gateway.readiness()
        );
        Federation { gateway, workers }
    }

    /// Starts one worker for all repositories below `root`, with its data below `data`.
    pub async fn over(data: &Path, root: &Path) -> Federation {
        Federation::of(vec![InProcessWorker::indexed(data, &[root.to_owned()]).await]).await
    }

    /// Calls a tool and returns its result, successful or not.
    pub async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.gateway.call(&Principal::local(), tool, arguments).await
    }

    /// Calls a tool with a JSON answer, and returns the answer.
    pub async fn ask(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments.clone()).await;
        assert!(!result.is_error, "{tool} {arguments}: {}", result.text);
        result.structured.unwrap_or_else(|| panic!("{tool} {arguments} answers in JSON, not: {}", result.text))
    }

    /// Calls a tool that fails, and returns the error.
    pub async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone()).await;
        assert!(result.is_error, "{tool} {arguments} is refused, not answered: {}", result.text);
        result.text
    }

    /// Waits until callers see the repository at `commit`.
    pub async fn serves(&self, alias: &str, commit: &str) {
        let began = Instant::now();
        loop {
            let listed = self.ask("list_repos", json!({})).await;
            let repositories = listed["repositories"].as_array().expect("a list of repositories");
            if repositories.iter().any(|repo| repo["repo"] == alias && repo["indexed_commit"] == commit) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{alias} is not read at {commit}: {listed}");
            tokio::task::yield_now().await;
        }
    }

    /// Stops all workers, and waits until the data folders are unlocked.
    pub async fn stop(self) {
        self.gateway.shutdown().await;
        for worker in self.workers {
            worker.stop().await;
        }
    }
}
