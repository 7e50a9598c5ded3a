//! Clusters: repositories that are linked with each other more than with the rest.
//!
//! Each repository joins the cluster that it has the strongest links to, round by round. A link to a repository that many others use
//! says little, so that it weighs less.

use std::{cmp::Reverse, collections::BTreeMap};

use super::SystemGraph;

/// Maximum number of rounds: the clusters are stable after a few.
const ROUNDS: usize = 12;

/// Maximum number of repositories of a cluster, so that its detailed drawing is readable.
const MAX_MEMBERS: usize = 32;

/// A cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// Indices of its repositories: those with the most linked repositories first. The first one names the cluster.
    pub(crate) members: Vec<usize>,
}

/// Returns the clusters of the linked repositories, the largest first.
pub(crate) fn clusters(graph: &SystemGraph) -> Vec<Cluster> {
    let n_nodes = graph.nodes.len();
    let mut neighbours: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); n_nodes];
    for edge in &graph.edges {
        let weight = 1.0 + (edge.n_links() as f64).ln();
        *neighbours[edge.from].entry(edge.to).or_default() += weight;
        *neighbours[edge.to].entry(edge.from).or_default() += weight;
    }
    let degree: Vec<usize> = neighbours.iter().map(BTreeMap::len).collect();
    let mut label: Vec<usize> = (0..n_nodes).collect();
    let mut n_members = vec![1usize; n_nodes];
    let mut order: Vec<usize> = (0..n_nodes).filter(|idx| degree[*idx] > 0).collect();
    order.sort_by_key(|idx| (degree[*idx], *idx));
    for _ in 0..ROUNDS {
        let mut is_stable = true;
        for idx in &order {
            let mut votes: BTreeMap<usize, f64> = BTreeMap::new();
            for (other, weight) in &neighbours[*idx] {
                *votes.entry(label[*other]).or_default() += weight / degree[*other] as f64;
            }
            let has_room = |to: &usize| *to == label[*idx] || n_members[*to] < MAX_MEMBERS;
            let best = votes.iter().filter(|(to, _)| has_room(to)).max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
            if let Some(to) = best.map(|(to, _)| *to).filter(|to| *to != label[*idx]) {
                n_members[label[*idx]] -= 1;
                n_members[to] += 1;
                (label[*idx], is_stable) = (to, false);
            }
        }
        if is_stable {
            break;
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    order.iter().for_each(|idx| members.entry(label[*idx]).or_default().push(*idx));
    let mut clusters: Vec<Cluster> = members.into_values().map(|members| Cluster { members }).collect();
    for cluster in &mut clusters {
        cluster.members.sort_by_key(|idx| (Reverse(degree[*idx]), *idx));
    }
    clusters.sort_by_key(|cluster| (Reverse(cluster.members.len()), cluster.members[0]));
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::tests::graph;

    #[test]
    fn linked_groups_are_clusters() {
        let graph = graph(&[
            ("a1", "a2", 5),
            ("a2", "a3", 5),
            ("a3", "a1", 5),
            ("b1", "b2", 5),
            ("b2", "b3", 5),
            ("b3", "b1", 5),
            ("a1", "b1", 1),
        ]);
        let names: Vec<Vec<&str>> = clusters(&graph)
            .iter()
            .map(|cluster| {
                let mut names: Vec<&str> = cluster.members.iter().map(|idx| graph.nodes[*idx].name.as_str()).collect();
                names.sort_unstable();
                names
            })
            .collect();
        assert_eq!(names, [["a1", "a2", "a3"], ["b1", "b2", "b3"]]);
    }

    #[test]
    fn clusters_stay_small() {
        let names: Vec<String> = (0..90).map(|idx| format!("r{idx:02}")).collect();
        let edges: Vec<(&str, &str, u64)> = names.iter().map(|name| (name.as_str(), "hub", 3)).collect();
        let graph = graph(&edges);
        assert!(clusters(&graph).iter().all(|cluster| cluster.members.len() <= MAX_MEMBERS));
    }
}
