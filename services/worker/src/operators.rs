//! What operators, probes and Prometheus look at: `/livez`, `/readyz` and `/metrics` over plain HTTP, at an address of its
//! own, so that encryption and access at the port of gateways are no matter of theirs. It tells counts, and no names.
//!
//! It answers from the first moment on: a worker that opens thousands of generations is alive, and not ready.

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

use crate::{catalog::Catalog, lifecycle::Lifecycle, listing::Standing, metrics::Metrics, serving::QueryPool};

/// Connections at the same time; more wait to be accepted. Probes and a few Prometheuses need no more.
const MAX_CONNECTIONS: usize = 32;

/// How long the head of a request may take to arrive.
const HEADER_DEADLINE: Duration = Duration::from_secs(5);

/// How long a connection may take as a whole: it is one request and its answer.
const CONNECTION_DEADLINE: Duration = Duration::from_secs(10);

/// Who holds the lock of the catalog does so for microseconds; after this time it is taken for a deadlock.
const LOCK_DEADLINE: Duration = Duration::from_secs(5);

/// How long it is waited after a connection could not be accepted, which mostly is for want of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What is told.
pub(crate) struct Told {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) pool: QueryPool,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) lifecycle: Lifecycle,
}

/// Answers until `closed`, in tasks of `tasks`.
pub(crate) fn serve(listener: TcpListener, told: Told, tasks: &TaskTracker, closed: &CancellationToken) {
    let (tasks_of_connections, closed) = (tasks.clone(), closed.clone());
    let router = Router::new()
        .route("/livez", get(livez))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(Arc::new(told));
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let connection_closed = closed.clone();
    let accepting = async move {
        loop {
            let permit = connections.clone().acquire_owned().await.expect("nobody closes it");
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "an operator's connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let answering = answer(stream, router.clone());
            let answering = connection_closed.clone().run_until_cancelled_owned(async move {
                answering.await;
                drop(permit);
            });
            tasks_of_connections.spawn(answering);
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
        Ok(Err(error)) => tracing::debug!(%error, "an operator's connection broke off"),
        Err(_) => tracing::debug!("an operator's connection took too long"),
    }
}

/// Says whether the process gets anywhere, which depends on nothing outside of it: not on its index, and on no peer.
async fn livez(State(told): State<Arc<Told>>) -> Response {
    let looking = tokio::task::spawn_blocking(move || drop(told.catalog.entries()));
    match tokio::time::timeout(LOCK_DEADLINE, looking).await {
        Ok(_) => "alive\n".into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the catalog is locked for too long\n").into_response(),
    }
}

/// Whether the worker wants to be asked, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Readiness {
    ready: bool,
    draining: bool,
    /// Whether there is a mistake in the listing of repositories, which the log names; what it said before holds.
    listing_is_wrong: bool,
    repositories: usize,
    serving: usize,
    queued: usize,
    failed: usize,
}

async fn readyz(State(told): State<Arc<Told>>) -> Response {
    let figures = told.catalog.figures(std::time::SystemTime::now());
    let draining = told.lifecycle.is_draining();
    let readiness = Readiness {
        ready: told.lifecycle.is_ready(),
        draining,
        listing_is_wrong: told.lifecycle.listing() != Standing::Good,
        repositories: figures.by_state.iter().map(|(_, n_repositories)| n_repositories).sum(),
        serving: figures.ages.len(),
        queued: figures.queued,
        failed: figures.failed(),
    };
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

async fn metrics(State(told): State<Arc<Told>>) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    (content_type, told.metrics.render(&told.catalog, &told.pool, &told.lifecycle)).into_response()
}
