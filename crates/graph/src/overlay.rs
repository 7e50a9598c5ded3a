//! Links between repositories: what one offers and another takes, joined by the key that both sides write out.
//!
//! A key proves that the same thing is meant: the name of a package, the full name of an rpc, method and path of a route.
//! Two definitions of one name are never linked for that. [`Indexed::members_wanted`] tells which names of a package its
//! repository has to be asked for; [`links`] joins one pair of repositories, so that a changed one costs its own pairs.

mod key;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::contracts::ContractKind;
pub use key::route_key;
use key::{Key, offer_keys, use_keys};

/// A place in a repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    pub node: u32,
    pub path: String,
    pub line: u32,
}

/// Something that others may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub kind: ContractKind,
    pub key: String,
    pub site: Site,
}

/// Something that is used and not defined in the repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    pub kind: ContractKind,
    /// Of a package symbol the key of the package.
    pub key: String,
    /// Of a package symbol its name within the package.
    pub member: String,
    pub site: Site,
    /// In (0, 1].
    pub confidence: f32,
    pub n_sites: u32,
    /// Whether it answers the rpc rather than calls it.
    pub serves: bool,
}

/// What one repository offers and takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    pub offers: Vec<Offer>,
    pub uses: Vec<Use>,
}

/// One use, and what it may mean in one other repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub kind: ContractKind,
    /// As the offer writes it.
    pub key: String,
    pub member: String,
    /// The index of the use in its surface: links of one use into several repositories are alternatives.
    pub use_idx: u32,
    pub user: Site,
    pub offer: Site,
    /// In (0, 1], before other repositories that offer the same are reckoned with.
    pub confidence: f32,
    pub n_sites: u32,
    pub serves: bool,
    /// Whether the very definition is known: a name that was not found in its package stands for the package.
    pub is_exact: bool,
}

/// Where the names of packages are in the repository that offers them; nothing for names that it does not have.
pub type Located = FxHashMap<PackageMember, Option<Site>>;

/// A name within a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageMember {
    pub package: String,
    pub member: String,
}

/// A surface, found by key from both sides.
#[derive(Debug, Default)]
pub struct Indexed {
    surface: Surface,
    offers: FxHashMap<Key, Vec<u32>>,
    uses: FxHashMap<Key, Vec<u32>>,
}

/// How sure a link to a package is that stands for one of its names.
const PACKAGE_INSTEAD: f32 = 0.3;

/// Offers of one repository beyond these that one use may mean say nothing any more.
const MAX_ALTERNATIVES: usize = 8;

/// Offers under one key that are looked at: routes of one template, by their methods.
const MAX_OFFERS_OF_KEY: usize = 64;

/// Links of one pair of repositories at most: more than any reader or walk gets through.
const MAX_LINKS_OF_PAIR: usize = 50_000;

impl Indexed {
    pub fn new(surface: Surface) -> Indexed {
        let mut indexed = Indexed { surface, ..Indexed::default() };
        for (offer, idx) in indexed.surface.offers.iter().zip(0..) {
            offer_keys(offer).for_each(|key| indexed.offers.entry(key).or_default().push(idx));
        }
        for (used, idx) in indexed.surface.uses.iter().zip(0..) {
            use_keys(used).for_each(|key| indexed.uses.entry(key).or_default().push(idx));
        }
        indexed
    }

    /// Returns what is offered and taken, in the order in which it came.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Returns the names that this repository uses of packages that `provider` offers, each once and in order.
    pub fn members_wanted(&self, provider: &Indexed) -> Vec<PackageMember> {
        let of_packages = self.common_keys(provider).filter(|key| matches!(key, Key::Package(_)));
        let uses = of_packages.flat_map(|key| &self.uses[key]).map(|idx| &self.surface.uses[*idx as usize]);
        let symbols = uses.filter(|used| used.kind == ContractKind::PackageSymbol);
        let members: BTreeSet<PackageMember> = symbols.map(Use::package_member).collect();
        members.into_iter().collect()
    }

    /// Says whether the repository itself offers what this use of its own names.
    fn answers_itself(&self, used: &Use) -> bool {
        use_keys(used).any(|key| {
            self.offers.get(&key).is_some_and(|offers| {
                offers
                    .iter()
                    .take(MAX_OFFERS_OF_KEY)
                    .any(|idx| likeness(used, &self.surface.offers[*idx as usize], &key).is_some())
            })
        })
    }

    fn common_keys<'a>(&'a self, provider: &'a Indexed) -> impl Iterator<Item = &'a Key> {
        // From whichever side has fewer.
        let from_uses = self.uses.len() <= provider.offers.len();
        let by_use = self.uses.keys().filter(move |key| from_uses && provider.offers.contains_key(*key));
        let by_offer = provider.offers.keys().filter(move |key| !from_uses && self.uses.contains_key(*key));
        by_use.chain(by_offer)
    }
}

impl Use {
    fn package_member(&self) -> PackageMember {
        PackageMember { package: self.key.clone(), member: self.member.clone() }
    }
}

/// Returns what the uses of one repository mean in another, in the order of uses.
pub fn links(user: &Indexed, provider: &Indexed, located: &Located) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    for key in user.common_keys(provider) {
        for use_idx in &user.uses[key] {
            let used = &user.surface.uses[*use_idx as usize];
            let offers =
                provider.offers[key].iter().take(MAX_OFFERS_OF_KEY).map(|idx| &provider.surface.offers[*idx as usize]);
            let alike = offers.filter_map(|offer| Some((offer, likeness(used, offer, key)?)));
            // A package may be offered by each of its files; the name of it that is used is in one place all the same.
            let most = if used.kind == ContractKind::PackageSymbol { 1 } else { MAX_ALTERNATIVES };
            let alternatives: Vec<(&Offer, f32)> = alike.take(most).collect();
            let n_others = usize::from(user.answers_itself(used));
            let share = 1.0 / (alternatives.len() + n_others).max(1) as f32;
            found.extend(alternatives.iter().map(|(offer, likeness)| Link {
                confidence: used.confidence * likeness * share,
                ..link(used, *use_idx, offer, located)
            }));
        }
    }
    found.sort_by(|a, b| (a.use_idx, &a.offer).cmp(&(b.use_idx, &b.offer)).then(b.confidence.total_cmp(&a.confidence)));
    // A path may match both whole and by its end.
    found.dedup_by(|b, a| (a.use_idx, &a.offer) == (b.use_idx, &b.offer));
    found.truncate(MAX_LINKS_OF_PAIR);
    found.into_iter().map(weakened).collect()
}

fn link(used: &Use, use_idx: u32, offer: &Offer, located: &Located) -> Link {
    let is_symbol = used.kind == ContractKind::PackageSymbol;
    let definition = is_symbol.then(|| located.get(&used.package_member()).cloned().flatten()).flatten();
    Link {
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
    }
}

fn weakened(link: Link) -> Link {
    let most = if link.is_exact { 1.0 } else { PACKAGE_INSTEAD };
    Link { confidence: link.confidence.min(most), ..link }
}

/// Returns how sure it is that an offer under the same key is what is used, in (0, 1]; nothing if it is not.
fn likeness(used: &Use, offer: &Offer, key: &Key) -> Option<f32> {
    /// The client does not say by which method it calls, or where the paths of its server begin.
    const METHOD_UNSAID: f32 = 0.9;
    const BASE_UNSAID: f32 = 0.9;
    /// The path is the end of an offered one, whose beginning the client may have in its base address.
    const BY_END: f32 = 0.5;
    match (used.kind, offer.kind) {
        (ContractKind::Package | ContractKind::PackageSymbol, ContractKind::Package) => Some(1.0),
        (ContractKind::Grpc, ContractKind::Grpc) => Some(1.0),
        (ContractKind::Http, ContractKind::Http) => {
            let (wanted, served) = (route_key(&used.key), route_key(&offer.key));
            let by_method = match (wanted.method.as_str(), served.method.as_str()) {
                (a, b) if a == b => 1.0,
                (_, "*") => 1.0,
                ("*", _) => METHOD_UNSAID,
                _ => return None,
            };
            let by_path = match key {
                Key::RouteEnd(_) if wanted.path == served.path => BASE_UNSAID,
                Key::RouteEnd(_) => BY_END,
                _ if wanted.is_base_unsaid => BASE_UNSAID,
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

    fn site(node: usize) -> Site {
        Site { node: node as u32, path: format!("f{node}"), line: 1 }
    }

    /// Uses are nodes from 0, offers from 100; `key::member` is a package symbol.
    fn surface(offers: &[&str], uses: &[&str]) -> Indexed {
        let offer =
            |(idx, key): (usize, &&str)| Offer { kind: kind(key), key: (*key).to_owned(), site: site(100 + idx) };
        let used = |(idx, text): (usize, &&str)| {
            let (key, member) = text.split_once("::").unwrap_or((text, ""));
            Use {
                kind: kind(text),
                key: key.to_owned(),
                member: member.to_owned(),
                site: site(idx),
                confidence: 1.0,
                n_sites: 1,
                serves: false,
            }
        };
        Indexed::new(Surface {
            offers: offers.iter().enumerate().map(offer).collect(),
            uses: uses.iter().enumerate().map(used).collect(),
        })
    }

    fn check(uses: &[&str], offers: &[&str], expected: &[(u32, u32, f32)]) {
        let found = links(&surface(&[], uses), &surface(offers, &[]), &Located::default());
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
    fn what_a_repository_offers_itself_is_an_alternative() {
        let found = links(&surface(&["GET /a"], &["GET /a"]), &surface(&["GET /a"], &[]), &Located::default());
        assert_eq!(found[0].confidence, 0.5);
    }

    #[test]
    fn names_of_packages_are_where_they_were_located() {
        let (user, provider) =
            (surface(&[], &["npm:kit::a::Sum", "npm:kit::Gone", "npm:else::X"]), surface(&["npm:kit"], &[]));
        let wanted = user.members_wanted(&provider);
        assert_eq!(wanted.iter().map(|wanted| wanted.member.as_str()).collect::<Vec<_>>(), ["Gone", "a::Sum"]);
        let located: Located = wanted.into_iter().zip([None, Some(site(7))]).collect();
        let found = links(&user, &provider, &located);
        let shown: Vec<(u32, u32, f32, bool)> =
            found.iter().map(|link| (link.user.node, link.offer.node, link.confidence, link.is_exact)).collect();
        assert_eq!(shown, [(0, 7, 1.0, true), (1, 100, PACKAGE_INSTEAD, false)]);
    }

    #[test]
    fn a_package_of_many_files_has_a_name_once() {
        check(&["java:kit::Sum"], &["java:kit", "java:kit", "java:kit"], &[(0, 100, PACKAGE_INSTEAD)]);
    }

    #[test]
    fn long_paths_cost_little() {
        let path = format!("GET {}", "/a/{}".repeat(100_000));
        check(&[&path], &[&path], &[(0, 100, 1.0)]);
    }
}
