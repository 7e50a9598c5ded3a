//! The pages without a socket: an error of a request is a page with navigation, which names the problem.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use futures::StreamExt as _;
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
async fn pages_of_code_keep_their_status() {
    let router = pages().await;
    for (path, expected_status, expected) in [
        ("/symbol?id=api//src/retry.py::retry", StatusCode::OK, "<title>retry · api · Causeway</title>"),
        ("/symbol?id=api//src/retry.py::nosuch", StatusCode::NOT_FOUND, "This could not be shown"),
        ("/symbol?id=nosuch//src/retry.py::retry", StatusCode::NOT_FOUND, "This could not be shown"),
        ("/r/api/-/src/retry.py", StatusCode::OK, "<h1 class=\"file\">retry.py</h1>"),
        ("/r/api/-/src/nosuch.py", StatusCode::NOT_FOUND, "This could not be shown"),
        // The end of a path is no address.
        ("/r/api/-/retry.py", StatusCode::NOT_FOUND, "could not be read"),
        ("/r/api/-/", StatusCode::OK, "href=\"/r/api/-/src/\""),
        ("/r/api/-/src/", StatusCode::OK, "href=\"/r/api/-/src/a.py\""),
        ("/r/api/-/nosuch/", StatusCode::NOT_FOUND, "No file below nosuch is known in api."),
        ("/r/nosuch/-/", StatusCode::NOT_FOUND, "There is no repository nosuch."),
        ("/r/api", StatusCode::OK, "href=\"/r/api/-/src/\""),
        ("/search?q=retry", StatusCode::OK, "id=\"results\""),
        ("/links?user=web&provider=api", StatusCode::OK, "<title>web → api · Causeway</title>"),
        ("/links?user=nosuch&provider=api", StatusCode::NOT_FOUND, "There is no repository nosuch"),
        ("/links?user=web&provider=nosuch", StatusCode::NOT_FOUND, "There is no repository nosuch"),
    ] {
        let (status, body) = send(&router, get(path, "text/html")).await;
        assert_eq!(status, expected_status, "{path}: {body}");
        assert!(body.contains(expected) && body.contains(NAVIGATION), "{path}: {body}");
        assert!(body.ends_with("</html>"), "{path}: {body}");
    }
}

#[tokio::test]
async fn the_head_of_a_page_of_code_is_sent_alone() {
    let router = pages().await;
    for (path, expected) in [
        ("/search?q=retry", "retry"),
        ("/symbol?id=api//src/retry.py::retry", "retry"),
        ("/links?user=web&provider=api", "<h1><a href=\"/r/web\">web</a>"),
    ] {
        let response = router.clone().oneshot(get(path, "text/html")).await.unwrap();
        let mut parts = response.into_body().into_data_stream();
        let head = String::from_utf8(parts.next().await.unwrap().unwrap().to_vec()).unwrap();
        assert!(head.contains("<title>") && head.contains(NAVIGATION) && !head.contains("</main>"), "{path}: {head}");
        let rest = String::from_utf8(parts.next().await.unwrap().unwrap().to_vec()).unwrap();
        assert!(rest.contains(expected) && rest.ends_with("</html>"), "{path}: {rest}");
    }
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
