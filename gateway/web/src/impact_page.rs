//! The page with the effects of a change: the users of a definition as a tree, over all repositories.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{counted, decimal, list, number, text},
    coverage_notice::coverage_notice,
    frame::{Frame, Section},
    symbol_page::shown_of,
};

/// Maximum depth of the tree: deeper users are listed at the last level.
const MAX_DEPTH: usize = 8;

/// Renders the answer of `get_impact`.
pub fn render(frame: &Frame, impact: &Value) -> String {
    let target = &impact["target"];
    let counts = &impact["counts"];
    let (name, id) = (text(target, "name"), text(target, "id"));
    let all: Vec<&Value> = ["direct", "indirect", "peripheral"].iter().flat_map(|tier| list(impact, tier)).collect();
    let tests = list(impact, "tests_to_run");
    let n_indirect = number(counts, "indirect") + number(counts, "peripheral");
    let body = html! {
        nav.crumbs aria-label="Breadcrumb" { a href=(address::repository(text(target, "repo"))) { (text(target, "repo")) } a href=(address::entity(id)) { (name) } span { "Impact" } }
        h1 { "A change of " a href=(address::entity(id)) { (name) } }
        p.lead {
            (counted(number(counts, "direct"), "direct user")) ", " (counted(n_indirect, "indirect user")) " in "
            (number(counts, "repositories")) @if number(counts, "repositories") == 1 { " repository" } @else { " repositories" } ", "
            (counted(number(counts, "tests"), "test")) " to run"
        }
        (coverage_notice(impact))
        div.columns.wide-left {
            section.tree {
                @let n_users = number(counts, "direct") + n_indirect;
                h2 { "What may break" span.badge { (shown_of(all.len(), n_users)) } }
                @if !all.is_empty() { p.hint { "Direct users name it. Indirect users depend on one of them, and are below the user that leads to them." } }
                @if all.is_empty() { p.hint { "No user is known." } }
                (tree(&all, id))
                @if impact["_meta"]["truncated"].as_bool() == Some(true) { p.hint { "The nearest and most certain users are shown." } }
            }
            aside.facts aria-label="Tests" {
                section.card {
                    h2 { "Tests to run" span.badge { (shown_of(tests.len(), number(counts, "tests"))) } }
                    ul.people {
                        @for (repo, path, own) in by_file(tests) {
                            li {
                                a href=(address::file(repo, path, 0)) { (repo) ":" (path) }
                                @for test in own { @if !test_name(test).is_empty() { div.hint { a href=(address::entity(text(test, "id"))) { (test_name(test)) } } } }
                            }
                        }
                    }
                    @if tests.is_empty() { p.hint { "No test reaches it." } }
                }
            }
        }
    };
    frame.page(Section::Search, &format!("Impact of {name}"), body)
}

/// Returns tests by repository and file, in the order in which the files come first.
fn by_file(tests: &[Value]) -> Vec<(&str, &str, Vec<&Value>)> {
    let mut files: Vec<(&str, &str, Vec<&Value>)> = Vec::new();
    for test in tests {
        let (repo, path) = (text(test, "repo"), text(test, "path"));
        match files.iter_mut().find(|(own_repo, own_path, _)| (*own_repo, *own_path) == (repo, path)) {
            Some((_, _, own)) => own.push(test),
            None => files.push((repo, path, vec![test])),
        }
    }
    files
}

/// Returns the name of a test in its file; empty for a whole file.
fn test_name(test: &Value) -> &str {
    text(test, "id").split_once("::").map_or("", |(_, name)| name)
}

/// Renders the page without a target: the form that asks for one.
pub fn render_form(frame: &Frame) -> String {
    let body = html! {
        h1 { "Impact of a change" }
        p.lead { "What may break, in all repositories that you may read." }
        form.inline-search action="/impact" {
            label.hidden for="target" { "Definition, file or route" }
            input #target type="search" name="target" required placeholder="Store.find, src/main.rs or GET /orders" autocomplete="off" maxlength="2000";
            button.primary type="submit" { "Show" }
        }
    };
    frame.page(Section::Search, "Impact of a change", body)
}

/// Returns the users as a tree: each below the user that leads to it.
fn tree(all: &[&Value], root: &str) -> Markup {
    let ids: Vec<&str> = all.iter().map(|user| text(user, "id")).collect();
    let mut below: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for user in all {
        let over = text(user, "over");
        // A user whose parent is not shown is at the first level.
        let parent = if ids.contains(&over) && over != text(user, "id") { over } else { root };
        below.entry(parent).or_default().push(user);
    }
    branch(&below, root, 0)
}

fn branch(below: &BTreeMap<&str, Vec<&Value>>, parent: &str, depth: usize) -> Markup {
    let users = below.get(parent).map(Vec::as_slice).unwrap_or_default();
    html! {
        ul {
            @for user in users {
                @let children = below.get(text(user, "id")).map_or(0, Vec::len);
                li {
                    @if children > 0 && depth < MAX_DEPTH {
                        (user_line(user))
                        details open[depth < 1] {
                            summary { "used by " (children) }
                            (branch(below, text(user, "id"), depth + 1))
                        }
                    } @else { (user_line(user)) }
                }
            }
        }
    }
}

fn user_line(user: &Value) -> Markup {
    let link = &user["link"];
    let confidence = decimal(user, "confidence");
    let line = number(link, "line") as u32;
    html! {
        span.kind { (text(user, "kind")) } " " a.strong href=(address::entity(text(user, "id"))) { (text(user, "name")) } " "
        span.relation { (text(link, "relation")) }
        @if confidence > 0.0 && confidence < 0.6 { span.badge.warn { "uncertain" } }
        @if user["is_test"].as_bool() == Some(true) { span.badge { "test" } }
        " " a.where href=(address::file(text(user, "repo"), text(user, "path"), line)) { (text(user, "repo")) ":" (text(user, "path")) ":" (line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tests_of_a_file_are_together_and_all_are_counted() {
        let test = |path: &str, name: &str| json!({"id": format!("a//{path}{name}"), "repo": "a", "path": path});
        let tests = [test("x.rs", "::f"), test("y.rs", ""), test("x.rs", "::m.g")];
        let impact = json!({"target": {"id": "a//z.rs::h", "repo": "a", "name": "h"}, "tests_to_run": tests,
            "counts": {"direct": 2, "indirect": 1, "peripheral": 4, "repositories": 1, "tests": 453}});
        let shown = render(&Frame::default(), &impact);
        for part in [
            "<span class=\"badge\">3 of 453</span>",
            "<span class=\"badge\">0 of 7</span>",
            "2 direct users, 5 indirect users",
            ">f</a>",
            ">m.g</a>",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert_eq!(shown.matches(">a:x.rs</a>").count(), 1, "{shown}");
    }

    #[test]
    fn users_are_below_those_that_lead_to_them() {
        let users = [
            json!({"id": "a//x::f", "name": "f", "repo": "a", "path": "x", "link": {"line": 3}}),
            json!({"id": "a//x::g", "name": "g", "over": "a//x::f", "repo": "a", "path": "x"}),
            json!({"id": "a//x::h", "name": "h", "over": "gone", "repo": "a", "path": "x", "confidence": 0.3}),
        ];
        let shown = tree(&users.iter().collect::<Vec<_>>(), "root").into_string();
        assert!(shown.starts_with("<ul><li><span class=\"kind\">"), "{shown}");
        assert_eq!((shown.matches("<details").count(), shown.matches("uncertain").count()), (1, 1));
    }
}
