//! The page of the calls of tools: counts and latencies by tool and caller, and the slowest calls.

use maud::{Markup, html};

use crate::{
    answer::grouped,
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
        p.lead { (grouped(total)) " calls " (scope) " since this gateway started. The figures stay in its memory; nothing is sent anywhere." }
        @if usage.rows.is_empty() { div.empty { h2 { "No calls yet" } p { "Calls of MCP clients and of these pages appear here." } } }
        @else { (call_table(&usage.rows)) }
        @if !usage.slowest.is_empty() { (slow_table(&usage.slowest)) }
    };
    frame.page(Section::Usage, "Usage", body)
}

fn call_table(rows: &[UsageRow]) -> Markup {
    let most = rows.iter().map(|row| row.n_calls).max().unwrap_or(1);
    html! {
        section {
            h2 { "Calls by tool and caller" }
            div.scroll tabindex="0" role="group" aria-label="Calls" {
                table {
                    thead { tr { th scope="col" { "Tool" } th scope="col" { "Caller" } th scope="col" { "Calls" } th scope="col" { "Incomplete" } th scope="col" { "Refused" } th scope="col" { "Median" } th scope="col" { "95 %" } th scope="col" { "Longest" } } }
                    tbody {
                        @for row in rows {
                            tr {
                                td { strong { (row.tool) } }
                                td { (row.caller) }
                                td.num { (grouped(row.n_calls)) meter min="0" max=(most) value=(row.n_calls) title="Share of the most frequent" { (row.n_calls) } }
                                td.num { (grouped(row.n_incomplete)) }
                                td.num { (grouped(row.n_refused)) }
                                td.num { (grouped(row.p50_ms)) " ms" }
                                td.num { (grouped(row.p95_ms)) " ms" }
                                td.num { (grouped(row.max_ms)) " ms" }
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
                    thead { tr { th scope="col" { "Tool" } th scope="col" { "Caller" } th scope="col" { "Duration" } th scope="col" { "When" } th scope="col" { "Trace" } } }
                    tbody {
                        @for call in slowest {
                            tr { td { strong { (call.tool) } } td { (call.caller) } td.num { (grouped(call.ms)) " ms" } td.when { (call.at) } td { code { (call.trace_id) } } }
                        }
                    }
                }
            }
        }
    }
}
