//! Repositories that make packages of one name: forks, or a monorepo and its split. An import leads to one of them only, so that an
//! importer is resolved in rounds, beside each of them in turn.

use std::collections::{BTreeMap, BTreeSet};

use super::{ImporterLinks, UnresolvedCallSite, UnresolvedName, UnresolvedSite};
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
            found.unresolved_accesses.remove(name).is_some_and(|other| {
                known.merge(other);
                !known.sites.is_empty()
            })
        });
        merged.unfollowed_imports.retain_common(found.unfollowed_imports);
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

/// Keeps the calls that are unresolved in another round, too, with the definitions that they may mean in either.
fn retain_unresolved(known: &mut UnresolvedName, other: UnresolvedName) {
    // By index in the other round: the index among the definitions of both.
    let mut places: Vec<u32> = Vec::with_capacity(other.definitions.len());
    for (definition, n_calls) in other.definitions.into_iter().zip(other.n_calls) {
        let place = known.definitions.iter().position(|one| *one == definition);
        places.push(place.unwrap_or(known.definitions.len()) as u32);
        match place {
            Some(place) => known.n_calls[place] = known.n_calls[place].max(n_calls),
            None => {
                known.definitions.push(definition);
                known.n_calls.push(n_calls);
            }
        }
    }
    // A call that leads nowhere in one round may have a target in the other.
    known.n_elsewhere = known.n_elsewhere.min(other.n_elsewhere);
    // Several calls may be in one line: each may mean what any of them may mean in the other round.
    let mut others: BTreeMap<UnresolvedSite, Vec<UnresolvedCallSite>> = BTreeMap::new();
    for call in other.sites {
        others.entry(call.site.clone()).or_default().push(call);
    }
    known.sites.retain_mut(|call| {
        let Some(same) = others.get(&call.site) else { return false };
        let of_others = same.iter().flat_map(|one| one.reached.iter().copied());
        let reached: BTreeSet<u32> = call.reached.drain(..).chain(of_others).collect();
        call.reached.extend(reached);
        let near_in_others = same.iter().flat_map(|one| &one.near).map(|idx| places[*idx as usize]);
        let near: BTreeSet<u32> = call.near.drain(..).chain(near_in_others).collect();
        call.near.extend(near);
        call.candidates = call.candidates.take().and_then(|known| union_of_candidates(known, same, &places));
        true
    });
}

/// Returns the candidates of a call in two rounds; `None` if they are not known in the other one. `places` renumbers those of the other one.
fn union_of_candidates(known: Vec<u32>, others: &[UnresolvedCallSite], places: &[u32]) -> Option<Vec<u32>> {
    let mut all: BTreeSet<u32> = known.into_iter().collect();
    for other in others {
        all.extend(other.candidates.as_ref()?.iter().map(|candidate| places[*candidate as usize]));
    }
    Some(all.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use graph::{CalleeForm, GivenArguments};

    use super::{
        super::{NamedDefinition, TakenArguments},
        *,
    };

    /// The calls of a round to members of two providers, of which each round has one. Definitions are given by repository and node.
    fn round(
        left_out: usize,
        definitions: &[(u32, u32)],
        candidates: Option<Vec<u32>>,
    ) -> (BTreeSet<usize>, ImporterLinks) {
        let definition = |(repository, node): &(u32, u32)| NamedDefinition {
            repository: *repository,
            node: *node,
            path: "a.ts".to_owned(),
            definition: *node,
            parameters: TakenArguments { n_required: 0, n_positional: None, keywords: None, plain: Vec::new() },
            is_member: true,
        };
        let call = UnresolvedCallSite {
            site: UnresolvedSite { path: "b.ts".to_owned(), line: 1 },
            form: CalleeForm::Member,
            arguments: GivenArguments::unknown(),
            candidates,
            reached: definitions
                .iter()
                .map(|(repository, _)| *repository)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            near: (0..definitions.len() as u32).collect(),
        };
        let of_name = UnresolvedName {
            sites: vec![call],
            definitions: definitions.iter().map(definition).collect(),
            n_calls: vec![0; definitions.len()],
            n_elsewhere: 0,
        };
        let unresolved = BTreeMap::from([("send".to_owned(), of_name)]);
        (BTreeSet::from([left_out]), ImporterLinks { unresolved, ..ImporterLinks::default() })
    }

    /// Checks which of the definitions of all rounds the call may mean, by repository and node.
    #[track_caller]
    fn check(rounds: Vec<(BTreeSet<usize>, ImporterLinks)>, expected: &[(u32, u32)]) {
        let merged = merge(rounds);
        let of_name = &merged.unresolved["send"];
        let definitions = of_name.definitions.iter().enumerate();
        let meant = definitions.filter(|(idx, _)| of_name.calls_of(*idx).next().is_some());
        let meant: Vec<(u32, u32)> = meant.map(|(_, definition)| (definition.repository, definition.node)).collect();
        assert_eq!(meant, expected);
        assert_eq!(of_name.sites[0].near, (0..of_name.definitions.len() as u32).collect::<Vec<_>>());
    }

    #[test]
    fn a_call_may_mean_the_candidates_of_all_rounds() {
        let (a, b) = ([(1, 4), (1, 5), (1, 6)], [(2, 7), (2, 8), (2, 9)]);
        let first = || round(1, &a, Some(vec![0, 1]));
        check(vec![first(), round(0, &b, Some(vec![0, 2]))], &[(1, 4), (1, 5), (2, 7), (2, 9)]);
        // The types of the call are known in one round only.
        check(vec![first(), round(0, &b, None)], &[(1, 4), (1, 5), (1, 6), (2, 7), (2, 8), (2, 9)]);
        check(vec![round(1, &a, None), round(0, &b, Some(vec![1]))], &[(1, 4), (1, 5), (1, 6), (2, 7), (2, 8), (2, 9)]);
        // A definition of both rounds counts once.
        let own = [(1, 4), (3, 1)];
        check(vec![round(1, &own, Some(vec![0])), round(0, &[(3, 1), (2, 7)], Some(vec![0]))], &[(1, 4), (3, 1)]);
    }
}
