//! The page of the state of indexing, repositories and workers, with what to do about each problem.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{counted, grouped, list, number, text, texts},
    error_page::readable_message,
    frame::{Frame, Refresh, Section},
    repository_page::day,
};

/// A worker, as operators see it.
#[derive(Debug, Clone, Default)]
pub struct WorkerState {
    /// The name.
    pub name: String,
    /// `reachable`, `draining`, or why it is not reachable.
    pub state: String,
    /// True if it answers.
    pub is_reachable: bool,
    /// Number of repositories that it holds.
    pub n_repositories: usize,
    /// Problems of the worker as a whole.
    pub problems: Vec<String>,
}

/// Maximum number of listed repositories.
const MAX_ROWS: usize = 500;

/// Renders the state from the answer of `list_repos`. `workers` is empty for callers that may not see them.
pub fn render(frame: &Frame, repositories: &Value, workers: &[WorkerState]) -> String {
    let rows = list(repositories, "repositories");
    let n_serving = rows.iter().filter(|row| text(row, "state") == "serving").count();
    let n_waiting = rows.iter().filter(|row| is_waiting(row)).count();
    let n_busy = rows.iter().filter(|row| is_busy(row)).count();
    let body = html! {
        div #live data-events="/events" {
            div.head { div {
                h1 { "Health" }
                p.lead { "Live: this page follows the index. " noscript { "Without scripts it is loaded again every few seconds." } }
            } }
            div.tiles {
                (tile("Repositories that answer", &format!("{n_serving} of {}", rows.len()), n_serving + n_waiting == rows.len()))
                (tile("Being indexed", &n_busy.to_string(), true))
                @if !workers.is_empty() {
                    @let n_reachable = workers.iter().filter(|worker| worker.is_reachable).count();
                    (tile("Workers", &format!("{n_reachable} of {}", workers.len()), n_reachable == workers.len()))
                }
                (tile("Files", &grouped(rows.iter().map(|row| number(row, "files")).sum()), true))
                (tile("Definitions", &grouped(rows.iter().map(|row| number(row, "symbols")).sum()), true))
            }
            @if !rows.is_empty() {
                progress aria-label="Repositories that answer" max=(rows.len()) value=(n_serving) {}
            }
            @if n_waiting > 0 { p.hint role="status" { (waiting(n_waiting)) } }
            (problems(rows, workers, repositories))
            (repository_table(rows))
            @if !workers.is_empty() { (worker_table(workers)) }
        }
    };
    frame.refreshed_page(Section::Health, "Health", Refresh::Often, body)
}

fn tile(label: &str, value: &str, is_good: bool) -> Markup {
    html! { div.tile.bad[!is_good] { span.value { (value) } span.label { (label) } } }
}

/// Returns true for a repository whose first index is being made, which is no problem.
fn is_waiting(row: &Value) -> bool {
    matches!(text(row, "state"), "indexing" | "pending" | "not_ready")
}

fn waiting(n_waiting: usize) -> String {
    match n_waiting {
        1 => "1 repository waits for its first index, and answers as soon as that is published.".to_owned(),
        _ => format!(
            "{} repositories wait for their first index, and answer as soon as that is published.",
            grouped(n_waiting as u64)
        ),
    }
}

/// Diagnostics of what is left out by design, as the listing of files writes them behind their number.
const BY_DESIGN: [&str; 3] = [
    "symbolic links are not followed",
    "submodules are not part of this repository",
    "pipes, sockets and devices are not opened",
];

/// Returns true if nothing else is known about the files of a repository than what is left out by design.
fn is_noted_only(row: &Value) -> bool {
    let is_by_design = |line: &str| BY_DESIGN.iter().any(|what| line.ends_with(what));
    number(row, "more_diagnostics") == 0 && texts(row, "diagnostics").all(is_by_design)
}

fn is_busy(row: &Value) -> bool {
    is_waiting(row) || text(row, "reason").contains("index")
}

/// A problem with its remedy.
struct HealthProblem {
    /// The repository or the worker.
    name: String,
    text: String,
    advice: &'static str,
    /// The style class: `bad` if something does not answer, and otherwise empty.
    class: &'static str,
}

/// Style class of a problem because of which something does not answer.
const OUTAGE: &str = "bad";

/// Returns each problem with what to do about it.
fn problems(rows: &[Value], workers: &[WorkerState], repositories: &Value) -> Markup {
    let failed = rows.iter().filter(|row| text(row, "state") != "serving" && !is_waiting(row));
    let stale = rows.iter().filter(|row| !text(row, "stale_warning").is_empty());
    let has_diagnostics = |row: &&Value| !list(row, "diagnostics").is_empty();
    let with_notes = rows.iter().filter(has_diagnostics).filter(|row| is_noted_only(row));
    let noted = with_notes
        .map(|row| format!("{}: {}", text(row, "repo"), texts(row, "diagnostics").collect::<Vec<_>>().join(", ")));
    let has_defects = rows.iter().filter(has_diagnostics).filter(|row| !is_noted_only(row));
    let mut problems: Vec<HealthProblem> = Vec::new();
    problems.extend(failed.map(|row| HealthProblem {
        name: text(row, "repo").to_owned(),
        text: format!("{} {}", text(row, "state"), text(row, "reason")),
        advice: advice(text(row, "state")),
        class: OUTAGE,
    }));
    problems.extend(stale.map(|row| HealthProblem {
        name: text(row, "repo").to_owned(),
        text: text(row, "stale_warning").to_owned(),
        advice: "It is indexed again by itself; if it stays, run `causeway doctor` where its worker runs.",
        class: "",
    }));
    problems.extend(has_defects.map(|row| {
        let first = texts(row, "diagnostics").next().unwrap_or_default();
        let n_diagnostics = list(row, "diagnostics").len() as u64 + number(row, "more_diagnostics");
        HealthProblem {
            name: text(row, "repo").to_owned(),
            text: format!("{}: {first}", counted(n_diagnostics, "diagnostic")),
            // A parser may not know the newest syntax of its language.
            advice: "Everything else is served. Mend the file if it is wrong, or exclude it. A correct file needs nothing.",
            class: "",
        }
    }));
    problems.extend(workers.iter().filter(|worker| !worker.is_reachable).map(|worker| HealthProblem {
        name: worker.name.clone(),
        text: worker.state.clone(),
        advice: "Start the worker, and check its address in the configuration of the gateway and the network between them.",
        class: OUTAGE,
    }));
    problems.extend(workers.iter().flat_map(|worker| {
        worker.problems.iter().map(|problem| HealthProblem {
            name: worker.name.clone(),
            text: problem.clone(),
            advice: "Run `causeway doctor` where the worker runs.",
            class: "",
        })
    }));
    let of_answer = texts(&repositories["_meta"], "notes").map(readable_message);
    let notes: Vec<String> = of_answer.chain(noted.take(MAX_ROWS)).collect();
    html! {
        section {
            h2 { "Problems" span.badge { (problems.len()) } }
            @if problems.is_empty() { p.ok { "None. Every indexed repository is served from its newest commit that is known." } }
            @else {
                ul.problems {
                    @for HealthProblem { name, text, advice, class } in problems.iter().take(MAX_ROWS) {
                        li class=[(!class.is_empty()).then_some(class)] { strong { (name) } " " (text) div.hint { "What to do: " (advice) } }
                    }
                }
            }
            @for note in notes { p.hint { (note) } }
        }
    }
}

fn advice(state: &str) -> &'static str {
    match state {
        "unreachable" => "Start its worker, and check the network between gateway and worker.",
        "failed" => "Run `causeway doctor` where its worker runs; the log of the worker has the reason.",
        _ => "Try again; if it stays, run `causeway doctor` where its worker runs.",
    }
}

fn repository_table(rows: &[Value]) -> Markup {
    html! {
        section {
            h2 { "Repositories" span.badge { (rows.len()) } }
            div.scroll tabindex="0" role="group" aria-label="Repositories" {
                table {
                    thead { tr { th scope="col" { "Repository" } th scope="col" { "State" } th scope="col" { "Branch" } th scope="col" { "Commit" } th scope="col" { "Committed" } th scope="col" { "Indexed (UTC)" } th.num scope="col" { "Files" } } }
                    tbody {
                        @for row in rows.iter().take(MAX_ROWS) {
                            @let is_serving = text(row, "state") == "serving";
                            @let is_bad = !is_serving && !is_waiting(row);
                            tr {
                                td { a.strong href=(address::repository(text(row, "repo"))) { (text(row, "repo")) } }
                                td { span.state.good[is_serving].bad[is_bad] { (text(row, "state").replace('_', " ")) } @if !text(row, "reason").is_empty() { div.hint { (text(row, "reason")) } } }
                                td { (text(row, "branch")) }
                                td { code { (text(row, "indexed_commit").get(..10).unwrap_or(text(row, "indexed_commit"))) } @if number(&row["dirty"], "files") > 0 { span.badge { "+" (number(&row["dirty"], "files")) " edited" } } }
                                td.when { (day(text(row, "committed_at"))) }
                                td.when { (text(row, "indexed_at").replace('T', " ").trim_end_matches('Z')) }
                                td.num { (grouped(number(row, "files"))) }
                            }
                        }
                    }
                }
            }
            @if rows.len() > MAX_ROWS { p.hint { (rows.len() - MAX_ROWS) " more" } }
        }
    }
}

fn worker_table(workers: &[WorkerState]) -> Markup {
    html! {
        section {
            h2 { "Workers" span.badge { (workers.len()) } }
            div.scroll tabindex="0" role="group" aria-label="Workers" { table {
                thead { tr { th scope="col" { "Worker" } th scope="col" { "State" } th.num scope="col" { "Repositories" } } }
                tbody {
                    @for worker in workers {
                        tr {
                            td { (worker.name) }
                            td { span.state.good[worker.is_reachable].bad[!worker.is_reachable] { (worker.state) } }
                            td.num { (worker.n_repositories) }
                        }
                    }
                }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn waiting_and_omission_by_design_are_no_problems() {
        let row = |repo: &str, state: &str, diagnostics: &[&str]| json!({"repo": repo, "state": state, "diagnostics": diagnostics});
        let check = |rows: Vec<Value>, n_problems: usize, expected: &[&str]| {
            let shown = render(&Frame::default(), &json!({"repositories": rows}), &[]);
            let problems = format!("Problems<span class=\"badge\">{n_problems}</span>");
            for part in expected.iter().chain([&problems.as_str()]) {
                assert!(shown.contains(part), "{part}: {shown}");
            }
        };
        let waiting: Vec<Value> = (0..384).map(|idx| row(&format!("r{idx}"), "not_ready", &[])).collect();
        check(waiting, 0, &["384 repositories wait for their first index", "<span class=\"state\">not ready</span>"]);
        check(vec![row("a", "pending", &[]), row("b", "serving", &[])], 0, &["1 repository waits for its first index"]);
        check(vec![row("a", "failed", &[]), row("b", "unreachable", &[])], 2, &["What to do", "<li class=\"bad\">"]);
        // The state of a repository that is expected and that no worker holds.
        let mut lost = row("a", "unreachable", &[]);
        lost["reason"] = json!("no worker within reach holds it");
        check(
            vec![lost, row("b", "serving", &[])],
            1,
            &["tile bad", "unreachable no worker within reach holds it", "Start its worker"],
        );
        check(
            vec![row("a", "serving", &["2 symbolic links are not followed"])],
            0,
            &["a: 2 symbolic links are not followed", "None. Every indexed"],
        );
        check(
            vec![row("a", "serving", &["2 or more files and folders are skipped"])],
            1,
            &["<li><strong>a</strong> 1 diagnostic: 2 or more files"],
        );
        let mut more = row("a", "serving", &["2 symbolic links are not followed"]);
        more["more_diagnostics"] = json!(3);
        check(vec![more], 1, &["4 diagnostics: 2 symbolic links"]);
    }
}
