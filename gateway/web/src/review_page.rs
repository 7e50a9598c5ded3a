//! The page that reviews a change: a pasted diff, or the commits `base..head` of a repository.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{decimal, list, text, texts},
    coverage_notice::coverage_notice,
    frame::{Frame, Section},
    symbol_page::plain,
};

/// Maximum number of bytes of a change.
pub const MAX_CHANGE_BYTES: usize = 256 * 1024;

/// Maximum number of offered repositories.
const MAX_REPOSITORIES: usize = 1_000;

/// Maximum number of listed effects of a change.
const MAX_EFFECTS: usize = 60;

/// The fields of the form.
#[derive(Debug, Clone, Default)]
pub struct ReviewForm {
    /// The repository.
    pub repo: String,
    /// A diff, or `base..head`.
    pub changes: String,
}

/// Renders the form, and the review if there is one: the answer of `get_risk`, or its refusal.
pub fn render(frame: &Frame, form: &ReviewForm, repositories: &Value, review: Option<&Result<Value, String>>) -> String {
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
            Some(Err(message)) => div.notice.error role="alert" { p { (plain(message)) } },
            Some(Ok(review)) => (result(review)),
        }
    };
    frame.page(Section::Review, "Review a change", body)
}

fn result(review: &Value) -> Markup {
    let change = &review["change"];
    html! {
        div.review-result {
            (coverage_notice(review))
            @if !text(change, "verdict").is_empty() { p.verdict { strong { (plain(text(change, "verdict"))) } } }
            @for key in ["breaks", "may_break", "definitions", "changed", "contracts"] { (effects(key, list(change, key))) }
            @let targets = list(review, "targets");
            @if !targets.is_empty() {
                section {
                    h2 { "Risk of the changed files" span.badge { (targets.len()) } }
                    table {
                        thead { tr { th scope="col" { "Target" } th scope="col" { "Risk" } th scope="col" { "Why" } } }
                        tbody {
                            @for target in targets {
                                tr {
                                    td { a href=(address::entity(text(target, "id"))) { (text(target, "target")) } }
                                    td.num { (format!("{:.1}", decimal(target, "score"))) }
                                    td { (texts(target, "why").take(3).map(plain).collect::<Vec<_>>().join("; ")) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a list of effects; the entries of an answer are texts or objects.
fn effects(key: &str, rows: &[Value]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section.entities {
                h2 { (heading(key)) span.badge { (rows.len()) } }
                ul {
                    @for row in rows.iter().take(MAX_EFFECTS) {
                        li {
                            @match row.as_str() {
                                Some(line) => (plain(line)),
                                None => (effect(row)),
                            }
                        }
                    }
                }
                @if rows.len() > MAX_EFFECTS { p.hint { (rows.len() - MAX_EFFECTS) " more" } }
            }
        }
    }
}

fn heading(key: &str) -> &'static str {
    match key {
        "breaks" => "Breaks",
        "may_break" => "May break",
        "contracts" => "Contracts",
        _ => "Changed definitions",
    }
}

fn effect(row: &Value) -> Markup {
    let id = [text(row, "id"), text(row, "at"), text(row, "definition")].into_iter().find(|id| !id.is_empty()).unwrap_or_default();
    let details = [text(row, "how"), text(row, "what"), text(row, "kind"), text(row, "why"), text(row, "before"), text(row, "after")];
    html! {
        a.strong href=(address::entity(id)) { (id) } " "
        @for detail in details.into_iter().filter(|detail| !detail.is_empty()) { span.relation { (plain(detail)) } " " }
        @let uses = list(row, "uses");
        @if !uses.is_empty() { ul { @for one in uses.iter().take(MAX_EFFECTS) { li { @match one.as_str() { Some(line) => (plain(line)), None => (effect(one)) } } } } }
    }
}
