//! Reading the source of what will be shown, at the very generations that were searched.

use std::collections::BTreeMap;

use model::{LineSpan, ShardState};
use proto::v1;

use crate::{
    call::Call,
    discovery::ShardClient,
    fan_out,
    plan::{Group, Plan, Shortfalls},
};

/// Lines read before those asked for: a secret of several lines is recognised by its first, and the inside of a long
/// key by being one of several lines alike.
const LEAD_IN: u32 = 60;

/// Lines read after those asked for: the lines alike, or the end of a key, may come after a single line.
const LEAD_OUT: u32 = 4;

/// Source that is wanted.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) position: usize,
    pub(crate) path: String,
    pub(crate) lines: LineSpan,
}

/// Source fit to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub(crate) text: String,
    /// The lines of the file that the text holds.
    pub(crate) lines: LineSpan,
    /// How many lines the whole file has.
    pub(crate) file_lines: u32,
}

impl Call<'_> {
    /// Reads source, one call per worker; nothing where it could not be read, which the plan then accounts for.
    pub(crate) async fn fetch(&self, plan: &mut Plan, wanted: &[Wanted]) -> Vec<Option<Fetched>> {
        let mut by_worker: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (wanted_idx, want) in wanted.iter().enumerate() {
            by_worker.entry(plan.repository(want.position).worker_idx).or_default().push(wanted_idx);
        }
        let positions = |indices: &Vec<usize>| {
            let mut positions: Vec<usize> = indices.iter().map(|idx| wanted[*idx].position).collect();
            positions.sort_unstable();
            positions.dedup();
            positions
        };
        let groups: Vec<Group> = by_worker
            .iter()
            .map(|(worker_idx, indices)| Group { worker_idx: *worker_idx, positions: positions(indices) })
            .collect();
        let message = |group: &Group| v1::FetchRequest {
            items: by_worker[&group.worker_idx].iter().map(|idx| item(plan, &wanted[*idx])).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.fetch(request).await };
        let clients = &self.core.federation.clients;
        let (answered, mut shortfalls) = fan_out::ask(plan, &groups, clients, self.hard_deadline(), message, rpc).await;

        let mut fetched: Vec<Option<Fetched>> = vec![None; wanted.len()];
        for (group, reply) in answered {
            let indices = &by_worker[&group.worker_idx];
            if reply.results.len() != indices.len() {
                fan_out::fall_short(
                    &mut shortfalls,
                    plan,
                    &group,
                    ShardState::Failed,
                    "bad reply: not one result each",
                );
                continue;
            }
            for (wanted_idx, result) in indices.iter().zip(reply.results) {
                fetched[*wanted_idx] = accept(plan, &wanted[*wanted_idx], result, &mut shortfalls);
            }
        }
        plan.fall_short(shortfalls);
        fetched
    }
}

fn item(plan: &Plan, want: &Wanted) -> v1::FetchItem {
    let lines = LineSpan {
        start: want.lines.start.saturating_sub(LEAD_IN).max(1),
        end: want.lines.end.saturating_add(LEAD_OUT),
    };
    v1::FetchItem { target: Some(plan.target(want.position)), path: want.path.clone(), lines: Some(lines.into()) }
}

/// Returns what a result holds if it is what was asked for, cleaned as a whole and only then cut.
fn accept(plan: &Plan, want: &Wanted, result: v1::FetchResult, shortfalls: &mut Shortfalls) -> Option<Fetched> {
    let outcome = result.outcome.unwrap_or_default();
    let generation = &plan.repository(want.position).advertised.generation;
    match outcome.shortfall() {
        // One file that cannot be read is a part of the answer, not all of it.
        Some(ShardState::Failed) => {
            let reason = format!("{}: {}", text::sanitise_name(&want.path), text::sanitise_name(&outcome.reason));
            shortfalls.note(want.position, ShardState::Partial, reason);
            return None;
        }
        Some(ShardState::Partial) => {}
        Some(state) => {
            shortfalls.note(want.position, state, text::sanitise_name(&outcome.reason));
            return None;
        }
        None => {}
    }
    if outcome.generation != *generation {
        shortfalls.note(want.position, ShardState::Failed, "bad reply: another generation than the one asked for");
        return None;
    }
    let lines: LineSpan = result.lines?.into();
    let cleaned = text::clean(&result.text);
    let n_before = want.lines.start.saturating_sub(lines.start) as usize;
    let start = lines.start.max(want.lines.start);
    let n_wanted = want.lines.end.saturating_add(1).saturating_sub(start) as usize;
    let shown: Vec<&str> = cleaned.lines().skip(n_before).take(n_wanted).collect();
    if shown.is_empty() {
        return None;
    }
    let n_shown = u32::try_from(shown.len()).unwrap_or(u32::MAX);
    let lines = LineSpan { start, end: start.saturating_add(n_shown - 1) };
    Some(Fetched { text: shown.join("\n"), lines, file_lines: result.file_lines })
}
