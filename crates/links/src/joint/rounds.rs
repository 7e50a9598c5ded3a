//! Repositories that make packages of one name: forks, or a monorepo and its split. An import leads to one of them only, so that an
//! importer is resolved in rounds, beside each of them in turn.

use std::collections::{BTreeMap, BTreeSet};

use super::{ImportedName, ImporterLinks, NamedDefinition, UnresolvedName, UnresolvedSite};
use crate::manifests::DeclaredPackages;

/// Maximum number of rounds. The uses of further makers of a package stay unknown.
const MAX_ROUNDS: usize = 4;

/// Returns for each round the indices of the providers that are left out: the makers of a package but one.
pub(super) fn left_out(importer: &DeclaredPackages, made: &[DeclaredPackages]) -> Vec<BTreeSet<usize>> {
    let mut makers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (provider, packages) in made.iter().enumerate() {
        let keys: BTreeSet<&str> = packages.made().map(|package| package.key.as_str()).collect();
        for key in keys.into_iter().filter(|key| importer.requires(key) && !importer.makes(key)) {
            makers.entry(key).or_default().push(provider);
        }
    }
    makers.retain(|_, makers| makers.len() > 1);
    let n_rounds = makers.values().map(Vec::len).max().unwrap_or(1).min(MAX_ROUNDS);
    let left_out = |round: usize| {
        let chosen: BTreeSet<usize> = makers.values().map(|makers| makers[round.min(makers.len() - 1)]).collect();
        makers.values().flatten().copied().filter(|maker| !chosen.contains(maker)).collect()
    };
    (0..n_rounds).map(left_out).collect()
}

/// Returns the links of all rounds. A provider that takes part in several of them has the links of the first one. A use has no target if
/// no round found one.
pub(super) fn merge(rounds: Vec<(BTreeSet<usize>, ImporterLinks)>) -> ImporterLinks {
    let mut rounds = rounds.into_iter();
    let Some((mut missing, mut merged)) = rounds.next() else { return ImporterLinks::default() };
    for (left_out, mut found) in rounds {
        let is_new = |provider: usize| missing.contains(&provider) && !left_out.contains(&provider);
        merged.links.extend(found.links.into_iter().filter(|link| is_new(link.provider as usize)));
        merged.unresolved.retain(|name, known| {
            found.unresolved.remove(name).is_some_and(|unresolved| {
                retain_unresolved(known, unresolved);
                !known.sites.is_empty()
            })
        });
        merged.unresolved_accesses.retain(|name, known| {
            let found: BTreeSet<UnresolvedSite> =
                found.unresolved_accesses.remove(name).into_iter().flatten().collect();
            known.retain(|site| found.contains(site));
            !known.is_empty()
        });
        let unfollowed: BTreeSet<ImportedName> = found.unfollowed_imports.into_iter().collect();
        merged.unfollowed_imports.retain(|import| unfollowed.contains(import));
        merged.stale_imports.extend(found.stale_imports);
        merged.may_miss_any |= found.may_miss_any;
        merged.mentions = std::mem::take(&mut merged.mentions).and(found.mentions);
        for (known, consulted) in merged.consulted.iter_mut().zip(found.consulted) {
            let all: BTreeSet<String> = known.drain(..).chain(consulted).collect();
            known.extend(all);
        }
        missing.retain(|provider| left_out.contains(provider));
    }
    merged.stale_imports.sort();
    merged.stale_imports.dedup();
    merged.may_miss_any |= !missing.is_empty();
    merged
}

/// Keeps the calls that are unresolved in another round, too, with the definitions of both.
fn retain_unresolved(known: &mut UnresolvedName, other: UnresolvedName) {
    let other_sites = other.sites.into_iter();
    let others: BTreeMap<UnresolvedSite, Vec<u32>> = other_sites.map(|call| (call.site, call.reached)).collect();
    known.sites.retain_mut(|call| {
        let Some(reached) = others.get(&call.site) else { return false };
        let reached: BTreeSet<u32> = call.reached.drain(..).chain(reached.iter().copied()).collect();
        call.reached.extend(reached);
        true
    });
    let definitions = other.definitions.into_iter().filter(|definition| !known.definitions.contains(definition));
    let definitions: Vec<NamedDefinition> = definitions.collect();
    known.definitions.extend(definitions);
}
