//! Encoding and decoding of files on blocking threads, connected to the async network by channels of chunks.

use std::{
    fs::File,
    io::{self, Read, Write},
};

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::{
    error::ShareError,
    keys::ObjectEncoding,
    limits::{CHUNK_BYTES, ZSTD_LEVEL},
};

/// Reads and encodes a file into a channel. Blocking. It fails if the receiver is dropped.
pub(crate) fn encode(file: File, encoding: ObjectEncoding, chunks: mpsc::Sender<Bytes>) -> io::Result<()> {
    let mut reader = io::BufReader::with_capacity(CHUNK_BYTES, file);
    let mut sender = io::BufWriter::with_capacity(CHUNK_BYTES, ChunkSender(chunks));
    match encoding {
        ObjectEncoding::Plain => io::copy(&mut reader, &mut sender).map(drop)?,
        ObjectEncoding::Zstd => zstd::stream::copy_encode(&mut reader, &mut sender, ZSTD_LEVEL)?,
    }
    sender.flush()
}

/// Decodes a channel of chunks into a file of `n_bytes` bytes. Blocking.
///
/// Any other length is damage. At most `n_bytes` are written, so a decompression bomb does no harm. Checksums are compared
/// later, when all files are complete.
pub(crate) fn decode(
    chunks: mpsc::Receiver<Bytes>,
    encoding: ObjectEncoding,
    name: &str,
    n_bytes: u64,
    mut file: File,
) -> Result<(), ShareError> {
    let damaged = |problem: String| ShareError::Damaged(format!("`{name}` {problem}"));
    let receiver = ChunkReceiver { chunks, rest: Bytes::new() };
    let mut reader: Box<dyn Read> = match encoding {
        ObjectEncoding::Plain => Box::new(receiver),
        ObjectEncoding::Zstd => Box::new(zstd::Decoder::new(receiver).map_err(|error| damaged(error.to_string()))?),
    };
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut n_written: u64 = 0;
    loop {
        let n_read = reader.read(&mut buffer).map_err(|error| damaged(format!("cannot be decompressed: {error}")))?;
        n_written += n_read as u64;
        if n_written > n_bytes {
            return Err(damaged(format!("is longer than {n_bytes} bytes")));
        }
        if n_read == 0 {
            break;
        }
        file.write_all(&buffer[..n_read]).map_err(|source| local_error(name, source))?;
    }
    if n_written < n_bytes { Err(damaged(format!("has {n_written} of {n_bytes} bytes"))) } else { Ok(()) }
}

/// Returns the error of a local file during a transfer.
pub(crate) fn local_error(name: &str, source: io::Error) -> ShareError {
    ShareError::Local(index::IndexError::Io { action: "cannot transfer", path: name.to_owned(), source })
}

struct ChunkSender(mpsc::Sender<Bytes>);

impl Write for ChunkSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Bytes::copy_from_slice(bytes)).map_err(is_closed)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct ChunkReceiver {
    chunks: mpsc::Receiver<Bytes>,
    rest: Bytes,
}

impl Read for ChunkReceiver {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            let Some(chunk) = self.chunks.blocking_recv() else { return Ok(0) };
            self.rest = chunk;
        }
        let n_bytes = buffer.len().min(self.rest.len());
        buffer[..n_bytes].copy_from_slice(&self.rest.split_to(n_bytes));
        Ok(n_bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Seek;

    use super::*;

    /// Encodes a text, changes the encoded bytes, and decodes them as a file of `n_bytes`.
    fn round_trip(
        text: &[u8],
        encoding: ObjectEncoding,
        n_bytes: u64,
        change: impl Fn(Vec<u8>) -> Vec<u8>,
    ) -> Option<Vec<u8>> {
        let mut from = tempfile::tempfile().unwrap();
        from.write_all(text).unwrap();
        from.rewind().unwrap();
        let (sender, mut receiver) = mpsc::channel(64);
        encode(from, encoding, sender).unwrap();
        let mut stored = Vec::new();
        while let Ok(chunk) = receiver.try_recv() {
            stored.extend_from_slice(&chunk);
        }
        let (sender, receiver) = mpsc::channel(64);
        sender.blocking_send(Bytes::from(change(stored))).unwrap();
        drop(sender);
        let mut to = tempfile::tempfile().unwrap();
        decode(receiver, encoding, "x", n_bytes, to.try_clone().unwrap()).ok()?;
        to.rewind().unwrap();
        let mut bytes = Vec::new();
        to.read_to_end(&mut bytes).unwrap();
        Some(bytes)
    }

    #[test]
    fn files_survive_a_round_trip_and_damage_is_an_error() {
        let text = b"the same words, the same words, the same words".repeat(9_000);
        let n_bytes = text.len() as u64;
        let cut = |mut stored: Vec<u8>| {
            stored.truncate(stored.len() / 2);
            stored
        };
        let longer = |stored: Vec<u8>| [&stored[..], b"more"].concat();
        for encoding in [ObjectEncoding::Plain, ObjectEncoding::Zstd] {
            assert_eq!(round_trip(&text, encoding, n_bytes, |stored| stored), Some(text.clone()), "{encoding:?}");
            assert_eq!(round_trip(&text, encoding, n_bytes, cut), None, "{encoding:?}");
            assert_eq!(round_trip(&text, encoding, n_bytes, longer), None, "{encoding:?}");
            assert_eq!(round_trip(&text, encoding, n_bytes - 1, |stored| stored), None, "{encoding:?}");
            assert_eq!(round_trip(&text, encoding, n_bytes + 1, |stored| stored), None, "{encoding:?}");
        }
        assert_eq!(round_trip(b"", ObjectEncoding::Zstd, 0, |stored| stored), Some(Vec::new()));
    }
}
