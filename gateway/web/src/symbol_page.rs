//! The page of a definition: source, callers and callees, users in other repositories, history, owners and risk.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{counted, decimal, grouped, list, number, text, texts},
    code::{LineLinks, SourceView, code},
    coverage_notice::coverage_notice,
    error_page::readable_message,
    file_page::crumbs,
    frame::{Frame, PageShell, Section},
};

/// Maximum number of listed entities of a section.
const MAX_ENTITIES: usize = 40;

/// Maximum number of reasons for a risk.
const MAX_REASONS: usize = 6;

/// Renders the page of a definition without its content. `id` is the id in its repository, `path::name`.
pub fn shell(frame: &Frame, repo: &str, id: &str) -> PageShell {
    let name = id.rsplit("::").next().unwrap_or(id);
    frame.shell(Section::Search, &format!("{name} · {repo}"))
}

/// Renders the content of the page of a definition that exists, but about which nothing else is known: `message` is the reason.
pub fn failed_content(repo: &str, path: &str, message: &str) -> String {
    html! {
        (crumbs(repo, path))
        div.notice.error role="alert" { p { (readable_message(message)) } }
        p { a.button href=(address::file(repo, path, 0)) { "Open the file" } }
    }
    .into_string()
}

/// Renders the content of the page from the answers of `get_context` and `get_risk`.
pub fn content(context: &Value, source: Option<&SourceView>, risk: Option<&Value>) -> String {
    let entity = &context["entity"];
    let (repo, path, name) = (text(entity, "repo"), text(entity, "path"), text(entity, "name"));
    html! {
        (crumbs(repo, path))
        div.head {
            div {
                h1.symbol { span.kind { (text(entity, "kind")) } " " (name) }
                @if !text(entity, "signature").is_empty() { p.signature { code { (text(entity, "signature")) } } }
                @if !text(entity, "doc").is_empty() { p.doc { (plain(text(entity, "doc"))) } }
            }
            div.actions { a.button.primary href=(address::impact(text(entity, "id"))) { "Impact of a change" } }
        }
        (coverage_notice(context))
        div.columns.wide-left {
            div {
                @match source {
                    Some(source) => (code(source, LineLinks::File(source), 0, &[])),
                    None => p.hint { "The source could not be read." },
                }
                (users_elsewhere(context, repo))
                (entities(users_heading(context), list(context, "callers"), repo, &context["totals"]["callers"]))
                (entities("Callees", list(context, "callees"), repo, &context["totals"]["callees"]))
                (entities("Related", list(context, "related"), repo, &context["totals"]["related"]))
            }
            aside.facts aria-label="Facts" {
                (used_by(&context["used_by"]))
                @if let Some(target) = risk.and_then(|risk| list(risk, "targets").first()) { (risk_card(target)) }
            }
        }
    }
    .into_string()
}

fn used_by(counts: &Value) -> Markup {
    // The last value is false for what only some kinds of definitions have.
    const COUNTS: [(&str, &str, bool); 8] = [
        ("callers", "Callers", true),
        ("references", "References", true),
        ("accesses", "Functions that access it", false),
        ("subtypes", "Subtypes", false),
        ("importers", "Files that import it", false),
        ("tests", "Tests", true),
        ("links", "Links from other repositories", true),
        ("callees", "Callees", true),
    ];
    let shown = COUNTS.iter().filter(|(field, _, is_general)| *is_general || number(counts, field) > 0);
    html! {
        section.card {
            h2 { "Users and uses" }
            dl.counts { @for (field, label, _) in shown { div { dt { (label) } dd { (grouped(number(counts, field))) } } } }
            p.hint { "Callers call it; references name it in another way. A test that does is in both rows." }
        }
    }
}

/// Returns the heading of the users: those of a type or a constant do not call it.
fn users_heading(context: &Value) -> &'static str {
    let has_call = |entity: &Value| text(&entity["link"], "relation") == "calls";
    if list(context, "callers").iter().all(has_call) { "Callers" } else { "Callers and references" }
}

/// Returns the number of shown entries, with the number of all if there are more.
pub(crate) fn shown_of(n_shown: usize, total: u64) -> String {
    if total > n_shown as u64 { format!("{n_shown} of {}", grouped(total)) } else { n_shown.to_string() }
}

/// Returns the callers and related entities of other repositories.
fn users_elsewhere(context: &Value, repo: &str) -> Markup {
    let is_user = |entity: &&Value| text(entity, "repo") != repo && text(&entity["link"], "direction") == "in";
    let users: Vec<&Value> =
        ["callers", "related"].iter().flat_map(|field| list(context, field)).filter(is_user).collect();
    html! {
        @if !users.is_empty() {
            section.entities {
                h2 { "Users in other repositories" span.badge { (users.len()) } }
                ul { @for user in users.iter().take(MAX_ENTITIES) { (entity_row(user, repo)) } }
            }
        }
    }
}

fn entities(title: &str, all: &[Value], repo: &str, total: &Value) -> Markup {
    let is_own = |entity: &&Value| text(entity, "repo") == repo || text(&entity["link"], "direction") != "in";
    let own: Vec<&Value> = all.iter().filter(is_own).collect();
    let total = total.as_u64().unwrap_or_default();
    html! {
        @if !own.is_empty() {
            section.entities {
                // Entries of other repositories are in a section of their own.
                @let own_total = total.saturating_sub((all.len() - own.len()) as u64);
                h2 { (title) span.badge { (shown_of(own.len().min(MAX_ENTITIES), own_total.max(own.len() as u64))) } }
                ul { @for entity in own.iter().take(MAX_ENTITIES) { (entity_row(entity, repo)) } }
                @if own_total > own.len().min(MAX_ENTITIES) as u64 { p.hint { "The nearest are shown; the page of the impact lists the users." } }
            }
        }
    }
}

fn entity_row(entity: &Value, repo: &str) -> Markup {
    let link = &entity["link"];
    let (own_repo, path) = (text(entity, "repo"), text(entity, "path"));
    // An edge in has its line in the file of the entity.
    let line = if text(link, "direction") == "in" { number(link, "line") } else { number(entity, "start_line") } as u32;
    let confidence = decimal(link, "confidence");
    html! {
        li {
            div.line {
                span.kind { (text(entity, "kind")) } " " a.strong href=(address::entity(text(entity, "id"))) { (text(entity, "name")) }
                span.relation { (text(link, "relation")) @if number(link, "sites") > 1 { " ×" (number(link, "sites")) } }
                @if confidence > 0.0 && confidence < 0.6 { span.badge.warn { "uncertain" } }
            }
            div.where {
                @if own_repo != repo { a.repo href=(address::repository(own_repo)) { (own_repo) } " " }
                a href=(address::file(own_repo, path, line)) { (path) ":" (line) }
                @let evidence = &link["evidence"];
                @if !text(evidence, "key").is_empty() { " by " code { (text(evidence, "key")) } }
            }
        }
    }
}

fn risk_card(target: &Value) -> Markup {
    let history = &target["history"];
    let score = decimal(target, "score");
    html! {
        section.card {
            h2 { "Risk of a change" }
            p.score { strong { (format!("{score:.1}")) } " of 10" meter min="0" max="10" low="3" high="6" optimum="0" value=(score) title="Risk" { (score) } }
            ul.reasons { @for reason in texts(target, "why").take(MAX_REASONS) { li { (plain(reason)) } } }
        }
        (history_card(history, text(target, "history_note")))
        @let owners: Vec<&str> = texts(history, "owners").collect();
        @if !owners.is_empty() {
            section.card {
                h2 { "Owners of the file" }
                ul.people { @for owner in owners { li { (plain(owner)) } } }
                p.hint { "By their shares of its changes; recent ones count more." }
            }
        }
        @let reviewers = list(target, "reviewers");
        @if !reviewers.is_empty() {
            section.card {
                h2 { "Suggested reviewers" }
                ul.people {
                    @for reviewer in reviewers { li { strong { (text(reviewer, "name")) } @for reason in texts(reviewer, "why").take(1) { div.hint { (plain(reason)) } } } }
                }
            }
        }
        @let tests = list(target, "tests_to_run");
        @if !tests.is_empty() {
            section.card {
                h2 { "Tests to run" span.badge { (counted(tests.len() as u64, "test")) } }
                ul.people { @for test in tests.iter().take(MAX_ENTITIES) { li { a href=(address::entity(text(test, "id"))) { (text(test, "id")) } } } }
            }
        }
    }
}

/// Returns the history of a file. `note` says why it is not known, or known in part: a missing number is not zero then.
fn history_card(history: &Value, note: &str) -> Markup {
    const COUNTS: [(&str, &str); 3] = [("commits", "Commits"), ("fixes", "Fixes"), ("bus_factor", "Bus factor")];
    let is_known = |(field, _): &&(&str, &str)| note.is_empty() || number(history, field) > 0;
    let known: Vec<_> = COUNTS.iter().filter(is_known).collect();
    html! {
        section.card {
            h2 { "History" }
            @if !note.is_empty() { p.hint { (plain(note)) } }
            @if !known.is_empty() { dl.counts { @for (field, label) in known { div { dt { (label) } dd { (number(history, field)) } } } } }
            @if !text(history, "trend").is_empty() { p { (plain(text(history, "trend"))) } }
            @if !text(history, "last_change").is_empty() { p.hint { "Last change: " (plain(text(history, "last_change"))) } }
        }
    }
}

/// Returns a text without the backticks around quotations of agents' answers.
pub(crate) fn plain(quoted: &str) -> String {
    quoted.replace('`', "")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn users_that_do_not_call_are_no_callers_and_all_are_counted() {
        let user = |relation: &str| {
            json!({"id": "api//a::f", "name": "f", "repo": "api", "path": "a", "kind": "function",
            "link": {"direction": "in", "relation": relation, "line": 2}})
        };
        let shown = |relations: &[&str], total: u64| {
            let callers: Vec<Value> = relations.iter().copied().map(user).collect();
            let entity = json!({"id": "api//a::F", "repo": "api", "path": "a", "name": "F"});
            let totals = json!({"callers": total});
            content(&json!({"entity": entity, "callers": callers, "totals": totals}), None, None)
        };
        let called = shown(&["calls"], 1);
        assert!(called.contains("<h2>Callers<span class=\"badge\">1</span>"), "{called}");
        let named = shown(&["calls", "references"], 388);
        for part in ["<h2>Callers and references<span class=\"badge\">2 of 388</span>", "the page of the impact"] {
            assert!(named.contains(part), "{part}: {named}");
        }
        assert!(!called.contains("the page of the impact"), "{called}");
    }

    #[test]
    fn every_count_of_a_definition_is_shown() {
        let field = used_by(&json!({"accesses": 12, "tests": 3})).into_string();
        assert!(field.contains("Functions that access it</dt><dd>12</dd>") && !field.contains("Subtypes"), "{field}");
        let class = used_by(&json!({"subtypes": 1_200})).into_string();
        assert!(
            class.contains("Subtypes</dt><dd>1\u{202f}200</dd>") && class.contains("Callers</dt><dd>0</dd>"),
            "{class}"
        );
    }

    #[test]
    fn owners_and_reviewers_are_apart() {
        let target =
            json!({"history": {"owners": ["Ada 43 %"]}, "reviewers": [{"name": "Bob", "why": ["owns a user"]}]});
        let shown = risk_card(&target).into_string();
        let (owners, reviewers) = shown.split_once("Suggested reviewers").unwrap();
        assert!(owners.contains("<li>Ada 43 %</li>") && reviewers.contains("<strong>Bob</strong>"), "{shown}");
        assert!(!risk_card(&json!({})).into_string().contains("Suggested reviewers"));
    }

    #[test]
    fn a_definition_without_context_keeps_its_path() {
        let shown = failed_content("api", "src/a.rs", "the worker did not answer in time");
        assert!(shown.contains("The worker did not answer in time.") && shown.contains("/r/api/-/src/a.rs"), "{shown}");
        let shell = shell(&Frame::default(), "api", "src/a.rs::Store.find");
        assert!(shell.head.contains("<title>Store.find · api · Causeway</title>"), "{}", shell.head);
    }

    #[test]
    fn unknown_history_is_not_zero() {
        let shown = |history: Value, note: &str| history_card(&history, note).into_string();
        let unknown = shown(Value::Null, "the clone is shallow: `git fetch --unshallow`");
        assert!(
            unknown.contains("the clone is shallow: git fetch --unshallow") && !unknown.contains("<dd>"),
            "{unknown}"
        );
        let empty = shown(json!({"commits": 0, "fixes": 0, "bus_factor": 0}), "shallow");
        assert!(empty.contains("shallow") && !empty.contains("<dd>"), "{empty}");
        let part = shown(json!({"commits": 7, "fixes": 0, "bus_factor": 1}), "the first commits are not read");
        assert!(part.contains("<dd>7</dd>") && !part.contains("Fixes"), "{part}");
        let whole = shown(json!({"commits": 7, "fixes": 0, "bus_factor": 1}), "");
        assert!(whole.contains("<dd>7</dd>") && whole.contains("<dd>0</dd>"), "{whole}");
    }
}
