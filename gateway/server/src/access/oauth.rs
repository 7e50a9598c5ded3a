//! The gateway as an OAuth 2.1 resource server, as the MCP specification requires.
//!
//! A bearer token is a JWT (RFC 7519) that the authorisation server signed with one of its published keys. Rules map
//! the claims of a token to repositories. The gateway issues no tokens, keeps no sessions, and never forwards a token.
//! For sign-in to the pages, it is a client of the same authorisation server (`client`).

mod attempt;
mod base64url;
mod client;
mod endpoints;
mod issuer_request;
mod keys;
mod rules;
mod signatures;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Arc};

use axum::http::Uri;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use attempt::SignInAttempt;
pub use client::SignInSettings;
pub(crate) use client::{AuthorizationReply, CALLBACK_PATH, OAuthClient, SignInError};
pub use rules::RuleSettings;
#[cfg(test)]
pub(crate) use {attempt::challenge_of, tests::TestIssuer};

use super::Denied;
use federation::principal::Principal;
use keys::{JwksSource, KeyCache, KeyLookup};
use rules::ClaimRule;

/// Name prefix of callers with an issued token. Names of configured tokens cannot have it, so that the two never
/// collide.
pub(super) const NAME_PREFIX: &str = "oauth:";

/// Accepted clock skew between two machines, in seconds.
const LEEWAY_SECONDS: u64 = 30;

/// Maximum length of a token, checked before decoding; most have one or two thousand bytes.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// Maximum length of a subject, as in OpenID Connect.
const MAX_SUBJECT_BYTES: usize = 255;

/// Path of protected resource metadata (RFC 9728).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The table `[access.oauth]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthSettings {
    /// The issuer, compared with `iss` of a token. Clients get it as the authorisation server.
    pub issuer: String,
    /// The URL of this gateway for clients, such as `https://code.example.com/mcp`.
    pub resource: String,
    /// The audience, compared with `aud` of a token. Default: `resource`.
    pub audience: Option<String>,
    /// URL of the issuer's key set; exclusive with `jwks_file`.
    pub jwks_url: Option<String>,
    /// File of the issuer's key set; it is reread at an interval.
    pub jwks_file: Option<PathBuf>,
    /// Scope that every token must have. Default: none.
    pub required_scope: Option<String>,
    /// Sign-in to the pages at the authorisation server. Default: callers paste a token.
    pub sign_in: Option<SignInSettings>,
    /// Rules that grant repositories; without a matching rule, a caller can read none.
    #[serde(default, rename = "rule")]
    pub rules: Vec<RuleSettings>,
}

/// Invalid settings of `[access.oauth]`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    /// Neither or both sources of keys are configured.
    #[error("set either `jwks_url` or `jwks_file`")]
    Keys,
    /// Plain HTTP to another machine.
    #[error("`{url}` must begin with `https://`, or name a loopback address")]
    Insecure {
        /// The configured URL.
        url: String,
    },
    /// An invalid URL.
    #[error("`{url}` is not a valid URL: write it like `https://code.example.com/mcp`")]
    Address {
        /// The configured URL.
        url: String,
    },
    /// An unusable key file.
    #[error("the key file `{}` cannot be used: {reason}", path.display())]
    File {
        /// The configured file.
        path: PathBuf,
        /// The cause, without the path.
        reason: String,
    },
    /// One of two addresses is configured.
    #[error("`sign_in`: set both `authorization_endpoint` and `token_endpoint`, or neither")]
    Endpoints,
    /// An unusable file of the client secret.
    #[error("`sign_in.client_secret_file`: `{}` cannot be used: {reason}", path.display())]
    SecretFile {
        /// The configured file.
        path: PathBuf,
        /// The cause, without the path.
        reason: String,
    },
    /// A required key with an empty value.
    #[error("`{key}` is empty")]
    Empty {
        /// Name of the key.
        key: &'static str,
    },
}

/// Validates tokens of one issuer.
#[derive(Debug)]
pub(crate) struct OAuth {
    issuer: String,
    audience: String,
    required_scope: Option<String>,
    rules: Vec<ClaimRule>,
    keys: Arc<KeyCache>,
    client: Option<OAuthClient>,
    metadata: Metadata,
    metadata_url: String,
}

/// Protected resource metadata for clients (RFC 9728).
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Metadata {
    resource: String,
    authorization_servers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes_supported: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
    resource_name: &'static str,
}

impl OAuth {
    pub(super) fn new(settings: &OAuthSettings) -> Result<OAuth, OAuthError> {
        signatures::install();
        for (key, value) in [("issuer", &settings.issuer), ("resource", &settings.resource)] {
            if value.is_empty() {
                return Err(OAuthError::Empty { key });
            }
        }
        let source = match (&settings.jwks_url, &settings.jwks_file) {
            (Some(url), None) => {
                check_secure(url)?;
                JwksSource::Url(url.parse().map_err(|_| OAuthError::Address { url: url.clone() })?)
            }
            (None, Some(path)) => JwksSource::File(path.clone()),
            _ => return Err(OAuthError::Keys),
        };
        let audience = settings.audience.clone().unwrap_or_else(|| settings.resource.clone());
        if audience.is_empty() {
            return Err(OAuthError::Empty { key: "audience" });
        }
        let required_scope = settings.required_scope.clone().filter(|scope| !scope.is_empty());
        let client = settings
            .sign_in
            .as_ref()
            .map(|sign_in| OAuthClient::new(sign_in, &settings.issuer, &settings.resource, required_scope.as_deref()));
        Ok(OAuth {
            client: client.transpose()?,
            metadata_url: metadata_url(&settings.resource)?,
            audience,
            required_scope,
            rules: settings.rules.iter().map(ClaimRule::from).collect(),
            keys: Arc::new(KeyCache::open(source)?),
            metadata: Metadata {
                resource: settings.resource.clone(),
                authorization_servers: vec![settings.issuer.clone()],
                scopes_supported: settings.required_scope.iter().cloned().collect(),
                bearer_methods_supported: ["header"],
                resource_name: "Causeway",
            },
            issuer: settings.issuer.clone(),
        })
    }

    /// Refreshes the issuer's keys forever.
    pub(crate) fn refresh_keys(&self) -> impl Future<Output = ()> + Send + 'static {
        keys::refresh(Arc::clone(&self.keys))
    }

    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the URL of the metadata for a `WWW-Authenticate` challenge.
    pub(crate) fn metadata_url(&self) -> &str {
        &self.metadata_url
    }

    pub(crate) fn required_scope(&self) -> Option<&str> {
        self.required_scope.as_deref()
    }

    /// Returns the repository patterns of all rules.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().flat_map(ClaimRule::repositories).map(String::as_str)
    }

    /// Returns the client for sign-in to the pages, if it is configured.
    pub(crate) fn client(&self) -> Option<&OAuthClient> {
        self.client.as_ref()
    }

    /// Ends a sign-in: exchanges the code of a reply, and returns the access token. The caller validates it like any other one.
    pub(crate) async fn complete(
        &self,
        client: &OAuthClient,
        reply: &AuthorizationReply,
        attempt: &SignInAttempt,
    ) -> Result<String, SignInError> {
        let tokens = client.exchange(client.code(reply, attempt)?, attempt).await?;
        if client.has_id_token() {
            let id_token = tokens.id_token.as_deref().ok_or(SignInError::InvalidIdToken)?;
            let claims = self.claims(id_token, &client.client_id, true).await;
            let claims = claims.map_err(|_| SignInError::InvalidIdToken)?;
            if claims.get("nonce").and_then(Value::as_str) != Some(&attempt.nonce) {
                return Err(SignInError::InvalidIdToken);
            }
        }
        Ok(tokens.access_token)
    }

    /// Validates a token and returns its holder. With `may_wait`, an unknown key is requested from the issuer.
    pub(super) async fn holder(&self, token: &str, may_wait: bool) -> Result<Principal, Denied> {
        let claims = self.claims(token, &self.audience, may_wait).await?;
        self.principal(&claims)
    }

    /// Validates a token for this audience and returns its claims.
    async fn claims(&self, token: &str, audience: &str, may_wait: bool) -> Result<Map<String, Value>, Denied> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Denied::InvalidToken);
        }
        let header = decode_header(token).map_err(|_| Denied::InvalidToken)?;
        // Critical header parameters must be understood (RFC 7515, 4.1.11); none is supported.
        if !signatures::ALGORITHMS.contains(&header.alg) || header.crit.is_some() {
            return Err(Denied::InvalidToken);
        }
        let key = match self.keys.find(header.kid.as_deref(), header.alg, may_wait).await {
            KeyLookup::Found(key) => key,
            KeyLookup::Unknown => return Err(Denied::InvalidToken),
            KeyLookup::NotLoaded => return Err(Denied::NoKeys),
        };
        match decode::<Map<String, Value>>(token, &key, &self.validation(header.alg, audience)) {
            Ok(decoded) => Ok(decoded.claims),
            Err(error) => {
                // Log the kind only, since other parts of the error may contain parts of the token.
                tracing::debug!(reason = ?error.kind(), "invalid token");
                Err(Denied::InvalidToken)
            }
        }
    }

    fn validation(&self, algorithm: Algorithm, audience: &str) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation
    }

    /// Returns the caller described by the claims of a verified token.
    fn principal(&self, claims: &Map<String, Value>) -> Result<Principal, Denied> {
        let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
        if subject.is_empty() || subject.len() > MAX_SUBJECT_BYTES || subject.chars().any(char::is_control) {
            return Err(Denied::InvalidToken);
        }
        if let Some(required) = &self.required_scope
            && !["scope", "scp"].iter().any(|claim| rules::values(claims, claim).contains(&required.as_str()))
        {
            return Err(Denied::InsufficientScope);
        }
        let repositories = self.rules.iter().filter(|rule| rule.applies(claims)).flat_map(ClaimRule::repositories);
        let mut repositories: Vec<String> = repositories.cloned().collect();
        repositories.sort();
        repositories.dedup();
        Ok(Principal::limited(format!("{NAME_PREFIX}{subject}"), repositories))
    }
}

/// Returns an error for URLs without TLS, except for loopback addresses.
fn check_secure(url: &str) -> Result<(), OAuthError> {
    let uri: Uri = url.parse().map_err(|_| OAuthError::Address { url: url.to_owned() })?;
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    match uri.scheme_str() {
        Some("https") if !host.is_empty() => Ok(()),
        Some("http") if is_loopback => Ok(()),
        Some("http") => Err(OAuthError::Insecure { url: url.to_owned() }),
        _ => Err(OAuthError::Address { url: url.to_owned() }),
    }
}

/// Returns the metadata URL of a resource: the well-known path, then the path of the resource (RFC 9728, 3.1).
fn metadata_url(resource: &str) -> Result<String, OAuthError> {
    check_secure(resource)?;
    let invalid = || OAuthError::Address { url: resource.to_owned() };
    let uri: Uri = resource.parse().map_err(|_| invalid())?;
    let authority = uri.authority().ok_or_else(invalid)?;
    if uri.query().is_some() || resource.contains('#') {
        return Err(invalid());
    }
    let path = uri.path().trim_end_matches('/');
    Ok(format!("{}://{authority}{WELL_KNOWN}{path}", uri.scheme_str().unwrap_or("https")))
}
