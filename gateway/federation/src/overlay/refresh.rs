//! Incremental refresh of the overlay: fetches the surfaces of new generations and the locations of new package members, and
//! rejoins only the affected pairs of repositories.
//!
//! A call fetches only for repositories that its caller can read. Its latency is independent of all others.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwap;
use futures::future::join_all;
use links::join::{
    ContractLink, ContractSite, ContractSurface, IndexedSurface, LocatedMembers, PackageMember, SurfaceOffer,
    SurfaceUse, join_pair,
};
use model::{RepoId, ShardState};
use proto::v1;
use tokio::{sync::Mutex, time::Instant};

use super::{Overlay, kind_from_wire};
use crate::{
    call::CallContext,
    connection::ShardClient,
    directory::{Availability, Directory},
    fan_out::{SOFT_DEADLINE, fan_out},
    nodes,
    plan::{Group, Plan},
    reply_checks,
    repo_idx::RepoIdx,
};

/// Back-off after a repository failed to return its surface.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Maximum number of offers, and of uses, per repository: far above what repositories of millions of lines have.
const MAX_ITEMS: usize = 200_000;

/// Maximum number of surfaces per call, so that a reply stays below the message size limit.
const SURFACES_PER_CALL: usize = 32;

/// Maximum number of package members to locate per repository.
const MAX_MEMBERS: usize = 50_000;

/// The overlay of the newest directory, and its inputs.
#[derive(Default)]
pub struct OverlayCache {
    current: ArcSwap<Overlay>,
    /// Locked during computation, never while waiting for a worker.
    parts: Mutex<OverlayParts>,
    /// One lock per worker in use: concurrent calls do not fetch the same data twice.
    gates: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

/// Identifies a repository: forks share the id.
type RepositoryKey = (RepoId, String);

#[derive(Default)]
struct OverlayParts {
    surfaces: BTreeMap<RepositoryKey, RepositorySurface>,
    /// By user and provider.
    pairs: BTreeMap<(RepositoryKey, RepositoryKey), Arc<Vec<ContractLink>>>,
    failures: BTreeMap<RepositoryKey, SurfaceFailure>,
    /// Repositories with changes that are not joined yet.
    unjoined: BTreeSet<RepositoryKey>,
    /// Whether anything has changed since the overlay was made.
    is_dirty: bool,
    /// Number of surfaces received so far; each gets the next number.
    n_surfaces: u64,
}

struct RepositorySurface {
    generation: String,
    indexed: Arc<IndexedSurface>,
    number: u64,
    /// Locations of the members of its packages that others use.
    located: Arc<LocatedMembers>,
    /// The number of the last surface whose names are among these.
    located_for: u64,
}

struct SurfaceFailure {
    at: Instant,
    state: ShardState,
    reason: String,
}

impl OverlayCache {
    /// Returns the lock of a worker, and drops unused locks.
    fn gate(&self, worker: &str) -> Arc<Mutex<()>> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.retain(|_, gate| Arc::strong_count(gate) > 1);
        Arc::clone(gates.entry(worker.to_owned()).or_default())
    }
}

impl CallContext<'_> {
    /// Returns the overlay of this call's directory. `missing` lists the repositories that did not answer in time.
    pub async fn overlay(&self) -> Arc<Overlay> {
        let plan = self.visible.plan_for(self.visible.repo_idxs().to_vec(), false);
        let directory = &plan.directory;
        let serving = serving(directory);
        let own: Vec<RepoIdx> = serving.iter().copied().filter(|repo_idx| plan.may_read(*repo_idx)).collect();
        let fingerprint = fingerprint(directory, &serving);
        let cache = &self.federation.overlay;
        let is_current = |overlay: &Overlay| overlay.fingerprint == fingerprint;
        let current = cache.current.load_full();
        if is_current(&current) && own.iter().all(|repo_idx| current.resolved.contains(repo_idx)) {
            return current;
        }
        let deadline = self.hard_deadline().min(Instant::now() + SOFT_DEADLINE);
        cache.parts.lock().await.forget_changed(directory, &serving);
        let groups = nodes::groups(&plan, own.iter().copied());
        join_all(groups.iter().map(|group| self.fetch_surfaces(&plan, group, deadline))).await;
        join_all(groups.iter().map(|group| self.locate_members(&plan, group, deadline))).await;
        let mut parts = cache.parts.lock().await;
        // A concurrent call may have used another directory meanwhile.
        parts.forget_changed(directory, &serving);
        parts.note_unknown(directory, &own);
        let current = cache.current.load_full();
        if is_current(&current) && !parts.is_dirty {
            return current;
        }
        parts.join().await;
        let overlay = Arc::new(parts.overlay(directory, &serving, fingerprint));
        parts.is_dirty = false;
        cache.current.store(Arc::clone(&overlay));
        overlay
    }

    /// Fetches the unknown surfaces of a group.
    async fn fetch_surfaces(&self, plan: &Plan, group: &Group, deadline: Instant) {
        let (cache, directory) = (&self.federation.overlay, &plan.directory);
        let gate = cache.gate(&directory.workers[group.worker_idx].name);
        let Ok(_passing) = tokio::time::timeout_at(deadline, gate.lock()).await else { return };
        let unknown: Vec<RepoIdx> = {
            let parts = cache.parts.lock().await;
            group.repo_idxs.iter().copied().filter(|repo_idx| parts.is_wanted(&key(directory, *repo_idx))).collect()
        };
        if unknown.is_empty() {
            return;
        }
        let groups = chunks(&Group { repo_idxs: unknown, ..group.clone() }, SURFACES_PER_CALL);
        let message = |group: &Group| v1::SurfaceRequest {
            targets: group.repo_idxs.iter().map(|repo_idx| plan.target(*repo_idx)).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.surface(request).await };
        let answered =
            fan_out(plan, &groups, &self.connections, deadline, message, rpc, reply_checks::surface_faults).await;
        let mut fetched: Vec<(RepositoryKey, String, ContractSurface)> = Vec::new();
        for (group, reply) in answered.value {
            let repo_idxs = plan.by_id(&group);
            for surface in reply.surfaces {
                let Some(repo_idx) = repo_idxs.get(surface.repository.as_str()) else { continue };
                let generation = plan.repository(*repo_idx).advertised.generation.clone();
                fetched.push((key(directory, *repo_idx), generation, from_wire(surface)));
            }
        }
        let index = move || -> Vec<(RepositoryKey, String, Arc<IndexedSurface>)> {
            let one = |(key, generation, surface)| (key, generation, Arc::new(IndexedSurface::new(surface)));
            fetched.into_iter().map(one).collect()
        };
        let fetched = blocking(index).await;
        let mut parts = cache.parts.lock().await;
        for (repo_idx, state, reason) in answered.shortfalls.iter() {
            parts.note_failure(key(directory, repo_idx), state, reason);
        }
        fetched.into_iter().for_each(|(key, generation, indexed)| parts.add(key, generation, indexed));
    }

    /// Locates the package members of a group's repositories that other repositories use.
    async fn locate_members(&self, plan: &Plan, group: &Group, deadline: Instant) {
        let (cache, directory) = (&self.federation.overlay, &plan.directory);
        let gate = cache.gate(&directory.workers[group.worker_idx].name);
        let Ok(_passing) = tokio::time::timeout_at(deadline, gate.lock()).await else { return };
        let (wanted, newest): (BTreeMap<RepoIdx, Vec<PackageMember>>, u64) = {
            let mut parts = cache.parts.lock().await;
            let own = group.repo_idxs.iter();
            let wanted = own.map(|repo_idx| (*repo_idx, parts.members_unknown(&key(directory, *repo_idx))));
            (wanted.filter(|(_, members)| !members.is_empty()).collect(), parts.n_surfaces)
        };
        if wanted.is_empty() {
            return;
        }
        let groups: Vec<Group> =
            wanted.keys().map(|repo_idx| Group { repo_idxs: vec![*repo_idx], ..group.clone() }).collect();
        let message = |group: &Group| v1::LocateRequest {
            target: Some(plan.target(group.repo_idxs[0])),
            members: wanted[&group.repo_idxs[0]].iter().map(member_to_wire).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.locate(request).await };
        let answered = fan_out(plan, &groups, &self.connections, deadline, message, rpc, |_| Vec::new()).await;
        let mut parts = cache.parts.lock().await;
        for (repo_idx, state, reason) in answered.shortfalls.iter() {
            parts.note_failure(key(directory, repo_idx), state, reason);
        }
        for (group, reply) in answered.value {
            let repo_idx = group.repo_idxs[0];
            let members = &wanted[&repo_idx];
            if !reply_checks::locate_faults(members.len())(&reply).is_empty() || reply.locations.len() != members.len()
            {
                continue;
            }
            let sites = reply.locations.into_iter().map(|location| {
                let (path, line) = (location.path, location.line);
                location.node.map(|node| ContractSite { node, path, line })
            });
            parts.locate(key(directory, repo_idx), members.iter().cloned().zip(sites), newest);
        }
    }
}

impl OverlayParts {
    /// Evicts the data of generations that are no longer served.
    fn forget_changed(&mut self, directory: &Directory, serving: &[RepoIdx]) {
        let generation = |repo_idx: &RepoIdx| directory[*repo_idx].advertised.generation.as_str();
        let served: BTreeMap<RepositoryKey, &str> =
            serving.iter().map(|repo_idx| (key(directory, *repo_idx), generation(repo_idx))).collect();
        let is_served =
            |key: &RepositoryKey, part: &RepositorySurface| served.get(key) == Some(&part.generation.as_str());
        let gone = self.surfaces.iter().filter(|(key, part)| !is_served(key, part)).map(|(key, _)| key.clone());
        let gone: BTreeSet<RepositoryKey> = gone.collect();
        self.surfaces.retain(|key, _| !gone.contains(key));
        self.pairs.retain(|(user, provider), _| !gone.contains(user) && !gone.contains(provider));
        self.failures.retain(|key, _| served.contains_key(key) && !gone.contains(key));
        self.is_dirty |= !gone.is_empty();
    }

    fn is_resting(&self, key: &RepositoryKey) -> bool {
        self.failures.get(key).is_some_and(|failure| failure.at.elapsed() < RETRY_PAUSE)
    }

    fn is_wanted(&self, key: &RepositoryKey) -> bool {
        !self.surfaces.contains_key(key) && !self.is_resting(key)
    }

    fn note_failure(&mut self, key: RepositoryKey, state: ShardState, reason: &str) {
        self.failures.insert(key, SurfaceFailure { at: Instant::now(), state, reason: reason.to_owned() });
        self.is_dirty = true;
    }

    /// Records a timeout for the repositories that a concurrent call is still fetching.
    fn note_unknown(&mut self, directory: &Directory, own: &[RepoIdx]) {
        let keys = own.iter().map(|repo_idx| key(directory, *repo_idx));
        let is_unknown = |key: &RepositoryKey| !self.surfaces.contains_key(key) && !self.failures.contains_key(key);
        let unknown: Vec<RepositoryKey> = keys.filter(is_unknown).collect();
        for key in unknown {
            self.note_failure(key, ShardState::TimedOut, "its links to other repositories are still being found");
        }
    }

    fn add(&mut self, key: RepositoryKey, generation: String, indexed: Arc<IndexedSurface>) {
        self.n_surfaces += 1;
        self.failures.remove(&key);
        self.unjoined.insert(key.clone());
        self.is_dirty = true;
        let part =
            RepositorySurface { generation, indexed, number: self.n_surfaces, located: Arc::default(), located_for: 0 };
        self.surfaces.insert(key, part);
    }

    /// Stores the locations of the package members that the surfaces up to this number use.
    fn locate(
        &mut self,
        key: RepositoryKey,
        sites: impl Iterator<Item = (PackageMember, Option<ContractSite>)>,
        located_for: u64,
    ) {
        let Some(part) = self.surfaces.get_mut(&key) else { return };
        Arc::make_mut(&mut part.located).extend(sites);
        part.located_for = located_for;
        self.failures.remove(&key);
        self.unjoined.insert(key);
        self.is_dirty = true;
    }

    /// Returns the used members of a repository's packages that are not located yet.
    fn members_unknown(&mut self, provider: &RepositoryKey) -> Vec<PackageMember> {
        if self.is_resting(provider) {
            return Vec::new();
        }
        let Some(part) = self.surfaces.get(provider) else { return Vec::new() };
        let is_new =
            |user: &RepositoryKey, used_by: &RepositorySurface| user != provider && used_by.number > part.located_for;
        let users = self.surfaces.iter().filter(|(user, used_by)| is_new(user, used_by));
        let members = users.flat_map(|(_, user)| user.indexed.members_to_locate(&part.indexed));
        let unknown: BTreeSet<PackageMember> =
            members.filter(|member| !part.located.contains_key(member)).take(MAX_MEMBERS).collect();
        if unknown.is_empty() && part.located_for < self.n_surfaces {
            let n_surfaces = self.n_surfaces;
            self.surfaces.entry(provider.clone()).and_modify(|part| part.located_for = n_surfaces);
            self.is_dirty = true;
        }
        unknown.into_iter().collect()
    }

    /// Rejoins the pairs of changed repositories.
    async fn join(&mut self) {
        let changed = std::mem::take(&mut self.unjoined);
        let mut pairs = Vec::new();
        for (user, used_by) in &self.surfaces {
            for (provider, part) in &self.surfaces {
                if user != provider && (changed.contains(user) || changed.contains(provider)) {
                    let sides = (Arc::clone(&used_by.indexed), Arc::clone(&part.indexed), Arc::clone(&part.located));
                    pairs.push(((user.clone(), provider.clone()), sides));
                }
            }
        }
        let join = move || -> Vec<_> {
            let joined = pairs
                .into_iter()
                .map(|(pair, (user, provider, located))| (pair, Arc::new(join_pair(&user, &provider, &located))));
            joined.collect()
        };
        for (pair, links) in blocking(join).await {
            if links.is_empty() {
                self.pairs.remove(&pair);
            } else {
                self.pairs.insert(pair, links);
            }
        }
    }

    fn overlay(&self, directory: &Directory, serving: &[RepoIdx], fingerprint: [u8; 32]) -> Overlay {
        let repo_idxs: BTreeMap<RepositoryKey, RepoIdx> =
            serving.iter().map(|repo_idx| (key(directory, *repo_idx), *repo_idx)).collect();
        let pair = |((user, provider), links): (&(RepositoryKey, RepositoryKey), &Arc<Vec<ContractLink>>)| {
            Some(((*repo_idxs.get(user)?, *repo_idxs.get(provider)?), Arc::clone(links)))
        };
        let surfaces = self.surfaces.iter();
        let surfaces = surfaces.filter_map(|(key, part)| Some((*repo_idxs.get(key)?, Arc::clone(&part.indexed))));
        let missing = |(key, failure): (&RepositoryKey, &SurfaceFailure)| {
            Some((*repo_idxs.get(key)?, (failure.state, failure.reason.clone())))
        };
        let missing = self.failures.iter().filter_map(missing).collect();
        let is_resolved = |part: &RepositorySurface| part.located_for == self.n_surfaces;
        let resolved = self.surfaces.iter().filter(|(_, part)| is_resolved(part));
        let resolved = resolved.filter_map(|(key, _)| repo_idxs.get(key).copied()).collect();
        let pairs = self.pairs.iter().filter_map(pair);
        Overlay { resolved, ..Overlay::new(fingerprint, pairs, surfaces.collect(), missing) }
    }
}

/// Runs CPU-bound work on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("joining surfaces is total, and nobody cancels it")
}

fn serving(directory: &Directory) -> Vec<RepoIdx> {
    let is_serving = |repo_idx: &RepoIdx| matches!(directory[*repo_idx].availability, Availability::Serving(_));
    directory.repo_idxs().filter(is_serving).collect()
}

fn key(directory: &Directory, repo_idx: RepoIdx) -> RepositoryKey {
    let repository = &directory[repo_idx];
    (repository.id, repository.own_alias.clone())
}

fn fingerprint(directory: &Directory, serving: &[RepoIdx]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for repo_idx in serving {
        let repository = &directory[*repo_idx];
        hasher.update(&repo_idx.0.to_le_bytes());
        hasher.update(&repository.id.0);
        hasher.update(repository.advertised.generation.as_bytes());
        hasher.update(repository.own_alias.as_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize().into()
}

/// Splits a group into parts of at most `most` repositories.
fn chunks(group: &Group, most: usize) -> Vec<Group> {
    let chunks = group.repo_idxs.chunks(most);
    chunks.map(|repo_idxs| Group { worker_idx: group.worker_idx, repo_idxs: repo_idxs.to_vec() }).collect()
}

fn from_wire(surface: v1::Surface) -> ContractSurface {
    let offer = |offer: v1::Offer| {
        let kind = kind_from_wire(offer.kind())?;
        Some(SurfaceOffer {
            kind,
            key: offer.key,
            site: ContractSite { node: offer.node, path: offer.path, line: offer.line },
        })
    };
    let used = |used: v1::Use| {
        Some(SurfaceUse {
            kind: kind_from_wire(used.kind())?,
            key: used.key,
            member: used.member,
            site: ContractSite { node: used.node, path: used.path, line: used.line },
            confidence: used.confidence,
            n_sites: used.sites,
            serves: used.serves,
        })
    };
    ContractSurface {
        offers: surface.offers.into_iter().take(MAX_ITEMS).filter_map(offer).collect(),
        uses: surface.uses.into_iter().take(MAX_ITEMS).filter_map(used).collect(),
    }
}

fn member_to_wire(member: &PackageMember) -> v1::PackageMember {
    v1::PackageMember { package: member.package.clone(), member: member.member.clone() }
}
