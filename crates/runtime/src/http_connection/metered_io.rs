//! The bytes of a connection without TLS, until its client sends too many control frames.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};

use super::control_frames::ControlFrames;

/// A stream of bytes that fails once its client sends control frames for nothing.
pub(super) struct MeteredIo<Io> {
    io: Io,
    frames: ControlFrames,
}

impl<Io> MeteredIo<Io> {
    pub(super) fn new(io: Io) -> MeteredIo<Io> {
        MeteredIo { io, frames: ControlFrames::new(Instant::now()) }
    }

    fn note_write(&mut self, written: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(n_bytes)) = written {
            self.frames.send(*n_bytes);
        }
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for MeteredIo<Io> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let n_before = buf.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(context, buf))?;
        let is_allowed = self.frames.receive(&buf.filled()[n_before..], Instant::now);
        let error = || io::Error::new(io::ErrorKind::ConnectionAborted, "too many control frames without requests");
        Poll::Ready(if is_allowed { Ok(()) } else { Err(error()) })
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for MeteredIo<Io> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.note_write(&written);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(context, parts);
        self.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}
