//! One connection of a server of HTTP or gRPC: its limits, and its requests until it ends.

mod control_frames;
mod metered_io;

use std::{convert::Infallible, error::Error, future, pin::pin};

use http_body::Body;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tonic::codegen::http::{Request, Response};
use tower::Service;

use crate::connections::{
    CONNECTION_WINDOW, Connection, KEEP_ALIVE, MAX_HEAD_BYTES, MAX_STREAMS, PoolTasks, STREAM_WINDOW,
};
use metered_io::MeteredIo;

/// Returns a builder with the limits of all connections. The requests of a connection are tasks of its pool.
pub(crate) fn builder(connection: Option<&Connection>) -> auto::Builder<PoolTasks> {
    let tasks = connection.map_or_else(PoolTasks::default, Connection::tasks);
    let mut builder = auto::Builder::new(tasks);
    builder.http1().max_buf_size(MAX_HEAD_BYTES as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE)
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(MAX_HEAD_BYTES);
    builder
}

/// Serves the requests of one connection until it ends, gives way, or floods the server with control frames. Once `closing` is
/// cancelled, it finishes those in flight.
pub(crate) async fn serve<Io, S, B>(
    io: Io,
    connection: Option<Connection>,
    builder: auto::Builder<PoolTasks>,
    service: S,
    closing: CancellationToken,
) where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let io = TokioIo::new(MeteredIo::new(io));
    let mut serving = pin!(builder.serve_connection(io, TowerToHyperService::new(service)));
    let mut giving_way = pin!(gives_way(connection));
    let ended = tokio::select! {
        ended = serving.as_mut() => Some(ended),
        () = giving_way.as_mut() => None,
        () = closing.cancelled() => {
            serving.as_mut().graceful_shutdown();
            tokio::select! {
                ended = serving => Some(ended),
                () = giving_way => None,
            }
        }
    };
    if let Some(Err(error)) = ended {
        tracing::debug!(%error, "connection error");
    }
}

/// Ends when the connection is to be closed. One without a pool never is.
async fn gives_way(connection: Option<Connection>) {
    match connection {
        Some(connection) => connection.closing().cancelled().await,
        None => future::pending().await,
    }
}
