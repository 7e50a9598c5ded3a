//! Bridge between MCP over standard input and output and a server's HTTP endpoint. Each line is one message, forwarded
//! unchanged.

use std::collections::HashMap;

use gateway::Profile;
use serde_json::Value;
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use crate::{
    client::ServerClient,
    options::{GlobalOptions, ServerOptions},
};

mod roots;
mod session;
mod upstream;

use session::Session;
use upstream::Upstream;

/// Maximum number of messages in flight. At the limit, the next line is read when one is answered.
const MAX_EXCHANGES: usize = 64;

/// Maximum number of replies that wait for a client which does not read.
const OUT_BACKLOG: usize = 64;

/// JSON-RPC: the message is not valid JSON.
const PARSE_ERROR: i64 = -32_700;

/// Forwards messages until the client closes standard input and all its requests are answered. `server_args` and
/// `global` locate another server if this one ends.
pub(crate) async fn run(
    server: ServerClient,
    server_args: ServerOptions,
    profile: Profile,
    global: &GlobalOptions,
) -> anyhow::Result<()> {
    let upstream = Upstream::new(server, server_args, profile, global.clone());
    relay(upstream, BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}

async fn relay(
    upstream: Upstream,
    input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> anyhow::Result<()> {
    let (out, replies) = mpsc::channel(OUT_BACKLOG);
    let writing = tokio::spawn(write_lines(replies, output));
    let session = Session::new(upstream, out);
    // Lines are split as bytes, since invalid UTF-8 is answered like any other invalid JSON.
    let mut lines = input.split(b'\n');
    let mut in_flight_tasks = JoinSet::new();
    let mut in_flight: HashMap<String, AbortHandle> = HashMap::new();
    while let Some(line) = lines.next_segment().await? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            session.refuse(&Value::Null, PARSE_ERROR, "the line is not valid JSON").await;
            continue;
        };
        in_flight.retain(|_, exchange| !exchange.is_finished());
        if session.take_roots(&message) {
            continue;
        }
        if message["method"] == "notifications/cancelled" {
            // The server keeps no sessions, so closing the connection cancels the request.
            if let Some(exchange) = in_flight.remove(&message["params"]["requestId"].to_string()) {
                exchange.abort();
            }
            continue;
        }
        while in_flight_tasks.try_join_next().is_some() {}
        if in_flight_tasks.len() >= MAX_EXCHANGES {
            in_flight_tasks.join_next().await;
        }
        session.ask_for_roots(&message).await;
        let id = message.get("id").map(Value::to_string);
        let exchange = in_flight_tasks.spawn(session.clone().exchange(line, message));
        in_flight.extend(id.map(|id| (id, exchange)));
    }
    while in_flight_tasks.join_next().await.is_some() {}
    drop(session);
    writing.await?
}

async fn write_lines(mut replies: mpsc::Receiver<String>, mut output: impl AsyncWrite + Unpin) -> anyhow::Result<()> {
    while let Some(line) = replies.recv().await {
        output.write_all(line.as_bytes()).await?;
        output.write_all(b"\n").await?;
        output.flush().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use serde_json::json;
    use tokio::{
        io::AsyncReadExt as _,
        net::{TcpListener, TcpStream},
        sync::Barrier,
    };

    use super::{session::INTERNAL_ERROR, *};
    use crate::server_file::{ServerFile, tests::lock_folder};

    /// Returns an upstream that looks up its server in a data folder.
    fn upstream(url: &str, data: &std::path::Path) -> Upstream {
        let global = GlobalOptions { data: Some(data.to_owned()), ..GlobalOptions::default() };
        Upstream::new(ServerClient::new(url, None).unwrap(), ServerOptions::default(), Profile::Full, global)
    }

    /// Sends lines, closes the input, and returns all replies.
    async fn replies(upstream: Upstream, input: &[u8]) -> Vec<Value> {
        let (to_client, mut output) = tokio::io::duplex(1 << 20);
        relay(upstream, input, to_client).await.unwrap();
        let mut text = String::new();
        output.read_to_string(&mut text).await.unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    async fn listen() -> (TcpListener, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        (listener, url)
    }

    /// Reads a request and returns its message.
    async fn message_of(connection: &mut TcpStream) -> Value {
        let mut received = Vec::new();
        loop {
            assert!(connection.read_buf(&mut received).await.unwrap() > 0, "the request broke off");
            let body = received.windows(4).position(|four| four == b"\r\n\r\n").map(|at| &received[at + 4..]);
            if let Some(Ok(message)) = body.map(serde_json::from_slice) {
                return message;
            }
        }
    }

    /// Answers a request with its own id.
    async fn answer(mut connection: TcpStream, message: &Value) {
        let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": {}}).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}", reply.len());
        connection.write_all(format!("{head}\r\n\r\n{reply}").as_bytes()).await.unwrap();
    }

    #[tokio::test]
    async fn invalid_bytes_do_not_end_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let (listener, url) = listen().await;
        drop(listener);
        let input = b"\xff\n\r\n{\"id\": \"\xc3\"}\n{\"id\": 7, \"method\": \"ping\"}\n{\"id\": 8}";
        let replies = replies(upstream(&url, folder.path()), input).await;
        let mut codes: Vec<_> = replies.iter().map(|reply| (&reply["id"], &reply["error"]["code"])).collect();
        codes.sort_by_key(|(id, _)| id.as_i64());
        let (parse, internal) = (json!(PARSE_ERROR), json!(INTERNAL_ERROR));
        let expected = [(&Value::Null, &parse), (&Value::Null, &parse), (&json!(7), &internal), (&json!(8), &internal)];
        assert_eq!(codes, expected, "{replies:#?}");
    }

    #[tokio::test]
    async fn replacement_server_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = lock_folder(folder.path(), std::process::id());
        let (old, old_url) = listen().await;
        let (new, new_url) = listen().await;
        let upstream = upstream(&old_url, folder.path());
        let data = folder.path().to_owned();
        let servers = tokio::spawn(async move {
            // The old server ends during the request.
            let (mut connection, _) = old.accept().await.unwrap();
            message_of(&mut connection).await;
            drop(old);
            let announced = ServerFile::write(&data, &new_url).unwrap();
            drop(connection);
            let (mut connection, _) = new.accept().await.unwrap();
            let message = message_of(&mut connection).await;
            answer(connection, &message).await;
            announced
        });
        let replies = replies(upstream, b"{\"id\": 1, \"method\": \"ping\"}\n").await;
        assert_eq!(replies, [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]);
        drop(servers.await.unwrap());
    }

    #[tokio::test]
    async fn messages_in_flight_are_bounded() {
        const ROUNDS: usize = 3;
        let folder = tempfile::tempdir().unwrap();
        let (listener, url) = listen().await;
        let (open, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        // Answers nothing until the maximum number of requests is open.
        let full = Arc::new(Barrier::new(MAX_EXCHANGES));
        let counted = (Arc::clone(&open), Arc::clone(&peak));
        let serving = tokio::spawn(async move {
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                let ((open, peak), full) = (counted.clone(), Arc::clone(&full));
                tokio::spawn(async move {
                    peak.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let message = message_of(&mut connection).await;
                    full.wait().await;
                    open.fetch_sub(1, Ordering::SeqCst);
                    answer(connection, &message).await;
                });
            }
        });
        let lines: String = (0..ROUNDS * MAX_EXCHANGES).map(|id| format!("{{\"id\": {id}}}\n")).collect();
        let replies = replies(upstream(&url, folder.path()), lines.as_bytes()).await;
        serving.abort();
        assert!(replies.iter().all(|reply| reply.get("result").is_some()), "{replies:#?}");
        assert_eq!((replies.len(), peak.load(Ordering::SeqCst)), (ROUNDS * MAX_EXCHANGES, MAX_EXCHANGES));
    }
}
