//! Periodic DNS resolution of names that stand for several workers.
//!
//! A missing DNS record does not prove that a worker is gone: records are delayed, and omit workers that are not ready. A worker
//! without a record stays in use while it answers. Afterwards it counts as missing for a while.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::time::Instant;

use super::{WatchedWorker, Workers, address::WorkerName};

/// Interval of DNS resolution: the lower end of a cluster record's TTL, and no load for a DNS server.
const LOOK_UP_INTERVAL: Duration = Duration::from_secs(5);

/// Deadline of one DNS lookup; the previous result stays in use meanwhile.
const LOOK_UP_DEADLINE: Duration = Duration::from_secs(3);

/// Time for which an unreachable worker without a DNS record counts as missing: several times what a restart on another node
/// takes. Afterwards it counts as removed.
const FORGET_AFTER: Duration = Duration::from_secs(600);

/// Maximum number of workers of one name; the rest is dropped with a warning.
const MAX_ADDRESSES: usize = 256;

/// The workers that one DNS name resolved to.
struct ResolvedWorkers {
    members: BTreeMap<SocketAddr, ResolvedWorker>,
}

struct ResolvedWorker {
    /// Its number among the watched workers.
    number: u64,
    /// The time since which it has neither a DNS record nor a connection.
    missing_since: Option<Instant>,
}

/// Resolves a name periodically and starts to watch each new worker.
pub(super) async fn resolve_periodically(workers: Arc<Workers>, name: WorkerName) {
    let mut found = ResolvedWorkers { members: BTreeMap::new() };
    let (mut failing, mut was_found) = (false, false);
    loop {
        match resolve(&name).await {
            Ok(addresses) => {
                failing = false;
                let is_first = !std::mem::replace(&mut was_found, true);
                if is_first {
                    workers.n_unresolved.fetch_sub(1, Ordering::Relaxed);
                }
                // Publish a directory only if something changed.
                if found.update(&workers, &name, &addresses) || is_first {
                    workers.publish(&workers.members());
                }
            }
            // Log once: the last successful result stays in use.
            Err(error) if !failing => {
                failing = true;
                tracing::warn!(host = name.host, %error, "workers cannot be looked up; those found before are kept");
            }
            Err(_) => {}
        }
        tokio::time::sleep(LOOK_UP_INTERVAL).await;
    }
}

/// Returns the addresses of a name, at least one.
async fn resolve(name: &WorkerName) -> io::Result<BTreeSet<SocketAddr>> {
    let resolving = tokio::net::lookup_host((name.host.as_str(), name.port));
    let too_slow = |_| Err(io::Error::new(io::ErrorKind::TimedOut, "the servers of names do not answer"));
    let found = tokio::time::timeout(LOOK_UP_DEADLINE, resolving).await.unwrap_or_else(too_slow)?;
    let all: BTreeSet<SocketAddr> = found.collect();
    if all.len() > MAX_ADDRESSES {
        tracing::warn!(host = name.host, found = all.len(), kept = MAX_ADDRESSES, "too many workers behind one name");
    }
    let addresses: BTreeSet<SocketAddr> = all.into_iter().take(MAX_ADDRESSES).collect();
    if addresses.is_empty() { Err(io::Error::new(io::ErrorKind::NotFound, "there is none")) } else { Ok(addresses) }
}

impl ResolvedWorkers {
    /// Adds new workers and removes those that are missing for too long. Returns true if a worker was added.
    fn update(&mut self, workers: &Arc<Workers>, name: &WorkerName, addresses: &BTreeSet<SocketAddr>) -> bool {
        let mut has_joined = false;
        for address in addresses {
            if !self.members.contains_key(address)
                && let Ok(endpoint) = name.at(*address)
            {
                tracing::info!(%address, "a worker was found");
                let number = workers.join(endpoint);
                self.members.insert(*address, ResolvedWorker { number, missing_since: None });
                has_joined = true;
            }
        }
        let known = workers.known();
        let inventories: BTreeMap<u64, String> = workers.members().iter().filter_map(WatchedWorker::identity).collect();
        let has_moved = |number: u64| {
            let worker = inventories.get(&number);
            worker.is_some() && inventories.iter().any(|(other, name)| *other != number && Some(name) == worker)
        };
        let now = Instant::now();
        self.members.retain(|address, present| {
            let worker_idx = known.connections.iter().position(|connection| connection.member == present.number);
            let is_reached = worker_idx.is_some_and(|idx| !known.directory.workers[idx].reach.is_gone());
            let is_missing = !addresses.contains(address) && !is_reached;
            let since = is_missing.then(|| present.missing_since.unwrap_or(now));
            present.missing_since = since;
            let is_forgotten = since.is_some_and(|since| now - since >= FORGET_AFTER || has_moved(present.number));
            if is_forgotten {
                workers.remove_worker(present.number);
            }
            !is_forgotten
        });
        has_joined
    }
}
