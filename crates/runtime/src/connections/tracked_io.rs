//! The bytes of a connection, until the pool closes it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::transport::server::Connected;

use super::Connection;

/// Size of a slow read. The smallest request of HTTP/2 has some 13 bytes.
const SLOW_READ_BYTES: usize = 128;

/// A stream of bytes that fails once its connection is closed. An unauthenticated one is read slowly under pressure.
pub struct TrackedIo<Io> {
    io: Io,
    connection: Connection,
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
    /// True if other tasks have run since the last read.
    is_resumed: bool,
}

impl<Io> TrackedIo<Io> {
    /// Wraps the bytes of a connection.
    pub fn new(io: Io, connection: Connection) -> TrackedIo<Io> {
        let closed = Box::pin(connection.closing().clone().cancelled_owned());
        TrackedIo { io, connection, closed, is_resumed: true }
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

    /// Reads few bytes.
    fn poll_slow_read(&mut self, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>>
    where
        Io: AsyncRead + Unpin,
    {
        let mut bytes = [0; SLOW_READ_BYTES];
        let mut part = ReadBuf::new(&mut bytes[..SLOW_READ_BYTES.min(buf.remaining())]);
        let polled = Pin::new(&mut self.io).poll_read(context, &mut part);
        buf.put_slice(part.filled());
        polled
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
        let is_slow = self.connection.begin_read(self.is_resumed);
        if is_slow && !self.is_resumed {
            // The tasks of the requests that were read go first. They would pile up, and be counted too late.
            self.is_resumed = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let n_before = buf.filled().len();
        let polled =
            if is_slow { self.poll_slow_read(context, buf) } else { Pin::new(&mut self.io).poll_read(context, buf) };
        self.connection.has_read(buf.filled().len() - n_before);
        self.is_resumed = polled.is_pending();
        polled
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
