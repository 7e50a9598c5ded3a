//! The overlay: all links between the repositories that a caller may read.
//!
//! Callers that may read the same repositories share one overlay. No link depends on a repository that the caller cannot read.
//! Links by key join offers and uses of contracts; joint links are uses of definitions that inference resolved.

#[cfg(test)]
mod commit_sequence_tests;
mod facts_source;
mod importers;
mod link_store;
mod linked_importer;
mod pair_index;
mod pair_summary;
mod parts;
mod possible_uses;
mod provider_cache;
mod refresh;
mod services;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use links::{
    ContractKind,
    join::ContractLink,
    joint::{ImportedName, PackageDependency},
};
use model::ShardState;
use proto::v1;

pub use pair_summary::{OverlaySummary, PairKindSummary, UsedDefinition, strength};
pub use possible_uses::{DeclaredUse, PossibleUses};
pub use refresh::{OverlayCache, OverlaySettings};
pub use services::UnlinkedSite;

use linked_importer::LinkedImporter;
use pair_index::PairIndex;
use services::OverlayServices;

use crate::{answer::Shortfalls, nodes::NodeRef, plan::Visible, repo_idx::RepoIdx};

/// The links between the repositories that a caller may read. Immutable: each change builds a new overlay.
#[derive(Default)]
pub struct Overlay {
    /// A hash over repositories and generations in their order.
    fingerprint: [u8; 32],
    /// Links that inference resolved come first.
    pairs: Vec<OverlayPair>,
    /// By repository: the indices of the pairs of which it is one side, ascending.
    by_repository: HashMap<RepoIdx, Vec<u32>>,
    /// Pairs of repositories of which the first declares a package of the second.
    declared: BTreeSet<(RepoIdx, RepoIdx)>,
    /// Repositories whose uses of others were resolved by inference.
    linked: BTreeMap<RepoIdx, LinkedRepository>,
    /// True if the links of all repositories are known.
    is_complete: bool,
    made_of: OverlayInputs,
    /// The services, which depend on the surfaces alone.
    services: Arc<OverlayServices>,
    /// Repositories whose links are not known, and why.
    pub missing: BTreeMap<RepoIdx, (ShardState, String)>,
}

/// The versions of the inputs of an overlay. An overlay of the same inputs is the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct OverlayInputs {
    parts: u64,
    joint: u64,
}

/// A repository whose uses of others were resolved by inference.
struct LinkedRepository {
    /// The repositories that it depends on, directly or through others.
    providers: Vec<RepoIdx>,
    links: Arc<LinkedImporter>,
}

impl LinkedRepository {
    /// Returns the inferred links to a provider.
    fn links_to(&self, provider: RepoIdx) -> Option<&Arc<PairIndex>> {
        let place = self.providers.iter().position(|other| *other == provider)?;
        self.links.links.get(place)
    }

    /// Returns the number of a repository among this one, which is `own` and has 0, and its providers; `None` if it is none of them.
    fn number_of(&self, own: RepoIdx, repository: RepoIdx) -> Option<u32> {
        if own == repository {
            return Some(0);
        }
        let place = self.providers.iter().position(|provider| *provider == repository)?;
        Some(place as u32 + 1)
    }
}

/// The links of one repository to another.
struct OverlayPair {
    user: RepoIdx,
    provider: RepoIdx,
    index: Arc<PairIndex>,
    /// True for uses that inference resolved: they have no alternatives.
    is_joint: bool,
}

/// A link as one caller sees it.
#[derive(Clone, Copy)]
pub struct CrossRepoEdge<'a> {
    /// The start of the edge: the use, or the offer if the user serves it.
    pub from: NodeRef,
    /// The other end.
    pub to: NodeRef,
    /// The repository that uses the contract.
    pub user: RepoIdx,
    /// The repository that offers the contract.
    pub provider: RepoIdx,
    /// In (0, 1]: that of `link`, shared by the alternative providers that the caller may read.
    pub confidence: f32,
    /// Both sites and the key; its confidence ignores alternative providers.
    pub link: &'a ContractLink,
    overlay: &'a Overlay,
}

impl<'a> CrossRepoEdge<'a> {
    /// Returns the requirement of the package by the user, if the link is of a package that a manifest requires.
    pub fn dependency(&self) -> Option<&'a PackageDependency> {
        self.overlay.dependency(self.user, self.provider, &self.link.key)
    }

    /// Returns true for a link that counts as a dependency by itself.
    pub fn is_counted(&self) -> bool {
        self.link.is_counted()
    }
}

impl Overlay {
    fn new(
        fingerprint: [u8; 32],
        pairs: impl IntoIterator<Item = ((RepoIdx, RepoIdx), Arc<PairIndex>)>,
        linked: BTreeMap<RepoIdx, LinkedRepository>,
        missing: BTreeMap<RepoIdx, (ShardState, String)>,
    ) -> Overlay {
        let mut overlay = Overlay { fingerprint, missing, ..Overlay::default() };
        for (user, repository) in &linked {
            for (provider, index) in repository.providers.iter().zip(&repository.links.links) {
                overlay.add(OverlayPair { user: *user, provider: *provider, index: Arc::clone(index), is_joint: true });
            }
        }
        for ((user, provider), index) in pairs {
            overlay.add(OverlayPair { user, provider, index, is_joint: false });
        }
        overlay.linked = linked;
        overlay
    }

    fn add(&mut self, pair: OverlayPair) {
        if pair.index.is_empty() {
            return;
        }
        let ends = (pair.user, pair.provider);
        if pair.index.is_declared {
            self.declared.insert(ends);
        }
        for repo_idx in BTreeSet::from([ends.0, ends.1]) {
            self.by_repository.entry(repo_idx).or_default().push(self.pairs.len() as u32);
        }
        self.pairs.push(pair);
    }

    /// Returns the pairs of which a repository is one side.
    fn pairs_of(&self, repo_idx: RepoIdx) -> impl Iterator<Item = &OverlayPair> {
        self.by_repository.get(&repo_idx).into_iter().flatten().map(|idx| &self.pairs[*idx as usize])
    }

    /// Returns a hash of the repositories and generations that the links are a function of; `None` if some links are not known yet.
    pub fn identity(&self) -> Option<[u8; 32]> {
        self.is_complete.then_some(self.fingerprint)
    }

    /// Returns the repositories for which `is_asked` is true and whose links are not known yet: answers from links are partial for them.
    pub fn shortfalls(&self, is_asked: impl Fn(RepoIdx) -> bool) -> Shortfalls {
        let asked = self.missing.iter().filter(|(repo_idx, _)| is_asked(**repo_idx));
        asked.fold(Shortfalls::default(), |mut partial, (repo_idx, (_, reason))| {
            let reason = format!("its links to other repositories are unknown: {reason}");
            partial.note(*repo_idx, ShardState::Partial, reason);
            partial
        })
    }

    /// Returns the links at a node, in the order of repositories and uses.
    pub fn edges_at<'a>(&'a self, at: NodeRef, visible: &'a Visible) -> impl Iterator<Item = CrossRepoEdge<'a>> {
        self.pairs_of(at.repo_idx).flat_map(move |pair| {
            let of_user = (pair.user == at.repo_idx).then(|| pair.index.of_user(at.node));
            let of_offer = (pair.provider == at.repo_idx).then(|| pair.index.of_offer(at.node)).into_iter().flatten();
            // A link from a node to itself is found once.
            let of_offer = of_offer.filter(move |link| pair.user != pair.provider || link.user.node != at.node);
            let links = of_user.into_iter().flatten().chain(of_offer);
            links.filter_map(move |link| self.edge_of(pair, link, visible))
        })
    }

    /// Returns the links to other repositories whose use is in a file.
    pub fn of_user_file<'a>(
        &'a self,
        repo_idx: RepoIdx,
        path: &'a str,
        visible: &'a Visible,
    ) -> impl Iterator<Item = CrossRepoEdge<'a>> {
        let pairs = self.pairs_of(repo_idx).filter(move |pair| pair.user == repo_idx && pair.provider != repo_idx);
        let links = pairs.flat_map(|pair| pair.index.all().map(move |link| (pair, link)));
        let of_file = links.filter(move |(_, link)| &*link.user.path == path);
        of_file.filter_map(move |(pair, link)| self.edge_of(pair, link, visible))
    }

    /// Returns every link between repositories that exists for a caller.
    pub fn all<'a>(&'a self, visible: &'a Visible) -> impl Iterator<Item = CrossRepoEdge<'a>> {
        self.edges_between(visible, |_, _| true)
    }

    /// Returns the links by key and those of services that exist for a caller. Inferred links are far more, and none of them crosses the
    /// network.
    pub fn without_inferred<'a>(&'a self, visible: &'a Visible) -> impl Iterator<Item = CrossRepoEdge<'a>> {
        let pairs = self.pairs.iter().filter(|pair| pair.user != pair.provider && !pair.is_joint);
        pairs.flat_map(move |pair| pair.index.all().filter_map(move |link| self.edge_of(pair, link, visible)))
    }

    /// Returns the links that exist for a caller between repositories for which `is_included` returns true, given user and provider.
    pub fn edges_between<'a>(
        &'a self,
        visible: &'a Visible,
        is_included: impl Fn(RepoIdx, RepoIdx) -> bool,
    ) -> impl Iterator<Item = CrossRepoEdge<'a>> {
        let between =
            self.pairs.iter().filter(move |pair| pair.user != pair.provider && is_included(pair.user, pair.provider));
        between.flat_map(move |pair| pair.index.all().filter_map(move |link| self.edge_of(pair, link, visible)))
    }

    /// Returns the nodes that offer `key` as a route or by the full name of an rpc, service or message, in order.
    pub fn offers(&self, key: &str, visible: &Visible) -> Vec<NodeRef> {
        let mut found: Vec<NodeRef> = self.services.by_name.get(key).into_iter().flatten().copied().collect();
        if found.is_empty() && key.contains('/') && !key.contains(' ') {
            // An rpc without its package: `Cart/Get` of `shop.v1.Cart/Get`.
            let end = format!(".{key}");
            let alike = self.services.by_name.iter().filter(|(name, _)| name.ends_with(&end));
            found.extend(alike.flat_map(|(_, nodes)| nodes).copied());
        }
        found.retain(|at| !self.is_copy(*at, visible));
        if key.contains('/') {
            let wanted = links::join::route_key(key);
            let routes = self.services.by_path.get(&wanted.path).into_iter().flatten();
            let is_meant = |method: &str| method == wanted.method || method == "*" || wanted.method == "*";
            found.extend(routes.filter(|(method, _)| is_meant(method)).map(|(_, at)| *at));
        }
        found.retain(|at| visible.may_read(at.repo_idx));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns true for a copy of the definition of an rpc, service or message. Its users are those of the definition.
    pub(crate) fn is_copy(&self, at: NodeRef, visible: &Visible) -> bool {
        let pairs =
            self.pairs_of(at.repo_idx).filter(|pair| pair.user == at.repo_idx && visible.may_read(pair.provider));
        let mut links = pairs.flat_map(|pair| pair.index.of_user(at.node));
        links.any(|link| link.kind == ContractKind::Grpc && link.use_kind.is_some())
    }

    /// Returns the full names and paths that the caller can see, as candidates for suggestions.
    pub fn names<'a>(&'a self, visible: &Visible) -> Vec<&'a str> {
        let is_seen = |at: &NodeRef| visible.may_read(at.repo_idx);
        let names =
            self.services.by_name.iter().filter(|(_, nodes)| nodes.iter().any(is_seen)).map(|(name, _)| &**name);
        let paths = self.services.by_path.iter().filter(|(_, routes)| routes.iter().any(|(_, at)| is_seen(at)));
        names.chain(paths.map(|(path, _)| path.as_str())).collect()
    }

    /// Returns the packages of other repositories that manifests of readable repositories require: the importer, the provider, and
    /// the requirement, in order.
    pub fn dependencies<'a>(
        &'a self,
        visible: &'a Visible,
    ) -> impl Iterator<Item = (RepoIdx, RepoIdx, &'a PackageDependency)> {
        let readable = self.linked.iter().filter(|(repo_idx, _)| visible.may_read(**repo_idx));
        let all = readable.flat_map(|(importer, linked)| {
            linked.links.dependencies.iter().filter_map(move |dependency| {
                Some((*importer, *linked.providers.get(dependency.provider as usize)?, dependency))
            })
        });
        all.filter(|(_, provider, _)| visible.may_read(*provider))
    }

    /// Returns the requirement of a package of `provider` in a repository: the first that names a version.
    fn dependency(&self, importer: RepoIdx, provider: RepoIdx, package: &str) -> Option<&PackageDependency> {
        let linked = self.linked.get(&importer)?;
        let place = linked.providers.iter().position(|other| *other == provider)? as u32;
        let mut dependencies = linked.links.dependencies.iter();
        dependencies.find(|one| one.provider == place && one.package == package && !one.required.is_empty())
    }

    /// Returns the uses of names that a package of another repository does not have, in each readable repository, in order.
    pub fn stale_imports<'a>(&'a self, visible: &'a Visible) -> impl Iterator<Item = (RepoIdx, &'a [ImportedName])> {
        let readable = self.linked.iter().filter(|(repo_idx, _)| visible.may_read(**repo_idx));
        readable.map(|(repo_idx, linked)| (*repo_idx, &*linked.links.stale_imports))
    }

    fn edge_of<'a>(
        &'a self,
        pair: &'a OverlayPair,
        link: &'a ContractLink,
        visible: &Visible,
    ) -> Option<CrossRepoEdge<'a>> {
        let (user, provider) = (pair.user, pair.provider);
        if !visible.may_read(user) || !visible.may_read(provider) {
            return None;
        }
        let user_end = NodeRef { repo_idx: user, node: link.user.node };
        let offer_end = NodeRef { repo_idx: provider, node: link.offer.node };
        let (from, to) = if link.serves { (offer_end, user_end) } else { (user_end, offer_end) };
        let confidence = link.confidence / self.n_providers(pair, link, visible) as f32;
        Some(CrossRepoEdge { from, to, user, provider, confidence, link, overlay: self })
    }

    /// Returns the number of providers that share the confidence of a use. If a declared dependency points at the provider, only
    /// declared providers count.
    fn n_providers(&self, pair: &OverlayPair, link: &ContractLink, visible: &Visible) -> usize {
        if pair.is_joint {
            return 1;
        }
        let is_alternative = |other: &&OverlayPair| {
            !other.is_joint
                && other.user == pair.user
                && visible.may_read(other.provider)
                && other.index.has_use(link.use_idx)
        };
        let providers: BTreeSet<RepoIdx> =
            self.pairs_of(pair.user).filter(is_alternative).map(|other| other.provider).collect();
        let is_declared = |provider: &RepoIdx| self.declared.contains(&(pair.user, *provider));
        let n_declared = providers.iter().filter(|provider| is_declared(provider)).count();
        if is_declared(&pair.provider) { n_declared.max(1) } else { providers.len().max(1) }
    }
}

/// Returns the name that users read.
pub fn kind_name(kind: ContractKind) -> &'static str {
    match kind {
        ContractKind::Package => "package",
        ContractKind::PackageSymbol => "package_symbol",
        ContractKind::Grpc => "grpc",
        ContractKind::Http => "http",
        ContractKind::Topic => "topic",
        ContractKind::Table => "table",
        ContractKind::Config => "config",
        ContractKind::Variable => "variable",
        ContractKind::Host => "host",
        ContractKind::Workload => "workload",
        ContractKind::Image => "image",
    }
}

fn kind_from_wire(kind: v1::ContractKind) -> Option<ContractKind> {
    match kind {
        v1::ContractKind::Unspecified => None,
        v1::ContractKind::Package => Some(ContractKind::Package),
        v1::ContractKind::PackageSymbol => Some(ContractKind::PackageSymbol),
        v1::ContractKind::Grpc => Some(ContractKind::Grpc),
        v1::ContractKind::Http => Some(ContractKind::Http),
        v1::ContractKind::Topic => Some(ContractKind::Topic),
        v1::ContractKind::Table => Some(ContractKind::Table),
        v1::ContractKind::Config => Some(ContractKind::Config),
        v1::ContractKind::Variable => Some(ContractKind::Variable),
        v1::ContractKind::Host => Some(ContractKind::Host),
        v1::ContractKind::Workload => Some(ContractKind::Workload),
        v1::ContractKind::Image => Some(ContractKind::Image),
    }
}
