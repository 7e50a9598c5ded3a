//! A worker as a whole: it takes its folder, finds its repositories, and serves connections until it is told to stop.

use std::{
    future::Future,
    io,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use futures::Stream;
use proto::{
    DESCRIPTORS, LIVENESS_SERVICE, MAX_MESSAGE_BYTES, READINESS_SERVICE,
    v1::{indexing_service_server::IndexingServiceServer, shard_service_server::ShardServiceServer},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::transport::{Server, server::Connected};
use tonic_health::ServingStatus;

use crate::{
    catalog::Catalog,
    data_dir::{DataDir, DataDirError},
    indexing::{self, FactsCache},
    names_file::NamesFile,
    serving::{IndexingApi, QueryPool, ShardApi},
    supervisor::Supervisor,
};

/// What a worker needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder that it owns.
    pub data: PathBuf,
    /// Folders below which it looks for repositories.
    pub roots: Vec<PathBuf>,
}

/// Why a worker could not start, or stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("cannot start the threads of queries: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("the worker stopped serving: {0}")]
    Serve(#[from] tonic::transport::Error),
    #[error("cannot describe the services: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    #[error("looking for repositories failed: {0}")]
    Discovery(#[from] tokio::task::JoinError),
}

/// A worker that has its folder and has found its repositories.
pub struct Worker {
    data: DataDir,
    supervisor: Arc<Supervisor>,
    pool: QueryPool,
    tasks: TaskTracker,
    stop: CancellationToken,
    found: source::Discovery,
}

impl Worker {
    /// Takes the data folder, finds the repositories, opens what is indexed of them and starts to index the rest.
    pub async fn start(config: Config) -> Result<Worker, StartError> {
        let data = DataDir::open(&config.data)?;
        let facts = open_facts(&data);
        let names_file = NamesFile::new(data.names());
        let stop = CancellationToken::new();
        let supervisor = Arc::new(Supervisor {
            roots: config.roots,
            generations: data.generations(),
            catalog: Arc::new(Catalog::new()),
            threads: indexing::threads()?,
            facts,
            wake: tokio::sync::Notify::new(),
            stop: stop.clone(),
            found: Mutex::new(source::Discovery { names: names_file.read(data.worker()), ..Default::default() }),
            names_file,
            running: Mutex::default(),
        });
        let discovering = supervisor.clone();
        let found = tokio::task::spawn_blocking(move || {
            let found = discovering.discover();
            discovering.sweep();
            found
        })
        .await?;
        let tasks = TaskTracker::new();
        supervisor.start(&tasks);
        Ok(Worker { data, supervisor, pool: QueryPool::new()?, tasks, stop, found })
    }

    /// Returns the repositories that were found at the start, and what had to be left out.
    pub fn found(&self) -> &source::Discovery {
        &self.found
    }

    /// Returns the name of the worker, which stays with its data folder.
    pub fn name(&self) -> &str {
        self.data.worker()
    }

    /// Serves connections until `shutdown` ends; then finishes what it is answering, and stops indexing.
    pub async fn serve<Io>(
        self,
        incoming: impl Stream<Item = io::Result<Io>>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), StartError>
    where
        Io: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let (health, health_service) = tonic_health::server::health_reporter();
        for service in ["", READINESS_SERVICE, LIVENESS_SERVICE] {
            health.set_service_status(service, ServingStatus::Serving).await;
        }
        let shard = ShardServiceServer::new(ShardApi {
            worker: self.data.worker().to_owned(),
            catalog: self.supervisor.catalog.clone(),
            pool: self.pool.clone(),
            stop: self.stop.clone(),
        })
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let indexing =
            IndexingServiceServer::new(IndexingApi { supervisor: self.supervisor.clone(), stop: self.stop.clone() });
        let stop = self.stop.clone();
        let drained = async move {
            shutdown.await;
            for service in ["", READINESS_SERVICE] {
                health.set_service_status(service, ServingStatus::NotServing).await;
            }
            // Streams that follow the worker would keep their connections open for ever.
            stop.cancel();
        };
        let served = Server::builder()
            .add_service(health_service)
            .add_service(reflection()?.build_v1()?)
            .add_service(reflection()?.build_v1alpha()?)
            .add_service(shard)
            .add_service(indexing)
            .serve_with_incoming_shutdown(incoming, drained)
            .await;
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        Ok(served?)
    }
}

fn reflection() -> Result<tonic_reflection::server::Builder<'static>, StartError> {
    Ok(tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET))
}

/// Opens the cache of facts. A worker without one is slower, and works.
fn open_facts(data: &DataDir) -> FactsCache {
    match FactsCache::open(&data.facts()) {
        Ok((facts, report)) => {
            for aside in report.set_aside {
                tracing::warn!(path = %aside.path.display(), reason = %aside.reason, "damaged cache of facts set aside");
            }
            facts
        }
        Err(error) => {
            tracing::warn!(%error, "facts are not cached");
            FactsCache::none()
        }
    }
}
