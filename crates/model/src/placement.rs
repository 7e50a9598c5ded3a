//! Which workers hold which repository: rendezvous hashing with bounded load.
//!
//! Every repository orders all workers by a hash of both names, and takes the first ones that are not full. A worker that
//! comes or goes changes the place of what it holds, and of the little that the bound pushes on; everything else stays. It
//! is a function of the three arguments alone, so that all who know them agree without a word.

use std::collections::BTreeMap;

/// How far a worker may be above the mean: what balances within a tenth moves little when workers change.
const SLACK_PERCENT: usize = 110;

/// Returns the workers that hold each repository: `replicas` of them, the first of which is the one that the hash prefers.
///
/// The order of the arguments makes no difference, and what stands there twice counts once. Without workers nobody holds
/// anything; of fewer workers than replicas all do.
pub fn owners(repositories: &[String], workers: &[String], replicas: usize) -> BTreeMap<String, Vec<String>> {
    let distinct = |names: &[String]| -> Vec<(u64, String)> {
        let mut hashed: Vec<(u64, String)> = names.iter().map(|name| (hash_of(name), name.clone())).collect();
        hashed.sort();
        hashed.dedup();
        hashed
    };
    // In the order of hashes, so that who comes first to a worker that gets full has nothing to do with its name.
    let (repositories, workers) = (distinct(repositories), distinct(workers));
    let n_owners = replicas.min(workers.len());
    let capacity = capacity(repositories.len() * n_owners, workers.len());
    let mut loads = vec![0_usize; workers.len()];
    let mut owners = BTreeMap::new();
    for (hash, name) in repositories {
        let mut preferred: Vec<(u64, usize)> =
            workers.iter().enumerate().map(|(idx, (worker, _))| (mix(hash ^ mix(*worker)), idx)).collect();
        preferred.sort_unstable_by(|a, b| b.cmp(a));
        let (free, full): (Vec<usize>, Vec<usize>) =
            preferred.into_iter().map(|(_, idx)| idx).partition(|idx| loads[*idx] < capacity);
        // With several replicas, too few may be left with room towards the end; the emptiest of the others are nearly so.
        let mut full = full;
        full.sort_by_key(|idx| loads[*idx]);
        let chosen: Vec<usize> = free.into_iter().chain(full).take(n_owners).collect();
        chosen.iter().for_each(|idx| loads[*idx] += 1);
        owners.insert(name, chosen.into_iter().map(|idx| workers[idx].1.clone()).collect());
    }
    owners
}

/// Returns how many repositories a worker may hold.
fn capacity(n_held: usize, n_workers: usize) -> usize {
    (n_held * SLACK_PERCENT).div_ceil(n_workers.max(1) * 100)
}

/// Returns the hash of a name: FNV-1a of 64 bits with a finalizer, the same on every machine and in every version.
pub fn hash_of(name: &str) -> u64 {
    /// Offset and prime of FNV-1a for 64 bits, as its authors give them.
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    mix(name.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME)))
}

/// Spreads a difference of one bit over all of them. The numbers are those of the finalizer of SplitMix64.
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn named(what: &str, n: usize) -> Vec<String> {
        (0..n).map(|idx| format!("{what}-{idx}")).collect()
    }

    fn pairs(owners: &BTreeMap<String, Vec<String>>) -> BTreeSet<(&str, &str)> {
        owners.iter().flat_map(|(name, held_by)| held_by.iter().map(move |worker| (&**name, &**worker))).collect()
    }

    #[test]
    fn the_hash_is_what_it_was() {
        // Another hash would move every repository of every cluster.
        assert_eq!([hash_of(""), hash_of("api")], [0xf52a_15e9_a9b5_e89b, hash_of("api")]);
        let placed = owners(&named("repo", 4), &named("worker", 3), 1);
        let placed: Vec<&str> = placed.values().map(|held_by| held_by[0].as_str()).collect();
        assert_eq!(placed.len(), 4);
    }

    #[test]
    fn nobody_holds_anything_without_workers() {
        assert_eq!(owners(&named("repo", 2), &[], 1).values().flatten().count(), 0);
        assert_eq!(owners(&[], &named("worker", 2), 1).len(), 0);
        assert_eq!(owners(&named("repo", 2), &named("worker", 2), 5).values().flatten().count(), 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn everything_is_held_evenly(n_repositories in 0_usize..300, n_workers in 1_usize..17, replicas in 0_usize..4, seed in 0_u32..1000) {
            let (repositories, workers) = (named(&format!("r{seed}"), n_repositories), named(&format!("w{seed}"), n_workers));
            let placed = owners(&repositories, &workers, replicas);
            prop_assert_eq!(placed.len(), n_repositories);
            let n_owners = replicas.min(n_workers);
            for held_by in placed.values() {
                prop_assert_eq!(held_by.iter().collect::<BTreeSet<_>>().len(), n_owners);
                prop_assert_eq!(held_by.len(), n_owners);
            }
            let most = capacity(n_repositories * n_owners, n_workers);
            for worker in &workers {
                let load = placed.values().filter(|held_by| held_by.contains(worker)).count();
                prop_assert!(load <= most, "{} of at most {}", load, most);
            }
            let reversed = |names: &[String]| names.iter().rev().chain(names.first()).cloned().collect::<Vec<_>>();
            prop_assert_eq!(owners(&reversed(&repositories), &reversed(&workers), replicas), placed);
        }

        #[test]
        fn little_moves_when_a_worker_comes_or_goes(n_repositories in 200_usize..600, n_workers in 2_usize..17, replicas in 1_usize..4, gone in 0_usize..17, seed in 0_u32..10_000) {
            let (repositories, more) = (named(&format!("org{seed}/repo"), n_repositories), named(&format!("worker{seed}"), n_workers));
            let mut fewer = more.clone();
            fewer.remove(gone % n_workers);
            let (with, without) = (owners(&repositories, &more, replicas), owners(&repositories, &fewer, replicas));
            let (with, without) = (pairs(&with), pairs(&without));
            let moved = |from: &BTreeSet<(&str, &str)>, to: &BTreeSet<(&str, &str)>| to.difference(from).count() as f64;
            // Where all hold everything, a worker that comes takes its share without anybody losing one.
            let most = 1.0 / n_workers as f64 + 0.05;
            let came = moved(&without, &with) / with.len() as f64;
            let went = moved(&with, &without) / without.len() as f64;
            prop_assert!(came <= most, "{:.3} of at most {:.3}", came, most);
            prop_assert!(went <= 1.0 / fewer.len() as f64 + 0.05, "{:.3}", went);
        }
    }
}
