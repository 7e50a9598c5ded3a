//! The thread pool of queries. It is separate from the runtime and from indexing runs, so that neither delays a query.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use runtime::{grpc_server, thread_priority, trace};
use tokio::sync::{Semaphore, oneshot};
use tonic::{Request, Status};
use tracing::Span;

/// Maximum number of queries that run or wait. More are rejected at once, so that the queueing time stays bounded. It is several
/// times what one gateway admits, and a query without a caller costs nothing when its turn comes.
const MAX_QUERIES: usize = 1_024;

/// Deadline of a request that has none.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(10);

/// The part of a deadline that a query may use; the rest is for the reply to arrive.
const USABLE_DEADLINE: f64 = 0.9;

/// Maximum number of spans of shards per call; of all shards the slowest one is also a field of the call. A worker holds
/// hundreds of shards, and an answer takes several calls, while the queue of an exporter holds 2,048 spans.
const MAX_SHARD_SPANS: usize = 64;

/// Runs queries.
#[derive(Clone)]
pub(crate) struct QueryPool {
    threads: Arc<ThreadPool>,
    permits: Arc<Semaphore>,
}

/// The context of a query: its deadline, its cancellation, and the slowest shard so far.
pub(crate) struct QueryContext {
    deadline: Instant,
    is_cancelled: Box<dyn Fn() -> bool + Send + Sync>,
    n_shard_steps: AtomicUsize,
    slowest: Mutex<(Duration, String)>,
}

impl QueryContext {
    fn new(deadline: Instant, is_cancelled: Box<dyn Fn() -> bool + Send + Sync>) -> QueryContext {
        QueryContext { deadline, is_cancelled, n_shard_steps: AtomicUsize::new(0), slowest: Mutex::default() }
    }

    /// Runs a piece of work on one shard, in a span with the name `step` and the id of the repository.
    pub(crate) fn on_shard<T>(&self, step: &'static str, repository: &str, work: impl FnOnce() -> T) -> T {
        let has_span = self.n_shard_steps.fetch_add(1, Ordering::Relaxed) < MAX_SHARD_SPANS;
        let span = if has_span { shard_span(step, repository) } else { Span::none() };
        let began = Instant::now();
        let done = span.in_scope(work);
        let took = began.elapsed();
        let mut slowest = self.slowest.lock().expect("no holder of this lock panics");
        if took > slowest.0 {
            *slowest = (took, repository.to_owned());
        }
        done
    }

    /// Records the slowest shard in a span, if there was any.
    fn record_slowest(&self, span: &Span) {
        let slowest = self.slowest.lock().expect("no holder of this lock panics");
        if !slowest.1.is_empty() {
            span.record("slowest_repository", slowest.1.as_str());
            span.record("slowest_ms", slowest.0.as_secs_f64() * 1e3);
        }
    }

    /// Returns true if the deadline has passed, or the caller is gone.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || (self.is_cancelled)()
    }
}

impl QueryPool {
    pub(crate) fn new() -> Result<QueryPool, rayon::ThreadPoolBuildError> {
        // The caller of a query that panics gets an error. Without a handler, the process would end.
        let threads = ThreadPoolBuilder::new()
            .thread_name(|idx| format!("query-{idx}"))
            .start_handler(|_| thread_priority::lower())
            .panic_handler(|_| tracing::error!("a query panicked"))
            .build()?;
        Ok(QueryPool { threads: Arc::new(threads), permits: Arc::new(Semaphore::new(MAX_QUERIES)) })
    }

    /// Returns the number of queries that run or wait.
    pub(crate) fn in_flight(&self) -> usize {
        MAX_QUERIES - self.permits.available_permits()
    }

    /// Runs `work` on a thread of the pool. Its context is cancelled when the caller disconnects.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        deadline: Instant,
        work: impl FnOnce(&QueryContext) -> T + Send + 'static,
    ) -> Result<T, Status> {
        let permit = self
            .permits
            .clone()
            .try_acquire_owned()
            .map_err(|_| Status::resource_exhausted("the worker is at its limit of queries; try again"))?;
        let (reply, answer) = oneshot::channel();
        let is_gone = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let guard = DropFlag(is_gone.clone());
        let context = QueryContext::new(deadline, Box::new(move || is_gone.load(Ordering::Relaxed)));
        let span = Span::current();
        self.threads.spawn(move || {
            let _permit = permit;
            let done = span.in_scope(|| work(&context));
            context.record_slowest(&span);
            let _ = reply.send(done);
        });
        let result = answer.await.map_err(|_| Status::internal("the query failed"));
        drop(guard);
        result
    }
}

fn shard_span(step: &'static str, repository: &str) -> Span {
    tracing::info_span!(target: trace::DETAIL, "shard", otel.name = step, repository)
}

/// Sets a flag when the future that holds it ends or is dropped.
struct DropFlag(Arc<std::sync::atomic::AtomicBool>);

impl Drop for DropFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Maps items in parallel, in their order, with the span of the call on every thread.
pub(crate) fn map<'a, T: Sync, R: Send>(items: &'a [T], each: impl Fn(&'a T) -> R + Sync + Send) -> Vec<R> {
    let span = Span::current();
    items.par_iter().map(|item| span.in_scope(|| each(item))).collect()
}

/// Returns the time at which the reply to a request must be ready.
pub(crate) fn deadline<T>(request: &Request<T>) -> Instant {
    let timeout = grpc_server::timeout_of(request.metadata().as_ref()).unwrap_or(DEFAULT_DEADLINE);
    Instant::now() + timeout.mul_f64(USABLE_DEADLINE)
}
