//! Repositories that became another worker's to hold: they are served here until all that they went to serve them.
//!
//! Two workers may be told of a change one after the other, each of which believes for a while that the other one is to hold a
//! repository. So a worker says of what it is about to drop that it is leaving, and nobody counts on that.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use futures::{StreamExt as _, stream};
use model::RepoId;
use proto::{
    grant::{GRANT_METADATA, GrantKeys, Targeted},
    v1::{self, shard_service_client::ShardServiceClient},
};
use runtime::tls::TlsClient;
use tonic::{
    metadata::MetadataValue,
    transport::{Channel, Endpoint},
};

use crate::supervisor::{Supervisor, retry_after};

/// How often the workers are asked that something went to. Nothing is asked while nothing leaves.
const ASK_INTERVAL: Duration = Duration::from_secs(1);

/// How long a worker may take to say what it holds.
const INVENTORY_DEADLINE: Duration = Duration::from_secs(5);

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Workers that are asked at the same time.
const N_ASKED: usize = 8;

/// So many times in a row, a second apart, the others must have said that they serve it: by then gateways have heard it as well,
/// which look up the names of workers every five seconds and reach a new one within two.
const N_ASSURANCES: u32 = 8;

/// What leaves: to whom, and what they must have at least.
#[derive(Debug, Clone)]
pub(crate) struct Leaving {
    pub(crate) owners: Vec<String>,
    pub(crate) n_assurances: u32,
}

impl Leaving {
    pub(crate) fn to(owners: Vec<String>) -> Leaving {
        Leaving { owners, n_assurances: 0 }
    }
}

/// What is served of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) generation: String,
    pub(crate) commit: String,
    pub(crate) head_since: i64,
    pub(crate) committed_at: i64,
}

impl Served {
    fn of(repository: &v1::Repository) -> Option<Served> {
        let is_here = !repository.generation.is_empty() && !repository.leaving;
        is_here.then(|| Served {
            generation: repository.generation.clone(),
            commit: repository.commit.clone(),
            head_since: repository.head_since,
            committed_at: repository.committed_at,
        })
    }

    /// Says whether whoever serves this lacks nothing of `other`.
    fn is_as_new_as(&self, other: &Served) -> bool {
        let age = |served: &Served| (served.head_since, served.committed_at);
        self.generation == other.generation || self.commit == other.commit || age(self) >= age(other)
    }
}

/// What each worker that answered serves, by its address.
type Told = BTreeMap<String, BTreeMap<RepoId, Served>>;

/// Returns whether every owner serves what is served here, or something newer.
fn is_served_elsewhere(repo: RepoId, served: &Served, owners: &[String], told: &Told) -> bool {
    let has = |owner: &String| told.get(owner).and_then(|held| held.get(&repo));
    owners.iter().all(|owner| has(owner).is_some_and(|theirs| theirs.is_as_new_as(served)))
}

/// How a worker shows the others who it is: by the certificate that it serves with, and by the key that gateways sign with.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    pub(crate) tls: Option<TlsClient>,
    pub(crate) grants: Option<Arc<GrantKeys>>,
}

/// The other workers, and when each may be asked again.
struct Peers {
    credentials: Credentials,
    channels: BTreeMap<String, Channel>,
    failures: BTreeMap<String, (u32, Instant)>,
}

impl Supervisor {
    /// Hands over what leaves, until it is told to stop.
    pub(crate) async fn hand_over(self: Arc<Self>) {
        let mut peers = Peers::new(self.credentials.clone());
        let mut ticks = tokio::time::interval(ASK_INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = self.lifecycle.stop.cancelled() => return,
            }
            let leaving = self.mirrors.leaving();
            if leaving.is_empty() {
                peers = Peers::new(self.credentials.clone());
                continue;
            }
            let owners: BTreeSet<String> = leaving.values().flat_map(|leaving| leaving.owners.clone()).collect();
            tokio::select! {
                told = peers.ask(owners) => self.let_go(leaving, &told),
                () = self.lifecycle.stop.cancelled() => return,
            }
        }
    }

    /// Lets go of what is served elsewhere.
    fn let_go(&self, leaving: BTreeMap<RepoId, Leaving>, told: &Told) {
        for (repo, Leaving { owners, n_assurances }) in leaving {
            let (is_known, served) = {
                let entries = self.catalog.entries();
                let entry = entries.get(&repo);
                let served = entry.and_then(|entry| Served::of(&entry.repository(repo)));
                (entry.is_some(), served)
            };
            // What is not served here is nobody's loss.
            let is_elsewhere = served.is_none_or(|served| is_served_elsewhere(repo, &served, &owners, told));
            let n_assurances = if is_elsewhere { n_assurances + 1 } else { 0 };
            self.mirrors.assure(repo, &owners, n_assurances, is_known && n_assurances >= N_ASSURANCES);
        }
    }
}

impl Peers {
    fn new(credentials: Credentials) -> Peers {
        Peers { credentials, channels: BTreeMap::new(), failures: BTreeMap::new() }
    }

    /// Asks workers what they serve; one that fails is left alone for a while that grows.
    async fn ask(&mut self, owners: BTreeSet<String>) -> Told {
        let now = Instant::now();
        let may_ask = |owner: &String| self.failures.get(owner).is_none_or(|(_, at)| *at <= now);
        let due: Vec<String> = owners.into_iter().filter(may_ask).collect();
        let mut asking = Vec::new();
        for owner in due {
            match self.channel(&owner) {
                Ok(channel) => {
                    let request = self.credentials.signed(v1::InventoryRequest {});
                    asking.push(async move { (owner, inventory(channel, request).await) });
                }
                Err(error) => tracing::warn!(peer = owner, %error, "it cannot be asked what it holds"),
            }
        }
        let answers: Vec<(String, Result<_, tonic::Status>)> =
            stream::iter(asking).buffer_unordered(N_ASKED).collect().await;
        let mut told = Told::new();
        for (owner, answer) in answers {
            match answer {
                Ok(held) => {
                    self.failures.remove(&owner);
                    told.insert(owner, held);
                }
                Err(status) => {
                    let n_failures = self.failures.get(&owner).map_or(1, |(n_failures, _)| n_failures + 1);
                    tracing::debug!(peer = owner, %status, "it does not say what it holds");
                    // A connection that stands still is no good for the next try.
                    self.channels.remove(&owner);
                    self.failures.insert(owner, (n_failures, Instant::now() + retry_after(n_failures) / 10));
                }
            }
        }
        told
    }

    fn channel(&mut self, peer: &str) -> Result<Channel, tonic::transport::Error> {
        if let Some(channel) = self.channels.get(peer) {
            return Ok(channel.clone());
        }
        let channel = self.credentials.connect(peer)?;
        self.channels.insert(peer.to_owned(), channel.clone());
        Ok(channel)
    }
}

impl Credentials {
    /// Returns the way to another worker.
    fn connect(&self, peer: &str) -> Result<Channel, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(peer.replacen("https://", "http://", 1))?;
        let endpoint = endpoint.connect_timeout(CONNECT_TIMEOUT).tcp_nodelay(true);
        Ok(match &self.tls {
            Some(tls) => endpoint.connect_with_connector_lazy(tls.connector(None)),
            None => endpoint.connect_lazy(),
        })
    }

    /// Returns a request that is about no repository, with a grant where others ask for one.
    fn signed<Q: Targeted>(&self, message: Q) -> tonic::Request<Q> {
        let mut request = tonic::Request::new(message);
        if let Some(keys) = &self.grants {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
            let grant = MetadataValue::from_bytes(&keys.sign(&BTreeSet::new(), now));
            request.metadata_mut().insert_bin(GRANT_METADATA, grant);
        }
        request
    }
}

/// Returns what a worker serves now.
async fn inventory(
    channel: Channel,
    request: tonic::Request<v1::InventoryRequest>,
) -> Result<BTreeMap<RepoId, Served>, tonic::Status> {
    let mut client = ShardServiceClient::new(channel).max_decoding_message_size(proto::MAX_MESSAGE_BYTES);
    let asking = async {
        let mut stream = client.inventory(request).await?.into_inner();
        stream.message().await?.ok_or_else(|| tonic::Status::unavailable("it said nothing"))
    };
    let too_late = |_| Err(tonic::Status::deadline_exceeded("it did not say what it holds"));
    let inventory = tokio::time::timeout(INVENTORY_DEADLINE, asking).await.unwrap_or_else(too_late)?;
    let served = |repository: &v1::Repository| Some((repository.id.parse().ok()?, Served::of(repository)?));
    Ok(inventory.repositories.iter().filter_map(served).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPO: RepoId = RepoId([1; 16]);

    /// Returns what was seen as the head at a time; commits are dated the other way round.
    fn repository(generation: &str, head_since: i64) -> v1::Repository {
        let (id, generation, commit) = (REPO.to_string(), generation.to_owned(), format!("commit of {generation}"));
        v1::Repository { id, generation, commit, head_since, committed_at: -head_since, ..v1::Repository::default() }
    }

    #[test]
    fn everyone_that_it_went_to_must_serve_it() {
        let ours = Served::of(&repository("b", 2)).unwrap();
        let leaving = v1::Repository { leaving: true, ..repository("b", 2) };
        for (theirs, expected) in [
            (&[repository("b", 2), repository("b", 2)][..], true),
            (&[repository("c", 3), repository("b", 2)], true),
            (&[repository("a", 1), repository("b", 2)], false),
            (&[repository("", 0), repository("b", 2)], false),
            (&[leaving, repository("b", 2)], false),
            (&[repository("b", 2)], false),
        ] {
            let told: Told = theirs
                .iter()
                .enumerate()
                .map(|(idx, theirs)| {
                    (format!("w{idx}"), Served::of(theirs).map(|served| (REPO, served)).into_iter().collect())
                })
                .collect();
            let owners = ["w0".to_owned(), "w1".to_owned()];
            assert_eq!(is_served_elsewhere(REPO, &ours, &owners, &told), expected, "{theirs:?}");
        }
    }
}
