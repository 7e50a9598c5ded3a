//! The gateway as an OAuth client, for sign-in to the pages: authorization code flow with PKCE (RFC 6749, RFC 7636).
//!
//! The browser gets a code from the authorisation server, and the gateway exchanges it for an access token. The gateway keeps nothing
//! between the two: a cookie of the browser holds the attempt, so that any gateway can end what another one began.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use axum::http::{Uri, header::ACCEPT, header::CONTENT_TYPE};
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::{OAuthError, attempt::SignInAttempt, endpoints::EndpointSource, issuer_request};
use crate::access::Denied;

/// Path of the page that the authorisation server sends the browser back to.
pub(crate) const CALLBACK_PATH: &str = "/signin/callback";

/// Scope that makes an OpenID Connect server return an ID token.
const OPENID: &str = "openid";

/// Maximum number of concurrent exchanges of codes; others are refused immediately.
const MAX_EXCHANGES: usize = 32;

/// Maximum number of shown characters of an error of the authorisation server.
const MAX_ERROR_CHARS: usize = 200;

/// The table `[access.oauth.sign_in]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignInSettings {
    /// The id of this gateway at the authorisation server.
    pub client_id: String,
    /// File with the secret of this gateway at the authorisation server. Default: a public client, which has only PKCE.
    pub client_secret_file: Option<PathBuf>,
    /// Address for browsers. Default: that of the issuer's metadata.
    pub authorization_endpoint: Option<String>,
    /// Address for the exchange of codes. Default: that of the issuer's metadata.
    pub token_endpoint: Option<String>,
    /// Requested scopes. Default: `openid` and the required scope.
    pub scope: Option<String>,
}

/// A sign-in that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SignInError {
    /// No cookie of an attempt.
    #[error("The sign-in has expired, is completed already, or began at another address of this server.")]
    NoAttempt,
    /// The reply has the state of another attempt.
    #[error("The reply does not belong to the latest sign-in of this browser.")]
    WrongState,
    /// The reply names another issuer (RFC 9207).
    #[error("The reply is of another authorisation server.")]
    WrongIssuer,
    /// The authorisation server returned an error, such as `access_denied`.
    #[error("The authorisation server refused: {0}")]
    Refused(String),
    /// The reply has neither a code nor an error.
    #[error("The authorisation server sent no code.")]
    NoCode,
    /// The authorisation server does not accept the code.
    #[error("The code of the authorisation server has expired or was used already.")]
    InvalidCode,
    /// No usable reply of the authorisation server.
    #[error("The authorisation server does not answer as it should. Its log and that of this server tell more.")]
    Unavailable,
    /// The ID token is missing, invalid, or of another attempt.
    #[error("The authorisation server identified nobody for this sign-in.")]
    InvalidIdToken,
    /// The access token is not valid for this server.
    #[error("The access token of the authorisation server is not valid for this server.")]
    InvalidAccessToken(Denied),
    /// The access token fits in no cookie.
    #[error("The access token is longer than a cookie can be.")]
    TokenTooLong,
    /// Too many sign-ins at the same time, or too many failed ones.
    #[error("Too many sign-ins. Try again in a minute.")]
    Busy,
}

impl SignInError {
    /// Returns the status of the page with this error.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            SignInError::Unavailable | SignInError::InvalidAccessToken(Denied::NoKeys) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            SignInError::Busy | SignInError::InvalidAccessToken(Denied::RateLimited(_)) => {
                StatusCode::TOO_MANY_REQUESTS
            }
            SignInError::Refused(_) | SignInError::InvalidAccessToken(_) => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

/// The reply of the authorisation server, as the browser brings it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AuthorizationReply {
    state: String,
    code: Option<String>,
    iss: Option<String>,
    error: Option<String>,
}

/// The tokens of one exchange.
#[derive(Deserialize)]
pub(super) struct IssuedTokens {
    pub(super) access_token: String,
    pub(super) id_token: Option<String>,
}

/// An error of the token endpoint (RFC 6749, 5.2).
#[derive(Deserialize)]
struct TokenErrorReply {
    error: String,
}

/// The secret of this gateway at the authorisation server. Its `Debug` output hides it.
struct ClientSecret(String);

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret")
    }
}

/// The gateway at its authorisation server.
#[derive(Debug)]
pub(crate) struct OAuthClient {
    pub(super) client_id: String,
    secret: Option<ClientSecret>,
    issuer: String,
    resource: String,
    scope: String,
    redirect_url: String,
    endpoints: EndpointSource,
    exchanges: Semaphore,
}

impl OAuthClient {
    /// Validates the settings. `resource` is the address of the gateway for clients; the pages have the same host.
    pub(super) fn new(
        settings: &SignInSettings,
        issuer: &str,
        resource: &str,
        required_scope: Option<&str>,
    ) -> Result<OAuthClient, OAuthError> {
        if settings.client_id.is_empty() {
            return Err(OAuthError::Empty { key: "sign_in.client_id" });
        }
        let invalid = || OAuthError::Address { url: resource.to_owned() };
        let uri: Uri = resource.parse().map_err(|_| invalid())?;
        let authority = uri.authority().ok_or_else(invalid)?;
        let (authorization, token) = (&settings.authorization_endpoint, &settings.token_endpoint);
        let default_scope = || [OPENID].into_iter().chain(required_scope).collect::<Vec<_>>().join(" ");
        Ok(OAuthClient {
            client_id: settings.client_id.clone(),
            secret: settings.client_secret_file.as_deref().map(read_secret).transpose()?,
            issuer: issuer.to_owned(),
            resource: resource.to_owned(),
            scope: settings.scope.clone().unwrap_or_else(default_scope),
            redirect_url: format!("{}://{authority}{CALLBACK_PATH}", uri.scheme_str().unwrap_or("https")),
            endpoints: EndpointSource::new(issuer, authorization.as_deref(), token.as_deref())?,
            exchanges: Semaphore::new(MAX_EXCHANGES),
        })
    }

    /// Returns the host of the issuer, or the issuer if it is no URL.
    pub(crate) fn issuer_name(&self) -> &str {
        let after_scheme = self.issuer.split_once("://").map_or(self.issuer.as_str(), |(_, rest)| rest);
        after_scheme.split('/').next().unwrap_or(after_scheme)
    }

    /// Returns the address of the pages.
    pub(crate) fn pages_address(&self) -> &str {
        self.redirect_url.strip_suffix(CALLBACK_PATH).unwrap_or(&self.redirect_url)
    }

    /// Returns true if browsers reach the pages over TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.redirect_url.starts_with("https://")
    }

    /// Returns true if the authorisation server returns an ID token.
    pub(super) fn has_id_token(&self) -> bool {
        self.scope.split(' ').any(|scope| scope == OPENID)
    }

    /// Returns the address of the authorisation server that the browser goes to.
    pub(crate) async fn authorization_url(&self, attempt: &SignInAttempt) -> Result<Url, SignInError> {
        let mut url = self.endpoints.endpoints().await.map_err(|_| SignInError::Unavailable)?.authorization;
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", &self.redirect_url)
            .append_pair("scope", &self.scope)
            .append_pair("state", &attempt.state)
            .append_pair("code_challenge", &attempt.challenge())
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &self.resource);
        if self.has_id_token() {
            query.append_pair("nonce", &attempt.nonce);
        }
        drop(query);
        Ok(url)
    }

    /// Returns the code of a reply, if it belongs to the attempt.
    pub(super) fn code<'a>(
        &self,
        reply: &'a AuthorizationReply,
        attempt: &SignInAttempt,
    ) -> Result<&'a str, SignInError> {
        if reply.state != attempt.state {
            return Err(SignInError::WrongState);
        }
        if reply.iss.as_ref().is_some_and(|issuer| *issuer != self.issuer) {
            return Err(SignInError::WrongIssuer);
        }
        if let Some(error) = &reply.error {
            return Err(SignInError::Refused(shown_error(error)));
        }
        reply.code.as_deref().filter(|code| !code.is_empty()).ok_or(SignInError::NoCode)
    }

    /// Exchanges a code for tokens.
    pub(super) async fn exchange(&self, code: &str, attempt: &SignInAttempt) -> Result<IssuedTokens, SignInError> {
        let Ok(_permit) = self.exchanges.try_acquire() else { return Err(SignInError::Busy) };
        let url = self.endpoints.endpoints().await.map_err(|_| SignInError::Unavailable)?.token;
        let form = encoded(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_url),
            ("client_id", &self.client_id),
            ("code_verifier", &attempt.verifier),
            ("resource", &self.resource),
        ]);
        let unavailable = |reason: &str| {
            tracing::error!(reason, "cannot exchange a code of the authorisation server");
            SignInError::Unavailable
        };
        let reply = issuer_request::send(&url, |client| {
            let request = client
                .post(url.clone())
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .header(ACCEPT, "application/json")
                .body(form);
            match &self.secret {
                // Both parts are encoded first (RFC 6749, 2.3.1).
                Some(ClientSecret(secret)) => request.basic_auth(form_value(&self.client_id), Some(form_value(secret))),
                None => request,
            }
        });
        let reply = reply.await.map_err(|reason| unavailable(&reason))?;
        if reply.status.is_success() {
            return serde_json::from_slice(&reply.body).map_err(|_| unavailable("the reply has no tokens"));
        }
        match serde_json::from_slice::<TokenErrorReply>(&reply.body) {
            Ok(TokenErrorReply { error }) if error == "invalid_grant" => Err(SignInError::InvalidCode),
            Ok(TokenErrorReply { error }) => Err(unavailable(&shown_error(&error))),
            Err(_) => Err(unavailable(&format!("http status: {}", reply.status.as_u16()))),
        }
    }
}

/// Encodes the fields of a form.
fn encoded(fields: &[(&str, &str)]) -> String {
    let mut url: Url = "http://form".parse().expect("the address is valid");
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

/// Encodes one value as in a form.
fn form_value(value: &str) -> String {
    encoded(&[("", value)]).trim_start_matches('=').to_owned()
}

/// Returns the printable part of an error code of the authorisation server.
fn shown_error(error: &str) -> String {
    error.chars().filter(|letter| letter.is_ascii_graphic() || *letter == ' ').take(MAX_ERROR_CHARS).collect()
}

fn read_secret(path: &Path) -> Result<ClientSecret, OAuthError> {
    let unusable = |reason: String| OAuthError::SecretFile { path: path.to_owned(), reason };
    let text = files::read_text(path, files::MAX_SETTINGS_BYTES).map_err(|error| unusable(error.to_string()))?;
    match text.trim() {
        "" => Err(unusable("it is empty".to_owned())),
        secret => Ok(ClientSecret(secret.to_owned())),
    }
}
