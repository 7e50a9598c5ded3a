//! Export: all files of a generation, several at a time, and then its manifest.

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use index::{ExportedFile, GenerationExport, GenerationKey};
use object_store::{ObjectStoreExt, buffered::BufWriter, path::Path};
use tokio::{io::AsyncWriteExt, sync::mpsc, task};

use crate::{
    error::ShareError,
    generation_store::GenerationStore,
    keys,
    limits::{CHUNKS_IN_FLIGHT, FILES_AT_ONCE, PART_BYTES, PARTS_AT_ONCE, within},
    pipe, seal,
};

/// The outcome of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportOutcome {
    /// The generation was stored before.
    AlreadyStored,
    /// The generation was written.
    Written {
        /// Number of bytes written to the store.
        bytes: u64,
    },
}

impl GenerationStore {
    /// Returns true if the generation is stored completely.
    pub async fn has_generation(&self, key: &GenerationKey) -> Result<bool, ShareError> {
        let path = keys::seal(&self.root, key);
        match within(self.limits.request, "asking for a generation", self.store.head(&path)).await? {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(ShareError::unavailable(&error)),
        }
    }

    /// Stores a generation unless it is stored already. `overwrite` stores it in any case, to replace a damaged one.
    pub async fn export(&self, export: GenerationExport, overwrite: bool) -> Result<ExportOutcome, ShareError> {
        if !overwrite && self.has_generation(&export.key).await? {
            return Ok(ExportOutcome::AlreadyStored);
        }
        let n_bytes = export.files.iter().map(|file| file.checksum.bytes).sum();
        within(self.limits.of_bytes(n_bytes), "exporting a generation", self.write(export)).await?
    }

    async fn write(&self, export: GenerationExport) -> Result<ExportOutcome, ShareError> {
        let GenerationExport { key, manifest, files } = export;
        let files = files.into_iter().filter(|file| file.checksum.bytes > 0);
        let uploads: Vec<_> = files.map(|file| self.upload(&key, file)).collect();
        let bytes: Vec<u64> = stream::iter(uploads).buffer_unordered(FILES_AT_ONCE).try_collect().await?;
        let sealed = seal::seal(&manifest);
        let n_sealed = sealed.len() as u64;
        let path = keys::seal(&self.root, &key);
        let put = self.store.put(&path, sealed.into());
        within(self.limits.stall, "storing a manifest", put).await?.map_err(|error| ShareError::unavailable(&error))?;
        Ok(ExportOutcome::Written { bytes: bytes.iter().sum::<u64>() + n_sealed })
    }

    /// Stores one file, and returns its stored length.
    async fn upload(&self, key: &GenerationKey, file: ExportedFile) -> Result<u64, ShareError> {
        let ExportedFile { name, checksum, file } = file;
        let encoding = keys::ObjectEncoding::of(&name);
        let (sender, chunks) = mpsc::channel(CHUNKS_IN_FLIGHT);
        let encoded = task::spawn_blocking(move || pipe::encode(file, encoding, sender));
        let sent = self.send(keys::file(&self.root, key, &name, &checksum), chunks).await;
        let (n_bytes, mut writer) = sent?;
        // A failed encoder also ends the chunks. The upload completes only if the encoder succeeded.
        let encoded = encoded.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        if let Err(error) = encoded {
            let _ = within(self.limits.stall, "aborting an upload", writer.abort()).await;
            return Err(pipe::local_error(&name, error));
        }
        let stored = within(self.limits.stall, "storing a file", writer.shutdown()).await?;
        stored.map_err(|error| ShareError::Unavailable(error.to_string()))?;
        Ok(n_bytes)
    }

    /// Uploads chunks as they arrive. Returns their total length, and the writer that completes the upload.
    async fn send(&self, path: Path, mut chunks: mpsc::Receiver<Bytes>) -> Result<(u64, BufWriter), ShareError> {
        let mut writer =
            BufWriter::with_capacity(self.store.clone(), path, PART_BYTES).with_max_concurrency(PARTS_AT_ONCE);
        let mut n_bytes = 0;
        while let Some(chunk) = chunks.recv().await {
            n_bytes += chunk.len() as u64;
            let put = within(self.limits.stall, "storing a file", writer.put(chunk)).await;
            if let Err(error) = put.and_then(|put| put.map_err(|error| ShareError::unavailable(&error))) {
                let _ = within(self.limits.request, "aborting an upload", writer.abort()).await;
                return Err(error);
            }
        }
        Ok((n_bytes, writer))
    }
}
