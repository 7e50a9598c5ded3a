//! Who asks, and which repositories exist for them.

use std::fmt;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::config::ConfigError;

/// A caller: a name for the logs, and the repositories that exist for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    name: String,
    rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Everything,
    /// Aliases, `*` standing for any characters.
    Patterns(Vec<String>),
}

impl Principal {
    /// Returns the caller on this machine where no tokens are configured: everything exists for it.
    pub fn local() -> Principal {
        Principal { name: "local".to_owned(), rule: Rule::Everything }
    }

    /// Returns a caller for whom the repositories exist whose alias matches one of `patterns`.
    pub fn limited(name: impl Into<String>, patterns: impl IntoIterator<Item = String>) -> Principal {
        Principal { name: name.into(), rule: Rule::Patterns(patterns.into_iter().collect()) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Says whether the repository with this alias exists for the caller.
    pub fn may_read(&self, alias: &str) -> bool {
        match &self.rule {
            Rule::Everything => true,
            Rule::Patterns(patterns) => patterns.iter().any(|pattern| matches_pattern(pattern, alias)),
        }
    }
}

/// One `[[access.token]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenSettings {
    /// Who holds the token; shown in logs and nowhere else.
    pub name: String,
    /// The token's SHA-256 as hexadecimal digits. The token itself stands in no file.
    pub sha256: String,
    /// Aliases that the holder may read, `*` standing for any characters.
    pub repositories: Vec<String>,
}

/// The tokens that callers present. None at all means that everybody who reaches the gateway may read everything.
#[derive(Clone, Default)]
pub(crate) struct Access {
    tokens: Vec<(TokenHash, Principal)>,
}

/// Compared in constant time, which is what `blake3::Hash` promises of its equality.
type TokenHash = blake3::Hash;

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tokens.iter().map(|(_, principal)| principal.name())).finish()
    }
}

impl Access {
    pub(crate) fn new(settings: &[TokenSettings]) -> Result<Access, ConfigError> {
        let mut tokens: Vec<(TokenHash, Principal)> = Vec::with_capacity(settings.len());
        for token in settings {
            if tokens.iter().any(|(_, principal)| principal.name() == token.name) {
                return Err(ConfigError::TokenName { name: token.name.clone() });
            }
            let hash =
                TokenHash::from_hex(&token.sha256).map_err(|_| ConfigError::TokenHash { name: token.name.clone() })?;
            tokens.push((hash, Principal::limited(&token.name, token.repositories.iter().cloned())));
        }
        Ok(Access { tokens })
    }

    /// Says whether callers need no token.
    pub(crate) fn is_open(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns who sent a request with this `Authorization` header; nobody if the header proves nothing.
    pub(crate) fn principal(&self, authorization: Option<&str>) -> Option<Principal> {
        if self.is_open() {
            return Some(Principal::local());
        }
        let (scheme, token) = authorization?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let presented = TokenHash::from_bytes(Sha256::digest(token.trim().as_bytes()).into());
        // Every token is compared, so that the time tells neither whether nor where one matched.
        self.tokens.iter().fold(
            None,
            |found, (hash, principal)| {
                if *hash == presented { Some(principal.clone()) } else { found }
            },
        )
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

    #[test]
    fn a_token_is_its_holder() {
        // printf %s s3cret | sha256sum
        let sha256 = "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0".to_owned();
        let token = TokenSettings { name: "ci".to_owned(), sha256, repositories: vec!["api".to_owned()] };
        let access = Access::new(&[token]).unwrap();
        for (header, expected) in [
            (Some("Bearer s3cret"), Some("ci")),
            (Some("bearer  s3cret"), Some("ci")),
            (Some("Bearer other"), None),
            (Some("Basic s3cret"), None),
            (Some("s3cret"), None),
            (None, None),
        ] {
            assert_eq!(access.principal(header).as_ref().map(Principal::name), expected, "{header:?}");
        }
        let holder = access.principal(Some("Bearer s3cret")).unwrap();
        assert!(holder.may_read("api") && !holder.may_read("web"));
    }

    #[test]
    fn without_tokens_everybody_is_local() {
        assert_eq!(Access::default().principal(None), Some(Principal::local()));
    }
}
