//! Who asked what of which repositories, and what came of it: one event per call, for whoever has to account for that.
//!
//! It never holds what was searched for, nor anything of a repository but its alias, and only aliases that the caller may
//! read. Events have a target of their own, and are shown whatever else is (`runtime::telemetry`).

use std::{
    fmt,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    access::{Denied, Principal},
    metrics::Outcome,
    plan::Plan,
};

/// Aliases that one event names at most; the rest is counted.
const MAX_NAMED: usize = 20;

/// How often it is told that somebody was turned away: whoever guesses tokens fills no disk.
const REFUSALS_PAUSE: Duration = Duration::from_secs(10);

/// A call that has been answered.
pub(crate) struct Call<'a> {
    pub(crate) principal: &'a Principal,
    /// The tool, or the method of MCP where it is another one.
    pub(crate) tool: &'a str,
    pub(crate) scope: &'a Scope,
    pub(crate) outcome: Outcome,
    pub(crate) trace_id: &'a str,
    pub(crate) elapsed: Duration,
}

/// The repositories that were asked for an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// None: the request was refused before that, or is about none.
    #[default]
    Nothing,
    /// All that the caller may read.
    All,
    Some {
        named: Vec<String>,
        n_others: usize,
    },
}

/// Notes a call. Where no tokens are asked for there is nobody to account for, and the event is one like others.
pub(crate) fn tell(call: &Call<'_>) {
    let Call { principal, tool, scope, outcome, trace_id, elapsed } = call;
    let (principal_name, elapsed_ms) = (principal.name(), elapsed.as_millis() as u64);
    if principal.is_local() {
        tracing::info!(tool, principal = principal_name, repositories = %scope, trace_id, ?outcome, elapsed_ms, "answered");
    } else {
        tracing::info!(
            target: "causeway::audit",
            tool,
            principal = principal_name,
            repositories = %scope,
            trace_id,
            ?outcome,
            elapsed_ms,
            "answered"
        );
    }
}

impl Scope {
    pub(crate) fn of(plan: &Plan) -> Scope {
        if plan.is_everything() {
            return Scope::All;
        }
        let named = plan.asked.iter().take(MAX_NAMED).map(|position| plan.alias(*position).to_owned()).collect();
        Scope::Some { named, n_others: plan.asked.len().saturating_sub(MAX_NAMED) }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Nothing => f.write_str("none"),
            Scope::All => f.write_str("all"),
            Scope::Some { named, n_others: 0 } => f.write_str(&named.join(",")),
            Scope::Some { named, n_others } => write!(f, "{} and {n_others} others", named.join(",")),
        }
    }
}

/// Those who were turned away at the door, of whom nothing is known: told now and then, with how many they were.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<Untold>);

#[derive(Debug, Default)]
struct Untold {
    n_refused: u64,
    told_at: Option<Instant>,
}

impl Refusals {
    pub(crate) fn note(&self, denied: Denied, peer: Option<IpAddr>) {
        if let Some(n_refused) = self.due(Instant::now()) {
            let (reason, peer) = (denied.name(), peer.map(tracing::field::display));
            tracing::info!(target: "causeway::audit", reason, peer, n_refused, "turned away; this is the last of so many");
        }
    }

    /// Counts one, and returns how many are to be told of now, if any.
    fn due(&self, now: Instant) -> Option<u64> {
        let mut untold = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        untold.n_refused += 1;
        let is_due = untold.told_at.is_none_or(|told_at| now.duration_since(told_at) >= REFUSALS_PAUSE);
        is_due.then(|| {
            untold.told_at = Some(now);
            std::mem::take(&mut untold.n_refused)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn refusals_are_counted_and_told_now_and_then() {
        let (refusals, began) = (Refusals::default(), Instant::now());
        let told = [0, 1, 9, 10, 11, 25].map(|second| refusals.due(began + Duration::from_secs(second)));
        assert_eq!(told, [Some(1), None, None, Some(3), None, Some(2)]);
    }
}
