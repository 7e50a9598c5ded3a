//! The way in over HTTP, without a socket.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{api, fake, sound, web};
use crate::{Config, DEFAULT_LISTEN, Gateway, Settings, http::router};

/// printf %s s3cret | sha256sum
const S3CRET: &str = "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0";

async fn open() -> Router {
    let gateway = fake::gateway(vec![sound("w", vec![api(), web()])]).await;
    // Kept, since a gateway stops watching its workers when it is dropped.
    let gateway: &'static Arc<Gateway> = Box::leak(Box::new(gateway));
    router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new())
}

async fn with_token() -> Router {
    let toml = format!("[[access.token]]\nname = \"ci\"\nsha256 = \"{S3CRET}\"\nrepositories = [\"web\"]");
    let config = Config::try_from(Settings::from_toml(&toml).unwrap()).unwrap();
    let gateway = Gateway::start(config, vec![sound("w", vec![api(), web()])]);
    assert!(gateway.settled(std::time::Duration::from_secs(5)).await);
    let gateway: &'static Gateway = Box::leak(Box::new(gateway));
    router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new())
}

fn post(headers: &[(&str, &str)], message: &Value) -> Request<Body> {
    let mut request = Request::post("/mcp")
        .header("host", "127.0.0.1:7474")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(message.to_string())).unwrap()
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

async fn send(router: &Router, request: Request<Body>) -> (StatusCode, String) {
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 1 << 24).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn get(router: &Router, path: &str) -> (StatusCode, String) {
    send(router, Request::get(path).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn tools_are_called_without_a_session() {
    let router = open().await;
    let headers = [("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")];
    let (status, body) = send(&router, post(&headers, &call("search_codebase", json!({"query": "retry"})))).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let reply: Value = serde_json::from_str(&body).unwrap();
    let answer = &reply["result"]["structuredContent"];
    assert_eq!(answer["results"][0]["repo"], json!("api"), "{body}");
    assert_eq!(answer["_meta"]["trace_id"], json!("0af7651916cd43dd8448eb211c80319c"));
    let text: Value = serde_json::from_str(reply["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&text, answer);
}

#[tokio::test]
async fn the_newest_protocol_is_spoken() {
    let router = open().await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    });
    for (method, expected) in [("server/discover", "search_codebase"), ("tools/list", "\"cacheScope\":\"private\"")] {
        let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}});
        let (status, body) = send(&router, post(&headers, &message)).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        assert!(body.contains(expected), "{body}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let (_, body) = send(&open().await, post(&[], &call("grep", json!({})))).await;
    let reply: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(reply["error"]["code"], json!(-32602), "{body}");
    assert!(reply["error"]["message"].as_str().unwrap().contains("search_codebase"), "{body}");
}

#[tokio::test]
async fn strange_hosts_and_origins_are_forbidden() {
    let router = open().await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let (status, body) = send(&router, post(&[], &list)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let (status, _) = send(&router, post(&[("origin", "https://evil.example")], &list)).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    for (origin, expected) in [
        ("http://127.0.0.1:7474", StatusCode::OK),
        ("http://localhost:7474", StatusCode::OK),
        ("http://localhost:3000", StatusCode::FORBIDDEN),
        ("https://127.0.0.1:7474", StatusCode::FORBIDDEN),
    ] {
        assert_eq!(send(&router, post(&[("origin", origin)], &list)).await.0, expected, "{origin}");
    }
    let mut rebound = post(&[], &list);
    rebound.headers_mut().insert("host", "evil.example".parse().unwrap());
    assert_eq!(send(&router, rebound).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_token_opens_what_it_is_for() {
    let router = with_token().await;
    let list = call("list_repos", json!({}));
    let response = router.clone().oneshot(post(&[], &list)).await.unwrap();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert!(response.headers().contains_key("www-authenticate"));
    let (status, _) = send(&router, post(&[("authorization", "Bearer wrong")], &list)).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let (status, body) = send(&router, post(&[("authorization", "Bearer s3cret")], &list)).await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("web") && !body.contains("\\\"api\\\""), "{body}");
}

#[tokio::test]
async fn operators_need_no_token() {
    let router = with_token().await;
    assert_eq!(get(&router, "/livez").await, (StatusCode::OK, "alive\n".to_owned()));
    let (status, body) = get(&router, "/readyz").await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("\"repositories_serving\":2") && !body.contains("web"), "{body}");
    let (status, body) = get(&router, "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("causeway_gateway_repositories{state=\"serving\"} 2"), "{body}");
}

#[tokio::test]
async fn nobody_is_ready_without_a_worker() {
    let gateway = Gateway::start::<crate::WorkerEndpoint>(Config::laptop(), Vec::new());
    let router = router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new());
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn strange_hosts_learn_nothing_of_operations() {
    let router = open().await;
    let from = |path: &str, host: &str| Request::get(path).header("host", host).body(Body::empty()).unwrap();
    for path in ["/readyz", "/metrics"] {
        for (host, expected) in [
            ("evil.example", StatusCode::FORBIDDEN),
            ("evil.example:7474", StatusCode::FORBIDDEN),
            ("localhost.evil.example", StatusCode::FORBIDDEN),
            ("user@", StatusCode::FORBIDDEN),
            ("LOCALHOST:7474", StatusCode::OK),
            ("127.0.0.1:7474", StatusCode::OK),
            ("[::1]:7474", StatusCode::OK),
            ("10.1.2.3:7474", StatusCode::OK),
        ] {
            let (status, body) = send(&router, from(path, host)).await;
            assert_eq!(status, expected, "{path} {host}");
            assert!(status == StatusCode::OK || !body.contains("repositories"), "{body}");
        }
    }
    assert_eq!(send(&router, from("/livez", "evil.example")).await.0, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn bodies_that_never_end_hold_nobody_up() {
    let router = open().await;
    let half_open = || {
        let one_byte = stream::once(async { Ok::<_, std::io::Error>("{") });
        let (mut parts, _) = post(&[], &Value::Null).into_parts();
        parts.headers.insert("content-length", "1000".parse().unwrap());
        Request::from_parts(parts, Body::from_stream(one_byte.chain(stream::pending())))
    };
    let stuck: Vec<_> = (0..300)
        .map(|_| {
            let (router, request) = (router.clone(), half_open());
            tokio::spawn(async move { send(&router, request).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let began = Instant::now();
    let (status, body) = send(&router, post(&[], &call("list_repos", json!({})))).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert!(began.elapsed() < Duration::from_secs(1));
    for request in stuck {
        assert_eq!(request.await.unwrap().0, StatusCode::REQUEST_TIMEOUT);
    }
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn bodies_are_bounded() {
    let (status, _) =
        send(&open().await, post(&[], &call("search_codebase", json!({"query": "x".repeat(2 << 20)})))).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}
