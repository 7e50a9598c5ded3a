//! Grants: signatures of a gateway on its requests, by which a worker verifies that the caller may read the requested
//! repositories.
//!
//! A grant is a keyed hash over those requested repositories that the caller may read. The worker computes the same
//! hash over all repositories of the request: both are equal only if the caller may read every one. The size of a grant
//! is constant, a grant reveals nothing, and a defective gateway is rejected rather than trusted.

use std::{collections::BTreeSet, fmt, time::Duration};

use crate::v1;

/// Metadata key of the grant in a request.
pub const GRANT_METADATA: &str = "causeway-grant-bin";

/// Lifetime of a grant: much longer than a request, and too short to be worth stealing.
pub const GRANT_LIFETIME: Duration = Duration::from_secs(60);

/// Maximum clock skew between gateway and worker.
pub const GRANT_SKEW: Duration = Duration::from_secs(60);

/// Size of a grant: expiry time and hash.
pub const GRANT_BYTES: usize = 8 + blake3::OUT_LEN;

/// Minimum length of a secret; shorter ones can be guessed.
pub const MIN_SECRET_BYTES: usize = 32;

/// Key derivation context: separates these hashes from other uses of the key, and versions the scheme.
const CONTEXT: &str = "causeway 2026 grant of a gateway to a worker, v1";

/// Grant keys. The first one signs, all of them verify, so that keys can be rotated without interruption.
#[derive(Clone)]
pub struct GrantKeys(Vec<[u8; blake3::KEY_LEN]>);

/// Text without valid grant keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrantKeyError {
    /// The text has no key.
    #[error("it has no key: put one on a separate line (openssl rand -hex 32)")]
    Empty,
    /// A key is too short.
    #[error("the key on line {line} is shorter than {MIN_SECRET_BYTES} characters: make one with openssl rand -hex 32")]
    Short {
        /// Line of the key, from 1.
        line: usize,
    },
}

/// Reason why a request's grant is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// There is no grant.
    #[error("the request carries no grant: the gateway needs `grant_key_file`, with the key of this worker")]
    Missing,
    /// The grant has expired, or is too far in the future.
    #[error(
        "the request's grant is not valid now: the clocks of gateway and worker may differ by at most {} s",
        GRANT_SKEW.as_secs()
    )]
    Expired,
    /// The grant was signed with another key, or for other repositories.
    #[error("the request's grant does not cover its repositories")]
    Wrong,
}

impl GrantKeys {
    /// Parses keys, one per line.
    pub fn parse(text: &str) -> Result<GrantKeys, GrantKeyError> {
        let mut keys = Vec::new();
        for (line_idx, line) in text.lines().enumerate() {
            let secret = line.trim();
            match secret.len() {
                0 => {}
                1..MIN_SECRET_BYTES => return Err(GrantKeyError::Short { line: line_idx + 1 }),
                _ => keys.push(blake3::derive_key(CONTEXT, secret.as_bytes())),
            }
        }
        if keys.is_empty() { Err(GrantKeyError::Empty) } else { Ok(GrantKeys(keys)) }
    }

    /// Returns the grant for exactly these repositories; `now` is in seconds since 1970.
    pub fn sign(&self, repositories: &BTreeSet<&str>, now: u64) -> [u8; GRANT_BYTES] {
        let expires = (now + GRANT_LIFETIME.as_secs()).to_be_bytes();
        let mut grant = [0; GRANT_BYTES];
        grant[..8].copy_from_slice(&expires);
        grant[8..].copy_from_slice(hash(&self.0[0], expires, repositories).as_bytes());
        grant
    }

    /// Verifies that a grant covers exactly these repositories; `now` is in seconds since 1970.
    pub fn verify(&self, grant: Option<&[u8]>, repositories: &BTreeSet<&str>, now: u64) -> Result<(), GrantError> {
        let grant: &[u8; GRANT_BYTES] = grant.ok_or(GrantError::Missing)?.try_into().map_err(|_| GrantError::Wrong)?;
        let (mut expires, mut signed) = ([0; 8], [0; blake3::OUT_LEN]);
        expires.copy_from_slice(&grant[..8]);
        signed.copy_from_slice(&grant[8..]);
        // The comparison takes constant time.
        if !self.0.iter().any(|key| hash(key, expires, repositories) == signed) {
            return Err(GrantError::Wrong);
        }
        let end = u64::from_be_bytes(expires);
        let longest = now + GRANT_LIFETIME.as_secs() + GRANT_SKEW.as_secs();
        if end + GRANT_SKEW.as_secs() < now || end > longest { Err(GrantError::Expired) } else { Ok(()) }
    }
}

impl fmt::Debug for GrantKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GrantKeys({})", self.0.len())
    }
}

fn hash(key: &[u8; blake3::KEY_LEN], expires: [u8; 8], repositories: &BTreeSet<&str>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&expires);
    for repository in repositories {
        hasher.update(&(repository.len() as u64).to_be_bytes()).update(repository.as_bytes());
    }
    hasher.finalize()
}

/// A request about repositories.
pub trait Targeted {
    /// Returns the ids of all repositories in the request.
    fn repositories(&self) -> BTreeSet<&str>;
}

fn id(target: Option<&v1::Target>) -> &str {
    target.map_or("", |target| target.repository.as_str())
}

macro_rules! targeted {
    ($($request:ident: $($field:ident)? $(. $inner:ident)?;)*) => {
        $(impl Targeted for v1::$request {
            fn repositories(&self) -> BTreeSet<&str> {
                targeted!(@read self, $($field)? $(. $inner)?)
            }
        })*

        #[cfg(test)]
        const TARGETED: &[&str] = &[$(stringify!($request)),*];
    };
    (@read $request:ident,) => { BTreeSet::new() };
    (@read $request:ident, target) => { BTreeSet::from([id($request.target.as_ref())]) };
    (@read $request:ident, targets) => {
        $request.targets.iter().map(|target| target.repository.as_str()).collect()
    };
    (@read $request:ident, $field:ident . $inner:ident) => {
        $request.$field.iter().map(|item| id(item.$inner.as_ref())).collect()
    };
}

targeted! {
    InventoryRequest: ;
    StatisticsRequest: targets;
    SuggestRequest: targets;
    SearchRequest: targets;
    CompareRequest: rows.target;
    SymbolsRequest: targets;
    OutlineRequest: targets;
    FetchRequest: items.target;
    NeighboursRequest: frontier.target;
    DescribeRequest: nodes.target;
    SurfaceRequest: targets;
    LocateRequest: target;
    LinkFactsRequest: target;
    HistoryRequest: items.target;
    ActivityRequest: targets;
    ActiveCommitsRequest: items.target;
    OverviewRequest: targets;
    ChangesRequest: target;
    SitesRequest: target;
    EnsureViewRequest: target;
    EnqueueRequest: ;
    StatusRequest: ;
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn keys(text: &str) -> GrantKeys {
        GrantKeys::parse(text).unwrap()
    }

    #[test]
    fn grant_covers_exactly_its_repositories() {
        let keys = keys(&"k".repeat(32));
        let signed = BTreeSet::from(["a", "b"]);
        let grant = keys.sign(&signed, NOW);
        assert_eq!(keys.verify(Some(&grant), &signed, NOW), Ok(()));
        for requested in [&["a"][..], &["a", "b", "c"], &["ab"], &["a", "bc"], &[], &["", "a", "b"]] {
            let requested = requested.iter().copied().collect();
            assert_eq!(keys.verify(Some(&grant), &requested, NOW), Err(GrantError::Wrong), "{requested:?}");
        }
        let empty = keys.sign(&BTreeSet::new(), NOW);
        assert_eq!(keys.verify(Some(&empty), &BTreeSet::new(), NOW), Ok(()));
        assert_eq!(keys.verify(Some(&empty), &BTreeSet::from([""]), NOW), Err(GrantError::Wrong));
    }

    #[test]
    fn grants_expire_and_cannot_be_forged() {
        let keys = keys(&"k".repeat(32));
        let requested = BTreeSet::from(["a"]);
        let grant = keys.sign(&requested, NOW);
        for (now, expected) in [
            (NOW + 120, Ok(())),
            (NOW + 121, Err(GrantError::Expired)),
            (NOW - 60, Ok(())),
            (NOW - 61, Err(GrantError::Expired)),
        ] {
            assert_eq!(keys.verify(Some(&grant), &requested, now), expected, "{now}");
        }
        for byte in 0..GRANT_BYTES {
            let mut changed = grant;
            changed[byte] ^= 1;
            assert_eq!(keys.verify(Some(&changed), &requested, NOW), Err(GrantError::Wrong), "{byte}");
        }
        assert_eq!(keys.verify(Some(&grant[1..]), &requested, NOW), Err(GrantError::Wrong));
        assert_eq!(keys.verify(None, &requested, NOW), Err(GrantError::Missing));
    }

    #[test]
    fn keys_can_be_rotated() {
        let (old, new) = ("o".repeat(32), "n".repeat(40));
        let both = keys(&format!("\n {new} \n{old}\n"));
        let requested = BTreeSet::from(["a"]);
        assert_eq!(both.verify(Some(&keys(&old).sign(&requested, NOW)), &requested, NOW), Ok(()));
        assert_eq!(keys(&new).verify(Some(&both.sign(&requested, NOW)), &requested, NOW), Ok(()));
        assert_eq!(keys(&old).verify(Some(&both.sign(&requested, NOW)), &requested, NOW), Err(GrantError::Wrong));
        assert_eq!(GrantKeys::parse("\n \n").unwrap_err(), GrantKeyError::Empty);
        assert_eq!(GrantKeys::parse("\nshort").unwrap_err(), GrantKeyError::Short { line: 2 });
        assert!(!format!("{both:?}").contains("110"), "no key is shown");
    }

    #[test]
    fn every_request_type_is_targeted() {
        let files = [include_str!("../causeway/v1/shard.proto"), include_str!("../causeway/v1/indexing.proto")];
        let mut requests: Vec<&str> = files
            .iter()
            .flat_map(|file| file.lines())
            .filter_map(|line| line.trim().strip_prefix("rpc ")?.split_once('('))
            .map(|(_, rest)| rest.split(')').next().unwrap_or_default())
            .collect();
        requests.sort_unstable();
        let mut known = TARGETED.to_vec();
        known.sort_unstable();
        assert_eq!(requests, known);
    }

    #[test]
    fn repositories_are_found_in_nested_items() {
        let target = |id: &str| Some(v1::Target { repository: id.to_owned(), generation: "g".to_owned() });
        let fetch = v1::FetchRequest {
            items: ["b", "a", "b"].map(|id| v1::FetchItem { target: target(id), ..Default::default() }).to_vec(),
        };
        assert_eq!(fetch.repositories(), BTreeSet::from(["a", "b"]));
        let nameless = v1::LocateRequest::default();
        assert_eq!(nameless.repositories(), BTreeSet::from([""]));
        let walk = v1::NeighboursRequest {
            frontier: vec![v1::NodeSet { target: target("c"), ..Default::default() }],
            ..Default::default()
        };
        assert_eq!(walk.repositories(), BTreeSet::from(["c"]));
        assert_eq!(v1::StatusRequest::default().repositories(), BTreeSet::new());
    }
}
