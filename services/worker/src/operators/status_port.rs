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
use runtime::{
    connections::{ConnectionLimits, ConnectionPool},
    http_server,
};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{WorkerMetrics, WorkerStatus};

/// Maximum number of open connections. Probes and a few scrapers need far less; with more places, a probe has more time for its
/// request before a flood takes its place.
const MAX_CONNECTIONS: usize = 256;

/// File descriptors that are reserved for connections of gateways, generations, repositories and logs.
const RESERVED_FILES: usize = 768;

/// Locks are held for microseconds. A status that takes longer than this to read counts as a deadlock.
const STATUS_DEADLINE: Duration = Duration::from_secs(5);

/// The data sources of the status port.
pub(crate) struct StatusPort {
    /// Reads the status. Blocks while locks are held.
    pub(crate) status: Box<dyn Fn() -> WorkerStatus + Send + Sync>,
    pub(crate) metrics: Arc<WorkerMetrics>,
}

/// Serves the port until `closed` is cancelled; `tasks` owns its tasks.
pub(crate) fn serve(listener: TcpListener, port: StatusPort, tasks: &TaskTracker, closed: &CancellationToken) {
    let router = Router::new()
        .route("/livez", get(livez))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(Arc::new(port));
    let pool = ConnectionPool::new(ConnectionLimits::within_open_files(MAX_CONNECTIONS, RESERVED_FILES));
    let log_refusal = || tracing::warn!("a connection to the status port was refused: too many are open");
    let serving = http_server::serve(listener, router, pool, log_refusal, closed.clone());
    tasks.spawn(closed.clone().run_until_cancelled_owned(serving));
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
