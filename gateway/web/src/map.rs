//! The map: repositories and the links between them, placed without a script.
//!
//! Up to [`MAX_DETAILED`] repositories with up to [`MAX_DETAILED_EDGES`] edges are one layered drawing. More are drawn as clusters of
//! repositories that are linked with each other more than with the rest. The same repositories and links give the same picture.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::answer::{list, number, text};

pub(crate) mod cards;
pub(crate) mod cluster;
pub(crate) mod drawing;
pub(crate) mod layered;
pub(crate) mod neighbours;

/// Maximum number of linked repositories of a detailed drawing: more would not be readable at once.
pub const MAX_DETAILED: usize = 72;

/// Maximum number of edges of a detailed drawing of the whole map: more run side by side, so that no eye can follow one.
pub const MAX_DETAILED_EDGES: usize = 96;

/// A kind of link: its name in addresses, its label, and the fields of `list_repos` that count it.
pub struct LinkKind {
    /// The name in addresses and style classes.
    pub name: &'static str,
    /// The label.
    pub label: &'static str,
    fields: &'static [&'static str],
}

/// All kinds of links.
pub const LINK_KINDS: [LinkKind; 6] = [
    LinkKind { name: "package", label: "Packages", fields: &["packages", "package_symbols"] },
    LinkKind { name: "grpc", label: "gRPC", fields: &["grpc"] },
    LinkKind { name: "http", label: "HTTP", fields: &["http"] },
    LinkKind { name: "topic", label: "Topics", fields: &["topics"] },
    LinkKind { name: "table", label: "Tables", fields: &["tables"] },
    LinkKind { name: "config", label: "Settings", fields: &["config"] },
];

/// Returns the label of a kind of link of `get_overview`, such as `package_symbol`: that of the map, unless the map counts several kinds
/// under one label.
pub(crate) fn kind_label(kind: &str) -> String {
    match kind {
        "package" => "Packages".to_owned(),
        "package_symbol" => "Definitions of packages".to_owned(),
        _ => match LINK_KINDS.iter().find(|known| known.name == kind) {
            Some(known) => known.label.to_owned(),
            None => kind.replace('_', " "),
        },
    }
}

/// A repository on the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapNode {
    /// The alias.
    pub name: String,
    /// Languages with definitions, the most frequent first.
    pub languages: Vec<String>,
    /// Number of files.
    pub files: u64,
    /// Number of definitions.
    pub symbols: u64,
    /// True if it answers.
    pub is_serving: bool,
}

/// The links of one repository to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapEdge {
    /// Index of the user.
    pub from: usize,
    /// Index of the provider.
    pub to: usize,
    /// Number of links by index of [`LINK_KINDS`].
    pub counts: [u64; LINK_KINDS.len()],
}

impl MapEdge {
    /// Returns the number of links of all kinds.
    pub fn n_links(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the kind with the most links.
    pub fn main_kind(&self) -> &'static LinkKind {
        let most = (0..LINK_KINDS.len()).rev().max_by_key(|kind| self.counts[*kind]).unwrap_or_default();
        &LINK_KINDS[most]
    }

    /// Returns the counts as text, such as `gRPC 8, Settings 1`.
    pub fn summary(&self) -> String {
        let kinds = LINK_KINDS.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        kinds.map(|(kind, count)| format!("{} {count}", kind.label)).collect::<Vec<_>>().join(", ")
    }
}

/// The repositories and their links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemGraph {
    /// Repositories by alias.
    pub nodes: Vec<MapNode>,
    /// By user and provider.
    pub edges: Vec<MapEdge>,
}

/// The part of the map that is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapFilter {
    /// Shows only links of this kind.
    pub kind: String,
    /// Shows only repositories with this language.
    pub language: String,
    /// Shows only a repository and those that it is linked with.
    pub focus: String,
    /// Shows only the cluster with this repository.
    pub cluster: String,
}

impl SystemGraph {
    /// Reads the answer of `list_repos`.
    pub fn of(repositories: &Value) -> SystemGraph {
        let rows = list(repositories, "repositories");
        let places: BTreeMap<&str, usize> =
            rows.iter().enumerate().map(|(idx, row)| (text(row, "repo"), idx)).collect();
        let node = |row: &Value| MapNode {
            name: text(row, "repo").to_owned(),
            languages: languages(row),
            files: number(row, "files"),
            symbols: number(row, "symbols"),
            is_serving: text(row, "state") == "serving",
        };
        let edge = |from: usize, dependency: &Value| {
            let to = *places.get(text(dependency, "repo"))?;
            let counts = LINK_KINDS.map(|kind| kind.fields.iter().map(|field| number(dependency, field)).sum());
            (from != to).then_some(MapEdge { from, to, counts })
        };
        let edges = rows.iter().enumerate().flat_map(|(from, row)| {
            list(row, "depends_on").iter().filter_map(move |dependency| edge(from, dependency))
        });
        SystemGraph { nodes: rows.iter().map(node).collect(), edges: edges.collect() }
    }

    /// Returns the part that a filter selects.
    pub fn filtered(&self, filter: &MapFilter) -> SystemGraph {
        let kind = LINK_KINDS.iter().position(|kind| kind.name == filter.kind);
        let selected_counts = |edge: &MapEdge| MapEdge {
            counts: std::array::from_fn(|idx| if kind.is_none_or(|kind| kind == idx) { edge.counts[idx] } else { 0 }),
            ..*edge
        };
        // The focus stays, also with other languages.
        let has_language = |node: &MapNode| {
            filter.language.is_empty() || node.languages.contains(&filter.language) || node.name == filter.focus
        };
        let edges: Vec<MapEdge> = self.edges.iter().map(selected_counts).filter(|edge| edge.n_links() > 0).collect();
        let matching = SystemGraph { nodes: self.nodes.clone(), edges }.induced(|idx| has_language(&self.nodes[idx]));
        match matching.nodes.iter().position(|node| node.name == filter.focus) {
            Some(focus) => {
                let around = matching.neighbourhood(focus);
                matching.induced(|idx| around.contains(&idx))
            }
            None => matching,
        }
    }

    /// Returns a node and those that it is linked with.
    fn neighbourhood(&self, focus: usize) -> BTreeSet<usize> {
        let own = self.edges.iter().filter(|edge| edge.from == focus || edge.to == focus);
        own.flat_map(|edge| [edge.from, edge.to]).chain([focus]).collect()
    }

    /// Returns the graph of some nodes, with the edges between them.
    pub fn induced(&self, is_selected: impl Fn(usize) -> bool) -> SystemGraph {
        let selected: Vec<usize> = (0..self.nodes.len()).filter(|idx| is_selected(*idx)).collect();
        let places: BTreeMap<usize, usize> = selected.iter().enumerate().map(|(place, idx)| (*idx, place)).collect();
        let edge =
            |edge: &MapEdge| Some(MapEdge { from: *places.get(&edge.from)?, to: *places.get(&edge.to)?, ..*edge });
        SystemGraph {
            nodes: selected.iter().map(|idx| self.nodes[*idx].clone()).collect(),
            edges: self.edges.iter().filter_map(edge).collect(),
        }
    }

    /// Returns which nodes have links.
    pub fn linked(&self) -> Vec<bool> {
        let mut linked = vec![false; self.nodes.len()];
        for edge in &self.edges {
            (linked[edge.from], linked[edge.to]) = (true, true);
        }
        linked
    }

    /// Returns the languages with their number of repositories, the most frequent first.
    pub fn languages(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for language in self.nodes.iter().flat_map(|node| &node.languages) {
            *counts.entry(language).or_default() += 1;
        }
        let mut counts: Vec<(String, usize)> =
            counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }

    /// Returns the number of links by index of [`LINK_KINDS`].
    pub fn n_links_of_kinds(&self) -> [u64; LINK_KINDS.len()] {
        std::array::from_fn(|kind| self.edges.iter().map(|edge| edge.counts[kind]).sum())
    }
}

/// Returns the languages of a repository with definitions. Documents are no language of a repository.
fn languages(row: &Value) -> Vec<String> {
    let is_code = |language: &&Value| number(language, "symbols") > 0 && text(language, "language") != "markdown";
    list(row, "languages").iter().filter(is_code).map(|language| text(language, "language").to_owned()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a graph of edges between named nodes.
    pub(crate) fn graph(edges: &[(&str, &str, u64)]) -> SystemGraph {
        let names: BTreeSet<&str> = edges.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let node = |name: &&str| MapNode {
            name: (*name).to_owned(),
            languages: vec!["go".to_owned()],
            files: 10,
            symbols: 100,
            is_serving: true,
        };
        let place = |name: &str| names.binary_search(&name).unwrap();
        let edge = |(from, to, count): &(&str, &str, u64)| MapEdge {
            from: place(from),
            to: place(to),
            counts: [*count, 0, 0, 0, 0, 0],
        };
        SystemGraph { nodes: names.iter().map(node).collect(), edges: edges.iter().map(edge).collect() }
    }

    #[test]
    fn answers_become_nodes_and_edges() {
        let answer = serde_json::json!({"repositories": [
            {"repo": "a", "state": "serving", "files": 3, "symbols": 9, "languages": [{"language": "go", "symbols": 9}],
             "depends_on": [{"repo": "b", "packages": 1, "package_symbols": 2, "grpc": 4}, {"repo": "gone", "grpc": 1}]},
            {"repo": "b", "state": "failed", "languages": [{"language": "markdown", "symbols": 2}]}]});
        let graph = SystemGraph::of(&answer);
        assert_eq!(graph.edges, [MapEdge { from: 0, to: 1, counts: [3, 4, 0, 0, 0, 0] }]);
        assert_eq!(graph.edges[0].summary(), "Packages 3, gRPC 4");
        assert_eq!(graph.edges[0].main_kind().name, "grpc");
        assert_eq!(graph.languages(), [("go".to_owned(), 1)]);
        assert!(!graph.nodes[1].is_serving);
    }

    #[test]
    fn filters_select_links_and_repositories() {
        let graph = graph(&[("a", "b", 1), ("b", "c", 1), ("c", "d", 1)]);
        let names = |filter: MapFilter| -> Vec<String> {
            graph.filtered(&filter).nodes.into_iter().map(|node| node.name).collect()
        };
        assert_eq!(names(MapFilter { focus: "b".to_owned(), ..Default::default() }), ["a", "b", "c"]);
        let other_language = MapFilter { focus: "b".to_owned(), language: "rust".to_owned(), ..Default::default() };
        assert_eq!(names(other_language), ["b"], "not the map of everything");
        assert_eq!(names(MapFilter { language: "rust".to_owned(), ..Default::default() }), [""; 0]);
        let grpc = graph.filtered(&MapFilter { kind: "grpc".to_owned(), ..Default::default() });
        assert_eq!((grpc.nodes.len(), grpc.edges.len()), (4, 0));
    }
}
