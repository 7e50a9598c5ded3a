//! Where queries run: threads of their own, so that neither the runtime nor an indexing run holds them up.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use runtime::trace;
use tokio::sync::{Semaphore, oneshot};
use tonic::{Request, Status};
use tracing::Span;

/// Queries that run or wait at most; more are turned away at once, so that waiting stays bounded. It is several times
/// what one gateway lets in, and a query that nobody waits for any more costs nothing when its turn comes.
const MAX_QUERIES: usize = 1_024;

/// What a request without a deadline gets.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(10);

/// The part of a deadline that is used for answering; the rest is for the way back.
const DEADLINE_PART: f64 = 0.9;

/// Pieces of work on shards that have a span of their own, per call. A worker holds hundreds of shards, and is asked several
/// times for an answer; the queue of an exporter takes 2,048. Of the others the slowest is named.
const MAX_SHARD_SPANS: usize = 64;

/// Runs the work of queries.
#[derive(Clone)]
pub(crate) struct QueryPool {
    threads: Arc<ThreadPool>,
    permits: Arc<Semaphore>,
}

/// Whether the work of a query is still wanted, and which shard held it up.
pub(crate) struct Wanted {
    deadline: Instant,
    is_dropped: Box<dyn Fn() -> bool + Send + Sync>,
    n_on_shards: AtomicUsize,
    slowest: Mutex<(Duration, String)>,
}

impl Wanted {
    fn new(deadline: Instant, is_dropped: Box<dyn Fn() -> bool + Send + Sync>) -> Wanted {
        Wanted { deadline, is_dropped, n_on_shards: AtomicUsize::new(0), slowest: Mutex::default() }
    }

    /// Does a piece of work on one shard, in a span of the name `step`. The shard is told by the id of its repository.
    pub(crate) fn on_shard<T>(&self, step: &'static str, repository: &str, work: impl FnOnce() -> T) -> T {
        let has_span = self.n_on_shards.fetch_add(1, Ordering::Relaxed) < MAX_SHARD_SPANS;
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

    /// Tells a span which shard took longest, if any was worked on.
    fn tell_slowest(&self, span: &Span) {
        let slowest = self.slowest.lock().expect("no holder of this lock panics");
        if !slowest.1.is_empty() {
            span.record("slowest_repository", slowest.1.as_str());
            span.record("slowest_ms", slowest.0.as_secs_f64() * 1e3);
        }
    }

    /// Says whether there is still somebody who waits, and time.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || (self.is_dropped)()
    }
}

impl QueryPool {
    pub(crate) fn new() -> Result<QueryPool, rayon::ThreadPoolBuildError> {
        // A query that panics loses its reply, which its caller notices; without a handler it would end the process.
        let threads = ThreadPoolBuilder::new()
            .thread_name(|idx| format!("query-{idx}"))
            .panic_handler(|_| tracing::error!("a query panicked"))
            .build()?;
        Ok(QueryPool { threads: Arc::new(threads), permits: Arc::new(Semaphore::new(MAX_QUERIES)) })
    }

    /// Returns how many queries run or wait.
    pub(crate) fn in_flight(&self) -> usize {
        MAX_QUERIES - self.permits.available_permits()
    }

    /// Runs `work` off the runtime. When the caller goes away, the work is told that it is no longer wanted.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        deadline: Instant,
        work: impl FnOnce(&Wanted) -> T + Send + 'static,
    ) -> Result<T, Status> {
        let permit = self
            .permits
            .clone()
            .try_acquire_owned()
            .map_err(|_| Status::resource_exhausted("the worker answers as many queries as it can; try again"))?;
        let (reply, answer) = oneshot::channel();
        let gone = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let guard = DropFlag(gone.clone());
        let wanted = Wanted::new(deadline, Box::new(move || gone.load(Ordering::Relaxed)));
        let span = Span::current();
        self.threads.spawn(move || {
            let _permit = permit;
            let done = span.in_scope(|| work(&wanted));
            wanted.tell_slowest(&span);
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

/// Raises a flag when the future that holds it ends or is dropped.
struct DropFlag(Arc<std::sync::atomic::AtomicBool>);

impl Drop for DropFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Maps items in parallel, in their order, and on every thread in the span of the call.
pub(crate) fn map<'a, T: Sync, R: Send>(items: &'a [T], each: impl Fn(&'a T) -> R + Sync + Send) -> Vec<R> {
    let span = Span::current();
    items.par_iter().map(|item| span.in_scope(|| each(item))).collect()
}

/// Returns when the answer to a request must be ready.
pub(crate) fn deadline<T>(request: &Request<T>) -> Instant {
    let timeout = request
        .metadata()
        .get("grpc-timeout")
        .and_then(|value| value.to_str().ok())
        .and_then(parse_timeout)
        .unwrap_or(DEFAULT_DEADLINE);
    Instant::now() + timeout.mul_f64(DEADLINE_PART)
}

/// Reads a timeout as gRPC writes it: at most eight digits and a unit.
fn parse_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(amount * 3600)),
        "M" => Some(Duration::from_secs(amount * 60)),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_grpc_writes_them() {
        for (text, expected) in [
            ("100m", Some(Duration::from_millis(100))),
            ("2S", Some(Duration::from_secs(2))),
            ("1000000u", Some(Duration::from_secs(1))),
            ("", None),
            ("m", None),
            ("5x", None),
            ("123456789S", None),
        ] {
            assert_eq!(parse_timeout(text), expected, "{text}");
        }
    }
}
