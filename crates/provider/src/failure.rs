//! Reasons why there is no completion, with messages for the user.

use std::{fmt, time::Duration};

/// Reason why a model gave no completion. The messages contain neither address nor key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompletionFailure {
    /// The deadline passed.
    #[error("the model did not answer in time")]
    TimedOut,
    /// The service limits its request rate.
    #[error("the model's service is rate limited{}", retry_suffix(*retry_after))]
    RateLimited {
        /// The wait that the service asks for.
        retry_after: Option<Duration>,
    },
    /// No connection.
    #[error("the model's service cannot be reached")]
    Unreachable,
    /// A server error: a status of 500 or above.
    #[error("the model's service failed (status {status})")]
    Failing {
        /// The HTTP status.
        status: u16,
    },
    /// The response is truncated or malformed.
    #[error("the response of the model's service is truncated or malformed")]
    Malformed,
    /// A client error: the service would reject the same request again.
    #[error("the model's service rejected the request (status {status}{})", reason_suffix(reason))]
    Rejected {
        /// The HTTP status.
        status: u16,
        /// The service's reason, sanitised and shortened; often empty.
        reason: String,
    },
    /// The prompt does not fit a token budget.
    #[error("the prompt needs more tokens than {0} allows")]
    OverBudget(Limit),
    /// The maximum number of concurrent completions is reached.
    #[error("too many completions are in progress")]
    Busy,
}

/// The budget that a prompt does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// `tokens_per_answer`.
    Answer,
    /// `tokens_per_day`, minus the spending of this day.
    Day,
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Limit::Answer => "`tokens_per_answer`",
            Limit::Day => "the remainder of `tokens_per_day`",
        })
    }
}

fn retry_suffix(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| format!("; retry after {} s", wait.as_secs()))
}

fn reason_suffix(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}
