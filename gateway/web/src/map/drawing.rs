//! Drawings of the map as SVG: a detailed one of repositories, and one of clusters.

use std::{cmp::Reverse, fmt::Write as _};

use maud::{Markup, html};

use super::{
    LinkKind, MapEdge, MapFilter, MapNode, SystemGraph, cards,
    cluster::{Cluster, cluster_edges, clusters},
    layered::{LayeredLayout, Point, Size, layout},
};
use crate::{
    address,
    answer::{counted, grouped},
};

/// Widths of characters in DejaVu Sans, the widest of the fonts of the pages. A narrower font leaves space in the box.
const CHAR_WIDTH: f64 = 8.2;
const NARROW_CHAR_WIDTH: f64 = 4.8;
const WIDE_CHAR_WIDTH: f64 = 12.7;

/// Space around a name.
const NAME_MARGIN: f64 = 38.0;

const NODE_HEIGHT: f64 = 34.0;

/// Maximum number of characters of a shown name.
const MAX_NAME_CHARS: usize = 30;

/// Space around a drawing, so that no line is cut.
const MARGIN: f64 = 14.0;

/// Maximum width of a drawing that a narrower screen scales. The names of a wider one would be too small, so that the screen scrolls it.
const MAX_SCALED_WIDTH: f64 = 460.0;

/// Maximum number of edges with a shown count: with more, numbers would cover each other.
const MAX_COUNTED_EDGES: usize = 48;

/// Places of a count along its route, as shares of the way, the preferred one first.
const COUNT_SHARES: [f64; 7] = [0.5, 0.36, 0.64, 0.24, 0.76, 0.14, 0.86];

/// Distance between the centres of two counts that do not cover each other: they are apart in one direction at least.
const COUNT_DISTANCE: Size = Size { width: 30.0, height: 13.0 };

/// Maximum number of listed members of a cluster.
const MAX_LISTED_MEMBERS: usize = 9;

const CLUSTER_WIDTH: f64 = 214.0;
const CLUSTER_HEAD: f64 = 36.0;
const MEMBER_HEIGHT: f64 = 21.0;

/// Number of drawn edges per cluster; the strongest ones.
const EDGES_PER_CLUSTER: usize = 2;

/// Maximum number of clusters of a drawing: with more, layers become far wider and higher than a screen.
const MAX_DRAWN_CLUSTERS: usize = 9;

/// Minimum share of a drawing that boxes must cover. A long chain of layers covers less, and is mostly empty.
const MIN_COVERED_SHARE: f64 = 0.33;

/// Returns the detailed drawing of the repositories with links.
pub(crate) fn detailed(graph: &SystemGraph, filter: &MapFilter) -> Markup {
    let linked = graph.linked();
    let shown = graph.induced(|idx| linked[idx]);
    let sizes: Vec<Size> = shown.nodes.iter().map(node_size).collect();
    let ends: Vec<(usize, usize)> = shown.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let drawn = layout(&sizes, &ends);
    let counts = if has_counts(&shown) { count_places(&drawn.routes) } else { Vec::new() };
    let edges = html! {
        @for (idx, (edge, route)) in shown.edges.iter().zip(&drawn.routes).enumerate() {
            (link_line(&shown, edge, route, counts.get(idx).copied(), filter))
        }
    };
    let nodes = html! {
        @for (idx, node) in shown.nodes.iter().enumerate() {
            @let size = Size { width: drawn.widths[idx], ..sizes[idx] };
            (repository_box(node, drawn.corners[idx], size, filter))
        }
    };
    svg(&drawn, "Repositories, with users on the left and the repositories that they use on the right", edges, nodes)
}

/// Returns true if the detailed drawing has the number of links of each edge.
pub(crate) fn has_counts(graph: &SystemGraph) -> bool {
    graph.edges.len() <= MAX_COUNTED_EDGES
}

/// Returns the clusters: a drawing if it fits on a screen, with cards for narrow screens; otherwise cards alone.
pub(crate) fn clustered(graph: &SystemGraph, filter: &MapFilter) -> Markup {
    let clusters = clusters(graph);
    let all = cluster_edges(graph, &clusters);
    let listed = cards::cards(graph, &clusters, &all, filter);
    match cluster_drawing(graph, &clusters, &all, filter) {
        Some(drawing) => html! { div.wide-only { (drawing) } div.narrow-only { (listed) } },
        None => listed,
    }
}

/// Returns the drawing of clusters; `None` if it would be too large, or mostly empty.
fn cluster_drawing(graph: &SystemGraph, clusters: &[Cluster], all: &[MapEdge], filter: &MapFilter) -> Option<Markup> {
    if clusters.len() > MAX_DRAWN_CLUSTERS {
        return None;
    }
    let sizes: Vec<Size> = clusters.iter().map(cluster_size).collect();
    let drawn_edges = strongest(all, clusters.len());
    let ends: Vec<(usize, usize)> = drawn_edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let drawn = layout(&sizes, &ends);
    let covered: f64 = sizes.iter().map(|size| size.width * size.height).sum();
    if covered < MIN_COVERED_SHARE * drawn.size.width * drawn.size.height {
        return None;
    }
    let name = |idx: usize| graph.nodes[clusters[idx].members[0]].name.as_str();
    let edges = html! {
        @for (edge, route) in drawn_edges.iter().zip(&drawn.routes) {
            g class={ "edge " (kind_class(edge.main_kind())) } {
                path d=(path(route)) stroke-width=(stroke(edge.n_links())) {
                    title { "around " (name(edge.from)) " → around " (name(edge.to)) ": " (edge.summary()) }
                }
            }
        }
    };
    let boxes = html! {
        @for ((cluster, corner), size) in clusters.iter().zip(&drawn.corners).zip(&sizes) {
            (cluster_box(graph, cluster, *corner, *size, filter))
        }
    };
    let n_left_out = all.len() - drawn_edges.len();
    let label = "Clusters of repositories that are linked with each other more than with the rest";
    Some(html! {
        @if n_left_out > 0 { p.hint { "The strongest links of each cluster are drawn; " (n_left_out) " weaker ones are not." } }
        (svg(&drawn, label, edges, boxes))
    })
}

fn svg(drawn: &LayeredLayout, label: &str, edges: Markup, nodes: Markup) -> Markup {
    let (width, height) = (drawn.size.width + 2.0 * MARGIN, drawn.size.height + 2.0 * MARGIN);
    let view = format!("{} {} {width} {height}", -MARGIN, -MARGIN);
    html! {
        div.canvas tabindex="0" role="group" aria-label=(label) {
            svg.map.fits[width <= MAX_SCALED_WIDTH] width=(width) height=(height) viewBox=(view) {
                defs {
                    // The widest line is half as wide as the arrow, which would be lost in it otherwise.
                    marker #arrow viewBox="0 0 8 8" refX="7" refY="4" markerWidth="14" markerHeight="14" markerUnits="userSpaceOnUse" orient="auto-start-reverse" {
                        path.arrow d="M0 1 L7 4 L0 7 z" {}
                    }
                }
                (edges) (nodes)
            }
        }
    }
}

fn node_size(node: &MapNode) -> Size {
    let width = name_width(&short_name(&node.name, MAX_NAME_CHARS)) + NAME_MARGIN;
    Size { width: width.round().max(92.0), height: NODE_HEIGHT }
}

/// Returns the estimated width of a name.
fn name_width(name: &str) -> f64 {
    let width = |letter: char| match letter {
        'f' | 'i' | 'j' | 'l' | 'r' | 't' | 'I' | '-' | '/' | '.' => NARROW_CHAR_WIDTH,
        'm' | 'w' | 'M' | 'W' => WIDE_CHAR_WIDTH,
        _ => CHAR_WIDTH,
    };
    name.chars().map(width).sum()
}

/// Returns a name without its beginning if it is too long: the end tells more.
fn short_name(name: &str, max_chars: usize) -> String {
    let n_chars = name.chars().count();
    if n_chars <= max_chars {
        return name.to_owned();
    }
    std::iter::once('…').chain(name.chars().skip(n_chars + 1 - max_chars)).collect()
}

fn repository_box(node: &MapNode, corner: Point, size: Size, filter: &MapFilter) -> Markup {
    let is_focus = node.name == filter.focus;
    let href = if is_focus { address::repository(&node.name) } else { focus_address(&node.name, filter) };
    let language = node.languages.first().map_or("other", String::as_str);
    let class =
        format!("node{}{}", if is_focus { " focus" } else { "" }, if node.is_serving { "" } else { " missing" });
    html! {
        a class=(class) href=(href) aria-label=(node.name) {
            title { (node.name) ": " (language) ", " (counted(node.files, "file")) ", " (counted(node.symbols, "definition")) @if !node.is_serving { ", does not answer" } }
            rect x=(corner.x) y=(corner.y) width=(size.width) height=(size.height) rx="7" {}
            circle class={ "lang " (language_class(language)) } cx=(corner.x + 15.0) cy=(corner.y + size.height / 2.0) r="4.500" {}
            text x=(corner.x + 27.0) y=(corner.y + size.height / 2.0 + 4.5) { (short_name(&node.name, MAX_NAME_CHARS)) }
        }
    }
}

/// Returns the map around a repository, with the filter as it is.
pub(crate) fn focus_address(name: &str, filter: &MapFilter) -> String {
    address::with_query("/", &[("focus", name), ("kind", &filter.kind), ("language", &filter.language)])
}

/// Returns the line of an edge. `count_at` is the place of its number of links, if that is shown.
fn link_line(
    graph: &SystemGraph,
    edge: &MapEdge,
    route: &[Point],
    count_at: Option<Point>,
    filter: &MapFilter,
) -> Markup {
    let (user, provider) = (graph.nodes[edge.from].name.as_str(), graph.nodes[edge.to].name.as_str());
    let n_links = grouped(edge.n_links());
    let label = format!("{user} → {provider}: {}", edge.summary());
    let shown_path = path(route);
    html! {
        g class={ "edge " (kind_class(edge.main_kind())) } {
            // The table below the drawing has the same links for the keyboard.
            a href=(address::evidence(user, provider, &filter.kind)) aria-label=(label) tabindex="-1" {
                title { (label) }
                path.hit d=(shown_path) {}
                path d=(shown_path) stroke-width=(stroke(edge.n_links())) marker-end="url(#arrow)" {}
            }
            // The label of the link has the count. Text within the link would have to be the beginning of its label.
            @if let Some(count_at) = count_at { text.count x=(count_at.x.round()) y=(count_at.y.round() + 3.5) { (n_links) } }
        }
    }
}

/// Returns the style class of a kind of link.
pub(crate) fn kind_class(kind: &LinkKind) -> String {
    format!("k-{}", kind.name)
}

/// Returns the style class of a language: names have letters, digits and signs.
pub(crate) fn language_class(language: &str) -> String {
    let name: String =
        language.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    format!("l-{name}")
}

/// Returns the width of a line by its number of links.
fn stroke(n_links: u64) -> String {
    format!("{:.1}", 1.2 + (n_links as f64).ln_1p() * 0.45)
}

fn path(route: &[Point]) -> String {
    let mut path = String::new();
    for (place, point) in route.iter().enumerate() {
        let Point { x, y } = *point;
        let written = match route.get(place.wrapping_sub(1)) {
            None => write!(path, "M{x:.0} {y:.0}"),
            // Points come in pairs: the end of one column and the begin of the next one.
            Some(before) if place % 2 == 1 => {
                let middle = f64::midpoint(before.x, x);
                write!(path, "C{middle:.0} {:.0} {middle:.0} {y:.0} {x:.0} {y:.0}", before.y)
            }
            Some(_) => write!(path, "L{x:.0} {y:.0}"),
        };
        written.expect("writing to a string cannot fail");
    }
    path
}

/// Returns the place of the count of each route: the first of its possible places that no count of an earlier route covers.
///
/// Routes beside each other run a few pixels apart, and routes between the same columns cross each other.
fn count_places(routes: &[Vec<Point>]) -> Vec<Point> {
    let mut places: Vec<Point> = Vec::with_capacity(routes.len());
    for route in routes {
        let possible = COUNT_SHARES.map(|share| point_of(route, share));
        let is_free = |point: &&Point| !places.iter().any(|other| is_overlapping(point, other));
        let place = *possible.iter().find(is_free).unwrap_or(&possible[0]);
        places.push(place);
    }
    places
}

fn is_overlapping(a: &Point, b: &Point) -> bool {
    (a.x - b.x).abs() < COUNT_DISTANCE.width && (a.y - b.y).abs() < COUNT_DISTANCE.height
}

/// Returns the point at a share of the first straight part of a route, or of its curve if it has no straight part.
fn point_of(route: &[Point], share: f64) -> Point {
    match route {
        [_, begin, end, ..] => Point { x: begin.x + (end.x - begin.x) * share, y: begin.y + (end.y - begin.y) * share },
        // The Bézier curve of `path`, whose control points are between both ends, at the height of each.
        [first, second] => {
            let rest = 1.0 - share;
            let middle = f64::midpoint(first.x, second.x);
            let weight = share * share * (3.0 - 2.0 * share);
            Point {
                x: first.x * rest.powi(3) + 3.0 * middle * share * rest + second.x * share.powi(3),
                y: first.y + (second.y - first.y) * weight,
            }
        }
        _ => Point { x: 0.0, y: 0.0 },
    }
}

fn cluster_size(cluster: &Cluster) -> Size {
    let n_rows =
        cluster.members.len().min(MAX_LISTED_MEMBERS) + usize::from(cluster.members.len() > MAX_LISTED_MEMBERS);
    Size { width: CLUSTER_WIDTH, height: CLUSTER_HEAD + n_rows as f64 * MEMBER_HEIGHT + 8.0 }
}

fn cluster_box(graph: &SystemGraph, cluster: &Cluster, corner: Point, size: Size, filter: &MapFilter) -> Markup {
    let hub = graph.nodes[cluster.members[0]].name.as_str();
    let open = address::with_query("/", &[("cluster", hub), ("kind", &filter.kind), ("language", &filter.language)]);
    let row = |place: usize| corner.y + CLUSTER_HEAD + (place as f64 + 0.68) * MEMBER_HEIGHT;
    let max_chars = ((CLUSTER_WIDTH - 44.0) / 6.8) as usize;
    html! {
        g.cluster {
            rect x=(corner.x) y=(corner.y) width=(size.width) height=(size.height) rx="9" {}
            a.cluster-head href=(open) {
                title { "Open the cluster around " (hub) ": " (cluster.members.len()) " repositories" }
                text x=(corner.x + 14.0) y=(corner.y + 23.0) { (short_name(hub, max_chars - 6)) }
                text.count-end x=(corner.x + size.width - 14.0) y=(corner.y + 23.0) { (cluster.members.len()) }
            }
            @for (place, idx) in cluster.members.iter().take(MAX_LISTED_MEMBERS).enumerate() {
                @let node = &graph.nodes[*idx];
                a.member href=(focus_address(&node.name, filter)) {
                    circle class={ "lang " (language_class(node.languages.first().map_or("other", String::as_str))) } cx=(corner.x + 17.0) cy=(row(place) - 4.0) r="3.500" {}
                    text x=(corner.x + 28.0) y=(row(place)) { (short_name(&node.name, max_chars)) }
                }
            }
            @if cluster.members.len() > MAX_LISTED_MEMBERS {
                a.member.more href=(open) { text x=(corner.x + 28.0) y=(row(MAX_LISTED_MEMBERS)) { (cluster.members.len() - MAX_LISTED_MEMBERS) " more" } }
            }
        }
    }
}

/// Returns the edges that are among the strongest of their user.
fn strongest(edges: &[MapEdge], n_clusters: usize) -> Vec<MapEdge> {
    let best = |cluster: usize| {
        let mut own: Vec<&MapEdge> = edges.iter().filter(|edge| edge.from == cluster).collect();
        own.sort_by_key(|edge| (Reverse(edge.n_links()), edge.to));
        own.into_iter().take(EDGES_PER_CLUSTER).cloned().collect::<Vec<_>>()
    };
    (0..n_clusters).flat_map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::tests::graph;

    #[test]
    fn drawings_have_every_repository_and_link() {
        let graph = graph(&[("web", "api", 3), ("api", "kit", 2), ("web", "kit", 1)]);
        let drawn = detailed(&graph, &MapFilter::default()).into_string();
        for part in
            ["/?focus=web", "/links?user=web&amp;provider=kit", "web → api: Packages 3", "class=\"edge k-package\""]
        {
            assert!(drawn.contains(part), "{part} {drawn}");
        }
        assert!(drawn.contains("</a><text class=\"count\""), "a count is beside its link: {drawn}");
        assert_eq!(drawn, detailed(&graph, &MapFilter::default()).into_string());
        let clustered = clustered(&graph, &MapFilter::default()).into_string();
        assert!(clustered.contains("/?focus=api") && !clustered.contains("weaker ones"), "{clustered}");
    }

    #[test]
    fn many_clusters_and_long_chains_are_cards() {
        let drawing = |edges: &[(&str, &str, u64)]| {
            let graph = graph(edges);
            let clusters = clusters(&graph);
            cluster_drawing(&graph, &clusters, &cluster_edges(&graph, &clusters), &MapFilter::default())
        };
        assert!(drawing(&[("a1", "a2", 1), ("a2", "a3", 1), ("a3", "a1", 1)]).is_some());
        let names: Vec<String> = (0..24).map(|idx| format!("r{idx:02}")).collect();
        let pairs: Vec<(&str, &str, u64)> =
            names.chunks(2).map(|pair| (pair[0].as_str(), pair[1].as_str(), 1)).collect();
        assert!(drawing(&pairs).is_none(), "twelve clusters");
        assert!(drawing(&pairs[..6]).is_some(), "six clusters");
    }

    #[test]
    fn counts_do_not_cover_each_other() {
        let point = |x, y| Point { x, y };
        let lane = |y: f64| vec![point(0.0, 0.0), point(60.0, y), point(180.0, y), point(240.0, 40.0)];
        let crossing = vec![vec![point(0.0, 0.0), point(90.0, 40.0)], vec![point(0.0, 44.0), point(90.0, -2.0)]];
        for routes in [vec![lane(96.0), lane(104.0), lane(112.0)], crossing] {
            let places = count_places(&routes);
            for (idx, place) in places.iter().enumerate() {
                assert!(!places[..idx].iter().any(|other| is_overlapping(place, other)), "{places:?}");
            }
        }
        assert_eq!(count_places(&[lane(96.0)]), [point(120.0, 96.0)], "a count alone is in the middle");
        assert_eq!(count_places(&[vec![point(0.0, 0.0), point(90.0, 40.0)]]), [point(45.0, 20.0)]);
    }

    #[test]
    fn boxes_have_the_width_of_their_name() {
        // Measured in Chromium with DejaVu Sans.
        for (name, width) in [("growth/common", 106.3), ("comment-sync", 96.4), ("list-filter", 54.1)] {
            let estimated = name_width(name);
            assert!((width..1.15 * width).contains(&estimated), "{name}: {estimated}");
        }
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(short_name("acme/payments-gateway", 9), "…-gateway");
        assert_eq!(short_name("api", 9), "api");
    }
}
