//! The HTTP responses to invalid JSON-RPC messages.

use axum::{
    Json,
    body::Body,
    extract::Request,
    http::{HeaderMap, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::mcp::{
    MAX_BODY_BYTES,
    json_rpc::{self, InvalidMessage},
};

/// Header with the protocol version, and the first version in which an unknown method has the status 404. Dates compare
/// as text.
const VERSION_HEADER: &str = "mcp-protocol-version";
const FIRST_WITH_NOT_FOUND: &str = "2026-07-28";

/// Middleware that answers an invalid message with a JSON-RPC error.
pub(super) async fn reject_invalid_messages(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let (is_json, not_found) = (is_json(&parts.headers), status_of_unknown_method(&parts.headers));
    let Ok(message) = axum::body::to_bytes(body, MAX_BODY_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let Err(invalid) = json_rpc::read(&message) else {
        return next.run(Request::from_parts(parts, Body::from(message))).await;
    };
    // The MCP service checks host, origin and media types first, and then answers 415 to the empty body.
    let response = next.run(Request::from_parts(parts, Body::empty())).await;
    if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        error_response(&invalid, not_found)
    } else {
        response
    }
}

fn error_response(invalid: &InvalidMessage, not_found: StatusCode) -> Response {
    let status = if invalid.is_of_unknown_method() { not_found } else { StatusCode::BAD_REQUEST };
    (status, Json(invalid.response())).into_response()
}

/// Returns the status of a request with an unknown method. Clients of earlier versions take 404 for a lost session.
fn status_of_unknown_method(headers: &HeaderMap) -> StatusCode {
    let version = headers.get(VERSION_HEADER).and_then(|version| version.to_str().ok());
    if version.is_some_and(|version| version >= FIRST_WITH_NOT_FOUND) { StatusCode::NOT_FOUND } else { StatusCode::OK }
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|media_type| media_type.to_str().ok());
    let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}
