//! The telemetry of every call: a span in the trace of its caller, a count, and its duration.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use runtime::trace::{self, TraceContext};
use tonic::{Code, codegen::http};
use tower::{Layer, Service};
use tracing::{Instrument as _, Span, field};

use crate::operators::WorkerMetrics;

/// The calls that are recorded; health and reflection are not. A test compares them with the services.
const METHODS: [&str; 22] = [
    "Inventory",
    "Statistics",
    "Suggest",
    "Search",
    "Compare",
    "Symbols",
    "Outline",
    "Fetch",
    "Neighbours",
    "Describe",
    "Surface",
    "Locate",
    "LinkFacts",
    "History",
    "Activity",
    "ActiveCommits",
    "Changes",
    "Sites",
    "Overview",
    "EnsureView",
    "Enqueue",
    "Status",
];

/// Records every call of the services below it, and adds the name of the worker to every reply.
#[derive(Clone)]
pub(crate) struct RpcTelemetryLayer {
    metrics: Arc<WorkerMetrics>,
    worker: http::HeaderValue,
}

impl RpcTelemetryLayer {
    /// Records the calls of `worker` in `metrics`. The name of a worker has letters, digits and dashes.
    pub(crate) fn new(metrics: Arc<WorkerMetrics>, worker: &str) -> RpcTelemetryLayer {
        let worker = http::HeaderValue::from_str(worker).unwrap_or(http::HeaderValue::from_static("unnamed"));
        RpcTelemetryLayer { metrics, worker }
    }
}

impl<S> Layer<S> for RpcTelemetryLayer {
    type Service = RpcTelemetry<S>;

    fn layer(&self, inner: S) -> RpcTelemetry<S> {
        RpcTelemetry { inner, layer: self.clone() }
    }
}

/// A service whose calls are recorded.
#[derive(Clone)]
pub(crate) struct RpcTelemetry<S> {
    inner: S,
    layer: RpcTelemetryLayer,
}

impl<S, B, R> Service<http::Request<B>> for RpcTelemetry<S>
where
    S: Service<http::Request<B>, Response = http::Response<R>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let Some(method) = method(request.uri().path()) else { return Box::pin(self.inner.call(request)) };
        let parent = request.headers().get(trace::HEADER).and_then(|value| TraceContext::parse(value.to_str().ok()?));
        let span = span(method, parent);
        let record =
            RpcRecord { metrics: self.layer.metrics.clone(), method, began: Instant::now(), outcome: "cancelled" };
        let answering = self.inner.call(request).instrument(span.clone());
        let worker = self.layer.worker.clone();
        Box::pin(async move {
            // It is dropped with the call if the caller disconnects or the deadline passes.
            let mut record = record;
            let mut answered = answering.await;
            if let Ok(response) = &mut answered {
                response.headers_mut().insert(proto::WORKER_HEADER, worker);
            }
            record.outcome = answered.as_ref().map_or("failed", |response| outcome(response.headers()));
            span.record("outcome", record.outcome);
            if record.outcome != "ok" {
                span.record("otel.status_code", "ERROR");
            }
            answered
        })
    }
}

fn span(method: &'static str, parent: Option<TraceContext>) -> Span {
    let span = tracing::info_span!(
        target: trace::ROOT,
        "rpc",
        otel.name = method,
        otel.kind = "server",
        otel.status_code = field::Empty,
        method,
        trace_id = field::Empty,
        repositories = field::Empty,
        slowest_repository = field::Empty,
        slowest_ms = field::Empty,
        outcome = field::Empty,
    );
    trace::join(&span, parent);
    span
}

/// Counts a call when it is dropped, however the call ends.
struct RpcRecord {
    metrics: Arc<WorkerMetrics>,
    method: &'static str,
    began: Instant,
    outcome: &'static str,
}

impl Drop for RpcRecord {
    fn drop(&mut self) {
        self.metrics.record_rpc(self.method, self.outcome, self.began.elapsed());
    }
}

/// Returns the call of a path, if it is recorded.
fn method(path: &str) -> Option<&'static str> {
    let (service, name) = path.strip_prefix('/')?.split_once('/')?;
    let is_ours = service.starts_with("causeway.v1.");
    METHODS.into_iter().find(|method| is_ours && *method == name)
}

/// Returns the outcome of a call by its headers. Only an error has its status there: a reply has it in its trailers.
fn outcome(headers: &http::HeaderMap) -> &'static str {
    let Some(status) = headers.get("grpc-status") else { return "ok" };
    match Code::from_bytes(status.as_bytes()) {
        Code::Ok => "ok",
        Code::InvalidArgument | Code::OutOfRange | Code::NotFound => "refused",
        // `FailedPrecondition` is an expired grant.
        Code::Unauthenticated | Code::PermissionDenied | Code::FailedPrecondition => "refused",
        Code::ResourceExhausted => "overloaded",
        Code::DeadlineExceeded | Code::Cancelled => "cancelled",
        _ => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_of_the_services_is_recorded() {
        let services = [
            include_str!("../../../../proto/causeway/v1/shard.proto"),
            include_str!("../../../../proto/causeway/v1/indexing.proto"),
        ];
        let rpcs = services.iter().flat_map(|text| text.lines()).filter_map(|line| {
            let (name, _) = line.trim_start().strip_prefix("rpc ")?.split_once('(')?;
            Some(name)
        });
        assert_eq!(rpcs.collect::<Vec<_>>(), METHODS);
    }

    #[test]
    fn other_calls_are_not_recorded() {
        for (path, expected) in [
            ("/causeway.v1.ShardService/Search", Some("Search")),
            ("/causeway.v1.ShardService/Other", None),
            ("/grpc.health.v1.Health/Check", None),
            ("/other.Service/Search", None),
            ("", None),
        ] {
            assert_eq!(method(path), expected, "{path}");
        }
    }

    #[test]
    fn a_status_in_the_headers_is_a_failure() {
        for (status, expected) in
            [(None, "ok"), (Some("0"), "ok"), (Some("3"), "refused"), (Some("8"), "overloaded"), (Some("13"), "failed")]
        {
            let mut headers = http::HeaderMap::new();
            headers
                .extend(status.map(|status| (http::HeaderName::from_static("grpc-status"), status.parse().unwrap())));
            assert_eq!(outcome(&headers), expected, "{status:?}");
        }
    }
}
