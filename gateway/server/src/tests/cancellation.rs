//! Calls that a client cancels over HTTP, and over standard input and output: their work on workers ends at once.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{FakeWorker, WorkerBehaviour, gateway, json_rpc::LineClient, web};
use crate::{DEFAULT_LISTEN, http::router};

/// Maximum time until a worker learns of the cancellation; time is paused, and passes only while nothing runs.
const AT_ONCE: Duration = Duration::from_millis(100);

async fn wait_for_searches(in_flight: &mut watch::Receiver<usize>, n_expected: usize) {
    let waiting = in_flight.wait_for(|n_searches| *n_searches == n_expected);
    tokio::time::timeout(AT_ONCE, waiting).await.expect("it happens at once").unwrap();
}

fn search(id: u32) -> Vec<u8> {
    let params = json!({"name": "search_codebase", "arguments": {"query": "retry"}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string().into_bytes()
}

#[tokio::test(start_paused = true)]
async fn closed_connection_cancels_its_call() {
    let (silent, mut in_flight) = FakeWorker::observed_endpoint("w", vec![web()], WorkerBehaviour::Silent);
    let gateway = gateway(vec![silent]).await;
    let router = router(gateway.core.clone(), DEFAULT_LISTEN, CancellationToken::new());
    for version in ["2025-06-18", "2025-11-25"] {
        let request = Request::post("/mcp")
            .header("host", "127.0.0.1:7474")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", version)
            .body(Body::from(search(1)))
            .unwrap();
        let calling = tokio::spawn(router.clone().oneshot(request));
        wait_for_searches(&mut in_flight, 1).await;
        // The server drops the response of a client that has gone.
        calling.abort();
        wait_for_searches(&mut in_flight, 0).await;
    }
}

#[tokio::test(start_paused = true)]
async fn cancelled_notification_over_stdio_cancels_its_call() {
    let (silent, mut in_flight) = FakeWorker::observed_endpoint("w", vec![web()], WorkerBehaviour::Silent);
    let gateway = gateway(vec![silent]).await;
    let mut client = LineClient::connect(&gateway).await;
    client.initialise().await;
    for id in [7, 8] {
        client.send(&search(id)).await;
    }
    wait_for_searches(&mut in_flight, 2).await;
    client.send(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#).await;
    wait_for_searches(&mut in_flight, 1).await;
    // No response follows, and others are answered.
    client.send(br#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#).await;
    assert!(client.reply().await.contains("\"id\":9"));
    client.close().await;
    wait_for_searches(&mut in_flight, 0).await;
}
