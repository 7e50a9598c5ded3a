//! Connections: how many there are, and how long one may stay that asks nothing.
//!
//! Whoever reaches the address can open one, with a token or without. So a connection without a request in flight is only kept
//! for a while, and gives way to a new one where there are too many; one with a request in flight is never cut short.

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

use super::files;
use crate::metrics::Metrics;

/// Connections at the same time: far more than there are callers behind one gateway, and what each may take of memory times
/// this is little of what a gateway has.
const MAX_CONNECTIONS: usize = 2_048;

/// Files that are kept for all else: connections to workers, logs, what is remembered.
const FILES_KEPT: usize = 256;

/// Bytes of the head of a request, which mostly is its token.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// How long the first request may take to arrive.
const FIRST_REQUEST_DEADLINE: Duration = Duration::from_secs(10);

/// How long a connection may stay after its last answer: longer than load balancers keep theirs (60 s), so that it is them
/// who close.
const IDLE_DEADLINE: Duration = Duration::from_secs(75);

/// How often it is looked who has been idle for too long.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// How long it is waited after a connection could not be accepted, which mostly is for want of file handles: one that is idle
/// gives its own back meanwhile.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Answers with `router` until `closing`, and then finishes the requests in flight. Dropped, it drops all connections.
pub(super) async fn serve(listener: TcpListener, router: Router, metrics: &Metrics, closing: CancellationToken) {
    let room = files::raise_limit().saturating_sub(FILES_KEPT).max(1);
    let connections = Connections::new(MAX_CONNECTIONS.min(room));
    let (tasks, given_up) = (TaskTracker::new(), CancellationToken::new());
    let _all_end_with_this = given_up.clone().drop_guard();
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
                    let answering = answer(stream, peer, router.clone(), connection, closing.clone());
                    tasks.spawn(given_up.clone().run_until_cancelled_owned(answering));
                }
                None => metrics.record_shed("connections"),
            },
            Err(error) => {
                if !connections.close_longest_idle() {
                    tracing::warn!(%error, "a connection could not be accepted");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
}

/// Answers the requests of one connection, over HTTP/1.1 or HTTP/2.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    connection: Connection,
    closing: CancellationToken,
) {
    let connection = Arc::new(connection);
    let asking = Arc::clone(&connection);
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        let in_flight = asking.begin();
        request.extensions_mut().insert(ConnectInfo(peer));
        let answering = router.clone().call(request.map(Body::new));
        async move {
            let response: Response = answering.await?;
            Ok::<_, Infallible>(response.map(|body| Sending { body, _in_flight: in_flight }))
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
        tracing::debug!(%error, "a connection broke off");
    }
}

/// Those that are open.
#[derive(Clone)]
struct Connections {
    most: usize,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    n_admitted: u64,
    by_number: BTreeMap<u64, Standing>,
}

/// How a connection stands.
struct Standing {
    n_in_flight: usize,
    /// Since when nothing is in flight, if nothing is.
    idle_since: Instant,
    has_asked: bool,
    close: CancellationToken,
}

impl Standing {
    fn is_idle(&self) -> bool {
        self.n_in_flight == 0 && !self.close.is_cancelled()
    }

    fn is_overdue(&self, now: Instant) -> bool {
        let deadline = if self.has_asked { IDLE_DEADLINE } else { FIRST_REQUEST_DEADLINE };
        self.is_idle() && now.duration_since(self.idle_since) >= deadline
    }
}

impl Connections {
    fn new(most: usize) -> Connections {
        Connections { most, open: Arc::default() }
    }

    /// Takes in a connection, for which the one that has been idle for the longest makes room; none if nobody is idle.
    fn admit(&self, now: Instant) -> Option<Connection> {
        let n_open = self.open().by_number.values().filter(|standing| !standing.close.is_cancelled()).count();
        if n_open >= self.most && !self.close_longest_idle() {
            return None;
        }
        let mut open = self.open();
        let (number, close) = (open.n_admitted, CancellationToken::new());
        open.n_admitted += 1;
        let standing = Standing { n_in_flight: 0, idle_since: now, has_asked: false, close: close.clone() };
        open.by_number.insert(number, standing);
        Some(Connection { number, close, connections: self.clone() })
    }

    fn close_idle(&self, now: Instant) {
        let open = self.open();
        open.by_number
            .values()
            .filter(|standing| standing.is_overdue(now))
            .for_each(|standing| standing.close.cancel());
    }

    /// Says whether there was one to be closed.
    fn close_longest_idle(&self) -> bool {
        let open = self.open();
        let idle = open.by_number.values().filter(|standing| standing.is_idle());
        let longest = idle.min_by_key(|standing| standing.idle_since);
        longest.is_some_and(|standing| {
            standing.close.cancel();
            true
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that is open, until this is dropped.
struct Connection {
    number: u64,
    close: CancellationToken,
    connections: Connections,
}

impl Connection {
    /// Counts a request as being in flight until what is returned is dropped.
    fn begin(self: &Arc<Self>) -> InFlight {
        if let Some(standing) = self.connections.open().by_number.get_mut(&self.number) {
            standing.n_in_flight += 1;
            standing.has_asked = true;
        }
        InFlight(Arc::clone(self))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.open().by_number.remove(&self.number);
    }
}

struct InFlight(Arc<Connection>);

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some(standing) = self.0.connections.open().by_number.get_mut(&self.0.number) {
            standing.n_in_flight -= 1;
            standing.idle_since = Instant::now();
        }
    }
}

/// The body of an answer, whose request is in flight until all of it is sent or given up.
struct Sending {
    body: Body,
    _in_flight: InFlight,
}

impl HttpBody for Sending {
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

    /// Connects to a server of a few bytes; `/slow` takes longer than any deadline here.
    fn connect(connections: &Connections) -> Option<DuplexStream> {
        let slow = || async {
            tokio::time::sleep(IDLE_DEADLINE * 2).await;
            "slow"
        };
        let router = Router::new().route("/", get(|| async { "quick" })).route("/slow", get(slow));
        let (client, server) = tokio::io::duplex(1 << 12);
        let connection = connections.admit(Instant::now())?;
        tokio::spawn(answer(server, PEER, router, connection, CancellationToken::new()));
        Some(client)
    }

    async fn ask(client: &mut DuplexStream, path: &str) {
        client.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
    }

    /// Reads until an answer ends as told; nothing if the connection is closed before that.
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
    async fn who_asks_nothing_is_closed_and_who_waits_for_an_answer_is_not() {
        let connections = Connections::new(10);
        let mut half = connect(&connections).unwrap();
        half.write_all(b"POST /mcp HTTP/1.1\r\nhost: x\r\n").await.unwrap();
        let (mut kept, mut slow) = (connect(&connections).unwrap(), connect(&connections).unwrap());
        ask(&mut kept, "/").await;
        answered(&mut kept, "quick").await.unwrap();
        ask(&mut slow, "/slow").await;
        tokio::time::sleep(FIRST_REQUEST_DEADLINE).await;
        connections.close_idle(Instant::now());
        assert_eq!(answered(&mut half, "never").await, None);
        ask(&mut kept, "/").await;
        answered(&mut kept, "quick").await.unwrap();
        tokio::time::sleep(IDLE_DEADLINE).await;
        connections.close_idle(Instant::now());
        assert_eq!(answered(&mut kept, "never").await, None);
        answered(&mut slow, "slow").await.unwrap();
        assert_eq!(connections.open().by_number.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_that_is_idle_for_the_longest_makes_room() {
        let connections = Connections::new(2);
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
        assert!(connect(&connections).is_none(), "nobody is idle");
        answered(&mut first, "slow").await.unwrap();
        answered(&mut third, "slow").await.unwrap();
    }
}
