//! Standard input and output, joined to a server's HTTP endpoint: every line is a message, sent on as it is.

use std::collections::HashMap;

use serde_json::Value;
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use crate::{
    cli::{Global, ServerArgs},
    client::Server,
};

mod session;
mod upstream;

use session::Session;
use upstream::Upstream;

/// Messages that may be on their way at once; the next line is read when one of them is done.
const MAX_EXCHANGES: usize = 64;

/// Replies that may wait for a client that does not read.
const OUT_BACKLOG: usize = 64;

/// JSON-RPC: the message is no JSON.
const PARSE_ERROR: i64 = -32_700;

/// Passes messages on until the client closes standard input, and all of its requests have been answered. `named` and
/// `global` say where another server is found if this one ends.
pub(crate) async fn run(server: Server, named: ServerArgs, global: &Global) -> anyhow::Result<()> {
    let upstream = Upstream::new(server, named, global.clone());
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
    // Bytes, since a line that is no UTF-8 is answered like any other that is no JSON.
    let mut lines = input.split(b'\n');
    let mut exchanges = JoinSet::new();
    let mut in_flight: HashMap<String, AbortHandle> = HashMap::new();
    while let Some(line) = lines.next_segment().await? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            session.refuse(&Value::Null, PARSE_ERROR, "the line is no JSON").await;
            continue;
        };
        in_flight.retain(|_, exchange| !exchange.is_finished());
        if message["method"] == "notifications/cancelled" {
            // Whoever hangs up cancels, at a server that keeps no sessions.
            if let Some(exchange) = in_flight.remove(&message["params"]["requestId"].to_string()) {
                exchange.abort();
            }
            continue;
        }
        while exchanges.try_join_next().is_some() {}
        if exchanges.len() >= MAX_EXCHANGES {
            exchanges.join_next().await;
        }
        let id = message.get("id").map(Value::to_string);
        let exchange = exchanges.spawn(session.clone().exchange(line.into(), message));
        in_flight.extend(id.map(|id| (id, exchange)));
    }
    while exchanges.join_next().await.is_some() {}
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
    use crate::server_file::{ServerFile, tests::own};

    /// Returns an upstream whose server is looked up in a data folder.
    fn upstream(url: &str, data: &std::path::Path) -> Upstream {
        let global = Global { data: Some(data.to_owned()), ..Global::default() };
        Upstream::new(Server::at(url, None).unwrap(), ServerArgs::default(), global)
    }

    /// Sends lines, closes the input, and returns every reply.
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

    /// Reads a request, and returns what it carries.
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
    async fn bytes_that_are_no_text_do_not_end_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let (listener, url) = listen().await;
        drop(listener);
        let input = b"\xff\n\r\n{\"id\": \"\xc3\"}\n{\"id\": 7, \"method\": \"ping\"}\n{\"id\": 8}";
        let replies = replies(upstream(&url, folder.path()), input).await;
        let mut told: Vec<_> = replies.iter().map(|reply| (&reply["id"], &reply["error"]["code"])).collect();
        told.sort_by_key(|(id, _)| id.as_i64());
        let (parse, internal) = (json!(PARSE_ERROR), json!(INTERNAL_ERROR));
        let expected = [(&Value::Null, &parse), (&Value::Null, &parse), (&json!(7), &internal), (&json!(8), &internal)];
        assert_eq!(told, expected, "{replies:#?}");
    }

    #[tokio::test]
    async fn a_server_that_took_the_place_of_another_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = own(folder.path(), std::process::id());
        let (old, old_url) = listen().await;
        let (new, new_url) = listen().await;
        let upstream = upstream(&old_url, folder.path());
        let data = folder.path().to_owned();
        let servers = tokio::spawn(async move {
            // The old one ends while it is asked.
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
    async fn no_more_than_so_many_messages_are_on_their_way() {
        const ROUNDS: usize = 3;
        let folder = tempfile::tempdir().unwrap();
        let (listener, url) = listen().await;
        let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        // Nobody is answered before as many are asking as may.
        let full = Arc::new(Barrier::new(MAX_EXCHANGES));
        let counted = (Arc::clone(&open), Arc::clone(&most));
        let serving = tokio::spawn(async move {
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                let ((open, most), full) = (counted.clone(), Arc::clone(&full));
                tokio::spawn(async move {
                    most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
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
        assert_eq!((replies.len(), most.load(Ordering::SeqCst)), (ROUNDS * MAX_EXCHANGES, MAX_EXCHANGES));
    }
}
