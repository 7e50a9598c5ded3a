//! Tells the pool about the requests of a connection, their memory, and responses that its client does not take.

use std::{
    future::{self, Future},
    pin::{Pin, pin},
    task::{Context, Poll},
};

use http_body::{Body, Frame, SizeHint};
use tonic::codegen::http;
use tower::{Layer, Service};

use super::{Connection, REQUEST_BYTES, pool::RequestInFlight, tracked_upload::TrackedUpload};

/// A layer that tracks the requests whose extensions have a [`Connection`]. Others pass through.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrackRequests;

impl<S> Layer<S> for TrackRequests {
    type Service = TrackedRequests<S>;

    fn layer(&self, service: S) -> TrackedRequests<S> {
        TrackedRequests(service)
    }
}

/// A service whose requests are tracked.
#[derive(Debug, Clone)]
pub struct TrackedRequests<S>(S);

impl<S, Q, R> Service<http::Request<Q>> for TrackedRequests<S>
where
    S: Service<http::Request<TrackedUpload<Q>>, Response = http::Response<R>, Future: Send + 'static>,
    S::Error: 'static,
    R: Body + 'static,
{
    type Response = http::Response<TrackedBody<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Q>) -> Self::Future {
        let is_alone = request.version() <= http::Version::HTTP_11;
        let connection = request.extensions().get::<Connection>();
        if connection.is_some_and(|connection| connection.closing().is_cancelled()) {
            // The end of the connection drops the future.
            return Box::pin(future::pending());
        }
        let request_in_flight = connection.map(|connection| connection.begin_request(is_alone));
        let memory = request_in_flight.as_ref().map(RequestInFlight::memory);
        let n_head_bytes = n_bytes_of(request.headers());
        let upload_memory = memory.clone();
        let responding = self.0.call(request.map(|body| TrackedUpload::new(body, upload_memory)));
        let gives_turn = request_in_flight.as_ref().is_some_and(RequestInFlight::gives_turn);
        Box::pin(async move {
            if gives_turn {
                tokio::task::yield_now().await;
            }
            let mut responding = pin!(responding);
            let mut uncounted = memory.as_ref();
            let response = future::poll_fn(|context| {
                let polled = responding.as_mut().poll(context);
                // The first step authenticates the connection of a client with a valid token, and is not counted before.
                if let Some(memory) = uncounted.take() {
                    memory.add(REQUEST_BYTES + n_head_bytes);
                }
                polled
            })
            .await?;
            if let (Some(request), Some(memory)) = (&request_in_flight, &memory) {
                memory.remove(n_head_bytes);
                // A body of a known length is in memory as a whole.
                memory.add(usize::try_from(response.body().size_hint().lower()).unwrap_or_default());
                request.is_ready();
            }
            Ok(response.map(|body| TrackedBody { body, request: request_in_flight }))
        })
    }
}

fn n_bytes_of(headers: &http::HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// A response body. Its request is in flight until the body is sent or dropped.
pub struct TrackedBody<B> {
    body: B,
    request: Option<RequestInFlight>,
}

impl<B: Body + Unpin> Body for TrackedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Some(request) = &self.request {
            match &polled {
                // The body is polled again when the client has taken enough.
                Poll::Ready(_) => request.is_ready(),
                Poll::Pending => request.is_awaited(),
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
