//! Authentication of callers, their readable repositories and their rate limits.
//!
//! A caller presents a configured token (`tokens`) or one of an authorisation server (`oauth`); both may be configured.
//! `limits` bounds the rate of calls.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
    time::Duration,
};

use serde::Deserialize;
use tokio::time::Instant;

use federation::principal::Principal;

mod duplicate_aliases;
mod limits;
mod oauth;
mod tokens;

pub(crate) use duplicate_aliases::warn_of_duplicates;
pub use limits::LimitSettings;
pub use oauth::{OAuthError, OAuthSettings, RuleSettings, SignInSettings};
pub use tokens::TokenSettings;

use limits::KeyedRateLimiter;
pub(crate) use oauth::{AuthorizationReply, CALLBACK_PATH, OAuth, OAuthClient, SignInAttempt, SignInError};
#[cfg(test)]
pub(crate) use oauth::{TestIssuer, challenge_of};
use tokens::Tokens;

/// The table `[access]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccessSettings {
    /// Configured tokens.
    #[serde(rename = "token")]
    pub tokens: Vec<TokenSettings>,
    /// Authorisation server that issues tokens. Default: none.
    pub oauth: Option<OAuthSettings>,
    /// Rate limits of callers.
    pub limits: LimitSettings,
}

/// Invalid settings of access.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The hash of a token is malformed.
    #[error(
        "token `{name}`: `sha256` must be the hash of the token in 64 hexadecimal digits (printf %s TOKEN | sha256sum)"
    )]
    TokenHash {
        /// The name of the token.
        name: String,
    },
    /// Another token has the name, or its prefix is reserved for issued tokens.
    #[error("`{name}` cannot be the name of a token: names must be unique and must not begin with `oauth:`")]
    TokenName {
        /// The name as configured.
        name: String,
    },
    /// Invalid settings of the authorisation server.
    #[error("`[access.oauth]`: {0}")]
    OAuth(OAuthError),
}

/// Burst of failed attempts per address. A person mistypes a token a few times; many people may share one address.
const FAILURE_BURST: u32 = 60;

/// Sustained rate of failed attempts per address.
const FAILURES_PER_MINUTE: u32 = 30;

/// Authentication of callers. Without any configured method, anyone who can reach the gateway can read everything.
#[derive(Clone, Default)]
pub(crate) struct Access {
    tokens: Tokens,
    oauth: Option<Arc<OAuth>>,
    calls: Option<Arc<KeyedRateLimiter<String>>>,
    failures: Option<Arc<KeyedRateLimiter<IpAddr>>>,
}

/// Reason for the rejection of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    /// No token.
    NoToken,
    /// An invalid or expired token.
    InvalidToken,
    /// A valid token without the required scope.
    InsufficientScope,
    /// Tokens cannot be verified, since the issuer's keys have not been read yet.
    NoKeys,
    /// Too many requests or failed attempts; the wait until the next attempt.
    RateLimited(Duration),
}

impl Denied {
    /// Returns the reason as a label for metrics and logs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Denied::NoToken => "no_token",
            Denied::InvalidToken => "wrong_token",
            Denied::InsufficientScope => "scope",
            Denied::NoKeys => "no_keys",
            Denied::RateLimited(_) => "too_often",
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens: Vec<&str> = self.tokens.names().collect();
        f.debug_struct("Access").field("tokens", &tokens).field("oauth", &self.oauth).finish_non_exhaustive()
    }
}

impl Access {
    pub(crate) fn new(settings: &AccessSettings) -> Result<Access, AccessError> {
        let oauth = settings.oauth.as_ref().map(OAuth::new).transpose().map_err(AccessError::OAuth)?;
        let LimitSettings { calls_per_minute, burst } = settings.limits;
        let calls = (calls_per_minute > 0)
            .then(|| Arc::new(KeyedRateLimiter::new(calls_per_minute, burst.unwrap_or(calls_per_minute))));
        Ok(Access {
            tokens: Tokens::new(&settings.tokens)?,
            oauth: oauth.map(Arc::new),
            calls,
            failures: Some(Arc::new(KeyedRateLimiter::new(FAILURES_PER_MINUTE, FAILURE_BURST))),
        })
    }

    /// Returns true if callers need no token.
    pub(crate) fn is_open(&self) -> bool {
        self.tokens.is_empty() && self.oauth.is_none()
    }

    /// Returns the repository patterns of all tokens and rules.
    fn patterns(&self) -> impl Iterator<Item = &str> {
        self.tokens.patterns().chain(self.oauth.iter().flat_map(|oauth| oauth.patterns()))
    }

    /// Returns the validator of issued tokens, if an authorisation server is configured.
    pub(crate) fn oauth(&self) -> Option<&OAuth> {
        self.oauth.as_deref()
    }

    /// Authenticates a request with this `Authorization` header from `peer`, and applies the rate limits.
    pub(crate) async fn admit(&self, authorization: Option<&str>, peer: Option<IpAddr>) -> Result<Principal, Denied> {
        if self.is_open() {
            return Ok(Principal::local());
        }
        let (now, peer) = (Instant::now(), peer.map(rate_limit_address));
        // A valid token is accepted even if the address has too many failures, since many callers may share one
        // address. Further failures are rate limited, and trigger no reads of unknown keys.
        let backoff = match (&self.failures, &peer) {
            (Some(failures), Some(peer)) => failures.check(peer, now).err(),
            _ => None,
        };
        match self.authenticate(authorization, backoff.is_none()).await {
            Ok(principal) => match &self.calls {
                Some(calls) => {
                    calls.take(&principal.name().to_owned(), now).map(|()| principal).map_err(Denied::RateLimited)
                }
                None => Ok(principal),
            },
            Err(Denied::InvalidToken) => {
                if let (Some(failures), Some(peer)) = (&self.failures, &peer) {
                    // Ignored: an empty bucket stays empty.
                    let _ = failures.take(peer, now);
                }
                Err(backoff.map_or(Denied::InvalidToken, Denied::RateLimited))
            }
            Err(denied) => Err(denied),
        }
    }

    /// Returns an error while an address has too many failed attempts.
    pub(crate) fn check_failures(&self, peer: Option<IpAddr>) -> Result<(), Denied> {
        match (&self.failures, peer.map(rate_limit_address)) {
            (Some(failures), Some(peer)) => failures.check(&peer, Instant::now()).map_err(Denied::RateLimited),
            _ => Ok(()),
        }
    }

    /// Counts a failed attempt of an address.
    pub(crate) fn record_failure(&self, peer: Option<IpAddr>) {
        if let (Some(failures), Some(peer)) = (&self.failures, peer.map(rate_limit_address)) {
            // Ignored: an empty bucket stays empty.
            let _ = failures.take(&peer, Instant::now());
        }
    }

    async fn authenticate(&self, authorization: Option<&str>, may_wait: bool) -> Result<Principal, Denied> {
        let authorization = authorization.ok_or(Denied::NoToken)?;
        let (scheme, token) = authorization.split_once(' ').ok_or(Denied::InvalidToken)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Denied::InvalidToken);
        }
        let token = token.trim();
        if let Some(holder) = self.tokens.holder(token) {
            return Ok(holder);
        }
        match &self.oauth {
            Some(oauth) => oauth.holder(token, may_wait).await,
            None => Err(Denied::InvalidToken),
        }
    }
}

/// Returns the address that rate limits count by: with IPv6, the /64 network, since one host has all of it.
fn rate_limit_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// printf %s s3cret | sha256sum
    const S3CRET: &str = "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0";

    fn access(limits: LimitSettings) -> Access {
        let token =
            TokenSettings { name: "ci".to_owned(), sha256: S3CRET.to_owned(), repositories: vec!["api".to_owned()] };
        Access::new(&AccessSettings { tokens: vec![token], limits, ..AccessSettings::default() }).unwrap()
    }

    #[tokio::test]
    async fn configured_token_authenticates_its_holder() {
        let access = access(LimitSettings::default());
        for (header, expected) in [
            (Some("Bearer s3cret"), Ok("ci")),
            (Some("bearer  s3cret"), Ok("ci")),
            (Some("Bearer other"), Err(Denied::InvalidToken)),
            (Some("Basic s3cret"), Err(Denied::InvalidToken)),
            (Some("s3cret"), Err(Denied::InvalidToken)),
            (None, Err(Denied::NoToken)),
        ] {
            let admitted = access.admit(header, None).await;
            assert_eq!(admitted.as_ref().map(Principal::name).map_err(|denied| *denied), expected, "{header:?}");
        }
        let holder = access.admit(Some("Bearer s3cret"), None).await.unwrap();
        assert!(holder.may_read("api", [].into_iter()) && !holder.may_read("web", ["api"].into_iter()));
    }

    #[tokio::test]
    async fn without_tokens_every_caller_is_local() {
        assert_eq!(Access::default().admit(None, None).await, Ok(Principal::local()));
    }

    #[tokio::test(start_paused = true)]
    async fn calls_are_rate_limited_per_caller() {
        let access = access(LimitSettings { calls_per_minute: 60, burst: Some(2) });
        let call = async || access.admit(Some("Bearer s3cret"), None).await.map(drop);
        assert_eq!((call().await, call().await), (Ok(()), Ok(())));
        assert_eq!(call().await, Err(Denied::RateLimited(Duration::from_secs(1))));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(call().await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn failed_attempts_are_rate_limited_per_network() {
        let access = access(LimitSettings::default());
        let guess = async |peer: &str| access.admit(Some("Bearer guess"), Some(peer.parse().unwrap())).await;
        for n in 0..FAILURE_BURST {
            assert_eq!(guess(&format!("2001:db8::{n:x}")).await, Err(Denied::InvalidToken), "{n}");
        }
        assert!(matches!(guess("2001:db8::ffff").await, Err(Denied::RateLimited(_))), "one network shares one limit");
        assert_eq!(guess("2001:db9::1").await, Err(Denied::InvalidToken));
        let right = access.admit(Some("Bearer s3cret"), Some("2001:db8::1".parse().unwrap())).await;
        assert!(right.is_ok(), "a valid token is accepted in spite of the failures of others");
        let silent = access.admit(None, Some("2001:db8::1".parse().unwrap())).await;
        assert_eq!(silent, Err(Denied::NoToken), "a missing token still gets the challenge");
    }
}
