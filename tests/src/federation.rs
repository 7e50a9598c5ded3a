//! Workers and a gateway in one process. Between them is a real gRPC connection, over pipes in memory.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use gateway::{Config, Gateway, Principal, ToolResult, WorkerEndpoint};
use proto::v1::{self, indexing_service_client::IndexingServiceClient, shard_service_client::ShardServiceClient};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;

use crate::PATIENCE;

/// A worker that runs in tasks of this process, until it is stopped or dropped.
pub struct InProcessWorker {
    pub channel: Channel,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), worker::StartError>>,
}

impl InProcessWorker {
    /// Starts a worker on a data folder.
    pub async fn start(data: &Path, roots: &[PathBuf]) -> Result<InProcessWorker, worker::StartError> {
        InProcessWorker::configured(data, roots, worker::Settings::default()).await
    }

    /// Starts a worker with a configuration of its own.
    pub async fn configured(
        data: &Path,
        roots: &[PathBuf],
        settings: worker::Settings,
    ) -> Result<InProcessWorker, worker::StartError> {
        let config = worker::Config { data: data.to_owned(), roots: roots.to_vec(), settings };
        let worker = worker::Worker::start(config).await?;
        let (channel, incoming) = runtime::in_memory::wire();
        let stop = CancellationToken::new();
        let serving = tokio::spawn(worker.serve(incoming, stop.clone().cancelled_owned()));
        Ok(InProcessWorker { channel, stop, serving })
    }

    /// Starts a worker, and waits until nothing is left to index.
    pub async fn indexed(data: &Path, roots: &[PathBuf]) -> InProcessWorker {
        InProcessWorker::indexed_within(PATIENCE, data, roots).await
    }

    /// Does the same for what takes longer than any test.
    pub async fn indexed_within(patience: Duration, data: &Path, roots: &[PathBuf]) -> InProcessWorker {
        let worker = InProcessWorker::start(data, roots).await.expect("the worker starts");
        idle_within(patience, worker.channel.clone()).await;
        worker
    }

    /// Waits until nothing is left to index, and returns how each repository stands.
    pub async fn idle(&self) -> Vec<v1::RepositoryStatus> {
        idle(self.channel.clone()).await
    }

    pub fn shard(&self) -> ShardServiceClient<Channel> {
        ShardServiceClient::new(self.channel.clone()).max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
    }

    /// Returns what it holds now.
    pub async fn inventory(&self) -> Vec<v1::Repository> {
        let mut stream = self.shard().inventory(v1::InventoryRequest {}).await.expect("it answers").into_inner();
        stream.message().await.expect("the stream holds").expect("it begins with all").repositories
    }

    /// Stops it, and waits until it has let go of its data folder.
    pub async fn stop(self) {
        self.stop.cancel();
        self.serving.await.expect("serving does not panic").expect("it stops in order");
    }
}

/// Waits until the worker behind a channel has nothing left to index.
pub async fn idle(channel: Channel) -> Vec<v1::RepositoryStatus> {
    idle_within(PATIENCE, channel).await
}

/// Does the same, with more patience.
pub async fn idle_within(patience: Duration, channel: Channel) -> Vec<v1::RepositoryStatus> {
    let following = async {
        let request = v1::StatusRequest { follow: false };
        let mut stream = IndexingServiceClient::new(channel).status(request).await.expect("it tells").into_inner();
        let mut last = Vec::new();
        while let Some(status) = stream.message().await.expect("the stream holds") {
            last = status.repositories;
        }
        last
    };
    tokio::time::timeout(patience, following).await.expect("indexing comes to its end")
}

/// Workers, and a gateway before them.
pub struct Federation {
    pub gateway: Gateway,
    pub workers: Vec<InProcessWorker>,
}

impl Federation {
    /// Puts a gateway before workers, and waits until it knows what they hold.
    pub async fn of(workers: Vec<InProcessWorker>) -> Federation {
        Federation::configured(Config::laptop(), workers).await
    }

    /// Does the same with another configuration of the gateway.
    pub async fn configured(config: Config, workers: Vec<InProcessWorker>) -> Federation {
        let endpoint = |(worker_idx, worker): (usize, &InProcessWorker)| {
            let channel = worker.channel.clone();
            WorkerEndpoint::new(format!("worker-{worker_idx}"), move || channel.clone())
        };
        let gateway = Gateway::start(config, workers.iter().enumerate().map(endpoint).collect());
        assert!(gateway.settled(PATIENCE).await, "every worker says what it holds: {:?}", gateway.readiness());
        Federation { gateway, workers }
    }

    /// Indexes everything below `root` with one worker, whose data lies below `data`.
    pub async fn over(data: &Path, root: &Path) -> Federation {
        Federation::of(vec![InProcessWorker::indexed(data, &[root.to_owned()]).await]).await
    }

    /// Calls a tool, whatever comes of it.
    pub async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.gateway.call(&Principal::local(), tool, arguments).await
    }

    /// Calls a tool that answers in JSON, and returns the answer.
    pub async fn ask(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments.clone()).await;
        assert!(!result.is_error, "{tool} {arguments}: {}", result.text);
        result.structured.unwrap_or_else(|| panic!("{tool} {arguments} answers in JSON, not: {}", result.text))
    }

    /// Calls a tool that refuses, and returns why.
    pub async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone()).await;
        assert!(result.is_error, "{tool} {arguments} is refused, not answered: {}", result.text);
        result.text
    }

    /// Waits until the repository with this alias is read at `commit`, as callers see it.
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

    /// Stops everything, and waits until the data folders are free.
    pub async fn stop(self) {
        self.gateway.shutdown().await;
        for worker in self.workers {
            worker.stop().await;
        }
    }
}
