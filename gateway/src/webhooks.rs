//! Where hosts of code tell that somebody has pushed, so that workers fetch at once instead of at their next poll.
//!
//! Whoever knows the secret may have repositories fetched that workers follow anyway, and learns nothing by it: the answer is
//! the same whether or not any worker follows what was named.

use std::{fmt, fs, path::PathBuf, sync::Arc, time::Duration};

use axum::{
    BoxError, Router,
    body::{Body, Bytes},
    error_handling::HandleErrorLayer,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
    routing::post,
};
use futures::future::join_all;
use hmac::{Hmac, KeyInit as _, Mac as _};
use proto::v1::{EnqueueRequest, indexing_service_client::IndexingServiceClient};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha256;
use tower::ServiceBuilder;

use crate::Core;

/// Bytes of a body that are read: what a push of the most commits that hosts tell of takes.
const MAX_BODY_BYTES: usize = 5 << 20;

/// How long a body may take to arrive. Nobody knows yet who sends it, and there is room for few: hosts send at once.
const BODY_DEADLINE: Duration = Duration::from_secs(2);

/// How long a worker may take to note what it has to fetch. One that does not will find it at its next poll.
const ENQUEUE_DEADLINE: Duration = Duration::from_secs(2);

/// Requests at the same time, each of which may hold a body; hosts try again.
const MAX_IN_FLIGHT: usize = 32;

/// A shorter secret can be guessed.
const MIN_SECRET_BYTES: usize = 16;

/// URLs that one request may name, and bytes of one.
const MAX_URLS: usize = 100;
const MAX_URL_BYTES: usize = 2_000;

/// The table `[webhooks]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebhooksSettings {
    /// The file of the secret that hosts sign with. Left out, there are no webhooks.
    pub secret_file: Option<PathBuf>,
}

/// What hosts sign with. Shown to nobody.
#[derive(Clone)]
pub(crate) struct WebhookSecret(Arc<[u8]>);

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

impl WebhookSecret {
    /// Reads the secret, if one is configured. Line breaks around it are none of it.
    pub(crate) fn read(settings: &WebhooksSettings) -> Result<Option<WebhookSecret>, String> {
        let Some(path) = &settings.secret_file else { return Ok(None) };
        let text = fs::read_to_string(path)
            .map_err(|error| format!("the secret file `{}` cannot be read: {}", path.display(), error.kind()))?;
        let secret = text.trim().as_bytes();
        if secret.len() < MIN_SECRET_BYTES {
            return Err(format!("the secret in `{}` needs {MIN_SECRET_BYTES} characters at least", path.display()));
        }
        Ok(Some(WebhookSecret(secret.into())))
    }

    fn mac(&self, bytes: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may be of any length");
        mac.chain_update(bytes)
    }

    /// Says whether `signature` is `sha256=` and the HMAC of the body, in a time that tells nothing of either.
    fn has_signed(&self, body: &[u8], signature: &str) -> bool {
        let hex = signature.strip_prefix("sha256=").and_then(from_hex);
        hex.is_some_and(|signature| self.mac(body).verify_slice(&signature).is_ok())
    }

    /// Says whether `token` is the secret, in a time that tells nothing of either: two sums are compared.
    fn is(&self, token: &str) -> bool {
        self.mac(token.as_bytes()).verify(&self.mac(&self.0).finalize().into_bytes()).is_ok()
    }
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Who tells of a push, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    GitHub,
    GitLab,
    Generic,
}

impl Host {
    fn is_authentic(self, secret: &WebhookSecret, headers: &HeaderMap, body: &[u8]) -> bool {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match self {
            Host::GitHub => secret.has_signed(body, header("x-hub-signature-256")),
            Host::GitLab => secret.is(header("x-gitlab-token")),
            Host::Generic => secret.has_signed(body, header("x-causeway-signature")),
        }
    }

    /// Returns what the repository is called that a message is about: its URLs, and its path.
    fn named(self, message: &Value) -> Vec<String> {
        let texts =
            |value: &Value, keys: &[&str]| -> Vec<Value> { keys.iter().map(|key| value[*key].clone()).collect() };
        let named = match self {
            Host::GitHub => texts(&message["repository"], &["clone_url", "ssh_url", "html_url", "full_name"]),
            Host::GitLab => {
                texts(&message["project"], &["git_http_url", "git_ssh_url", "web_url", "path_with_namespace"])
            }
            Host::Generic => {
                let listed = message["urls"].as_array().cloned().unwrap_or_default();
                texts(message, &["url"]).into_iter().chain(listed).collect()
            }
        };
        let is_url = |url: &&str| !url.is_empty() && url.len() <= MAX_URL_BYTES;
        named.iter().filter_map(Value::as_str).filter(is_url).take(MAX_URLS).map(str::to_owned).collect()
    }
}

/// Returns the routes, none of which are there without a secret.
pub(crate) fn routes(secret: Option<&WebhookSecret>) -> Router<Arc<Core>> {
    let Some(secret) = secret else { return Router::new() };
    let hook = |host: Host| {
        let secret = secret.clone();
        post(move |state, headers, body| receive(host, secret, state, headers, body))
    };
    let turned_away = |_: BoxError| async { (StatusCode::SERVICE_UNAVAILABLE, "too many at once, try again\n") };
    Router::new()
        .route("/hooks/github", hook(Host::GitHub))
        .route("/hooks/gitlab", hook(Host::GitLab))
        .route("/hooks/generic", hook(Host::Generic))
        .layer(
            ServiceBuilder::new()
                .layer(HandleErrorLayer::new(turned_away))
                .load_shed()
                .concurrency_limit(MAX_IN_FLIGHT),
        )
}

async fn receive(
    host: Host,
    secret: WebhookSecret,
    State(core): State<Arc<Core>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let body = match tokio::time::timeout(BODY_DEADLINE, axum::body::to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return (StatusCode::PAYLOAD_TOO_LARGE, "the body is too long, or broke off\n").into_response(),
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time\n").into_response(),
    };
    match urls(host, &secret, &headers, &body) {
        Ok(urls) => {
            enqueue(&core, urls).await;
            (StatusCode::ACCEPTED, "noted\n").into_response()
        }
        Err(refused) => refused.into_response(),
    }
}

/// Returns what a request names, once it is known to be signed: nothing of it is read before that.
fn urls(
    host: Host,
    secret: &WebhookSecret,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Vec<String>, (StatusCode, &'static str)> {
    if !host.is_authentic(secret, headers, body) {
        return Err((StatusCode::UNAUTHORIZED, "the signature is missing or wrong\n"));
    }
    let message: Value = serde_json::from_slice(body)
        .map_err(|_| (StatusCode::BAD_REQUEST, "the body is no JSON: choose `application/json` as content type\n"))?;
    Ok(host.named(&message))
}

async fn enqueue(core: &Core, urls: Vec<String>) {
    if urls.is_empty() {
        return;
    }
    let known = core.federation.known();
    let telling = known.connections.iter().map(|connection| {
        let message = EnqueueRequest { urls: urls.clone(), ..EnqueueRequest::default() };
        let request = known.connections.grants.signed(message);
        let mut client = IndexingServiceClient::new(connection.channel.clone());
        async move {
            match tokio::time::timeout(ENQUEUE_DEADLINE, client.enqueue(request)).await {
                Ok(Ok(_)) => {}
                Ok(Err(status)) => tracing::warn!(worker = connection.name, %status, "a worker was not told of a push"),
                Err(_) => tracing::warn!(worker = connection.name, "a worker did not hear of a push in time"),
            }
        }
    });
    join_all(telling).await;
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::json;

    use super::*;

    const SECRET: &str = "0123456789abcdef";

    fn secret() -> WebhookSecret {
        WebhookSecret(SECRET.as_bytes().into())
    }

    fn check(host: Host, header: &'static str, value: &str, body: &str, expected: Result<&[&str], u16>) {
        let headers = HeaderMap::from_iter([(header.parse().unwrap(), HeaderValue::from_str(value).unwrap())]);
        let found = urls(host, &secret(), &headers, &Bytes::copy_from_slice(body.as_bytes()));
        let found = found.map_err(|(status, _)| status.as_u16());
        assert_eq!(found, expected.map(|urls| urls.iter().map(|url| (*url).to_owned()).collect()), "{host:?} {body}");
    }

    fn signature(body: &str) -> String {
        let sum = secret().mac(body.as_bytes()).finalize().into_bytes();
        format!("sha256={}", sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    #[test]
    fn what_is_signed_is_read() {
        let github =
            json!({"repository": {"clone_url": "https://github.com/a/b.git", "full_name": "a/b", "id": 1}}).to_string();
        let gitlab = json!({"project": {"git_ssh_url": "git@host:a/b.git"}}).to_string();
        let generic = json!({"url": "file:///a", "urls": ["x/y", 3, ""]}).to_string();
        check(
            Host::GitHub,
            "x-hub-signature-256",
            &signature(&github),
            &github,
            Ok(&["https://github.com/a/b.git", "a/b"]),
        );
        check(Host::GitLab, "x-gitlab-token", SECRET, &gitlab, Ok(&["git@host:a/b.git"]));
        check(Host::Generic, "x-causeway-signature", &signature(&generic), &generic, Ok(&["file:///a", "x/y"]));
        check(Host::GitHub, "x-hub-signature-256", &signature("{\"zen\": 1}"), "{\"zen\": 1}", Ok(&[]));
        check(Host::GitHub, "x-hub-signature-256", &signature("payload=%7B"), "payload=%7B", Err(400));
    }

    #[test]
    fn what_is_not_signed_is_not_read() {
        let body = "{\"url\": \"file:///a\"}";
        let signature = signature(body);
        for (header, value) in [
            ("x-causeway-signature", &signature[7..]),
            ("x-causeway-signature", "sha256="),
            ("x-causeway-signature", "sha256=00"),
            ("x-causeway-signature", "sha256=0g"),
            ("x-hub-signature-256", &signature),
            ("x-gitlab-token", SECRET),
        ] {
            check(Host::Generic, header, value, body, Err(401));
        }
        check(Host::Generic, "x-causeway-signature", &signature, "not the same", Err(401));
        check(Host::GitLab, "x-gitlab-token", "0123456789abcdeF", body, Err(401));
    }

    #[test]
    fn a_known_sum_is_a_signature() {
        // printf '{}' | openssl dgst -sha256 -hmac 0123456789abcdef
        let known = "sha256=f91e3e9f05cc2df64ac1c26f8adccdffda8d1e4a7a8c50a1a08eeadac6ddfec5";
        assert!(secret().has_signed(b"{}", known) && !secret().has_signed(b"{ }", known));
    }

    #[test]
    fn a_secret_is_long_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let read = || WebhookSecret::read(&WebhooksSettings { secret_file: Some(path.clone()) });
        assert!(read().unwrap_err().contains("cannot be read"));
        fs::write(&path, "short-s3cret").unwrap();
        let said = read().unwrap_err();
        assert!(said.contains("16 characters") && !said.contains("s3cret"), "{said}");
        fs::write(&path, format!("{SECRET}\n")).unwrap();
        let secret = read().unwrap().unwrap();
        assert!(secret.is(SECRET) && !format!("{secret:?}").contains("0123"));
        assert!(WebhookSecret::read(&WebhooksSettings::default()).unwrap().is_none());
    }
}
