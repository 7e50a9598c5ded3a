//! Push webhooks of code hosts: they make workers fetch immediately instead of at their next poll.
//!
//! A sender with the secret can only trigger fetches of followed repositories. The response does not reveal whether any
//! worker follows the repository.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

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

/// Maximum size of a body: enough for a push event with the maximum number of commits.
const MAX_BODY_BYTES: usize = 5 << 20;

/// Deadline of reading a body. The sender is not authenticated yet, few bodies fit in memory, and code hosts send
/// quickly.
const BODY_DEADLINE: Duration = Duration::from_secs(2);

/// Deadline of a worker for accepting the request. After a timeout, it fetches at its next poll.
const ENQUEUE_DEADLINE: Duration = Duration::from_secs(2);

/// Maximum number of concurrent requests, each with a body in memory; code hosts retry.
const MAX_IN_FLIGHT: usize = 32;

/// Minimum length of the secret; a shorter one can be guessed.
const MIN_SECRET_BYTES: usize = 16;

/// Maximum number of URLs in one request.
const MAX_URLS: usize = 100;

/// Maximum length of a URL.
const MAX_URL_BYTES: usize = 2_000;

/// The table `[webhooks]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebhooksSettings {
    /// File with the shared secret of the signatures. Default: webhooks are disabled.
    pub secret_file: Option<PathBuf>,
}

/// The shared secret of the signatures. Its `Debug` output hides it.
#[derive(Clone)]
pub(crate) struct WebhookSecret(Arc<[u8]>);

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

impl WebhookSecret {
    /// Reads the secret, if configured, and trims surrounding whitespace.
    pub(crate) fn read(settings: &WebhooksSettings) -> Result<Option<WebhookSecret>, String> {
        let Some(path) = &settings.secret_file else { return Ok(None) };
        let text = files::read_text(path, files::MAX_SETTINGS_BYTES)
            .map_err(|error| format!("the secret file `{}` cannot be read: {error}", path.display()))?;
        let secret = text.trim().as_bytes();
        if secret.len() < MIN_SECRET_BYTES {
            return Err(format!("the secret in `{}` must have at least {MIN_SECRET_BYTES} characters", path.display()));
        }
        Ok(Some(WebhookSecret(secret.into())))
    }

    fn mac(&self, bytes: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC accepts keys of any length");
        mac.chain_update(bytes)
    }

    /// Returns true if `signature` is `sha256=` and the HMAC of the body. Compares in constant time.
    fn has_valid_signature(&self, body: &[u8], signature: &str) -> bool {
        let hex = signature.strip_prefix("sha256=").and_then(from_hex);
        hex.is_some_and(|signature| self.mac(body).verify_slice(&signature).is_ok())
    }

    /// Returns true if `token` is the secret. Compares HMACs in constant time.
    fn is_equal_to(&self, token: &str) -> bool {
        self.mac(token.as_bytes()).verify(&self.mac(&self.0).finalize().into_bytes()).is_ok()
    }
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Sender of a webhook, with its format and signature scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeHost {
    GitHub,
    GitLab,
    Generic,
}

impl CodeHost {
    fn is_authentic(self, secret: &WebhookSecret, headers: &HeaderMap, body: &[u8]) -> bool {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match self {
            CodeHost::GitHub => secret.has_valid_signature(body, header("x-hub-signature-256")),
            CodeHost::GitLab => secret.is_equal_to(header("x-gitlab-token")),
            CodeHost::Generic => secret.has_valid_signature(body, header("x-causeway-signature")),
        }
    }

    /// Returns the URLs and the path of the repository in a message.
    fn repository_urls(self, message: &Value) -> Vec<String> {
        let texts =
            |value: &Value, keys: &[&str]| -> Vec<Value> { keys.iter().map(|key| value[*key].clone()).collect() };
        let named = match self {
            CodeHost::GitHub => texts(&message["repository"], &["clone_url", "ssh_url", "html_url", "full_name"]),
            CodeHost::GitLab => {
                texts(&message["project"], &["git_http_url", "git_ssh_url", "web_url", "path_with_namespace"])
            }
            CodeHost::Generic => {
                let listed = message["urls"].as_array().cloned().unwrap_or_default();
                texts(message, &["url"]).into_iter().chain(listed).collect()
            }
        };
        let is_url = |url: &&str| !url.is_empty() && url.len() <= MAX_URL_BYTES;
        named.iter().filter_map(Value::as_str).filter(is_url).take(MAX_URLS).map(str::to_owned).collect()
    }
}

/// Returns the webhook routes; none without a secret.
pub(crate) fn routes(secret: Option<&WebhookSecret>) -> Router<Arc<Core>> {
    let Some(secret) = secret else { return Router::new() };
    let hook = |host: CodeHost| {
        let secret = secret.clone();
        post(move |state, headers, body| receive(host, secret, state, headers, body))
    };
    let overloaded =
        |_: BoxError| async { (StatusCode::SERVICE_UNAVAILABLE, "too many webhooks in flight, try again\n") };
    Router::new()
        .route("/hooks/github", hook(CodeHost::GitHub))
        .route("/hooks/gitlab", hook(CodeHost::GitLab))
        .route("/hooks/generic", hook(CodeHost::Generic))
        .layer(
            ServiceBuilder::new().layer(HandleErrorLayer::new(overloaded)).load_shed().concurrency_limit(MAX_IN_FLIGHT),
        )
}

async fn receive(
    host: CodeHost,
    secret: WebhookSecret,
    State(core): State<Arc<Core>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let body = match tokio::time::timeout(BODY_DEADLINE, axum::body::to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return (StatusCode::PAYLOAD_TOO_LARGE, "the body is too long or incomplete\n").into_response(),
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

/// Verifies the signature, and only then parses the body. Returns the URLs in it.
fn urls(
    host: CodeHost,
    secret: &WebhookSecret,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Vec<String>, (StatusCode, &'static str)> {
    if !host.is_authentic(secret, headers, body) {
        return Err((StatusCode::UNAUTHORIZED, "the signature is missing or wrong\n"));
    }
    let message: Value = serde_json::from_slice(body).map_err(|_| {
        (StatusCode::BAD_REQUEST, "the body is not JSON: set `application/json` as the content type of the webhook\n")
    })?;
    Ok(host.repository_urls(&message))
}

async fn enqueue(core: &Core, urls: Vec<String>) {
    if urls.is_empty() {
        return;
    }
    let known = core.workers().known();
    let requests = known.connections.iter().map(|connection| {
        let message = EnqueueRequest { urls: urls.clone(), ..EnqueueRequest::default() };
        let request = known.connections.grants.signed(message);
        let mut client = IndexingServiceClient::new(connection.channel.clone());
        async move {
            match tokio::time::timeout(ENQUEUE_DEADLINE, client.enqueue(request)).await {
                Ok(Ok(_)) => {}
                Ok(Err(status)) => {
                    tracing::warn!(worker = connection.name, %status, "cannot notify a worker of a push")
                }
                Err(_) => tracing::warn!(worker = connection.name, "timeout while notifying a worker of a push"),
            }
        }
    });
    join_all(requests).await;
}

#[cfg(test)]
mod tests {
    use std::fs;

    use axum::http::HeaderValue;
    use serde_json::json;

    use super::*;

    const SECRET: &str = "0123456789abcdef";

    fn secret() -> WebhookSecret {
        WebhookSecret(SECRET.as_bytes().into())
    }

    fn check(host: CodeHost, header: &'static str, value: &str, body: &str, expected: Result<&[&str], u16>) {
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
    fn signed_messages_give_repository_urls() {
        let github =
            json!({"repository": {"clone_url": "https://github.com/a/b.git", "full_name": "a/b", "id": 1}}).to_string();
        let gitlab = json!({"project": {"git_ssh_url": "git@host:a/b.git"}}).to_string();
        let generic = json!({"url": "file:///a", "urls": ["x/y", 3, ""]}).to_string();
        check(
            CodeHost::GitHub,
            "x-hub-signature-256",
            &signature(&github),
            &github,
            Ok(&["https://github.com/a/b.git", "a/b"]),
        );
        check(CodeHost::GitLab, "x-gitlab-token", SECRET, &gitlab, Ok(&["git@host:a/b.git"]));
        check(CodeHost::Generic, "x-causeway-signature", &signature(&generic), &generic, Ok(&["file:///a", "x/y"]));
        check(CodeHost::GitHub, "x-hub-signature-256", &signature("{\"zen\": 1}"), "{\"zen\": 1}", Ok(&[]));
        check(CodeHost::GitHub, "x-hub-signature-256", &signature("payload=%7B"), "payload=%7B", Err(400));
    }

    #[test]
    fn unsigned_messages_are_rejected() {
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
            check(CodeHost::Generic, header, value, body, Err(401));
        }
        check(CodeHost::Generic, "x-causeway-signature", &signature, "not the same", Err(401));
        check(CodeHost::GitLab, "x-gitlab-token", "0123456789abcdeF", body, Err(401));
    }

    #[test]
    fn signatures_match_openssl() {
        // printf '{}' | openssl dgst -sha256 -hmac 0123456789abcdef
        let known = "sha256=f91e3e9f05cc2df64ac1c26f8adccdffda8d1e4a7a8c50a1a08eeadac6ddfec5";
        assert!(secret().has_valid_signature(b"{}", known) && !secret().has_valid_signature(b"{ }", known));
    }

    #[test]
    fn secret_has_a_minimum_length_and_is_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let read = || WebhookSecret::read(&WebhooksSettings { secret_file: Some(path.clone()) });
        assert!(read().unwrap_err().contains("cannot be read"));
        fs::write(&path, "short-s3cret").unwrap();
        let error = read().unwrap_err();
        assert!(error.contains("16 characters") && !error.contains("s3cret"), "{error}");
        fs::write(&path, format!("{SECRET}\n")).unwrap();
        let secret = read().unwrap().unwrap();
        assert!(secret.is_equal_to(SECRET) && !format!("{secret:?}").contains("0123"));
        assert!(WebhookSecret::read(&WebhooksSettings::default()).unwrap().is_none());
    }
}
