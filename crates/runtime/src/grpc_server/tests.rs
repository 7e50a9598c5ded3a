use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    sync::mpsc,
    task::JoinHandle,
    time::Instant,
};
use tonic::transport::Channel;

use super::*;
use crate::{
    connections::{ConnectionLimits, ConnectionPool, TrackedIo},
    in_memory,
};

/// Longer than every deadline of a connection.
const LONG: Duration = Duration::from_secs(300);

/// Returns the number of tasks of the pool at once, and other calls after a long time.
async fn respond(request: Request<TrackedUpload<Incoming>>) -> Result<Response<Body>, Infallible> {
    if request.uri().path() != "/tasks" {
        tokio::time::sleep(LONG).await;
    }
    let mut response = Response::new(Body::empty());
    if let Some(connection) = request.extensions().get::<Connection>() {
        response.headers_mut().insert("n-tasks", connection.tasks().count().into());
    }
    Ok(response)
}

/// A server whose connections are in a pool, and a channel to it.
struct PooledServer {
    channel: Channel,
    closing: CancellationToken,
    serving: JoinHandle<()>,
}

fn start() -> PooledServer {
    let pool = ConnectionPool::new(ConnectionLimits::of(10));
    let (channel, accepted) = in_memory::wire();
    let incoming = accepted.map(move |io| {
        io.map(|io: DuplexStream| TrackedIo::new(io, pool.admit(None, Instant::now()).expect("it has a place")))
    });
    let closing = CancellationToken::new();
    let shutdown = closing.clone().cancelled_owned();
    let serving = tokio::spawn(serve(incoming, tower::service_fn(respond), shutdown));
    PooledServer { channel, closing, serving }
}

async fn call(channel: Channel, path: &'static str) -> HeaderMap {
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = path.parse().unwrap();
    channel.oneshot(request).await.unwrap().headers().clone()
}

#[tokio::test(start_paused = true)]
async fn tasks_outside_of_the_pool_do_not_slow_a_caller() {
    let server = start();
    // More than may serve the connections of any pool.
    for _ in 0..20_000 {
        tokio::spawn(std::future::pending::<()>());
    }
    let waiting = tokio::spawn(call(server.channel.clone(), "/slow"));
    tokio::time::sleep(Duration::from_millis(1)).await;
    let answered = tokio::time::timeout(Duration::from_secs(1), call(server.channel, "/tasks")).await;
    assert_eq!(answered.unwrap()["n-tasks"], "2", "the calls of the pool are its tasks");
    waiting.abort();
}

async fn respond_late(_: Request<()>) -> Result<Response<Body>, Infallible> {
    tokio::time::sleep(LONG).await;
    Ok(Response::new(Body::empty()))
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_when_its_caller_no_longer_waits() {
    for (timeout, expected, n_seconds) in
        [(Some("100m"), Some("1"), 0), (Some("2S"), Some("1"), 2), (Some("2x"), None, 300), (None, None, 300)]
    {
        let mut request = Request::new(());
        if let Some(timeout) = timeout {
            request.headers_mut().insert(TIMEOUT_HEADER, timeout.parse().unwrap());
        }
        let began = Instant::now();
        let response = CallerDeadlines(tower::service_fn(respond_late)).oneshot(request).await.unwrap();
        let status = response.headers().get("grpc-status").map(|status| status.to_str().unwrap());
        assert_eq!((status, began.elapsed().as_secs()), (expected, n_seconds), "{timeout:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_in_flight_are_finished_at_the_end() {
    let PooledServer { channel, closing, serving } = start();
    // A client whose channel is dropped may not send its request.
    let answering = tokio::spawn(call(channel.clone(), "/slow"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    closing.cancel();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!serving.is_finished());
    assert!(!answering.await.unwrap().contains_key("grpc-status"));
    serving.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn connections_without_a_pool_are_served_and_dropped_with_the_server() {
    let (sender, accepted) = mpsc::channel(1);
    let incoming = tokio_stream::wrappers::ReceiverStream::new(accepted);
    let serving = tokio::spawn(serve(incoming, tower::service_fn(respond), std::future::pending()));
    let (mut client, server) = tokio::io::duplex(1 << 12);
    sender.send(Ok(server)).await.unwrap();
    // The preface of HTTP/2 and empty settings.
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").await.unwrap();
    let mut head = [0; 9];
    client.read_exact(&mut head).await.unwrap();
    assert_eq!(head[3], 4, "the settings of the server");
    serving.abort();
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(1), client.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the connection has ended");
}

#[tokio::test(start_paused = true)]
async fn callers_that_flood_with_pings_are_cut_off() {
    let pool = ConnectionPool::new(ConnectionLimits::of(10));
    let (sender, accepted) = mpsc::channel(1);
    let incoming = tokio_stream::wrappers::ReceiverStream::new(accepted);
    let serving = tokio::spawn(serve(incoming, tower::service_fn(respond), std::future::pending()));
    let (mut client, server) = tokio::io::duplex(1 << 20);
    let io = TrackedIo::new(server, pool.admit(None, Instant::now()).expect("it has a place"));
    sender.send(Ok(io)).await.unwrap();
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").await.unwrap();
    client.write_all(&b"\x00\x00\x08\x06\x00\x00\x00\x00\x00ababcdcd".repeat(5_000)).await.unwrap();
    let mut read = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(1), client.read_to_end(&mut read)).await;
    assert!(ended.is_ok(), "the connection has ended");
    serving.abort();
}

#[test]
fn timeouts_are_parsed() {
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
