//! Client connections: their maximum number and idle timeouts.
//!
//! Anyone who can reach the address can open a connection, even without a token. A connection without a request in
//! flight is closed after a timeout, or earlier to make room for a new one. A connection with a request in flight is
//! never closed early.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::{ConnectInfo, Request},
    response::Response,
};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    time::{Instant, MissedTickBehavior},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service as _;

use super::file_limit;
use crate::metrics::Metrics;

/// Maximum number of open connections: far more than callers of one gateway, and few enough for its memory.
const MAX_CONNECTIONS: usize = 2_048;

/// File descriptors that are reserved for connections to workers, logs and stored state.
const RESERVED_FILES: usize = 256;

/// Maximum size of a request head in bytes; most of it is the token.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Deadline of the first request of a connection.
const FIRST_REQUEST_DEADLINE: Duration = Duration::from_secs(10);

/// Idle timeout after the last response: longer than that of load balancers (60 s), so that they close connections
/// first.
const IDLE_DEADLINE: Duration = Duration::from_secs(75);

/// Interval of the search for idle connections.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Pause after a failed accept, usually due to missing file descriptors. Closing an idle connection frees one
/// meanwhile.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Serves `router` until `closing` is cancelled, and then finishes the requests in flight. Dropping the future drops
/// all connections.
pub(super) async fn serve(listener: TcpListener, router: Router, metrics: &Metrics, closing: CancellationToken) {
    let n_files = file_limit::raise_limit().saturating_sub(RESERVED_FILES).max(1);
    let connections = ConnectionPool::new(MAX_CONNECTIONS.min(n_files));
    let (tasks, aborted) = (TaskTracker::new(), CancellationToken::new());
    let _abort_on_drop = aborted.clone().drop_guard();
    let mut sweep = tokio::time::interval(SWEEP_INTERVAL);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let accepted = tokio::select! {
            () = closing.cancelled() => break,
            _ = sweep.tick() => {
                connections.close_idle(Instant::now());
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => match connections.admit(Instant::now()) {
                Some(connection) => {
                    let serving = serve_connection(stream, peer, router.clone(), connection, closing.clone());
                    tasks.spawn(aborted.clone().run_until_cancelled_owned(serving));
                }
                None => metrics.record_shed("connections"),
            },
            Err(error) => {
                if !connections.close_longest_idle() {
                    tracing::warn!(%error, "cannot accept a connection");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
}

/// Serves the requests of one connection over HTTP/1.1 or HTTP/2.
async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    connection: ClientConnection,
    closing: CancellationToken,
) {
    let connection = Arc::new(connection);
    let counted = Arc::clone(&connection);
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        let in_flight = counted.begin_request();
        request.extensions_mut().insert(ConnectInfo(peer));
        let responding = router.clone().call(request.map(Body::new));
        async move {
            let response: Response = responding.await?;
            Ok::<_, Infallible>(response.map(|body| CountedBody { body, _in_flight: in_flight }))
        }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(MAX_HEAD_BYTES);
    let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = serving.as_mut() => Some(ended),
        () = connection.close.cancelled() => None,
        () = closing.cancelled() => {
            serving.as_mut().graceful_shutdown();
            tokio::select! {
                ended = serving => Some(ended),
                () = connection.close.cancelled() => None,
            }
        }
    };
    if let Some(Err(error)) = ended {
        tracing::debug!(%error, "connection error");
    }
}

/// The open connections.
#[derive(Clone)]
struct ConnectionPool {
    capacity: usize,
    open: Arc<Mutex<OpenConnections>>,
}

#[derive(Default)]
struct OpenConnections {
    n_admitted: u64,
    by_number: BTreeMap<u64, ConnectionState>,
}

/// State of a connection.
struct ConnectionState {
    n_in_flight: usize,
    /// Start of the idle time, if no request is in flight.
    idle_since: Instant,
    has_had_request: bool,
    close: CancellationToken,
}

impl ConnectionState {
    fn is_idle(&self) -> bool {
        self.n_in_flight == 0 && !self.close.is_cancelled()
    }

    fn is_overdue(&self, now: Instant) -> bool {
        let deadline = if self.has_had_request { IDLE_DEADLINE } else { FIRST_REQUEST_DEADLINE };
        self.is_idle() && now.duration_since(self.idle_since) >= deadline
    }
}

impl ConnectionPool {
    fn new(capacity: usize) -> ConnectionPool {
        ConnectionPool { capacity, open: Arc::default() }
    }

    /// Registers a connection. A full pool closes the longest idle one first; returns `None` if none is idle.
    fn admit(&self, now: Instant) -> Option<ClientConnection> {
        let n_open = self.open().by_number.values().filter(|state| !state.close.is_cancelled()).count();
        if n_open >= self.capacity && !self.close_longest_idle() {
            return None;
        }
        let mut open = self.open();
        let (number, close) = (open.n_admitted, CancellationToken::new());
        open.n_admitted += 1;
        let state = ConnectionState { n_in_flight: 0, idle_since: now, has_had_request: false, close: close.clone() };
        open.by_number.insert(number, state);
        Some(ClientConnection { number, close, connections: self.clone() })
    }

    fn close_idle(&self, now: Instant) {
        let open = self.open();
        open.by_number.values().filter(|state| state.is_overdue(now)).for_each(|state| state.close.cancel());
    }

    /// Closes the longest idle connection. Returns false if none is idle.
    fn close_longest_idle(&self) -> bool {
        let open = self.open();
        let idle = open.by_number.values().filter(|state| state.is_idle());
        let longest = idle.min_by_key(|state| state.idle_since);
        longest.is_some_and(|state| {
            state.close.cancel();
            true
        })
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A registered connection; unregisters on drop.
struct ClientConnection {
    number: u64,
    close: CancellationToken,
    connections: ConnectionPool,
}

impl ClientConnection {
    /// Counts a request as in flight until the guard is dropped.
    fn begin_request(self: &Arc<Self>) -> RequestInFlight {
        if let Some(state) = self.connections.open().by_number.get_mut(&self.number) {
            state.n_in_flight += 1;
            state.has_had_request = true;
        }
        RequestInFlight(Arc::clone(self))
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        self.connections.open().by_number.remove(&self.number);
    }
}

struct RequestInFlight(Arc<ClientConnection>);

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        if let Some(state) = self.0.connections.open().by_number.get_mut(&self.0.number) {
            state.n_in_flight -= 1;
            state.idle_since = Instant::now();
        }
    }
}

/// A response body. Its request counts as in flight until the body is sent or dropped.
struct CountedBody {
    body: Body,
    _in_flight: RequestInFlight,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

    use super::*;

    const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 1);

    /// Connects to a minimal server; `/slow` takes longer than every deadline here.
    fn connect(connections: &ConnectionPool) -> Option<DuplexStream> {
        let slow = || async {
            tokio::time::sleep(IDLE_DEADLINE * 2).await;
            "slow"
        };
        let router = Router::new().route("/", get(|| async { "quick" })).route("/slow", get(slow));
        let (client, server) = tokio::io::duplex(1 << 12);
        let connection = connections.admit(Instant::now())?;
        tokio::spawn(serve_connection(server, PEER, router, connection, CancellationToken::new()));
        Some(client)
    }

    async fn ask(client: &mut DuplexStream, path: &str) {
        client.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
    }

    /// Reads until the response ends with `end`; `None` if the connection is closed earlier.
    async fn answered(client: &mut DuplexStream, end: &str) -> Option<()> {
        let mut read = Vec::new();
        while !read.ends_with(end.as_bytes()) {
            if client.read_buf(&mut read).await.unwrap_or_default() == 0 {
                return None;
            }
        }
        Some(())
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_are_closed_and_busy_ones_are_not() {
        let connections = ConnectionPool::new(10);
        let mut half = connect(&connections).unwrap();
        half.write_all(b"POST /mcp HTTP/1.1\r\nhost: x\r\n").await.unwrap();
        let (mut reused, mut slow) = (connect(&connections).unwrap(), connect(&connections).unwrap());
        ask(&mut reused, "/").await;
        answered(&mut reused, "quick").await.unwrap();
        ask(&mut slow, "/slow").await;
        tokio::time::sleep(FIRST_REQUEST_DEADLINE).await;
        connections.close_idle(Instant::now());
        assert_eq!(answered(&mut half, "never").await, None);
        ask(&mut reused, "/").await;
        answered(&mut reused, "quick").await.unwrap();
        tokio::time::sleep(IDLE_DEADLINE).await;
        connections.close_idle(Instant::now());
        assert_eq!(answered(&mut reused, "never").await, None);
        answered(&mut slow, "slow").await.unwrap();
        assert_eq!(connections.open().by_number.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn full_pool_closes_the_longest_idle_connection() {
        let connections = ConnectionPool::new(2);
        let (mut first, mut second) = (connect(&connections).unwrap(), connect(&connections).unwrap());
        tokio::time::sleep(SWEEP_INTERVAL).await;
        ask(&mut first, "/").await;
        answered(&mut first, "quick").await.unwrap();
        let mut third = connect(&connections).unwrap();
        assert_eq!(answered(&mut second, "never").await, None);
        for client in [&mut first, &mut third] {
            ask(client, "/slow").await;
        }
        tokio::time::sleep(SWEEP_INTERVAL).await;
        assert!(connect(&connections).is_none(), "none is idle");
        answered(&mut first, "slow").await.unwrap();
        answered(&mut third, "slow").await.unwrap();
    }
}
