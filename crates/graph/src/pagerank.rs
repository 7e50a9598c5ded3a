//! PageRank: the importance of a node by the importance of its users.

/// The share of importance that flows along edges; the value of the original paper (Brin and Page, 1998).
const DAMPING: f64 = 0.85;

/// Maximum number of rounds of the power iteration. The remaining change is below 0.85^40, about a thousandth.
const N_ROUNDS: usize = 40;

/// Total change at which the iteration stops, because the order of nodes no longer changes.
const TOLERANCE: f64 = 1e-6;

/// Ranks have three decimals. Smaller differences are rounding errors, and would decide the order of unused nodes.
const PRECISION: f64 = 1e3;

/// Returns the rank of each of `n_nodes` nodes, with 1 as the mean. `edges` are `(from, to, weight)` in any order. Their order
/// affects the last bits of the result, so it should be fixed.
pub(crate) fn pagerank(n_nodes: usize, edges: &[(u32, u32, f32)]) -> Vec<f32> {
    if n_nodes == 0 {
        return Vec::new();
    }
    let mut out_weights = vec![0f64; n_nodes];
    for (from, _, weight) in edges {
        out_weights[*from as usize] += f64::from(*weight);
    }
    let n = n_nodes as f64;
    let mut ranks = vec![1.0 / n; n_nodes];
    for _ in 0..N_ROUNDS {
        let dangling: f64 = ranks.iter().zip(&out_weights).filter(|(_, out)| **out == 0.0).map(|(rank, _)| rank).sum();
        let mut next = vec![(1.0 - DAMPING + DAMPING * dangling) / n; n_nodes];
        // A node divides its rank once, not for each of its edges. The share of a node without edges is not used.
        let shares: Vec<f64> = ranks.iter().zip(&out_weights).map(|(rank, out)| DAMPING * rank / out).collect();
        for (from, to, weight) in edges {
            next[*to as usize] += shares[*from as usize] * f64::from(*weight);
        }
        let change: f64 = ranks.iter().zip(&next).map(|(before, after)| (before - after).abs()).sum();
        ranks = next;
        if change < TOLERANCE {
            break;
        }
    }
    ranks.iter().map(|rank| ((rank * n * PRECISION).round() / PRECISION) as f32).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nodes_with_more_users_rank_higher() {
        let ranks = pagerank(4, &[(0, 1, 1.0), (2, 1, 1.0), (1, 3, 1.0)]);
        assert!(ranks[3] > ranks[1] && ranks[1] > ranks[0] && ranks[0] == ranks[2], "{ranks:?}");
    }

    proptest! {
        #[test]
        fn ranks_add_up_to_the_number_of_nodes(edges in prop::collection::vec((0u32..20, 0u32..20, 0.1f32..2.0), 0..60)) {
            let ranks = pagerank(20, &edges);
            prop_assert!((ranks.iter().sum::<f32>() - 20.0).abs() < 0.01);
            prop_assert!(ranks.iter().all(|rank| *rank > 0.0));
        }
    }
}
