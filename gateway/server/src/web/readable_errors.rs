//! Errors as pages: a person who follows a broken link gets the navigation, a program gets the text.

use std::sync::Arc;

use ::web::{
    error_page::{ErrorPage, for_people},
    frame::Frame,
};
use axum::{
    body::{self, Body},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};

use crate::Core;

/// Maximum number of bytes of a message.
const MAX_MESSAGE_BYTES: usize = 16 << 10;

/// Middleware that makes a page of an error in plain text, such as that of an address with an unreadable value.
pub(super) async fn as_pages(State(core): State<Arc<Core>>, request: Request, next: Next) -> Response {
    let is_browser = accepts_html(request.headers());
    let response = next.run(request).await;
    let status = response.status();
    if !is_browser || !(status.is_client_error() || status.is_server_error()) || !is_plain_text(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // A longer message is none for people.
    let message = body::to_bytes(body, MAX_MESSAGE_BYTES).await.unwrap_or_default();
    let page = ErrorPage {
        title: title(status),
        message: &for_people(&String::from_utf8_lossy(&message)),
        advice: "Go back and try again, search for it, or go to the map.",
    };
    // Without it the caller was not authenticated.
    let frame = parts.extensions.remove::<Frame>();
    let frame = frame.unwrap_or_else(|| Frame { has_sign_in: !core.config.access.is_open(), ..Frame::default() });
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Response::from_parts(parts, Body::from(page.render(&frame)))
}

/// Returns true for a request of a browser that shows the response.
pub(super) fn accepts_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn is_plain_text(headers: &HeaderMap) -> bool {
    let written = headers.get(header::CONTENT_TYPE).and_then(|written| written.to_str().ok());
    written.is_some_and(|written| written.starts_with("text/plain"))
}

fn title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "There is no such page",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "The server is busy",
        status if status.is_server_error() => "The server failed",
        _ => "This could not be read",
    }
}
