//! An HTTP server for HTTP/1.1 and HTTP/2 whose connections are in a pool.

use std::{convert::Infallible, error::Error, net::SocketAddr, pin::pin};

use futures::StreamExt as _;
use http_body::Body;
use hyper::body::Incoming;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::codegen::http::{Request, Response};
use tower::{Layer as _, Service, ServiceExt as _};

use crate::{
    connections::{self, ConnectionPool, TrackRequests, TrackedIo, TrackedUpload},
    http_connection,
};

/// The address of the client, in the extensions of each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// Serves requests until `closing` is cancelled, and then finishes those in flight. Dropping the future drops all connections.
///
/// The extensions of a request have its [`PeerAddress`] and its [`Connection`](crate::connections::Connection). `on_refusal` is
/// called for each connection without a place.
pub async fn serve<S, B>(
    listener: TcpListener,
    service: S,
    pool: ConnectionPool,
    on_refusal: impl Fn() + Send,
    closing: CancellationToken,
) where
    S: Service<Request<TrackedUpload<Incoming>>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    let (tasks, aborted) = (TaskTracker::new(), CancellationToken::new());
    let _abort_on_drop = aborted.clone().drop_guard();
    {
        // The listener is closed before the requests in flight are finished.
        let mut accepted = pin!(connections::accept(listener, pool, on_refusal));
        while let Some(Some((io, peer))) = closing.run_until_cancelled(accepted.next()).await {
            let serving = serve_connection(io, PeerAddress(peer), service.clone(), closing.clone());
            tasks.spawn(aborted.clone().run_until_cancelled_owned(serving));
        }
    }
    tasks.close();
    tasks.wait().await;
}

/// Serves the requests of one connection.
async fn serve_connection<Io, S, B>(io: TrackedIo<Io>, peer: PeerAddress, service: S, closing: CancellationToken)
where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<TrackedUpload<Incoming>>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    let connection = io.connection().clone();
    let described = {
        let connection = connection.clone();
        TrackRequests.layer(service).map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(connection.clone());
            request
        })
    };
    let builder = http_connection::builder(Some(&connection));
    http_connection::serve(io, Some(connection), builder, described, closing).await;
}

#[cfg(test)]
mod tests;
