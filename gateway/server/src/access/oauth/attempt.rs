//! One attempt to sign in: the secrets that bind the reply of the authorisation server to the browser that asked.

use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom as _, SystemRandom},
};

use super::base64url;

/// Number of random bytes of each secret, as RFC 7636 recommends for the verifier.
const SECRET_BYTES: usize = 32;

/// An attempt, which the browser keeps in a cookie until the reply.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SignInAttempt {
    /// Returned with the reply of the authorisation server.
    pub(crate) state: String,
    /// Returned within the ID token.
    pub(super) nonce: String,
    /// Secret of the code: only its holder can exchange it (PKCE, RFC 7636).
    pub(super) verifier: String,
    /// The page to go to.
    pub(crate) next: String,
}

impl SignInAttempt {
    /// Creates an attempt with new secrets. `next` is a path with printable ASCII.
    pub(crate) fn new(next: &str) -> SignInAttempt {
        SignInAttempt { state: secret(), nonce: secret(), verifier: secret(), next: next.to_owned() }
    }

    /// Returns the value of the cookie: three secrets and the page, with the characters encoded that no cookie can have.
    pub(crate) fn to_cookie(&self) -> String {
        let SignInAttempt { state, nonce, verifier, next } = self;
        let next = next.replace('"', "%22").replace(',', "%2C").replace(';', "%3B");
        format!("{state}.{nonce}.{verifier}.{next}")
    }

    /// Reads the value of the cookie.
    pub(crate) fn from_cookie(value: &str) -> Option<SignInAttempt> {
        let mut parts = value.splitn(4, '.').map(str::to_owned);
        let is_secret =
            |text: &String| text.len() == 2 * SECRET_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut secret = || parts.next().filter(is_secret);
        let (state, nonce, verifier) = (secret()?, secret()?, secret()?);
        Some(SignInAttempt { state, nonce, verifier, next: parts.next()? })
    }

    /// Returns the challenge of the verifier, by the method S256.
    pub(super) fn challenge(&self) -> String {
        challenge_of(&self.verifier)
    }
}

/// Returns the challenge of a verifier.
pub(crate) fn challenge_of(verifier: &str) -> String {
    base64url::encode(digest(&SHA256, verifier.as_bytes()).as_ref())
}

fn secret() -> String {
    let mut bytes = [0; SECRET_BYTES];
    SystemRandom::new().fill(&mut bytes).expect("the system has random bytes");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_survive_their_cookie() {
        let attempt = SignInAttempt::new("/search?q=a.b,c;d");
        assert_ne!(attempt.state, attempt.nonce);
        let cookie = attempt.to_cookie();
        assert!(!cookie.contains([',', ';', '"', ' ']), "{cookie}");
        let read = SignInAttempt::from_cookie(&cookie).unwrap();
        assert_eq!((&read.state, &read.nonce, &read.verifier), (&attempt.state, &attempt.nonce, &attempt.verifier));
        assert_eq!(read.next, "/search?q=a.b%2Cc%3Bd");
        for broken in ["", "a.b.c./", &cookie[1..], cookie.rsplit_once('.').map_or("", |(begin, _)| &begin[..64])] {
            assert!(SignInAttempt::from_cookie(broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn challenge_is_the_hash_of_the_verifier() {
        // The example of RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        let attempt = SignInAttempt { verifier, ..SignInAttempt::new("/") };
        assert_eq!(attempt.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
