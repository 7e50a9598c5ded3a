//! The neighbours of a repository as two lists: the repositories that it uses, and those that use it. A drawing of the many users of a
//! common library would be several screens wide, with the library itself out of sight.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::{
    MAX_DETAILED_EDGES, MapEdge, MapFilter, SystemGraph,
    drawing::{focus_address, language_class},
};
use crate::{
    address,
    answer::{counted, grouped},
};

/// Maximum number of neighbours of a drawing: with more, it becomes wider than a screen.
const MAX_DRAWN_NEIGHBOURS: usize = 20;

/// Maximum number of entries of a list, so that a page stays light.
const MAX_LISTED: usize = 400;

/// Returns true if the graph around a repository is too large for a drawing that shows the repository.
pub(crate) fn is_too_large_to_draw(around: &SystemGraph) -> bool {
    around.nodes.len() > MAX_DRAWN_NEIGHBOURS + 1 || around.edges.len() > MAX_DETAILED_EDGES
}

/// Returns both lists of the repository that the filter focuses.
pub(crate) fn neighbour_lists(around: &SystemGraph, filter: &MapFilter) -> Markup {
    let is_focus = |idx: usize| around.nodes[idx].name == filter.focus;
    html! {
        (neighbour_list("Used by", around, filter, |edge| is_focus(edge.to).then_some(edge.from)))
        (neighbour_list("Uses", around, filter, |edge| is_focus(edge.from).then_some(edge.to)))
    }
}

/// Returns the neighbours at the other end of some edges, those with the most links first.
fn neighbour_list(
    title: &str,
    around: &SystemGraph,
    filter: &MapFilter,
    other_end: impl Fn(&MapEdge) -> Option<usize>,
) -> Markup {
    let mut found: Vec<(&MapEdge, usize)> =
        around.edges.iter().filter_map(|edge| other_end(edge).map(|other| (edge, other))).collect();
    found.sort_by_key(|(edge, other)| (Reverse(edge.n_links()), *other));
    html! {
        @if !found.is_empty() {
            section.folder {
                h2 { (title) span.badge { (grouped(found.len() as u64)) } }
                ul.people {
                    @for (edge, other) in found.iter().take(MAX_LISTED) {
                        @let node = &around.nodes[*other];
                        @let evidence = address::evidence(&around.nodes[edge.from].name, &around.nodes[edge.to].name, &filter.kind);
                        li {
                            span class={ "dot " (language_class(node.languages.first().map_or("other", String::as_str))) } {} " "
                            a href=(focus_address(&node.name, filter)) { (node.name) } " "
                            a.where href=(evidence) title=(edge.summary()) { (counted(edge.n_links(), "link")) }
                        }
                    }
                }
                @if found.len() > MAX_LISTED { p.hint { (grouped((found.len() - MAX_LISTED) as u64)) " more with fewer links" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::tests::graph;

    #[test]
    fn a_repository_with_many_users_has_lists_in_both_directions() {
        let names: Vec<String> = (0..=MAX_DRAWN_NEIGHBOURS).map(|idx| format!("r{idx:02}")).collect();
        let users: Vec<(&str, &str, u64)> = names.iter().map(|name| (name.as_str(), "hub", 2)).collect();
        let edges: Vec<(&str, &str, u64)> = [users.as_slice(), &[("hub", "base", 1), ("r00", "r01", 7)]].concat();
        let filter = MapFilter { focus: "hub".to_owned(), ..Default::default() };
        let around = graph(&edges).filtered(&filter);
        let shown = neighbour_lists(&around, &filter).into_string();
        for part in [
            "Used by<span class=\"badge\">21</span>",
            "Uses<span class=\"badge\">1</span>",
            "href=\"/?focus=r00\">r00</a> <a class=\"where\" href=\"/links?user=r00&amp;provider=hub\" title=\"Packages 2\">2 links</a>",
            "href=\"/links?user=hub&amp;provider=base\" title=\"Packages 1\">1 link</a>",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("provider=r01"), "a link between two users: {shown}");
    }

    #[test]
    fn few_neighbours_are_drawn() {
        let around = |n_users: usize| {
            let names: Vec<String> = (0..n_users).map(|idx| format!("r{idx:02}")).collect();
            let edges: Vec<(&str, &str, u64)> = names.iter().map(|name| (name.as_str(), "hub", 1)).collect();
            graph(&edges)
        };
        assert!(!is_too_large_to_draw(&around(MAX_DRAWN_NEIGHBOURS)));
        assert!(is_too_large_to_draw(&around(MAX_DRAWN_NEIGHBOURS + 1)));
    }
}
