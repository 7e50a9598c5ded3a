//! What the status of a failed call says of the repositories that it was about.

use model::ShardState;
use tonic::{Code, Status, TimeoutExpired};

/// Returns the state that every repository of a call is in when the call as a whole failed with `status`.
pub fn shard_state(status: &Status) -> ShardState {
    match status.code() {
        Code::DeadlineExceeded => ShardState::TimedOut,
        Code::Cancelled if is_timeout(status) => ShardState::TimedOut,
        // The connection went away under the call: the worker was about to stop, or is gone. No worker says `Unknown` by itself.
        Code::Cancelled | Code::Unavailable | Code::Unknown => ShardState::Unreachable,
        _ => ShardState::Failed,
    }
}

/// Says whether a call was cancelled by its own timeout, which a status tells by nothing but its message.
fn is_timeout(status: &Status) -> bool {
    status.message() == TimeoutExpired(()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_told_from_a_connection_that_closed() {
        for (status, expected) in [
            (Status::cancelled(TimeoutExpired(()).to_string()), ShardState::TimedOut),
            (Status::deadline_exceeded("too late"), ShardState::TimedOut),
            (Status::cancelled("operation was canceled"), ShardState::Unreachable),
            (Status::unavailable("connection refused"), ShardState::Unreachable),
            (Status::unknown("transport error"), ShardState::Unreachable),
            (Status::internal("a defect"), ShardState::Failed),
        ] {
            assert_eq!(shard_state(&status), expected, "{status}");
        }
    }
}
