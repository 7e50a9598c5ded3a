//! The page at `/`: the map of repositories and their links.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{counted, grouped},
    coverage_notice::coverage_notice,
    frame::{Frame, Section},
    map::{
        LINK_KINDS, LinkKind, MAX_DETAILED, MAX_DETAILED_EDGES, MapFilter, SystemGraph,
        cluster::clusters,
        drawing::{self, focus_address, kind_class, language_class},
        neighbours::{is_too_large_to_draw, neighbour_lists},
    },
};

/// Maximum number of offered languages.
const MAX_LANGUAGES: usize = 14;

/// Maximum number of links of the table beside a drawing, whose lines the keyboard does not reach, and beside cards or lists.
const MAX_DRAWN_ROWS: usize = 120;
const MAX_LISTED_ROWS: usize = 20;

/// Renders the map from the answer of `list_repos`.
pub fn render(frame: &Frame, repositories: &Value, filter: &MapFilter) -> String {
    let whole = SystemGraph::of(repositories);
    let shown = in_cluster(whole.filtered(filter), filter);
    let linked = shown.linked();
    let n_linked = linked.iter().filter(|is_linked| **is_linked).count();
    let isolated = shown.induced(|idx| !linked[idx]);
    let is_listed = !filter.focus.is_empty() && is_too_large_to_draw(&shown);
    let is_drawn = !is_listed && is_readable(&shown, n_linked, filter);
    let title = if filter.focus.is_empty() { "Map" } else { filter.focus.as_str() };
    let body = html! {
        div.head {
            div {
                h1 { (heading(filter)) }
                p.lead {
                    (number_of_repositories(shown.nodes.len(), whole.nodes.len())) ", "
                    (counted(shown.edges.iter().map(|edge| edge.n_links()).sum(), "link")) " between them"
                }
            }
            @if !filter.focus.is_empty() || !filter.cluster.is_empty() {
                div.actions {
                    @if !filter.focus.is_empty() { a.button.primary href=(address::repository(&filter.focus)) { "Open repository" } }
                    a.button href="/" { "Whole map" }
                }
            }
        }
        (filters(&scope(&whole, filter), filter))
        (coverage_notice(repositories))
        @if whole.nodes.is_empty() {
            div.empty {
                h2 { "No repository is available yet" }
                p { "Repositories appear here as soon as their first index is built. " a href="/health" { "See the progress" } "." }
            }
        } @else if n_linked == 0 {
            div.empty { h2 { "No links" } p { "No repository that matches the filter has a link to another one." } }
        } @else if is_listed {
            (neighbour_lists(&shown, filter))
        } @else if is_drawn {
            (drawing::detailed(&shown, filter))
            p.hint {
                "An arrow leads from a repository to one that it uses"
                @if drawing::has_counts(&shown) { "; its number counts the links" } ". Open it for both places in the code."
            }
        } @else {
            p.hint {
                "A cluster has repositories that are linked with each other more than with the rest. Its name is that of the most linked one, or the first word of most names. "
                "Its links are those of all its repositories. Open a cluster, or focus a repository."
            }
            (drawing::clustered(&shown, filter))
        }
        (link_table(&shown, filter, if is_drawn { MAX_DRAWN_ROWS } else { MAX_LISTED_ROWS }))
        @if !isolated.nodes.is_empty() {
            section.isolated {
                h2 { "Without links" span.badge { (isolated.nodes.len()) } }
                ul.chips {
                    @for node in &isolated.nodes {
                        li { a href=(address::repository(&node.name)) {
                            span class={ "dot " (language_class(node.languages.first().map_or("other", String::as_str))) } {} (node.name)
                        } }
                    }
                }
            }
        }
    };
    frame.page(Section::Map, title, body)
}

/// Returns the number of shown repositories, and that of all if the filter hides some.
fn number_of_repositories(n_shown: usize, n_all: usize) -> String {
    let noun = if n_all == 1 { "repository" } else { "repositories" };
    let all = grouped(n_all as u64);
    if n_shown < n_all { format!("{} of {all} {noun}", grouped(n_shown as u64)) } else { format!("{all} {noun}") }
}

/// Returns true if each repository can be drawn. What a reader has chosen is drawn in detail with any number of edges.
fn is_readable(shown: &SystemGraph, n_linked: usize, filter: &MapFilter) -> bool {
    let is_chosen = !filter.focus.is_empty() || !filter.cluster.is_empty();
    n_linked <= MAX_DETAILED && (is_chosen || shown.edges.len() <= MAX_DETAILED_EDGES)
}

fn heading(filter: &MapFilter) -> String {
    match (filter.focus.as_str(), filter.cluster.as_str()) {
        ("", "") => "System map".to_owned(),
        ("", cluster) => format!("Around {cluster}"),
        (focus, _) => focus.to_owned(),
    }
}

/// Returns the cluster with the repository of the filter, or the whole graph.
fn in_cluster(graph: SystemGraph, filter: &MapFilter) -> SystemGraph {
    if filter.cluster.is_empty() {
        return graph;
    }
    let has_hub = |members: &[usize]| members.iter().any(|idx| graph.nodes[*idx].name == filter.cluster);
    let found = clusters(&graph).into_iter().find(|cluster| has_hub(&cluster.members));
    found.map(|cluster| graph.induced(|idx| cluster.members.contains(&idx))).unwrap_or(graph)
}

/// Returns the part of the map that the filters of kinds and languages apply to.
fn scope(whole: &SystemGraph, filter: &MapFilter) -> SystemGraph {
    let MapFilter { focus, cluster, .. } = filter.clone();
    let chosen = MapFilter { focus, cluster, ..MapFilter::default() };
    in_cluster(whole.filtered(&chosen), &chosen)
}

/// Returns the filters with their counts in `scope`, which is the map without them.
fn filters(scope: &SystemGraph, filter: &MapFilter) -> Markup {
    let address = |kind: &str, language: &str| {
        let MapFilter { focus, cluster, .. } = filter;
        address::with_query("/", &[("focus", focus), ("cluster", cluster), ("kind", kind), ("language", language)])
    };
    let counts = scope.n_links_of_kinds();
    let is_offered = |kind: &LinkKind, count: u64| count > 0 || kind.name == filter.kind;
    let mut languages: Vec<(String, usize)> = scope.languages();
    languages.truncate(MAX_LANGUAGES);
    // A selected filter is shown, so that it can be removed.
    if !filter.language.is_empty() && !languages.iter().any(|(language, _)| *language == filter.language) {
        languages.push((filter.language.clone(), 0));
    }
    html! {
        div.filters {
            nav.legend aria-label="Kinds of links" {
                a.chip href=(address("", &filter.language)) aria-current=[filter.kind.is_empty().then_some("true")] { "All links" }
                @for (kind, count) in LINK_KINDS.iter().zip(counts).filter(|(kind, count)| is_offered(kind, *count)) {
                    @let is_selected = kind.name == filter.kind;
                    a.chip href=(address(kind.name, &filter.language)) aria-current=[is_selected.then_some("true")] {
                        span class={ "line " (kind_class(kind)) } {} (kind.label) span.num { (grouped(count)) }
                    }
                }
            }
            nav.legend aria-label="Languages" {
                @for (language, count) in &languages {
                    @let is_selected = *language == filter.language;
                    a.chip href=(address(&filter.kind, if is_selected { "" } else { language })) aria-current=[is_selected.then_some("true")] {
                        span class={ "dot " (language_class(language)) } {} (language) span.num { (count) }
                    }
                }
            }
        }
    }
}

/// Returns the links as a table, which is the map for the keyboard and for screen readers.
fn link_table(graph: &SystemGraph, filter: &MapFilter, max_rows: usize) -> Markup {
    let mut edges: Vec<_> = graph.edges.iter().collect();
    edges.sort_by_key(|edge| (std::cmp::Reverse(edge.n_links()), edge.from, edge.to));
    html! {
        @if !edges.is_empty() {
            details.table-of-links {
                summary { "Links as a table" span.badge { (edges.len()) } }
                table {
                    thead { tr { th scope="col" { "User" } th scope="col" { "Uses" } th scope="col" { "Links" } th scope="col" { "Evidence" } } }
                    tbody {
                        @for edge in edges.iter().take(max_rows) {
                            @let (user, provider) = (&graph.nodes[edge.from].name, &graph.nodes[edge.to].name);
                            tr {
                                td { a href=(focus_address(user, filter)) { (user) } }
                                td { a href=(focus_address(provider, filter)) { (provider) } }
                                td { (edge.summary()) }
                                td { a href=(address::evidence(user, provider, &filter.kind)) aria-label={ "Evidence of the links from " (user) " to " (provider) } { "open" } }
                            }
                        }
                    }
                }
                @if edges.len() > max_rows { p.hint { (edges.len() - max_rows) " more pairs; focus a repository to see its links." } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::tests::graph;

    #[test]
    fn hidden_repositories_are_counted() {
        for (n_shown, n_all, expected) in [
            (4, 4, "4 repositories"),
            (1, 1, "1 repository"),
            (2, 4, "2 of 4 repositories"),
            (0, 1, "0 of 1 repository"),
        ] {
            assert_eq!(number_of_repositories(n_shown, n_all), expected);
        }
    }

    #[test]
    fn filters_count_the_shown_part() {
        let whole = graph(&[("a", "b", 2), ("c", "d", 5)]);
        let focused = MapFilter { focus: "a".to_owned(), language: "rust".to_owned(), ..Default::default() };
        let shown = filters(&scope(&whole, &focused), &focused).into_string();
        for part in [
            "Packages<span class=\"num\">2</span>",
            "go<span class=\"num\">2</span>",
            "rust<span class=\"num\">0</span>",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let all = filters(&scope(&whole, &MapFilter::default()), &MapFilter::default()).into_string();
        assert!(all.contains("Packages<span class=\"num\">7</span>") && !all.contains("rust"), "{all}");
    }

    #[test]
    fn few_repositories_with_many_links_are_clusters_until_one_is_chosen() {
        let names: Vec<String> = (0..20).map(|idx| format!("r{idx:02}")).collect();
        let pairs =
            names.iter().flat_map(|user| names.iter().map(move |provider| (user.as_str(), provider.as_str(), 1)));
        let dense: Vec<(&str, &str, u64)> = pairs.filter(|(user, provider, _)| user < provider).collect();
        let chosen = MapFilter { focus: "r01".to_owned(), ..Default::default() };
        assert!(!is_readable(&graph(&dense), 20, &MapFilter::default()));
        assert!(is_readable(&graph(&dense), 20, &chosen));
        assert!(is_readable(&graph(&dense[..MAX_DETAILED_EDGES]), 20, &MapFilter::default()));
        assert!(!is_readable(&graph(&dense), MAX_DETAILED + 1, &chosen));
    }
}
