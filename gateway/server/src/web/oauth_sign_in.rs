//! Sign-in at the authorisation server: the way there, and the page that it sends the browser back to.
//!
//! A short-lived cookie binds the reply to the browser that asked. The reply arrives from another site, so that no `SameSite=Strict`
//! cookie comes with it, nor with a redirect from it. A page of this server therefore leads on.

use std::{net::IpAddr, sync::Arc};

use ::web::{error_page::ErrorPage, frame::Frame, sign_in_page};
use axum::{
    Extension,
    extract::{Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use runtime::http_server::PeerAddress;

use super::session::{self, NextPage};
use crate::{
    Core,
    access::{AuthorizationReply, Denied, OAuth, OAuthClient, SignInAttempt, SignInError},
};

/// Path of the link to the authorisation server.
pub(super) const START_PATH: &str = "/signin/oauth";

/// Cookie with the attempt. With the prefix, a browser accepts it from this host over TLS only.
const ATTEMPT_COOKIE: &str = "causeway_signin";
const SECURE_ATTEMPT_COOKIE: &str = "__Host-causeway_signin";

/// Age at which the browser drops the cookie: somewhat longer than a person needs to sign in.
const ATTEMPT_SECONDS: u32 = 600;

/// Sends the browser to the authorisation server.
pub(super) async fn start(
    State(core): State<Arc<Core>>,
    headers: HeaderMap,
    peer: Option<Extension<PeerAddress>>,
    Query(page): Query<NextPage>,
) -> Response {
    let Some((_, client)) = configured(&core) else { return super::not_found(State(core), headers).await };
    // Another site may lead to the sign-in page, but not start a sign-in.
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return session::sign_in_form(&core, &headers, page.path(), None, StatusCode::OK);
    }
    let peer = peer.map(|Extension(PeerAddress(peer))| peer.ip());
    if core.config.access.check_failures(peer).is_err() {
        return failed(&core, &SignInError::Busy, page.path());
    }
    let attempt = SignInAttempt::new(page.path());
    match client.authorization_url(&attempt).await {
        Ok(url) => {
            let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, url.as_str())]).into_response();
            set_attempt(&mut response, client, &attempt.to_cookie(), ATTEMPT_SECONDS);
            response
        }
        Err(error) => failed(&core, &error, page.path()),
    }
}

/// Receives the reply of the authorisation server, and signs the caller in.
pub(super) async fn callback(
    State(core): State<Arc<Core>>,
    headers: HeaderMap,
    peer: Option<Extension<PeerAddress>>,
    Query(reply): Query<AuthorizationReply>,
) -> Response {
    let Some((oauth, client)) = configured(&core) else { return super::not_found(State(core), headers).await };
    let peer = peer.map(|Extension(PeerAddress(peer))| peer.ip());
    let attempt = session::cookie(&headers, cookie_name(client)).and_then(SignInAttempt::from_cookie);
    let next = attempt.as_ref().map_or("/", |attempt| session::local_path(&attempt.next)).to_owned();
    let completed = complete(&core, oauth, client, attempt, &reply, peer).await;
    // A wrong state may come from another site, which must not end the attempt of this browser.
    let ends_attempt = !matches!(completed, Err(SignInError::WrongState));
    let mut response = match completed {
        Ok(token) => {
            let frame = Frame { has_sign_in: true, ..Frame::default() };
            let mut response = Html(sign_in_page::render_forward(&frame, &next)).into_response();
            session::set_session(&mut response, &token, client.is_secure() || session::is_secure(&headers));
            response
        }
        Err(error) => failed(&core, &error, &next),
    };
    if ends_attempt {
        set_attempt(&mut response, client, "", 0);
    }
    // The address has the code.
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Exchanges the code of a reply, and validates the access token like that of any request.
async fn complete(
    core: &Core,
    oauth: &OAuth,
    client: &OAuthClient,
    attempt: Option<SignInAttempt>,
    reply: &AuthorizationReply,
    peer: Option<IpAddr>,
) -> Result<String, SignInError> {
    let access = &core.config.access;
    access.check_failures(peer).map_err(|_| SignInError::Busy)?;
    let attempt = attempt.ok_or(SignInError::NoAttempt)?;
    let token = oauth.complete(client, reply, &attempt).await.inspect_err(|error| {
        // Other errors cost no request, and another site may cause them.
        if matches!(error, SignInError::InvalidCode | SignInError::InvalidIdToken | SignInError::Unavailable) {
            access.record_failure(peer);
            tracing::info!(%error, "a sign-in failed");
        }
    })?;
    if token.len() > session::MAX_TOKEN_BYTES {
        return Err(SignInError::TokenTooLong);
    }
    if !session::is_cookie_value(&token) {
        return Err(SignInError::InvalidAccessToken(Denied::InvalidToken));
    }
    match access.admit(Some(&format!("Bearer {token}")), peer).await {
        Ok(_) => Ok(token),
        Err(denied) => {
            core.metrics.record_refused(denied);
            core.auth_failures.record(denied, peer);
            Err(SignInError::InvalidAccessToken(denied))
        }
    }
}

/// Returns the validator of tokens and the client, if sign-in is configured.
fn configured(core: &Core) -> Option<(&OAuth, &OAuthClient)> {
    let oauth = core.config.access.oauth()?;
    Some((oauth, oauth.client()?))
}

fn failed(core: &Core, error: &SignInError, next: &str) -> Response {
    let client = configured(core).map(|(_, client)| client);
    let advice = match error {
        SignInError::NoAttempt => client.map(|client| format!("Sign in at {}.", client.pages_address())),
        SignInError::InvalidAccessToken(Denied::InsufficientScope) => {
            Some("It lacks the required scope. Ask the operator of this server for it.".to_owned())
        }
        SignInError::InvalidAccessToken(_) => {
            Some("Its issuer, audience or signature is not as configured.".to_owned())
        }
        _ => None,
    };
    let message = error.to_string();
    let advice = advice.as_deref().unwrap_or_default();
    let page = ErrorPage { title: "You are not signed in", message: &message, advice };
    let frame = Frame { has_sign_in: true, ..Frame::default() };
    (error.status(), Html(page.render_sign_in(&frame, next))).into_response()
}

fn cookie_name(client: &OAuthClient) -> &'static str {
    if client.is_secure() { SECURE_ATTEMPT_COOKIE } else { ATTEMPT_COOKIE }
}

/// Sets the cookie of an attempt. A page of the authorisation server may lead back with it.
fn set_attempt(response: &mut Response, client: &OAuthClient, value: &str, max_age_seconds: u32) {
    let secure = if client.is_secure() { "; Secure" } else { "" };
    let name = cookie_name(client);
    let cookie = format!("{name}={value}; Path=/; Max-Age={max_age_seconds}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
