//! The repositories that a repository depends on: those that make the packages it uses, and theirs in turn.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{join::IndexedSurface, rules::LinkRules};

/// Maximum number of repositories beside an importer. The nearest ones come first: types of the others are rarely reached.
const MAX_PROVIDERS: usize = 64;

/// A repository with its surface.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceOfRepository<'a> {
    /// The alias, by which rules name the repository.
    pub alias: &'a str,
    /// Its offers and uses.
    pub surface: &'a IndexedSurface,
}

/// A repository that another one depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageProvider {
    /// The index of the repository.
    pub repository: usize,
    /// The number of repositories that make a used package of this one under the same name, itself included: forks, or packages of
    /// other registries. Nothing tells which of them is meant, so links share their confidence.
    pub n_makers: usize,
}

/// Returns for each repository those that it depends on, directly or through others, in their order.
///
/// A chain ends before a repository that a rule forbids to its importer.
pub fn provider_closures(repositories: &[SurfaceOfRepository<'_>], rules: &LinkRules) -> Vec<Vec<PackageProvider>> {
    let surfaces: Vec<&IndexedSurface> = repositories.iter().map(|one| one.surface).collect();
    let makers = PackageMakers::of(repositories, rules);
    let direct: Vec<BTreeSet<usize>> =
        surfaces.iter().enumerate().map(|(importer, surface)| makers.providers(importer, surface)).collect();
    let used: BTreeSet<&str> = surfaces.iter().flat_map(|surface| surface.used_packages()).collect();
    let n_makers: Vec<usize> = surfaces.iter().map(|surface| makers.n_makers(surface, &used)).collect();
    let provider = |repository: usize| PackageProvider { repository, n_makers: n_makers[repository] };
    let of_importer = |importer: usize| {
        let may_link = |other: usize| rules.may_link(repositories[importer].alias, repositories[other].alias);
        closure(importer, &direct, may_link).into_iter().map(provider).collect()
    };
    (0..repositories.len()).map(of_importer).collect()
}

/// The repositories that make each package.
struct PackageMakers<'a>(BTreeMap<&'a str, Vec<usize>>);

impl<'a> PackageMakers<'a> {
    fn of(repositories: &[SurfaceOfRepository<'a>], rules: &'a LinkRules) -> PackageMakers<'a> {
        let mut makers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (repository, SurfaceOfRepository { alias, surface }) in repositories.iter().enumerate() {
            for package in surface.offered_packages().filter(|package| rules.may_make(package, alias)) {
                makers.entry(package).or_default().push(repository);
            }
        }
        // A rule names the maker of a package even if no manifest there does.
        for (package, maker) in rules.makers() {
            let named = repositories.iter().enumerate().filter(|(_, one)| one.alias == maker);
            let named: Vec<usize> = named.map(|(repository, _)| repository).collect();
            if !named.is_empty() {
                makers.insert(package, named);
            }
        }
        PackageMakers(makers)
    }

    /// Returns the repositories that make a package which a repository uses and does not make itself.
    fn providers(&self, importer: usize, surface: &IndexedSurface) -> BTreeSet<usize> {
        let made = surface.used_packages().filter_map(|package| self.0.get(package));
        made.filter(|makers| !makers.contains(&importer)).flatten().copied().collect()
    }

    /// Returns the largest number of repositories that make one of the used packages of a repository. Parts of a Java package, of a
    /// namespace of Python and of a folder of headers may be in several repositories, so these do not count. Nor do packages that
    /// nobody uses: many repositories have one for their documentation.
    fn n_makers(&self, surface: &IndexedSurface, used: &BTreeSet<&str>) -> usize {
        let is_shared = |package: &&str| ["java:", "python:", "include:"].iter().any(|kind| package.starts_with(kind));
        let packages = surface.offered_packages().filter(|package| !is_shared(package) && used.contains(package));
        packages.filter_map(|package| self.0.get(package)).map(Vec::len).max().unwrap_or(1)
    }
}

/// Returns the repositories that can be reached from one through those that it may be linked to, breadth first, without itself.
fn closure(importer: usize, direct: &[BTreeSet<usize>], may_link: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut seen = BTreeSet::from([importer]);
    let mut pending = VecDeque::from([importer]);
    while let Some(repository) = pending.pop_front() {
        for provider in direct[repository].iter().filter(|provider| may_link(**provider)) {
            if seen.len() <= MAX_PROVIDERS && seen.insert(*provider) {
                pending.push_back(*provider);
            }
        }
    }
    seen.remove(&importer);
    seen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ContractKind,
        join::{ContractSite, ContractSurface, SurfaceOffer, SurfaceUse},
        rules::LinkRulesSettings,
    };

    fn surface(offers: &[&str], uses: &[&str]) -> IndexedSurface {
        let site = || ContractSite { node: 0, path: "a".into(), line: 1 };
        let offer = |key: &&str| SurfaceOffer {
            kind: ContractKind::Package,
            key: (*key).into(),
            member: Default::default(),
            site: site(),
        };
        let used = |key: &&str| SurfaceUse {
            kind: ContractKind::Package,
            key: (*key).into(),
            member: Default::default(),
            site: site(),
            confidence: 1.0,
            n_sites: 1,
            serves: false,
        };
        IndexedSurface::new(ContractSurface {
            offers: offers.iter().map(offer).collect(),
            uses: uses.iter().map(used).collect(),
        })
    }

    #[test]
    fn providers_are_found_through_others() {
        let surfaces = [
            surface(&["go:a"], &["go:b", "go:elsewhere"]),
            surface(&["go:b"], &["go:c"]),
            surface(&["go:c"], &["go:a", "go:c"]),
            surface(&["npm:a"], &[]),
        ];
        let surfaces: Vec<&IndexedSurface> = surfaces.iter().collect();
        assert_eq!(repositories(&surfaces), [vec![1, 2], vec![0, 2], vec![0, 1], vec![]]);
    }

    const ALIASES: [&str; 5] = ["r0", "r1", "r2", "r3", "r4"];

    fn closures(surfaces: &[&IndexedSurface], rules: &LinkRules) -> Vec<Vec<PackageProvider>> {
        let aliases = ALIASES.iter().chain(std::iter::repeat(&"other"));
        let repositories: Vec<SurfaceOfRepository<'_>> =
            surfaces.iter().zip(aliases).map(|(surface, alias)| SurfaceOfRepository { alias, surface }).collect();
        provider_closures(&repositories, rules)
    }

    fn repositories(surfaces: &[&IndexedSurface]) -> Vec<Vec<usize>> {
        let closures = closures(surfaces, &LinkRules::default()).into_iter();
        closures.map(|providers| providers.into_iter().map(|provider| provider.repository).collect()).collect()
    }

    #[test]
    fn makers_of_one_package_are_counted() {
        let surfaces = [
            surface(&["npm:docs"], &["npm:kit", "java:a.b"]),
            surface(&["npm:kit", "npm:docs"], &[]),
            surface(&["npm:kit"], &[]),
            surface(&["java:a.b"], &[]),
            surface(&["java:a.b"], &[]),
        ];
        let closures = closures(&surfaces.iter().collect::<Vec<_>>(), &LinkRules::default());
        let found: Vec<(usize, usize)> = closures[0].iter().map(|one| (one.repository, one.n_makers)).collect();
        assert_eq!(found, [(1, 2), (2, 2), (3, 1), (4, 1)]);
    }

    #[test]
    fn rules_choose_makers_and_end_chains() {
        let surfaces = [
            surface(&[], &["npm:kit", "npm:ui"]),
            surface(&["npm:kit"], &["npm:wire"]),
            surface(&["npm:kit"], &[]),
            surface(&["npm:wire"], &[]),
            surface(&[], &[]),
        ];
        let surfaces: Vec<&IndexedSurface> = surfaces.iter().collect();
        let found = |made_by: &[(&str, &str)], never: &[(&str, &str)]| -> Vec<(usize, usize)> {
            let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
            let settings = LinkRulesSettings {
                made_by: made_by.iter().map(owned).collect(),
                never: never.iter().map(|(a, b)| vec![(*a).to_owned(), (*b).to_owned()]).collect(),
                ..LinkRulesSettings::default()
            };
            let rules = LinkRules::new(settings).unwrap();
            closures(&surfaces, &rules)[0].iter().map(|one| (one.repository, one.n_makers)).collect()
        };
        assert_eq!(found(&[], &[]), [(1, 2), (2, 2), (3, 1)]);
        assert_eq!(found(&[("npm:kit", "r1")], &[]), [(1, 1), (3, 1)]);
        assert_eq!(found(&[("npm:kit", "r2")], &[]), [(2, 1)]);
        // The repository with this alias cannot be read, or does not exist.
        assert_eq!(found(&[("npm:kit", "hidden")], &[]), []);
        assert_eq!(found(&[("npm:ui", "r4")], &[("r0", "r2")]), [(1, 2), (3, 1), (4, 1)]);
        // The chain ends at a forbidden repository.
        assert_eq!(found(&[], &[("r0", "r1")]), [(2, 2)]);
    }

    #[test]
    fn a_long_chain_is_cut() {
        let chain: Vec<IndexedSurface> =
            (0..100).map(|n| surface(&[&format!("go:{n}")], &[&format!("go:{}", n + 1)])).collect();
        let closures = repositories(&chain.iter().collect::<Vec<_>>());
        assert_eq!(closures[0], (1..=MAX_PROVIDERS).collect::<Vec<_>>());
    }
}
