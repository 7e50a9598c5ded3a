//! How a generation leaves: all files, several at a time, and then the manifest.

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use index::{Export, ExportedFile, GenerationKey};
use object_store::{ObjectStoreExt, buffered::BufWriter, path::Path};
use tokio::{io::AsyncWriteExt, sync::mpsc, task};

use crate::{
    Share, ShareError, keys,
    limits::{CHUNKS_IN_FLIGHT, FILES_AT_ONCE, PART_BYTES, PARTS_AT_ONCE, within},
    pipe, seal,
};

/// What came of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exported {
    /// Another worker was first, or this one was before.
    AlreadyThere,
    /// So many bytes were written.
    Written { bytes: u64 },
}

impl Share {
    /// Says whether a complete generation is stored.
    pub async fn holds(&self, key: &GenerationKey) -> Result<bool, ShareError> {
        let path = keys::seal(&self.root, key);
        match within(self.limits.ask, "asking for a generation", self.store.head(&path)).await? {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(ShareError::store(&error)),
        }
    }

    /// Stores a generation unless it is there. `anew` stores it even then, in the place of what turned out to be damaged.
    pub async fn export(&self, export: Export, anew: bool) -> Result<Exported, ShareError> {
        if !anew && self.holds(&export.key).await? {
            return Ok(Exported::AlreadyThere);
        }
        let n_bytes = export.files.iter().map(|file| file.checksum.bytes).sum();
        within(self.limits.of_bytes(n_bytes), "exporting a generation", self.write(export)).await?
    }

    async fn write(&self, export: Export) -> Result<Exported, ShareError> {
        let Export { key, manifest, files } = export;
        let files = files.into_iter().filter(|file| file.checksum.bytes > 0);
        let uploads: Vec<_> = files.map(|file| self.upload(&key, file)).collect();
        let bytes: Vec<u64> = stream::iter(uploads).buffer_unordered(FILES_AT_ONCE).try_collect().await?;
        let sealed = seal::seal(&manifest);
        let n_sealed = sealed.len() as u64;
        let path = keys::seal(&self.root, &key);
        let put = self.store.put(&path, sealed.into());
        within(self.limits.stall, "storing a manifest", put).await?.map_err(|error| ShareError::store(&error))?;
        Ok(Exported::Written { bytes: bytes.iter().sum::<u64>() + n_sealed })
    }

    /// Stores one file, and returns what it takes there.
    async fn upload(&self, key: &GenerationKey, file: ExportedFile) -> Result<u64, ShareError> {
        let ExportedFile { name, checksum, file } = file;
        let packing = keys::Packing::of(&name);
        let (sender, chunks) = mpsc::channel(CHUNKS_IN_FLIGHT);
        let packed = task::spawn_blocking(move || pipe::pack(file, packing, sender));
        let sent = self.send(keys::file(&self.root, key, &name, &checksum), chunks).await;
        let (n_bytes, mut writer) = sent?;
        // What ended early looks like what ended; nothing is stored before it is known which it was.
        let packed = packed.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        if let Err(error) = packed {
            let _ = within(self.limits.stall, "giving up an upload", writer.abort()).await;
            return Err(pipe::local(&name, error));
        }
        let stored = within(self.limits.stall, "storing a file", writer.shutdown()).await?;
        stored.map_err(|error| ShareError::Unavailable(error.to_string()))?;
        Ok(n_bytes)
    }

    async fn send(&self, path: Path, mut chunks: mpsc::Receiver<Bytes>) -> Result<(u64, BufWriter), ShareError> {
        let mut writer =
            BufWriter::with_capacity(self.store.clone(), path, PART_BYTES).with_max_concurrency(PARTS_AT_ONCE);
        let mut n_bytes = 0;
        while let Some(chunk) = chunks.recv().await {
            n_bytes += chunk.len() as u64;
            let put = within(self.limits.stall, "storing a file", writer.put(chunk)).await;
            if let Err(error) = put.and_then(|put| put.map_err(|error| ShareError::store(&error))) {
                let _ = within(self.limits.ask, "giving up an upload", writer.abort()).await;
                return Err(error);
            }
        }
        Ok((n_bytes, writer))
    }
}
