//! What is noted of every call, whatever it asks: a span in the trace of who asks, a count, and how long it took.

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

use crate::metrics::Metrics;

/// The calls that are told apart; health and reflection are not. A test compares them with the services.
const METHODS: [&str; 18] = [
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
    "History",
    "Activity",
    "ActiveCommits",
    "Overview",
    "Enqueue",
    "Status",
];

/// Notes every call of the services below it, and signs every reply with the name of the worker.
#[derive(Clone)]
pub(crate) struct Observe {
    metrics: Arc<Metrics>,
    worker: http::HeaderValue,
}

impl Observe {
    /// Notes in `metrics` what is asked of `worker`, whose name is one of letters, digits and dashes.
    pub(crate) fn new(metrics: Arc<Metrics>, worker: &str) -> Observe {
        let worker = http::HeaderValue::from_str(worker).unwrap_or(http::HeaderValue::from_static("unnamed"));
        Observe { metrics, worker }
    }
}

impl<S> Layer<S> for Observe {
    type Service = Observed<S>;

    fn layer(&self, inner: S) -> Observed<S> {
        Observed { inner, notes: self.clone() }
    }
}

/// A service whose calls are noted.
#[derive(Clone)]
pub(crate) struct Observed<S> {
    inner: S,
    notes: Observe,
}

impl<S, B, R> Service<http::Request<B>> for Observed<S>
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
        let noting =
            Noting { metrics: self.notes.metrics.clone(), method, began: Instant::now(), outcome: "cancelled" };
        let answering = self.inner.call(request).instrument(span.clone());
        let worker = self.notes.worker.clone();
        Box::pin(async move {
            // Dropped with the call when nobody waits for it any more, or when its time is up.
            let mut noting = noting;
            let mut answered = answering.await;
            if let Ok(response) = &mut answered {
                response.headers_mut().insert(proto::WORKER_HEADER, worker);
            }
            noting.outcome = answered.as_ref().map_or("failed", |response| outcome(response.headers()));
            span.record("outcome", noting.outcome);
            if noting.outcome != "ok" {
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

/// Counts a call when it ends, however it does.
struct Noting {
    metrics: Arc<Metrics>,
    method: &'static str,
    began: Instant,
    outcome: &'static str,
}

impl Drop for Noting {
    fn drop(&mut self) {
        self.metrics.record_rpc(self.method, self.outcome, self.began.elapsed());
    }
}

/// Returns the call that a path names, if it is one of ours.
fn method(path: &str) -> Option<&'static str> {
    let (service, name) = path.strip_prefix('/')?.split_once('/')?;
    let is_ours = service.starts_with("causeway.v1.");
    METHODS.into_iter().find(|method| is_ours && *method == name)
}

/// Returns how a call ended, as its headers say it: an answer has its status behind it, in trailers.
fn outcome(headers: &http::HeaderMap) -> &'static str {
    let Some(status) = headers.get("grpc-status") else { return "ok" };
    match Code::from_bytes(status.as_bytes()) {
        Code::Ok => "ok",
        Code::InvalidArgument | Code::OutOfRange | Code::NotFound => "refused",
        // The last is a grant that is not of now.
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
    fn every_call_of_the_services_is_told_apart() {
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
    fn only_our_calls_are_told_apart() {
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
