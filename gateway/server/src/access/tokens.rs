//! Bearer tokens that are configured by their hashes.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{AccessError, oauth::NAME_PREFIX};
use federation::principal::Principal;

/// One `[[access.token]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenSettings {
    /// Name of the holder, used only in logs.
    pub name: String,
    /// SHA-256 of the token in hexadecimal. The token itself is never stored.
    pub sha256: String,
    /// Readable repositories as patterns of `alias` or `alias@worker`; `*` matches any characters.
    pub repositories: Vec<String>,
}

/// Token hashes and their holders.
#[derive(Clone, Default)]
pub(super) struct Tokens(Vec<(TokenHash, Principal)>);

/// `blake3::Hash` guarantees comparison in constant time.
type TokenHash = blake3::Hash;

impl Tokens {
    pub(super) fn new(settings: &[TokenSettings]) -> Result<Tokens, AccessError> {
        let mut tokens: Vec<(TokenHash, Principal)> = Vec::with_capacity(settings.len());
        for token in settings {
            let is_taken = tokens.iter().any(|(_, principal)| principal.name() == token.name);
            if is_taken || token.name.starts_with(NAME_PREFIX) {
                return Err(AccessError::TokenName { name: token.name.clone() });
            }
            let hash =
                TokenHash::from_hex(&token.sha256).map_err(|_| AccessError::TokenHash { name: token.name.clone() })?;
            tokens.push((hash, Principal::limited(&token.name, token.repositories.iter().cloned())));
        }
        Ok(Tokens(tokens))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, principal)| principal.name())
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|(_, principal)| principal.patterns())
    }

    /// Returns the holder of a token.
    pub(super) fn holder(&self, token: &str) -> Option<Principal> {
        let presented = TokenHash::from_bytes(Sha256::digest(token.as_bytes()).into());
        // Every token is compared, so that timing does not reveal a match or its index.
        self.0.iter().fold(
            None,
            |found, (hash, principal)| {
                if *hash == presented { Some(principal.clone()) } else { found }
            },
        )
    }
}
