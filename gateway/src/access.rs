//! Who asks, and which repositories exist for them.
//!
//! Callers prove who they are by a token that the configuration knows (`tokens`), or by one that an authorisation server
//! issued (`oauth`); both may be configured. How often they may call is bounded (`limits`).

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

use crate::config::{AccessSettings, ConfigError};

mod limits;
mod oauth;
mod tokens;
mod twins;

pub use limits::LimitSettings;
pub use oauth::{OAuthError, OAuthSettings, RuleSettings};
pub use tokens::TokenSettings;
pub(crate) use twins::keep_warning;

use limits::Limiter;
pub(crate) use oauth::OAuth;
use tokens::Tokens;

/// Failed attempts of one address that count as mistakes, and how many more there may be per minute. A person mistypes
/// a token a few times; many people may sit behind one address.
const FAILURES_AT_ONCE: u32 = 60;
const FAILURES_PER_MINUTE: u32 = 30;

/// A caller: a name for the logs, and the repositories that exist for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    name: String,
    rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Everything,
    /// Aliases, alone or as `alias@worker`, `*` standing for any characters.
    Patterns(Vec<String>),
}

impl Principal {
    /// Returns the caller on this machine where no tokens are configured: everything exists for it.
    pub fn local() -> Principal {
        Principal { name: "local".to_owned(), rule: Rule::Everything }
    }

    /// Returns a caller for whom the repositories exist whose own alias matches one of `patterns`, alone or with the name of
    /// a worker that has it.
    pub fn limited(name: impl Into<String>, patterns: impl IntoIterator<Item = String>) -> Principal {
        Principal { name: name.into(), rule: Rule::Patterns(patterns.into_iter().collect()) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Says whether this is whoever reaches a gateway that asks for no token.
    pub(crate) fn is_local(&self) -> bool {
        self.rule == Rule::Everything
    }

    fn patterns(&self) -> impl Iterator<Item = &str> {
        let patterns = match &self.rule {
            Rule::Everything => [].as_slice(),
            Rule::Patterns(patterns) => patterns,
        };
        patterns.iter().map(String::as_str)
    }

    /// Says whether whatever there may be exists for the caller.
    pub(crate) fn reads_everything(&self) -> bool {
        match &self.rule {
            Rule::Everything => true,
            Rule::Patterns(patterns) => patterns.iter().any(|pattern| pattern == "*"),
        }
    }

    /// Says whether a repository exists for the caller that `workers` have, and know by this alias. It depends on nothing else
    /// that there is, so that no rule ever comes to be for another repository.
    pub(crate) fn may_read<'a>(&self, alias: &str, workers: impl Iterator<Item = &'a str> + Clone) -> bool {
        let covers = |pattern: &String| {
            let is_on = |pattern: &str| workers.clone().any(|worker| matches_pattern(pattern, worker));
            let is_qualified =
                || pattern.rsplit_once('@').is_some_and(|(own, on)| matches_pattern(own, alias) && is_on(on));
            matches_pattern(pattern, alias) || is_qualified()
        };
        match &self.rule {
            Rule::Everything => true,
            Rule::Patterns(patterns) => patterns.iter().any(covers),
        }
    }
}

/// How callers prove who they are. No way at all means that everybody who reaches the gateway may read everything.
#[derive(Clone, Default)]
pub(crate) struct Access {
    tokens: Tokens,
    oauth: Option<Arc<OAuth>>,
    calls: Option<Arc<Limiter<String>>>,
    failures: Option<Arc<Limiter<IpAddr>>>,
}

/// Why somebody may not call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    /// There is no token.
    Missing,
    /// What is there proves nothing.
    Unproven,
    /// The token is sound, and not for this.
    Scope,
    /// No token can be checked yet, since the issuer's keys could not be read.
    NoKeys,
    /// Not before so long.
    TooOften(Duration),
}

impl Denied {
    /// Returns one of a few words, for metrics and logs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Denied::Missing => "no_token",
            Denied::Unproven => "wrong_token",
            Denied::Scope => "scope",
            Denied::NoKeys => "no_keys",
            Denied::TooOften(_) => "too_often",
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
    pub(crate) fn new(settings: &AccessSettings) -> Result<Access, ConfigError> {
        let oauth = settings.oauth.as_ref().map(OAuth::new).transpose().map_err(ConfigError::OAuth)?;
        let LimitSettings { calls_per_minute, burst } = settings.limits;
        let calls =
            (calls_per_minute > 0).then(|| Arc::new(Limiter::new(calls_per_minute, burst.unwrap_or(calls_per_minute))));
        Ok(Access {
            tokens: Tokens::new(&settings.tokens)?,
            oauth: oauth.map(Arc::new),
            calls,
            failures: Some(Arc::new(Limiter::new(FAILURES_PER_MINUTE, FAILURES_AT_ONCE))),
        })
    }

    /// Says whether callers need no token.
    pub(crate) fn is_open(&self) -> bool {
        self.tokens.is_empty() && self.oauth.is_none()
    }

    /// Returns every pattern that gives rights to somebody.
    fn patterns(&self) -> impl Iterator<Item = &str> {
        self.tokens.patterns().chain(self.oauth.iter().flat_map(|oauth| oauth.patterns()))
    }

    /// Returns the authorisation server's side, where one is configured.
    pub(crate) fn oauth(&self) -> Option<&OAuth> {
        self.oauth.as_deref()
    }

    /// Returns who sent a request with this `Authorization` header from `peer`, if they may call now.
    pub(crate) async fn admit(&self, authorization: Option<&str>, peer: Option<IpAddr>) -> Result<Principal, Denied> {
        if self.is_open() {
            return Ok(Principal::local());
        }
        let (now, peer) = (Instant::now(), peer.map(network));
        // Whoever is right is let in all the same: behind one address there may be many. Who goes on being wrong is told to
        // wait, and has no key looked for.
        let worn_out = match (&self.failures, &peer) {
            (Some(failures), Some(peer)) => failures.check(peer, now).err(),
            _ => None,
        };
        match self.prove(authorization, worn_out.is_none()).await {
            Ok(principal) => match &self.calls {
                Some(calls) => calls.take(&principal.name, now).map(|()| principal).map_err(Denied::TooOften),
                None => Ok(principal),
            },
            Err(Denied::Unproven) => {
                if let (Some(failures), Some(peer)) = (&self.failures, &peer) {
                    // An empty bucket stays empty.
                    let _ = failures.take(peer, now);
                }
                Err(worn_out.map_or(Denied::Unproven, Denied::TooOften))
            }
            Err(denied) => Err(denied),
        }
    }

    async fn prove(&self, authorization: Option<&str>, may_wait: bool) -> Result<Principal, Denied> {
        let authorization = authorization.ok_or(Denied::Missing)?;
        let (scheme, token) = authorization.split_once(' ').ok_or(Denied::Unproven)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Denied::Unproven);
        }
        let token = token.trim();
        if let Some(holder) = self.tokens.holder(token) {
            return Ok(holder);
        }
        match &self.oauth {
            Some(oauth) => oauth.holder(token, may_wait).await,
            None => Err(Denied::Unproven),
        }
    }
}

/// Returns what one holder of addresses has: with IPv6, that is a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

fn matches_pattern(pattern: &str, alias: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else { return pattern == alias };
    let Some(mut tail) = alias.strip_prefix(prefix) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return tail.ends_with(part);
        }
        let Some(at) = tail.find(part) else { return false };
        tail = &tail[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, alias, expected) in [
            ("*", "anything", true),
            ("acme", "acme", true),
            ("acme", "acme@w2", false),
            ("acme/*", "acme/api", true),
            ("acme/*", "acme", false),
            ("*-api", "billing-api", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("", "x", false),
        ] {
            assert_eq!(matches_pattern(pattern, alias), expected, "{pattern} {alias}");
        }
    }

    /// printf %s s3cret | sha256sum
    const S3CRET: &str = "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0";

    fn access(limits: LimitSettings) -> Access {
        let token =
            TokenSettings { name: "ci".to_owned(), sha256: S3CRET.to_owned(), repositories: vec!["api".to_owned()] };
        Access::new(&AccessSettings { tokens: vec![token], limits, ..AccessSettings::default() }).unwrap()
    }

    #[tokio::test]
    async fn a_token_is_its_holder() {
        let access = access(LimitSettings::default());
        for (header, expected) in [
            (Some("Bearer s3cret"), Ok("ci")),
            (Some("bearer  s3cret"), Ok("ci")),
            (Some("Bearer other"), Err(Denied::Unproven)),
            (Some("Basic s3cret"), Err(Denied::Unproven)),
            (Some("s3cret"), Err(Denied::Unproven)),
            (None, Err(Denied::Missing)),
        ] {
            let admitted = access.admit(header, None).await;
            assert_eq!(admitted.as_ref().map(Principal::name).map_err(|denied| *denied), expected, "{header:?}");
        }
        let holder = access.admit(Some("Bearer s3cret"), None).await.unwrap();
        assert!(holder.may_read("api", [].into_iter()) && !holder.may_read("web", ["api"].into_iter()));
    }

    #[tokio::test]
    async fn without_tokens_everybody_is_local() {
        assert_eq!(Access::default().admit(None, None).await, Ok(Principal::local()));
    }

    #[tokio::test(start_paused = true)]
    async fn callers_are_held_to_their_rate() {
        let access = access(LimitSettings { calls_per_minute: 60, burst: Some(2) });
        let call = async || access.admit(Some("Bearer s3cret"), None).await.map(drop);
        assert_eq!((call().await, call().await), (Ok(()), Ok(())));
        assert_eq!(call().await, Err(Denied::TooOften(Duration::from_secs(1))));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(call().await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn who_goes_on_guessing_is_told_to_wait() {
        let access = access(LimitSettings::default());
        let guess = async |peer: &str| access.admit(Some("Bearer guess"), Some(peer.parse().unwrap())).await;
        for n in 0..FAILURES_AT_ONCE {
            assert_eq!(guess(&format!("2001:db8::{n:x}")).await, Err(Denied::Unproven), "{n}");
        }
        assert!(matches!(guess("2001:db8::ffff").await, Err(Denied::TooOften(_))), "one network is one holder");
        assert_eq!(guess("2001:db9::1").await, Err(Denied::Unproven));
        let right = access.admit(Some("Bearer s3cret"), Some("2001:db8::1".parse().unwrap())).await;
        assert!(right.is_ok(), "a neighbour's guesses cost nobody anything");
        let silent = access.admit(None, Some("2001:db8::1".parse().unwrap())).await;
        assert_eq!(silent, Err(Denied::Missing), "who has no token yet is told how to get one");
    }
}
