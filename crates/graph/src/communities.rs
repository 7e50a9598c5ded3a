//! Community detection: groups of nodes with more edges between each other than to the rest.
//!
//! Louvain's method (Blondel et al., 2008): each node joins the neighbour community that raises modularity most, then
//! communities become the nodes, until nothing changes. Nodes are visited in order, and ties go to the smallest community, so
//! that the result is deterministic without a seed.

use std::collections::BTreeMap;

/// Maximum number of rounds over all nodes of one level; real graphs converge in about five.
const MAX_ROUNDS: usize = 20;

/// Maximum number of levels; real graphs converge in about five.
const MAX_LEVELS: usize = 10;

/// Minimum gain of modularity. A smaller gain is a rounding error.
const MIN_GAIN: f64 = 1e-9;

/// Returns the community of each of `n_nodes` nodes, numbered in the order of their first member. `edges` are undirected
/// `(a, b, weight)`; several between the same nodes add up.
pub(crate) fn communities(n_nodes: usize, edges: &[(u32, u32, f64)]) -> Vec<u32> {
    let mut membership: Vec<u32> = (0..n_nodes as u32).collect();
    let mut level = Level::new(n_nodes, edges.iter().copied());
    for _ in 0..MAX_LEVELS {
        let joined = renumber(&level.join());
        let n_communities = joined.iter().max().map_or(0, |last| *last as usize + 1);
        membership.iter_mut().for_each(|community| *community = joined[*community as usize]);
        if n_communities == level.neighbours.len() {
            break;
        }
        let between = level.edges().map(|(a, b, weight)| (joined[a as usize], joined[b as usize], weight));
        level = Level::new(n_communities, between.collect::<Vec<_>>().into_iter());
    }
    renumber(&membership)
}

/// Returns the pairs of different nodes, sorted, with the sum of their weights in the given order. The smaller node is the first one.
pub(crate) fn sum_by_pair(edges: impl Iterator<Item = (u32, u32, f64)>) -> Vec<(u32, u32, f64)> {
    let mut pairs: Vec<(u32, u32, f64)> = edges.map(|(a, b, weight)| (a.min(b), a.max(b), weight)).collect();
    // The sort is stable, since the order of a sum decides its last bits.
    pairs.sort_by_key(|(a, b, _)| (*a, *b));
    pairs.dedup_by(|next, first| {
        let is_same = (next.0, next.1) == (first.0, first.1);
        first.2 += if is_same { next.2 } else { 0.0 };
        is_same
    });
    pairs
}

/// One level of aggregation: its nodes are the communities of the level below.
struct Level {
    /// By node: its neighbours with the weight between them, in order, itself left out.
    neighbours: Vec<Vec<(u32, f64)>>,
    /// By node: the weight of its edges to itself.
    loops: Vec<f64>,
    /// By node: the weight of all of its edges, those to itself counted twice.
    degrees: Vec<f64>,
    total: f64,
}

impl Level {
    fn new(n_nodes: usize, edges: impl Iterator<Item = (u32, u32, f64)>) -> Level {
        let mut loops = vec![0.0; n_nodes];
        let (own, others): (Vec<_>, Vec<_>) = edges.partition(|(a, b, _)| a == b);
        own.into_iter().for_each(|(a, _, weight): (u32, u32, f64)| loops[a as usize] += weight);
        let mut neighbours = vec![Vec::new(); n_nodes];
        for (a, b, weight) in sum_by_pair(others.into_iter()) {
            neighbours[a as usize].push((b, weight));
            neighbours[b as usize].push((a, weight));
        }
        let degrees: Vec<f64> = neighbours
            .iter()
            .zip(&loops)
            .map(|(neighbours, own)| neighbours.iter().map(|(_, weight)| weight).sum::<f64>() + 2.0 * own)
            .collect();
        let total = degrees.iter().sum();
        Level { neighbours, loops, degrees, total }
    }

    fn edges(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let between = self.neighbours.iter().enumerate().flat_map(|(a, neighbours)| {
            let a = a as u32;
            neighbours.iter().filter(move |(b, _)| a < *b).map(move |(b, weight)| (a, *b, *weight))
        });
        let loops = self.loops.iter().enumerate().map(|(node, weight)| (node as u32, node as u32, *weight));
        between.chain(loops.filter(|(_, _, weight)| *weight > 0.0))
    }

    /// Moves each node to the community with the highest gain, until no node moves.
    fn join(&self) -> Vec<u32> {
        let n_nodes = self.neighbours.len();
        let mut community: Vec<u32> = (0..n_nodes as u32).collect();
        let mut degree_of = self.degrees.clone();
        let mut weight_to = vec![0.0; n_nodes];
        for _ in 0..MAX_ROUNDS {
            let mut has_moved = false;
            for node in 0..n_nodes {
                let own = community[node];
                for (neighbour, weight) in &self.neighbours[node] {
                    weight_to[community[*neighbour as usize] as usize] += weight;
                }
                let degree = self.degrees[node];
                degree_of[own as usize] -= degree;
                let gain = |of: u32| weight_to[of as usize] - degree * degree_of[of as usize] / self.total;
                let mut best = (own, gain(own) + MIN_GAIN);
                for (neighbour, _) in &self.neighbours[node] {
                    let of = community[*neighbour as usize];
                    let gained = gain(of);
                    if gained > best.1 || gained == best.1 && of < best.0 {
                        best = (of, gained);
                    }
                }
                for (neighbour, _) in &self.neighbours[node] {
                    weight_to[community[*neighbour as usize] as usize] = 0.0;
                }
                degree_of[best.0 as usize] += degree;
                community[node] = best.0;
                has_moved |= best.0 != own;
            }
            if !has_moved {
                break;
            }
        }
        community
    }
}

fn renumber(communities: &[u32]) -> Vec<u32> {
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    communities
        .iter()
        .map(|community| {
            let next = numbers.len() as u32;
            *numbers.entry(*community).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cliques_are_separate_communities() {
        let clique =
            |nodes: [u32; 3]| [(nodes[0], nodes[1], 1.0), (nodes[1], nodes[2], 1.0), (nodes[0], nodes[2], 1.0)];
        let edges: Vec<(u32, u32, f64)> =
            [clique([0, 1, 2]), clique([3, 4, 5])].concat().into_iter().chain([(2, 3, 0.5)]).collect();
        assert_eq!(communities(7, &edges), [0, 0, 0, 1, 1, 1, 2]);
    }

    #[test]
    fn weights_of_a_pair_add_up_in_either_direction() {
        let edges = [(3, 1, 0.5), (0, 2, 1.0), (1, 3, 0.25)];
        assert_eq!(sum_by_pair(edges.into_iter()), [(0, 2, 1.0), (1, 3, 0.75)]);
    }

    #[test]
    fn the_order_of_edges_changes_nothing() {
        let mut edges: Vec<(u32, u32, f64)> = (0..60u32).map(|n| (n % 13, n * 7 % 17, 1.0)).collect();
        let forwards = communities(17, &edges);
        edges.reverse();
        assert_eq!(communities(17, &edges), forwards);
    }

    #[test]
    fn isolated_nodes_are_communities_of_their_own() {
        assert!(communities(0, &[]).is_empty());
        assert_eq!(communities(2, &[]), [0, 1]);
    }
}
