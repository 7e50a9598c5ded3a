//! Server-sent events: one event whenever a repository that the caller may read changes its state.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension,
    http::StatusCode,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use federation::{directory::Directory, plan::Visible};
use futures::{StreamExt as _, stream};
use tokio::time::Instant;

use super::viewer::Viewer;
use crate::caller_places::{CallerPlace, CallerPlaces};

/// Maximum number of concurrent streams of a gateway. Pages without one can be loaded again.
const MAX_STREAMS: usize = 256;

/// Maximum number of streams of one caller: a quarter of all.
const MAX_STREAMS_OF_CALLER: usize = MAX_STREAMS / 4;

/// Maximum age of a stream. The browser opens a new one, which is authenticated again.
const MAX_AGE: Duration = Duration::from_secs(600);

/// Minimum interval of events: while many repositories are indexed, each of them is a change.
const MIN_INTERVAL: Duration = Duration::from_millis(400);

/// Interval of comments that keep a proxy from closing the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Returns the places of streams. If access is open, all callers are one.
pub(crate) fn stream_places(is_open: bool) -> CallerPlaces {
    CallerPlaces::new(MAX_STREAMS, if is_open { MAX_STREAMS } else { MAX_STREAMS_OF_CALLER })
}

/// The state of one stream.
struct EventStreamState {
    viewer: Viewer,
    directory: Arc<Directory>,
    fingerprint: blake3::Hash,
    end: Instant,
    _place: CallerPlace,
}

pub(super) async fn events(Extension(viewer): Extension<Viewer>) -> Response {
    let Some(place) = viewer.core.event_streams.take(viewer.principal.name()) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many open pages, load the page again\n").into_response();
    };
    let directory = viewer.core.workers().directory();
    let fingerprint = fingerprint(&viewer, &directory);
    let draining = viewer.core.draining.clone();
    let end = Instant::now() + MAX_AGE;
    let state = EventStreamState { viewer, directory, fingerprint, end, _place: place };
    let changes = stream::unfold(state, next_change).take_until(draining.cancelled_owned());
    Sse::new(changes).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

/// Waits until a readable repository changes. Ends the stream at its maximum age.
async fn next_change(mut state: EventStreamState) -> Option<(Result<Event, Infallible>, EventStreamState)> {
    loop {
        let remaining = state.end.checked_duration_since(Instant::now())?;
        let workers = Arc::clone(state.viewer.core.workers());
        if !workers.wait_for_change(&state.directory, remaining).await {
            return None;
        }
        tokio::time::sleep(MIN_INTERVAL).await;
        state.directory = workers.directory();
        let now = fingerprint(&state.viewer, &state.directory);
        if now != state.fingerprint {
            state.fingerprint = now;
            return Some((Ok(Event::default().event("changed").data("")), state));
        }
    }
}

/// Returns a hash of the state of the repositories that a caller may read: no event tells of others.
fn fingerprint(viewer: &Viewer, directory: &Arc<Directory>) -> blake3::Hash {
    let visible = Visible::new(Arc::clone(directory), &viewer.principal);
    let hashes = viewer.core.state_hashes.of(directory);
    let mut hasher = blake3::Hasher::new();
    for repo_idx in visible.repo_idxs() {
        hasher.update(hashes.repositories[repo_idx.0].as_bytes());
    }
    if viewer.principal.reads_everything() {
        hasher.update(hashes.workers.as_bytes());
    }
    hasher.finalize()
}
