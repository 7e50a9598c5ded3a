//! The audit log: one event per call with the caller, the tool, the repositories and the outcome.
//!
//! An event never contains a query, nor content of a repository. It contains only aliases that the caller can read.
//! Audit events have their own target, which is logged at every log level (`runtime::telemetry`). They share the queue of the log,
//! with room of their own. A log that nobody reads stops no call; events that are lost then are counted in the log and in the
//! metrics.

use std::{
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{access::Denied, metrics::Outcome};
use federation::principal::Principal;
use runtime::telemetry::AUDIT_TARGET;
use tools::queried_repos::QueriedRepos;

/// Minimum interval between events of rejected requests, so that a caller that guesses tokens cannot fill the disk.
const FAILURE_LOG_INTERVAL: Duration = Duration::from_secs(10);

/// A finished call.
pub(crate) struct AuditedCall<'a> {
    pub(crate) principal: &'a Principal,
    /// The tool, or the MCP method for other requests.
    pub(crate) tool: &'a str,
    pub(crate) queried: &'a QueriedRepos,
    pub(crate) outcome: Outcome,
    pub(crate) trace_id: &'a str,
    pub(crate) elapsed: Duration,
}

/// Logs a call. Without authentication, it is an ordinary event rather than an audit event.
pub(crate) fn record(call: &AuditedCall<'_>) {
    let AuditedCall { principal, tool, queried, outcome, trace_id, elapsed } = call;
    let (principal_name, elapsed_ms) = (principal.name(), elapsed.as_millis() as u64);
    if principal.is_local() {
        tracing::info!(tool, principal = principal_name, repositories = %queried, trace_id, ?outcome, elapsed_ms, "answered");
    } else {
        tracing::info!(
            target: AUDIT_TARGET,
            tool,
            principal = principal_name,
            repositories = %queried,
            trace_id,
            ?outcome,
            elapsed_ms,
            "answered"
        );
    }
}

/// Rate-limited log of rejected requests, with their number.
#[derive(Debug, Default)]
pub(crate) struct AuthFailures(Mutex<PendingFailures>);

#[derive(Debug, Default)]
struct PendingFailures {
    n_refused: u64,
    logged_at: Option<Instant>,
}

impl AuthFailures {
    pub(crate) fn record(&self, denied: Denied, peer: Option<IpAddr>) {
        if let Some(n_refused) = self.count(Instant::now()) {
            let (reason, peer) = (denied.name(), peer.map(tracing::field::display));
            tracing::info!(
                target: AUDIT_TARGET,
                reason,
                peer,
                n_refused,
                "rejected requests; reason and peer are those of the latest"
            );
        }
    }

    /// Counts a rejected request. Returns the number to log now, if the interval is over.
    fn count(&self, now: Instant) -> Option<u64> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.n_refused += 1;
        let is_due = pending.logged_at.is_none_or(|logged_at| now.duration_since(logged_at) >= FAILURE_LOG_INTERVAL);
        is_due.then(|| {
            pending.logged_at = Some(now);
            std::mem::take(&mut pending.n_refused)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn rejected_requests_are_counted_and_logged_at_an_interval() {
        let (failures, began) = (AuthFailures::default(), Instant::now());
        let logged = [0, 1, 9, 10, 11, 25].map(|second| failures.count(began + Duration::from_secs(second)));
        assert_eq!(logged, [Some(1), None, None, Some(3), None, Some(2)]);
    }
}
