//! The bytes of a connection, until the pool closes it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    runtime::Handle,
    time::Sleep,
};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::transport::server::Connected;

use super::Connection;

/// Interval at which a connection that is to be read later asks again.
const READ_RETRY: Duration = Duration::from_millis(50);

/// A stream of bytes that fails once its connection is closed. An unauthenticated one is read later under pressure.
pub struct TrackedIo<Io> {
    io: Io,
    connection: Connection,
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Wait for the next read.
    retry: Option<Pin<Box<Sleep>>>,
}

impl<Io> TrackedIo<Io> {
    /// Wraps the bytes of a connection.
    pub fn new(io: Io, connection: Connection) -> TrackedIo<Io> {
        let closed = Box::pin(connection.closing().clone().cancelled_owned());
        TrackedIo { io, connection, closed, retry: None }
    }

    /// Returns the connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    fn note_write(&self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(n_bytes)) if *n_bytes > 0) {
            self.connection.has_written();
        }
    }

    /// Waits while the connection is to be read later.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Ok(runtime) = Handle::try_current() else { return Poll::Ready(()) };
        while self.connection.must_wait(runtime.metrics().num_alive_tasks()) {
            let retry = self.retry.get_or_insert_with(|| Box::pin(tokio::time::sleep(READ_RETRY)));
            ready!(retry.as_mut().poll(context));
            self.retry = None;
        }
        Poll::Ready(())
    }

    /// Returns an error once the connection is closed; otherwise has the task woken then.
    fn poll_closed(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        match self.closed.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the connection gave way")),
            Poll::Pending => Ok(()),
        }
    }
}

impl<Io> Connected for TrackedIo<Io> {
    type ConnectInfo = Connection;

    fn connect_info(&self) -> Connection {
        self.connection.clone()
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for TrackedIo<Io> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_closed(context)?;
        ready!(self.poll_turn(context));
        Pin::new(&mut self.io).poll_read(context, buf)
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for TrackedIo<Io> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_closed(context)?;
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.note_write(&written);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_closed(context)?;
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_closed(context)?;
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_closed(context)?;
        let written = Pin::new(&mut self.io).poll_write_vectored(context, parts);
        self.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}
