//! The way in over HTTP: `/mcp` for callers, and beside it, or at an address of its own, what an operator looks at, which needs
//! no token.

use std::{
    future::Future,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    BoxError, Json, Router,
    body::Body,
    error_handling::HandleErrorLayer,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header, uri::Authority},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use futures::TryStreamExt as _;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    Core,
    directory::{Directory, Reach, Standing},
    mcp, webhooks,
};

mod connections;
mod door;
mod files;
mod turns;

use turns::{Turns, take_turn};

/// Calls that are answered at the same time, for each core: one is answered while some wait for workers. With many more,
/// all of them take longer than a step waits for the slow, and answers lack what would have come.
const CALLS_PER_CORE: usize = 4;

/// Calls in flight for each that is answered at the same time, before new ones are turned away, however short they are.
const IN_FLIGHT_PER_ANSWERED: usize = 4;

/// Requests whose bodies are being read, before new ones are turned away. A caller that stops in the middle of one
/// holds one of these, for no longer than the deadline, and never a place among the calls.
const MAX_BODIES_IN_FLIGHT: usize = 1_024;

/// How long a body may take to arrive: it is one message, and a megabyte at most.
const BODY_DEADLINE: Duration = Duration::from_secs(5);

/// Seconds after which a caller that was turned away may try again.
const RETRY_AFTER: &str = "1";

/// How long requests in flight are waited for once no others are taken.
const CLOSE_DEADLINE: Duration = crate::HARD_DEADLINE;

/// Serves until `shutdown` is done. Then it is not ready any more, goes on answering for a while, since load balancers need
/// a moment to notice, and finishes the requests in flight.
pub(crate) async fn serve(
    core: Arc<Core>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let (closing, stop) = (CancellationToken::new(), CancellationToken::new());
    let told = {
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
    let serving = connections::serve(listener, router, &core.metrics, closing);
    let too_late = async {
        told.await;
        tokio::time::sleep(CLOSE_DEADLINE).await;
        stop.cancel();
    };
    tokio::select! {
        () = serving => {}
        () = too_late => {}
    }
    Ok(())
}

/// Serves what operators, probes and Prometheus look at, for ever.
pub(crate) async fn serve_operators(core: Arc<Core>, listener: TcpListener) {
    let router = operators_router(Arc::clone(&core));
    connections::serve(listener, router, &core.metrics, CancellationToken::new()).await;
}

pub(crate) fn operators_router(core: Arc<Core>) -> Router {
    operators(&core).merge(livez()).with_state(core)
}

/// Returns what tells how many repositories and workers there are.
fn operators(core: &Arc<Core>) -> Router<Arc<Core>> {
    Router::new()
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .layer(middleware::from_fn_with_state(Arc::clone(core), refuse_strange_hosts))
}

fn livez() -> Router<Arc<Core>> {
    Router::new().route("/livez", get(|| async { "alive\n" }))
}

/// Returns the origins that a loopback server has itself: whatever comes from them came from it.
fn own_origins(address: SocketAddr) -> Vec<String> {
    let hosts: &[&str] = if address.ip().is_loopback() { &["localhost", "127.0.0.1", "[::1]"] } else { &[] };
    hosts.iter().map(|host| format!("http://{host}:{}", address.port())).collect()
}

pub(crate) fn router(core: Arc<Core>, address: SocketAddr, stop: CancellationToken) -> Router {
    let shedding = |limit: usize, reason: &'static str| {
        let core = Arc::clone(&core);
        let turned_away = move |_overloaded: BoxError| {
            core.metrics.record_shed(reason);
            std::future::ready(turned_away())
        };
        ServiceBuilder::new().layer(HandleErrorLayer::new(turned_away)).load_shed().concurrency_limit(limit)
    };
    let answered = calls_at_once();
    // From the inside out: a call takes its place once all of it is there, and nobody's body is read who may not call.
    let mcp = Router::new()
        .fallback_service(mcp::http_service(Arc::clone(&core), own_origins(address), stop))
        .layer(middleware::from_fn_with_state(Turns::new(answered, Arc::clone(&core)), take_turn))
        .layer(shedding(answered * IN_FLIGHT_PER_ANSWERED, "calls"))
        .layer(middleware::from_fn(read_body))
        .layer(shedding(MAX_BODIES_IN_FLIGHT, "bodies"))
        .layer(middleware::from_fn_with_state(Arc::clone(&core), door::authorise));
    // Counts are for those who may read everything: here, callers have not said who they are.
    let health =
        if core.config.access.is_open() { operators(&core) } else { Router::new().route("/readyz", get(is_ready)) };
    Router::new()
        .nest("/mcp", mcp)
        .merge(health)
        .merge(livez())
        .merge(door::metadata(&core))
        .merge(webhooks::routes(core.config.webhooks.as_ref()))
        .layer(middleware::from_fn_with_state(Arc::clone(&core), send_elsewhere))
        .with_state(core)
        .layer(CatchPanicLayer::new())
}

/// Has callers that keep their connection ask on a new one while this gateway is about to stop: a load balancer takes them
/// to another, and none is in the middle of a request when this one ends.
async fn send_elsewhere(State(core): State<Arc<Core>>, request: Request, next: Next) -> Response {
    let version = request.version();
    let mut response = next.run(request).await;
    // HTTP/2 has no such header: there, the server says so by itself when it ends.
    if core.draining.is_cancelled() && version <= Version::HTTP_11 {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Returns how many calls are answered at the same time. Those for which a model writes wait for it, and take no turn from others.
fn calls_at_once() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    CALLS_PER_CORE * cores + provider::MAX_CONCURRENT
}

/// Reads the whole body before anything else is done for the request.
async fn read_body(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let chunks = body.into_data_stream().map_err(|_| (StatusCode::BAD_REQUEST, "the body broke off\n"));
    let reading = chunks.try_fold(Vec::new(), |mut read, chunk| async move {
        read.extend_from_slice(&chunk);
        if read.len() <= mcp::MAX_BODY_BYTES {
            Ok(read)
        } else {
            Err((StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than 1 MiB\n"))
        }
    });
    let too_slow = Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time\n"));
    match tokio::time::timeout(BODY_DEADLINE, reading).await.unwrap_or(too_slow) {
        Ok(read) => next.run(Request::from_parts(parts, Body::from(read))).await,
        // What is left of the body would be taken for the next request.
        Err(refused) => ([(header::CONNECTION, "close")], refused).into_response(),
    }
}

/// Turns away pages of other sites that had their name point to this machine, as `/mcp` does by itself.
async fn refuse_strange_hosts(State(core): State<Arc<Core>>, request: Request, next: Next) -> Response {
    if is_known_host(request.uri(), request.headers(), &core.config.allowed_hosts) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "this host name is not among `allowed_hosts`\n").into_response()
    }
}

/// Says whether the request was sent to a name that this gateway goes by.
///
/// An address is always one, since no site can make it point elsewhere, and probes of clusters send it; a request that
/// names no host comes from no browser.
fn is_known_host(uri: &Uri, headers: &HeaderMap, allowed: &[String]) -> bool {
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
        // An IPv6 address without its brackets.
        Err(_) => bare(allowed) == bare(sent.host()),
    };
    bare(sent.host()).parse::<IpAddr>().is_ok() || allowed.iter().any(is_allowed)
}

fn turned_away() -> Response {
    let retry = [(header::RETRY_AFTER, RETRY_AFTER)];
    (StatusCode::SERVICE_UNAVAILABLE, retry, "too many calls in flight, try again\n").into_response()
}

/// Whether requests can be answered, and what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readiness {
    pub ready: bool,
    /// It is about to stop.
    pub draining: bool,
    /// Workers that can be reached, of all.
    pub workers_reachable: usize,
    pub workers: usize,
    /// Repositories that can be asked, of all that are known.
    pub repositories_serving: usize,
    pub repositories: usize,
    /// One line on each thing that is missing, the first few of them.
    pub missing: Vec<String>,
}

impl Readiness {
    /// Says that some worker can be reached and said what it holds: what is missing beyond that shows in the coverage of
    /// answers, and is no reason to answer nobody.
    fn of(directory: &Directory) -> Readiness {
        /// More lines than this help nobody.
        const MAX_MISSING: usize = 20;
        let workers_reachable =
            directory.workers.iter().filter(|worker| worker.is_known && !worker.reach.is_gone()).count();
        let is_serving = |standing: &Standing| matches!(standing, Standing::Serving(_));
        let of_workers = directory.workers.iter().filter_map(|worker| match &worker.reach {
            Reach::Reachable => None,
            Reach::Draining => Some(format!("worker {}: it is about to stop", worker.name)),
            Reach::Unreachable(reason) => Some(format!("worker {}: {reason}", worker.name)),
        });
        let of_repositories = directory.repositories.iter().filter_map(|repository| match &repository.standing {
            Standing::Serving(_) => None,
            Standing::Short(state, reason) => Some(format!("{}: {}: {reason}", repository.own_alias, state.name())),
        });
        Readiness {
            ready: workers_reachable > 0,
            draining: false,
            workers_reachable,
            workers: directory.workers.len(),
            repositories_serving: directory.repositories.iter().filter(|repo| is_serving(&repo.standing)).count(),
            repositories: directory.repositories.len(),
            missing: of_workers.chain(of_repositories).take(MAX_MISSING).collect(),
        }
    }
}

impl Core {
    /// Says how ready it is. One that has just started waits for all workers first, as long as sound ones take: what it does
    /// not know yet, another gateway knows.
    pub(crate) fn readiness(&self) -> Readiness {
        let mut readiness = Readiness::of(&self.federation.directory());
        readiness.ready &= self.settled.is_cancelled();
        if self.draining.is_cancelled() {
            (readiness.ready, readiness.draining) = (false, true);
        }
        readiness
    }
}

/// Whether requests can be answered, and no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct IsReady {
    ready: bool,
    draining: bool,
}

async fn is_ready(State(core): State<Arc<Core>>) -> Response {
    let Readiness { ready, draining, .. } = core.readiness();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(IsReady { ready, draining })).into_response()
}

async fn readyz(State(core): State<Arc<Core>>) -> Response {
    let mut readiness = core.readiness();
    if !core.config.access.is_open() {
        // Names of repositories are for those who may read them.
        readiness.missing.clear();
    }
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

async fn metrics(State(core): State<Arc<Core>>) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    let known = core.federation.known();
    (content_type, core.metrics.render(&known.directory, &known.connections.spare)).into_response()
}
