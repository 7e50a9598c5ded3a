//! Incremental refresh of the overlay: fetches the surfaces of new generations and the locations of new package members, and
//! rejoins only the affected pairs of repositories.
//!
//! A call fetches only for repositories that its caller can read. Its latency is independent of all others.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    sync::{Arc, PoisonError},
};

use futures::future::join_all;
use links::{
    SharedTexts,
    join::{ContractSite, ContractSurface, IndexedSurface, PackageMember, SurfaceOffer, SurfaceUse},
    rules::LinkRules,
};
use proto::v1;
use tokio::{sync::Mutex, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Overlay, OverlayInputs,
    importers::{GenerationRef, ImporterKey, JointLinks},
    kind_from_wire,
    link_store::LinkStore,
    parts::{OverlayParts, OverlaySources, RepositoryKey, blocking, generation_ref, key},
};
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

/// Maximum number of offers, and of uses, per repository: far above what repositories of millions of lines have.
const MAX_ITEMS: usize = 200_000;

/// Maximum number of overlays in the cache: of the callers' sets of readable repositories that are in use at a time.
const MAX_OVERLAYS: usize = 16;

/// Maximum number of surfaces per call, so that a reply stays below the message size limit.
const SURFACES_PER_CALL: usize = 8;

/// Maximum number of concurrent calls to one worker. A slow worker then finishes some of them before the deadline, instead of none.
const CONCURRENT_CALLS: usize = 4;

/// The settings of links between repositories.
#[derive(Debug, Clone, Default)]
pub struct OverlaySettings {
    /// The folder in which links are kept; without one, they are made again after a restart.
    pub folder: Option<PathBuf>,
    /// The rules of the user.
    pub rules: LinkRules,
}

/// The overlays of the newest directory, and their inputs.
pub struct OverlayCache {
    /// By access: the overlays of the sets of repositories that callers may read, the last used one last.
    recent: std::sync::Mutex<Vec<Arc<Overlay>>>,
    /// Locked during computation, never while waiting for a worker.
    parts: Mutex<OverlayParts>,
    joint: JointLinks,
    rules: Arc<LinkRules>,
    /// Aliases in rules that are logged as unknown.
    unknown_aliases: std::sync::Mutex<BTreeSet<String>>,
    /// One lock per worker in use: concurrent calls do not fetch the same data twice.
    gates: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl OverlayCache {
    /// Creates an empty cache. Joint links are made in tasks of `tasks` that end with `stop`.
    pub(crate) fn new(settings: OverlaySettings, tasks: &TaskTracker, stop: &CancellationToken) -> OverlayCache {
        let OverlaySettings { folder, rules } = settings;
        let (rules, store) = (Arc::new(rules), LinkStore::open(folder.as_deref()));
        OverlayCache {
            recent: std::sync::Mutex::default(),
            parts: Mutex::default(),
            joint: JointLinks::new(store, Arc::clone(&rules), tasks, stop),
            rules,
            unknown_aliases: std::sync::Mutex::default(),
            gates: std::sync::Mutex::default(),
        }
    }

    /// Returns the overlay with this fingerprint, if it is in the cache.
    fn get(&self, fingerprint: &[u8; 32]) -> Option<Arc<Overlay>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let at = recent.iter().position(|overlay| overlay.fingerprint == *fingerprint)?;
        let overlay = recent.remove(at);
        recent.push(Arc::clone(&overlay));
        Some(overlay)
    }

    /// Stores an overlay, in the place of one with the same fingerprint or of the one that was not used for the longest time.
    fn put(&self, overlay: &Arc<Overlay>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|other| other.fingerprint != overlay.fingerprint);
        if recent.len() >= MAX_OVERLAYS {
            recent.remove(0);
        }
        recent.push(Arc::clone(overlay));
    }

    /// Logs each alias in rules once that no repository has.
    fn warn_of_unknown_aliases(&self, directory: &Directory) {
        if self.rules.is_empty() {
            return;
        }
        let known: BTreeSet<&str> =
            directory.repo_idxs().map(|repo_idx| directory[repo_idx].own_alias.as_str()).collect();
        let mut logged = self.unknown_aliases.lock().unwrap_or_else(PoisonError::into_inner);
        for alias in self.rules.unknown_aliases(&known) {
            if logged.insert(alias.to_owned()) {
                tracing::warn!(alias, "`[links]` names a repository that no worker has: its rules have no effect yet");
            }
        }
    }

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
        let visible = self.visible.without_drafts();
        let plan = visible.plan_for(visible.repo_idxs().to_vec(), false);
        let directory = &plan.directory;
        let serving = serving(directory);
        let own: Vec<RepoIdx> = serving.iter().copied().filter(|repo_idx| plan.may_read(*repo_idx)).collect();
        let fingerprint = fingerprint(directory, &own);
        let cache = &self.federation.overlay;
        if let Some(complete) = cache.get(&fingerprint).filter(|overlay| overlay.is_complete) {
            return complete;
        }
        cache.warn_of_unknown_aliases(directory);
        let deadline = self.hard_deadline().min(Instant::now() + SOFT_DEADLINE);
        cache.parts.lock().await.forget_changed(directory, &serving);
        let groups = nodes::groups(&plan, own.iter().copied());
        join_all(groups.iter().map(|group| self.fetch_surfaces(&plan, group, deadline))).await;
        join_all(groups.iter().map(|group| self.locate_members(&plan, group, deadline))).await;
        let link_deadline = deadline.min(Instant::now() + self.link_patience);
        let importers = self.link_importers(&plan, &own, link_deadline).await;
        let mut parts = cache.parts.lock().await;
        // A concurrent call may have used another directory meanwhile.
        parts.forget_changed(directory, &serving);
        parts.note_unknown(directory, &own);
        let inputs = OverlayInputs { parts: parts.version, joint: cache.joint.version() };
        if let Some(current) = cache.get(&fingerprint).filter(|overlay| overlay.made_of == inputs) {
            return current;
        }
        parts.join().await;
        let services = parts.services(directory, &own, &cache.rules).await;
        let sources = OverlaySources { importers: &importers, joint: &cache.joint, services, rules: &cache.rules };
        let overlay = Arc::new(parts.overlay(directory, &own, fingerprint, sources));
        cache.put(&overlay);
        overlay
    }

    /// Resolves the uses of other repositories in each of these repositories, and returns the keys of those with providers. It
    /// returns at the deadline, and the rest goes on.
    async fn link_importers(&self, plan: &Plan, own: &[RepoIdx], deadline: Instant) -> Vec<ImporterKey> {
        let (cache, directory) = (&self.federation.overlay, &plan.directory);
        let served: BTreeSet<GenerationRef> =
            serving(directory).into_iter().map(|repo_idx| generation_ref(directory, repo_idx)).collect();
        cache.joint.forget_changed(|generation| served.contains(generation));
        let is_wanted = |key: &ImporterKey| cache.joint.is_wanted(key);
        let (keys, wanted) = cache.parts.lock().await.importers(directory, own, &cache.rules, is_wanted);
        cache.joint.start(plan, &self.connections, wanted);
        cache.joint.settle(&keys, deadline).await;
        keys
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
        for groups in groups.chunks(CONCURRENT_CALLS).take_while(|_| Instant::now() < deadline) {
            self.fetch_some_surfaces(plan, groups, deadline).await;
        }
    }

    /// Fetches the surfaces of some groups at once.
    async fn fetch_some_surfaces(&self, plan: &Plan, groups: &[Group], deadline: Instant) {
        let (cache, directory) = (&self.federation.overlay, &plan.directory);
        let message = |group: &Group| v1::SurfaceRequest {
            targets: group.repo_idxs.iter().map(|repo_idx| plan.target(*repo_idx)).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.surface(request).await };
        let answered =
            fan_out(plan, groups, &self.connections, deadline, message, rpc, reply_checks::surface_faults).await;
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
            let own: Vec<RepositoryKey> = group.repo_idxs.iter().map(|repo_idx| key(directory, *repo_idx)).collect();
            let mut unknown = parts.members_unknown(&own);
            let of_repository =
                group.repo_idxs.iter().zip(&own).filter_map(|(repo_idx, key)| Some((*repo_idx, unknown.remove(key)?)));
            (of_repository.collect(), parts.n_surfaces)
        };
        if wanted.is_empty() {
            return;
        }
        let groups: Vec<Group> =
            wanted.keys().map(|repo_idx| Group { repo_idxs: vec![*repo_idx], ..group.clone() }).collect();
        for groups in groups.chunks(CONCURRENT_CALLS).take_while(|_| Instant::now() < deadline) {
            self.locate_some_members(plan, groups, (&wanted, newest), deadline).await;
        }
    }

    /// Locates members of the repositories of some groups at once. The members are those that surfaces up to a number use.
    async fn locate_some_members(
        &self,
        plan: &Plan,
        groups: &[Group],
        (wanted, newest): (&BTreeMap<RepoIdx, Vec<PackageMember>>, u64),
        deadline: Instant,
    ) {
        let (cache, directory) = (&self.federation.overlay, &plan.directory);
        let message = |group: &Group| v1::LocateRequest {
            target: Some(plan.target(group.repo_idxs[0])),
            members: wanted[&group.repo_idxs[0]].iter().map(member_to_wire).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.locate(request).await };
        let answered = fan_out(plan, groups, &self.connections, deadline, message, rpc, |_| Vec::new()).await;
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
            let texts = SharedTexts::default();
            let sites = reply.locations.into_iter().map(|location| {
                let (path, line) = (texts.share(&location.path), location.line);
                location.node.map(|node| ContractSite { node, path, line })
            });
            parts.locate(key(directory, repo_idx), members.iter().cloned().zip(sites), newest);
        }
    }
}

fn serving(directory: &Directory) -> Vec<RepoIdx> {
    let is_serving = |repo_idx: &RepoIdx| matches!(directory[*repo_idx].availability, Availability::Serving(_));
    directory.repo_idxs().filter(is_serving).collect()
}

pub(super) fn fingerprint(directory: &Directory, serving: &[RepoIdx]) -> [u8; 32] {
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
    let texts = SharedTexts::default();
    let offer = |offer: v1::Offer| {
        let kind = kind_from_wire(offer.kind())?;
        Some(SurfaceOffer {
            kind,
            key: texts.share(&offer.key),
            member: texts.share(&offer.member),
            site: ContractSite { node: offer.node, path: texts.share(&offer.path), line: offer.line },
        })
    };
    let used = |used: v1::Use| {
        Some(SurfaceUse {
            kind: kind_from_wire(used.kind())?,
            key: texts.share(&used.key),
            member: texts.share(&used.member),
            site: ContractSite { node: used.node, path: texts.share(&used.path), line: used.line },
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
    v1::PackageMember { package: member.package.to_string(), member: member.member.to_string() }
}
