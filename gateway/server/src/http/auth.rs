//! Authentication middleware, and the responses to unauthenticated requests.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
    routing::get,
};

use runtime::{connections::Connection, http_server::PeerAddress};

use super::body;
use crate::{
    Core,
    access::{Denied, OAuth},
};

/// Paths of the protected resource metadata (RFC 9728), without and with the path of the resource.
const METADATA_PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// `Retry-After` while the issuer's keys have not been read.
const NO_KEYS_RETRY: Duration = Duration::from_secs(5);

/// Middleware that authenticates the caller and adds its `Principal` to the request extensions.
pub(super) async fn authenticate(State(core): State<Arc<Core>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<PeerAddress>().map(|PeerAddress(peer)| peer.ip());
    let authorization = request.headers().get(header::AUTHORIZATION);
    // A header that is not text is an invalid token rather than a missing one.
    let authorization = authorization.map(|value| value.to_str().unwrap_or_default().to_owned());
    match core.config.access.admit(authorization.as_deref(), peer).await {
        Ok(principal) => {
            request.extensions_mut().insert(principal);
            if let Some(connection) = request.extensions().get::<Connection>() {
                connection.authenticated();
            }
            next.run(request).await
        }
        Err(denied) => {
            core.metrics.record_refused(denied);
            core.auth_failures.record(denied, peer);
            body::respond_unread(request, reject(denied, core.config.access.oauth())).await
        }
    }
}

/// Returns the metadata routes; none without an authorisation server.
pub(super) fn metadata(core: &Core) -> Router<Arc<Core>> {
    let Some(oauth) = core.config.access.oauth() else { return Router::new() };
    let metadata = oauth.metadata().clone();
    let serve_metadata = move || async move { Json(metadata) };
    METADATA_PATHS.into_iter().fold(Router::new(), |router, path| router.route(path, get(serve_metadata.clone())))
}

fn reject(denied: Denied, oauth: Option<&OAuth>) -> Response {
    let (status, message) = match denied {
        Denied::NoToken => (StatusCode::UNAUTHORIZED, "token required: send `Authorization: Bearer TOKEN`\n"),
        Denied::InvalidToken => (StatusCode::UNAUTHORIZED, "the token is invalid or expired\n"),
        Denied::InsufficientScope => (StatusCode::FORBIDDEN, "the token lacks the required scope\n"),
        Denied::NoKeys => (StatusCode::SERVICE_UNAVAILABLE, "tokens cannot be verified yet, try again\n"),
        Denied::RateLimited(_) => (StatusCode::TOO_MANY_REQUESTS, "too many requests, try again later\n"),
    };
    let mut response = (status, message).into_response();
    if let Some(challenge) = challenge(denied, oauth) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    let wait = match denied {
        Denied::RateLimited(wait) => Some(wait),
        Denied::NoKeys => Some(NO_KEYS_RETRY),
        Denied::NoToken | Denied::InvalidToken | Denied::InsufficientScope => None,
    };
    if let Some(wait) = wait {
        // Rounded up to whole seconds.
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
    }
    response
}

/// Returns the `WWW-Authenticate` challenge (RFC 6750, RFC 9728) with the metadata URL and the required scope.
fn challenge(denied: Denied, oauth: Option<&OAuth>) -> Option<HeaderValue> {
    let error = match denied {
        Denied::NoToken => None,
        // Clients restart the authorisation flow on this error, which is useless without an authorisation server.
        Denied::InvalidToken => oauth.map(|_| "invalid_token"),
        Denied::InsufficientScope => Some("insufficient_scope"),
        Denied::NoKeys | Denied::RateLimited(_) => return None,
    };
    let mut challenge = "Bearer realm=\"causeway\"".to_owned();
    let mut add = |name: &str, value: &str| {
        if !value.contains(['"', '\\']) {
            challenge.push_str(&format!(", {name}=\"{value}\""));
        }
    };
    error.into_iter().for_each(|error| add("error", error));
    if let Some(oauth) = oauth {
        oauth.required_scope().into_iter().for_each(|scope| add("scope", scope));
        add("resource_metadata", oauth.metadata_url());
    }
    HeaderValue::try_from(challenge).ok()
}
