//! What one client and the server have settled, and the way of one message to the server and back.

use std::sync::{Arc, Mutex, PoisonError};

use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::upstream::Upstream;
use crate::{
    client::Server,
    exit::{self, Exit},
};

/// JSON-RPC: the server could not do its part.
pub(super) const INTERNAL_ERROR: i64 = -32_603;

/// Where a request that follows the stateless protocol names its revision.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

#[derive(Clone)]
pub(super) struct Session {
    upstream: Arc<Upstream>,
    /// The revision that `initialize` settled on.
    negotiated: Arc<Mutex<Option<String>>>,
    out: mpsc::Sender<String>,
}

impl Session {
    pub(super) fn new(upstream: Upstream, out: mpsc::Sender<String>) -> Session {
        Session { upstream: Arc::new(upstream), negotiated: Arc::default(), out }
    }

    /// Sends one message on, and passes back what it brings about.
    pub(super) async fn exchange(self, line: Bytes, message: Value) {
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
            Some(id) => self.refuse(id, INTERNAL_ERROR, &reason).await,
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

    /// Answers a message with an error of its own.
    pub(super) async fn refuse(&self, id: &Value, code: i64, reason: &str) {
        let error = json!({ "code": code, "message": reason });
        self.say(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()).await;
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
    fn an_answer_has_the_id_of_its_request() {
        let call = json!({"id": 1, "method": "tools/call"});
        assert!(is_answer(&json!({"id": 1, "result": {}}), &call));
        for other in [json!({"id": 2, "result": {}}), json!({"method": "notifications/progress"}), Value::Null] {
            assert!(!is_answer(&other, &call), "{other}");
        }
        let request_of_the_server = json!({"id": 1, "method": "ping"});
        assert!(!is_answer(&request_of_the_server, &call));
        assert!(!is_answer(&json!({"id": null}), &json!({"method": "notifications/initialized"})));
    }

    #[test]
    fn what_initialize_settles_on_is_kept() {
        let settled = json!({"result": {"protocolVersion": "2025-06-18"}});
        assert_eq!(version_of(&settled).as_deref(), Some("2025-06-18"));
        assert_eq!(version_of(&json!({"error": {}})), None);
        assert_eq!(on_one_line("{\n\"a\": 1}".to_owned()), "{ \"a\": 1}");
    }
}
