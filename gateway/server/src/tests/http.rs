//! The HTTP server without a socket.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use futures::{FutureExt as _, StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{FakeWorker, WorkerBehaviour, api, fake, healthy_worker, web};
use crate::{
    DEFAULT_LISTEN, Gateway, GatewayConfig, GatewaySettings,
    http::{operators_router, router},
};

/// printf %s s3cret | sha256sum
const S3CRET: &str = "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0";

async fn open() -> Router {
    let gateway = fake::gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    // Kept alive: a gateway stops watching its workers when it is dropped.
    let gateway: &'static Arc<Gateway> = Box::leak(Box::new(gateway));
    router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new())
}

async fn with_token() -> Router {
    routers_with_token().await.0
}

/// Returns the routers of callers and of operators.
async fn routers_with_token() -> (Router, Router) {
    let toml = format!("[[access.token]]\nname = \"ci\"\nsha256 = \"{S3CRET}\"\nrepositories = [\"web\"]");
    let config = GatewayConfig::try_from(GatewaySettings::from_toml(&toml).unwrap()).unwrap();
    let gateway = Gateway::start(config, vec![healthy_worker("w", vec![api(), web()])]);
    assert!(gateway.wait_for_workers(std::time::Duration::from_secs(5)).await);
    let gateway: &'static Gateway = Box::leak(Box::new(gateway));
    let callers = router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new());
    (callers, operators_router(Arc::clone(&gateway.core)))
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
async fn latest_protocol_version_is_supported() {
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
async fn unknown_tool_is_a_protocol_error() {
    let (_, body) = send(&open().await, post(&[], &call("grep", json!({})))).await;
    let reply: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(reply["error"]["code"], json!(-32602), "{body}");
    assert!(reply["error"]["message"].as_str().unwrap().contains("search_codebase"), "{body}");
}

#[tokio::test]
async fn unknown_hosts_and_origins_are_forbidden() {
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
async fn token_grants_its_repositories() {
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
    let (callers, router) = routers_with_token().await;
    for router in [&callers, &router] {
        assert_eq!(get(router, "/livez").await, (StatusCode::OK, "alive\n".to_owned()));
    }
    let (status, body) = get(&callers, "/readyz").await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "{\"ready\":true,\"draining\":false}"));
    assert_eq!(get(&callers, "/metrics").await.0, StatusCode::NOT_FOUND);
    let (status, body) = get(&router, "/readyz").await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("\"repositories_serving\":2") && !body.contains("web"), "{body}");
    let (status, body) = get(&router, "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("causeway_gateway_repositories{state=\"serving\"} 2"), "{body}");
}

#[tokio::test]
async fn gateway_without_workers_is_not_ready() {
    let gateway = Gateway::start::<federation::discovery::WorkerEndpoint>(GatewayConfig::laptop(), Vec::new());
    let router = router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new());
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn gateway_is_ready_while_first_indexes_are_made() {
    let gateway = fake::gateway(vec![FakeWorker::endpoint("w", vec![api()], WorkerBehaviour::Indexing)]).await;
    let readiness = gateway.readiness();
    assert!(readiness.ready && readiness.repositories == 1 && readiness.repositories_serving == 0, "{readiness:?}");
    assert!(readiness.missing[0].starts_with("api: not_ready: "), "{readiness:?}");
}

#[tokio::test]
async fn unknown_hosts_cannot_read_operator_endpoints() {
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
async fn unauthenticated_connections_can_be_used_again_after_a_short_body() {
    let router = with_token().await;
    let of_unknown_length = || Body::from_stream(stream::iter([Ok::<_, std::io::Error>("{}")]));
    for (body, is_closed) in
        [(Body::from("{}"), false), (Body::from("x".repeat(100_000)), true), (of_unknown_length(), true)]
    {
        let (parts, _) = post(&[], &Value::Null).into_parts();
        let response = router.clone().oneshot(Request::from_parts(parts, body)).await.unwrap();
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
        assert_eq!(response.headers().contains_key("connection"), is_closed);
    }
}

#[tokio::test(start_paused = true)]
async fn stalled_bodies_do_not_block_others() {
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

#[tokio::test(start_paused = true)]
async fn calls_are_rejected_before_their_bodies_are_read() {
    let (silent, mut in_flight) = FakeWorker::observed_endpoint("w", vec![web()], WorkerBehaviour::Silent);
    let gateway = fake::gateway(vec![silent]).await;
    let router = router(gateway.core.clone(), DEFAULT_LISTEN, CancellationToken::new());
    let search = call("search_codebase", json!({"query": "retry"}));
    let calls: Vec<_> = (0..500)
        .map(|_| tokio::spawn(router.clone().oneshot(post(&[], &search)).map(|response| response.unwrap().status())))
        .collect();
    // More calls than run and queue: the last one is rejected after all others have taken their places.
    in_flight.wait_for(|n_searches| *n_searches > 0).await.unwrap();
    let (parts, _) = post(&[], &search).into_parts();
    let endless = Request::from_parts(parts, Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>()));
    let began = Instant::now();
    let response = router.clone().oneshot(endless).await.unwrap();
    assert_eq!(
        (response.status(), &response.headers()["retry-after"]),
        (StatusCode::SERVICE_UNAVAILABLE, &"1".parse().unwrap())
    );
    assert!(began.elapsed() < Duration::from_millis(5), "{:?}", began.elapsed());
    let response = router.clone().oneshot(post(&[], &search)).await.unwrap();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(!response.headers().contains_key("connection"), "the connection can be used again");
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn body_size_is_bounded() {
    let (status, _) =
        send(&open().await, post(&[], &call("search_codebase", json!({"query": "x".repeat(2 << 20)})))).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

/// A token of `https://id.example.com` for the subject `rsa`, without a scope, and the key that verifies it.
const JWT: &str = include_str!("../access/oauth/tests/rs256.jwt");
const JWK: &str = include_str!("../access/oauth/tests/rs256.jwk");

/// Returns a gateway that accepts configured tokens and tokens of an issuer, and the folder of the issuer's keys.
async fn with_issuer(more: &str) -> (Router, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.json");
    std::fs::write(&keys, format!("{{\"keys\": [{JWK}]}}")).unwrap();
    let toml = format!(
        "[[access.token]]\nname = 'ci'\nsha256 = '{S3CRET}'\nrepositories = ['web']\n\
         [access.limits]\ncalls_per_minute = 600\nburst = 5\n\
         [access.oauth]\nissuer = 'https://id.example.com'\nresource = 'https://code.example.com/mcp'\njwks_file = '{}'\n\
         {more}\n[[access.oauth.rule]]\nclaim = 'sub'\nvalue = 'rs*'\nrepositories = ['api']",
        keys.display()
    );
    let config = GatewayConfig::try_from(GatewaySettings::from_toml(&toml).unwrap()).unwrap();
    let gateway = Gateway::start(config, vec![healthy_worker("w", vec![api(), web()])]);
    assert!(gateway.wait_for_workers(Duration::from_secs(5)).await);
    let gateway: &'static Gateway = Box::leak(Box::new(gateway));
    (router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new()), folder)
}

async fn refused(router: &Router, headers: &[(&str, &str)]) -> (StatusCode, String) {
    let response = router.clone().oneshot(post(headers, &call("list_repos", json!({})))).await.unwrap();
    let challenge = response.headers().get("www-authenticate").map(|challenge| challenge.to_str().unwrap().to_owned());
    (response.status(), challenge.unwrap_or_default())
}

#[tokio::test]
async fn missing_token_gets_a_challenge_with_the_metadata_url() {
    let (router, _folder) = with_issuer("required_scope = 'code:read'").await;
    let metadata = "resource_metadata=\"https://code.example.com/.well-known/oauth-protected-resource/mcp\"";
    let bearer = format!("Bearer {}", JWT.trim());
    for (headers, status, expected) in [
        (vec![], StatusCode::UNAUTHORIZED, "Bearer realm=\"causeway\", scope=\"code:read\""),
        (vec![("authorization", "Bearer x.y.z")], StatusCode::UNAUTHORIZED, "error=\"invalid_token\""),
        (
            vec![("authorization", bearer.as_str())],
            StatusCode::FORBIDDEN,
            "error=\"insufficient_scope\", scope=\"code:read\"",
        ),
    ] {
        let (actual, challenge) = refused(&router, &headers).await;
        assert_eq!(actual, status, "{challenge}");
        assert!(challenge.contains(expected) && challenge.ends_with(metadata), "{challenge}");
    }
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let (status, body) = get(&router, path).await;
        assert_eq!(status, StatusCode::OK);
        let metadata: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(metadata["resource"], json!("https://code.example.com/mcp"));
        assert_eq!(metadata["authorization_servers"], json!(["https://id.example.com"]));
    }
    let (status, _) = get(&with_token().await, "/.well-known/oauth-protected-resource").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn configured_and_issued_tokens_grant_their_repositories() {
    let (router, _folder) = with_issuer("").await;
    let bearer = format!("Bearer {}", JWT.trim());
    for (token, may_read, may_not) in [(bearer.as_str(), "api", "web"), ("Bearer s3cret", "web", "api")] {
        let (status, body) = send(&router, post(&[("authorization", token)], &call("list_repos", json!({})))).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let reply: Value = serde_json::from_str(&body).unwrap();
        let listed = reply["result"]["structuredContent"]["repositories"].to_string();
        assert!(listed.contains(&format!("\"{may_read}\"")) && !listed.contains(&format!("\"{may_not}\"")), "{listed}");
    }
}

#[tokio::test(start_paused = true)]
async fn rate_limited_callers_get_retry_after() {
    let (router, _folder) = with_issuer("").await;
    let list = || post(&[("authorization", "Bearer s3cret")], &call("list_repos", json!({})));
    for _ in 0..5 {
        assert_eq!(send(&router, list()).await.0, StatusCode::OK);
    }
    let response = router.clone().oneshot(list()).await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(response.headers()["retry-after"], "1");
    let bearer = format!("Bearer {}", JWT.trim());
    let other = post(&[("authorization", bearer.as_str())], &call("list_repos", json!({})));
    assert_eq!(send(&router, other).await.0, StatusCode::OK, "each caller has its own rate limit");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(send(&router, list()).await.0, StatusCode::OK);
}
