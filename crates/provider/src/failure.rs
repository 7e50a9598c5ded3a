//! Why there is no answer: what somebody may branch on, and a line for whoever asked.

use std::{fmt, time::Duration};

/// Why a model gave no answer. Each is a line that names neither address nor key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("the model did not answer in time")]
    TimedOut,
    #[error("the model's service takes no more requests now{}", wait(*retry_after))]
    RateLimited {
        /// How long it asks to be left alone, where it says so.
        retry_after: Option<Duration>,
    },
    #[error("the model's service cannot be reached")]
    Unreachable,
    /// The service answered that it cannot answer: a status from 500 on.
    #[error("the model's service has a fault (status {status})")]
    Failing { status: u16 },
    /// What came broke off, never came to its end, or was not understood.
    #[error("what the model's service sent broke off, or was not understood")]
    Garbage,
    /// The service would refuse the same request again.
    #[error("the model's service refused the request (status {status}{})", reason(said))]
    Rejected {
        status: u16,
        /// What it gave as the reason, cleaned and short; often empty.
        said: String,
    },
    #[error("the question would take more tokens than {0} allows")]
    OverBudget(Limit),
    #[error("too many answers are being written at this moment")]
    Busy,
}

/// Which budget a question does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// `tokens_per_answer`.
    Answer,
    /// `tokens_per_day`, together with what was spent on this day.
    Day,
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Limit::Answer => "`tokens_per_answer`",
            Limit::Day => "what is left of `tokens_per_day`",
        })
    }
}

fn wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| format!("; it asks to wait {} s", wait.as_secs()))
}

fn reason(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}
