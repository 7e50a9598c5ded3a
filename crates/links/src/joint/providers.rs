//! The repositories that a repository depends on: those that make the packages it uses, and theirs in turn.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::join::IndexedSurface;

/// Maximum number of repositories beside an importer. The nearest ones come first: types of the others are rarely reached.
const MAX_PROVIDERS: usize = 64;

/// Returns for each repository the indices of those that it depends on, directly or through others, ascending.
pub fn provider_closures(surfaces: &[&IndexedSurface]) -> Vec<Vec<usize>> {
    let direct = direct_providers(surfaces);
    (0..surfaces.len()).map(|importer| closure(importer, &direct)).collect()
}

/// Returns for each repository those that make a package it uses. A repository that makes the package itself depends on no other.
fn direct_providers(surfaces: &[&IndexedSurface]) -> Vec<BTreeSet<usize>> {
    let mut makers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (repository, surface) in surfaces.iter().enumerate() {
        for package in surface.offered_packages() {
            makers.entry(package).or_default().push(repository);
        }
    }
    let providers = |(importer, surface): (usize, &&IndexedSurface)| {
        let made = surface.used_packages().filter_map(|package| makers.get(package));
        made.filter(|makers| !makers.contains(&importer)).flatten().copied().collect()
    };
    surfaces.iter().enumerate().map(providers).collect()
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
        let offer = |key: &&str| SurfaceOffer { kind: ContractKind::Package, key: (*key).to_owned(), site: site() };
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
        assert_eq!(provider_closures(&surfaces), [vec![1, 2], vec![0, 2], vec![0, 1], vec![]]);
    }

    #[test]
    fn a_long_chain_is_cut() {
        let chain: Vec<IndexedSurface> =
            (0..100).map(|n| surface(&[&format!("go:{n}")], &[&format!("go:{}", n + 1)])).collect();
        let closures = provider_closures(&chain.iter().collect::<Vec<_>>());
        assert_eq!(closures[0], (1..=MAX_PROVIDERS).collect::<Vec<_>>());
    }
}
