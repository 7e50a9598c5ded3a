//! Standard input and output, joined to a server's HTTP endpoint: every line is a message, sent on as it is.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use crate::{
    ask,
    cli::{Global, ServerArgs},
    client::Server,
    exit::{self, Exit},
};

/// Messages that may be on their way at once; the next line is read when one of them is done.
const MAX_EXCHANGES: usize = 64;

/// Replies that may wait for a client that does not read.
const OUT_BACKLOG: usize = 64;

/// JSON-RPC: the message is no JSON; the server could not do its part.
const PARSE_ERROR: i64 = -32_700;
const INTERNAL_ERROR: i64 = -32_603;

/// Where a request that follows the stateless protocol names its revision.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Passes messages on until the client closes standard input, and all of its requests have been answered. `named` and
/// `global` say where another server is found if this one ends.
pub(crate) async fn run(server: Server, named: ServerArgs, global: &Global) -> anyhow::Result<()> {
    let upstream = Upstream { named, global: global.clone(), current: Mutex::new(server) };
    relay(upstream, BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}

async fn relay(
    upstream: Upstream,
    input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> anyhow::Result<()> {
    let (out, replies) = mpsc::channel(OUT_BACKLOG);
    let writing = tokio::spawn(write_lines(replies, output));
    let session = Session { upstream: Arc::new(upstream), negotiated: Arc::default(), out };
    // Bytes, since a line that is no UTF-8 is answered like any other that is no JSON.
    let mut lines = input.split(b'\n');
    let mut exchanges = JoinSet::new();
    let mut in_flight: HashMap<String, AbortHandle> = HashMap::new();
    while let Some(line) = lines.next_segment().await? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            session.say(error_reply(&Value::Null, PARSE_ERROR, "the line is no JSON")).await;
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

/// The server that messages go to, and how the one that takes its place is found.
struct Upstream {
    named: ServerArgs,
    global: Global,
    current: Mutex<Server>,
}

impl Upstream {
    fn current(&self) -> Server {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the server that runs now, and keeps to it.
    fn find_again(&self) -> Option<Server> {
        let found = ask::running_server(&self.named, &self.global).ok()??;
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&found);
        Some(found)
    }
}

#[derive(Clone)]
struct Session {
    upstream: Arc<Upstream>,
    /// The revision that `initialize` settled on.
    negotiated: Arc<Mutex<Option<String>>>,
    out: mpsc::Sender<String>,
}

impl Session {
    /// Sends one message on, and passes back what it brings about.
    async fn exchange(self, line: Bytes, message: Value) {
        let mut passed = self.pass_on(&self.upstream.current(), &line, &message).await;
        // No tool changes anything, so that a message may be sent twice.
        if let Err(error) = &passed
            && exit::of(error) == Exit::Unreachable
            && let Some(server) = self.upstream.find_again()
        {
            passed = self.pass_on(&server, &line, &message).await;
        }
        let Err(error) = passed else { return };
        let reason = exit::told(&error);
        match message.get("id") {
            Some(id) => self.say(error_reply(id, INTERNAL_ERROR, &reason)).await,
            None => tracing::warn!(error = reason, "a notification could not be passed on"),
        }
    }

    async fn pass_on(&self, server: &Server, line: &Bytes, message: &Value) -> anyhow::Result<()> {
        let negotiated = self.negotiated.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut replies = server.post(line.clone(), &headers(message, negotiated.as_deref())).await?;
        while let Some(text) = replies.next().await? {
            let reply: Value = serde_json::from_str(&text).unwrap_or_default();
            if message["method"] == "initialize"
                && let Some(version) = version_of(&reply)
            {
                *self.negotiated.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
            }
            self.say(on_one_line(text)).await;
            if is_answer(&reply, message) {
                // Nothing follows it; and a connection that breaks now must not bring it a second time.
                break;
            }
        }
        Ok(())
    }

    async fn say(&self, line: String) {
        // A writer that is gone has met a client that is gone.
        let _ = self.out.send(line).await;
    }
}

/// Says whether a reply is the answer to a request, rather than something told on the way.
fn is_answer(reply: &Value, message: &Value) -> bool {
    reply.get("method").is_none() && reply.get("id").is_some_and(|id| message.get("id") == Some(id))
}

/// Returns the headers that say in HTTP what the message says in JSON.
fn headers(message: &Value, negotiated: Option<&str>) -> Vec<(String, String)> {
    let params = &message["params"];
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    if let Some(version) = params["_meta"][META_VERSION].as_str() {
        let name = params["name"].as_str().or_else(|| params["uri"].as_str());
        let named = [("mcp-method", message["method"].as_str()), ("mcp-name", name)];
        let named = named.iter().filter_map(|(header_name, value)| Some(header(header_name, (*value)?)));
        return std::iter::once(header("mcp-protocol-version", version)).chain(named).collect();
    }
    negotiated.map(|version| header("mcp-protocol-version", version)).into_iter().collect()
}

fn version_of(reply: &Value) -> Option<String> {
    Some(reply["result"]["protocolVersion"].as_str()?.to_owned())
}

/// A line break within JSON is white space.
fn on_one_line(message: String) -> String {
    if message.contains(['\n', '\r']) { message.replace(['\n', '\r'], " ") } else { message }
}

fn error_reply(id: &Value, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::{
        io::AsyncReadExt as _,
        net::{TcpListener, TcpStream},
        sync::Barrier,
    };

    use super::*;
    use crate::server_file::{ServerFile, tests::own};

    /// Returns an upstream whose server is looked up in a data folder.
    fn upstream(url: &str, data: &std::path::Path) -> Upstream {
        let global = Global { data: Some(data.to_owned()), ..Global::default() };
        let current = Mutex::new(Server::at(url, None).unwrap());
        Upstream { named: ServerArgs::default(), global, current }
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

    #[test]
    fn headers_repeat_the_message() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let call = json!({"method": "tools/call", "params": {"name": "list_repos"}});
        assert_eq!(headers(&call, None), []);
        assert_eq!(headers(&call, Some("2025-11-25")), [header("mcp-protocol-version", "2025-11-25")]);
        let meta = json!({ META_VERSION: "2026-07-28" });
        let stateless = json!({"method": "tools/call", "params": {"name": "list_repos", "_meta": meta}});
        let expected = [
            header("mcp-protocol-version", "2026-07-28"),
            header("mcp-method", "tools/call"),
            header("mcp-name", "list_repos"),
        ];
        assert_eq!(headers(&stateless, Some("2025-11-25")), expected);
    }

    #[test]
    fn what_initialize_settles_on_is_kept() {
        let settled = json!({"result": {"protocolVersion": "2025-06-18"}});
        assert_eq!(version_of(&settled).as_deref(), Some("2025-06-18"));
        assert_eq!(version_of(&json!({"error": {}})), None);
        assert_eq!(on_one_line("{\n\"a\": 1}".to_owned()), "{ \"a\": 1}");
    }
}
