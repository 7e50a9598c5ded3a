//! The pages without a socket: an error of a request is a page with navigation, which names the problem.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{api, fake, healthy_worker, web};
use crate::{DEFAULT_LISTEN, Gateway, http::router};

const NAVIGATION: &str = "aria-label=\"Sections\"";

async fn pages() -> Router {
    let gateway = fake::gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    // Kept alive: a gateway stops watching its workers when it is dropped.
    let gateway: &'static Arc<Gateway> = Box::leak(Box::new(gateway));
    router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new())
}

async fn send(router: &Router, request: Request<Body>) -> (StatusCode, String) {
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 1 << 24).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

fn get(path: &str, accept: &str) -> Request<Body> {
    Request::get(path).header("host", "127.0.0.1:7474").header("accept", accept).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn errors_are_pages_with_navigation() {
    let router = pages().await;
    let long = format!("/search?q={}", "a".repeat(2_001));
    for (path, expected_status, expected) in [
        ("/nothing", StatusCode::NOT_FOUND, "There is no such page"),
        ("/r/api/-/src/retry.rs?at=abc", StatusCode::BAD_REQUEST, "cannot be read (at: "),
        ("/search?q=a&q=b", StatusCode::BAD_REQUEST, "cannot be read (duplicate field q"),
        ("/?focus=nosuch", StatusCode::NOT_FOUND, "There is no repository nosuch"),
        ("/?cluster=nosuch", StatusCode::NOT_FOUND, "There is no repository nosuch"),
        ("/symbol", StatusCode::BAD_REQUEST, "This names no definition"),
        ("/links?user=api", StatusCode::BAD_REQUEST, "This names no two repositories"),
        (long.as_str(), StatusCode::BAD_REQUEST, "at most 2000 characters"),
        ("/impact", StatusCode::OK, "name=\"target\""),
        ("/impact?target=%20", StatusCode::OK, "name=\"target\""),
        ("/?focus=api", StatusCode::OK, "<h1>api</h1>"),
    ] {
        let (status, body) = send(&router, get(path, "text/html,*/*;q=0.8")).await;
        assert_eq!(status, expected_status, "{path}: {body}");
        assert!(body.contains(expected) && body.contains(NAVIGATION), "{path}: {body}");
        assert!(body.len() < 50_000, "{path}: {} bytes", body.len());
    }
    let form = Request::post("/review")
        .header("host", "127.0.0.1:7474")
        .header("accept", "text/html")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from("repo=api&changes=x"))
        .unwrap();
    let (status, body) = send(&router, form).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
    assert!(body.contains("missing field csrf") && body.contains(NAVIGATION), "{body}");
    let wrong_method =
        Request::post("/search").header("host", "127.0.0.1:7474").header("accept", "text/html").body(Body::empty());
    let (status, body) = send(&router, wrong_method.unwrap()).await;
    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{body}");
    assert!(body.contains("This page takes no such request") && body.contains(NAVIGATION), "{body}");
    let (status, body) = send(&router, get("/nothing", "*/*")).await;
    assert_eq!((status, body.as_str()), (StatusCode::NOT_FOUND, "there is no such page\n"), "programs get text");
}
