//! The join of two repositories: the packages that one uses with those that the other makes, by equal keys.
//!
//! Equal names of definitions alone never make a link. [`IndexedSurface::members_to_locate`] lists the package names
//! that the provider has to look up; [`join_pair`] then joins one pair of repositories, so that a changed repository costs
//! only its own pairs.

mod route_key;

use std::collections::BTreeSet;

use graph::EdgeKind;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{
    contract::ContractKind,
    services::EvidenceStep,
    shared_text::{self, SharedText, SharedTexts},
};
pub use route_key::{RouteKey, route_key};

/// The place of an offer or a use in its repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContractSite {
    /// The node in the graph of the repository.
    pub node: u32,
    /// The path of the file.
    #[serde(with = "shared_text")]
    pub path: SharedText,
    /// The line, from 1.
    pub line: u32,
}

impl ContractSite {
    /// Returns the place with the path of `texts`.
    pub fn with_path_of(self, texts: &SharedTexts) -> ContractSite {
        ContractSite { path: texts.share(&self.path), ..self }
    }
}

/// A thing that other repositories may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceOffer {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key, in the notation of the offering side.
    pub key: SharedText,
    /// The workload of a host, the image of a workload, or the folder of an image; see [`ContractOffer`](crate::ContractOffer::member).
    pub member: SharedText,
    /// The definition.
    pub site: ContractSite,
}

/// A use of a thing that the repository does not define.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceUse {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key; of a package symbol the key of the package.
    pub key: SharedText,
    /// Of a package symbol its name within the package; see [`ContractUse`](crate::ContractUse::member).
    pub member: SharedText,
    /// The first use.
    pub site: ContractSite,
    /// The confidence that the use means this key, in (0, 1].
    pub confidence: f32,
    /// The number of uses.
    pub n_sites: u32,
    /// True if the definition implements the rpc instead of calling it.
    pub serves: bool,
}

/// Offers and uses of one repository.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContractSurface {
    /// Everything that other repositories may use.
    pub offers: Vec<SurfaceOffer>,
    /// Everything that the repository uses of others.
    pub uses: Vec<SurfaceUse>,
}

/// A use in one repository, with an offer in another that it may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractLink {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key, in the notation of the offer.
    pub key: SharedText,
    /// Of a package symbol: its name within the package.
    pub member: SharedText,
    /// The index of the use in its surface: links of one use into several repositories are alternatives.
    pub use_idx: u32,
    /// The use.
    pub user: ContractSite,
    /// The offer.
    pub offer: ContractSite,
    /// In (0, 1]; other repositories that offer the same key are not taken into account.
    pub confidence: f32,
    /// The number of uses.
    pub n_sites: u32,
    /// True if the user implements the rpc instead of calling it.
    pub serves: bool,
    /// True if the definition is known. A name that its package does not have is linked to the package instead.
    pub is_exact: bool,
    /// The kind of use, if inference found it; `None` for a link by key.
    pub use_kind: Option<EdgeKind>,
    /// The line of each use, if inference found it.
    pub lines: Vec<u32>,
    /// Of a link between services: the places that it was concluded from.
    pub evidence: Vec<EvidenceStep>,
}

impl ContractLink {
    /// Returns true for a link that counts as a dependency by itself. A method that implements one of another repository is reached by
    /// calls, who accesses a field uses its type as well, and a copy of the definition of an rpc uses nothing.
    pub fn is_counted(&self) -> bool {
        let is_copy = self.kind == ContractKind::Grpc && self.use_kind.is_some();
        !is_copy && !matches!(self.use_kind, Some(EdgeKind::Dispatch | EdgeKind::Accesses))
    }
}

/// The definitions of package names in the repository that offers the package; `None` for a name that it lacks.
pub type LocatedMembers = FxHashMap<PackageMember, Option<ContractSite>>;

/// A name within a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageMember {
    /// The key of the package.
    pub package: SharedText,
    /// The name within the package.
    pub member: SharedText,
}

/// A surface with an index by key of its offers and its uses.
#[derive(Debug, Default)]
pub struct IndexedSurface {
    surface: ContractSurface,
    offers: FxHashMap<SharedText, Vec<u32>>,
    uses: FxHashMap<SharedText, Vec<u32>>,
    services_identity: [u8; 32],
    identity: [u8; 32],
}

/// Maximum confidence of a link to a package instead of one of its names.
const MAX_INEXACT_CONFIDENCE: f32 = 0.3;

/// Maximum number of offers of one repository that a use is linked with; more alternatives carry no information.
const MAX_ALTERNATIVES: usize = 8;

/// Maximum number of links between one pair of repositories; no reader or walk gets through more.
const MAX_LINKS_OF_PAIR: usize = 50_000;

impl IndexedSurface {
    /// Indexes a surface.
    pub fn new(surface: ContractSurface) -> IndexedSurface {
        // The first offer counts in any case: a rule of the user may name its repository.
        let services_identity = identity(&surface, |idx, kind| idx == Some(0) || kind.is_of_services());
        let identity = identity(&surface, |_, _| true);
        let mut indexed = IndexedSurface { surface, services_identity, identity, ..IndexedSurface::default() };
        // The provider looks up names of packages on request.
        for (offer, idx) in
            indexed.surface.offers.iter().zip(0..).filter(|(offer, _)| offer.kind == ContractKind::Package)
        {
            indexed.offers.entry(offer.key.clone()).or_default().push(idx);
        }
        for (used, idx) in indexed.surface.uses.iter().zip(0..).filter(|(used, _)| !used.kind.is_of_services()) {
            indexed.uses.entry(used.key.clone()).or_default().push(idx);
        }
        indexed
    }

    /// Returns the offers and uses in their original order.
    pub fn surface(&self) -> &ContractSurface {
        &self.surface
    }

    /// Returns a hash of everything in the surface that the join of services depends on. Most commits do not change it.
    pub fn services_identity(&self) -> &[u8; 32] {
        &self.services_identity
    }

    /// Returns a hash of all offers and uses. Commits that change only bodies below them keep it.
    pub fn identity(&self) -> &[u8; 32] {
        &self.identity
    }

    /// Returns the names that this repository uses of the packages that `provider` offers, each once and in order.
    pub fn members_to_locate(&self, provider: &IndexedSurface) -> Vec<PackageMember> {
        let uses =
            self.common_keys(provider).flat_map(|key| &self.uses[key]).map(|idx| &self.surface.uses[*idx as usize]);
        let symbols = uses.filter(|used| used.kind == ContractKind::PackageSymbol);
        let members: BTreeSet<PackageMember> = symbols.map(SurfaceUse::package_member).collect();
        members.into_iter().collect()
    }

    /// Returns the keys of the packages that this repository makes.
    pub fn offered_packages(&self) -> impl Iterator<Item = &str> {
        self.offers.keys().map(AsRef::as_ref)
    }

    /// Returns the keys of the packages that this repository uses.
    pub fn used_packages(&self) -> impl Iterator<Item = &str> {
        self.uses.keys().map(AsRef::as_ref)
    }

    fn common_keys<'a>(&'a self, provider: &'a IndexedSurface) -> impl Iterator<Item = &'a SharedText> {
        // Iterates over the smaller side.
        let from_uses = self.uses.len() <= provider.offers.len();
        let by_use = self.uses.keys().filter(move |key| from_uses && provider.offers.contains_key(*key));
        let by_offer = provider.offers.keys().filter(move |key| !from_uses && self.uses.contains_key(*key));
        by_use.chain(by_offer)
    }
}

/// Returns a hash of the offers and uses for which `is_included` returns true, given the index of an offer and the kind.
fn identity(surface: &ContractSurface, is_included: impl Fn(Option<usize>, ContractKind) -> bool) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let offers = surface.offers.iter().enumerate();
    for (_, offer) in offers.filter(|(idx, offer)| is_included(Some(*idx), offer.kind)) {
        add_contract(&mut hasher, offer.kind, [&offer.key, &offer.member], &offer.site);
    }
    hasher.update(b"uses");
    for used in surface.uses.iter().filter(|used| is_included(None, used.kind)) {
        add_contract(&mut hasher, used.kind, [&used.key, &used.member], &used.site);
        hasher.update(&used.confidence.to_le_bytes());
        hasher.update(&used.n_sites.to_le_bytes());
        hasher.update(&[u8::from(used.serves)]);
    }
    hasher.finalize().into()
}

fn add_contract(hasher: &mut blake3::Hasher, kind: ContractKind, texts: [&str; 2], site: &ContractSite) {
    hasher.update(&[kind as u8]);
    for text in texts.into_iter().chain([&*site.path]) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.update(&site.node.to_le_bytes());
    hasher.update(&site.line.to_le_bytes());
}

impl SurfaceUse {
    fn package_member(&self) -> PackageMember {
        PackageMember { package: self.key.clone(), member: self.member.clone() }
    }
}

/// Joins the uses of one repository with the offers of another. The links are in the order of uses.
pub fn join_pair(user: &IndexedSurface, provider: &IndexedSurface, located: &LocatedMembers) -> Vec<ContractLink> {
    let mut found: Vec<ContractLink> = Vec::new();
    for key in user.common_keys(provider) {
        for use_idx in &user.uses[key] {
            let used = &user.surface.uses[*use_idx as usize];
            // Each file of a package may offer the package, but a name of it is defined once.
            let max_alternatives = if used.kind == ContractKind::PackageSymbol { 1 } else { MAX_ALTERNATIVES };
            let offers = provider.offers[key].iter().map(|idx| &provider.surface.offers[*idx as usize]);
            let alternatives: Vec<&SurfaceOffer> = offers.take(max_alternatives).collect();
            let n_others = usize::from(user.offers.contains_key(key));
            let share = 1.0 / (alternatives.len() + n_others).max(1) as f32;
            found.extend(alternatives.iter().map(|offer| ContractLink {
                confidence: used.confidence * share,
                ..link(used, *use_idx, offer, located)
            }));
        }
    }
    found.sort_by(|a, b| (a.use_idx, &a.offer).cmp(&(b.use_idx, &b.offer)).then(b.confidence.total_cmp(&a.confidence)));
    found.dedup_by(|b, a| (a.use_idx, &a.offer) == (b.use_idx, &b.offer));
    found.truncate(MAX_LINKS_OF_PAIR);
    found.into_iter().map(cap_inexact).collect()
}

fn link(used: &SurfaceUse, use_idx: u32, offer: &SurfaceOffer, located: &LocatedMembers) -> ContractLink {
    let is_symbol = used.kind == ContractKind::PackageSymbol;
    let definition = is_symbol.then(|| located.get(&used.package_member()).cloned().flatten()).flatten();
    ContractLink {
        kind: used.kind,
        key: offer.key.clone(),
        member: used.member.clone(),
        use_idx,
        user: used.site.clone(),
        is_exact: !is_symbol || definition.is_some(),
        offer: definition.unwrap_or_else(|| offer.site.clone()),
        confidence: used.confidence,
        n_sites: used.n_sites,
        serves: used.serves,
        use_kind: None,
        lines: Vec::new(),
        evidence: Vec::new(),
    }
}

/// Caps the confidence of a link whose definition is unknown.
fn cap_inexact(link: ContractLink) -> ContractLink {
    let max_confidence = if link.is_exact { 1.0 } else { MAX_INEXACT_CONFIDENCE };
    ContractLink { confidence: link.confidence.min(max_confidence), ..link }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(key: &str) -> ContractKind {
        if key.contains("::") { ContractKind::PackageSymbol } else { ContractKind::Package }
    }

    fn site(node: usize) -> ContractSite {
        ContractSite { node: node as u32, path: format!("f{node}").into(), line: 1 }
    }

    /// Uses are nodes from 0, offers from 100; `key::member` is a package symbol.
    fn surface(offers: &[&str], uses: &[&str]) -> IndexedSurface {
        let offer = |(idx, key): (usize, &&str)| SurfaceOffer {
            kind: kind(key),
            key: (*key).into(),
            member: SharedText::default(),
            site: site(100 + idx),
        };
        let used = |(idx, text): (usize, &&str)| {
            let (key, member) = text.split_once("::").unwrap_or((text, ""));
            SurfaceUse {
                kind: kind(text),
                key: key.into(),
                member: member.into(),
                site: site(idx),
                confidence: 1.0,
                n_sites: 1,
                serves: false,
            }
        };
        IndexedSurface::new(ContractSurface {
            offers: offers.iter().enumerate().map(offer).collect(),
            uses: uses.iter().enumerate().map(used).collect(),
        })
    }

    fn check(uses: &[&str], offers: &[&str], expected: &[(u32, u32, f32)]) {
        let found = join_pair(&surface(&[], uses), &surface(offers, &[]), &LocatedMembers::default());
        let found: Vec<(u32, u32, f32)> =
            found.iter().map(|link| (link.user.node, link.offer.node, link.confidence)).collect();
        assert_eq!(found, expected, "{uses:?} {offers:?}");
    }

    #[test]
    fn equal_keys_are_linked_and_nothing_else() {
        check(&["npm:kit", "npm:kat"], &["npm:kit", "pypi:kit"], &[(0, 100, 1.0)]);
        check(&["kit"], &["npm:kit"], &[]);
    }

    #[test]
    fn an_offer_of_the_same_repository_is_an_alternative() {
        let found = join_pair(&surface(&["npm:a"], &["npm:a"]), &surface(&["npm:a"], &[]), &LocatedMembers::default());
        assert_eq!(found[0].confidence, 0.5);
    }

    #[test]
    fn located_names_of_packages_are_linked_exactly() {
        let (user, provider) =
            (surface(&[], &["npm:kit::a::Sum", "npm:kit::Gone", "npm:else::X"]), surface(&["npm:kit"], &[]));
        let members = user.members_to_locate(&provider);
        assert_eq!(members.iter().map(|one| &*one.member).collect::<Vec<_>>(), ["Gone", "a::Sum"]);
        let located: LocatedMembers = members.into_iter().zip([None, Some(site(7))]).collect();
        let found = join_pair(&user, &provider, &located);
        let shown: Vec<(u32, u32, f32, bool)> =
            found.iter().map(|link| (link.user.node, link.offer.node, link.confidence, link.is_exact)).collect();
        assert_eq!(shown, [(0, 7, 1.0, true), (1, 100, MAX_INEXACT_CONFIDENCE, false)]);
    }

    #[test]
    fn only_services_change_the_identity_of_services() {
        let identity = |offers: &[&str], uses: &[&str]| *surface(offers, uses).services_identity();
        let before = identity(&["npm:a", "npm:b"], &["npm:kit"]);
        assert_eq!(before, identity(&["npm:a"], &["npm:kit", "npm:kit::Sum"]));
        assert_ne!(before, identity(&["npm:b"], &[]));
        let with_use = |line: u32| {
            let site = ContractSite { node: 0, path: "a.go".into(), line };
            let (key, member, kind) = ("GET /a".into(), SharedText::default(), ContractKind::Http);
            let uses = vec![SurfaceUse { kind, key, member, site, confidence: 1.0, n_sites: 1, serves: false }];
            *IndexedSurface::new(ContractSurface { offers: Vec::new(), uses }).services_identity()
        };
        assert_ne!(with_use(1), with_use(2));
        assert_ne!(with_use(1), identity(&[], &[]));
    }

    #[test]
    fn a_name_of_a_package_with_many_files_is_linked_once() {
        check(&["java:kit::Sum"], &["java:kit", "java:kit", "java:kit"], &[(0, 100, MAX_INEXACT_CONFIDENCE)]);
    }
}
