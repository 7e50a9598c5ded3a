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

use super::{Connection, open_connections::ReadPace};

/// Interval of the reads of a connection that takes turns with others.
const TURN_INTERVAL: Duration = Duration::from_millis(50);

/// Size of a short read: a common request of HTTP/2 takes one or two.
const SHORT_READ_BYTES: usize = 512;

/// A stream of bytes that fails once its connection is closed. Under pressure, unauthenticated ones take turns.
pub struct TrackedIo<Io> {
    io: Io,
    connection: Connection,
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
    /// When the connection may be read again.
    next_turn: Option<Pin<Box<Sleep>>>,
}

impl<Io> TrackedIo<Io> {
    /// Wraps the bytes of a connection.
    pub fn new(io: Io, connection: Connection) -> TrackedIo<Io> {
        let closed = Box::pin(connection.closing().clone().cancelled_owned());
        TrackedIo { io, connection, closed, next_turn: None }
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

    /// Waits until the connection may be read, and returns the maximum number of bytes.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        let Ok(runtime) = Handle::try_current() else { return Poll::Ready(usize::MAX) };
        loop {
            if let Some(turn) = &mut self.next_turn {
                ready!(turn.as_mut().poll(context));
                self.next_turn = None;
            }
            match self.connection.read_pace(runtime.metrics().num_alive_tasks()) {
                ReadPace::Full => return Poll::Ready(usize::MAX),
                ReadPace::Short => return Poll::Ready(SHORT_READ_BYTES),
                ReadPace::Later => self.wait_for_next_turn(),
            }
        }
    }

    fn wait_for_next_turn(&mut self) {
        self.next_turn = Some(Box::pin(tokio::time::sleep(TURN_INTERVAL)));
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
        let max_bytes = ready!(self.poll_turn(context));
        if max_bytes >= buf.remaining() {
            return Pin::new(&mut self.io).poll_read(context, buf);
        }
        let mut bytes = [0; SHORT_READ_BYTES];
        let mut part = ReadBuf::new(&mut bytes);
        let polled = Pin::new(&mut self.io).poll_read(context, &mut part);
        buf.put_slice(part.filled());
        if polled.is_ready() {
            self.wait_for_next_turn();
        }
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
