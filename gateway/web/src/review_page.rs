//! The page that reviews a change: a pasted diff, or the commits `base..head` of a repository.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{counted, decimal, list, number, text, texts},
    coverage_notice::coverage_notice,
    error_page::readable_message,
    frame::{Frame, Section},
    symbol_page::plain,
};

/// Maximum number of bytes of a change.
pub const MAX_CHANGE_BYTES: usize = 256 * 1024;

/// Maximum number of offered repositories.
const MAX_REPOSITORIES: usize = 1_000;

/// Maximum number of listed effects of a change.
const MAX_EFFECTS: usize = 60;

/// Maximum number of listed uses behind an import.
const MAX_BEHIND: usize = 12;

/// The fields of the form.
#[derive(Debug, Clone, Default)]
pub struct ReviewForm {
    /// The repository.
    pub repo: String,
    /// A diff, or `base..head`.
    pub changes: String,
}

/// Renders the form, and the review if there is one: the answer of `get_risk`, or its refusal.
pub fn render(
    frame: &Frame,
    form: &ReviewForm,
    repositories: &Value,
    review: Option<&Result<Value, String>>,
) -> String {
    let body = html! {
        h1 { "Review a change" }
        p.lead { "Paste a diff, or name commits such as " code { "main..feature" } ": what it breaks, in all repositories that you may read. Nothing is stored." }
        form.review method="post" action="/review" {
            input type="hidden" name="csrf" value=(frame.csrf);
            div.field {
                label for="repo" { "Repository" }
                select #repo name="repo" required {
                    @for row in list(repositories, "repositories").iter().take(MAX_REPOSITORIES) {
                        @let name = text(row, "repo");
                        option value=(name) selected[name == form.repo] { (name) }
                    }
                }
            }
            div.field {
                label for="changes" { "Diff, or commits as base..head" }
                textarea #changes name="changes" rows="10" required spellcheck="false" maxlength=(MAX_CHANGE_BYTES) { (form.changes) }
            }
            button.primary type="submit" { "Review" }
        }
        @match review {
            None => {}
            Some(Err(message)) => div.notice.error role="alert" { p { (readable_message(message)) } },
            Some(Ok(review)) => (result(review)),
        }
    };
    frame.page(Section::Review, "Review a change", body)
}

fn result(review: &Value) -> Markup {
    let change = &review["change"];
    let uses = &change["review"]["uses"];
    let findings = list(change, "findings");
    let of_verdict = |verdict: &'static str| findings.iter().filter(move |finding| text(finding, "verdict") == verdict);
    let tests = list(change, "tests_to_run");
    html! {
        div.review-result {
            (coverage_notice(review))
            p.verdict role="status" {
                strong { (counted(number(uses, "broken"), "use")) " broken" } ", " (number(uses, "maybe")) " uncertain, " (number(uses, "fine")) " fine. Risk "
                strong { (format!("{:.1}", decimal(change, "score"))) } " of 10."
            }
            ul.reasons { @for reason in texts(change, "why") { li { (plain(reason)) } } }
            (finding_list("Breaks", of_verdict("broken").collect()))
            (finding_list("May break", of_verdict("maybe").collect()))
            @let definitions = list(change, "definitions");
            @if !definitions.is_empty() {
                section.entities {
                    h2 { "Changed definitions" span.badge { (definitions.len()) } }
                    ul {
                        @for definition in definitions.iter().take(MAX_EFFECTS) {
                            li {
                                div.line { span.kind { (text(definition, "kind")) } " " a.strong href=(address::entity(text(definition, "id"))) { (text(definition, "id")) } span.relation { (text(definition, "change")) } }
                                div.where { (texts(definition, "what").map(plain).collect::<Vec<_>>().join("; ")) }
                            }
                        }
                    }
                }
            }
            (targets("Risk of the changed files", list(change, "files"), "file"))
            (targets("Risk", list(review, "targets"), "target"))
            @if !tests.is_empty() {
                section {
                    h2 { "Tests to run" span.badge { (tests.len()) } }
                    ul.people { @for test in tests.iter().take(MAX_EFFECTS) { li { a href=(address::entity(text(test, "id"))) { (text(test, "id")) } } } }
                }
            }
        }
    }
}

/// Returns the uses with one verdict, each with the reason.
fn finding_list(title: &str, findings: Vec<&Value>) -> Markup {
    html! {
        @if !findings.is_empty() {
            section.entities {
                h2 { (title) span.badge { (findings.len()) } }
                ul {
                    @for finding in findings.iter().take(MAX_EFFECTS) {
                        li {
                            div.line {
                                a.strong href=(address::entity(text(finding, "at"))) { (text(finding, "at")) }
                                @if !text(finding, "user").is_empty() { span.relation { "in " (text(finding, "user")) } }
                                @if finding["is_test"].as_bool() == Some(true) { span.badge { "test" } }
                            }
                            div.where { (plain(text(finding, "reason"))) ", of " a href=(address::entity(text(finding, "definition"))) { (text(finding, "definition")) } }
                            @let behind = number(finding, "n_behind");
                            @if behind > 0 {
                                div.where { "and " (counted(behind, "use")) " behind this import: " (texts(finding, "behind").take(MAX_BEHIND).map(plain).collect::<Vec<_>>().join(", ")) @if behind > MAX_BEHIND as u64 { ", ..." } }
                            }
                        }
                    }
                }
                @if findings.len() > MAX_EFFECTS { p.hint { (findings.len() - MAX_EFFECTS) " more" } }
            }
        }
    }
}

fn targets(title: &str, rows: &[Value], name: &str) -> Markup {
    html! {
        @if !rows.is_empty() {
            section {
                h2 { (title) span.badge { (rows.len()) } }
                table {
                    thead { tr { th scope="col" { "Target" } th scope="col" { "Risk" } th scope="col" { "Why" } } }
                    tbody {
                        @for row in rows.iter().take(MAX_EFFECTS) {
                            tr {
                                td { a href=(address::entity(text(row, name))) { (text(row, name)) } }
                                td.num { (format!("{:.1}", decimal(row, "score"))) }
                                td { (texts(row, "why").take(3).map(plain).collect::<Vec<_>>().join("; ")) }
                            }
                        }
                    }
                }
            }
        }
    }
}
