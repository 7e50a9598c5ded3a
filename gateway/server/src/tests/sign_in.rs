//! Sign-in to the pages at a fake authorisation server on loopback. The test is the browser: it keeps cookies, and follows what the
//! pages say.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Form, Json, Router,
    body::Body,
    extract::State,
    http::{HeaderMap, Request, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use reqwest::Url;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{api, healthy_worker, web};
use crate::{DEFAULT_LISTEN, Gateway, GatewayConfig, GatewaySettings, access::TestIssuer, http::router};

/// A defect of the authorisation server.
#[derive(Clone, Copy, PartialEq)]
enum IssuerFault {
    None,
    SilentMetadata,
    ForeignMetadata,
    SilentExchange,
    BrokenExchange,
    ExpiredCodes,
    OtherNonce,
    NoIdToken,
    ForeignIdToken,
    OtherAudience,
    NoScope,
    LongToken,
}

/// A code that was issued, with what it is bound to.
struct IssuedCode {
    challenge: String,
    nonce: String,
    redirect_uri: String,
}

struct FakeAuthorizationServer {
    url: String,
    fault: IssuerFault,
    keys: TestIssuer,
    codes: Mutex<BTreeMap<String, IssuedCode>>,
}

impl FakeAuthorizationServer {
    async fn start(fault: IssuerFault) -> Arc<FakeAuthorizationServer> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Arc::new(FakeAuthorizationServer { url, fault, keys: TestIssuer::new(), codes: Mutex::default() });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route(
                "/keys",
                get(|State(server): State<Arc<FakeAuthorizationServer>>| async move { Json(server.keys.keys("1")) }),
            )
            .route("/token", post(exchange))
            .with_state(Arc::clone(&server));
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    /// Signs a person in, and returns the code for a request that the browser brought.
    fn sign_in(&self, authorization: &Url) -> String {
        let query: BTreeMap<String, String> = authorization.query_pairs().into_owned().collect();
        assert_eq!((query["response_type"].as_str(), query["code_challenge_method"].as_str()), ("code", "S256"));
        assert_eq!(query["scope"], "openid code:read");
        assert_eq!(query["resource"], "http://127.0.0.1:7474/mcp");
        let mut codes = self.codes.lock().unwrap();
        let code = format!("code-{}", codes.len());
        let [challenge, nonce, redirect_uri] =
            ["code_challenge", "nonce", "redirect_uri"].map(|name| query[name].clone());
        codes.insert(code.clone(), IssuedCode { challenge, nonce, redirect_uri });
        code
    }

    fn token(&self, changes: &Value) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut claims = json!({"iss": self.url, "sub": "ada", "exp": now + 60});
        changes.as_object().unwrap().iter().for_each(|(name, value)| claims[name] = value.clone());
        self.keys.sign(&json!({"alg": "EdDSA", "kid": "1"}), &claims)
    }
}

async fn metadata(State(server): State<Arc<FakeAuthorizationServer>>) -> Response {
    if server.fault == IssuerFault::SilentMetadata {
        return std::future::pending().await;
    }
    let issuer = if server.fault == IssuerFault::ForeignMetadata { "https://evil.example" } else { &server.url };
    Json(json!({
        "issuer": issuer, "authorization_endpoint": format!("{}/authorize?tenant=7", server.url),
        "token_endpoint": format!("{}/token", server.url), "code_challenge_methods_supported": ["S256"],
    }))
    .into_response()
}

async fn exchange(
    State(server): State<Arc<FakeAuthorizationServer>>,
    headers: HeaderMap,
    Form(form): Form<BTreeMap<String, String>>,
) -> Response {
    match server.fault {
        IssuerFault::SilentExchange => return std::future::pending().await,
        IssuerFault::BrokenExchange => return (StatusCode::BAD_GATEWAY, "<html>broken</html>").into_response(),
        _ => {}
    }
    // printf %s 'pages:a%2Fb+c' | base64
    assert_eq!(headers[header::AUTHORIZATION], "Basic cGFnZXM6YSUyRmIrYw==");
    let refused = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({"error": error}))).into_response();
    let code = server.codes.lock().unwrap().remove(&form["code"]);
    let Some(code) = code.filter(|_| server.fault != IssuerFault::ExpiredCodes) else {
        return refused("invalid_grant");
    };
    if crate::access::challenge_of(&form["code_verifier"]) != code.challenge
        || form["redirect_uri"] != code.redirect_uri
    {
        return refused("invalid_grant");
    }
    let nonce = if server.fault == IssuerFault::OtherNonce { "other" } else { &code.nonce };
    let client = if server.fault == IssuerFault::ForeignIdToken { "another" } else { "pages" };
    let id_token = server.token(&json!({"aud": client, "nonce": nonce}));
    let audience = match server.fault {
        IssuerFault::OtherAudience => "https://other.example.com",
        _ => "http://127.0.0.1:7474/mcp",
    };
    let scope = if server.fault == IssuerFault::NoScope { "openid" } else { "openid code:read" };
    let mut claims = json!({"aud": audience, "scope": scope, "groups": ["web"]});
    if server.fault == IssuerFault::LongToken {
        claims["padding"] = "x".repeat(4_000).into();
    }
    let access_token = server.token(&claims);
    match server.fault {
        IssuerFault::NoIdToken => Json(json!({"access_token": access_token})).into_response(),
        _ => Json(json!({"access_token": access_token, "token_type": "Bearer", "id_token": id_token})).into_response(),
    }
}

/// A browser at the pages of a gateway, with its cookies.
struct Browser {
    router: Router,
    cookies: BTreeMap<String, String>,
}

impl Browser {
    async fn open(server: &FakeAuthorizationServer) -> Browser {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "a/b c\n").unwrap();
        let toml = format!(
            "[access.oauth]\nissuer = '{url}'\nresource = 'http://127.0.0.1:7474/mcp'\njwks_url = '{url}/keys'\n\
             required_scope = 'code:read'\n[access.oauth.sign_in]\nclient_id = 'pages'\nclient_secret_file = '{}'\n\
             [[access.oauth.rule]]\nclaim = 'groups'\nvalue = 'web'\nrepositories = ['web']",
            secret.display(),
            url = server.url,
        );
        let config = GatewayConfig::try_from(GatewaySettings::from_toml(&toml).unwrap()).unwrap();
        let gateway = Gateway::start(config, vec![healthy_worker("w", vec![api(), web()])]);
        assert!(gateway.wait_for_workers(std::time::Duration::from_secs(5)).await);
        let gateway: &'static Gateway = Box::leak(Box::new(gateway));
        let router = router(Arc::clone(&gateway.core), DEFAULT_LISTEN, CancellationToken::new());
        Browser { router, cookies: BTreeMap::new() }
    }

    /// Requests a page. A request from another site has the cookies that are not strict.
    async fn get(&mut self, path: &str, is_from_elsewhere: bool) -> (StatusCode, HeaderMap, String) {
        let sent = self.cookies.iter().filter(|(_, value)| !is_from_elsewhere || !value.contains("SameSite=Strict"));
        let pairs: Vec<String> =
            sent.map(|(name, value)| format!("{name}={}", value.split(';').next().unwrap())).collect();
        let site = if is_from_elsewhere { "cross-site" } else { "same-origin" };
        let request = Request::get(path)
            .header("host", "127.0.0.1:7474")
            .header("accept", "text/html")
            .header("sec-fetch-site", site)
            .header("cookie", pairs.join("; "))
            .body(Body::empty())
            .unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(header::SET_COOKIE) {
            let (name, value) = cookie.to_str().unwrap().split_once('=').unwrap();
            match value.contains("Max-Age=0") {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        (parts.status, parts.headers, String::from_utf8(body.to_vec()).unwrap())
    }

    /// Follows the link of the sign-in page, and returns the address of the authorisation server.
    async fn start(&mut self, next: &str) -> Url {
        let (status, headers, body) = self.get(&format!("/signin/oauth?next={next}"), false).await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{body}");
        headers[header::LOCATION].to_str().unwrap().parse().unwrap()
    }

    /// Signs in, and returns the last page.
    async fn sign_in(&mut self, server: &FakeAuthorizationServer, next: &str) -> (StatusCode, HeaderMap, String) {
        let authorization = self.start(next).await;
        let code = server.sign_in(&authorization);
        self.get(&callback(&authorization, &code), true).await
    }
}

/// Returns the page that the authorisation server leads back to.
fn callback(authorization: &Url, code: &str) -> String {
    let state = query(authorization, "state");
    format!("/signin/callback?code={code}&state={state}")
}

fn query(url: &Url, name: &str) -> String {
    url.query_pairs().find(|(own, _)| own == name).unwrap().1.into_owned()
}

#[tokio::test]
async fn a_person_signs_in_at_the_authorisation_server() {
    let server = FakeAuthorizationServer::start(IssuerFault::None).await;
    let mut browser = Browser::open(&server).await;
    let (status, _, page) = browser.get("/search?q=retry", false).await;
    assert!(status == StatusCode::UNAUTHORIZED && page.contains("/signin/oauth?next=/search%3Fq%3Dretry"), "{page}");

    let authorization = browser.start("/search%3Fq%3Dretry").await;
    assert!(authorization.as_str().starts_with(&format!("{}/authorize?tenant=7&", server.url)), "{authorization}");
    assert_eq!(query(&authorization, "redirect_uri"), "http://127.0.0.1:7474/signin/callback");
    let cookie = &browser.cookies["causeway_signin"];
    assert!(cookie.contains("; Max-Age=600; HttpOnly; SameSite=Lax"), "{cookie}");
    let code = server.sign_in(&authorization);
    let address = callback(&authorization, &code);
    let (status, headers, page) = browser.get(&address, true).await;
    assert_eq!(status, StatusCode::OK, "{page}");
    assert!(page.contains("http-equiv=\"refresh\" content=\"0;url=/search?q=retry\""), "{page}");
    assert_eq!(
        (&headers["referrer-policy"], &headers["cache-control"]),
        (&"no-referrer".parse().unwrap(), &"no-store".parse().unwrap())
    );
    assert!(browser.cookies["causeway_session"].contains("HttpOnly; SameSite=Strict"));
    assert!(!browser.cookies.contains_key("causeway_signin"), "the attempt has ended");

    let (status, _, page) = browser.get("/", false).await;
    assert!(status == StatusCode::OK && page.contains("oauth:ada"), "{page}");
    assert!(page.contains("/r/web") && !page.contains("/r/api"), "access rules hold: {page}");

    let (status, _, page) = browser.get(&address, true).await;
    assert!(status == StatusCode::BAD_REQUEST && page.contains("completed already"), "a replayed callback: {page}");
    assert!(browser.cookies.contains_key("causeway_session"), "a replayed callback ends no session");
}

#[tokio::test]
async fn replies_of_other_sign_ins_are_refused() {
    let server = FakeAuthorizationServer::start(IssuerFault::None).await;
    let mut browser = Browser::open(&server).await;
    let authorization = browser.start("/").await;
    let (code, state) = (server.sign_in(&authorization), query(&authorization, "state"));
    for (address, expected) in [
        (format!("/signin/callback?code={code}&state=other"), "does not belong to the latest sign-in"),
        (format!("/signin/callback?code={code}"), "does not belong to the latest sign-in"),
        ("/signin/callback?error=access_denied&state=other".to_owned(), "does not belong to the latest sign-in"),
    ] {
        let (status, _, page) = browser.get(&address, true).await;
        assert!(status == StatusCode::BAD_REQUEST && page.contains(expected), "{address}: {page}");
        assert!(browser.cookies.contains_key("causeway_signin"), "another site cannot end an attempt");
    }
    let foreign = format!("{}&iss=https://evil.example", callback(&authorization, &code));
    let (status, _, page) = browser.get(&foreign, true).await;
    assert!(status == StatusCode::BAD_REQUEST && page.contains("of another authorisation server"), "{page}");
    assert!(!browser.cookies.contains_key("causeway_session"));

    let authorization = browser.start("/").await;
    let refused =
        format!("/signin/callback?error=access_denied&error_description=x&state={}", query(&authorization, "state"));
    let (status, _, page) = browser.get(&refused, true).await;
    assert!(status == StatusCode::FORBIDDEN && page.contains("refused: access_denied"), "{page}");

    let mut other = Browser { router: browser.router.clone(), cookies: BTreeMap::new() };
    let (status, _, page) = other.get(&format!("/signin/callback?code={code}&state={state}"), true).await;
    assert!(status == StatusCode::BAD_REQUEST && page.contains("Sign in at http://127.0.0.1:7474."), "{page}");
}

#[tokio::test]
async fn a_kept_cookie_makes_no_code_valid_again() {
    let server = FakeAuthorizationServer::start(IssuerFault::None).await;
    let mut browser = Browser::open(&server).await;
    let authorization = browser.start("/").await;
    let kept = browser.cookies.clone();
    let address = callback(&authorization, &server.sign_in(&authorization));
    assert_eq!(browser.get(&address, true).await.0, StatusCode::OK);
    let mut thief = Browser { router: browser.router.clone(), cookies: kept };
    let (status, _, page) = thief.get(&address, true).await;
    assert!(status == StatusCode::BAD_REQUEST && page.contains("was used already"), "{page}");
    assert!(!thief.cookies.contains_key("causeway_session"));
}

#[tokio::test]
async fn sign_in_leads_to_own_pages_only() {
    let server = FakeAuthorizationServer::start(IssuerFault::None).await;
    let mut browser = Browser::open(&server).await;
    for next in ["https://evil.example/", "//evil.example", "/%5Cevil.example", "/signout", "/%22%3E%3Cscript%3E"] {
        let (status, _, page) = browser.sign_in(&server, next).await;
        assert_eq!(status, StatusCode::OK, "{page}");
        assert!(page.contains("content=\"0;url=/\"") && !page.contains("evil"), "{next}: {page}");
    }
    browser.cookies.clear();
    let authorization = browser.start("/").await;
    let cookie = browser.cookies["causeway_signin"].clone();
    browser.cookies.insert("causeway_signin".to_owned(), cookie.replacen("./;", ".//evil.example;", 1));
    let (_, _, page) = browser.get(&callback(&authorization, &server.sign_in(&authorization)), true).await;
    assert!(page.contains("content=\"0;url=/\""), "a changed cookie: {page}");

    let (status, headers, page) = browser.get("/signin/oauth?next=/", true).await;
    assert!(
        status == StatusCode::OK && !headers.contains_key(header::LOCATION),
        "another site starts no sign-in: {page}"
    );
}

#[tokio::test]
async fn faults_of_the_authorisation_server_are_explained() {
    let unavailable = (StatusCode::SERVICE_UNAVAILABLE, "does not answer as it should");
    for (fault, (expected, message)) in [
        (IssuerFault::BrokenExchange, unavailable),
        (IssuerFault::ExpiredCodes, (StatusCode::BAD_REQUEST, "has expired or was used already")),
        (IssuerFault::OtherNonce, (StatusCode::BAD_REQUEST, "identified nobody")),
        (IssuerFault::NoIdToken, (StatusCode::BAD_REQUEST, "identified nobody")),
        (IssuerFault::ForeignIdToken, (StatusCode::BAD_REQUEST, "identified nobody")),
        (IssuerFault::OtherAudience, (StatusCode::FORBIDDEN, "is not valid for this server")),
        (IssuerFault::NoScope, (StatusCode::FORBIDDEN, "lacks the required scope")),
        (IssuerFault::LongToken, (StatusCode::BAD_REQUEST, "longer than a cookie")),
    ] {
        let server = FakeAuthorizationServer::start(fault).await;
        let mut browser = Browser::open(&server).await;
        let (status, _, page) = browser.sign_in(&server, "/health").await;
        assert!(status == expected && page.contains(message) && page.contains("/signin?next=/health"), "{page}");
        assert!(!browser.cookies.contains_key("causeway_session"), "{message}");
    }
    let server = FakeAuthorizationServer::start(IssuerFault::ForeignMetadata).await;
    let mut browser = Browser::open(&server).await;
    let (status, _, page) = browser.get("/signin/oauth?next=/", false).await;
    assert!(status == unavailable.0 && page.contains(unavailable.1), "{page}");
}

#[tokio::test]
async fn a_silent_authorisation_server_is_given_up() {
    let server = FakeAuthorizationServer::start(IssuerFault::SilentMetadata).await;
    let mut browser = Browser::open(&server).await;
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let (status, _, page) = browser.get("/signin/oauth?next=/", false).await;
    assert!(status == StatusCode::SERVICE_UNAVAILABLE && page.contains("Try again"), "{page}");
    assert!(began.elapsed().as_secs() < 6, "{:?}", began.elapsed());
    let again = tokio::time::Instant::now();
    assert_eq!(browser.get("/signin/oauth?next=/", false).await.0, StatusCode::SERVICE_UNAVAILABLE);
    assert!(again.elapsed().as_secs() < 1, "the failure is remembered: {:?}", again.elapsed());

    tokio::time::resume();
    let server = FakeAuthorizationServer::start(IssuerFault::SilentExchange).await;
    let mut browser = Browser::open(&server).await;
    let authorization = browser.start("/").await;
    let address = callback(&authorization, &server.sign_in(&authorization));
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let (status, _, page) = browser.get(&address, true).await;
    assert!(status == StatusCode::SERVICE_UNAVAILABLE && page.contains("Try again"), "{page}");
    assert!(began.elapsed().as_secs() < 6, "{:?}", began.elapsed());
}

#[test]
fn settings_are_checked() {
    let config = |sign_in: &str| {
        let toml = format!(
            "[access.oauth]\nissuer = 'https://id.example.com'\nresource = 'https://code.example.com/mcp'\n\
             jwks_url = 'https://id.example.com/keys'\n[access.oauth.sign_in]\n{sign_in}"
        );
        GatewaySettings::from_toml(&toml).and_then(GatewayConfig::try_from).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(config("client_id = 'pages'"), Ok(()));
    for (sign_in, expected) in [
        ("client_id = ''", "`sign_in.client_id` is empty"),
        ("client_id = 'x'\ntoken_endpoint = 'https://id.example.com/t'", "set both `authorization_endpoint`"),
        ("client_id = 'x'\nclient_secret_file = '/no/such'", "`/no/such` cannot be used"),
        (
            "client_id = 'x'\ntoken_endpoint = 'http://id.example.com/t'\nauthorization_endpoint = 'https://id.example.com/a'",
            "must begin with `https://`",
        ),
    ] {
        let error = config(sign_in).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
