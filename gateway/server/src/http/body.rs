//! Reading request bodies. A slow upload takes a place until its deadline, but never a permit of a call, and one caller cannot
//! take the places of all.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, HttpBody as _},
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use federation::principal::Principal;
use futures::TryStreamExt as _;

use crate::{Core, caller_places::CallerPlaces, mcp};

/// Maximum number of bodies that are read at the same time.
const MAX_BODIES: usize = 1_024;

/// Maximum number of bodies of one caller: a third of all.
const MAX_BODIES_OF_CALLER: usize = MAX_BODIES / 3;

/// Maximum size in bytes of a body that is worth reading to keep its connection: that of most calls.
const SHORT_BODY_BYTES: u64 = 16 << 10;

/// Deadline of such a body. It mostly follows its head at once.
const SHORT_BODY_DEADLINE: Duration = Duration::from_millis(500);

/// Deadline of reading a body, which is one message of at most 1 MiB.
const BODY_DEADLINE: Duration = Duration::from_secs(5);

/// Returns the places of bodies that are being read.
pub(crate) fn places() -> CallerPlaces {
    CallerPlaces::new(MAX_BODIES, MAX_BODIES_OF_CALLER)
}

/// Middleware that reads the whole body before the request continues.
pub(crate) async fn read(
    State((core, places)): State<(Arc<Core>, CallerPlaces)>,
    request: Request,
    next: Next,
) -> Response {
    let caller = request.extensions().get::<Principal>().map_or("", Principal::name);
    let Some(place) = places.take(caller) else {
        core.metrics.record_shed("bodies");
        return respond_unread(request, super::overloaded()).await;
    };
    let (parts, body) = request.into_parts();
    let chunks = body.into_data_stream().map_err(|_| (StatusCode::BAD_REQUEST, "the body is incomplete\n"));
    let reading = chunks.try_fold(Vec::new(), |mut read, chunk| async move {
        read.extend_from_slice(&chunk);
        if read.len() <= mcp::MAX_BODY_BYTES {
            Ok(read)
        } else {
            Err((StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than 1 MiB\n"))
        }
    });
    let too_slow = Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time\n"));
    let read = tokio::time::timeout(BODY_DEADLINE, reading).await.unwrap_or(too_slow);
    drop(place);
    match read {
        Ok(read) => next.run(Request::from_parts(parts, Body::from(read))).await,
        // The rest of the body would be parsed as the next request.
        Err(refused) => closing(refused.into_response()),
    }
}

/// Responds to a request whose body was not read. Awaits and drops a short body first, so that the connection can be used again;
/// otherwise closes the connection, since the server would parse the body as the next request.
pub(crate) async fn respond_unread(request: Request, response: Response) -> Response {
    let body = request.into_body();
    let is_short = body.size_hint().upper().is_some_and(|n_bytes| n_bytes <= SHORT_BODY_BYTES);
    let dropping = body.into_data_stream().try_for_each(|_chunk| std::future::ready(Ok(())));
    match is_short {
        true if matches!(tokio::time::timeout(SHORT_BODY_DEADLINE, dropping).await, Ok(Ok(()))) => response,
        _ => closing(response),
    }
}

/// Closes the connection after a response.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
