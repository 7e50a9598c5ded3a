//! Standard input and output, joined to a server's HTTP endpoint: every line is a message, sent on as it is.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use crate::client::Server;

/// Replies that may wait for a client that does not read.
const OUT_BACKLOG: usize = 64;

/// JSON-RPC: the message is no JSON; the server could not do its part.
const PARSE_ERROR: i64 = -32_700;
const INTERNAL_ERROR: i64 = -32_603;

/// Where a request that follows the stateless protocol names its revision.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Passes messages on until the client closes standard input, and all of its requests have been answered.
pub(crate) async fn run(server: Server) -> anyhow::Result<()> {
    let (out, replies) = mpsc::channel(OUT_BACKLOG);
    let writing = tokio::spawn(write_lines(replies));
    let session = Session { server, negotiated: Arc::default(), out };
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut exchanges = JoinSet::new();
    let mut in_flight: HashMap<String, AbortHandle> = HashMap::new();
    while let Some(line) = lines.next_line().await? {
        if line.trim().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
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
        let id = message.get("id").map(Value::to_string);
        let exchange = exchanges.spawn(session.clone().exchange(line, message));
        in_flight.extend(id.map(|id| (id, exchange)));
    }
    while exchanges.join_next().await.is_some() {}
    drop(session);
    writing.await?
}

async fn write_lines(mut replies: mpsc::Receiver<String>) -> anyhow::Result<()> {
    let mut out = tokio::io::stdout();
    while let Some(line) = replies.recv().await {
        out.write_all(line.as_bytes()).await?;
        out.write_all(b"\n").await?;
        out.flush().await?;
    }
    Ok(())
}

#[derive(Clone)]
struct Session {
    server: Server,
    /// The revision that `initialize` settled on.
    negotiated: Arc<Mutex<Option<String>>>,
    out: mpsc::Sender<String>,
}

impl Session {
    /// Sends one message on, and passes back what it brings about.
    async fn exchange(self, line: String, message: Value) {
        let id = message.get("id").cloned();
        if let Err(error) = self.pass_on(line, &message).await {
            match id {
                Some(id) => self.say(error_reply(&id, INTERNAL_ERROR, &format!("{error:#}"))).await,
                None => tracing::warn!(error = format!("{error:#}"), "a notification could not be passed on"),
            }
        }
    }

    async fn pass_on(&self, line: String, message: &Value) -> anyhow::Result<()> {
        let negotiated = self.negotiated.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut replies = self.server.post(line, &headers(message, negotiated.as_deref())).await?;
        while let Some(reply) = replies.next().await? {
            if message["method"] == "initialize"
                && let Some(version) = version_of(&reply)
            {
                *self.negotiated.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
            }
            self.say(on_one_line(reply)).await;
        }
        Ok(())
    }

    async fn say(&self, line: String) {
        // A writer that is gone has met a client that is gone.
        let _ = self.out.send(line).await;
    }
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

fn version_of(reply: &str) -> Option<String> {
    let reply: Value = serde_json::from_str(reply).ok()?;
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
    use super::*;

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
        assert_eq!(version_of(r#"{"result":{"protocolVersion":"2025-06-18"}}"#).as_deref(), Some("2025-06-18"));
        assert_eq!(version_of(r#"{"error":{}}"#), None);
        assert_eq!(on_one_line("{\n\"a\": 1}".to_owned()), "{ \"a\": 1}");
    }
}
