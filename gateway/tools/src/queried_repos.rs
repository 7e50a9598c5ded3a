//! The repositories that one call queried, for the audit log.

use std::fmt;

use federation::plan::Plan;

/// Maximum number of aliases in one audit event; the others are counted.
const MAX_NAMED: usize = 20;

/// The repositories that a call queried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum QueriedRepos {
    /// No repository: the request was refused first, or it concerns none.
    #[default]
    Nothing,
    /// Every repository that the caller may read.
    All,
    /// Some of the repositories that the caller may read.
    Some {
        /// At most 20 aliases, in the order of the directory.
        named: Vec<String>,
        /// Number of further repositories.
        n_others: usize,
    },
}

impl QueriedRepos {
    /// Returns the repositories of a plan, whether they answered or not.
    pub fn of(plan: &Plan) -> QueriedRepos {
        if plan.is_everything() {
            return QueriedRepos::All;
        }
        let named = plan.asked.iter().take(MAX_NAMED).map(|repo_idx| plan.alias(*repo_idx).to_owned()).collect();
        QueriedRepos::Some { named, n_others: plan.asked.len().saturating_sub(MAX_NAMED) }
    }
}

impl fmt::Display for QueriedRepos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueriedRepos::Nothing => f.write_str("none"),
            QueriedRepos::All => f.write_str("all"),
            QueriedRepos::Some { named, n_others: 0 } => f.write_str(&named.join(",")),
            QueriedRepos::Some { named, n_others } => write!(f, "{} and {n_others} others", named.join(",")),
        }
    }
}
