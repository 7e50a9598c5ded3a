//! Conversion of gRPC statuses to repository states.

use model::ShardState;
use tonic::{Code, Status, TimeoutExpired};

/// Returns the state of every repository of a call that failed with `status`.
pub fn shard_state(status: &Status) -> ShardState {
    match status.code() {
        Code::DeadlineExceeded => ShardState::TimedOut,
        Code::Cancelled if is_timeout(status) => ShardState::TimedOut,
        // The connection closed during the call: the worker is stopping or gone. No worker returns `Unknown` itself.
        Code::Cancelled | Code::Unavailable | Code::Unknown => ShardState::Unreachable,
        _ => ShardState::Failed,
    }
}

/// Returns true if the call's own timeout cancelled it. Only the message of the status shows this.
fn is_timeout(status: &Status) -> bool {
    status.message() == TimeoutExpired(()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_differ_from_closed_connections() {
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
