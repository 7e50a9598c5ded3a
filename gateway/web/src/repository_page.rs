//! The page of a repository: purpose, modules, hotspots, owners, and what it is linked with.

use std::{cmp::Reverse, collections::BTreeMap};

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{counted, decimal, grouped, list, names_by_count, number, text, texts},
    coverage_notice::coverage_notice,
    folder_page::{self, FolderListing},
    frame::{Frame, Section},
    map::{drawing::language_class, kind_label},
    person::{owners, share},
    treemap::{Tile, treemap},
};

/// Maximum numbers of listed entries.
const MAX_ROWS: usize = 30;
const MAX_PACKAGES: usize = 10;
const MAX_TILES: usize = 40;

/// Renders a repository from the answer of `get_overview` and the content of its root, or the reason why that is unknown.
pub fn render(frame: &Frame, overview: &Value, root: Option<&Result<FolderListing, String>>) -> String {
    let repo = text(overview, "repo");
    let body = html! {
        nav.crumbs aria-label="Breadcrumb" { a href="/" { "Map" } span { (repo) } }
        div.head {
            div {
                h1 { (repo) }
                @if let Some(purpose) = list(overview, "purpose").first() { p.doc { (text(purpose, "text")) } }
                p.lead {
                    (counted(number(overview, "files"), "file")) ", " (counted(number(overview, "symbols"), "definition"))
                    @if !text(overview, "branch").is_empty() { ", branch " (text(overview, "branch")) }
                    @if !text(overview, "committed_at").is_empty() { ", commit of " (day(text(overview, "committed_at"))) }
                }
            }
            div.actions {
                a.button href=(address::folder(repo, "")) { "Files" }
                a.button href=(address::with_query("/", &[("focus", repo)])) { "On the map" }
                a.button.primary href=(address::with_query("/review", &[("repo", repo)])) { "Review a change" }
            }
        }
        (coverage_notice(overview))
        (search_form(repo))
        div.columns.wide-left {
            div {
                (links(overview, repo))
                (modules(overview, repo))
                (hotspots(overview, repo))
                (most_used(overview, repo))
                (routes(overview, repo))
                @match root {
                    Some(Ok(root)) => (folder_page::entries(repo, "", root)),
                    Some(Err(reason)) => (folder_page::unknown_files_notice(reason)),
                    None => {}
                }
            }
            aside.facts aria-label="Facts" {
                (languages(overview))
                @let people = list(overview, "owners");
                @if !people.is_empty() { section.card { h2 { "Owners" } (owners(people)) } }
                (places("Entry points", list(overview, "entry_points"), "name", repo))
                (packages("Makes", list(overview, "makes"), repo))
                (packages("Requires", list(overview, "requires"), repo))
                (infrastructure(overview, repo))
            }
        }
    };
    frame.page(Section::Map, repo, body)
}

/// Returns the day of a time such as `2026-01-01T00:00:00Z`.
pub(crate) fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

fn search_form(repo: &str) -> Markup {
    html! {
        form.inline-search action="/search" role="search" aria-label={ "Search " (repo) } {
            input type="hidden" name="repo" value=(repo);
            label.hidden for="in-repo" { "Search in " (repo) }
            input #in-repo type="search" name="q" placeholder={ "Search in " (repo) } autocomplete="off" maxlength="2000";
            button type="submit" { "Search" }
        }
    }
}

/// The links of all kinds with one repository, in one direction.
struct Neighbour<'a> {
    other: &'a str,
    is_user: bool,
    /// The rows of its kinds, the one with the most links first.
    rows: Vec<&'a Value>,
}

impl Neighbour<'_> {
    fn n_links(&self) -> u64 {
        self.rows.iter().map(|row| number(row, "links")).sum()
    }

    /// Returns the kinds as text, such as `gRPC 8, Settings 1`.
    fn summary(&self) -> String {
        let kind = |row: &&Value| format!("{} {}", kind_label(text(row, "kind")), grouped(number(row, "links")));
        self.rows.iter().map(kind).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the neighbours of a repository: those that it uses first, and those with the most links first.
fn neighbours<'a>(rows: &'a [Value], repo: &str) -> Vec<Neighbour<'a>> {
    let mut by_other: BTreeMap<(bool, &str), Vec<&Value>> = BTreeMap::new();
    for row in rows {
        let is_user = text(row, "user") == repo;
        let other = text(row, if is_user { "provider" } else { "user" });
        by_other.entry((!is_user, other)).or_default().push(row);
    }
    let neighbour = |((is_used, other), mut rows): ((bool, &'a str), Vec<&'a Value>)| {
        rows.sort_by_key(|row| Reverse(number(row, "links")));
        Neighbour { other, is_user: !is_used, rows }
    };
    let mut found: Vec<Neighbour<'a>> = by_other.into_iter().map(neighbour).collect();
    found.sort_by_key(|one| (!one.is_user, Reverse(one.n_links()), one.other));
    found
}

fn links(overview: &Value, repo: &str) -> Markup {
    let rows = neighbours(list(overview, "links"), repo);
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Links with other repositories" span.badge { (rows.len()) } }
                div.scroll tabindex="0" role="group" aria-label="Links with other repositories" { table {
                    thead { tr { th scope="col" { "Repository" } th scope="col" { "Kinds" } th.num scope="col" { "Links" } th scope="col" { "Example" } } }
                    tbody {
                        @for row in rows.iter().take(MAX_ROWS) {
                            @let (user, provider) = if row.is_user { (repo, row.other) } else { (row.other, repo) };
                            @let n_links = grouped(row.n_links());
                            tr {
                                td { span.direction { (if row.is_user { "uses" } else { "used by" }) } " " a.strong href=(address::repository(row.other)) { (row.other) } }
                                td { (row.summary()) }
                                td.num { a href=(address::evidence(user, provider, "")) aria-label={ (n_links) " links with " (row.other) ": open the evidence" } { (n_links) } }
                                td { @if let Some(first) = row.rows.iter().find_map(|kind| list(kind, "evidence").first()) { code { (text(first, "key")) } } }
                            }
                        }
                    }
                } }
                @if rows.len() > MAX_ROWS { p.hint { (rows.len() - MAX_ROWS) " more; " a href=(address::with_query("/", &[("focus", repo)])) { "the map" } " has all of them." } }
            }
        }
    }
}

fn modules(overview: &Value, repo: &str) -> Markup {
    let rows = list(overview, "modules");
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Modules" span.badge { (rows.len()) } }
                div.scroll tabindex="0" role="group" aria-label="Modules" { table {
                    thead { tr { th scope="col" { "Module" } th.num scope="col" { "Files" } th.num scope="col" { "Definitions" } th scope="col" { "Owner" } th scope="col" { "Uses" } } }
                    tbody {
                        @for row in rows.iter().take(MAX_ROWS) {
                            tr {
                                td { (module_link(repo, text(row, "path"))) @if !text(row, "purpose").is_empty() { div.hint { (text(row, "purpose")) } } }
                                td.num { (grouped(number(row, "files"))) }
                                td.num { (grouped(number(row, "symbols"))) }
                                td { (text(&row["owner"], "name")) }
                                td { (names_by_count(row, "uses")) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

/// Returns the link to the files of a module, whose folder may be the root of the repository.
fn module_link(repo: &str, path: &str) -> Markup {
    let is_root = matches!(path, "" | "." | "/");
    let (folder, shown) = if is_root { ("", "root folder") } else { (path.trim_end_matches('/'), path) };
    html! { a.strong href=(address::folder(repo, folder)) { (shown) } }
}

/// Returns the hotspots as a treemap: the area is the number of lines, the colour the score.
fn hotspots(overview: &Value, repo: &str) -> Markup {
    let mut rows: Vec<&Value> = list(overview, "hotspots").iter().collect();
    rows.sort_by_key(|row| Reverse(number(row, "lines")));
    let tile = |row: &&Value| {
        let (path, score) = (text(row, "path"), decimal(row, "score"));
        let (n_lines, n_commits) = (number(row, "lines").max(1), number(row, "recent_commits"));
        Tile {
            label: path.rsplit('/').next().unwrap_or(path).to_owned(),
            title: format!(
                "{path}: score {score:.1}, {} in 13 weeks, {}",
                counted(n_commits, "commit"),
                counted(n_lines, "line")
            ),
            href: address::file(repo, path, 0),
            weight: n_lines as f64,
            heat: (score / 2.0) as usize,
        }
    };
    let tiles: Vec<Tile> = rows.iter().take(MAX_TILES).map(tile).collect();
    html! {
        @if !tiles.is_empty() {
            section {
                h2 { "Hotspots" span.badge { (tiles.len()) } }
                p.hint { "Files that change often and are complex. The area is the number of lines; a warmer colour is a higher score." }
                (treemap(&tiles, "Hotspots by lines and score"))
            }
        }
    }
}

fn most_used(overview: &Value, repo: &str) -> Markup {
    let rows = list(overview, "most_used");
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Most used definitions" }
                p.hint { "With the number of the definitions that use each." }
                ul.symbols {
                    @for row in rows.iter().take(MAX_ROWS) {
                        li {
                            span.kind { (text(row, "kind")) } " " a.strong href=(address::symbol(&format!("{repo}//{}", text(row, "id")))) { (text(row, "id").rsplit("::").next().unwrap_or_default()) }
                            span.where { (text(row, "id").split("::").next().unwrap_or_default()) ":" (number(row, "line")) }
                            span.num title="Number of users" { (grouped(number(row, "used_by"))) }
                        }
                    }
                }
            }
        }
    }
}

fn routes(overview: &Value, repo: &str) -> Markup {
    let rows = list(overview, "routes");
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Routes" span.badge { (rows.len()) } }
                ul.symbols {
                    @for row in rows.iter().take(MAX_ROWS) {
                        li { code { (text(row, "route")) } " " a.where href=(address::entity(&format!("{repo}:{}", text(row, "at")))) { (text(row, "at")) } }
                    }
                }
            }
        }
    }
}

fn languages(overview: &Value) -> Markup {
    let rows = list(overview, "languages");
    html! {
        @if !rows.is_empty() {
            section.card {
                h2 { "Languages" }
                ul.owners {
                    @for row in rows {
                        @let percent = number(row, "percent").min(100);
                        li {
                            span.name { span class={ "dot " (language_class(text(row, "language"))) } {} (text(row, "language")) }
                            meter min="0" max="100" value=(percent) title=(share(percent)) { (share(percent)) } span.num { (share(percent)) }
                        }
                    }
                }
            }
        }
    }
}

fn places(title: &str, rows: &[Value], name: &str, repo: &str) -> Markup {
    html! {
        @if !rows.is_empty() {
            section.card {
                h2 { (title) }
                ul.people {
                    @for row in rows.iter().take(MAX_ROWS) {
                        li { span.kind { (text(row, "kind")) } " " a href=(address::entity(&format!("{repo}:{}", text(row, "at")))) { (text(row, name).rsplit("::").next().unwrap_or_default()) } }
                    }
                }
            }
        }
    }
}

fn packages(title: &str, rows: &[Value], repo: &str) -> Markup {
    html! {
        @if !rows.is_empty() {
            section.card {
                h2 { (title) span.badge { (rows.len()) } }
                @let (first, others) = rows.split_at(n_shown_packages(rows));
                ul.people { @for row in first { (package(row, repo)) } }
                @if !others.is_empty() {
                    details {
                        summary.hint { (counted(others.len() as u64, "other")) }
                        ul.people { @for row in others { (package(row, repo)) } }
                    }
                }
            }
        }
    }
}

/// Returns the number of packages that are shown at once: those of repositories, and the first others if these are few.
fn n_shown_packages(rows: &[Value]) -> usize {
    let n_made = rows.iter().take_while(|row| !text(row, "repo").is_empty()).count();
    let n_shown = n_made.max(MAX_PACKAGES);
    // A single other one takes the row that would tell of it.
    if rows.len() <= n_shown + 1 { rows.len() } else { n_shown }
}

fn package(row: &Value, repo: &str) -> Markup {
    html! {
        li {
            a href=(address::entity(&format!("{repo}:{}", text(row, "at")))) { (text(row, "package")) }
            @if !text(row, "repo").is_empty() { " made by " a href=(address::repository(text(row, "repo"))) { (text(row, "repo")) } }
        }
    }
}

fn infrastructure(overview: &Value, repo: &str) -> Markup {
    let rows = list(overview, "built_and_run_by");
    html! {
        @if !rows.is_empty() {
            section.card {
                h2 { "Built and run by" }
                ul.people {
                    @for row in rows.iter().take(MAX_ROWS) {
                        li { a href=(address::file(repo, text(row, "path"), 0)) { (text(row, "path")) } @let says: Vec<&str> = texts(row, "says").collect(); @if !says.is_empty() { div.hint { (says.join(", ")) } } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_repositories_are_shown_and_many_others_are_folded() {
        for (n_made, n_others, expected) in [(0, 0, 0), (3, 8, 11), (3, 9, 10), (14, 1, 15), (14, 2, 14)] {
            let row = |idx: usize| serde_json::json!({"package": "npm:a", "repo": if idx < n_made { "a" } else { "" }});
            let rows: Vec<Value> = (0..n_made + n_others).map(row).collect();
            assert_eq!(n_shown_packages(&rows), expected, "{n_made} {n_others}");
        }
    }

    #[test]
    fn modules_lead_to_their_files_and_name_the_most_used_first() {
        let overview = serde_json::json!({"modules": [
            {"path": "src/http", "files": 2, "symbols": 4, "uses": {"+more": 7, "a": 1, "src/store": 9}},
            {"path": ".", "files": 1, "symbols": 0}]});
        let shown = modules(&overview, "api").into_string();
        for part in [
            "href=\"/r/api/-/src/http/\">src/http<",
            "<td>src/store, a, and 7 more</td>",
            "href=\"/r/api/-/\">root folder<",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("+more"), "{shown}");
    }

    #[test]
    fn unknown_files_have_their_reason() {
        let overview = serde_json::json!({"repo": "api"});
        let shown = |root: Result<FolderListing, String>| render(&Frame::default(), &overview, Some(&root));
        let unknown = shown(Err("unreachable: no connection".to_owned()));
        assert!(unknown.contains("are not known now. unreachable: no connection."), "{unknown}");
        let known = shown(Ok(FolderListing { files: vec!["a.go".to_owned()], ..FolderListing::default() }));
        assert!(known.contains("href=\"/r/api/-/a.go\"") && !known.contains("not known now"), "{known}");
    }

    #[test]
    fn a_neighbour_with_links_of_several_kinds_is_one_row() {
        let overview = serde_json::json!({"links": [
            {"user": "web", "provider": "api", "kind": "config", "links": 1, "evidence": [{"key": "API_URL"}]},
            {"user": "jobs", "provider": "web", "kind": "http", "links": 4},
            {"user": "web", "provider": "api", "kind": "grpc", "links": 8},
            {"user": "api", "provider": "web", "kind": "http", "links": 5}]});
        let rows = neighbours(list(&overview, "links"), "web");
        let told: Vec<(bool, &str, String)> = rows.iter().map(|row| (row.is_user, row.other, row.summary())).collect();
        let expected = [(true, "api", "gRPC 8, Settings 1"), (false, "api", "HTTP 5"), (false, "jobs", "HTTP 4")];
        assert_eq!(told, expected.map(|(is_user, other, summary)| (is_user, other, summary.to_owned())));
        let shown = links(&overview, "web").into_string();
        assert!(shown.contains("9 links with api") && shown.contains("API_URL"), "{shown}");
    }
}
