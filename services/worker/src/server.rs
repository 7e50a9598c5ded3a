//! A worker as a whole: it takes its folder, finds its repositories, and serves connections until it is told to stop.

use std::{
    future::Future,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use embed::{EmbedError, Embedder, ModelConfig};
use futures::Stream;
use proto::{
    DESCRIPTORS, LIVENESS_SERVICE, MAX_MESSAGE_BYTES, READINESS_SERVICE,
    v1::{indexing_service_server::IndexingServiceServer, shard_service_server::ShardServiceServer},
};
use store::{OpenReport, Store, StoreError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::transport::{Server, server::Connected};
use tonic_health::ServingStatus;

use crate::{
    catalog::Catalog,
    data_dir::{DataDir, DataDirError},
    indexing::{self, FactsCache},
    mirrors::Mirrors,
    names_file::NamesFile,
    serving::{IndexingApi, QueryPool, ShardApi},
    settings::Settings,
    supervisor::Supervisor,
};

/// What a worker needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder that it owns.
    pub data: PathBuf,
    /// Folders below which it looks for repositories.
    pub roots: Vec<PathBuf>,
    pub settings: Settings,
}

/// Bytes that the vectors of a service take on disk at most, for all repositories together: some four million of them. What
/// goes is asked for again when it is needed.
const VECTORS_CAP_BYTES: u64 = 4 << 30;

/// Why a worker could not start, or stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("repositories by URL: {0}")]
    Repositories(String),
    #[error("the model cannot be used: {0}")]
    Model(#[from] EmbedError),
    #[error("what the model's service answers cannot be kept: {0}")]
    Vectors(#[from] StoreError),
    #[error("cannot start the threads of queries: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("the worker stopped serving: {0}")]
    Serve(#[from] tonic::transport::Error),
    #[error("cannot describe the services: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    #[error("starting failed: {0}")]
    Panicked(#[from] tokio::task::JoinError),
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
        let (model_config, vectors) = (config.settings.model, data.vectors());
        let model = tokio::task::spawn_blocking(move || open_model(&model_config, &vectors)).await??;
        let mirrors = Mirrors::open(config.settings.repositories, &config.settings.placement, data.mirrors())
            .map_err(StartError::Repositories)?;
        let names_file = NamesFile::new(data.names());
        let stop = CancellationToken::new();
        let supervisor = Arc::new(Supervisor {
            roots: config.roots,
            mirrors,
            generations: data.generations(),
            catalog: Arc::new(Catalog::new()),
            threads: indexing::threads()?,
            facts,
            model,
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

/// Makes the model ready, with a place for what a service answers. Blocking.
fn open_model(config: &ModelConfig, vectors: &Path) -> Result<Embedder, StartError> {
    let store = match config {
        ModelConfig::BuiltIn | ModelConfig::Local(_) => None,
        ModelConfig::Endpoint(_) => {
            let (store, report) = Store::open(vectors, VECTORS_CAP_BYTES)?;
            tell_damage(&report);
            Some(Arc::new(store))
        }
    };
    Ok(Embedder::open(config, store)?)
}

fn tell_damage(report: &OpenReport) {
    for aside in &report.set_aside {
        tracing::warn!(path = %aside.path.display(), reason = %aside.reason, "damaged cache set aside");
    }
}

/// Opens the cache of facts. A worker without one is slower, and works.
fn open_facts(data: &DataDir) -> FactsCache {
    match FactsCache::open(&data.facts()) {
        Ok((facts, report)) => {
            tell_damage(&report);
            facts
        }
        Err(error) => {
            tracing::warn!(%error, "facts are not cached");
            FactsCache::none()
        }
    }
}
