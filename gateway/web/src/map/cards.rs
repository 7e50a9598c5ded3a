//! Cards: one for each cluster, with its repositories and the clusters that it uses and that use it. The browser places them in columns, so
//! that they fit any number of clusters and any width. Each card has a number of rows, so that no column has holes.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::{
    MapEdge, MapFilter, SystemGraph,
    cluster::{Cluster, cluster_names},
    drawing::{focus_address, kind_class, language_class},
};
use crate::{address, answer::grouped};

/// Maximum number of listed repositories of a card.
const MAX_LISTED_MEMBERS: usize = 10;

/// Maximum number of listed clusters in each direction; those with the most links.
const MAX_LISTED_CLUSTERS: usize = 3;

/// Maximum length of a name that a card shows as a whole at any width.
const MAX_UNCUT_NAME: usize = 20;

/// Rows of a card beside those of its lists: the head, the space within, and the space to the next card.
const HEAD_ROWS: usize = 3;

/// Returns a card for each cluster. `edges` are those between clusters.
pub(crate) fn cards(graph: &SystemGraph, clusters: &[Cluster], edges: &[MapEdge], filter: &MapFilter) -> Markup {
    let names = cluster_names(graph, clusters);
    html! {
        ul.cards aria-label="Clusters of repositories" {
            @for (cluster_idx, cluster) in clusters.iter().enumerate() {
                @let open = cluster_address(graph, cluster, filter);
                @let uses = strongest(edges, |edge| (edge.from == cluster_idx).then_some(edge.to));
                @let users = strongest(edges, |edge| (edge.to == cluster_idx).then_some(edge.from));
                li id=(anchor(cluster_idx)) class={ "cluster-card rows-" (n_rows(cluster, &[uses.len(), users.len()])) } {
                    h2 { a href=(open) { (names[cluster_idx]) } span.badge { (cluster.members.len()) } }
                    ul.members { (members(graph, cluster, &open, filter)) }
                    (flows("uses", &uses, &names, &open))
                    (flows("used by", &users, &names, &open))
                }
            }
        }
    }
}

/// Returns the number of rows of a card, whose height the stylesheet has. More rows than the stylesheet knows are not possible.
fn n_rows(cluster: &Cluster, n_edges: &[usize]) -> usize {
    let n_listed = |n: usize, max: usize| n.min(max + 1);
    let n_members = n_listed(cluster.members.len(), MAX_LISTED_MEMBERS);
    let n_flows: usize = n_edges.iter().map(|n| n_listed(*n, MAX_LISTED_CLUSTERS)).sum();
    HEAD_ROWS + usize::from(n_flows > 0) + n_members + n_flows
}

fn members(graph: &SystemGraph, cluster: &Cluster, open: &str, filter: &MapFilter) -> Markup {
    let (listed, n_more) = listed(&cluster.members, MAX_LISTED_MEMBERS);
    html! {
        @for node in listed.iter().map(|idx| &graph.nodes[*idx]) {
            // A longer name may be cut.
            @let title = (node.name.len() > MAX_UNCUT_NAME).then_some(node.name.as_str());
            li { a href=(focus_address(&node.name, filter)) title=[title] {
                span class={ "dot " (language_class(node.languages.first().map_or("other", String::as_str))) } {} (node.name)
            } }
        }
        @if n_more > 0 { li { a.more href=(open) { (n_more) " more" } } }
    }
}

/// Returns the edges with another end, the strongest first, each with the cluster at that end.
fn strongest(edges: &[MapEdge], other_end: impl Fn(&MapEdge) -> Option<usize>) -> Vec<(&MapEdge, usize)> {
    let mut found: Vec<(&MapEdge, usize)> =
        edges.iter().filter_map(|edge| other_end(edge).map(|other| (edge, other))).collect();
    found.sort_by_key(|(edge, other)| (Reverse(edge.n_links()), *other));
    found
}

/// Returns the clusters at the other end of some edges, each as a link to its card.
fn flows(label: &str, edges: &[(&MapEdge, usize)], names: &[&str], open: &str) -> Markup {
    let (listed, n_more) = listed(edges, MAX_LISTED_CLUSTERS);
    html! {
        @if !edges.is_empty() {
            div.flows { span.relation { (label) }
                ul {
                    @for (edge, other) in listed {
                        li { a href={ "#" (anchor(*other)) } title=(edge.summary()) {
                            span class={ "line " (kind_class(edge.main_kind())) } {} (names[*other]) span.num { (grouped(edge.n_links())) }
                        } }
                    }
                    @if n_more > 0 { li { a.more href=(open) { (n_more) " more" } } }
                }
            }
        }
    }
}

/// Returns the items to list, and the number of the others. A single other one takes the row that would tell of it.
fn listed<T>(items: &[T], max: usize) -> (&[T], usize) {
    let n_listed = if items.len() == max + 1 { max + 1 } else { items.len().min(max) };
    (&items[..n_listed], items.len() - n_listed)
}

/// Returns the map of one cluster.
fn cluster_address(graph: &SystemGraph, cluster: &Cluster, filter: &MapFilter) -> String {
    let hub = graph.nodes[cluster.members[0]].name.as_str();
    address::with_query("/", &[("cluster", hub), ("kind", &filter.kind), ("language", &filter.language)])
}

fn anchor(cluster_idx: usize) -> String {
    format!("cluster-{}", cluster_idx + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{
        cluster::{cluster_edges, clusters},
        tests::graph,
    };

    #[test]
    fn cards_have_repositories_and_both_directions_of_links() {
        let graph = graph(&[
            ("pay-api", "pay-model", 9),
            ("pay-web", "pay-api", 9),
            ("pay-web", "pay-model", 9),
            ("kit-a", "kit-b", 9),
            ("kit-b", "kit-c", 9),
            ("kit-a", "kit-c", 9),
            ("pay-api", "kit-a", 2),
        ]);
        let clusters = clusters(&graph);
        let drawn = cards(&graph, &clusters, &cluster_edges(&graph, &clusters), &MapFilter::default()).into_string();
        for part in [
            // A head and one more row, three repositories, and one use of another cluster.
            "<li id=\"cluster-1\" class=\"cluster-card rows-8\">",
            "<h2><a href=\"/?cluster=kit-a\">kit</a>",
            "href=\"/?focus=pay-web\"",
            "uses</span><ul><li><a href=\"#cluster-1\" title=\"Packages 2\">",
            "used by</span><ul><li><a href=\"#cluster-2\"",
        ] {
            assert!(drawn.contains(part), "{part}: {drawn}");
        }
    }

    #[test]
    fn the_stylesheet_has_every_number_of_rows() {
        let most = HEAD_ROWS + 1 + (MAX_LISTED_MEMBERS + 1) + 2 * (MAX_LISTED_CLUSTERS + 1);
        let style = crate::asset::STYLE.content;
        for n_rows in HEAD_ROWS + 2..=most {
            assert!(style.contains(&format!(".rows-{n_rows} {{ --rows: {n_rows}; }}")), "{n_rows}");
        }
    }

    #[test]
    fn one_more_takes_the_row_that_would_tell_of_it() {
        let items: Vec<usize> = (0..6).collect();
        for (n_items, expected) in [(0, (0, 0)), (3, (3, 0)), (4, (4, 0)), (5, (3, 2))] {
            let (listed, n_more) = listed(&items[..n_items], 3);
            assert_eq!((listed.len(), n_more), expected);
        }
    }
}
