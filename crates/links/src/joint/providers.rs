//! The repositories that a repository depends on: those that make the packages it uses, and theirs in turn.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::join::IndexedSurface;

/// Maximum number of repositories beside an importer. The nearest ones come first: types of the others are rarely reached.
const MAX_PROVIDERS: usize = 64;

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
pub fn provider_closures(surfaces: &[&IndexedSurface]) -> Vec<Vec<PackageProvider>> {
    let makers = PackageMakers::of(surfaces);
    let direct: Vec<BTreeSet<usize>> =
        surfaces.iter().enumerate().map(|(importer, surface)| makers.providers(importer, surface)).collect();
    let used: BTreeSet<&str> = surfaces.iter().flat_map(|surface| surface.used_packages()).collect();
    let n_makers: Vec<usize> = surfaces.iter().map(|surface| makers.n_makers(surface, &used)).collect();
    let provider = |repository: usize| PackageProvider { repository, n_makers: n_makers[repository] };
    (0..surfaces.len()).map(|importer| closure(importer, &direct).into_iter().map(provider).collect()).collect()
}

/// The repositories that make each package.
struct PackageMakers<'a>(BTreeMap<&'a str, Vec<usize>>);

impl<'a> PackageMakers<'a> {
    fn of(surfaces: &[&'a IndexedSurface]) -> PackageMakers<'a> {
        let mut makers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (repository, surface) in surfaces.iter().enumerate() {
            for package in surface.offered_packages() {
                makers.entry(package).or_default().push(repository);
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

/// Returns the repositories that can be reached from one, breadth first, without itself.
fn closure(importer: usize, direct: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut seen = BTreeSet::from([importer]);
    let mut pending = VecDeque::from([importer]);
    while let Some(repository) = pending.pop_front() {
        for provider in &direct[repository] {
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
    };

    fn surface(offers: &[&str], uses: &[&str]) -> IndexedSurface {
        let site = || ContractSite { node: 0, path: "a".to_owned(), line: 1 };
        let offer = |key: &&str| SurfaceOffer {
            kind: ContractKind::Package,
            key: (*key).to_owned(),
            member: String::new(),
            site: site(),
        };
        let used = |key: &&str| SurfaceUse {
            kind: ContractKind::Package,
            key: (*key).to_owned(),
            member: String::new(),
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

    fn repositories(surfaces: &[&IndexedSurface]) -> Vec<Vec<usize>> {
        let closures = provider_closures(surfaces).into_iter();
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
        let closures = provider_closures(&surfaces.iter().collect::<Vec<_>>());
        let found: Vec<(usize, usize)> = closures[0].iter().map(|one| (one.repository, one.n_makers)).collect();
        assert_eq!(found, [(1, 2), (2, 2), (3, 1), (4, 1)]);
    }

    #[test]
    fn a_long_chain_is_cut() {
        let chain: Vec<IndexedSurface> =
            (0..100).map(|n| surface(&[&format!("go:{n}")], &[&format!("go:{}", n + 1)])).collect();
        let closures = repositories(&chain.iter().collect::<Vec<_>>());
        assert_eq!(closures[0], (1..=MAX_PROVIDERS).collect::<Vec<_>>());
    }
}
