//! The choice between replicas: which worker answers for a repository, and which others hold the same generation.

use std::collections::{BTreeMap, HashSet};

use model::{RepoId, ShardState};
use proto::v1;

use super::{Availability, Reachability, RepositoryEntry, WorkerView};

/// Returns each repository once, with its best replica.
///
/// Entries with the same id and alias are replicas. The same id under two aliases means two repositories: an id identifies the
/// root of a history, and forks share it.
pub(super) fn best_holders(views: &[WorkerView]) -> Vec<RepositoryEntry> {
    let mut held: BTreeMap<(RepoId, String), Vec<RepositoryEntry>> = BTreeMap::new();
    for (worker_idx, view) in views.iter().enumerate() {
        let Some(inventory) = &view.inventory else { continue };
        for advertised in &inventory.repositories {
            let Ok(id) = proto::convert::parse_repo(&advertised.id) else {
                tracing::warn!(worker = view.name, id = advertised.id, "a repository with a malformed id is left out");
                continue;
            };
            let repository = RepositoryEntry {
                id,
                own_alias: text::sanitise_name(&advertised.alias).into_owned(),
                view_of: proto::convert::parse_repo(&advertised.view_of).ok(),
                advertised_by: Vec::new(),
                worker_idx,
                holders: Vec::new(),
                availability: availability(view, inventory, advertised),
                has_replica_below: false,
                advertised: advertised.clone(),
            };
            held.entry((id, repository.own_alias.clone())).or_default().push(repository);
        }
    }
    let one = |replicas: Vec<RepositoryEntry>| {
        let advertised_by = replicas.iter().map(|replica| replica.worker_idx).collect();
        Some(RepositoryEntry { advertised_by, ..best(replicas, views)? })
    };
    held.into_values().filter_map(one).collect()
}

/// Returns the expected repositories that no worker holds: without them, an incomplete answer would count as complete.
pub(super) fn missing(held: &[RepositoryEntry], views: &[WorkerView]) -> Vec<RepositoryEntry> {
    let held: HashSet<&str> = held.iter().map(|repository| repository.own_alias.as_str()).collect();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    for (worker_idx, view) in views.iter().enumerate().filter(|(_, view)| !view.reach.is_gone()) {
        let expected = view.inventory.iter().flat_map(|inventory| &inventory.expected);
        for alias in expected.map(|alias| text::sanitise_name(alias).into_owned()) {
            if !held.contains(alias.as_str()) {
                missing.entry(alias).or_insert(worker_idx);
            }
        }
    }
    let repository = |(alias, worker_idx): (String, usize)| {
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(alias.as_bytes()).as_bytes()[..16]);
        let id = RepoId(id);
        let reason = "no worker within reach holds it".to_owned();
        RepositoryEntry {
            id,
            view_of: None,
            worker_idx,
            // No worker advertises it, so that no worker name matches it.
            advertised_by: Vec::new(),
            holders: Vec::new(),
            // A repository that waits for its first index is advertised by the worker that indexes it.
            availability: Availability::Short(ShardState::Unreachable, reason),
            has_replica_below: false,
            advertised: v1::Repository { id: id.to_string(), alias: alias.clone(), ..Default::default() },
            own_alias: alias,
        }
    };
    missing.into_iter().map(repository).collect()
}

/// Selects the best of several replicas, with all holders of the same generation.
///
/// Serving replicas come first, then the commit that became head later, whatever its date, then its newer generation. Among
/// equal replicas a hash decides, which spreads the load. A replica that is draining or leaving comes last.
fn best(replicas: Vec<RepositoryEntry>, views: &[WorkerView]) -> Option<RepositoryEntry> {
    let is_serving = |repository: &RepositoryEntry| matches!(repository.availability, Availability::Serving(_));
    let age = |repository: &&RepositoryEntry| {
        (is_serving(repository), repository.advertised.head_since, repository.advertised.committed_at)
    };
    let commit = &replicas.iter().max_by_key(age)?.advertised.commit;
    let of_commit = replicas.iter().filter(|repository| repository.advertised.commit == *commit);
    let newest = of_commit.max_by_key(|repository| (is_serving(repository), repository.advertised.indexed_at))?;
    let generation = newest.advertised.generation.clone();
    let order = |repository: &RepositoryEntry| {
        let view = &views[repository.worker_idx];
        let is_serving = matches!(repository.availability, Availability::Serving(_));
        let is_leaving = view.reach == Reachability::Draining || repository.advertised.leaving;
        // Only one that has the draft of an edit can show it.
        let has_draft = repository.advertised.draft.is_some();
        (!is_serving, is_leaving, !has_draft, share(repository, view), repository.worker_idx)
    };
    let mut same: Vec<RepositoryEntry> =
        replicas.into_iter().filter(|repository| repository.advertised.generation == generation).collect();
    same.sort_by_cached_key(order);
    let can_be_asked = |repository: &&RepositoryEntry| matches!(repository.availability, Availability::Serving(_));
    let holders = same.iter().filter(can_be_asked).map(|repository| repository.worker_idx).collect();
    Some(RepositoryEntry { holders, ..same.into_iter().next()? })
}

/// Returns the load-balancing hash of a replica: equal in every gateway, whatever the order of its workers.
fn share(repository: &RepositoryEntry, view: &WorkerView) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&repository.id.0).update(view.name.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

fn availability(view: &WorkerView, inventory: &v1::InventoryResponse, advertised: &v1::Repository) -> Availability {
    if let Reachability::Unreachable(reason) = &view.reach {
        return Availability::Short(ShardState::Unreachable, format!("worker {}: {reason}", view.name));
    }
    if inventory.analyser_version != ranking::ANALYSER_VERSION {
        let reason = format!(
            "worker {} splits text by version {}, this gateway by version {}: run the same release on both",
            view.name,
            inventory.analyser_version,
            ranking::ANALYSER_VERSION
        );
        return Availability::Short(ShardState::Failed, reason);
    }
    if let Ok(generation) = advertised.generation.parse() {
        return Availability::Serving(generation);
    }
    let reason = |otherwise: &str| match text::sanitise_name(&advertised.reason) {
        reason if reason.is_empty() => otherwise.to_owned(),
        reason => reason.into_owned(),
    };
    match advertised.state() {
        v1::RepositoryState::Failed => Availability::Short(ShardState::Failed, reason("indexing failed")),
        _ => Availability::Short(ShardState::NotReady, reason("its first index is not ready yet")),
    }
}
