//! Usage: the calls of tools by caller since the start, for the page of operators. It stays in memory.
//!
//! No words of a call are recorded. A caller sees its own calls, and a caller that may read everything sees those of all.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ::web::usage_page::{SlowCall, UsageFigures, UsageRow};
use federation::{instant::rfc3339, principal::Principal};

use crate::metrics::Outcome;

/// Maximum number of pairs of callers and tools. The calls of further callers are counted together.
const MAX_ROWS: usize = 2_000;

/// Name of the callers that are counted together.
const OTHERS: &str = "others";

/// Number of latencies per caller and tool from which percentiles are computed: the latest ones.
const WINDOW: usize = 256;

/// Maximum number of slow calls.
const MAX_SLOWEST: usize = 25;

/// Minimum duration of a slow call: a reader notices it.
const SLOW: Duration = Duration::from_millis(200);

/// The recorded calls.
#[derive(Default)]
pub(crate) struct UsageRecorder(Mutex<UsageTable>);

#[derive(Default)]
struct UsageTable {
    /// By caller and tool.
    rows: BTreeMap<(String, &'static str), CallFigures>,
    /// The slowest calls first.
    slowest: Vec<SlowCall>,
}

#[derive(Default)]
struct CallFigures {
    n_calls: u64,
    n_incomplete: u64,
    n_refused: u64,
    max_ms: u64,
    latest_ms: VecDeque<u64>,
}

impl UsageRecorder {
    /// Records a finished call.
    pub(crate) fn record(&self, principal: &Principal, tool: &str, outcome: Outcome, took: Duration, trace_id: &str) {
        let tool = tools::find(tool).map_or("unknown", |tool| tool.name);
        let ms = took.as_millis() as u64;
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = (principal.name().to_owned(), tool);
        let key =
            if table.rows.len() < MAX_ROWS || table.rows.contains_key(&own) { own } else { (OTHERS.to_owned(), tool) };
        let row = table.rows.entry(key).or_default();
        row.n_calls += 1;
        row.n_incomplete += u64::from(outcome == Outcome::Incomplete);
        row.n_refused += u64::from(matches!(outcome, Outcome::Refused | Outcome::Defect));
        row.max_ms = row.max_ms.max(ms);
        row.latest_ms.push_back(ms);
        if row.latest_ms.len() > WINDOW {
            row.latest_ms.pop_front();
        }
        let is_among_slowest =
            table.slowest.len() < MAX_SLOWEST || table.slowest.last().is_some_and(|last| last.ms < ms);
        if took >= SLOW && is_among_slowest {
            let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let at = rfc3339(seconds as i64).unwrap_or_default().replace('T', " ");
            let (caller, trace_id) = (principal.name().to_owned(), trace_id.to_owned());
            table.slowest.push(SlowCall { caller, tool: tool.to_owned(), ms, at, trace_id });
            table.slowest.sort_by_key(|call| Reverse(call.ms));
            table.slowest.truncate(MAX_SLOWEST);
        }
    }

    /// Returns the calls that a caller may see.
    pub(crate) fn of(&self, principal: &Principal) -> UsageFigures {
        let is_everyone = principal.reads_everything();
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let may_see = |caller: &str| is_everyone || caller == principal.name();
        let row = |((caller, tool), figures): (&(String, &'static str), &CallFigures)| {
            let mut sorted: Vec<u64> = figures.latest_ms.iter().copied().collect();
            sorted.sort_unstable();
            UsageRow {
                caller: caller.clone(),
                tool: (*tool).to_owned(),
                n_calls: figures.n_calls,
                n_incomplete: figures.n_incomplete,
                n_refused: figures.n_refused,
                p50_ms: percentile(&sorted, 50),
                p95_ms: percentile(&sorted, 95),
                max_ms: figures.max_ms,
            }
        };
        let mut rows: Vec<UsageRow> = table.rows.iter().filter(|((caller, _), _)| may_see(caller)).map(row).collect();
        rows.sort_by_key(|row| Reverse(row.n_calls));
        let slowest = table.slowest.iter().filter(|call| may_see(&call.caller)).cloned().collect();
        UsageFigures { rows, slowest, is_everyone }
    }
}

/// Returns a percentile of sorted values by the nearest rank; 0 without values.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_see_their_own_calls() {
        let usage = UsageRecorder::default();
        let ci = Principal::limited("ci", ["api".to_owned()]);
        for ms in 1..=100 {
            usage.record(&ci, "get_answer", Outcome::Complete, Duration::from_millis(ms), "t");
        }
        usage.record(&Principal::local(), "no_such_tool", Outcome::Refused, Duration::from_secs(1), "slow");
        let own = usage.of(&ci);
        assert_eq!((own.rows.len(), own.slowest.len(), own.is_everyone), (1, 0, false));
        assert_eq!((own.rows[0].p50_ms, own.rows[0].p95_ms, own.rows[0].max_ms), (50, 95, 100));
        let all = usage.of(&Principal::local());
        assert_eq!((all.rows.len(), all.rows[1].tool.as_str(), all.rows[1].n_refused), (2, "unknown", 1));
        assert_eq!(all.slowest[0].trace_id, "slow");
    }

    #[test]
    fn further_callers_are_counted_together() {
        let usage = UsageRecorder::default();
        for caller in 0..MAX_ROWS + 10 {
            let principal = Principal::limited(format!("c{caller}"), []);
            usage.record(&principal, "get_answer", Outcome::Complete, Duration::from_millis(1), "");
        }
        let rows = usage.of(&Principal::local()).rows;
        assert_eq!((rows[0].caller.as_str(), rows[0].n_calls, rows.len()), (OTHERS, 10, MAX_ROWS + 1));
    }
}
