//! Relevance to a root: personalised PageRank over a small graph, and how many borders lie between a node and the root.

/// The share of relevance that flows along edges; the rest returns to the root at each step. The value of the original
/// paper (Brin and Page, 1998).
const DAMPING: f64 = 0.85;

/// Rounds of the power iteration. What is left to change after them is below 0.85^50, under a thousandth.
const N_ROUNDS: usize = 50;

/// Below this change, summed over all nodes, no order changes any more.
const TOLERANCE: f64 = 1e-9;

/// A way from one node to another, by their indices. Ways that lead nowhere or weigh nothing are left out of account.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    pub from: usize,
    pub to: usize,
    pub weight: f64,
}

/// Returns how often someone is at each node who starts at the roots, takes ways by their weights, and now and then
/// starts over. The sum is 1 where there is a root; the order of `ways` decides the last bits, so it should be a fixed
/// one.
pub fn personalised(n_nodes: usize, ways: &[Way], roots: &[usize]) -> Vec<f64> {
    let roots: Vec<usize> = roots.iter().copied().filter(|root| *root < n_nodes).collect();
    if roots.is_empty() {
        return vec![0.0; n_nodes];
    }
    let is_sound = |way: &&Way| way.from < n_nodes && way.to < n_nodes && way.weight.is_finite() && way.weight > 0.0;
    let ways: Vec<&Way> = ways.iter().filter(is_sound).collect();
    let mut out_weights = vec![0f64; n_nodes];
    ways.iter().for_each(|way| out_weights[way.from] += way.weight);
    let share = 1.0 / roots.len() as f64;
    let mut start = vec![0f64; n_nodes];
    roots.iter().for_each(|root| start[*root] += share);

    let mut ranks = start.clone();
    for _ in 0..N_ROUNDS {
        let stranded: f64 = ranks.iter().zip(&out_weights).filter(|(_, out)| **out == 0.0).map(|(rank, _)| rank).sum();
        let mut next: Vec<f64> = start.iter().map(|start| start * (1.0 - DAMPING + DAMPING * stranded)).collect();
        for way in &ways {
            next[way.to] += DAMPING * ranks[way.from] * way.weight / out_weights[way.from];
        }
        let change: f64 = ranks.iter().zip(&next).map(|(before, after)| (before - after).abs()).sum();
        ranks = next;
        if change < TOLERANCE {
            break;
        }
    }
    ranks
}

/// Returns the fewest borders on the way from a root to each node along edges in either direction; nothing for nodes
/// that no edge leads to. An edge crosses a border where the domains of its ends differ, and never more than one.
pub fn fewest_boundaries<D: PartialEq>(domains: &[D], edges: &[(usize, usize)], roots: &[usize]) -> Vec<Option<u32>> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); domains.len()];
    for (from, to) in edges.iter().filter(|(from, to)| *from < domains.len() && *to < domains.len()) {
        neighbours[*from].push(*to);
        neighbours[*to].push(*from);
    }
    let mut fewest: Vec<Option<u32>> = vec![None; domains.len()];
    // One level per number of borders: all that is reached without another border, then what lies across one.
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

    fn both_ways(pairs: &[(usize, usize)]) -> Vec<Way> {
        let ways = pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        ways.map(|(from, to)| Way { from, to, weight: 1.0 }).collect()
    }

    #[test]
    fn what_is_near_is_relevant() {
        let ranks = personalised(5, &both_ways(&[(0, 1), (1, 2), (2, 3)]), &[0]);
        assert!(ranks[0] > ranks[1].min(ranks[0]) || ranks[1] > ranks[2], "{ranks:?}");
        assert!(ranks[1] > ranks[2] && ranks[2] > ranks[3] && ranks[4] == 0.0, "{ranks:?}");
    }

    #[test]
    fn borders_are_counted_by_the_best_way() {
        // 0-1-2 within one domain each but for 1; 0-3-2 goes around.
        let edges = [(0, 1), (1, 2), (3, 0), (3, 2), (2, 4)];
        let found = fewest_boundaries(&['a', 'b', 'a', 'a', 'c', 'a'], &edges, &[0]);
        assert_eq!(found, [Some(0), Some(1), Some(0), Some(0), Some(1), None]);
    }

    #[test]
    fn nonsense_is_left_out() {
        let ways = [Way { from: 0, to: 9, weight: 1.0 }, Way { from: 0, to: 1, weight: f64::NAN }];
        assert_eq!(personalised(2, &ways, &[0, 7]), [1.0, 0.0]);
        assert_eq!(personalised(2, &ways, &[]), [0.0, 0.0]);
        assert_eq!(fewest_boundaries(&['a'], &[(0, 9)], &[4]), [None]);
    }

    proptest! {
        #[test]
        fn ranks_add_up_to_one(pairs in prop::collection::vec((0usize..20, 0usize..20), 0..60)) {
            let ranks = personalised(20, &both_ways(&pairs), &[0, 3]);
            prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        }
    }
}
