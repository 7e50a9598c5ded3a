//! State between one client and the server, and the forwarding of one message.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    roots::{AnnouncedRoots, ROOTS_HEADER},
    upstream::Upstream,
};
use crate::{
    client::ServerClient,
    exit::{self, Exit},
};

/// JSON-RPC: internal error of the server.
pub(super) const INTERNAL_ERROR: i64 = -32_603;

/// `_meta` key with the protocol revision of a stateless request.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

#[derive(Clone)]
/// The session of one client. Clones share its state.
pub(super) struct Session {
    upstream: Arc<Upstream>,
    /// Protocol revision that `initialize` negotiated.
    negotiated: Arc<Mutex<Option<String>>>,
    roots: Arc<AnnouncedRoots>,
    out: mpsc::Sender<String>,
}

impl Session {
    pub(super) fn new(upstream: Upstream, out: mpsc::Sender<String>) -> Session {
        Session { upstream: Arc::new(upstream), negotiated: Arc::default(), roots: Arc::default(), out }
    }

    /// Asks the client for its roots, if this message of it is the occasion.
    pub(super) async fn ask_for_roots(&self, message: &Value) {
        if let Some(request) = self.roots.note(message) {
            self.send_line(request).await;
        }
    }

    /// Takes the roots of the client from a message. Returns false if it is another message.
    pub(super) fn take_roots(&self, message: &Value) -> bool {
        self.roots.take_answer(message)
    }

    /// Forwards one message and passes its replies back.
    pub(super) async fn exchange(self, line: Vec<u8>, message: Value) {
        let mut result = self.forward(&self.upstream.current(), &line, &message).await;
        // All tools are read-only, so a message may be sent twice.
        if let Err(error) = &result
            && exit::of(error) == Exit::Unreachable
            && let Some(server) = self.upstream.find_replacement()
        {
            result = self.forward(&server, &line, &message).await;
        }
        let Err(error) = result else { return };
        let reason = exit::message(&error);
        match message.get("id") {
            Some(id) => self.refuse(id, INTERNAL_ERROR, &reason).await,
            None => tracing::warn!(error = reason, "a notification could not be forwarded"),
        }
    }

    async fn forward(&self, server: &ServerClient, line: &[u8], message: &Value) -> anyhow::Result<()> {
        let negotiated = self.negotiated.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut headers = headers(message, negotiated.as_deref());
        if message["method"] == "tools/call" {
            headers.extend(self.roots.header_value().await.map(|roots| (ROOTS_HEADER.to_owned(), roots)));
        }
        let mut replies = server.post(line.to_vec(), &headers).await?;
        while let Some(text) = replies.next().await? {
            let reply: Value = serde_json::from_str(&text).unwrap_or_default();
            if message["method"] == "initialize"
                && let Some(version) = version_of(&reply)
            {
                *self.negotiated.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
            }
            self.send_line(to_single_line(text)).await;
            if is_answer(&reply, message) {
                // The request is answered. A connection that breaks now must not repeat it.
                break;
            }
        }
        Ok(())
    }

    /// Answers a message with a JSON-RPC error.
    pub(super) async fn refuse(&self, id: &Value, code: i64, reason: &str) {
        let error = json!({ "code": code, "message": reason });
        self.send_line(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()).await;
    }

    async fn send_line(&self, line: String) {
        // If the writer has ended, the client is gone.
        let _ = self.out.send(line).await;
    }
}

/// Returns true if a reply is the response to the request, rather than a notification or a request of the server.
fn is_answer(reply: &Value, message: &Value) -> bool {
    reply.get("method").is_none() && reply.get("id").is_some_and(|id| message.get("id") == Some(id))
}

/// Returns the HTTP headers that repeat information of the message.
fn headers(message: &Value, negotiated: Option<&str>) -> Vec<(String, String)> {
    let params = &message["params"];
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    if let Some(version) = params["_meta"][META_VERSION].as_str() {
        let name = params["name"].as_str().or_else(|| params["uri"].as_str());
        let name_headers = [("mcp-method", message["method"].as_str()), ("mcp-name", name)];
        let name_headers = name_headers.iter().filter_map(|(header_name, value)| Some(header(header_name, (*value)?)));
        return std::iter::once(header("mcp-protocol-version", version)).chain(name_headers).collect();
    }
    negotiated.map(|version| header("mcp-protocol-version", version)).into_iter().collect()
}

fn version_of(reply: &Value) -> Option<String> {
    Some(reply["result"]["protocolVersion"].as_str()?.to_owned())
}

/// Replaces line breaks, which are white space in JSON.
fn to_single_line(message: String) -> String {
    if message.contains(['\n', '\r']) { message.replace(['\n', '\r'], " ") } else { message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_match_the_message() {
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
    fn response_has_the_id_of_its_request() {
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
    fn negotiated_version_is_read() {
        let initialized = json!({"result": {"protocolVersion": "2025-06-18"}});
        assert_eq!(version_of(&initialized).as_deref(), Some("2025-06-18"));
        assert_eq!(version_of(&json!({"error": {}})), None);
        assert_eq!(to_single_line("{\n\"a\": 1}".to_owned()), "{ \"a\": 1}");
    }
}
