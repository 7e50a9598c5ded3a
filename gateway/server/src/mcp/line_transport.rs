//! The transport of standard input and output: one message a line.

use std::{io, sync::Arc};

use futures::StreamExt as _;
use rmcp::{
    RoleServer,
    model::ClientJsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::Serialize;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::Mutex,
    task::JoinSet,
};
use tokio_util::{
    bytes::{Bytes, BytesMut},
    codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, FramedRead},
};

use super::{
    MAX_BODY_BYTES,
    json_rpc::{self, InvalidMessage},
};

/// A transport over a reader and a writer. It answers invalid messages itself.
pub(super) struct LineTransport<R, W> {
    lines: FramedRead<R, LineDecoder>,
    /// `None` after it was closed.
    writer: Arc<Mutex<Option<W>>>,
    /// The error response being written; the next line is read after it. It is a task, since the SDK drops a pending
    /// `receive` at any time.
    rejections: JoinSet<io::Result<()>>,
}

impl<R: AsyncRead, W> LineTransport<R, W> {
    pub(super) fn new(reader: R, writer: W) -> LineTransport<R, W> {
        LineTransport {
            lines: FramedRead::new(reader, LineDecoder::default()),
            writer: Arc::new(Mutex::new(Some(writer))),
            rejections: JoinSet::new(),
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move { write_line(&writer, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(written) = self.rejections.join_next().await {
                written.ok()?.ok()?;
            }
            match read_line(self.lines.next().await?.ok()?) {
                Some(Ok(message)) => return Some(message),
                Some(Err(invalid)) if invalid.expects_response() => {
                    let writer = Arc::clone(&self.writer);
                    self.rejections.spawn(async move { write_line(&writer, &invalid.response()).await });
                }
                Some(Err(_)) | None => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.writer.lock().await.take();
        Ok(())
    }
}

async fn write_line(writer: &Mutex<Option<impl AsyncWrite + Unpin>>, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&line).await?;
    writer.flush().await
}

/// Reads the message of a line; `None` for an empty line.
fn read_line(line: InputLine) -> Option<Result<ClientJsonRpcMessage, InvalidMessage>> {
    match line {
        InputLine::Complete(line) if line.trim_ascii().is_empty() => None,
        InputLine::Complete(line) => Some(json_rpc::read(&line)),
        InputLine::TooLong => Some(Err(InvalidMessage::too_long())),
    }
}

/// A line without its line feed.
enum InputLine {
    Complete(Bytes),
    /// A longer line, which was not kept.
    TooLong,
}

struct LineDecoder(AnyDelimiterCodec);

impl Default for LineDecoder {
    fn default() -> LineDecoder {
        LineDecoder(AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), MAX_BODY_BYTES))
    }
}

impl LineDecoder {
    fn line(read: Result<Option<Bytes>, AnyDelimiterCodecError>) -> io::Result<Option<InputLine>> {
        match read {
            Ok(line) => Ok(line.map(InputLine::Complete)),
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(InputLine::TooLong)),
            Err(AnyDelimiterCodecError::Io(error)) => Err(error),
        }
    }
}

impl Decoder for LineDecoder {
    type Item = InputLine;
    type Error = io::Error;

    fn decode(&mut self, read: &mut BytesMut) -> io::Result<Option<InputLine>> {
        LineDecoder::line(self.0.decode(read))
    }

    fn decode_eof(&mut self, read: &mut BytesMut) -> io::Result<Option<InputLine>> {
        LineDecoder::line(self.0.decode_eof(read))
    }
}
