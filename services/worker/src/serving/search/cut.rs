//! The cut: the union of the best files of each ranker over all shards.

use std::cmp::Reverse;

use index::SearchQuery;

use super::candidates::ShardCandidates;

/// The chosen files of one shard.
pub(super) struct ChosenFiles {
    pub(super) shard_idx: usize,
    /// Indices of files, ascending.
    pub(super) files: Vec<u32>,
}

/// A file: the index of its shard, and its index there.
type ShardFile = (usize, u32);

/// Returns the union of the best files of each ranker over all shards, in the order of shards.
pub(super) fn best_files(shards: &[ShardCandidates<'_>], query: &SearchQuery<'_>) -> Vec<ChosenFiles> {
    let all = |list: fn(&ShardCandidates<'_>) -> Vec<(f32, u32)>| -> Vec<(f32, ShardFile)> {
        let of_shard = |(shard_idx, shard): (usize, &ShardCandidates<'_>)| {
            list(shard).into_iter().map(move |(score, file_idx)| (score, (shard_idx, file_idx)))
        };
        shards.iter().enumerate().flat_map(of_shard).collect()
    };
    let named = shards.iter().enumerate().flat_map(|(shard_idx, shard)| {
        let files = shard.named.by_name.iter();
        files.map(move |(file_idx, name)| {
            (shard.target.snapshot.name_order(*file_idx, name, query.kept), (shard_idx, *file_idx))
        })
    });
    let descending =
        |list: Vec<(f32, ShardFile)>| list.into_iter().map(|(score, file)| (Reverse(Score(score)), file)).collect();
    let mut chosen: Vec<ShardFile> = best(shards, descending(all(|shard| shard.by_text.clone())), query.limit);
    chosen.extend(best(shards, descending(all(|shard| shard.by_vector.clone())), query.limit));
    chosen.extend(best(shards, named.collect(), query.limit));
    let by_path = all(|shard| shard.named.by_path.iter().map(|(file_idx, score)| (*score, *file_idx)).collect());
    chosen.extend(best(shards, descending(by_path), query.limit));
    chosen.sort_unstable();
    chosen.dedup();
    let of_shard =
        |files: &[ShardFile]| ChosenFiles { shard_idx: files[0].0, files: files.iter().map(|file| file.1).collect() };
    chosen.chunk_by(|a, b| a.0 == b.0).map(of_shard).collect()
}

/// Returns the `limit` files with the smallest keys. Ties are broken by alias and path.
fn best<K: Ord>(shards: &[ShardCandidates<'_>], mut keyed: Vec<(K, ShardFile)>, limit: usize) -> Vec<ShardFile> {
    let name = |file: &ShardFile| {
        let target = &shards[file.0].target;
        (target.alias, target.snapshot.hit_path(file.1))
    };
    let order = |a: &(K, ShardFile), b: &(K, ShardFile)| a.0.cmp(&b.0).then_with(|| name(&a.1).cmp(&name(&b.1)));
    if keyed.len() > limit {
        keyed.select_nth_unstable_by(limit, order);
        keyed.truncate(limit);
    }
    keyed.into_iter().map(|(_, file)| file).collect()
}

/// A score with a total order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Score(f32);

impl Eq for Score {}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
