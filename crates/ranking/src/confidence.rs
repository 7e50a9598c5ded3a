//! Confidence of hits: the probability that the file of a hit is a right one, from a logistic model of judged cases.
//!
//! `tests/evaluation/calibrate.py` fits the weights and writes `docs/developing/calibration.md`.

/// Weights of the model: intercept, reciprocal rank, relevance up to 1, square root of the relevance, and share of the relevance against
/// the best other file. Fitted on the judged queries of 6 of 12 repositories, each asked of its repository and of all, and on queries
/// without a right file, which count .4.
const WEIGHTS: [f32; 5] = [-5.101, 3.911, -0.854, 2.057, 3.143];

/// Number of leading hits whose confidences depend on each other.
pub const N_LEADING: usize = 20;

/// The evidence for one hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HitEvidence<F> {
    /// Identifies the file.
    pub file: F,
    /// From 0 to 10.
    pub relevance: f32,
}

/// Returns the confidence of each hit, from 0 to 1. Hits come best first, and no hit has more confidence than the one before.
/// Repositories do not matter, so that N shards have the confidences of one index.
pub fn confidences<F: Copy + PartialEq>(hits: &[HitEvidence<F>]) -> Vec<f32> {
    let leading = &hits[..hits.len().min(N_LEADING)];
    let mut files: Vec<(F, f32)> = Vec::new();
    for hit in leading {
        match files.iter_mut().find(|(file, _)| *file == hit.file) {
            Some((_, relevance)) => *relevance = relevance.max(hit.relevance),
            None => files.push((hit.file, hit.relevance)),
        }
    }
    let of_file = |file_rank: usize| {
        let others = files.iter().enumerate().filter(|(rank, _)| *rank != file_rank);
        let best_other = others.map(|(_, (_, relevance))| *relevance).fold(0.0, f32::max);
        probability(file_rank, files[file_rank].1, best_other)
    };
    let by_file: Vec<f32> = (0..files.len()).map(of_file).collect();
    let rank_of = |hit: &HitEvidence<F>| files.iter().position(|(file, _)| *file == hit.file);
    let mut confidences = non_increasing(leading.iter().filter_map(rank_of).map(|rank| by_file[rank]));
    let least = confidences.last().copied().unwrap_or(0.0);
    confidences.resize(hits.len(), least);
    confidences
}

fn probability(file_rank: usize, relevance: f32, best_other: f32) -> f32 {
    let reciprocal_rank = 1.0 / (file_rank + 1) as f32;
    let up_to_one = relevance.min(1.0);
    let share = if relevance > 0.0 { relevance / (relevance + best_other) } else { 0.0 };
    let features = [
        1.0,
        reciprocal_rank,
        reciprocal_rank * up_to_one,
        reciprocal_rank * (relevance / 10.0).sqrt(),
        up_to_one * share,
    ];
    let sum: f32 = WEIGHTS.iter().zip(features).map(|(weight, feature)| weight * feature).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Returns the non-increasing sequence that is nearest to the values, by pooling adjacent violators (Ayer et al., 1955). Pooled
/// values stay calibrated, since their mean is unchanged.
fn non_increasing(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut pools: Vec<(f32, usize)> = Vec::new();
    for value in values {
        pools.push((value, 1));
        while let [.., (before, n_before), (last, n_last)] = pools[..]
            && before < last
        {
            pools.truncate(pools.len() - 2);
            let n = n_before + n_last;
            pools.push(((before * n_before as f32 + last * n_last as f32) / n as f32, n));
        }
    }
    pools.into_iter().flat_map(|(value, n)| std::iter::repeat_n(value, n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(hits: &[(u32, f32)]) -> Vec<f32> {
        let hits: Vec<HitEvidence<u32>> =
            hits.iter().map(|(file, relevance)| HitEvidence { file: *file, relevance: *relevance }).collect();
        confidences(&hits)
    }

    #[test]
    fn irrelevant_hits_have_no_confidence() {
        assert!(of(&[(1, 0.3), (2, 0.3)])[0] < 0.4);
        assert!(of(&[(1, 8.0), (2, 1.0)])[0] > 0.8);
        assert!(of(&[(1, 8.0), (2, 8.0)])[0] < of(&[(1, 8.0), (2, 1.0)])[0]);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn confidence_follows_the_order() {
        let mixed = of(&[(1, 4.0), (2, 1.0), (1, 2.0), (3, 9.0), (1, 0.1)]);
        assert!(mixed.is_sorted_by(|a, b| a >= b), "{mixed:?}");
        let many: Vec<(u32, f32)> = (0..50).map(|file| (file, 5.0)).collect();
        assert_eq!(of(&many).len(), 50);
        assert_eq!(of(&many)[..5], of(&many[..N_LEADING])[..5], "later hits change nothing");
    }

    #[test]
    fn pools_keep_their_mean() {
        let pooled = non_increasing([0.9, 0.2, 0.4, 0.3].into_iter());
        assert_eq!(pooled.iter().map(|value| (value * 100.0).round()).collect::<Vec<_>>(), [90.0, 30.0, 30.0, 30.0]);
    }
}
