use std::{net::Ipv4Addr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    time::Instant,
};
use tonic::body::Body as TonicBody;

use super::*;
use crate::connections::{Connection, ConnectionLimits};

const PEER: PeerAddress = PeerAddress(SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 1));

/// Longer than every deadline of a connection.
const LONG: Duration = Duration::from_secs(300);

/// The start of an HTTP/2 connection whose client takes no byte of a response: the preface, `SETTINGS` with an initial window of
/// 0, and `HEADERS` of `GET /` that end the stream.
const STALLING_HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\
    \x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\
    \x00\x00\x06\x01\x05\x00\x00\x00\x01\x82\x84\x86\x41\x01\x78";

/// Returns the start of an HTTP/2 connection with requests of this path, whose bodies do not arrive.
fn http2_requests(path: &str, n_requests: u8) -> Vec<u8> {
    let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00".to_vec();
    let n_path = u8::try_from(path.len()).unwrap();
    for stream in (1..).step_by(2).take(n_requests.into()).map(u16::to_be_bytes) {
        // POST, http, an authority of one letter, and the path as a literal.
        let head = [b"\x83\x86\x41\x01\x78\x04", &[n_path][..], path.as_bytes()].concat();
        let n_head = u8::try_from(head.len()).unwrap();
        sent.extend([&[0, 0, n_head, 1, 4, 0, 0], &stream[..], &head].concat());
    }
    sent
}

/// Answers a request for `/` at once, and others after a long time. A request for `/authenticated` authenticates its connection.
async fn respond(request: Request<TrackedUpload<Incoming>>) -> Result<Response<TonicBody>, Infallible> {
    if request.uri().path() == "/authenticated" {
        request.extensions().get::<Connection>().unwrap().authenticated();
    }
    if request.uri().path() != "/" {
        tokio::time::sleep(LONG).await;
    }
    Ok(Response::new(TonicBody::new(http_body_util::Full::from("quick"))))
}

fn connect(pool: &ConnectionPool) -> Option<DuplexStream> {
    let (client, server) = tokio::io::duplex(1 << 12);
    let connection = pool.admit(Some(PEER.0.ip()), Instant::now())?;
    let io = TrackedIo::new(server, connection);
    tokio::spawn(serve_connection(io, PEER, tower::service_fn(respond), CancellationToken::new()));
    Some(client)
}

async fn ask(client: &mut DuplexStream, path: &str) {
    client.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
}

/// Reads until the response ends; `None` if the connection is closed earlier.
async fn answered(client: &mut DuplexStream) -> Option<()> {
    let mut read = Vec::new();
    while !read.ends_with(b"quick") {
        if client.read_buf(&mut read).await.unwrap_or_default() == 0 {
            return None;
        }
    }
    Some(())
}

/// Lets time pass, and closes what is overdue.
async fn pass(pool: &ConnectionPool, seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    pool.close_overdue(Instant::now());
}

#[tokio::test(start_paused = true)]
async fn idle_connections_are_closed_and_waiting_ones_are_not() {
    let pool = ConnectionPool::new(ConnectionLimits::of(10));
    let [mut half, mut reused, mut slow] = std::array::from_fn(|_| connect(&pool).unwrap());
    half.write_all(b"POST / HTTP/1.1\r\nhost: x\r\n").await.unwrap();
    ask(&mut reused, "/").await;
    answered(&mut reused).await.unwrap();
    ask(&mut slow, "/slow").await;
    pass(&pool, 10).await;
    assert_eq!(answered(&mut half).await, None);
    ask(&mut reused, "/").await;
    answered(&mut reused).await.unwrap();
    pass(&pool, 75).await;
    assert_eq!(answered(&mut reused).await, None);
    pass(&pool, 100).await;
    answered(&mut slow).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_no_response_is_disconnected() {
    let pool = ConnectionPool::new(ConnectionLimits::of(10));
    let mut stalling = connect(&pool).unwrap();
    stalling.write_all(STALLING_HTTP2).await.unwrap();
    for _ in 0..3 {
        pass(&pool, 10).await;
    }
    let mut read = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(1), stalling.read_to_end(&mut read)).await;
    assert!(ended.is_ok(), "the connection has ended");
    assert!(!read.ends_with(b"quick"), "the response was ready and not taken: {read:?}");
}

#[tokio::test(start_paused = true)]
async fn stalling_clients_make_room_for_others() {
    let pool = ConnectionPool::new(ConnectionLimits { n_per_address: 8, ..ConnectionLimits::of(8) });
    let mut stalling = Vec::new();
    for _ in 0..8 {
        let mut client = connect(&pool).unwrap();
        client.write_all(STALLING_HTTP2).await.unwrap();
        stalling.push(client);
    }
    tokio::time::sleep(Duration::from_millis(1)).await;
    let mut client = connect(&pool).expect("a request without authentication gives way");
    ask(&mut client, "/").await;
    answered(&mut client).await.unwrap();
}

/// Returns true if the server has closed the connection.
async fn is_closed(client: &mut DuplexStream) -> bool {
    let mut read = Vec::new();
    tokio::time::timeout(Duration::from_secs(1), client.read_to_end(&mut read)).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn streams_without_authentication_share_a_budget() {
    let limits = ConnectionLimits { n_unauthenticated_bytes: 500 << 10, ..ConnectionLimits::of(10) };
    let pool = ConnectionPool::new(limits);
    let mut clients = Vec::new();
    // Some 120 requests without authentication fit.
    for (path, n_requests) in [("/authenticated", 190), ("/few", 10), ("/most", 90), ("/late", 110)] {
        let mut client = connect(&pool).unwrap();
        client.write_all(&http2_requests(path, n_requests)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        clients.push(client);
    }
    let mut is_cut_off = Vec::new();
    for client in &mut clients {
        is_cut_off.push(is_closed(client).await);
    }
    assert_eq!(is_cut_off, [false, false, true, false], "the one with the most gives way");
}

#[tokio::test(start_paused = true)]
async fn the_first_requests_of_an_authenticated_client_are_not_cut_off() {
    let limits = ConnectionLimits { n_unauthenticated_bytes: 500 << 10, ..ConnectionLimits::of(10) };
    let pool = ConnectionPool::new(limits);
    let (mut stalling, mut client) = (connect(&pool).unwrap(), connect(&pool).unwrap());
    stalling.write_all(&http2_requests("/slow", 120)).await.unwrap();
    client.write_all(&http2_requests("/authenticated", 200)).await.unwrap();
    assert!(!is_closed(&mut client).await, "they are not counted");
    assert!(!is_closed(&mut stalling).await, "so that there is no excess");
}

#[tokio::test(start_paused = true)]
async fn the_load_of_another_port_does_not_slow_a_client() {
    let (loaded, quiet) =
        (ConnectionPool::new(ConnectionLimits::of(10)), ConnectionPool::new(ConnectionLimits::of(10)));
    let mut busy = connect(&loaded).unwrap();
    busy.write_all(&http2_requests("/authenticated", 190)).await.unwrap();
    // The tasks of its requests.
    for _ in 0..20_000 {
        tokio::spawn(std::future::pending::<()>());
    }
    let mut client = connect(&quiet).unwrap();
    ask(&mut client, "/").await;
    let answer = tokio::time::timeout(Duration::from_secs(1), answered(&mut client)).await;
    assert_eq!(answer, Ok(Some(())));
}

#[tokio::test(start_paused = true)]
async fn pipelined_requests_without_authentication_take_turns() {
    const N_CLIENTS: usize = 20;
    /// More than are served at once without turns, and their responses fit the pipe.
    const N_REQUESTS: usize = 30;
    let pool = ConnectionPool::new(ConnectionLimits::of(100));
    for (path, max_served) in [("/", 6), ("/authenticated", N_REQUESTS + 1)] {
        let mut flooding: Vec<DuplexStream> = (0..N_CLIENTS).map(|_| connect(&pool).unwrap()).collect();
        for client in &mut flooding {
            let first = if path == "/" { String::new() } else { format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n") };
            client.write_all(first.as_bytes()).await.unwrap();
        }
        tokio::time::sleep(2 * LONG).await;
        let requests = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(N_REQUESTS);
        for client in &mut flooding {
            client.write_all(requests.as_bytes()).await.unwrap();
        }
        let mut client = connect(&pool).unwrap();
        ask(&mut client, "/").await;
        answered(&mut client).await.unwrap();
        let mut most = 0;
        for client in &mut flooding {
            let mut read = [0; 1 << 12];
            let n_bytes = tokio::time::timeout(Duration::ZERO, client.read(&mut read)).await.unwrap_or(Ok(0)).unwrap();
            most = most.max(String::from_utf8_lossy(&read[..n_bytes]).matches("quick").count());
        }
        assert!(most <= max_served, "{path}: {most} of {N_REQUESTS}");
        assert!(path == "/" || most > 6, "{path}: {most}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_tasks_of_a_pool_are_counted_until_they_end() {
    let pool = ConnectionPool::new(ConnectionLimits::of(10));
    let connection = pool.admit(None, Instant::now()).unwrap();
    let n_tasks = || connection.tasks().count();
    let mut clients = Vec::new();
    for n_requests in [30, 40] {
        let mut client = connect(&pool).unwrap();
        client.write_all(&http2_requests("/slow", n_requests)).await.unwrap();
        clients.push(client);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(n_tasks(), 70);
    tokio::time::sleep(2 * LONG).await;
    assert_eq!(n_tasks(), 0);
}

/// The preface of HTTP/2 and empty settings.
const HTTP2_START: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";

/// Sends bytes again and again while it takes all responses. Returns the number of times until the connection ends.
async fn flood(client: DuplexStream, bytes: &[u8], max_times: usize) -> usize {
    let (mut taken, mut sent) = tokio::io::split(client);
    let taking = tokio::spawn(async move { tokio::io::copy(&mut taken, &mut tokio::io::sink()).await });
    sent.write_all(HTTP2_START).await.unwrap();
    let mut n_times = 0;
    while n_times < max_times && sent.write_all(bytes).await.is_ok() {
        n_times += 1;
    }
    taking.abort();
    n_times
}

#[tokio::test(start_paused = true)]
async fn floods_of_control_frames_are_cut_off() {
    for (name, frame) in [
        ("PING", &b"\x00\x00\x08\x06\x00\x00\x00\x00\x00ababcdcd"[..]),
        ("SETTINGS", b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\xff\xff"),
        ("WINDOW_UPDATE", b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x01"),
        ("PRIORITY", b"\x00\x00\x05\x02\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01"),
        ("an unknown type", b"\x00\x00\x01\x77\x00\x00\x00\x00\x00x"),
    ] {
        let pool = ConnectionPool::new(ConnectionLimits::of(10));
        let n_frames = flood(connect(&pool).unwrap(), frame, 20_000).await;
        // The last ones are in the buffers of the connection.
        assert!((1_000..3_000).contains(&n_frames), "{name}: {n_frames}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_and_their_control_frames_are_not_cut_off() {
    let pool = ConnectionPool::new(ConnectionLimits::of(10));
    let mut client = connect(&pool).unwrap();
    client.write_all(HTTP2_START).await.unwrap();
    let mut stream = 1u32;
    for _ in 0..5_000 {
        // A request, the window of its response, and a ping.
        let head = [b"\x00\x00\x06\x01\x05", &stream.to_be_bytes()[..], b"\x82\x84\x86\x41\x01\x78"].concat();
        let window = b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x05";
        let ping = b"\x00\x00\x08\x06\x00\x00\x00\x00\x00ababcdcd";
        client.write_all(&[&head, &window[..], ping].concat()).await.unwrap();
        let mut read = Vec::new();
        while !["quick", "ababcdcd"].iter().all(|part| contains(&read, part.as_bytes())) {
            assert_ne!(client.read_buf(&mut read).await.unwrap_or_default(), 0, "the connection stays");
        }
        stream += 2;
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
