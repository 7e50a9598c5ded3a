//! Cycles: functions that reach each other by calls, and files that reach each other by imports.

use petgraph::{algo::tarjan_scc, graph::DiGraph};

use super::{NodeEdge, is_certain};
use crate::edge::EdgeKind;

/// Returns by node the size of its cycle; 0 if it is in none.
pub(super) fn cycles(n_nodes: usize, edges: &[NodeEdge]) -> Vec<u32> {
    let mut sizes = vec![0; n_nodes];
    for kind in [EdgeKind::Calls, EdgeKind::Imports] {
        let of_kind = edges.iter().filter(|edge| edge.kind == kind && is_certain(edge) && edge.from != edge.to);
        let mut graph: DiGraph<(), ()> = DiGraph::from_edges(of_kind.map(|edge| (edge.from.0, edge.to.0)));
        // The graph has no nodes behind the last edge; those are in no cycle.
        while graph.node_count() > n_nodes {
            graph.remove_node(petgraph::graph::NodeIndex::new(graph.node_count() - 1));
        }
        for component in tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1) {
            for node in &component {
                sizes[node.index()] = component.len() as u32;
            }
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resolution, structure::NodeIdx};

    #[test]
    fn the_size_of_each_cycle_is_counted() {
        let edge = |from, to| NodeEdge {
            from: NodeIdx(from),
            to: NodeIdx(to),
            kind: EdgeKind::Calls,
            resolution: Resolution::Scope,
            line: 1,
            n_sites: 1,
            is_derived: false,
        };
        let edges = [edge(0, 1), edge(1, 2), edge(2, 0), edge(2, 3), edge(4, 4)];
        assert_eq!(cycles(6, &edges), [3, 3, 3, 0, 0, 0]);
    }
}
