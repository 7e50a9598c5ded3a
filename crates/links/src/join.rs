//! The join of two repositories: the uses of one with the offers of the other, by equal keys.
//!
//! A key identifies the same thing on both sides: the name of a package, the full name of an rpc, the method and path of a
//! route. Equal names of definitions alone never make a link. [`IndexedSurface::members_to_locate`] lists the package names
//! that the provider has to look up; [`join_pair`] then joins one pair of repositories, so that a changed repository costs
//! only its own pairs.

mod keys;

use std::collections::BTreeSet;

use graph::EdgeKind;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::contract::ContractKind;
use keys::{JoinKey, offer_keys, use_keys};

pub use keys::{RouteKey, route_key};

/// The place of an offer or a use in its repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContractSite {
    /// The node in the graph of the repository.
    pub node: u32,
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

/// A thing that other repositories may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceOffer {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key, in the notation of the offering side.
    pub key: String,
    /// The definition.
    pub site: ContractSite,
}

/// A use of a thing that the repository does not define.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceUse {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key; of a package symbol the key of the package.
    pub key: String,
    /// Of a package symbol: its name within the package.
    pub member: String,
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
    pub key: String,
    /// Of a package symbol: its name within the package.
    pub member: String,
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
}

/// The definitions of package names in the repository that offers the package; `None` for a name that it lacks.
pub type LocatedMembers = FxHashMap<PackageMember, Option<ContractSite>>;

/// A name within a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageMember {
    /// The key of the package.
    pub package: String,
    /// The name within the package.
    pub member: String,
}

/// A surface with an index by key of its offers and its uses.
#[derive(Debug, Default)]
pub struct IndexedSurface {
    surface: ContractSurface,
    offers: FxHashMap<JoinKey, Vec<u32>>,
    uses: FxHashMap<JoinKey, Vec<u32>>,
}

/// Maximum confidence of a link to a package instead of one of its names.
const MAX_INEXACT_CONFIDENCE: f32 = 0.3;

/// Maximum number of offers of one repository that a use is linked with; more alternatives carry no information.
const MAX_ALTERNATIVES: usize = 8;

/// Maximum number of offers under one key that are compared: routes with one path, by method.
const MAX_OFFERS_OF_KEY: usize = 64;

/// Maximum number of links between one pair of repositories; no reader or walk gets through more.
const MAX_LINKS_OF_PAIR: usize = 50_000;

impl IndexedSurface {
    /// Indexes a surface.
    pub fn new(surface: ContractSurface) -> IndexedSurface {
        let mut indexed = IndexedSurface { surface, ..IndexedSurface::default() };
        for (offer, idx) in indexed.surface.offers.iter().zip(0..) {
            offer_keys(offer).for_each(|key| indexed.offers.entry(key).or_default().push(idx));
        }
        for (used, idx) in indexed.surface.uses.iter().zip(0..) {
            use_keys(used).for_each(|key| indexed.uses.entry(key).or_default().push(idx));
        }
        indexed
    }

    /// Returns the offers and uses in their original order.
    pub fn surface(&self) -> &ContractSurface {
        &self.surface
    }

    /// Returns the names that this repository uses of the packages that `provider` offers, each once and in order.
    pub fn members_to_locate(&self, provider: &IndexedSurface) -> Vec<PackageMember> {
        let of_packages = self.common_keys(provider).filter(|key| matches!(key, JoinKey::Package(_)));
        let uses = of_packages.flat_map(|key| &self.uses[key]).map(|idx| &self.surface.uses[*idx as usize]);
        let symbols = uses.filter(|used| used.kind == ContractKind::PackageSymbol);
        let members: BTreeSet<PackageMember> = symbols.map(SurfaceUse::package_member).collect();
        members.into_iter().collect()
    }

    /// Returns the keys of the packages that this repository makes.
    pub fn offered_packages(&self) -> impl Iterator<Item = &str> {
        self.offers.keys().filter_map(JoinKey::package)
    }

    /// Returns the keys of the packages that this repository uses.
    pub fn used_packages(&self) -> impl Iterator<Item = &str> {
        self.uses.keys().filter_map(JoinKey::package)
    }

    /// Returns true if the repository itself offers the key of one of its uses.
    fn offers_itself(&self, used: &SurfaceUse) -> bool {
        use_keys(used).any(|key| {
            self.offers.get(&key).is_some_and(|offers| {
                offers
                    .iter()
                    .take(MAX_OFFERS_OF_KEY)
                    .any(|idx| match_confidence(used, &self.surface.offers[*idx as usize], &key).is_some())
            })
        })
    }

    fn common_keys<'a>(&'a self, provider: &'a IndexedSurface) -> impl Iterator<Item = &'a JoinKey> {
        // Iterates over the smaller side.
        let from_uses = self.uses.len() <= provider.offers.len();
        let by_use = self.uses.keys().filter(move |key| from_uses && provider.offers.contains_key(*key));
        let by_offer = provider.offers.keys().filter(move |key| !from_uses && self.uses.contains_key(*key));
        by_use.chain(by_offer)
    }
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
            let offers =
                provider.offers[key].iter().take(MAX_OFFERS_OF_KEY).map(|idx| &provider.surface.offers[*idx as usize]);
            let matching = offers.filter_map(|offer| Some((offer, match_confidence(used, offer, key)?)));
            // Each file of a package may offer the package, but a name of it is defined once.
            let max_alternatives = if used.kind == ContractKind::PackageSymbol { 1 } else { MAX_ALTERNATIVES };
            let alternatives: Vec<(&SurfaceOffer, f32)> = matching.take(max_alternatives).collect();
            let n_others = usize::from(user.offers_itself(used));
            let share = 1.0 / (alternatives.len() + n_others).max(1) as f32;
            found.extend(alternatives.iter().map(|(offer, match_confidence)| ContractLink {
                confidence: used.confidence * match_confidence * share,
                ..link(used, *use_idx, offer, located)
            }));
        }
    }
    found.sort_by(|a, b| (a.use_idx, &a.offer).cmp(&(b.use_idx, &b.offer)).then(b.confidence.total_cmp(&a.confidence)));
    // A path may match both as a whole and by its suffix.
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
    }
}

/// Caps the confidence of a link whose definition is unknown.
fn cap_inexact(link: ContractLink) -> ContractLink {
    let max_confidence = if link.is_exact { 1.0 } else { MAX_INEXACT_CONFIDENCE };
    ContractLink { confidence: link.confidence.min(max_confidence), ..link }
}

/// Returns the confidence that a use refers to an offer under the same key, in (0, 1]; `None` if it does not.
fn match_confidence(used: &SurfaceUse, offer: &SurfaceOffer, key: &JoinKey) -> Option<f32> {
    /// The method of the request is unknown.
    const UNKNOWN_METHOD: f32 = 0.9;
    /// The base path of the request is unknown.
    const UNKNOWN_BASE: f32 = 0.9;
    /// The path of the request is a suffix of the offered one; the client may have the rest in its base URL.
    const SUFFIX_ONLY: f32 = 0.5;
    match (used.kind, offer.kind) {
        (ContractKind::Package | ContractKind::PackageSymbol, ContractKind::Package) => Some(1.0),
        (ContractKind::Grpc, ContractKind::Grpc) => Some(1.0),
        (ContractKind::Http, ContractKind::Http) => {
            let (used_route, offered_route) = (route_key(&used.key), route_key(&offer.key));
            let by_method = match (used_route.method.as_str(), offered_route.method.as_str()) {
                (a, b) if a == b => 1.0,
                (_, "*") => 1.0,
                ("*", _) => UNKNOWN_METHOD,
                _ => return None,
            };
            let by_path = match key {
                JoinKey::RouteSuffix(_) if used_route.path == offered_route.path => UNKNOWN_BASE,
                JoinKey::RouteSuffix(_) => SUFFIX_ONLY,
                _ if used_route.has_unknown_base => UNKNOWN_BASE,
                _ => 1.0,
            };
            Some(by_method * by_path)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(key: &str) -> ContractKind {
        match key {
            _ if key.contains(' ') || key.starts_with(['/', '{']) => ContractKind::Http,
            _ if key.contains("::") => ContractKind::PackageSymbol,
            _ if key.contains(':') => ContractKind::Package,
            _ => ContractKind::Grpc,
        }
    }

    fn site(node: usize) -> ContractSite {
        ContractSite { node: node as u32, path: format!("f{node}"), line: 1 }
    }

    /// Uses are nodes from 0, offers from 100; `key::member` is a package symbol.
    fn surface(offers: &[&str], uses: &[&str]) -> IndexedSurface {
        let offer = |(idx, key): (usize, &&str)| SurfaceOffer {
            kind: kind(key),
            key: (*key).to_owned(),
            site: site(100 + idx),
        };
        let used = |(idx, text): (usize, &&str)| {
            let (key, member) = text.split_once("::").unwrap_or((text, ""));
            SurfaceUse {
                kind: kind(text),
                key: key.to_owned(),
                member: member.to_owned(),
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
        check(&["a.v1.Parcels/Get"], &["a.v1.Parcels/Get", "b.v1.Parcels/Get"], &[(0, 100, 1.0)]);
        check(&["kit"], &["npm:kit", "GET /kit"], &[]);
    }

    #[test]
    fn routes_meet_by_method_and_template() {
        check(&["GET /parcels/{id}"], &["GET /parcels/:code", "POST /parcels/{}"], &[(0, 100, 1.0)]);
        check(&["GET /parcels/{}/"], &["* /parcels/<code>"], &[(0, 100, 1.0)]);
        check(&["/parcels/{}?full=1"], &["PUT /parcels/{}"], &[(0, 100, 0.9)]);
        check(&["GET {}/parcels/{}"], &["GET /parcels/{}", "GET /api/v1/parcels/{}"], &[(0, 100, 0.9), (0, 101, 0.5)]);
        check(&["GET {}/{}"], &["GET /parcels/{}"], &[]);
        check(&["GET /parcels"], &["GET /parcels/{}", "GET /api/parcels"], &[]);
        check(&["GET /a"], &["GET /a", "* /a"], &[(0, 100, 0.5), (0, 101, 0.5)]);
    }

    #[test]
    fn an_offer_of_the_same_repository_is_an_alternative() {
        let found =
            join_pair(&surface(&["GET /a"], &["GET /a"]), &surface(&["GET /a"], &[]), &LocatedMembers::default());
        assert_eq!(found[0].confidence, 0.5);
    }

    #[test]
    fn located_names_of_packages_are_linked_exactly() {
        let (user, provider) =
            (surface(&[], &["npm:kit::a::Sum", "npm:kit::Gone", "npm:else::X"]), surface(&["npm:kit"], &[]));
        let members = user.members_to_locate(&provider);
        assert_eq!(members.iter().map(|one| one.member.as_str()).collect::<Vec<_>>(), ["Gone", "a::Sum"]);
        let located: LocatedMembers = members.into_iter().zip([None, Some(site(7))]).collect();
        let found = join_pair(&user, &provider, &located);
        let shown: Vec<(u32, u32, f32, bool)> =
            found.iter().map(|link| (link.user.node, link.offer.node, link.confidence, link.is_exact)).collect();
        assert_eq!(shown, [(0, 7, 1.0, true), (1, 100, MAX_INEXACT_CONFIDENCE, false)]);
    }

    #[test]
    fn a_name_of_a_package_with_many_files_is_linked_once() {
        check(&["java:kit::Sum"], &["java:kit", "java:kit", "java:kit"], &[(0, 100, MAX_INEXACT_CONFIDENCE)]);
    }

    #[test]
    fn long_paths_cost_little() {
        let path = format!("GET {}", "/a/{}".repeat(100_000));
        check(&[&path], &[&path], &[(0, 100, 1.0)]);
    }
}
