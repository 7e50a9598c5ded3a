//! Whose turn it is: so many calls are answered at the same time, and the next wait for a moment, in the order in which they came.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use tokio::sync::Semaphore;

use crate::Core;

/// How long a call waits for its turn. Who is turned away may ask another gateway, which is better than an answer that took
/// much longer than people wait for.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The turns of one server.
#[derive(Clone)]
pub(super) struct Turns {
    free: Arc<Semaphore>,
    core: Arc<Core>,
}

impl Turns {
    pub(super) fn new(at_once: usize, core: Arc<Core>) -> Turns {
        Turns { free: Arc::new(Semaphore::new(at_once)), core }
    }
}

/// Answers a call once it is its turn; turns it away if that takes too long.
pub(super) async fn take_turn(State(turns): State<Turns>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(LONGEST_WAIT, turns.free.acquire()).await {
        Ok(Ok(_turn)) => next.run(request).await,
        _ => {
            turns.core.metrics.record_shed("wait");
            super::turned_away()
        }
    }
}
