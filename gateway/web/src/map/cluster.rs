//! Clusters: repositories that are linked with each other more than with the rest.
//!
//! Each repository joins the cluster that it has the strongest links to, round by round. A link to a repository that many others use
//! says little, so that it weighs less.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{MapEdge, SystemGraph};

/// Maximum number of rounds: the clusters are stable after a few.
const ROUNDS: usize = 12;

/// Maximum number of repositories of a cluster, so that its detailed drawing is readable.
const MAX_MEMBERS: usize = 32;

/// A smaller cluster joins the one that it has the strongest links to.
const MIN_MEMBERS: usize = 3;

/// Maximum number of repositories of a joined cluster: about one card without a rest.
const MAX_JOINED_MEMBERS: usize = 16;

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
    join_small(&mut members, &mut label, &neighbours);
    let mut clusters: Vec<Cluster> = members.into_values().map(|members| Cluster { members }).collect();
    for cluster in &mut clusters {
        cluster.members.sort_by_key(|idx| (Reverse(degree[*idx]), *idx));
    }
    clusters.sort_by_key(|cluster| (Reverse(cluster.members.len()), cluster.members[0]));
    clusters
}

/// Joins small clusters with others, the smallest first.
fn join_small(members: &mut BTreeMap<usize, Vec<usize>>, label: &mut [usize], neighbours: &[BTreeMap<usize, f64>]) {
    let mut small: Vec<(usize, usize)> =
        members.iter().map(|(own, members)| (members.len(), *own)).filter(|(n, _)| *n < MIN_MEMBERS).collect();
    small.sort_unstable();
    for (_, own) in small {
        let n_own = members[&own].len();
        if n_own >= MIN_MEMBERS {
            continue;
        }
        let mut votes: BTreeMap<usize, f64> = BTreeMap::new();
        for (other, weight) in members[&own].iter().flat_map(|idx| &neighbours[*idx]) {
            *votes.entry(label[*other]).or_default() += weight / neighbours[*other].len() as f64;
        }
        let has_room = |to: &usize| *to != own && members[to].len() + n_own <= MAX_JOINED_MEMBERS;
        let best = votes.iter().filter(|(to, _)| has_room(to)).max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
        if let Some(to) = best.map(|(to, _)| *to) {
            let joining = members.remove(&own).unwrap_or_default();
            joining.iter().for_each(|idx| label[*idx] = to);
            members.entry(to).or_default().extend(joining);
        }
    }
}

/// Returns the name of each cluster: the first word of the names of most of its repositories, or else its first repository.
pub(crate) fn cluster_names<'a>(graph: &'a SystemGraph, clusters: &[Cluster]) -> Vec<&'a str> {
    let words: Vec<Option<&str>> = clusters.iter().map(|cluster| common_word(graph, cluster)).collect();
    let is_unique = |word: &&str| words.iter().flatten().filter(|other| *other == word).count() == 1;
    let hub = |cluster: &Cluster| graph.nodes[cluster.members[0]].name.as_str();
    words.iter().zip(clusters).map(|(word, cluster)| word.filter(is_unique).unwrap_or_else(|| hub(cluster))).collect()
}

/// Returns the first word that more than half of at least three repositories begin with.
fn common_word<'a>(graph: &'a SystemGraph, cluster: &Cluster) -> Option<&'a str> {
    let first_word = |name: &'a str| {
        let own = name.rsplit('/').next().unwrap_or(name);
        own.split(['-', '_', '.']).next().filter(|word| word.len() > 1 && word.len() < own.len())
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in cluster.members.iter().filter_map(|idx| first_word(&graph.nodes[*idx].name)) {
        *counts.entry(word).or_default() += 1;
    }
    let (word, count) = counts.into_iter().max_by_key(|(word, count)| (*count, Reverse(*word)))?;
    (cluster.members.len() >= 3 && 2 * count > cluster.members.len()).then_some(word)
}

/// Returns the edges between clusters, by user and provider.
pub(crate) fn cluster_edges(graph: &SystemGraph, clusters: &[Cluster]) -> Vec<MapEdge> {
    let cluster_of: BTreeMap<usize, usize> = clusters
        .iter()
        .enumerate()
        .flat_map(|(cluster_idx, cluster)| cluster.members.iter().map(move |idx| (*idx, cluster_idx)))
        .collect();
    let mut edges: BTreeMap<(usize, usize), MapEdge> = BTreeMap::new();
    for edge in &graph.edges {
        let (from, to) = (cluster_of[&edge.from], cluster_of[&edge.to]);
        if from != to {
            let sum = edges.entry((from, to)).or_insert(MapEdge { from, to, counts: Default::default() });
            sum.counts.iter_mut().zip(edge.counts).for_each(|(sum, count)| *sum += count);
        }
    }
    edges.into_values().collect()
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
    fn a_small_cluster_joins_its_strongest_neighbour() {
        let group = |name: &'static str| -> Vec<(String, String)> {
            let names: Vec<String> = (0..5).map(|idx| format!("{name}{idx}")).collect();
            let pairs = names.iter().flat_map(|from| names.iter().map(move |to| (from.clone(), to.clone())));
            pairs.filter(|(from, to)| from < to).collect()
        };
        let pairs: Vec<(String, String)> = [group("a"), group("b")].concat();
        let mut edges: Vec<(&str, &str, u64)> =
            pairs.iter().map(|(from, to)| (from.as_str(), to.as_str(), 9)).collect();
        edges.extend([("x1", "x2", 90), ("x1", "b3", 1), ("y1", "y2", 90)]);
        let graph = graph(&edges);
        let sizes: Vec<usize> = clusters(&graph).iter().map(|cluster| cluster.members.len()).collect();
        assert_eq!(sizes, [7, 5, 2], "x joins b; y has no links to others");
    }

    #[test]
    fn clusters_have_the_name_of_their_repositories() {
        let graph = graph(&[("pay-api", "pay-model", 5), ("pay-web", "pay-api", 5), ("web", "portal", 1)]);
        let clusters = clusters(&graph);
        assert_eq!(cluster_names(&graph, &clusters), ["pay", "portal"]);
        let twice = [clusters[0].clone(), clusters[0].clone()];
        assert_eq!(cluster_names(&graph, &twice), ["pay-api"; 2], "a shared word is no name");
    }

    #[test]
    fn clusters_stay_small() {
        let names: Vec<String> = (0..90).map(|idx| format!("r{idx:02}")).collect();
        let edges: Vec<(&str, &str, u64)> = names.iter().map(|name| (name.as_str(), "hub", 3)).collect();
        let graph = graph(&edges);
        assert!(clusters(&graph).iter().all(|cluster| cluster.members.len() <= MAX_MEMBERS));
    }
}
