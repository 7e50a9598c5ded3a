//! gRPC within one process: the same bytes as on a network, over an in-memory pipe.

use hyper_util::rt::TokioIo;
use tokio::{io::DuplexStream, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint, Uri};
use tower::service_fn;

/// Buffer size of a pipe, per direction.
const PIPE_BYTES: usize = 1 << 20;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: usize = 16;

/// Stream of accepted connections, for the server.
pub type Incoming = ReceiverStream<std::io::Result<DuplexStream>>;

/// Returns both ends: a lazily connecting channel for clients, and the stream of connections for the server.
pub fn wire() -> (Channel, Incoming) {
    let (to_server, incoming) = mpsc::channel(BACKLOG);
    let connector = service_fn(move |_: Uri| {
        let to_server = to_server.clone();
        async move {
            let (client, server) = tokio::io::duplex(PIPE_BYTES);
            to_server
                .send(Ok(server))
                .await
                .map_err(|_| std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "the server has stopped"))?;
            Ok::<_, std::io::Error>(TokioIo::new(client))
        }
    });
    let channel = Endpoint::from_static("http://in-memory").connect_with_connector_lazy(connector);
    (channel, ReceiverStream::new(incoming))
}
