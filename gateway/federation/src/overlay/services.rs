//! The services of an overlay: links between them and within a repository, contracts by name, and contracts without their other side.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use links::{
    ContractKind, SharedText,
    join::{ContractLink, ContractSite, IndexedSurface},
    rules::LinkRules,
    services::{
        self, ContractNames, JoinedServices, NamedContract, NetworkIndex, ServiceLink, ServiceRepository,
        UnlinkedContract,
    },
};

use super::{Overlay, pair_index::PairIndex, parts::blocking};
use crate::{did_you_mean, nodes::NodeRef, plan::Visible, repo_idx::RepoIdx};

/// The joined services of the repositories of an overlay.
#[derive(Default)]
pub(super) struct OverlayServices {
    /// By user and provider, which may be the same.
    pub(super) pairs: BTreeMap<(RepoIdx, RepoIdx), Arc<PairIndex>>,
    /// Calls of rpcs, each with the function that serves it.
    calls: Vec<ServiceLink>,
    names: ContractNames,
    unlinked: Vec<UnlinkedContract>,
    /// Nodes by the full name of what they offer: rpcs, services, messages.
    pub(super) by_name: BTreeMap<SharedText, Vec<NodeRef>>,
    /// Routes by path, each with its method.
    pub(super) by_path: BTreeMap<String, Vec<(String, NodeRef)>>,
    surfaces: Vec<(RepoIdx, String, Arc<IndexedSurface>)>,
    rules: Arc<LinkRules>,
    network: NetworkIndex,
    contracts: ContractCache,
}

/// Maximum number of contracts in the cache of one set of generations.
const MAX_CONTRACTS: usize = 64;

/// The contracts that were looked up last, the newest last: pages of one answer look up the same one. `None` stands for one without
/// users and definitions.
#[derive(Default)]
struct ContractCache(Mutex<VecDeque<CachedContract>>);

/// A contract by its kind and name.
type CachedContract = ((ContractKind, String), Option<Arc<NamedContract>>);

impl ContractCache {
    fn get(&self, kind: ContractKind, name: &str) -> Option<Option<Arc<NamedContract>>> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = cached.iter().position(|((of, known), _)| *of == kind && known == name)?;
        let found = cached.remove(at)?;
        let contract = found.1.clone();
        cached.push_back(found);
        Some(contract)
    }

    fn put(&self, kind: ContractKind, name: &str, contract: Option<Arc<NamedContract>>) {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.len() >= MAX_CONTRACTS {
            cached.pop_front();
        }
        cached.push_back(((kind, name.to_owned()), contract));
    }
}

/// A contract without its other side.
#[derive(Debug, Clone, Copy)]
pub struct UnlinkedSite<'a> {
    /// Its repository.
    pub repo_idx: RepoIdx,
    /// The contract; its repositories are those of the overlay.
    pub contract: &'a UnlinkedContract,
}

impl OverlayServices {
    /// Joins the services of repositories, each with its alias. CPU-bound.
    pub(super) fn join(
        surfaces: Vec<(RepoIdx, String, Arc<IndexedSurface>)>,
        rules: Arc<LinkRules>,
    ) -> OverlayServices {
        let JoinedServices { links, internal_links, mut calls, names, mut unlinked, network } =
            services::join(&repositories(&surfaces), &rules);
        let repo_idx = |idx: usize| surfaces[idx].0;
        let mut pairs: BTreeMap<(RepoIdx, RepoIdx), Vec<ContractLink>> = BTreeMap::new();
        for one in links.into_iter().chain(internal_links) {
            let one = in_directory(one, repo_idx);
            pairs.entry((RepoIdx(one.user), RepoIdx(one.provider))).or_default().push(one.link);
        }
        calls = calls.into_iter().map(|one| in_directory(one, repo_idx)).collect();
        for one in &mut unlinked {
            one.repository = repo_idx(one.repository).0;
            one.evidence.iter_mut().for_each(|step| step.repository = repo_idx(step.repository).0);
        }
        let pairs = pairs.into_iter().map(|(ends, links)| (ends, Arc::new(PairIndex::new(links)))).collect();
        let mut joined =
            OverlayServices { pairs, calls, names, unlinked, rules, network, ..OverlayServices::default() };
        surfaces.iter().for_each(|(repo_idx, _, surface)| joined.add_offers(*repo_idx, surface));
        OverlayServices { surfaces, ..joined }
    }

    fn add_offers(&mut self, repo_idx: RepoIdx, surface: &IndexedSurface) {
        for offer in &surface.surface().offers {
            let at = NodeRef { repo_idx, node: offer.site.node };
            match offer.kind {
                ContractKind::Grpc => self.by_name.entry(offer.key.clone()).or_default().push(at),
                ContractKind::Http => {
                    let route = links::join::route_key(&offer.key);
                    self.by_path.entry(route.path).or_default().push((route.method, at));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
impl OverlayServices {
    /// Returns the links and the contracts without links.
    pub(super) fn shown(&self) -> String {
        let pairs: Vec<_> = self.pairs.iter().map(|(ends, index)| (ends, index.links())).collect();
        format!("{pairs:?} {:?} {:?} {:?}", self.calls, self.unlinked, self.names.all().collect::<Vec<_>>())
    }
}

fn repositories(surfaces: &[(RepoIdx, String, Arc<IndexedSurface>)]) -> Vec<ServiceRepository<'_>> {
    surfaces.iter().map(|(_, alias, indexed)| ServiceRepository { alias, surface: indexed.surface() }).collect()
}

/// Returns a link with the indices of the directory instead of those of the join.
fn in_directory(mut one: ServiceLink, repo_idx: impl Fn(usize) -> RepoIdx) -> ServiceLink {
    one.link.evidence.iter_mut().for_each(|step| step.repository = repo_idx(step.repository).0);
    ServiceLink { user: repo_idx(one.user).0, provider: repo_idx(one.provider).0, link: one.link }
}

impl Overlay {
    /// Returns the calls of rpcs between repositories, each with the function that serves it: caller, server and link.
    pub fn rpc_calls<'a>(&'a self, visible: &'a Visible) -> impl Iterator<Item = (RepoIdx, RepoIdx, &'a ContractLink)> {
        let all = self.services.calls.iter().map(|one| (RepoIdx(one.user), RepoIdx(one.provider), &one.link));
        all.filter(|(user, provider, _)| visible.may_read(*user) && visible.may_read(*provider))
    }

    /// Returns the contracts without their other side, those of one reason and repository adjacent.
    pub fn unlinked<'a>(&'a self, visible: &'a Visible) -> impl Iterator<Item = UnlinkedSite<'a>> {
        let all = self.services.unlinked.iter();
        let all = all.map(|contract| UnlinkedSite { repo_idx: RepoIdx(contract.repository), contract });
        all.filter(|one| visible.may_read(one.repo_idx))
    }

    /// Returns the contracts that a text names, the likeliest first. A prefix such as `topic:` selects a kind.
    pub fn contracts_named(&self, written: &str) -> Vec<(ContractKind, &str)> {
        self.services.names.find(written)
    }

    /// Returns the names of contracts with the smallest edit distance to a text.
    pub fn contracts_like(&self, written: &str, limit: usize) -> Vec<String> {
        let names: Vec<&str> = self.services.names.all().map(|(_, name)| name).collect();
        did_you_mean::close(written, &names, limit).into_iter().map(str::to_owned).collect()
    }

    /// Returns a contract with everything that depends on it, from the cache of these generations or from their surfaces.
    pub async fn named_contract(&self, kind: ContractKind, name: &str) -> Option<NamedContract> {
        if let Some(cached) = self.services.contracts.get(kind, name) {
            return cached.map(|contract| NamedContract::clone(&contract));
        }
        let (services, name) = (Arc::clone(&self.services), name.to_owned());
        let find = move || {
            let repositories = repositories(&services.surfaces);
            let found = services::named_contract(&repositories, &services.network, &services.rules, kind, &name);
            let repo_idx = |idx: usize| services.surfaces[idx].0;
            let place = |(repository, site): (usize, ContractSite)| (repo_idx(repository).0, site);
            let found = found.map(|found| NamedContract {
                defined_at: found.defined_at.into_iter().map(place).collect(),
                users: found.users.into_iter().map(|one| in_directory(one, repo_idx)).collect(),
                ..found
            });
            services.contracts.put(kind, &name, found.clone().map(Arc::new));
            found
        };
        blocking(find).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_contract_is_evicted() {
        let cache = ContractCache::default();
        let name = |number: usize| format!("topic-{number}");
        (0..MAX_CONTRACTS).for_each(|number| cache.put(ContractKind::Topic, &name(number), None));
        assert!(cache.get(ContractKind::Topic, &name(0)).is_some());
        cache.put(ContractKind::Topic, "new", None);
        assert!(cache.get(ContractKind::Topic, &name(0)).is_some() && cache.get(ContractKind::Topic, "new").is_some());
        assert!(cache.get(ContractKind::Topic, &name(1)).is_none() && cache.get(ContractKind::Table, "new").is_none());
    }
}
