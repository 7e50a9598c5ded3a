//! The handover of repositories that belong to other workers: they are served here until all of their owners serve them.
//!
//! Workers learn of a change at different times. For a while, each of two workers may believe that the other one owns a
//! repository. Therefore a worker marks a repository that it is about to release as `leaving`, and no worker relies on it.

mod peers;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use model::RepoId;
use proto::v1;
use tokio_util::sync::CancellationToken;

use super::{Repositories, inventory::repository_message, mirrors::Handover};
use peers::Peers;

pub(crate) use peers::PeerCredentials;

/// Interval of the requests to the owners. Without a handover there are no requests.
const ASK_INTERVAL: Duration = Duration::from_secs(1);

/// Number of consecutive confirmations, one a second, by which all owners must report that they serve a repository. By then
/// gateways have seen it, too: they resolve the names of workers every five seconds, and reach a new worker within two.
const N_CONFIRMATIONS: u32 = 8;

/// The served generation of a repository, as far as two workers compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ServedGeneration {
    generation: String,
    commit: String,
    head_since: i64,
    committed_at: i64,
}

impl ServedGeneration {
    /// Returns the generation in an inventory; `None` if nothing is served, or the repository is leaving.
    fn of(repository: &v1::Repository) -> Option<ServedGeneration> {
        let is_held = !repository.generation.is_empty() && !repository.leaving;
        is_held.then(|| ServedGeneration {
            generation: repository.generation.clone(),
            commit: repository.commit.clone(),
            head_since: repository.head_since,
            committed_at: repository.committed_at,
        })
    }

    /// Returns true if this generation is no older than `other`.
    fn is_as_new_as(&self, other: &ServedGeneration) -> bool {
        let age = |served: &ServedGeneration| (served.head_since, served.committed_at);
        self.generation == other.generation || self.commit == other.commit || age(self) >= age(other)
    }
}

/// The generations that each answering worker serves, by its address.
type PeerInventories = BTreeMap<String, BTreeMap<RepoId, ServedGeneration>>;

/// Returns true if every owner serves a generation that is no older.
fn is_served_by_all(repo: RepoId, served: &ServedGeneration, owners: &[String], inventories: &PeerInventories) -> bool {
    let served_by = |owner: &String| inventories.get(owner).and_then(|held| held.get(&repo));
    owners.iter().all(|owner| served_by(owner).is_some_and(|theirs| theirs.is_as_new_as(served)))
}

/// Hands over repositories of other workers until `stop` is cancelled.
pub(crate) async fn hand_over(repositories: Arc<Repositories>, credentials: PeerCredentials, stop: CancellationToken) {
    let mut peers = Peers::new(credentials.clone());
    let mut ticks = tokio::time::interval(ASK_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stop.cancelled() => return,
        }
        let handovers = repositories.mirrors.handovers();
        if handovers.is_empty() {
            peers = Peers::new(credentials.clone());
            continue;
        }
        let owners: BTreeSet<String> = handovers.values().flat_map(|handover| handover.owners.clone()).collect();
        tokio::select! {
            inventories = peers.inventories(owners) => repositories.confirm_handovers(handovers, &inventories),
            () = stop.cancelled() => return,
        }
    }
}

impl Repositories {
    /// Counts the confirmations of each handover, and releases the repositories that have enough.
    fn confirm_handovers(&self, handovers: BTreeMap<RepoId, Handover>, inventories: &PeerInventories) {
        for (repo, Handover { owners, n_confirmations }) in handovers {
            let (is_known, served) = {
                let entries = self.catalog.entries();
                let entry = entries.get(&repo);
                let served = entry.and_then(|entry| ServedGeneration::of(&repository_message(entry)));
                (entry.is_some(), served)
            };
            // A repository that is not served here is no loss.
            let is_served = served.is_none_or(|served| is_served_by_all(repo, &served, &owners, inventories));
            let n_confirmations = if is_served { n_confirmations + 1 } else { 0 };
            let is_enough = is_known && n_confirmations >= N_CONFIRMATIONS;
            self.mirrors.confirm_handover(repo, &Handover { owners, n_confirmations }, is_enough);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPO: RepoId = RepoId([1; 16]);

    /// Returns a repository whose commit was seen as `HEAD` at a time; the dates of commits run the other way.
    fn repository(generation: &str, head_since: i64) -> v1::Repository {
        let (id, generation, commit) = (REPO.to_string(), generation.to_owned(), format!("commit of {generation}"));
        v1::Repository { id, generation, commit, head_since, committed_at: -head_since, ..v1::Repository::default() }
    }

    #[test]
    fn every_owner_must_serve_it() {
        let ours = ServedGeneration::of(&repository("b", 2)).unwrap();
        let leaving = v1::Repository { leaving: true, ..repository("b", 2) };
        for (theirs, expected) in [
            (&[repository("b", 2), repository("b", 2)][..], true),
            (&[repository("c", 3), repository("b", 2)], true),
            (&[repository("a", 1), repository("b", 2)], false),
            (&[repository("", 0), repository("b", 2)], false),
            (&[leaving, repository("b", 2)], false),
            (&[repository("b", 2)], false),
        ] {
            let of_peer = |(idx, theirs): (usize, &v1::Repository)| {
                let served = ServedGeneration::of(theirs).map(|served| (REPO, served));
                (format!("w{idx}"), served.into_iter().collect())
            };
            let inventories: PeerInventories = theirs.iter().enumerate().map(of_peer).collect();
            let owners = ["w0".to_owned(), "w1".to_owned()];
            assert_eq!(is_served_by_all(REPO, &ours, &owners, &inventories), expected, "{theirs:?}");
        }
    }
}
