//! The web pages: routes, sign-in and the calls behind each page. The crate `web` renders them.
//!
//! A page calls the tools as its caller, so that access rules, coverage and bounds are those of the tools.

use std::sync::Arc;

use ::web::{asset, error_page::ErrorPage, frame::Frame};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};

use crate::{
    Core,
    access::CALLBACK_PATH,
    http::{
        admission::{Admission, admit_page, reject_excess},
        body,
    },
};

pub(crate) use events::stream_places;

mod code_pages;
mod events;
mod folders;
mod oauth_sign_in;
mod operations;
mod readable_errors;
mod session;
mod source;
mod streamed;
mod viewer;

/// The policy of every page: nothing from elsewhere, and no inline script or style.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
                                       connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Headers of every page.
const HEADERS: [(header::HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // Forms of other origins could not be told apart from own ones without a referrer.
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "private, no-cache"),
    (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Maximum size of a form: the longest change, encoded.
const MAX_FORM_BYTES: usize = 1 << 20;

/// Returns the routes of all pages.
pub(crate) fn routes(core: &Arc<Core>, admission: &Admission, own_origins: &[String]) -> Router<Arc<Core>> {
    let answered = Router::new()
        .route("/", get(code_pages::map))
        .route("/links", get(code_pages::evidence))
        .route("/search", get(code_pages::search))
        .route("/r/{*rest}", get(code_pages::repository_or_file))
        .route("/symbol", get(code_pages::symbol))
        .route("/impact", get(code_pages::impact))
        .route("/review", get(operations::review_form).post(operations::review))
        .route("/health", get(operations::health))
        .route("/usage", get(operations::usage))
        .layer(middleware::from_fn_with_state(admission.clone(), admit_page))
        .layer(middleware::from_fn_with_state((Arc::clone(core), body::places()), body::read))
        .layer(middleware::from_fn_with_state(admission.clone(), reject_excess));
    let signed_in = answered
        .route("/events", get(events::events))
        .layer(middleware::from_fn_with_state(Arc::clone(core), session::authenticate));
    let sign_in = Router::new()
        .route("/signin", get(session::form).post(session::sign_in))
        .route("/signout", post(session::sign_out))
        .route(oauth_sign_in::START_PATH, get(oauth_sign_in::start))
        .route(CALLBACK_PATH, get(oauth_sign_in::callback))
        .layer(middleware::from_fn_with_state((Arc::clone(core), body::places()), body::read));
    let origins: Arc<[String]> =
        own_origins.iter().cloned().chain(core.config.allowed_origins.iter().cloned()).collect();
    Router::new()
        .merge(signed_in)
        .merge(sign_in)
        .route("/static/{name}", get(static_file))
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        .layer(middleware::from_fn_with_state((Arc::clone(core), origins), reject_foreign_origins))
        .layer(middleware::from_fn_with_state(Arc::clone(core), readable_errors::as_pages))
        .layer(middleware::map_response(add_headers))
}

/// Adds the headers of pages that a response does not have.
async fn add_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Middleware against DNS rebinding and requests that other sites send: rejects unknown host names and foreign origins.
async fn reject_foreign_origins(
    State((core, origins)): State<(Arc<Core>, Arc<[String]>)>,
    request: Request,
    next: Next,
) -> Response {
    let refused = |message: &'static str| (StatusCode::FORBIDDEN, message).into_response();
    if !crate::http::is_known_host(request.uri(), request.headers(), &core.config.allowed_hosts) {
        return refused("the `Host` of the request is not in `allowed_hosts`\n");
    }
    if !is_known_origin(request.method(), request.headers(), &origins) {
        return refused("the `Origin` of the request is not this server, nor in `allowed_origins`\n");
    }
    next.run(request).await
}

/// Returns true for a request that this server's pages or no page sent. Browsers send the origin with every form.
fn is_known_origin(method: &Method, headers: &HeaderMap, origins: &[String]) -> bool {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    if !is_read && site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return false;
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let is_listed = |allowed: &String| match allowed.strip_suffix(":*") {
        Some(any_port) => origin == any_port || origin.strip_prefix(any_port).is_some_and(|rest| rest.starts_with(':')),
        None => allowed == origin,
    };
    // The host of the request is known already.
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let is_same_host = origin.split_once("://").is_some_and(|(_, authority)| Some(authority) == host);
    is_same_host || origins.iter().any(is_listed)
}

async fn static_file(uri: Uri) -> Response {
    match asset::find(uri.path()) {
        Some(file) => {
            let headers = [
                (header::CONTENT_TYPE, file.content_type),
                (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
            ];
            (headers, file.content).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

/// Responds to an unknown path. Programs get text.
async fn not_found(State(core): State<Arc<Core>>, headers: HeaderMap) -> Response {
    if !readable_errors::accepts_html(&headers) {
        return (StatusCode::NOT_FOUND, "there is no such page\n").into_response();
    }
    // The caller is not authenticated here: the frame is that of nobody.
    let frame = Frame { has_sign_in: !core.config.access.is_open(), ..Frame::default() };
    (StatusCode::NOT_FOUND, Html(ErrorPage::NOT_FOUND.render(&frame))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_other_sites_are_rejected() {
        let check = |method: &Method, headers: &[(&'static str, &str)]| {
            let mut sent = HeaderMap::new();
            sent.insert(header::HOST, HeaderValue::from_static("code.example:8443"));
            for (name, value) in headers {
                sent.insert(*name, HeaderValue::from_str(value).unwrap());
            }
            let origins = ["http://localhost:7474".to_owned(), "https://ide.example:*".to_owned()];
            is_known_origin(method, &sent, &origins)
        };
        for (method, headers, expected) in [
            (Method::GET, &[][..], true),
            (Method::POST, &[("origin", "https://code.example:8443"), ("sec-fetch-site", "same-origin")], true),
            (Method::POST, &[("origin", "https://evil.example")], false),
            (Method::POST, &[("origin", "null")], false),
            (Method::POST, &[("sec-fetch-site", "cross-site")], false),
            (Method::GET, &[("sec-fetch-site", "cross-site")], true),
            (Method::GET, &[("origin", "http://localhost:7474")], true),
            (Method::GET, &[("origin", "https://ide.example:9000")], true),
            (Method::GET, &[("origin", "https://ide.example.evil")], false),
        ] {
            assert_eq!(check(&method, headers), expected, "{method} {headers:?}");
        }
    }
}
