//! Cache of the issuer's public keys. They are read at the start, every few minutes, and when a token names an unknown
//! key. After a failed read, the previous keys stay in use.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use arc_swap::ArcSwapOption;
use jsonwebtoken::{Algorithm, DecodingKey};
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::Instant,
};

use super::{OAuthError, issuer_request};

/// Interval of regular reads. Issuers announce new keys for much longer before they use them.
const REFRESH_INTERVAL: Duration = Duration::from_secs(300);

/// Minimum interval between two reads, even if tokens name unknown keys; also the delay before a retry.
const MIN_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum wait of a request for an unknown key.
const FIND_DEADLINE: Duration = Duration::from_secs(3);

/// Maximum number of requests that wait for keys at the same time; others are refused immediately.
const MAX_WAITERS: usize = 64;

/// Maximum number of keys that are used of a set.
const MAX_KEYS: usize = 100;

/// Location of the key set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JwksSource {
    Url(Url),
    File(PathBuf),
}

/// The cached keys of an issuer.
pub(super) struct KeyCache {
    source: JwksSource,
    set: ArcSwapOption<KeySet>,
    read_state: watch::Sender<KeyReadState>,
    read_requested: Notify,
    /// Permits of requests that wait for a read.
    waiters: Semaphore,
}

/// Progress of reading.
#[derive(Debug, Clone, Copy)]
struct KeyReadState {
    n_read: u64,
    /// Earliest time of the next read.
    next_read_at: Option<Instant>,
}

/// Result of looking up a key.
pub(super) enum KeyLookup {
    Found(DecodingKey),
    Unknown,
    /// No key set has been read yet.
    NotLoaded,
}

impl KeyCache {
    /// Creates the cache. A key file is read immediately, since an unusable one is a configuration error.
    pub(super) fn open(source: JwksSource) -> Result<KeyCache, OAuthError> {
        let set = match &source {
            JwksSource::Url(_) => None,
            JwksSource::File(path) => {
                let unusable = |reason| OAuthError::File { path: path.clone(), reason };
                Some(Arc::new(read_file(path).map_err(unusable)?))
            }
        };
        Ok(KeyCache {
            source,
            set: ArcSwapOption::new(set),
            read_state: watch::Sender::new(KeyReadState { n_read: 0, next_read_at: None }),
            read_requested: Notify::new(),
            waiters: Semaphore::new(MAX_WAITERS),
        })
    }

    /// Returns the key with this id. Without an id, returns the only key of the algorithm.
    ///
    /// With `may_wait`, an unknown key triggers a read and waits for it.
    pub(super) async fn find(&self, kid: Option<&str>, algorithm: Algorithm, may_wait: bool) -> KeyLookup {
        if let Some(key) = self.cached_key(kid, algorithm) {
            return KeyLookup::Found(key);
        }
        if may_wait {
            self.reread().await;
        }
        match self.cached_key(kid, algorithm) {
            Some(key) => KeyLookup::Found(key),
            None if self.set.load().is_none() => KeyLookup::NotLoaded,
            None => KeyLookup::Unknown,
        }
    }

    fn cached_key(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        self.set.load().as_ref()?.find(kid, algorithm).cloned()
    }

    /// Requests a read and waits for its end. Returns immediately within the minimum interval.
    async fn reread(&self) {
        let Ok(_permit) = self.waiters.try_acquire() else { return };
        let mut read_state = self.read_state.subscribe();
        let KeyReadState { n_read, next_read_at } = *read_state.borrow();
        if next_read_at.is_some_and(|until| Instant::now() < until) {
            return;
        }
        self.read_requested.notify_one();
        let read = read_state.wait_for(|state| state.n_read > n_read);
        // The caller looks up the key again, whether the read succeeded or not.
        let _ = tokio::time::timeout(FIND_DEADLINE, read).await;
    }
}

/// Refreshes the keys forever: immediately, at an interval, and on request.
pub(super) async fn refresh(keys: Arc<KeyCache>) {
    let mut is_failing = false;
    loop {
        match keys.source.read().await {
            Ok(set) => {
                if std::mem::take(&mut is_failing) {
                    tracing::info!(source = %keys.source, "the key set is readable again");
                }
                keys.set.store(Some(Arc::new(set)));
            }
            Err(reason) if !is_failing => {
                is_failing = true;
                tracing::error!(source = %keys.source, reason, "cannot read the key set; the previous keys stay in use");
            }
            Err(_) => {}
        }
        let next_read_at = Some(Instant::now() + MIN_INTERVAL);
        keys.read_state.send_modify(|state| *state = KeyReadState { n_read: state.n_read + 1, next_read_at });
        tokio::time::sleep(MIN_INTERVAL).await;
        if !is_failing {
            let _ = tokio::time::timeout(REFRESH_INTERVAL - MIN_INTERVAL, keys.read_requested.notified()).await;
        }
        keys.read_state.send_modify(|state| state.next_read_at = None);
    }
}

impl JwksSource {
    /// Reads the key set.
    async fn read(&self) -> Result<KeySet, String> {
        match self {
            JwksSource::Url(url) => KeySet::parse(&issuer_request::get(url.clone()).await?),
            JwksSource::File(path) => {
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || read_file(&path)).await;
                read.unwrap_or_else(|error| Err(error.to_string()))
            }
        }
    }
}

/// Reads a key set from a file. Blocking.
fn read_file(path: &Path) -> Result<KeySet, String> {
    KeySet::parse(&files::read(path, files::MAX_SETTINGS_BYTES).map_err(|error| error.to_string())?)
}

impl fmt::Display for JwksSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JwksSource::Url(url) => f.write_str(url.as_str()),
            JwksSource::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl fmt::Debug for KeyCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyCache").field("source", &self.source).finish_non_exhaustive()
    }
}

/// The signature keys of a JSON Web Key Set (RFC 7517).
pub(super) struct KeySet(Vec<IssuerKey>);

struct IssuerKey {
    kid: Option<String>,
    algorithm: Algorithm,
    decoding: DecodingKey,
}

#[derive(Deserialize)]
struct WireKeySet {
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
    /// Parses a set and skips keys of other kinds. A set without a usable key is an error.
    pub(super) fn parse(bytes: &[u8]) -> Result<KeySet, String> {
        let set: WireKeySet = serde_json::from_slice(bytes).map_err(|error| format!("not a key set: {error}"))?;
        let keys = set.keys.into_iter().filter_map(|key| IssuerKey::read(serde_json::from_value(key).ok()?));
        let keys: Vec<IssuerKey> = keys.take(MAX_KEYS).collect();
        if keys.is_empty() {
            return Err("the key set has no key for RS256, ES256 or EdDSA".to_owned());
        }
        Ok(KeySet(keys))
    }

    fn find(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut candidates = self.0.iter().filter(|key| key.algorithm == algorithm);
        match kid {
            Some(kid) => candidates.find(|key| key.kid.as_deref() == Some(kid)).map(|key| &key.decoding),
            None => candidates.next().filter(|_| candidates.next().is_none()).map(|key| &key.decoding),
        }
    }
}

impl IssuerKey {
    fn read(wire: WireKey) -> Option<IssuerKey> {
        if wire.usage.as_deref().is_some_and(|usage| usage != "sig") {
            return None;
        }
        let (algorithm, name, decoding) = match (wire.kty.as_str(), wire.crv.as_deref()) {
            ("RSA", _) => (Algorithm::RS256, "RS256", DecodingKey::from_rsa_components(&wire.n, &wire.e)),
            ("EC", Some("P-256")) => (Algorithm::ES256, "ES256", DecodingKey::from_ec_components(&wire.x, &wire.y)),
            ("OKP", Some("Ed25519")) => (Algorithm::EdDSA, "EdDSA", DecodingKey::from_ed_components(&wire.x)),
            _ => return None,
        };
        // RFC 9864 names EdDSA over this curve `Ed25519`.
        let fits = wire.alg.is_none_or(|alg| alg == name || (name == "EdDSA" && alg == "Ed25519"));
        Some(IssuerKey { kid: wire.kid, algorithm, decoding: decoding.ok().filter(|_| fits)? })
    }
}
