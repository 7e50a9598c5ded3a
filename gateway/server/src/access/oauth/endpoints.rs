//! The addresses of the authorisation server for sign-in: configured, or from its metadata (RFC 8414, OpenID Connect Discovery).

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;
use tokio::{sync::Mutex, time::Instant};

use super::{OAuthError, check_secure, issuer_request};

/// Time for which metadata are used.
const METADATA_AGE: Duration = Duration::from_secs(300);

/// Time after a failed read in which sign-ins fail at once.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// The addresses of one authorisation server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IssuerEndpoints {
    /// The address for browsers.
    pub(super) authorization: Url,
    /// The address for the exchange of codes.
    pub(super) token: Url,
}

/// The source of the addresses.
#[derive(Debug)]
pub(super) enum EndpointSource {
    Configured(IssuerEndpoints),
    /// The metadata of an issuer, and the latest result of reading them.
    Metadata {
        issuer: String,
        latest: Mutex<Option<MetadataRead>>,
    },
}

/// A read of metadata, with its time.
#[derive(Debug)]
pub(super) struct MetadataRead {
    at: Instant,
    result: Result<IssuerEndpoints, String>,
}

impl EndpointSource {
    /// Takes the configured addresses. Without any, uses the metadata of the issuer.
    pub(super) fn new(
        issuer: &str,
        authorization: Option<&str>,
        token: Option<&str>,
    ) -> Result<EndpointSource, OAuthError> {
        match (authorization, token) {
            (Some(authorization), Some(token)) => Ok(EndpointSource::Configured(IssuerEndpoints {
                authorization: secure_url(authorization)?,
                token: secure_url(token)?,
            })),
            (None, None) => {
                secure_url(issuer)?;
                Ok(EndpointSource::Metadata { issuer: issuer.to_owned(), latest: Mutex::default() })
            }
            _ => Err(OAuthError::Endpoints),
        }
    }

    /// Returns the addresses. Reads the metadata if they are unknown or old: one read at a time, whose result all waiting callers get.
    pub(super) async fn endpoints(&self) -> Result<IssuerEndpoints, String> {
        let (issuer, latest) = match self {
            EndpointSource::Configured(endpoints) => return Ok(endpoints.clone()),
            EndpointSource::Metadata { issuer, latest } => (issuer, latest),
        };
        let mut latest = latest.lock().await;
        let max_age = |read: &MetadataRead| if read.result.is_ok() { METADATA_AGE } else { RETRY_INTERVAL };
        if let Some(read) = latest.as_ref().filter(|read| read.at.elapsed() < max_age(read)) {
            return read.result.clone();
        }
        let result = tokio::time::timeout(issuer_request::ISSUER_DEADLINE, read_metadata(issuer)).await;
        let too_slow = || Err(format!("no metadata within {} seconds", issuer_request::ISSUER_DEADLINE.as_secs()));
        let result = result.unwrap_or_else(|_| too_slow());
        if let Err(reason) = &result {
            tracing::error!(issuer, reason, "cannot read the metadata of the authorisation server");
        }
        *latest = Some(MetadataRead { at: Instant::now(), result: result.clone() });
        result
    }
}

/// The used fields of metadata.
#[derive(Deserialize)]
struct IssuerMetadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    code_challenge_methods_supported: Option<Vec<String>>,
}

/// Reads the metadata at the first well-known address that has some.
async fn read_metadata(issuer: &str) -> Result<IssuerEndpoints, String> {
    let mut reasons = Vec::new();
    for url in metadata_urls(issuer) {
        let url: Url = url.parse().map_err(|_| "the issuer is not a valid URL".to_owned())?;
        let path = url.path().to_owned();
        match issuer_request::get(url).await.and_then(|body| parse_metadata(&body, issuer)) {
            Ok(endpoints) => return Ok(endpoints),
            Err(reason) => reasons.push(format!("{path}: {reason}")),
        }
    }
    Err(reasons.join("; "))
}

/// Returns the addresses of metadata: after the issuer (OpenID Connect), and between its host and its path (RFC 8414, 3.1).
fn metadata_urls(issuer: &str) -> [String; 2] {
    let issuer = issuer.trim_end_matches('/');
    let host_end = issuer.find("://").map_or(0, |scheme| scheme + 3);
    let (host, path) = match issuer[host_end..].find('/') {
        Some(slash) => issuer.split_at(host_end + slash),
        None => (issuer, ""),
    };
    [
        format!("{issuer}/.well-known/openid-configuration"),
        format!("{host}/.well-known/oauth-authorization-server{path}"),
    ]
}

/// Validates metadata: they are those of the issuer, and the server supports PKCE as far as it tells.
fn parse_metadata(body: &[u8], issuer: &str) -> Result<IssuerEndpoints, String> {
    let metadata: IssuerMetadata = serde_json::from_slice(body).map_err(|error| format!("no metadata: {error}"))?;
    if metadata.issuer != issuer {
        return Err("the metadata are of another issuer".to_owned());
    }
    if metadata.code_challenge_methods_supported.is_some_and(|methods| !methods.iter().any(|method| method == "S256")) {
        return Err("the server does not support PKCE with S256".to_owned());
    }
    let url = |url: &str| secure_url(url).map_err(|error| error.to_string());
    Ok(IssuerEndpoints { authorization: url(&metadata.authorization_endpoint)?, token: url(&metadata.token_endpoint)? })
}

/// Parses a URL with TLS, or of this machine.
fn secure_url(url: &str) -> Result<Url, OAuthError> {
    check_secure(url)?;
    url.parse().map_err(|_| OAuthError::Address { url: url.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_have_two_addresses() {
        assert_eq!(
            metadata_urls("https://id.example.com"),
            [
                "https://id.example.com/.well-known/openid-configuration",
                "https://id.example.com/.well-known/oauth-authorization-server"
            ]
        );
        assert_eq!(
            metadata_urls("https://id.example.com/realms/acme/"),
            [
                "https://id.example.com/realms/acme/.well-known/openid-configuration",
                "https://id.example.com/.well-known/oauth-authorization-server/realms/acme"
            ]
        );
    }

    #[test]
    fn metadata_of_other_issuers_and_insecure_endpoints_are_refused() {
        let parse = |changes: &[(&str, serde_json::Value)]| {
            let mut metadata = serde_json::json!({
                "issuer": "https://id.example.com", "authorization_endpoint": "https://id.example.com/authorize",
                "token_endpoint": "https://id.example.com/token",
            });
            changes.iter().for_each(|(name, value)| metadata[*name] = value.clone());
            parse_metadata(metadata.to_string().as_bytes(), "https://id.example.com")
        };
        assert!(
            parse(&[]).is_ok() && parse(&[("code_challenge_methods_supported", ["plain", "S256"][..].into())]).is_ok()
        );
        for (name, value) in [
            ("issuer", "https://evil.example".into()),
            ("token_endpoint", "http://id.example.com/token".into()),
            ("authorization_endpoint", "javascript:alert(1)".into()),
            ("code_challenge_methods_supported", ["plain"][..].into()),
        ] {
            assert!(parse(&[(name, value)]).is_err(), "{name}");
        }
        assert!(parse_metadata(b"<html>", "https://id.example.com").is_err());
    }

    #[test]
    fn endpoints_are_configured_together() {
        let url = Some("https://id.example.com/x");
        assert!(matches!(EndpointSource::new("x", url, url), Ok(EndpointSource::Configured(_))));
        assert_eq!(EndpointSource::new("x", url, None).unwrap_err(), OAuthError::Endpoints);
        assert!(EndpointSource::new("no-url", None, None).is_err());
    }
}
