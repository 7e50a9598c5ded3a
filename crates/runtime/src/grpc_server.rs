//! A gRPC server over a stream of connections. Its connections may be in a pool, and then its calls are tasks of that pool.

use std::{
    any::Any,
    convert::Infallible,
    future::Future,
    io,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use futures::{Stream, StreamExt as _};
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::{
    Status,
    body::Body,
    codegen::http::{HeaderMap, Request, Response},
    transport::server::Connected,
};
use tower::{Layer as _, Service, ServiceExt as _};

use crate::{
    connections::{Connection, TrackRequests, TrackedUpload},
    http_connection,
};

/// The header with the time that a caller waits for its reply.
pub const TIMEOUT_HEADER: &str = "grpc-timeout";

/// Serves calls until `shutdown` or `incoming` ends, and then finishes those in flight. Dropping the future drops all connections.
///
/// The extensions of a request have the connect info of its connection. A [`Connection`] as connect info has the connection tracked.
pub async fn serve<Io, S>(incoming: impl Stream<Item = io::Result<Io>>, service: S, shutdown: impl Future<Output = ()>)
where
    Io: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    S: Service<Request<TrackedUpload<Incoming>>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
{
    let (tasks, aborted, closing) = (TaskTracker::new(), CancellationToken::new(), CancellationToken::new());
    let _abort_on_drop = aborted.clone().drop_guard();
    {
        // The listener is closed before the calls in flight are finished.
        let mut incoming = pin!(incoming);
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                () = shutdown.as_mut() => break,
                accepted = incoming.next() => accepted,
            };
            match accepted {
                Some(Ok(io)) => {
                    let serving = serve_connection(io, service.clone(), closing.clone());
                    tasks.spawn(aborted.clone().run_until_cancelled_owned(serving));
                }
                Some(Err(error)) => tracing::debug!(%error, "a connection was not accepted"),
                None => break,
            }
        }
    }
    closing.cancel();
    tasks.close();
    tasks.wait().await;
}

/// Serves the calls of one connection.
async fn serve_connection<Io, S>(io: Io, service: S, closing: CancellationToken)
where
    Io: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    S: Service<Request<TrackedUpload<Incoming>>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
{
    let info = io.connect_info();
    let connection = (&info as &dyn Any).downcast_ref::<Connection>().cloned();
    let described = TrackRequests.layer(CallerDeadlines(service)).map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(info.clone());
        request
    });
    let builder = http_connection::builder(connection.as_ref()).http2_only();
    http_connection::serve(io, connection, builder, described, closing).await;
}

/// A service that gives a call up when its caller no longer waits.
#[derive(Debug, Clone)]
struct CallerDeadlines<S>(S);

impl<S, B> Service<Request<B>> for CallerDeadlines<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let timeout = timeout_of(request.headers());
        let answering = self.0.call(request);
        Box::pin(async move {
            let Some(timeout) = timeout else { return answering.await };
            let answered = tokio::time::timeout(timeout, answering).await;
            answered.unwrap_or_else(|_| Ok(Status::cancelled("Timeout expired").into_http()))
        })
    }
}

/// Returns the time that a caller waits for its reply, if the headers of its request tell.
pub fn timeout_of(headers: &HeaderMap) -> Option<Duration> {
    parse_timeout(headers.get(TIMEOUT_HEADER)?.to_str().ok()?)
}

/// Parses a timeout of gRPC: at most eight digits and a unit.
fn parse_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(amount * 3600)),
        "M" => Some(Duration::from_secs(amount * 60)),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
