//! The HTTP server: `/mcp` and the pages for callers, and health and metrics for operators. The operator endpoints need no token, and
//! can have their own address.

use std::{
    future::Future,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header, uri::Authority},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{Core, mcp, web, webhooks};
use federation::directory::{Availability, Directory, Reachability};

pub(crate) mod admission;
mod auth;
pub(crate) mod body;
mod invalid_messages;

use admission::{Admission, admit, reject_excess};
use runtime::{
    connections::{ConnectionLimits, ConnectionPool},
    http_server,
};

/// Concurrent calls per core, since most calls wait for workers. With many more, each step of a call would exceed its
/// deadline, and answers would be incomplete.
const CALLS_PER_CORE: usize = 4;

/// Maximum number of open connections: far more than callers of one gateway, and few enough for its memory.
const MAX_CONNECTIONS: usize = 2_048;

/// Maximum number of open connections of the operators' port. Probes and a few scrapers need far less; with more places, a probe has
/// more time for its request before a flood takes its place.
const MAX_OPERATOR_CONNECTIONS: usize = 256;

/// File descriptors that are reserved for connections to workers, logs and stored state.
const RESERVED_FILES: usize = 256;

/// `Retry-After` of a rejected call, in seconds.
const RETRY_AFTER: &str = "1";

/// Deadline of the requests in flight after the listener is closed.
const CLOSE_DEADLINE: Duration = federation::fan_out::HARD_DEADLINE;

/// Serves until `shutdown` completes. Then reports not ready, drains until load balancers have noticed, and finishes
/// the requests in flight.
pub(crate) async fn serve(
    core: Arc<Core>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let (closing, stop) = (CancellationToken::new(), CancellationToken::new());
    let drained = {
        let (draining, drain, closing) = (core.draining.clone(), core.config.drain, closing.clone());
        async move {
            shutdown.await;
            draining.cancel();
            if !drain.is_zero() {
                tokio::time::sleep(drain).await;
            }
            closing.cancel();
        }
    };
    let address = listener.local_addr()?;
    let router = router(Arc::clone(&core), address, stop.clone());
    let serving = serve_router(Arc::clone(&core), listener, router, MAX_CONNECTIONS, closing);
    let deadline = async {
        drained.await;
        tokio::time::sleep(CLOSE_DEADLINE).await;
        stop.cancel();
    };
    tokio::select! {
        () = serving => {}
        () = deadline => {}
    }
    Ok(())
}

/// Serves health and metrics forever.
pub(crate) async fn serve_operators(core: Arc<Core>, listener: TcpListener) {
    let router = operators_router(Arc::clone(&core));
    serve_router(core, listener, router, MAX_OPERATOR_CONNECTIONS, CancellationToken::new()).await;
}

/// Serves a router until `closing` is cancelled.
async fn serve_router(
    core: Arc<Core>,
    listener: TcpListener,
    router: Router,
    max_connections: usize,
    closing: CancellationToken,
) {
    let pool = ConnectionPool::new(ConnectionLimits::within_open_files(max_connections, RESERVED_FILES));
    let on_refusal = move || core.metrics.record_shed("connections");
    http_server::serve(listener, router, pool, on_refusal, closing).await;
}

pub(crate) fn operators_router(core: Arc<Core>) -> Router {
    operators(&core).merge(livez()).with_state(core)
}

/// Returns the routes that reveal the numbers of repositories and workers.
fn operators(core: &Arc<Core>) -> Router<Arc<Core>> {
    Router::new()
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .layer(middleware::from_fn_with_state(Arc::clone(core), reject_unknown_hosts))
}

fn livez() -> Router<Arc<Core>> {
    Router::new().route("/livez", get(|| async { "alive\n" }))
}

/// Returns the server's own origins, if it listens on a loopback address.
fn own_origins(address: SocketAddr) -> Vec<String> {
    let hosts: &[&str] = if address.ip().is_loopback() { &["localhost", "127.0.0.1", "[::1]"] } else { &[] };
    hosts.iter().map(|host| format!("http://{host}:{}", address.port())).collect()
}

pub(crate) fn router(core: Arc<Core>, address: SocketAddr, stop: CancellationToken) -> Router {
    let admission = Admission::new(max_concurrent_calls(), Arc::clone(&core));
    let pages = web::routes(&core, &admission, &own_origins(address));
    // From the inside out: a call takes a permit after its body was read. A body is read after authentication, if its call would
    // be queued.
    let mcp = Router::new()
        .fallback_service(mcp::http_service(Arc::clone(&core), own_origins(address), stop))
        .layer(middleware::from_fn(invalid_messages::reject_invalid_messages))
        .layer(middleware::from_fn_with_state(admission.clone(), admit))
        .layer(middleware::from_fn_with_state((Arc::clone(&core), body::places()), body::read))
        .layer(middleware::from_fn_with_state(admission, reject_excess))
        .layer(middleware::from_fn_with_state(Arc::clone(&core), auth::authenticate));
    // The numbers are for callers that can read everything, and callers of this route are not authenticated.
    let health =
        if core.config.access.is_open() { operators(&core) } else { Router::new().route("/readyz", get(is_ready)) };
    Router::new()
        .nest("/mcp", mcp)
        .merge(health)
        .merge(livez())
        .merge(auth::metadata(&core))
        .merge(webhooks::routes(core.config.webhooks.as_ref()))
        .merge(pages)
        .layer(middleware::from_fn_with_state(Arc::clone(&core), close_when_draining))
        .with_state(core)
        .layer(CatchPanicLayer::new())
}

/// Middleware that closes keep-alive connections while the gateway drains, so that a load balancer sends the next
/// request to another gateway.
async fn close_when_draining(State(core): State<Arc<Core>>, request: Request, next: Next) -> Response {
    let version = request.version();
    let mut response = next.run(request).await;
    // HTTP/2 has no such header; its graceful shutdown sends GOAWAY.
    if core.draining.is_cancelled() && version <= Version::HTTP_11 {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Returns the maximum number of concurrent calls. Calls that wait for a language model have permits of their own.
fn max_concurrent_calls() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    CALLS_PER_CORE * cores + provider::MAX_CONCURRENT
}

/// Middleware against DNS rebinding: rejects unknown host names. `/mcp` has its own check.
async fn reject_unknown_hosts(State(core): State<Arc<Core>>, request: Request, next: Next) -> Response {
    if is_known_host(request.uri(), request.headers(), &core.config.allowed_hosts) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "the `Host` of the request is not in `allowed_hosts`\n").into_response()
    }
}

/// Returns true if the request names an allowed host.
///
/// IP addresses are always allowed, since DNS rebinding cannot use them and cluster probes send them. Requests without
/// a host are allowed, since browsers always send one.
pub(crate) fn is_known_host(uri: &Uri, headers: &HeaderMap, allowed: &[String]) -> bool {
    let sent = match headers.get(header::HOST) {
        Some(host) => match host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()) {
            Some(authority) => authority,
            None => return false,
        },
        None => match uri.authority() {
            Some(authority) => authority.clone(),
            None => return true,
        },
    };
    let bare = |host: &str| host.trim_matches(['[', ']']).to_ascii_lowercase();
    let is_allowed = |allowed: &String| match allowed.parse::<Authority>() {
        Ok(allowed) => {
            bare(allowed.host()) == bare(sent.host())
                && allowed.port_u16().is_none_or(|port| sent.port_u16() == Some(port))
        }
        // An IPv6 address without brackets.
        Err(_) => bare(allowed) == bare(sent.host()),
    };
    bare(sent.host()).parse::<IpAddr>().is_ok() || allowed.iter().any(is_allowed)
}

fn overloaded() -> Response {
    let retry = [(header::RETRY_AFTER, RETRY_AFTER)];
    (StatusCode::SERVICE_UNAVAILABLE, retry, "too many calls in flight, try again\n").into_response()
}

/// Readiness of the gateway, with the missing workers and repositories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// True if requests can be answered.
    pub ready: bool,
    /// True if the gateway is about to stop.
    pub draining: bool,
    /// Number of reachable workers.
    pub workers_reachable: usize,
    /// Number of configured and discovered workers.
    pub workers: usize,
    /// Number of repositories that can be searched.
    pub repositories_serving: usize,
    /// Number of known repositories.
    pub repositories: usize,
    /// One line for each missing worker or repository, up to a maximum.
    pub missing: Vec<String>,
}

impl Readiness {
    /// Returns ready if at least one worker is reachable and has sent its inventory. Other shortfalls show in the
    /// coverage of answers.
    fn of(directory: &Directory) -> Readiness {
        /// Maximum number of lines.
        const MAX_MISSING: usize = 20;
        let workers_reachable =
            directory.workers.iter().filter(|worker| worker.is_known && !worker.reach.is_gone()).count();
        let is_serving = |availability: &Availability| matches!(availability, Availability::Serving(_));
        let of_workers = directory.workers.iter().filter_map(|worker| match &worker.reach {
            Reachability::Reachable => None,
            Reachability::Draining => Some(format!("worker {}: draining before it stops", worker.name)),
            Reachability::Unreachable(reason) => Some(format!("worker {}: {reason}", worker.name)),
        });
        let of_repositories = directory.repositories.iter().filter_map(|repository| match &repository.availability {
            Availability::Serving(_) => None,
            Availability::Short(state, reason) => Some(format!("{}: {}: {reason}", repository.own_alias, state.name())),
        });
        Readiness {
            ready: workers_reachable > 0,
            draining: false,
            workers_reachable,
            workers: directory.workers.len(),
            repositories_serving: directory.repositories.iter().filter(|repo| is_serving(&repo.availability)).count(),
            repositories: directory.repositories.len(),
            missing: of_workers.chain(of_repositories).take(MAX_MISSING).collect(),
        }
    }
}

impl Core {
    /// Returns the readiness. A gateway that has just started waits for the inventories of all workers first, since
    /// another gateway may know them already.
    pub(crate) fn readiness(&self) -> Readiness {
        let mut readiness = Readiness::of(&self.workers().directory());
        readiness.ready &= self.has_workers.is_cancelled();
        if self.draining.is_cancelled() {
            (readiness.ready, readiness.draining) = (false, true);
        }
        readiness
    }
}

/// Readiness without numbers and names, for unauthenticated callers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ReadinessFlags {
    ready: bool,
    draining: bool,
}

async fn is_ready(State(core): State<Arc<Core>>) -> Response {
    let Readiness { ready, draining, .. } = core.readiness();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(ReadinessFlags { ready, draining })).into_response()
}

async fn readyz(State(core): State<Arc<Core>>) -> Response {
    let mut readiness = core.readiness();
    if !core.config.access.is_open() {
        // Repository names are visible only to callers that can read them.
        readiness.missing.clear();
    }
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

async fn metrics(State(core): State<Arc<Core>>) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    let known = core.workers().known();
    (content_type, core.metrics.render(&known.directory, &known.connections.hedge_budget)).into_response()
}
