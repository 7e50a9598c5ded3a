//! A worker as a whole: it locks its data folder, finds its repositories, and serves connections until shutdown.

mod opening;

use std::{
    future::Future,
    io,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use embed::EmbedError;
use futures::Stream;
use proto::{
    DESCRIPTORS, LIVENESS_SERVICE, MAX_MESSAGE_BYTES, READINESS_SERVICE,
    grant::GrantKeys,
    v1::{indexing_service_server::IndexingServiceServer, shard_service_server::ShardServiceServer},
};
use runtime::{grpc_server, tls::TlsError};
use source::{CheckoutView, Discoverer, OutsideLinks};
use store::StoreError;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    time::Instant,
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};
use tonic::{service::Routes, transport::server::Connected};
use tonic_health::{ServingStatus, server::HealthReporter};
use tower::Layer as _;

use crate::{
    indexing::{DraftQueue, RunThreads, Supervisor, WorkTreeWatch},
    operators::{self, StatusPort, WorkerMetrics, WorkerStatus},
    repositories::{
        Catalog, DataDir, DataDirError, ListingState, Mirrors, PeerCredentials, READ_PATIENCE, Repositories,
        fetch_mirrors, hand_over,
    },
    serving::{GrantGuard, IndexingApi, QueryPool, RpcTelemetryLayer, ShardApi},
    settings::WorkerSettings,
    stages::WorkerStages,
    supervised_tasks::SupervisedTasks,
};

/// Maximum time for connections and indexing runs to end after the drain. It is the hard deadline of a gateway.
const CLOSE_DEADLINE: Duration = Duration::from_secs(10);

/// A worker that only loads generations is ready after this time at the latest, also if some are not loaded yet.
const FIRST_LOADS_DEADLINE: Duration = Duration::from_secs(300);

/// The inputs of a worker.
#[derive(Debug, Clone)]
pub struct WorkerConfig {
    /// The data folder, which the worker owns.
    pub data: PathBuf,
    /// Folders to search for repositories.
    pub roots: Vec<PathBuf>,
    /// The content of its configuration file.
    pub settings: WorkerSettings,
}

/// Why a worker could not start, or cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data folder cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The configuration of repositories by URL is invalid.
    #[error("repositories by URL: {0}")]
    Repositories(String),
    /// The model cannot be opened.
    #[error("the model cannot be used: {0}")]
    Model(#[from] EmbedError),
    /// The store of vectors cannot be opened.
    #[error("the store of vectors cannot be opened: {0}")]
    Vectors(#[from] StoreError),
    /// The file of grant keys is unreadable or invalid.
    #[error("`grant_key_file` `{}` cannot be used: {reason}", path.display())]
    GrantKeys {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The certificates are unreadable or invalid.
    #[error("`[tls]`: {0}")]
    Tls(#[from] TlsError),
    /// The object store cannot be opened.
    #[error("generations cannot be shared: {0}")]
    Sharing(#[from] share::ShareError),
    /// Threads cannot be started.
    #[error("cannot start the threads of queries: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The reflection service cannot describe the others.
    #[error("cannot describe the services: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// A part of the start panicked.
    #[error("starting failed: {0}")]
    Panicked(#[from] tokio::task::JoinError),
}

/// A worker that owns its data folder and has found its repositories.
pub struct Worker {
    data: Arc<DataDir>,
    repositories: Arc<Repositories>,
    pool: QueryPool,
    metrics: Arc<WorkerMetrics>,
    tasks: TaskTracker,
    stages: WorkerStages,
    /// Time for which it still answers after the shutdown signal.
    drain: Duration,
    /// Closes the status port when it is dropped.
    status_port: DropGuard,
    discovery: source::Discovery,
    /// The keys of the grants that requests need; without keys, requests need no grant.
    grants: Option<Arc<GrantKeys>>,
}

impl Worker {
    /// Locks the data folder, finds the repositories, opens their current generations, and begins to index.
    pub async fn start(config: WorkerConfig) -> Result<Worker, StartError> {
        Worker::start_with_status_port(config, None).await
    }

    /// Starts a worker that serves `/livez`, `/readyz` and `/metrics` at `listener` from the beginning to the end.
    pub async fn start_with_status_port(
        config: WorkerConfig,
        listener: Option<TcpListener>,
    ) -> Result<Worker, StartError> {
        let WorkerConfig { data, roots, settings } = config;
        let grants = settings.grant_key_file.as_deref().map(opening::grant_keys).transpose()?;
        let peer_tls = settings.tls.as_ref().map(opening::peer_tls).transpose()?;
        let (tasks, stages, metrics) = (TaskTracker::new(), WorkerStages::new(), Arc::new(WorkerMetrics::new()));
        let (catalog, pool) = (Arc::new(Catalog::new()), QueryPool::new()?);
        let closed = CancellationToken::new();
        if let Some(listener) = listener {
            let status = Box::new(status_reader(catalog.clone(), pool.clone(), stages.clone()));
            operators::serve(listener, StatusPort { status, metrics: metrics.clone() }, &tasks, &closed);
        }
        let status_port = closed.drop_guard();
        let data = Arc::new(DataDir::open(&data)?);
        let read_only = data.read_only_reason();
        catalog.set_write_refusal(read_only.clone());
        let is_read_only = read_only.is_some();
        let facts = opening::facts_cache(&data);
        let memory = settings.memory_budget();
        let model = opening::model(settings.model, Some(data.vectors()).filter(|_| !is_read_only)).await?;
        let outside_links = if settings.follow_outside_links { OutsideLinks::Follow } else { OutsideLinks::Refuse };
        let (listed, folder) = (settings.repositories, data.mirrors());
        let mirrors = Mirrors::open(listed, &settings.placement, folder, outside_links, is_read_only)
            .map_err(StartError::Repositories)?;
        let sharing = opening::sharing(settings.generations, metrics.clone(), stages.stop.clone()).await?;
        let view = if settings.work_trees { CheckoutView::WorkTree } else { CheckoutView::Commit };
        let discoverer = Discoverer::new(roots, outside_links).with_patience(READ_PATIENCE).with_view(view);
        let repositories = Arc::new(Repositories::new(data.clone(), discoverer, mirrors, catalog.clone()));
        let supervisor = Arc::new(Supervisor {
            repositories: repositories.clone(),
            threads: RunThreads::default(),
            scip: settings.scip,
            work_trees: WorkTreeWatch::start(),
            drafts: DraftQueue::default(),
            facts,
            memory,
            model,
            sharing,
            metrics: metrics.clone(),
            draining: stages.draining.clone(),
            stop: stages.stop.clone(),
        });
        let discovering = repositories.clone();
        let discovery = tokio::task::spawn_blocking(move || {
            let discovery = discovering.discover();
            discovering.sweep();
            discovery
        })
        .await?;
        if let Some(error) = data.nothing_to_serve().filter(|_| !repositories.catalog.serves_any()) {
            return Err(error.into());
        }
        let supervised = SupervisedTasks::new(tasks.clone(), catalog);
        begin_serving(&supervisor, &stages, &supervised);
        supervisor.start(&supervised);
        let (followed, stop) = (repositories.clone(), stages.stop.clone());
        supervised.spawn("fetch", &stages.stop, move || fetch_mirrors(followed.clone(), stop.clone()));
        if !is_read_only {
            let credentials = PeerCredentials { tls: peer_tls, grants: grants.clone() };
            let (moving, stop) = (repositories.clone(), stages.stop.clone());
            supervised
                .spawn("handover", &stages.stop, move || hand_over(moving.clone(), credentials.clone(), stop.clone()));
        }
        let drain = Duration::ZERO;
        Ok(Worker { data, repositories, pool, metrics, tasks, stages, drain, status_port, discovery, grants })
    }

    /// Sets the drain period: the worker still answers for this time after the shutdown signal, until gateways and load balancers
    /// have noticed it.
    pub fn with_drain(self, drain: Duration) -> Worker {
        Worker { drain, ..self }
    }

    /// Returns the repositories that were found at the start, and the diagnostics of the others.
    pub fn discovery(&self) -> &source::Discovery {
        &self.discovery
    }

    /// Returns why the data folder is read-only; `None` if it can be written. A read-only worker serves what is indexed, and indexes
    /// nothing until it is restarted.
    pub fn read_only_reason(&self) -> Option<String> {
        self.data.read_only_reason()
    }

    /// Returns the name of the worker, which stays with its data folder.
    pub fn name(&self) -> &str {
        self.data.worker()
    }

    /// Serves connections until `shutdown` ends. Then the worker becomes unready and begins no further run, goes on answering
    /// for the drain, finishes the requests in flight, and ends after a deadline, whatever connections do.
    pub async fn serve<Io>(
        self,
        incoming: impl Stream<Item = io::Result<Io>>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), StartError>
    where
        Io: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let (health, health_service) = tonic_health::server::health_reporter();
        let Worker { data, repositories, pool, metrics, tasks, stages, drain, status_port, discovery: _, grants } =
            self;
        health.set_service_status(LIVENESS_SERVICE, ServingStatus::Serving).await;
        set_readiness(&health, stages.started.is_cancelled()).await;
        let api = ShardApi {
            worker: data.worker().to_owned(),
            catalog: repositories.catalog.clone(),
            repositories: repositories.clone(),
            pool,
            draining: stages.draining.clone(),
            stop: stages.stop.clone(),
        };
        let shard = ShardServiceServer::new(GrantGuard { service: api, keys: grants.clone() })
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let api = IndexingApi { repositories: repositories.clone(), stop: stages.stop.clone() };
        let indexing = IndexingServiceServer::new(GrantGuard { service: api, keys: grants });
        let drained = until_drained(health, stages.clone(), repositories.catalog.clone(), drain, shutdown);
        let routes = Routes::new(health_service)
            .add_service(reflection()?.build_v1()?)
            .add_service(reflection()?.build_v1alpha()?)
            .add_service(shard)
            .add_service(indexing)
            .prepare();
        let calls = RpcTelemetryLayer::new(metrics, data.worker()).layer(routes);
        let serving = grpc_server::serve(incoming, calls, drained);
        let stop = stages.stop;
        let ending = async {
            serving.await;
            stop.cancel();
            drop(status_port);
            tasks.close();
            tasks.wait().await;
        };
        let too_late = async {
            stop.cancelled().await;
            tokio::time::sleep(CLOSE_DEADLINE).await;
        };
        tokio::select! {
            () = ending => {
                data.release();
                Ok(())
            }
            () = too_late => {
                tracing::warn!("connections or an indexing run did not end in time, and are aborted");
                // A run that goes on may still write, so that the folder stays locked until the process ends.
                std::mem::forget(data);
                Ok(())
            }
        }
    }
}

/// Reports readiness until `shutdown` ends, answers on for the drain, and then has every task end.
async fn until_drained(
    health: HealthReporter,
    stages: WorkerStages,
    catalog: Arc<Catalog>,
    drain: Duration,
    shutdown: impl Future<Output = ()>,
) {
    let becoming_ready = async {
        stages.started.cancelled().await;
        set_readiness(&health, true).await;
        std::future::pending::<()>().await
    };
    tokio::select! {
        () = shutdown => {}
        () = becoming_ready => {}
    }
    stages.draining.cancel();
    set_readiness(&health, false).await;
    catalog.inventory_changed();
    if !drain.is_zero() {
        tokio::time::sleep(drain).await;
    }
    // Streams that follow the worker would keep their connections open indefinitely.
    stages.stop.cancel();
}

/// Returns a function that reads the status of a worker.
fn status_reader(
    catalog: Arc<Catalog>,
    pool: QueryPool,
    stages: WorkerStages,
) -> impl Fn() -> WorkerStatus + Send + Sync {
    move || {
        let listing = catalog.listing_state();
        WorkerStatus {
            is_ready: is_ready(&stages, listing),
            is_draining: stages.is_draining(),
            has_listing_error: listing != ListingState::Valid,
            n_problems: catalog.problems().len(),
            queries_in_flight: pool.in_flight(),
            repositories: catalog.figures(SystemTime::now()),
        }
    }
}

/// Returns true if gateways should send requests. A worker that does not know which repositories to hold is not ready.
fn is_ready(stages: &WorkerStages, listing: ListingState) -> bool {
    stages.is_serving() && listing != ListingState::Unknown
}

/// Marks the worker as started: immediately, or after the first loads.
fn begin_serving(supervisor: &Arc<Supervisor>, stages: &WorkerStages, tasks: &SupervisedTasks) {
    if !supervisor.only_loads() {
        return stages.started.cancel();
    }
    let supervisor = supervisor.clone();
    start_after(tasks, &stages.started, move || supervisor.clone().first_loads());
}

/// Marks the worker as started when `loads` ends, or at a deadline. Loads that panic begin again.
fn start_after<F>(tasks: &SupervisedTasks, started: &CancellationToken, mut loads: impl FnMut() -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    let (deadline, until) = (Instant::now() + FIRST_LOADS_DEADLINE, started.clone());
    tasks.spawn("first loads", started, move || {
        let (loading, started) = (loads(), until.clone());
        async move {
            if tokio::time::timeout_at(deadline, loading).await.is_err() {
                tracing::warn!("some generations are not loaded yet, and the worker becomes ready without them");
            }
            started.cancel();
        }
    });
}

/// Sets the status of the health services that probes use for readiness.
async fn set_readiness(health: &HealthReporter, is_ready: bool) {
    let status = if is_ready { ServingStatus::Serving } else { ServingStatus::NotServing };
    for service in ["", READINESS_SERVICE] {
        health.set_service_status(service, status).await;
    }
}

fn reflection() -> Result<tonic_reflection::server::Builder<'static>, StartError> {
    Ok(tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn first_loads_that_panic_or_hang_do_not_silence_the_worker() {
        for hangs in [false, true] {
            let (tracker, started, catalog) = (TaskTracker::new(), CancellationToken::new(), Arc::new(Catalog::new()));
            let tasks = SupervisedTasks::new(tracker.clone(), catalog.clone());
            let mut n_loads = 0;
            start_after(&tasks, &started, move || {
                n_loads += 1;
                let n_loads = n_loads;
                async move {
                    assert!(n_loads > 1, "damaged manifest");
                    if hangs {
                        std::future::pending::<()>().await;
                    }
                }
            });
            tracker.close();
            let began = Instant::now();
            tracker.wait().await;
            assert!(started.is_cancelled() && began.elapsed() <= FIRST_LOADS_DEADLINE, "{hangs}");
            let problems = catalog.problems();
            assert_eq!(problems, ["the task `first loads` was restarted 1 times: it panicked; see the log"]);
        }
    }

    #[test]
    fn a_worker_that_knows_no_valid_listing_is_not_ready() {
        let stages = WorkerStages::new();
        assert!(!is_ready(&stages, ListingState::Valid));
        stages.started.cancel();
        for (listing, expected) in
            [(ListingState::Valid, true), (ListingState::Outdated, true), (ListingState::Unknown, false)]
        {
            assert_eq!(is_ready(&stages, listing), expected, "{listing:?}");
        }
    }
}
