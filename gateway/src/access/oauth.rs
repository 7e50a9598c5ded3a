//! Callers that an authorisation server vouches for: this gateway as a resource server of OAuth 2.1, as MCP asks for it.
//!
//! A bearer token is a JWT (RFC 7519) that the server signed with one of its published keys. What it claims is translated
//! into repositories by rules. The gateway issues nothing, keeps no sessions, and never passes a token on.

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

pub use rules::RuleSettings;

use super::{Denied, Principal};
use keys::{Found, Keys, Source};
use rules::Rule;

/// What the names of callers begin with that come from an authorisation server: no token of the configuration has such
/// a name, so that neither is taken for the other.
pub(super) const NAME_PREFIX: &str = "oauth:";

/// How far the clocks of two machines may be apart, in seconds.
const LEEWAY_SECONDS: u64 = 30;

/// Longer tokens are refused unread; most have one or two thousand bytes.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// Longer names of callers are refused; OpenID allows 255.
const MAX_SUBJECT_BYTES: usize = 255;

/// Where the metadata of a protected resource lie on its host (RFC 9728).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The table `[access.oauth]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthSettings {
    /// Who issues tokens, as `iss` in them says; told to clients as the authorisation server.
    pub issuer: String,
    /// The address that clients know this gateway by, such as `https://code.example.com/mcp`.
    pub resource: String,
    /// Whom tokens are for, as `aud` in them says. Left out: `resource`.
    pub audience: Option<String>,
    /// Where the issuer publishes its keys; either this or `jwks_file`.
    pub jwks_url: Option<String>,
    /// The issuer's keys in a file, read again when it changes.
    pub jwks_file: Option<PathBuf>,
    /// What `scope` in a token must contain. Left out: nothing.
    pub required_scope: Option<String>,
    #[serde(default, rename = "rule")]
    pub rules: Vec<RuleSettings>,
}

/// Settings that do not make sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    #[error("give either `jwks_url` or `jwks_file`")]
    Keys,
    #[error("`{url}` must begin with `https://`, or lead to this machine")]
    Insecure { url: String },
    #[error("`{url}` is no address: write it like `https://code.example.com/mcp`")]
    Address { url: String },
    #[error("the key file `{}` cannot be used: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("`{key}` is empty")]
    Empty { key: &'static str },
}

/// Checks tokens of one issuer.
#[derive(Debug)]
pub(crate) struct OAuth {
    issuer: String,
    audience: String,
    required_scope: Option<String>,
    rules: Vec<Rule>,
    keys: Arc<Keys>,
    metadata: Metadata,
    metadata_url: String,
}

/// What clients are told of where tokens come from (RFC 9728).
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
                secure(url)?;
                Source::Url(url.clone())
            }
            (None, Some(path)) => Source::File(path.clone()),
            _ => return Err(OAuthError::Keys),
        };
        let audience = settings.audience.clone().unwrap_or_else(|| settings.resource.clone());
        if audience.is_empty() {
            return Err(OAuthError::Empty { key: "audience" });
        }
        Ok(OAuth {
            metadata_url: metadata_url(&settings.resource)?,
            audience,
            required_scope: settings.required_scope.clone().filter(|scope| !scope.is_empty()),
            rules: settings.rules.iter().map(Rule::from).collect(),
            keys: Arc::new(Keys::open(source)?),
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

    /// Keeps the issuer's keys up to date, for ever.
    pub(crate) fn keep_keys(&self) -> impl Future<Output = ()> + Send + 'static {
        keys::keep(Arc::clone(&self.keys))
    }

    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns where clients find out how to get a token, as a challenge names it.
    pub(crate) fn metadata_url(&self) -> &str {
        &self.metadata_url
    }

    pub(crate) fn required_scope(&self) -> Option<&str> {
        self.required_scope.as_deref()
    }

    /// Returns every pattern that gives rights to somebody.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().flat_map(Rule::repositories).map(String::as_str)
    }

    /// Returns whom a token was issued to. With `may_wait`, a key that is not known yet is looked for.
    pub(super) async fn holder(&self, token: &str, may_wait: bool) -> Result<Principal, Denied> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Denied::Unproven);
        }
        let header = decode_header(token).map_err(|_| Denied::Unproven)?;
        // What is critical in a header must be understood (RFC 7515, 4.1.11), and nothing is.
        if !signatures::ALGORITHMS.contains(&header.alg) || header.crit.is_some() {
            return Err(Denied::Unproven);
        }
        let key = match self.keys.find(header.kid.as_deref(), header.alg, may_wait).await {
            Found::Key(key) => key,
            Found::Unknown => return Err(Denied::Unproven),
            Found::NoneYet => return Err(Denied::NoKeys),
        };
        let decoded = decode::<Map<String, Value>>(token, &key, &self.validation(header.alg));
        let claims = match decoded {
            Ok(decoded) => decoded.claims,
            Err(error) => {
                // Its kind alone: what is wrong, and nothing of the token.
                tracing::debug!(reason = ?error.kind(), "a token was refused");
                return Err(Denied::Unproven);
            }
        };
        self.principal(&claims)
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation
    }

    /// Returns whom the claims of a token that is proven are about.
    fn principal(&self, claims: &Map<String, Value>) -> Result<Principal, Denied> {
        let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
        if subject.is_empty() || subject.len() > MAX_SUBJECT_BYTES || subject.chars().any(char::is_control) {
            return Err(Denied::Unproven);
        }
        if let Some(required) = &self.required_scope
            && !["scope", "scp"].iter().any(|claim| rules::values(claims, claim).contains(&required.as_str()))
        {
            return Err(Denied::Scope);
        }
        let repositories = self.rules.iter().filter(|rule| rule.applies(claims)).flat_map(Rule::repositories);
        let mut repositories: Vec<String> = repositories.cloned().collect();
        repositories.sort();
        repositories.dedup();
        Ok(Principal::limited(format!("{NAME_PREFIX}{subject}"), repositories))
    }
}

/// Refuses addresses that would be asked over a network that others may listen to, or speak on.
fn secure(url: &str) -> Result<(), OAuthError> {
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

/// Returns where the metadata of a resource lie: its path goes behind the well-known one (RFC 9728, 3.1).
fn metadata_url(resource: &str) -> Result<String, OAuthError> {
    secure(resource)?;
    let invalid = || OAuthError::Address { url: resource.to_owned() };
    let uri: Uri = resource.parse().map_err(|_| invalid())?;
    let authority = uri.authority().ok_or_else(invalid)?;
    if uri.query().is_some() || resource.contains('#') {
        return Err(invalid());
    }
    let path = uri.path().trim_end_matches('/');
    Ok(format!("{}://{authority}{WELL_KNOWN}{path}", uri.scheme_str().unwrap_or("https")))
}
