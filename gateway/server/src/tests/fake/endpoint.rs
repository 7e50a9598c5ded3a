//! Endpoints of fake workers: real gRPC channels over in-memory streams.

use axum::http::{HeaderValue, Response};
use futures::{StreamExt as _, stream};
use hyper_util::rt::TokioIo;
use proto::v1::shard_service_server::ShardServiceServer;
use tokio::{io::DuplexStream, sync::watch, task::AbortHandle};
use tonic::{
    body::Body,
    transport::{Endpoint, Server},
};
use tower::util::MapResponseLayer;

use super::{FakeRepository, FakeWorker, WorkerBehaviour};
use federation::discovery::WorkerEndpoint;

/// Buffer size of a connection.
const PIPE_BYTES: usize = 1 << 20;

impl FakeWorker {
    pub(in crate::tests) fn endpoint(
        name: &'static str,
        repositories: Vec<FakeRepository>,
        behaviour: WorkerBehaviour,
    ) -> WorkerEndpoint {
        Self::observed_endpoint(name, repositories, behaviour).0
    }

    /// Returns the worker, and the number of its searches in flight.
    pub(in crate::tests) fn observed_endpoint(
        name: &'static str,
        repositories: Vec<FakeRepository>,
        behaviour: WorkerBehaviour,
    ) -> (WorkerEndpoint, watch::Receiver<usize>) {
        let worker = FakeWorker::new(name, repositories, behaviour);
        let observed = worker.searches_in_flight.subscribe();
        let (client, server) = tokio::io::duplex(PIPE_BYTES);
        worker.serve(server);
        (dialled_once(name, client), observed)
    }

    /// Returns a worker that is healthy until it is stopped and unreachable afterwards.
    pub(in crate::tests) fn mortal_endpoint(
        name: &'static str,
        repositories: Vec<FakeRepository>,
    ) -> (WorkerEndpoint, AbortHandle) {
        let (client, mut client_side) = tokio::io::duplex(PIPE_BYTES);
        let (mut server_side, server) = tokio::io::duplex(PIPE_BYTES);
        FakeWorker::new(name, repositories, WorkerBehaviour::Healthy).serve(server);
        let line = tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client_side, &mut server_side).await });
        (dialled_once(name, client), line.abort_handle())
    }

    pub(in crate::tests) fn name(&self) -> &'static str {
        self.name
    }

    fn serve(self, server: DuplexStream) {
        let incoming = stream::once(async move { Ok::<_, std::io::Error>(server) }).chain(stream::pending());
        let server = Server::builder().layer(introducing(self.name)).add_service(ShardServiceServer::new(self));
        tokio::spawn(server.serve_with_incoming(incoming));
    }
}

/// Returns a layer that adds the name of the worker to every reply without one.
pub(in crate::tests) fn introducing(
    name: &'static str,
) -> MapResponseLayer<impl Fn(Response<Body>) -> Response<Body> + Clone> {
    MapResponseLayer::new(move |mut response: Response<Body>| {
        response.headers_mut().entry(proto::WORKER_HEADER).or_insert(HeaderValue::from_static(name));
        response
    })
}

/// Returns a worker with this connection, which cannot be dialled a second time.
fn dialled_once(name: &'static str, client: DuplexStream) -> WorkerEndpoint {
    let mut client = Some(client);
    let connector = tower::service_fn(move |_| {
        let client = client.take().map(TokioIo::new).ok_or_else(|| std::io::Error::other("dialled already"));
        async move { client }
    });
    let channel = Endpoint::from_static("http://fake").connect_with_connector_lazy(connector);
    WorkerEndpoint::new(name, move || channel.clone())
}
