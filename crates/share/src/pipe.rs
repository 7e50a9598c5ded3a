//! Bytes between the network, which waits, and the threads that pack them, which block.

use std::{
    fs::File,
    io::{self, Read, Write},
};

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::{
    ShareError,
    keys::Packing,
    limits::{CHUNK_BYTES, ZSTD_LEVEL},
};

/// Reads a file, packs it and sends it on. Blocking; it ends when nobody listens.
pub(crate) fn pack(file: File, packing: Packing, chunks: mpsc::Sender<Bytes>) -> io::Result<()> {
    let mut reader = io::BufReader::with_capacity(CHUNK_BYTES, file);
    let mut sender = io::BufWriter::with_capacity(CHUNK_BYTES, ChunkSender(chunks));
    match packing {
        Packing::Plain => io::copy(&mut reader, &mut sender).map(drop)?,
        Packing::Zstd => zstd::stream::copy_encode(&mut reader, &mut sender, ZSTD_LEVEL)?,
    }
    sender.flush()
}

/// Unpacks what comes into a file, which has to get as many bytes as it is to have. Blocking.
///
/// Too few or too many are damage, and more are never written, whatever a few packed bytes unpack to. What the bytes are is
/// compared later, with all files in place.
pub(crate) fn unpack(
    chunks: mpsc::Receiver<Bytes>,
    packing: Packing,
    name: &str,
    n_bytes: u64,
    mut file: File,
) -> Result<(), ShareError> {
    let damaged = |what: String| ShareError::Damaged(format!("`{name}` {what}"));
    let receiver = ChunkReceiver { chunks, rest: Bytes::new() };
    let mut reader: Box<dyn Read> = match packing {
        Packing::Plain => Box::new(receiver),
        Packing::Zstd => Box::new(zstd::Decoder::new(receiver).map_err(|error| damaged(error.to_string()))?),
    };
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut n_written: u64 = 0;
    loop {
        let n_read = reader.read(&mut buffer).map_err(|error| damaged(format!("cannot be unpacked: {error}")))?;
        n_written += n_read as u64;
        if n_written > n_bytes {
            return Err(damaged(format!("is longer than {n_bytes} bytes")));
        }
        if n_read == 0 {
            break;
        }
        file.write_all(&buffer[..n_read]).map_err(|source| local(name, source))?;
    }
    if n_written < n_bytes { Err(damaged(format!("has {n_written} of {n_bytes} bytes"))) } else { Ok(()) }
}

pub(crate) fn local(name: &str, source: io::Error) -> ShareError {
    ShareError::Local(index::IndexError::Io { action: "cannot carry", path: name.to_owned(), source })
}

struct ChunkSender(mpsc::Sender<Bytes>);

impl Write for ChunkSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let nobody_listens = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Bytes::copy_from_slice(bytes)).map_err(nobody_listens)?;
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

    /// Packs a text, changes what is stored, and unpacks it as something of `n_bytes`.
    fn carry(text: &[u8], packing: Packing, n_bytes: u64, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Option<Vec<u8>> {
        let mut from = tempfile::tempfile().unwrap();
        from.write_all(text).unwrap();
        from.rewind().unwrap();
        let (sender, mut receiver) = mpsc::channel(64);
        pack(from, packing, sender).unwrap();
        let mut stored = Vec::new();
        while let Ok(chunk) = receiver.try_recv() {
            stored.extend_from_slice(&chunk);
        }
        let (sender, receiver) = mpsc::channel(64);
        sender.blocking_send(Bytes::from(change(stored))).unwrap();
        drop(sender);
        let mut to = tempfile::tempfile().unwrap();
        unpack(receiver, packing, "x", n_bytes, to.try_clone().unwrap()).ok()?;
        to.rewind().unwrap();
        let mut bytes = Vec::new();
        to.read_to_end(&mut bytes).unwrap();
        Some(bytes)
    }

    #[test]
    fn what_is_packed_is_unpacked_and_nothing_else() {
        let text = b"the same words, the same words, the same words".repeat(9_000);
        let n_bytes = text.len() as u64;
        let cut = |mut stored: Vec<u8>| {
            stored.truncate(stored.len() / 2);
            stored
        };
        let longer = |stored: Vec<u8>| [&stored[..], b"more"].concat();
        for packing in [Packing::Plain, Packing::Zstd] {
            assert_eq!(carry(&text, packing, n_bytes, |stored| stored), Some(text.clone()), "{packing:?}");
            assert_eq!(carry(&text, packing, n_bytes, cut), None, "{packing:?}");
            assert_eq!(carry(&text, packing, n_bytes, longer), None, "{packing:?}");
            assert_eq!(carry(&text, packing, n_bytes - 1, |stored| stored), None, "{packing:?}");
            assert_eq!(carry(&text, packing, n_bytes + 1, |stored| stored), None, "{packing:?}");
        }
        assert_eq!(carry(b"", Packing::Zstd, 0, |stored| stored), Some(Vec::new()));
    }
}
