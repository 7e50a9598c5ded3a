//! The page of the calls of tools: counts and latencies by tool and caller, and the slowest calls.

use maud::{Markup, html};

use crate::{
    answer::{counted, grouped},
    frame::{Frame, Section},
};

/// The calls of one tool by one caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageRow {
    /// The caller.
    pub caller: String,
    /// The tool.
    pub tool: String,
    /// Number of calls.
    pub n_calls: u64,
    /// Number of calls with an incomplete answer.
    pub n_incomplete: u64,
    /// Number of refused and failed calls.
    pub n_refused: u64,
    /// Latencies of the last calls in milliseconds: the median, the 95th percentile and the maximum.
    pub p50_ms: u64,
    /// The 95th percentile.
    pub p95_ms: u64,
    /// The maximum.
    pub max_ms: u64,
}

/// A slow call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlowCall {
    /// The caller.
    pub caller: String,
    /// The tool.
    pub tool: String,
    /// The duration.
    pub ms: u64,
    /// The time, as written in the page.
    pub at: String,
    /// The id of the trace, by which logs and traces have the call.
    pub trace_id: String,
}

/// The calls since the start of the gateway, as far as a caller may see them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageFigures {
    /// By caller and tool, the most frequent first.
    pub rows: Vec<UsageRow>,
    /// The slowest calls first.
    pub slowest: Vec<SlowCall>,
    /// True if the calls of all callers are shown.
    pub is_everyone: bool,
}

/// Renders the page.
pub fn render(frame: &Frame, usage: &UsageFigures) -> String {
    let total: u64 = usage.rows.iter().map(|row| row.n_calls).sum();
    let scope = if usage.is_everyone { "of all callers" } else { "of you" };
    let body = html! {
        h1 { "Usage" }
        p.lead { (counted(total, "call")) " " (scope) " since this gateway started. The figures stay in its memory; nothing is sent anywhere." }
        @if usage.rows.is_empty() { div.empty { h2 { "No calls yet" } p { "Calls of MCP clients and of these pages appear here." } } }
        @else { (call_table(&usage.rows)) }
        @if !usage.slowest.is_empty() { (slow_table(&usage.slowest)) }
    };
    frame.page(Section::Usage, "Usage", body)
}

/// Returns a duration in whole milliseconds.
fn duration(ms: u64) -> String {
    if ms == 0 { "under 1 ms".to_owned() } else { format!("{} ms", grouped(ms)) }
}

fn call_table(rows: &[UsageRow]) -> Markup {
    let most = rows.iter().map(|row| row.n_calls).max().unwrap_or(1);
    html! {
        section {
            h2 { "Calls by tool and caller" }
            p.hint { "Incomplete: a repository did not answer, and the answer says so. Refused: the request named nothing that is known, or failed. Times are those of the last calls." }
            div.scroll tabindex="0" role="group" aria-label="Calls" {
                table {
                    thead { tr { th scope="col" { "Tool" } th scope="col" { "Caller" } th.num scope="col" { "Calls" } th.num scope="col" { "Incomplete" } th.num scope="col" { "Refused" } th.num scope="col" { "Median" } th.num scope="col" { "95 % within" } th.num scope="col" { "Longest" } } }
                    tbody {
                        @for row in rows {
                            tr {
                                td { strong { (row.tool) } }
                                td { (row.caller) }
                                td.num { (grouped(row.n_calls)) meter min="0" max=(most) value=(row.n_calls) title="Share of the most frequent" { (row.n_calls) } }
                                td.num { (grouped(row.n_incomplete)) }
                                td.num { (grouped(row.n_refused)) }
                                td.num { (duration(row.p50_ms)) }
                                td.num { (duration(row.p95_ms)) }
                                td.num { (duration(row.max_ms)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn slow_table(slowest: &[SlowCall]) -> Markup {
    html! {
        section {
            h2 { "Slowest calls" }
            p.hint { "The words of a call are not recorded. Logs and traces have its trace id." }
            div.scroll tabindex="0" role="group" aria-label="Slowest calls" {
                table {
                    thead { tr { th scope="col" { "Tool" } th scope="col" { "Caller" } th.num scope="col" { "Duration" } th scope="col" { "When (UTC)" } th scope="col" { "Trace" } } }
                    tbody {
                        @for call in slowest {
                            tr { td { strong { (call.tool) } } td { (call.caller) } td.num { (duration(call.ms)) } td.when { (call.at.trim_end_matches('Z')) } td { code { (call.trace_id) } } }
                        }
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
    fn figures_are_explained_and_short_calls_took_time() {
        let row = UsageRow { tool: "list_repos".to_owned(), n_calls: 2, max_ms: 1_516, ..UsageRow::default() };
        let usage = UsageFigures { rows: vec![row], ..UsageFigures::default() };
        let shown = render(&Frame::default(), &usage);
        for part in ["under 1 ms", "1\u{202f}516 ms", "Incomplete: a repository did not answer"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains(">0 ms"), "{shown}");
    }
}
