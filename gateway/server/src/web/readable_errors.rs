//! Errors as pages: a person who follows a broken link gets the navigation, a program gets the text.

use std::sync::Arc;

use ::web::{
    error_page::{ErrorPage, readable_message},
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
    if !is_browser || !(status.is_client_error() || status.is_server_error()) || !is_text(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // A longer message is none for people.
    let message = body::to_bytes(body, MAX_MESSAGE_BYTES).await.unwrap_or_default();
    let page = ErrorPage {
        title: title(status),
        message: &readable_message(&String::from_utf8_lossy(&message)),
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

/// Returns true for plain text, and for a response without a content type, such as that to a wrong method.
fn is_text(headers: &HeaderMap) -> bool {
    let Some(written) = headers.get(header::CONTENT_TYPE) else { return true };
    written.to_str().is_ok_and(|written| written.starts_with("text/plain"))
}

fn title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "There is no such page",
        StatusCode::METHOD_NOT_ALLOWED => "This page takes no such request",
        StatusCode::UNAUTHORIZED => "You are not signed in",
        StatusCode::FORBIDDEN => "This is not allowed",
        StatusCode::PAYLOAD_TOO_LARGE => "This is too large",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "The server is busy",
        status if status.is_server_error() => "The server failed",
        _ => "This could not be read",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_title() {
        for (status, expected) in [
            (StatusCode::METHOD_NOT_ALLOWED, "This page takes no such request"),
            (StatusCode::FORBIDDEN, "This is not allowed"),
            (StatusCode::PAYLOAD_TOO_LARGE, "This is too large"),
            (StatusCode::BAD_GATEWAY, "The server failed"),
            (StatusCode::SERVICE_UNAVAILABLE, "The server is busy"),
            (StatusCode::UNPROCESSABLE_ENTITY, "This could not be read"),
        ] {
            assert_eq!(title(status), expected, "{status}");
        }
    }

    #[test]
    fn responses_without_a_type_are_text() {
        for (written, expected) in [
            (None, true),
            (Some("text/plain; charset=utf-8"), true),
            (Some("text/html"), false),
            (Some("application/json"), false),
        ] {
            let written = written.map(|written| (header::CONTENT_TYPE, HeaderValue::from_static(written)));
            assert_eq!(is_text(&HeaderMap::from_iter(written)), expected, "{expected}");
        }
    }
}
