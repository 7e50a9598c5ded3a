//! The other workers, and requests for their inventories.

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

use super::{PeerInventories, ServedGeneration};
use crate::backoff::LinearBackoff;

/// Deadline of a request for an inventory.
const INVENTORY_DEADLINE: Duration = Duration::from_secs(5);

/// Deadline of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of requests in flight.
const MAX_REQUESTS: usize = 8;

/// Pauses of a worker that does not answer.
const PEER_BACKOFF: LinearBackoff = LinearBackoff { step: Duration::from_secs(1), max: Duration::from_secs(60) };

/// The credentials of a worker among the others: the certificate that it serves with, and the key that gateways sign with.
#[derive(Clone, Default)]
pub(crate) struct PeerCredentials {
    pub(crate) tls: Option<TlsClient>,
    pub(crate) grants: Option<Arc<GrantKeys>>,
}

/// The other workers, with their connections and back-offs.
pub(super) struct Peers {
    credentials: PeerCredentials,
    channels: BTreeMap<String, Channel>,
    /// Consecutive failures, and the time of the next request.
    failures: BTreeMap<String, (u32, Instant)>,
}

impl Peers {
    pub(super) fn new(credentials: PeerCredentials) -> Peers {
        Peers { credentials, channels: BTreeMap::new(), failures: BTreeMap::new() }
    }

    /// Requests the inventories of workers. A failed one is requested again after a back-off.
    pub(super) async fn inventories(&mut self, peers: BTreeSet<String>) -> PeerInventories {
        let now = Instant::now();
        let is_due = |peer: &String| self.failures.get(peer).is_none_or(|(_, at)| *at <= now);
        let due: Vec<String> = peers.into_iter().filter(is_due).collect();
        let mut requests = Vec::new();
        for peer in due {
            match self.channel(&peer) {
                Ok(channel) => {
                    let request = self.credentials.signed(v1::InventoryRequest {});
                    requests.push(async move { (peer, inventory(channel, request).await) });
                }
                Err(error) => tracing::warn!(peer, %error, "cannot connect to a peer"),
            }
        }
        let replies: Vec<(String, Result<_, tonic::Status>)> =
            stream::iter(requests).buffer_unordered(MAX_REQUESTS).collect().await;
        let mut inventories = PeerInventories::new();
        for (peer, reply) in replies {
            match reply {
                Ok(served) => {
                    self.failures.remove(&peer);
                    inventories.insert(peer, served);
                }
                Err(status) => {
                    let n_failures = self.failures.get(&peer).map_or(1, |(n_failures, _)| n_failures + 1);
                    tracing::debug!(peer, %status, "a peer did not send its inventory");
                    // The next try makes a new connection, since this one may be stalled.
                    self.channels.remove(&peer);
                    self.failures.insert(peer, (n_failures, Instant::now() + PEER_BACKOFF.pause(n_failures)));
                }
            }
        }
        inventories
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

impl PeerCredentials {
    /// Returns a channel to another worker, which connects when it is used.
    fn connect(&self, peer: &str) -> Result<Channel, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(peer.replacen("https://", "http://", 1))?;
        let endpoint = endpoint.connect_timeout(CONNECT_TIMEOUT).tcp_nodelay(true);
        Ok(match &self.tls {
            Some(tls) => endpoint.connect_with_connector_lazy(tls.connector(None)),
            None => endpoint.connect_lazy(),
        })
    }

    /// Returns a request about no repository, with a grant if workers require one.
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

/// Requests the inventory of a worker, and returns the generations that it serves.
async fn inventory(
    channel: Channel,
    request: tonic::Request<v1::InventoryRequest>,
) -> Result<BTreeMap<RepoId, ServedGeneration>, tonic::Status> {
    let mut client = ShardServiceClient::new(channel).max_decoding_message_size(proto::MAX_MESSAGE_BYTES);
    let asking = async {
        let mut stream = client.inventory(request).await?.into_inner();
        stream.message().await?.ok_or_else(|| tonic::Status::unavailable("the inventory is empty"))
    };
    let too_late = |_| Err(tonic::Status::deadline_exceeded("the inventory did not arrive in time"));
    let inventory = tokio::time::timeout(INVENTORY_DEADLINE, asking).await.unwrap_or_else(too_late)?;
    let served = |repository: &v1::Repository| Some((repository.id.parse().ok()?, ServedGeneration::of(repository)?));
    Ok(inventory.repositories.iter().filter_map(served).collect())
}
