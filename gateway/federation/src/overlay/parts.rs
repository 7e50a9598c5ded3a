//! The parts of an overlay that outlive a call: surfaces, located members and joined pairs of repositories, by repository.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use links::{
    join::{ContractLink, ContractSite, IndexedSurface, LocatedMembers, PackageMember, join_pair},
    joint::{SurfaceOfRepository, provider_closures},
    rules::LinkRules,
};
use model::{RepoId, ShardState};
use tokio::time::Instant;

use super::{
    LinkedRepository, Overlay, OverlayInputs,
    importers::{GenerationRef, ImporterKey, ImporterToLink, JointLinks, ProviderPackage},
    pair_index::PairIndex,
    services::OverlayServices,
};
use crate::{directory::Directory, repo_idx::RepoIdx};

/// Back-off after a repository failed to return its surface.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Maximum number of package members to locate per repository.
const MAX_MEMBERS: usize = 50_000;

/// Maximum number of joined services in the cache: of the sets of readable repositories that are in use at a time.
const MAX_SERVICES: usize = 16;

/// Identifies a repository: forks share the id.
pub(super) type RepositoryKey = (RepoId, String);

#[derive(Default)]
pub(super) struct OverlayParts {
    pub(super) surfaces: BTreeMap<RepositoryKey, RepositorySurface>,
    /// The surfaces of replaced generations. Most commits do not change the surface, so that its pairs stay.
    replaced: BTreeMap<RepositoryKey, RepositorySurface>,
    /// By user and provider. A pair with a replaced surface counts again once the next one is joined.
    pairs: BTreeMap<(RepositoryKey, RepositoryKey), Arc<Vec<ContractLink>>>,
    /// By user and provider: those of `pairs` that count in the overlay made last.
    key_links: BTreeMap<(RepositoryKey, RepositoryKey), PairKeyLinks>,
    failures: BTreeMap<RepositoryKey, SurfaceFailure>,
    /// The services that were joined last, by the identity of what they were joined of; the last used ones come last.
    services: Vec<([u8; 32], Arc<OverlayServices>)>,
    /// Repositories with changes that are not joined yet.
    unjoined: BTreeSet<RepositoryKey>,
    /// It increases with every change that an overlay depends on.
    pub(super) version: u64,
    /// Number of surfaces received so far; each gets the next number.
    pub(super) n_surfaces: u64,
}

/// The links by key of a pair that count beside the inferred ones.
struct PairKeyLinks {
    index: Arc<PairIndex>,
    /// All links by key of the pair, and the inferred ones, that the index is made of.
    links: Arc<Vec<ContractLink>>,
    inferred: Option<Arc<PairIndex>>,
}

/// Links that are not joined by pairs of surfaces, and the rules about all links.
pub(super) struct OverlaySources<'a> {
    pub(super) importers: &'a [ImporterKey],
    pub(super) joint: &'a JointLinks,
    pub(super) services: Arc<OverlayServices>,
    pub(super) rules: &'a LinkRules,
}

pub(super) struct RepositorySurface {
    generation: String,
    indexed: Arc<IndexedSurface>,
    number: u64,
    /// Locations of the members of its packages that others use.
    located: Arc<LocatedMembers>,
    /// The number of the last surface whose names are among these.
    located_for: u64,
    /// The inputs by which its pairs were joined last.
    joined: Option<JoinedInputs>,
}

/// The inputs of the join of a repository with others.
#[derive(Clone)]
struct JoinedInputs {
    /// The identity of the surface.
    surface: [u8; 32],
    located: Arc<LocatedMembers>,
}

impl RepositorySurface {
    /// Returns true if the pairs of the repository were joined by these inputs.
    fn is_joined(&self) -> bool {
        self.joined.as_ref().is_some_and(|joined| {
            let has_same_members = Arc::ptr_eq(&joined.located, &self.located) || joined.located == self.located;
            joined.surface == *self.indexed.identity() && has_same_members
        })
    }
}

pub(super) struct SurfaceFailure {
    /// The time until which it is not tried again.
    rests_until: Instant,
    state: ShardState,
    reason: String,
}

impl OverlayParts {
    /// Evicts the data of generations that are no longer served.
    pub(super) fn forget_changed(&mut self, directory: &Directory, serving: &[RepoIdx]) {
        let generation = |repo_idx: &RepoIdx| directory[*repo_idx].advertised.generation.as_str();
        let served: BTreeMap<RepositoryKey, &str> =
            serving.iter().map(|repo_idx| (key(directory, *repo_idx), generation(repo_idx))).collect();
        let is_served =
            |key: &RepositoryKey, part: &RepositorySurface| served.get(key) == Some(&part.generation.as_str());
        let gone = self.surfaces.iter().filter(|(key, part)| !is_served(key, part)).map(|(key, _)| key.clone());
        let gone: BTreeSet<RepositoryKey> = gone.collect();
        for key in &gone {
            let part = self.surfaces.remove(key);
            self.replaced.extend(part.filter(|part| part.joined.is_some()).map(|part| (key.clone(), part)));
        }
        self.replaced.retain(|key, _| served.contains_key(key));
        let is_known = |key: &RepositoryKey| self.surfaces.contains_key(key) || self.replaced.contains_key(key);
        self.pairs.retain(|(user, provider), _| is_known(user) && is_known(provider));
        self.key_links.retain(|pair, _| self.pairs.contains_key(pair));
        self.failures.retain(|key, _| served.contains_key(key) && !gone.contains(key));
        self.version += u64::from(!gone.is_empty());
    }

    pub(super) fn is_resting(&self, key: &RepositoryKey) -> bool {
        self.failures.get(key).is_some_and(|failure| Instant::now() < failure.rests_until)
    }

    pub(super) fn is_wanted(&self, key: &RepositoryKey) -> bool {
        !self.surfaces.contains_key(key) && !self.is_resting(key)
    }

    pub(super) fn note_failure(&mut self, key: RepositoryKey, state: ShardState, reason: &str) {
        let rests_until = Instant::now() + RETRY_PAUSE;
        self.failures.insert(key, SurfaceFailure { rests_until, state, reason: reason.to_owned() });
        self.version += 1;
    }

    /// Records a timeout for the repositories that a concurrent call is still fetching, or that had no turn before the deadline. The
    /// next call fetches them at once.
    pub(super) fn note_unknown(&mut self, directory: &Directory, own: &[RepoIdx]) {
        let keys = own.iter().map(|repo_idx| key(directory, *repo_idx));
        let is_unknown = |key: &RepositoryKey| !self.surfaces.contains_key(key) && !self.failures.contains_key(key);
        let unknown: Vec<RepositoryKey> = keys.filter(is_unknown).collect();
        for key in unknown {
            let reason = "its links to other repositories are still being found".to_owned();
            self.failures
                .insert(key, SurfaceFailure { rests_until: Instant::now(), state: ShardState::TimedOut, reason });
            self.version += 1;
        }
    }

    pub(super) fn add(&mut self, key: RepositoryKey, generation: String, indexed: Arc<IndexedSurface>) {
        self.version += 1;
        self.failures.remove(&key);
        self.unjoined.insert(key.clone());
        let replaced = self.replaced.remove(&key);
        let joined = replaced.as_ref().and_then(|part| part.joined.clone());
        // Its own members are located again: a commit moves definitions that no surface lists.
        let part = match replaced.filter(|part| part.indexed.identity() == indexed.identity()) {
            Some(same) => RepositorySurface { generation, located: Arc::default(), located_for: 0, ..same },
            None => {
                self.n_surfaces += 1;
                let (number, located) = (self.n_surfaces, Arc::default());
                RepositorySurface { generation, indexed, number, located, located_for: 0, joined }
            }
        };
        self.surfaces.insert(key, part);
    }

    /// Stores the locations of the package members that the surfaces up to this number use.
    pub(super) fn locate(
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
        self.version += 1;
    }

    /// Returns the used members of packages of some repositories that are not located yet, by repository.
    pub(super) fn members_unknown(
        &mut self,
        providers: &[RepositoryKey],
    ) -> BTreeMap<RepositoryKey, Vec<PackageMember>> {
        let n_surfaces = self.n_surfaces;
        let is_open = |provider: &&RepositoryKey| {
            let is_behind = |part: &RepositorySurface| part.located_for < n_surfaces;
            !self.is_resting(provider) && self.surfaces.get(*provider).is_some_and(is_behind)
        };
        let open: BTreeSet<&RepositoryKey> = providers.iter().filter(is_open).collect();
        if open.is_empty() {
            return BTreeMap::new();
        }
        let mut unknown: BTreeMap<RepositoryKey, BTreeSet<PackageMember>> = BTreeMap::new();
        for (user, provider) in self.users_and_providers() {
            let (used_by, part) = (&self.surfaces[user], &self.surfaces[provider]);
            if open.contains(provider) && used_by.number > part.located_for {
                let members = used_by.indexed.members_to_locate(&part.indexed).into_iter();
                let members = members.filter(|member| !part.located.contains_key(member));
                unknown.entry(provider.clone()).or_default().extend(members.take(MAX_MEMBERS));
            }
        }
        unknown.retain(|_, members| !members.is_empty());
        for provider in open.into_iter().filter(|provider| !unknown.contains_key(*provider)) {
            self.surfaces.get_mut(provider).into_iter().for_each(|part| part.located_for = n_surfaces);
            self.version += 1;
        }
        let first = |members: BTreeSet<PackageMember>| members.into_iter().take(MAX_MEMBERS).collect();
        unknown.into_iter().map(|(provider, members)| (provider, first(members))).collect()
    }

    /// Rejoins the pairs of changed repositories.
    pub(super) async fn join(&mut self) {
        let unjoined = std::mem::take(&mut self.unjoined).into_iter();
        let is_joined = |key: &RepositoryKey| self.surfaces.get(key).is_none_or(RepositorySurface::is_joined);
        let changed: BTreeSet<RepositoryKey> = unjoined.filter(|key| !is_joined(key)).collect();
        if changed.is_empty() {
            return;
        }
        self.pairs.retain(|(user, provider), _| !changed.contains(user) && !changed.contains(provider));
        // Their pairs with the changed repositories are missing now.
        self.replaced.values_mut().for_each(|part| part.joined = None);
        let mut pairs = Vec::new();
        for (user, provider) in self.users_and_providers() {
            if changed.contains(user) || changed.contains(provider) {
                let (used_by, part) = (&self.surfaces[user], &self.surfaces[provider]);
                let sides = (Arc::clone(&used_by.indexed), Arc::clone(&part.indexed), Arc::clone(&part.located));
                pairs.push(((user.clone(), provider.clone()), sides));
            }
        }
        let join = move || -> Vec<_> {
            let joined = pairs
                .into_iter()
                .map(|(pair, (user, provider, located))| (pair, Arc::new(join_pair(&user, &provider, &located))));
            joined.collect()
        };
        self.pairs.extend(blocking(join).await.into_iter().filter(|(_, links)| !links.is_empty()));
        for key in &changed {
            if let Some(part) = self.surfaces.get_mut(key) {
                part.joined =
                    Some(JoinedInputs { surface: *part.indexed.identity(), located: Arc::clone(&part.located) });
            }
        }
        self.key_links.retain(|pair, _| self.pairs.contains_key(pair));
    }

    /// Returns the pairs of repositories of which the first uses a package that the second offers, in order.
    fn users_and_providers(&self) -> BTreeSet<(&RepositoryKey, &RepositoryKey)> {
        let mut makers: HashMap<&str, Vec<&RepositoryKey>> = HashMap::new();
        for (provider, part) in &self.surfaces {
            part.indexed.offered_packages().for_each(|package| makers.entry(package).or_default().push(provider));
        }
        let mut pairs = BTreeSet::new();
        for (user, part) in &self.surfaces {
            let providers = part.indexed.used_packages().filter_map(|package| makers.get(package)).flatten();
            pairs.extend(providers.filter(|provider| **provider != user).map(|provider| (user, *provider)));
        }
        pairs
    }

    /// Returns the links by key between two repositories that count beside those that inference resolved. It is computed again only
    /// if one of both changed.
    fn pair_key_links(
        &mut self,
        (user, provider): (&RepositoryKey, &RepositoryKey),
        links: &Arc<Vec<ContractLink>>,
        inferred: Option<&Arc<PairIndex>>,
        rules: &LinkRules,
    ) -> Arc<PairIndex> {
        let is_same = |known: &PairKeyLinks| {
            let has_same_inferred = match (&known.inferred, inferred) {
                (Some(known), Some(inferred)) => Arc::ptr_eq(known, inferred),
                (known, inferred) => known.is_none() && inferred.is_none(),
            };
            Arc::ptr_eq(&known.links, links) && has_same_inferred
        };
        let pair = (user.clone(), provider.clone());
        if let Some(known) = self.key_links.get(&pair).filter(|known| is_same(known)) {
            return Arc::clone(&known.index);
        }
        let is_kept = |link: &ContractLink| {
            inferred.is_none_or(|inferred| !inferred.replaces(link)) && rules.may_make(&link.key, &provider.1)
        };
        let index = Arc::new(PairIndex::new(links.iter().filter(|link| is_kept(link)).cloned().collect()));
        let links = Arc::clone(links);
        self.key_links.insert(pair, PairKeyLinks { index: Arc::clone(&index), links, inferred: inferred.cloned() });
        index
    }

    /// Returns the keys of the repositories among these that depend on others of them, and those to link: for which `is_wanted` is true.
    pub(super) fn importers(
        &self,
        directory: &Directory,
        own: &[RepoIdx],
        rules: &LinkRules,
        is_wanted: impl Fn(&ImporterKey) -> bool,
    ) -> (Vec<ImporterKey>, Vec<ImporterToLink>) {
        let known = own.iter().filter_map(|repo_idx| Some((*repo_idx, self.surfaces.get(&key(directory, *repo_idx))?)));
        let (repo_idxs, surfaces): (Vec<RepoIdx>, Vec<&IndexedSurface>) =
            known.map(|(repo_idx, part)| (repo_idx, &*part.indexed)).unzip();
        let alias = |idx: usize| directory[repo_idxs[idx]].own_alias.as_str();
        let repositories = surfaces.iter().enumerate();
        let repositories: Vec<SurfaceOfRepository<'_>> =
            repositories.map(|(idx, surface)| SurfaceOfRepository { alias: alias(idx), surface }).collect();
        let (mut keys, mut to_link) = (Vec::new(), Vec::new());
        let closures = provider_closures(&repositories, rules).into_iter().enumerate();
        for (importer, providers) in closures.filter(|(_, providers)| !providers.is_empty()) {
            let reference = |idx: usize| generation_ref(directory, repo_idxs[idx]);
            let refs = providers.iter().map(|provider| reference(provider.repository));
            let key = ImporterKey { importer: reference(importer), providers: refs.collect() };
            if is_wanted(&key) {
                let packages = providers.iter().map(|provider| ProviderPackage {
                    key: package_between(surfaces[importer], surfaces[provider.repository]),
                    n_makers: provider.n_makers,
                });
                let offered =
                    providers.iter().flat_map(|provider| packages_of(&repositories[provider.repository], rules));
                let idxs = std::iter::once(importer).chain(providers.iter().map(|provider| provider.repository));
                to_link.push(ImporterToLink {
                    packages: packages.collect(),
                    offered: offered.map(str::to_owned).collect(),
                    repo_idxs: idxs.map(|idx| repo_idxs[idx]).collect(),
                    key: key.clone(),
                });
            }
            keys.push(key);
        }
        (keys, to_link)
    }

    /// Returns the services of the repositories that a caller may read. They are joined together, since the evidence for a link may
    /// be in a third one, and only if the services of one of them changed: most commits change none.
    pub(super) async fn services(
        &mut self,
        directory: &Directory,
        own: &[RepoIdx],
        rules: &Arc<LinkRules>,
    ) -> Arc<OverlayServices> {
        let surfaces = own.iter().filter_map(|repo_idx| {
            let part = self.surfaces.get(&key(directory, *repo_idx))?;
            Some((*repo_idx, directory[*repo_idx].own_alias.clone(), Arc::clone(&part.indexed)))
        });
        let surfaces: Vec<(RepoIdx, String, Arc<IndexedSurface>)> = surfaces.collect();
        let identity = services_identity(&surfaces);
        let known = self.services.iter().position(|(known, _)| *known == identity);
        let services = match known {
            Some(place) => self.services.remove(place).1,
            None => {
                let rules = Arc::clone(rules);
                Arc::new(blocking(move || OverlayServices::join(surfaces, rules)).await)
            }
        };
        if self.services.len() >= MAX_SERVICES {
            self.services.remove(0);
        }
        self.services.push((identity, Arc::clone(&services)));
        services
    }

    /// Makes the overlay of the repositories that a caller may read.
    pub(super) fn overlay(
        &mut self,
        directory: &Directory,
        own: &[RepoIdx],
        fingerprint: [u8; 32],
        sources: OverlaySources<'_>,
    ) -> Overlay {
        let OverlaySources { importers, joint, services, rules } = sources;
        let made_of = OverlayInputs { parts: self.version, joint: joint.version() };
        let repo_idxs: BTreeMap<RepositoryKey, RepoIdx> =
            own.iter().map(|repo_idx| (key(directory, *repo_idx), *repo_idx)).collect();
        let mut linked: BTreeMap<RepoIdx, LinkedRepository> = BTreeMap::new();
        let mut unlinked: BTreeMap<RepoIdx, String> = BTreeMap::new();
        for importer in importers {
            let Some(repo_idx) = repo_idxs.get(&importer.importer.0) else { continue };
            match joint.linked(importer) {
                Ok(links) => {
                    let providers = importer.providers.iter().filter_map(|(key, _)| repo_idxs.get(key).copied());
                    linked.insert(*repo_idx, LinkedRepository { providers: providers.collect(), links });
                }
                Err(reason) => {
                    unlinked.insert(*repo_idx, reason);
                }
            }
        }
        let is_known = |key: &RepositoryKey| self.surfaces.contains_key(key);
        let pairs = self.pairs.iter().filter(|((user, provider), _)| is_known(user) && is_known(provider));
        let pairs: Vec<_> = pairs.map(|(pair, links)| (pair.clone(), Arc::clone(links))).collect();
        let mut by_key = Vec::new();
        for ((user, provider), links) in pairs {
            let Some((user_idx, provider_idx)) = repo_idxs.get(&user).zip(repo_idxs.get(&provider)) else { continue };
            let inferred = linked.get(user_idx).and_then(|repository| repository.links_to(*provider_idx));
            let index = self.pair_key_links((&user, &provider), &links, inferred, rules);
            by_key.push(((*user_idx, *provider_idx), index));
        }
        let missing = |(key, failure): (&RepositoryKey, &SurfaceFailure)| {
            Some((*repo_idxs.get(key)?, (failure.state, failure.reason.clone())))
        };
        let mut missing: BTreeMap<RepoIdx, (ShardState, String)> = self.failures.iter().filter_map(missing).collect();
        for (repo_idx, reason) in unlinked {
            missing.entry(repo_idx).or_insert((ShardState::TimedOut, reason));
        }
        let is_located = |part: &RepositorySurface| part.located_for == self.n_surfaces;
        let unlocated = repo_idxs.iter().filter(|(key, _)| !self.surfaces.get(*key).is_some_and(is_located));
        for (_, repo_idx) in unlocated {
            let reason = "the definitions that other repositories use are still being located";
            missing.entry(*repo_idx).or_insert_with(|| (ShardState::TimedOut, reason.to_owned()));
        }
        let is_complete = missing.is_empty();
        let alias = |repo_idx: RepoIdx| directory[repo_idx].own_alias.as_str();
        let may_link = |((user, provider), _): &((RepoIdx, RepoIdx), _)| rules.may_link(alias(*user), alias(*provider));
        // Rules about links between services were applied by the join.
        let of_services = services.pairs.iter().map(|(ends, index)| (*ends, Arc::clone(index)));
        let pairs = by_key.into_iter().filter(may_link).chain(of_services);
        let overlay = Overlay::new(fingerprint, pairs, linked, missing);
        Overlay { is_complete, made_of, services, ..overlay }
    }
}

/// Returns a hash of everything that joined services depend on, besides the rules.
fn services_identity(surfaces: &[(RepoIdx, String, Arc<IndexedSurface>)]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for (repo_idx, alias, surface) in surfaces {
        hasher.update(&repo_idx.0.to_le_bytes());
        hasher.update(&(alias.len() as u64).to_le_bytes());
        hasher.update(alias.as_bytes());
        hasher.update(surface.services_identity());
    }
    hasher.finalize().into()
}

/// Runs CPU-bound work on a blocking thread.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("joining surfaces is total, and nobody cancels it")
}

/// Returns the keys of the packages that a repository makes, by its manifests and the rules of the user.
fn packages_of<'a>(
    repository: &SurfaceOfRepository<'a>,
    rules: &'a LinkRules,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let SurfaceOfRepository { alias, surface } = *repository;
    let offered = surface.offered_packages().filter(move |package| rules.may_make(package, alias));
    offered.chain(rules.makers().filter(move |(_, maker)| *maker == alias).map(|(package, _)| package))
}

/// Returns the package that a link between two repositories names: one that both sides declare, else one that the provider makes.
fn package_between(importer: &IndexedSurface, provider: &IndexedSurface) -> String {
    let used: BTreeSet<&str> = importer.used_packages().collect();
    let made: BTreeSet<&str> = provider.offered_packages().collect();
    made.intersection(&used).next().or(made.first()).map_or_else(String::new, |package| (*package).to_owned())
}

pub(super) fn generation_ref(directory: &Directory, repo_idx: RepoIdx) -> GenerationRef {
    (key(directory, repo_idx), directory[repo_idx].advertised.generation.clone())
}

pub(super) fn key(directory: &Directory, repo_idx: RepoIdx) -> RepositoryKey {
    let repository = &directory[repo_idx];
    (repository.id, repository.own_alias.clone())
}
