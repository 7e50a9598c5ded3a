//! Relevance to root nodes: personalised PageRank over a small graph, and the number of domain boundaries to a root.

/// The share of relevance that flows along edges; the rest returns to the roots in each round. The value of the original
/// paper (Brin and Page, 1998).
const DAMPING: f64 = 0.85;

/// Maximum number of rounds of the power iteration. The remaining change is below 0.85^50, under a thousandth.
const N_ROUNDS: usize = 50;

/// Total change at which the iteration stops, because the order of nodes no longer changes.
const TOLERANCE: f64 = 1e-9;

/// A directed edge between the indices of two nodes. Edges to missing nodes and without a positive weight are ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankEdge {
    /// The source node.
    pub from: usize,
    /// The target node.
    pub to: usize,
    /// The weight, relative to other edges of the source.
    pub weight: f64,
}

/// Returns the personalised PageRank of each node: the probability of a random walk that follows edges by their weights and
/// now and then restarts at a root. The sum is 1 if there is a root. The order of `edges` decides the last bits, so it should
/// be a fixed one.
pub fn personalised_pagerank(n_nodes: usize, edges: &[RankEdge], roots: &[usize]) -> Vec<f64> {
    let roots: Vec<usize> = roots.iter().copied().filter(|root| *root < n_nodes).collect();
    if roots.is_empty() {
        return vec![0.0; n_nodes];
    }
    let is_valid =
        |edge: &&RankEdge| edge.from < n_nodes && edge.to < n_nodes && edge.weight.is_finite() && edge.weight > 0.0;
    let edges: Vec<&RankEdge> = edges.iter().filter(is_valid).collect();
    let mut out_weights = vec![0f64; n_nodes];
    edges.iter().for_each(|edge| out_weights[edge.from] += edge.weight);
    let share = 1.0 / roots.len() as f64;
    let mut start = vec![0f64; n_nodes];
    roots.iter().for_each(|root| start[*root] += share);

    let mut ranks = start.clone();
    for _ in 0..N_ROUNDS {
        let stranded: f64 = ranks.iter().zip(&out_weights).filter(|(_, out)| **out == 0.0).map(|(rank, _)| rank).sum();
        let mut next: Vec<f64> = start.iter().map(|start| start * (1.0 - DAMPING + DAMPING * stranded)).collect();
        for edge in &edges {
            next[edge.to] += DAMPING * ranks[edge.from] * edge.weight / out_weights[edge.from];
        }
        let change: f64 = ranks.iter().zip(&next).map(|(before, after)| (before - after).abs()).sum();
        ranks = next;
        if change < TOLERANCE {
            break;
        }
    }
    ranks
}

/// Returns by node the fewest boundaries on a path from a root, along edges in either direction; `None` for a node out of
/// reach. An edge crosses one boundary if the domains of its ends differ.
pub fn fewest_boundaries<D: PartialEq>(domains: &[D], edges: &[(usize, usize)], roots: &[usize]) -> Vec<Option<u32>> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); domains.len()];
    for (from, to) in edges.iter().filter(|(from, to)| *from < domains.len() && *to < domains.len()) {
        neighbours[*from].push(*to);
        neighbours[*to].push(*from);
    }
    let mut fewest: Vec<Option<u32>> = vec![None; domains.len()];
    // One level per number of boundaries: nodes that are reached without another boundary, then those across one.
    let mut level: Vec<usize> = roots.iter().copied().filter(|root| *root < domains.len()).collect();
    for n_boundaries in 0.. {
        let mut across = Vec::new();
        while let Some(node) = level.pop() {
            if fewest[node].is_some() {
                continue;
            }
            fewest[node] = Some(n_boundaries);
            for next in neighbours[node].iter().filter(|next| fewest[**next].is_none()) {
                let side = if domains[*next] == domains[node] { &mut level } else { &mut across };
                side.push(*next);
            }
        }
        if across.is_empty() {
            break;
        }
        level = across;
    }
    fewest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn both_directions(pairs: &[(usize, usize)]) -> Vec<RankEdge> {
        let edges = pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        edges.map(|(from, to)| RankEdge { from, to, weight: 1.0 }).collect()
    }

    #[test]
    fn near_nodes_rank_higher() {
        let ranks = personalised_pagerank(5, &both_directions(&[(0, 1), (1, 2), (2, 3)]), &[0]);
        assert!(ranks[0] > ranks[1].min(ranks[0]) || ranks[1] > ranks[2], "{ranks:?}");
        assert!(ranks[1] > ranks[2] && ranks[2] > ranks[3] && ranks[4] == 0.0, "{ranks:?}");
    }

    #[test]
    fn boundaries_are_counted_along_the_best_path() {
        // 0-1-2 within one domain each but for 1; 0-3-2 goes around.
        let edges = [(0, 1), (1, 2), (3, 0), (3, 2), (2, 4)];
        let found = fewest_boundaries(&['a', 'b', 'a', 'a', 'c', 'a'], &edges, &[0]);
        assert_eq!(found, [Some(0), Some(1), Some(0), Some(0), Some(1), None]);
    }

    #[test]
    fn invalid_edges_and_roots_are_ignored() {
        let edges = [RankEdge { from: 0, to: 9, weight: 1.0 }, RankEdge { from: 0, to: 1, weight: f64::NAN }];
        assert_eq!(personalised_pagerank(2, &edges, &[0, 7]), [1.0, 0.0]);
        assert_eq!(personalised_pagerank(2, &edges, &[]), [0.0, 0.0]);
        assert_eq!(fewest_boundaries(&['a'], &[(0, 9)], &[4]), [None]);
    }

    proptest! {
        #[test]
        fn ranks_add_up_to_one(pairs in prop::collection::vec((0usize..20, 0usize..20), 0..60)) {
            let ranks = personalised_pagerank(20, &both_directions(&pairs), &[0, 3]);
            prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        }
    }
}
