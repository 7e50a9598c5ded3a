//! The status port: `/livez`, `/readyz` and `/metrics` over plain HTTP, at a separate address. Probes and scrapes need
//! neither the certificates nor the grants of the gRPC port.
//!
//! It serves from the start of the process: a worker that is still opening thousands of generations is alive, but not ready.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use serde::Serialize;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{WorkerMetrics, WorkerStatus};

/// Maximum number of connections at the same time; further ones wait to be accepted. Probes and a few scrapers need no more.
const MAX_CONNECTIONS: usize = 32;

/// Maximum time for the head of a request to arrive.
const HEADER_DEADLINE: Duration = Duration::from_secs(5);

/// Maximum duration of a connection: it is one request and its answer.
const CONNECTION_DEADLINE: Duration = Duration::from_secs(10);

/// Locks are held for microseconds. A status that takes longer than this to read counts as a deadlock.
const STATUS_DEADLINE: Duration = Duration::from_secs(5);

/// Pause after a connection could not be accepted, mostly for lack of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The data sources of the status port.
pub(crate) struct StatusPort {
    /// Reads the status. Blocks while locks are held.
    pub(crate) status: Box<dyn Fn() -> WorkerStatus + Send + Sync>,
    pub(crate) metrics: Arc<WorkerMetrics>,
}

/// Serves the port until `closed` is cancelled; `tasks` owns its tasks.
pub(crate) fn serve(listener: TcpListener, port: StatusPort, tasks: &TaskTracker, closed: &CancellationToken) {
    let (connection_tasks, closed) = (tasks.clone(), closed.clone());
    let router = Router::new()
        .route("/livez", get(livez))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(Arc::new(port));
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let connection_closed = closed.clone();
    let accepting = async move {
        loop {
            let permit = connections.clone().acquire_owned().await.expect("the semaphore is never closed");
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection to the status port");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let answering = answer(stream, router.clone());
            let answering = connection_closed.clone().run_until_cancelled_owned(async move {
                answering.await;
                drop(permit);
            });
            connection_tasks.spawn(answering);
        }
    };
    tasks.spawn(async move { closed.run_until_cancelled(accepting).await });
}

async fn answer(stream: TcpStream, router: Router) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    match tokio::time::timeout(CONNECTION_DEADLINE, connection).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection to the status port failed"),
        Err(_) => tracing::debug!("a connection to the status port exceeded its deadline"),
    }
}

/// Reports whether the process makes progress, independently of its index and its peers.
async fn livez(State(port): State<Arc<StatusPort>>) -> Response {
    let reading = tokio::task::spawn_blocking(move || drop((port.status)()));
    match tokio::time::timeout(STATUS_DEADLINE, reading).await {
        Ok(_) => "alive\n".into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the catalog is locked for too long\n").into_response(),
    }
}

/// The body of `/readyz`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct WorkerReadiness {
    ready: bool,
    draining: bool,
    /// True if the listing of repositories has an error, which is in the log; its last valid version stays in force.
    listing_is_wrong: bool,
    repositories: usize,
    serving: usize,
    queued: usize,
    failed: usize,
}

async fn readyz(State(port): State<Arc<StatusPort>>) -> Response {
    let status = (port.status)();
    let readiness = WorkerReadiness {
        ready: status.is_ready,
        draining: status.is_draining,
        listing_is_wrong: status.has_listing_error,
        repositories: status.repositories.total(),
        serving: status.repositories.ages.len(),
        queued: status.repositories.queued,
        failed: status.repositories.failed,
    };
    let code = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, Json(readiness)).into_response()
}

async fn metrics(State(port): State<Arc<StatusPort>>) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    (content_type, port.metrics.render(&(port.status)())).into_response()
}
