//! The issuer's public keys: read at the start, again every few minutes, and when a token names one that is not known. What was
//! read last with success stays in use whatever comes after it.

use std::{fmt, fs, path::PathBuf, sync::Arc, time::Duration};

use arc_swap::ArcSwapOption;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::Instant,
};
use ureq::Agent;

use super::OAuthError;

/// How often keys are read when nobody misses one; issuers announce new keys for much longer before they use them.
const REFRESH_INTERVAL: Duration = Duration::from_secs(300);

/// How often they are read at most, whatever keys tokens name, and how soon again after that failed.
const MIN_INTERVAL: Duration = Duration::from_secs(10);

/// How long reading them may take.
const READ_DEADLINE: Duration = Duration::from_secs(5);

/// How long a request waits for a key that is not known yet.
const FIND_DEADLINE: Duration = Duration::from_secs(3);

/// Requests that wait for keys at once; more are refused at once.
const MAX_WAITING: usize = 64;

/// A set of keys is a few thousand bytes; what is longer is none.
const MAX_SET_BYTES: u64 = 256 * 1024;

/// Keys of a set beyond these are left out.
const MAX_KEYS: usize = 100;

/// Where keys come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Url(String),
    File(PathBuf),
}

/// The keys of an issuer.
pub(super) struct Keys {
    source: Source,
    set: ArcSwapOption<KeySet>,
    reading: watch::Sender<Reading>,
    wanted: Notify,
    waiting: Semaphore,
}

/// How far reading is.
#[derive(Debug, Clone, Copy)]
struct Reading {
    n_read: u64,
    /// Until then, nothing is read again.
    rests_until: Option<Instant>,
}

/// What looking for a key comes to.
pub(super) enum Found {
    Key(DecodingKey),
    Unknown,
    /// No keys could be read yet.
    NoneYet,
}

impl Keys {
    /// Prepares to read keys. Those in a file are read at once, since one that cannot be used is a mistake.
    pub(super) fn open(source: Source) -> Result<Keys, OAuthError> {
        let set = match &source {
            Source::Url(_) => None,
            Source::File(path) => {
                let unusable = |reason| OAuthError::File { path: path.clone(), reason };
                Some(Arc::new(source.read().map_err(unusable)?))
            }
        };
        Ok(Keys {
            source,
            set: ArcSwapOption::new(set),
            reading: watch::Sender::new(Reading { n_read: 0, rests_until: None }),
            wanted: Notify::new(),
            waiting: Semaphore::new(MAX_WAITING),
        })
    }

    /// Returns the key that a token names, or the only one that fits where it names none.
    pub(super) async fn find(&self, kid: Option<&str>, algorithm: Algorithm, may_wait: bool) -> Found {
        if let Some(key) = self.known(kid, algorithm) {
            return Found::Key(key);
        }
        if may_wait {
            self.read_again().await;
        }
        match self.known(kid, algorithm) {
            Some(key) => Found::Key(key),
            None if self.set.load().is_none() => Found::NoneYet,
            None => Found::Unknown,
        }
    }

    fn known(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        self.set.load().as_ref()?.find(kid, algorithm).cloned()
    }

    /// Waits until keys have been read once more, unless that was a moment ago.
    async fn read_again(&self) {
        let Ok(_place) = self.waiting.try_acquire() else { return };
        let mut reading = self.reading.subscribe();
        let Reading { n_read, rests_until } = *reading.borrow();
        if rests_until.is_some_and(|until| Instant::now() < until) {
            return;
        }
        self.wanted.notify_one();
        let read = reading.wait_for(|reading| reading.n_read > n_read);
        // What came of it shows in the set.
        let _ = tokio::time::timeout(FIND_DEADLINE, read).await;
    }
}

/// Reads keys for ever: at once, every few minutes, and when one is missing.
pub(super) async fn keep(keys: Arc<Keys>) {
    let mut failing = false;
    loop {
        let source = keys.source.clone();
        let read = tokio::task::spawn_blocking(move || source.read()).await;
        let read = read.unwrap_or_else(|error| Err(error.to_string()));
        match read {
            Ok(set) => {
                if std::mem::take(&mut failing) {
                    tracing::info!(source = %keys.source, "keys can be read again");
                }
                keys.set.store(Some(Arc::new(set)));
            }
            Err(reason) if !failing => {
                failing = true;
                tracing::error!(source = %keys.source, reason, "keys cannot be read; those read before are kept");
            }
            Err(_) => {}
        }
        let rests_until = Some(Instant::now() + MIN_INTERVAL);
        keys.reading.send_modify(|reading| *reading = Reading { n_read: reading.n_read + 1, rests_until });
        tokio::time::sleep(MIN_INTERVAL).await;
        if !failing {
            let _ = tokio::time::timeout(REFRESH_INTERVAL - MIN_INTERVAL, keys.wanted.notified()).await;
        }
        keys.reading.send_modify(|reading| reading.rests_until = None);
    }
}

impl Source {
    /// Reads a set of keys. Blocking.
    fn read(&self) -> Result<KeySet, String> {
        let bytes = match self {
            Source::File(path) => fs::read(path).map_err(|error| error.to_string())?,
            Source::Url(url) => {
                // Where a redirection leads to is not what was configured.
                let config = Agent::config_builder().max_redirects(0).timeout_global(Some(READ_DEADLINE));
                let mut response = config.build().new_agent().get(url).call().map_err(|error| error.to_string())?;
                let body = response.body_mut().with_config().limit(MAX_SET_BYTES);
                body.read_to_vec().map_err(|error| error.to_string())?
            }
        };
        KeySet::parse(&bytes)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Url(url) => f.write_str(url),
            Source::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("source", &self.source).finish_non_exhaustive()
    }
}

/// The keys of a set that tokens may be signed with (RFC 7517).
pub(super) struct KeySet(Vec<Key>);

struct Key {
    kid: Option<String>,
    algorithm: Algorithm,
    decoding: DecodingKey,
}

#[derive(Deserialize)]
struct WireSet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct WireKey {
    kty: String,
    #[serde(rename = "use")]
    usage: Option<String>,
    alg: Option<String>,
    kid: Option<String>,
    crv: Option<String>,
    #[serde(default)]
    n: String,
    #[serde(default)]
    e: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
}

impl KeySet {
    /// Reads a set. Keys of other kinds may stand in it, and are left out; a set without any that fits is an error.
    pub(super) fn parse(bytes: &[u8]) -> Result<KeySet, String> {
        let set: WireSet = serde_json::from_slice(bytes).map_err(|error| format!("it is no set of keys: {error}"))?;
        let keys = set.keys.into_iter().filter_map(|key| Key::read(serde_json::from_value(key).ok()?));
        let keys: Vec<Key> = keys.take(MAX_KEYS).collect();
        if keys.is_empty() {
            return Err("it holds no key for RS256, ES256 or EdDSA".to_owned());
        }
        Ok(KeySet(keys))
    }

    fn find(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut fitting = self.0.iter().filter(|key| key.algorithm == algorithm);
        match kid {
            Some(kid) => fitting.find(|key| key.kid.as_deref() == Some(kid)).map(|key| &key.decoding),
            None => fitting.next().filter(|_| fitting.next().is_none()).map(|key| &key.decoding),
        }
    }
}

impl Key {
    fn read(wire: WireKey) -> Option<Key> {
        if wire.usage.as_deref().is_some_and(|usage| usage != "sig") {
            return None;
        }
        let (algorithm, name, decoding) = match (wire.kty.as_str(), wire.crv.as_deref()) {
            ("RSA", _) => (Algorithm::RS256, "RS256", DecodingKey::from_rsa_components(&wire.n, &wire.e)),
            ("EC", Some("P-256")) => (Algorithm::ES256, "ES256", DecodingKey::from_ec_components(&wire.x, &wire.y)),
            ("OKP", Some("Ed25519")) => (Algorithm::EdDSA, "EdDSA", DecodingKey::from_ed_components(&wire.x)),
            _ => return None,
        };
        // RFC 9864 has a name of its own for EdDSA over this curve.
        let fits = wire.alg.is_none_or(|alg| alg == name || (name == "EdDSA" && alg == "Ed25519"));
        Some(Key { kid: wire.kid, algorithm, decoding: decoding.ok().filter(|_| fits)? })
    }
}
