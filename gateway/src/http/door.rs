//! Who is let in: what a caller must show, and what one hears that is turned away.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{ConnectInfo, Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
    routing::get,
};

use crate::{
    Core,
    access::{Denied, OAuth},
};

/// Where clients look for the metadata of this resource (RFC 9728): on its host alone, and for its path.
const METADATA_PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// When a caller may try again whose token cannot be checked yet.
const NO_KEYS_RETRY: Duration = Duration::from_secs(5);

/// Puts the caller into the request, or turns it away.
pub(super) async fn authorise(State(core): State<Arc<Core>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let authorization = request.headers().get(header::AUTHORIZATION);
    // What is no text proves nothing, and is not nothing.
    let authorization = authorization.map(|value| value.to_str().unwrap_or_default().to_owned());
    match core.config.access.admit(authorization.as_deref(), peer).await {
        Ok(principal) => {
            request.extensions_mut().insert(principal);
            next.run(request).await
        }
        Err(denied) => {
            core.metrics.record_refused(denied);
            core.refusals.note(denied, peer);
            turn_away(denied, core.config.access.oauth())
        }
    }
}

/// Returns the routes that tell clients where tokens come from; none where no authorisation server is configured.
pub(super) fn metadata(core: &Core) -> Router<Arc<Core>> {
    let Some(oauth) = core.config.access.oauth() else { return Router::new() };
    let metadata = oauth.metadata().clone();
    let tell = move || async move { Json(metadata) };
    METADATA_PATHS.into_iter().fold(Router::new(), |router, path| router.route(path, get(tell.clone())))
}

fn turn_away(denied: Denied, oauth: Option<&OAuth>) -> Response {
    let (status, message) = match denied {
        Denied::Missing => (StatusCode::UNAUTHORIZED, "a token is needed: `Authorization: Bearer TOKEN`\n"),
        Denied::Unproven => (StatusCode::UNAUTHORIZED, "the token is not valid, or not any more\n"),
        Denied::Scope => (StatusCode::FORBIDDEN, "the token lacks the scope that is needed\n"),
        Denied::NoKeys => (StatusCode::SERVICE_UNAVAILABLE, "tokens cannot be checked yet, try again\n"),
        Denied::TooOften(_) => (StatusCode::TOO_MANY_REQUESTS, "too many requests, try again later\n"),
    };
    let mut response = (status, message).into_response();
    if let Some(challenge) = challenge(denied, oauth) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    let wait = match denied {
        Denied::TooOften(wait) => Some(wait),
        Denied::NoKeys => Some(NO_KEYS_RETRY),
        Denied::Missing | Denied::Unproven | Denied::Scope => None,
    };
    if let Some(wait) = wait {
        // Whole seconds, and never too early.
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
    }
    response
}

/// Returns what a client has to do about it (RFC 6750, RFC 9728): where it finds out how to get a token, and which.
fn challenge(denied: Denied, oauth: Option<&OAuth>) -> Option<HeaderValue> {
    let error = match denied {
        Denied::Missing => None,
        // Clients begin anew when they read this, which is of no use where tokens come from a file.
        Denied::Unproven => oauth.map(|_| "invalid_token"),
        Denied::Scope => Some("insufficient_scope"),
        Denied::NoKeys | Denied::TooOften(_) => return None,
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
