//! Sign-in: a cookie holds the token of the caller, so that any gateway can answer any request.
//!
//! No script can read the cookie, and browsers send it to this server only. Every request validates the token again, so that a revoked
//! or expired one ends the session. Forms have a token against cross-site requests, which a second cookie repeats.

use std::sync::Arc;

use ::web::{frame::Frame, sign_in_page};
use axum::{
    Extension, Form,
    extract::{Query, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{Html, IntoResponse, Redirect, Response},
};
use ring::rand::{SecureRandom as _, SystemRandom};
use runtime::{connections::Connection, http_server::PeerAddress};
use serde::Deserialize;

use super::viewer::Viewer;
use crate::{Core, access::Denied};

/// Cookie with the token of the caller.
const SESSION_COOKIE: &str = "causeway_session";

/// Cookie with the token of forms.
const CSRF_COOKIE: &str = "causeway_csrf";

/// Number of random bytes of the token of forms.
const CSRF_BYTES: usize = 16;

/// Maximum length of the address to go to after sign-in.
const MAX_NEXT_BYTES: usize = 2_000;

/// Maximum length of a token: browsers keep no longer cookies.
pub(super) const MAX_TOKEN_BYTES: usize = 3_800;

/// Middleware that authenticates the caller of a page, by the header of programs or by the cookie of browsers.
pub(super) async fn authenticate(State(core): State<Arc<Core>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<PeerAddress>().map(|PeerAddress(peer)| peer.ip());
    let header = request.headers().get(header::AUTHORIZATION);
    let header = header.map(|value| value.to_str().unwrap_or_default().to_owned());
    let authorization =
        header.or_else(|| cookie(request.headers(), SESSION_COOKIE).map(|token| format!("Bearer {token}")));
    let (csrf, is_new) = csrf_token(request.headers());
    let has_sign_in = !core.config.access.is_open();
    let is_secure = is_secure(request.headers());
    let mut response = match core.config.access.admit(authorization.as_deref(), peer).await {
        Ok(principal) => {
            if let Some(connection) = request.extensions().get::<Connection>() {
                connection.authenticated();
            }
            let frame =
                Frame { caller: principal.name().to_owned(), has_sign_in, csrf: csrf.clone(), query: String::new() };
            // The places of bodies are counted by caller.
            request.extensions_mut().insert(principal.clone());
            request.extensions_mut().insert(Viewer { core, principal, frame: frame.clone() });
            let mut response = next.run(request).await;
            // For an error page.
            response.extensions_mut().insert(frame);
            response
        }
        Err(denied) => {
            if denied != Denied::NoToken {
                core.metrics.record_refused(denied);
                core.auth_failures.record(denied, peer);
            }
            let is_page = request.method() == Method::GET;
            let target = if is_page { request.uri().to_string() } else { "/".to_owned() };
            let frame = Frame { has_sign_in, csrf: csrf.clone(), ..Frame::default() };
            let failure = explanation(denied).filter(|_| authorization.is_some());
            let page = sign_in_page::render(&frame, local_path(&target), failure, issuer_name(&core));
            let response = (status(denied), Html(page)).into_response();
            crate::http::body::respond_unread(request, response).await
        }
    };
    if is_new {
        set_cookie(&mut response, CSRF_COOKIE, &csrf, is_secure);
    }
    response
}

fn status(denied: Denied) -> StatusCode {
    match denied {
        Denied::NoToken | Denied::InvalidToken => StatusCode::UNAUTHORIZED,
        Denied::InsufficientScope => StatusCode::FORBIDDEN,
        Denied::NoKeys => StatusCode::SERVICE_UNAVAILABLE,
        Denied::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
    }
}

fn explanation(denied: Denied) -> Option<&'static str> {
    match denied {
        Denied::NoToken => None,
        Denied::InvalidToken => Some("The token is invalid or expired."),
        Denied::InsufficientScope => Some("The token lacks the required scope."),
        Denied::NoKeys => Some("Tokens cannot be verified yet. Try again in a few seconds."),
        Denied::RateLimited(_) => Some("Too many requests. Try again in a minute."),
    }
}

/// The address to go to after sign-in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NextPage {
    next: String,
}

impl NextPage {
    /// Returns the address on this server.
    pub(super) fn path(&self) -> &str {
        local_path(&self.next)
    }
}

/// The sign-in page.
pub(super) async fn form(State(core): State<Arc<Core>>, headers: HeaderMap, Query(page): Query<NextPage>) -> Response {
    sign_in_form(&core, &headers, page.path(), None, StatusCode::OK)
}

/// The fields of the sign-in form.
#[derive(Deserialize)]
pub(super) struct SignIn {
    csrf: String,
    token: String,
    #[serde(default)]
    next: String,
}

/// Validates a token and sets the cookie.
pub(super) async fn sign_in(
    State(core): State<Arc<Core>>,
    headers: HeaderMap,
    peer: Option<Extension<PeerAddress>>,
    Form(SignIn { csrf, token, next }): Form<SignIn>,
) -> Response {
    if !is_own_form(&headers, &csrf) {
        let failure = "The form is too old, or the browser keeps no cookies. Try again.";
        return sign_in_form(&core, &headers, &next, Some(failure), StatusCode::FORBIDDEN);
    }
    let token = token.trim();
    let peer = peer.map(|Extension(PeerAddress(peer))| peer.ip());
    let admitted = match is_cookie_value(token) {
        true => core.config.access.admit(Some(&format!("Bearer {token}")), peer).await.map(drop),
        false => Err(Denied::InvalidToken),
    };
    if let Err(denied) = admitted {
        core.metrics.record_refused(denied);
        core.auth_failures.record(denied, peer);
        return sign_in_form(&core, &headers, &next, explanation(denied), status(denied));
    }
    let mut response = Redirect::to(local_path(&next)).into_response();
    set_session(&mut response, token, is_secure(&headers));
    response
}

/// Returns true if a cookie can hold the token.
pub(super) fn is_cookie_value(token: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\');
    !token.is_empty() && token.len() <= MAX_TOKEN_BYTES && token.bytes().all(is_allowed)
}

/// Sets the cookie with the token of the caller.
pub(super) fn set_session(response: &mut Response, token: &str, is_secure: bool) {
    set_cookie(response, SESSION_COOKIE, token, is_secure);
}

/// Returns the authorisation server at which callers can sign in.
fn issuer_name(core: &Core) -> Option<&str> {
    Some(core.config.access.oauth()?.client()?.issuer_name())
}

/// The field of the sign-out form.
#[derive(Deserialize)]
pub(super) struct SignOut {
    csrf: String,
}

/// Removes the cookie.
pub(super) async fn sign_out(headers: HeaderMap, Form(SignOut { csrf }): Form<SignOut>) -> Response {
    let mut response = Redirect::to("/signin").into_response();
    if is_own_form(&headers, &csrf) {
        set_cookie(&mut response, &format!("{SESSION_COOKIE}=; Max-Age=0; x"), "", is_secure(&headers));
    }
    response
}

pub(super) fn sign_in_form(
    core: &Core,
    headers: &HeaderMap,
    next: &str,
    failure: Option<&str>,
    status: StatusCode,
) -> Response {
    let (csrf, is_new) = csrf_token(headers);
    let frame = Frame { has_sign_in: !core.config.access.is_open(), csrf: csrf.clone(), ..Frame::default() };
    let page = sign_in_page::render(&frame, local_path(next), failure, issuer_name(core));
    let mut response = (status, Html(page)).into_response();
    if is_new {
        set_cookie(&mut response, CSRF_COOKIE, &csrf, is_secure(headers));
    }
    response
}

/// Returns true for a form that a page of this server sent: its token is that of the cookie.
pub(super) fn is_own_form(headers: &HeaderMap, sent: &str) -> bool {
    cookie(headers, CSRF_COOKIE).is_some_and(|own| !own.is_empty() && own == sent)
}

/// Returns the token of forms, and true if it is new.
fn csrf_token(headers: &HeaderMap) -> (String, bool) {
    let is_token = |token: &&str| token.len() == 2 * CSRF_BYTES && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(token) = cookie(headers, CSRF_COOKIE).filter(is_token) {
        return (token.to_owned(), false);
    }
    let mut bytes = [0; CSRF_BYTES];
    SystemRandom::new().fill(&mut bytes).expect("the system has random bytes");
    (bytes.iter().map(|byte| format!("{byte:02x}")).collect(), true)
}

/// Returns the value of a cookie.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let sent = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// Adds a cookie for this browser session that no script can read.
fn set_cookie(response: &mut Response, name: &str, value: &str, is_secure: bool) {
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}");
    response.headers_mut().extend(HeaderValue::try_from(cookie).map(|value| (header::SET_COOKIE, value)));
}

/// Returns true if the browser reached this server over TLS, as the browser or the proxy in front says.
pub(super) fn is_secure(headers: &HeaderMap) -> bool {
    let is_https = |name: &str, prefix: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.starts_with(prefix))
    };
    is_https("origin", "https://") || is_https("x-forwarded-proto", "https")
}

/// Returns an address on this server, or that of the map: a link must not lead elsewhere after sign-in.
pub(super) fn local_path(next: &str) -> &str {
    let is_path = next.starts_with('/') && !next.starts_with("//") && next.parse::<Uri>().is_ok();
    let is_safe = next.len() <= MAX_NEXT_BYTES && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_path && is_safe && !next.starts_with("/sign") { next } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_leads_to_own_pages_only() {
        for (next, expected) in [
            ("/search?q=a%20b", "/search?q=a%20b"),
            ("https://evil.example/", "/"),
            ("//evil.example", "/"),
            ("/\\evil.example", "/"),
            ("/signout", "/"),
            ("", "/"),
            ("/a\r\nx: y", "/"),
        ] {
            assert_eq!(local_path(next), expected, "{next}");
        }
    }

    #[test]
    fn forms_need_the_token_of_the_cookie() {
        let mut headers = HeaderMap::new();
        assert!(!is_own_form(&headers, ""));
        let (token, is_new) = csrf_token(&headers);
        assert!(is_new && token.len() == 2 * CSRF_BYTES);
        let cookies = format!("a=b; {CSRF_COOKIE}={token}; {SESSION_COOKIE}=s3cret");
        headers.insert(header::COOKIE, HeaderValue::from_str(&cookies).unwrap());
        assert_eq!(csrf_token(&headers), (token.clone(), false));
        assert!(is_own_form(&headers, &token) && !is_own_form(&headers, "other"));
        assert_eq!(cookie(&headers, SESSION_COOKIE), Some("s3cret"));
    }

    #[test]
    fn cookies_are_for_this_server_alone() {
        let mut response = Response::default();
        set_cookie(&mut response, SESSION_COOKIE, "s3cret", true);
        assert_eq!(
            response.headers()[header::SET_COOKIE],
            "causeway_session=s3cret; Path=/; HttpOnly; SameSite=Strict; Secure"
        );
    }
}
