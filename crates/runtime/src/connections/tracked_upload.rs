//! The body of a request, whose bytes are in the account of the request until it has arrived.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use http_body::{Body, Frame, SizeHint};
use hyper::body::Buf as _;

use super::pool::RequestMemory;

/// A request body that is arriving.
pub struct TrackedUpload<B> {
    body: B,
    memory: Option<RequestMemory>,
    n_arrived: usize,
}

impl<B> TrackedUpload<B> {
    pub(super) fn new(body: B, memory: Option<RequestMemory>) -> TrackedUpload<B> {
        TrackedUpload { body, memory, n_arrived: 0 }
    }

    fn has_arrived(&mut self, n_bytes: usize) {
        self.n_arrived += n_bytes;
        if let Some(memory) = &self.memory {
            memory.add(n_bytes);
        }
    }

    /// Ends the account. A request that has arrived waits for the server, which bounds its calls.
    fn end(&mut self) {
        if let Some(memory) = self.memory.take() {
            memory.remove(self.n_arrived);
        }
    }
}

impl<B: Body + Unpin> Body for TrackedUpload<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                let n_bytes = frame.data_ref().map_or(0, |data| data.remaining());
                self.has_arrived(n_bytes);
            }
            Poll::Ready(_) => self.end(),
            Poll::Pending => {}
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

impl<B> Drop for TrackedUpload<B> {
    fn drop(&mut self) {
        self.end();
    }
}
