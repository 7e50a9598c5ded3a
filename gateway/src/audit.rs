//! Who asked what of which repositories, and what came of it: one event per call, for whoever has to account for that.
//!
//! It never holds what was searched for, nor anything of a repository but its alias, and only aliases that the caller may
//! read. Events have a target of their own, and are shown whatever else is (`runtime::telemetry`).

use std::{fmt, time::Duration};

use serde_json::Value;

use crate::{access::Principal, directory::Directory, metrics::Outcome};

/// Aliases that one event names at most; the rest is counted.
const MAX_NAMED: usize = 20;

/// A call that has been answered.
pub(crate) struct Call<'a> {
    pub(crate) principal: &'a Principal,
    pub(crate) tool: &'a str,
    pub(crate) scope: &'a Scope,
    pub(crate) outcome: Outcome,
    pub(crate) trace_id: &'a str,
    pub(crate) elapsed: Duration,
}

/// The repositories that a call names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Those that exist for the caller.
    named: Vec<String>,
    /// What else is named; it may be anything that somebody typed.
    n_others: usize,
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
    /// Returns what the argument `repo` names: aliases with commas between them, or a list.
    pub(crate) fn of(arguments: &Value, principal: &Principal, directory: &Directory) -> Scope {
        let repo = arguments.get("repo");
        let texts: Vec<&str> = match repo {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is_readable = |alias: &str| directory.position(alias).is_some() && principal.may_read(alias);
        let mut scope = Scope::default();
        for text in texts {
            // An alias may itself hold a comma.
            let whole = is_readable(text.trim()).then(|| text.trim());
            let names: Vec<&str> = whole.map_or_else(|| text.split(',').map(str::trim).collect(), |alias| vec![alias]);
            for name in names.into_iter().filter(|name| !name.is_empty()) {
                if is_readable(name) && scope.named.len() < MAX_NAMED {
                    scope.named.push(name.to_owned());
                } else if !matches!(name, "all" | "*") {
                    scope.n_others += 1;
                }
            }
        }
        scope
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.named.is_empty(), self.n_others) {
            (true, 0) => f.write_str("all"),
            (false, 0) => f.write_str(&self.named.join(",")),
            (true, n_others) => write!(f, "{n_others} others"),
            (false, n_others) => write!(f, "{} and {n_others} others", self.named.join(",")),
        }
    }
}
