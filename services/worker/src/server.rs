//! A worker as a whole: it takes its folder, finds its repositories, and serves connections until it is told to stop.

use std::{
    future::Future,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use embed::{EmbedError, Embedder, ModelConfig};
use futures::Stream;
use proto::{
    DESCRIPTORS, LIVENESS_SERVICE, MAX_MESSAGE_BYTES, READINESS_SERVICE,
    grant::GrantKeys,
    v1::{indexing_service_server::IndexingServiceServer, shard_service_server::ShardServiceServer},
};
use runtime::tls::{ClientFiles, ServerFiles, TlsClient, TlsError};
use store::{OpenReport, Store, StoreError};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};
use tonic::transport::{Server, server::Connected};
use tonic_health::ServingStatus;

use crate::{
    catalog::Catalog,
    data_dir::{DataDir, DataDirError},
    handover::Credentials,
    indexing::{self, FactsCache},
    lifecycle::Lifecycle,
    metrics::Metrics,
    mirrors::Mirrors,
    names_file::NamesFile,
    operators::{self, Told},
    serving::{Guarded, IndexingApi, Observe, QueryPool, ShardApi},
    settings::Settings,
    sharing::{GenerationsSettings, Sharing},
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
    #[error("`grant_key_file` `{}` cannot be used: {reason}", path.display())]
    GrantKeys { path: PathBuf, reason: String },
    #[error("`[tls]`: {0}")]
    Tls(#[from] TlsError),
    #[error("generations cannot be shared: {0}")]
    Sharing(#[from] share::ShareError),
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
    metrics: Arc<Metrics>,
    tasks: TaskTracker,
    lifecycle: Lifecycle,
    /// How long it goes on answering once it is told to stop.
    drain: Duration,
    /// Closes the operators' port when it is dropped.
    operated: DropGuard,
    found: source::Discovery,
    /// Keys of the grants that requests need; without any, they need none.
    grants: Option<Arc<GrantKeys>>,
}

impl Worker {
    /// Takes the data folder, finds the repositories, opens what is indexed of them and starts to index the rest.
    pub async fn start(config: Config) -> Result<Worker, StartError> {
        Worker::start_watched(config, None).await
    }

    /// Does the same, and tells operators at `operators` how it is, from the beginning to the end.
    pub async fn start_watched(config: Config, operators: Option<TcpListener>) -> Result<Worker, StartError> {
        let grants = config.settings.grant_key_file.as_deref().map(grant_keys).transpose()?;
        let peer_tls = config.settings.tls.as_ref().map(as_client).transpose()?;
        let (tasks, lifecycle, metrics) = (TaskTracker::new(), Lifecycle::new(), Arc::new(Metrics::new()));
        let (catalog, pool) = (Arc::new(Catalog::new()), QueryPool::new()?);
        let closed = CancellationToken::new();
        if let Some(listener) = operators {
            let (catalog, pool) = (catalog.clone(), pool.clone());
            let told = Told { catalog, pool, metrics: metrics.clone(), lifecycle: lifecycle.clone() };
            operators::serve(listener, told, &tasks, &closed);
        }
        let operated = closed.drop_guard();
        let data = DataDir::open(&config.data)?;
        let facts = open_facts(&data);
        let (model_config, vectors) = (config.settings.model, data.vectors());
        let model = tokio::task::spawn_blocking(move || open_model(&model_config, &vectors)).await??;
        let mirrors = Mirrors::open(config.settings.repositories, &config.settings.placement, data.mirrors())
            .map_err(StartError::Repositories)?;
        let names_file = NamesFile::new(data.names());
        let sharing = open_sharing(config.settings.generations, metrics.clone(), lifecycle.stop.clone()).await?;
        let supervisor = Arc::new(Supervisor {
            roots: config.roots,
            mirrors,
            generations: data.generations(),
            catalog,
            threads: indexing::threads()?,
            facts,
            model,
            sharing,
            wake: tokio::sync::Notify::new(),
            lifecycle: lifecycle.clone(),
            metrics: metrics.clone(),
            found: Mutex::new(source::Discovery { names: names_file.read(data.worker()), ..Default::default() }),
            names_file,
            running: Mutex::default(),
            credentials: Credentials { tls: peer_tls, grants: grants.clone() },
        });
        let discovering = supervisor.clone();
        let found = tokio::task::spawn_blocking(move || {
            let found = discovering.discover();
            discovering.sweep();
            found
        })
        .await?;
        supervisor.start(&tasks);
        Ok(Worker { data, supervisor, pool, metrics, tasks, lifecycle, drain: Duration::ZERO, operated, found, grants })
    }

    /// Goes on answering for `drain` once it is told to stop: gateways and load balancers need a moment to notice.
    pub fn with_drain(self, drain: Duration) -> Worker {
        Worker { drain, ..self }
    }

    /// Returns the repositories that were found at the start, and what had to be left out.
    pub fn found(&self) -> &source::Discovery {
        &self.found
    }

    /// Returns the name of the worker, which stays with its data folder.
    pub fn name(&self) -> &str {
        self.data.worker()
    }

    /// Serves connections until `shutdown` ends. Then it says that it is not to be asked any more and begins no further
    /// indexing run, goes on answering for a while, finishes what it is answering, and ends, whatever connections do.
    pub async fn serve<Io>(
        self,
        incoming: impl Stream<Item = io::Result<Io>>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), StartError>
    where
        Io: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let (health, health_service) = tonic_health::server::health_reporter();
        let Worker { data, supervisor, pool, metrics, tasks, lifecycle, drain, operated, found: _, grants } = self;
        let ready = if lifecycle.has_found() { ServingStatus::Serving } else { ServingStatus::NotServing };
        for (service, status) in [("", ready), (READINESS_SERVICE, ready), (LIVENESS_SERVICE, ServingStatus::Serving)] {
            health.set_service_status(service, status).await;
        }
        let api = ShardApi {
            worker: data.worker().to_owned(),
            catalog: supervisor.catalog.clone(),
            pool,
            lifecycle: lifecycle.clone(),
        };
        let shard = ShardServiceServer::new(Guarded { service: api, keys: grants.clone() })
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let api = IndexingApi { supervisor: supervisor.clone(), stop: lifecycle.stop.clone() };
        let indexing = IndexingServiceServer::new(Guarded { service: api, keys: grants });
        let Lifecycle { starting, draining, stop, .. } = lifecycle;
        let drained = async {
            let started = async {
                starting.cancelled().await;
                for service in ["", READINESS_SERVICE] {
                    health.set_service_status(service, ServingStatus::Serving).await;
                }
                std::future::pending::<()>().await
            };
            tokio::select! {
                () = shutdown => {}
                () = started => {}
            }
            draining.cancel();
            for service in ["", READINESS_SERVICE] {
                health.set_service_status(service, ServingStatus::NotServing).await;
            }
            supervisor.catalog.inventory_changed();
            if !drain.is_zero() {
                tokio::time::sleep(drain).await;
            }
            // Streams that follow the worker would keep their connections open for ever.
            stop.cancel();
        };
        let serving = Server::builder()
            .layer(Observe::new(metrics, data.worker()))
            .add_service(health_service)
            .add_service(reflection()?.build_v1()?)
            .add_service(reflection()?.build_v1alpha()?)
            .add_service(shard)
            .add_service(indexing)
            .serve_with_incoming_shutdown(incoming, drained);
        let ending = async {
            let served = serving.await;
            stop.cancel();
            drop(operated);
            tasks.close();
            tasks.wait().await;
            served
        };
        let too_late = async {
            stop.cancelled().await;
            tokio::time::sleep(CLOSE_DEADLINE).await;
        };
        tokio::select! {
            served = ending => Ok(served?),
            () = too_late => {
                tracing::warn!("connections or an indexing run did not end in time, and are cut off");
                // What still runs may still write: the folder is this process's until that ends.
                std::mem::forget(data);
                Ok(())
            }
        }
    }
}

/// How long connections and indexing runs may take to end once nothing new is answered: as long as a gateway waits for
/// any answer.
const CLOSE_DEADLINE: Duration = Duration::from_secs(10);

fn reflection() -> Result<tonic_reflection::server::Builder<'static>, StartError> {
    Ok(tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET))
}

/// Returns how a worker dials others: with its own certificate, and those of the authority that vouches for gateways.
fn as_client(files: &ServerFiles) -> Result<TlsClient, TlsError> {
    let ServerFiles { cert, key, client_ca } = files.clone();
    TlsClient::open(&ClientFiles { ca: client_ca, cert, key })
}

/// Reads the keys of grants.
fn grant_keys(path: &Path) -> Result<Arc<GrantKeys>, StartError> {
    let unusable = |reason: String| StartError::GrantKeys { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    Ok(Arc::new(GrantKeys::parse(&text).map_err(|error| unusable(error.to_string()))?))
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

/// Makes ready to share generations, if they are to be shared.
async fn open_sharing(
    settings: Option<GenerationsSettings>,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
) -> Result<Option<Arc<Sharing>>, StartError> {
    let Some(settings) = settings else { return Ok(None) };
    let opened = tokio::task::spawn_blocking(move || Sharing::open(&settings, metrics, stop)).await??;
    Ok(Some(Arc::new(opened)))
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
