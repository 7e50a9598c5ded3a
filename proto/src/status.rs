//! What the status of a failed call says of the repositories that it was about.

use model::ShardState;
use tonic::{Code, Status};

/// Returns the state that every repository of a call is in when the call as a whole failed with `status`.
///
/// The timeout of a client surfaces as `Cancelled` in tonic, hence its place beside `DeadlineExceeded`.
pub fn shard_state(status: &Status) -> ShardState {
    match status.code() {
        Code::DeadlineExceeded | Code::Cancelled => ShardState::TimedOut,
        Code::Unavailable => ShardState::Unreachable,
        _ => ShardState::Failed,
    }
}
