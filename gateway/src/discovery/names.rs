//! Names behind which there are several workers, looked up again and again.
//!
//! A name tells who may be there, and never who is gone: its records come late, and a worker that is not ready is not among
//! them. So a worker that has left the records is asked for as long as it answers, and known to be missing for a while after that.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::time::Instant;

use super::{Federation, Member, address::WorkerName};

/// How often a name is looked up: the lower end of what records of a cluster live for, and nothing that a server of names notices.
const LOOK_UP_INTERVAL: Duration = Duration::from_secs(5);

/// How long looking up may take; what was found before is kept meanwhile.
const LOOK_UP_DEADLINE: Duration = Duration::from_secs(3);

/// How long a worker that is in no record and does not answer counts as missing: several times what it takes to start one
/// anew elsewhere. After that it is taken for removed.
const FORGET_AFTER: Duration = Duration::from_secs(600);

/// Behind one name there are no more workers than this; the rest is left out, and that is said.
const MAX_ADDRESSES: usize = 256;

/// The workers behind one name.
struct Found {
    members: BTreeMap<SocketAddr, Present>,
}

struct Present {
    /// Its number in the federation.
    number: u64,
    /// Since when it has been neither in the records nor within reach.
    missing_since: Option<Instant>,
}

/// Looks a name up for ever, and has the federation follow those that are found.
pub(super) async fn keep_looking(federation: Arc<Federation>, name: WorkerName) {
    let mut found = Found { members: BTreeMap::new() };
    let (mut failing, mut was_found) = (false, false);
    loop {
        match look_up(&name).await {
            Ok(addresses) => {
                failing = false;
                let is_first = !std::mem::replace(&mut was_found, true);
                if is_first {
                    federation.n_unresolved.fetch_sub(1, Ordering::Relaxed);
                }
                // A directory is made anew where there is something new alone.
                if found.meet(&federation, &name, &addresses) || is_first {
                    federation.publish(&federation.members());
                }
            }
            // Told once: the last good set goes on.
            Err(error) if !failing => {
                failing = true;
                tracing::warn!(host = name.host, %error, "workers cannot be looked up; those found before are kept");
            }
            Err(_) => {}
        }
        tokio::time::sleep(LOOK_UP_INTERVAL).await;
    }
}

/// Returns the addresses behind a name, of which there is at least one.
async fn look_up(name: &WorkerName) -> io::Result<BTreeSet<SocketAddr>> {
    let looking = tokio::net::lookup_host((name.host.as_str(), name.port));
    let too_slow = |_| Err(io::Error::new(io::ErrorKind::TimedOut, "the servers of names do not answer"));
    let found = tokio::time::timeout(LOOK_UP_DEADLINE, looking).await.unwrap_or_else(too_slow)?;
    let all: BTreeSet<SocketAddr> = found.collect();
    if all.len() > MAX_ADDRESSES {
        tracing::warn!(host = name.host, found = all.len(), kept = MAX_ADDRESSES, "too many workers behind one name");
    }
    let addresses: BTreeSet<SocketAddr> = all.into_iter().take(MAX_ADDRESSES).collect();
    if addresses.is_empty() { Err(io::Error::new(io::ErrorKind::NotFound, "there is none")) } else { Ok(addresses) }
}

impl Found {
    /// Joins who is new, and lets those go that have been gone for long; says whether anybody joined.
    fn meet(&mut self, federation: &Arc<Federation>, name: &WorkerName, addresses: &BTreeSet<SocketAddr>) -> bool {
        let mut has_joined = false;
        for address in addresses {
            if !self.members.contains_key(address)
                && let Ok(endpoint) = name.at(*address)
            {
                tracing::info!(%address, "a worker was found");
                let number = federation.join(endpoint);
                self.members.insert(*address, Present { number, missing_since: None });
                has_joined = true;
            }
        }
        let known = federation.known();
        let inventories: BTreeMap<u64, String> = federation.members().iter().filter_map(Member::identity).collect();
        let is_back_elsewhere = |number: u64| {
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
            let is_forgotten =
                since.is_some_and(|since| now - since >= FORGET_AFTER || is_back_elsewhere(present.number));
            if is_forgotten {
                federation.leave(present.number);
            }
            !is_forgotten
        });
        has_joined
    }
}
