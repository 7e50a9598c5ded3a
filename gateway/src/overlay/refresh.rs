//! Keeping the overlay up to date: surfaces of generations that are new, names of packages that are new, and the pairs
//! of repositories that they concern. Everything else stays.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use arc_swap::ArcSwap;
use graph::overlay::{self, Indexed, Link, Located, Offer, PackageMember, Site, Surface, Use, links};
use model::{RepoId, ShardState};
use proto::v1;
use tokio::{sync::Mutex, time::Instant};

use super::{Overlay, kind_from_wire};
use crate::{
    access::Principal,
    call::Call,
    connection::ShardClient,
    directory::Standing,
    fan_out::{SOFT_DEADLINE, fan_out},
    plan::{Group, Plan, Visible},
    replies,
};

/// How long a repository that could not tell its surface is left alone.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Offers, and uses, that are kept of one repository: far above what repositories of millions of lines have.
const MAX_ITEMS: usize = 200_000;

/// Repositories whose surfaces come in one reply, so that it stays below the largest message.
const SURFACES_PER_CALL: usize = 32;

/// Names of packages that one repository is asked for at most.
const MAX_MEMBERS: usize = 50_000;

/// The overlay of the newest directory, and what it was made from.
#[derive(Default)]
pub(crate) struct OverlayCache {
    current: ArcSwap<Overlay>,
    parts: Mutex<Parts>,
}

/// Tells repositories apart: an id alone is shared by those that began alike.
type RepositoryKey = (RepoId, String);

#[derive(Default)]
struct Parts {
    surfaces: BTreeMap<RepositoryKey, Part>,
    /// By user and provider.
    pairs: BTreeMap<(RepositoryKey, RepositoryKey), Arc<Vec<Link>>>,
    failures: BTreeMap<RepositoryKey, Failure>,
}

struct Part {
    generation: String,
    indexed: Arc<Indexed>,
    /// Names of its packages that others use.
    located: Arc<Located>,
}

struct Failure {
    at: Instant,
    state: ShardState,
    reason: String,
}

impl Call<'_> {
    /// Returns the overlay of this call's directory. What could not be learnt in time is missing from it, and named.
    pub(crate) async fn overlay(&self) -> Arc<Overlay> {
        let everything = Visible::new(Arc::clone(&self.visible.directory), &Principal::local());
        let mut plan = everything.plan(None).expect("everything can be planned");
        let serving: Vec<usize> = serving(&plan);
        let fingerprint = fingerprint(&plan, &serving);
        let cache = &self.core.overlay;
        let is_current = |overlay: &Overlay| overlay.fingerprint == fingerprint && overlay.missing.is_empty();
        let current = cache.current.load_full();
        if is_current(&current) {
            return current;
        }
        let deadline = self.hard_deadline().min(Instant::now() + SOFT_DEADLINE);
        let Ok(mut parts) = tokio::time::timeout_at(deadline, cache.parts.lock()).await else {
            let current = cache.current.load_full();
            return if current.fingerprint == fingerprint { current } else { Arc::new(unknown(&serving)) };
        };
        let current = cache.current.load_full();
        if is_current(&current) || current.fingerprint == fingerprint && !parts.may_retry() {
            return current;
        }
        let mut changed = parts.forget_changed(&plan, &serving);
        changed.extend(self.fetch_surfaces(&mut plan, &serving, &mut parts, deadline).await);
        self.locate_members(&mut plan, &serving, &mut parts, &mut changed, deadline).await;
        parts.join(&changed).await;
        let overlay = Arc::new(parts.overlay(&plan, &serving, fingerprint));
        cache.current.store(Arc::clone(&overlay));
        overlay
    }

    /// Asks for the surfaces that are not known; returns the repositories that gave one.
    async fn fetch_surfaces(
        &self,
        plan: &mut Plan,
        serving: &[usize],
        parts: &mut Parts,
        deadline: Instant,
    ) -> BTreeSet<RepositoryKey> {
        let unknown = serving.iter().copied().filter(|position| parts.is_wanted(&key(plan, *position)));
        let groups = chunks(crate::nodes::groups(plan, unknown), SURFACES_PER_CALL);
        let message = |group: &Group| v1::SurfaceRequest {
            targets: group.positions.iter().map(|position| plan.target(*position)).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.surface(request).await };
        let answered = fan_out(plan, &groups, &self.connections, deadline, message, rpc, replies::surface_faults).await;
        for (position, state, reason) in answered.shortfalls.iter() {
            let failure = Failure { at: Instant::now(), state, reason: reason.to_owned() };
            parts.failures.insert(key(plan, position), failure);
        }
        let mut fetched: Vec<(RepositoryKey, String, Surface)> = Vec::new();
        for (group, reply) in answered.replies {
            let positions = plan.by_id(&group);
            for surface in reply.surfaces {
                let Some(position) = positions.get(surface.repository.as_str()) else { continue };
                let generation = plan.repository(*position).advertised.generation.clone();
                fetched.push((key(plan, *position), generation, from_wire(surface)));
            }
        }
        let changed = fetched.iter().map(|(key, ..)| key.clone()).collect();
        let index = move || -> Vec<(RepositoryKey, Part)> {
            let part = |(key, generation, surface)| {
                (key, Part { generation, indexed: Arc::new(Indexed::new(surface)), located: Arc::default() })
            };
            fetched.into_iter().map(part).collect()
        };
        for (key, part) in blocking(index).await {
            parts.failures.remove(&key);
            parts.surfaces.insert(key, part);
        }
        changed
    }

    /// Asks the repositories that offer packages for the names that others use of them.
    async fn locate_members(
        &self,
        plan: &mut Plan,
        serving: &[usize],
        parts: &mut Parts,
        changed: &mut BTreeSet<RepositoryKey>,
        deadline: Instant,
    ) {
        let mut wanted: BTreeMap<usize, Vec<PackageMember>> = BTreeMap::new();
        for position in serving {
            let members = parts.members_unknown(&key(plan, *position), changed);
            if !members.is_empty() {
                wanted.insert(*position, members);
            }
        }
        let one_each = wanted
            .keys()
            .map(|position| Group { worker_idx: plan.repository(*position).worker_idx, positions: vec![*position] });
        let groups: Vec<Group> = one_each.collect();
        let message = |group: &Group| v1::LocateRequest {
            target: Some(plan.target(group.positions[0])),
            members: wanted[&group.positions[0]].iter().map(member_to_wire).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.locate(request).await };
        let answered = fan_out(plan, &groups, &self.connections, deadline, message, rpc, |_| Vec::new()).await;
        for (position, state, reason) in answered.shortfalls.iter() {
            let failure = Failure { at: Instant::now(), state, reason: reason.to_owned() };
            parts.failures.insert(key(plan, position), failure);
        }
        for (group, reply) in answered.replies {
            let position = group.positions[0];
            let members = &wanted[&position];
            let key = key(plan, position);
            if !replies::locate_faults(members.len())(&reply).is_empty() || reply.locations.len() != members.len() {
                continue;
            }
            let Some(part) = parts.surfaces.get_mut(&key) else { continue };
            let located = Arc::make_mut(&mut part.located);
            for (member, location) in members.iter().zip(reply.locations) {
                let site = |node| Site { node, path: location.path.clone(), line: location.line };
                located.insert(member.clone(), location.node.map(site));
            }
            parts.failures.remove(&key);
            changed.insert(key);
        }
    }
}

impl Parts {
    /// Drops what is known of generations that are no longer served; returns whose it was.
    fn forget_changed(&mut self, plan: &Plan, serving: &[usize]) -> BTreeSet<RepositoryKey> {
        let generation = |position: &usize| plan.repository(*position).advertised.generation.clone();
        let served: BTreeMap<RepositoryKey, String> =
            serving.iter().map(|position| (key(plan, *position), generation(position))).collect();
        let is_served = |key: &RepositoryKey, part: &Part| served.get(key) == Some(&part.generation);
        let gone = self.surfaces.iter().filter(|(key, part)| !is_served(key, part)).map(|(key, _)| key.clone());
        let gone: BTreeSet<RepositoryKey> = gone.collect();
        self.surfaces.retain(|key, _| !gone.contains(key));
        self.pairs.retain(|(user, provider), _| !gone.contains(user) && !gone.contains(provider));
        self.failures.retain(|key, _| served.contains_key(key) && !gone.contains(key));
        gone
    }

    fn is_wanted(&self, key: &RepositoryKey) -> bool {
        let is_resting = self.failures.get(key).is_some_and(|failure| failure.at.elapsed() < RETRY_PAUSE);
        !self.surfaces.contains_key(key) && !is_resting
    }

    /// Says whether somebody who failed may be asked again.
    fn may_retry(&self) -> bool {
        self.failures.values().any(|failure| failure.at.elapsed() >= RETRY_PAUSE)
    }

    /// Returns the names of a repository's packages that others use and that it was not asked for yet.
    fn members_unknown(&self, provider: &RepositoryKey, changed: &BTreeSet<RepositoryKey>) -> Vec<PackageMember> {
        let Some(part) = self.surfaces.get(provider) else { return Vec::new() };
        let failed_before = self.failures.contains_key(provider);
        let is_new = |user: &RepositoryKey| failed_before || changed.contains(provider) || changed.contains(user);
        let users = self.surfaces.iter().filter(|(user, _)| *user != provider && is_new(user));
        let members = users.flat_map(|(_, user)| user.indexed.members_wanted(&part.indexed));
        let unknown: BTreeSet<PackageMember> =
            members.filter(|member| !part.located.contains_key(member)).take(MAX_MEMBERS).collect();
        unknown.into_iter().collect()
    }

    /// Joins the pairs that changed repositories are in.
    async fn join(&mut self, changed: &BTreeSet<RepositoryKey>) {
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
                .map(|(pair, (user, provider, located))| (pair, Arc::new(links(&user, &provider, &located))));
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

    fn overlay(&self, plan: &Plan, serving: &[usize], fingerprint: [u8; 32]) -> Overlay {
        let positions: BTreeMap<RepositoryKey, usize> =
            serving.iter().map(|position| (key(plan, *position), *position)).collect();
        let pair = |((user, provider), links): (&(RepositoryKey, RepositoryKey), &Arc<Vec<Link>>)| {
            Some(((*positions.get(user)?, *positions.get(provider)?), Arc::clone(links)))
        };
        let surfaces = self.surfaces.iter();
        let surfaces = surfaces.filter_map(|(key, part)| Some((*positions.get(key)?, Arc::clone(&part.indexed))));
        let missing = |(key, failure): (&RepositoryKey, &Failure)| {
            Some((*positions.get(key)?, (failure.state, failure.reason.clone())))
        };
        let missing = self.failures.iter().filter_map(missing).collect();
        Overlay::new(fingerprint, self.pairs.iter().filter_map(pair), surfaces.collect(), missing)
    }
}

/// Runs what takes long on a thread that may take long.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("joining surfaces is total, and nobody cancels it")
}

fn serving(plan: &Plan) -> Vec<usize> {
    let is_serving = |position: &usize| matches!(plan.repository(*position).standing, Standing::Serving(_));
    plan.asked.iter().copied().filter(is_serving).collect()
}

fn key(plan: &Plan, position: usize) -> RepositoryKey {
    let repository = plan.repository(position);
    (repository.id, repository.alias.clone())
}

fn fingerprint(plan: &Plan, serving: &[usize]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for position in serving {
        let repository = plan.repository(*position);
        hasher.update(&position.to_le_bytes());
        hasher.update(&repository.id.0);
        hasher.update(repository.advertised.generation.as_bytes());
        hasher.update(repository.alias.as_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize().into()
}

/// Returns an overlay of which nothing is known yet.
fn unknown(serving: &[usize]) -> Overlay {
    let reason = "its links to other repositories are still being found";
    let missing = serving.iter().map(|position| (*position, (ShardState::TimedOut, reason.to_owned())));
    Overlay { missing: missing.collect(), ..Overlay::default() }
}

/// Splits groups so that none is about more than `most` repositories.
fn chunks(groups: Vec<Group>, most: usize) -> Vec<Group> {
    let split = |group: Group| {
        let parts: Vec<Group> = group
            .positions
            .chunks(most)
            .map(|positions| Group { worker_idx: group.worker_idx, positions: positions.to_vec() })
            .collect();
        parts
    };
    groups.into_iter().flat_map(split).collect()
}

fn from_wire(surface: v1::Surface) -> Surface {
    let offer = |offer: v1::Offer| {
        let kind = kind_from_wire(offer.kind())?;
        Some(Offer { kind, key: offer.key, site: Site { node: offer.node, path: offer.path, line: offer.line } })
    };
    let used = |used: v1::Use| {
        Some(Use {
            kind: kind_from_wire(used.kind())?,
            key: used.key,
            member: used.member,
            site: Site { node: used.node, path: used.path, line: used.line },
            confidence: used.confidence,
            n_sites: used.sites,
            serves: used.serves,
        })
    };
    overlay::Surface {
        offers: surface.offers.into_iter().take(MAX_ITEMS).filter_map(offer).collect(),
        uses: surface.uses.into_iter().take(MAX_ITEMS).filter_map(used).collect(),
    }
}

fn member_to_wire(member: &PackageMember) -> v1::PackageMember {
    v1::PackageMember { package: member.package.clone(), member: member.member.clone() }
}
