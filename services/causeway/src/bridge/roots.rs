//! The roots of the client: the folders that it has open. The server keeps no sessions, so that the bridge asks for them, and repeats them
//! in a header of each message.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};
use tokio::sync::watch;

/// HTTP header with the URIs of the folders, separated by spaces.
pub(super) const ROOTS_HEADER: &str = "causeway-roots";

/// Id of the request for the roots. No client has a reason to use it.
const REQUEST_ID: &str = "causeway/roots";

/// Time that a message waits for the answer of the client.
const PATIENCE: Duration = Duration::from_secs(2);

/// Maximum length in bytes of the header. Further roots are left out.
const MAX_HEADER_BYTES: usize = 8_192;

/// The roots of one client.
#[derive(Debug, Default)]
pub(super) struct AnnouncedRoots(watch::Sender<RootsAnswer>);

#[derive(Debug, Default, Clone, PartialEq, Eq)]
enum RootsAnswer {
    /// The client has none.
    #[default]
    None,
    /// The client announced roots, and has not been asked yet.
    Announced,
    /// The client was asked.
    Pending,
    /// The value of the header.
    Known(String),
}

impl AnnouncedRoots {
    /// Notes a message of the client. Returns a request for the client, if it is to be asked for its roots.
    pub(super) fn note(&self, message: &Value) -> Option<String> {
        match message["method"].as_str()? {
            "initialize" if message["params"]["capabilities"]["roots"].is_object() => {
                self.0.send_replace(RootsAnswer::Announced);
                None
            }
            "notifications/initialized" | "notifications/roots/list_changed"
                if *self.0.borrow() != RootsAnswer::None =>
            {
                self.0.send_replace(RootsAnswer::Pending);
                Some(json!({ "jsonrpc": "2.0", "id": REQUEST_ID, "method": "roots/list" }).to_string())
            }
            _ => None,
        }
    }

    /// Takes the roots from a message, if it is the answer to the request. Blocks for a look at the paths.
    pub(super) fn take_answer(&self, message: &Value) -> bool {
        let is_answer = message["id"] == REQUEST_ID && message.get("method").is_none();
        if is_answer {
            let roots = message["result"]["roots"].as_array().into_iter().flatten();
            let uris = roots.filter_map(|root| root["uri"].as_str()).map(canonical_uri);
            self.0.send_replace(RootsAnswer::Known(header_value(uris)));
        }
        is_answer
    }

    /// Returns the value of the header; `None` if the client has no roots, or does not answer.
    pub(super) async fn header_value(&self) -> Option<String> {
        let mut answers = self.0.subscribe();
        let waiting = answers.wait_for(|answer| *answer != RootsAnswer::Pending);
        match tokio::time::timeout(PATIENCE, waiting).await.ok()?.ok()?.clone() {
            RootsAnswer::Known(value) if !value.is_empty() => Some(value),
            _ => None,
        }
    }
}

fn header_value(uris: impl Iterator<Item = String>) -> String {
    let is_valid = |uri: &String| uri.bytes().all(|byte| byte.is_ascii_graphic());
    uris.filter(is_valid).fold(String::new(), |value, uri| match value.len() + uri.len() < MAX_HEADER_BYTES {
        true if value.is_empty() => uri,
        true => format!("{value} {uri}"),
        false => value,
    })
}

/// Returns the URI of a folder without symbolic links. The client is on this machine.
fn canonical_uri(uri: &str) -> String {
    let is_plain =
        |path: &str| path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'%');
    let plain = uri.strip_prefix("file://").filter(|path| is_plain(path));
    let canonical = plain.and_then(|path| Path::new(path).canonicalize().ok());
    let canonical = canonical.as_deref().and_then(Path::to_str).filter(|path| is_plain(path));
    canonical.map_or_else(|| uri.to_owned(), |path| format!("file://{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_with_roots_is_asked_for_them() {
        let roots = AnnouncedRoots::default();
        let initialized = json!({"method": "notifications/initialized"});
        assert_eq!((roots.note(&initialized), roots.header_value().await), (None, None));
        assert_eq!(roots.note(&json!({"method": "initialize", "params": {"capabilities": {"roots": {}}}})), None);
        let request: Value = serde_json::from_str(&roots.note(&initialized).unwrap()).unwrap();
        assert_eq!(request["method"], "roots/list");
        let answer = json!({"id": request["id"], "result": {"roots": [
            {"uri": "file:///no/such%20folder"}, {"uri": "file:///b"}, {"uri": "not\na uri"}
        ]}});
        assert!(roots.take_answer(&answer) && !roots.take_answer(&json!({"id": 1, "result": {}})));
        assert_eq!(roots.header_value().await.as_deref(), Some("file:///no/such%20folder file:///b"));
        assert!(roots.note(&json!({"method": "notifications/roots/list_changed"})).is_some());
    }
}
