//! How a generation arrives: its manifest, then all files, several at a time; then it is compared and published.

use futures::{StreamExt, TryStreamExt, stream};
use index::{Checksum, GenerationKey, Import, RepositoryDir, Snapshot};
use object_store::{GetResult, ObjectStoreExt, path::Path};
use tokio::{sync::mpsc, task};

use crate::{
    Share, ShareError, keys,
    limits::{CHUNKS_IN_FLIGHT, FILES_AT_ONCE, MAX_MANIFEST_BYTES, within},
    pipe, seal,
};

/// A generation that was loaded, and is current now.
pub struct Loaded {
    pub snapshot: Snapshot,
    /// What was read of the store.
    pub bytes: u64,
}

impl Share {
    /// Loads a generation and publishes it; nothing if it is not stored. After an error nothing has changed.
    pub async fn load(&self, key: &GenerationKey, repository: &RepositoryDir) -> Result<Option<Loaded>, ShareError> {
        let Some(manifest) = self.manifest(key).await? else { return Ok(None) };
        let loaded = self.load_files(key, repository, manifest).await;
        if loaded.is_err() {
            repository.discard_staging();
        }
        match loaded {
            // It was swept while it was read.
            Err(ShareError::Damaged(_)) if !self.holds(key).await? => Ok(None),
            loaded => loaded.map(Some),
        }
    }

    async fn load_files(
        &self,
        key: &GenerationKey,
        repository: &RepositoryDir,
        manifest: Vec<u8>,
    ) -> Result<Loaded, ShareError> {
        let import = repository.import(*key, &manifest).map_err(ShareError::arrival)?;
        let n_bytes = import.files().map(|(_, checksum)| checksum.bytes).sum();
        let fetching = self.fetch_all(key, &import);
        let bytes = within(self.limits.of_bytes(n_bytes), "loading a generation", fetching).await??;
        let published = task::spawn_blocking(move || import.publish()).await;
        let snapshot = published.map_err(|error| ShareError::Damaged(format!("opening it failed: {error}")))?;
        Ok(Loaded { snapshot: snapshot.map_err(ShareError::arrival)?, bytes: bytes + manifest.len() as u64 })
    }

    async fn manifest(&self, key: &GenerationKey) -> Result<Option<Vec<u8>>, ShareError> {
        let path = keys::seal(&self.root, key);
        let asking = async {
            let found = self.store.get(&path).await?;
            let is_bounded = found.meta.size <= MAX_MANIFEST_BYTES;
            if is_bounded { found.bytes().await.map(Some) } else { Ok(None) }
        };
        let sealed = match within(self.limits.ask, "asking for a generation", asking).await? {
            Ok(sealed) => sealed,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(ShareError::store(&error)),
        };
        let manifest = sealed.as_deref().and_then(seal::unseal);
        manifest.map(|manifest| Some(manifest.to_vec())).ok_or_else(|| ShareError::Damaged("its manifest".to_owned()))
    }

    async fn fetch_all(&self, key: &GenerationKey, import: &Import) -> Result<u64, ShareError> {
        let files: Vec<_> = import.files().map(|(name, checksum)| self.fetch(key, import, name, checksum)).collect();
        let bytes: Vec<u64> = stream::iter(files).buffer_unordered(FILES_AT_ONCE).try_collect().await?;
        Ok(bytes.iter().sum())
    }

    /// Brings one file, and returns what it took in the store.
    async fn fetch(
        &self,
        key: &GenerationKey,
        import: &Import,
        name: &str,
        checksum: &Checksum,
    ) -> Result<u64, ShareError> {
        let file = import.create(name).map_err(ShareError::arrival)?;
        if checksum.bytes == 0 {
            return Ok(0);
        }
        let found = self.find(&keys::file(&self.root, key, name, checksum), name).await?;
        let (sender, receiver) = mpsc::channel(CHUNKS_IN_FLIGHT);
        let (owned_name, n_bytes, packing) = (name.to_owned(), checksum.bytes, keys::Packing::of(name));
        let unpacking = task::spawn_blocking(move || pipe::unpack(receiver, packing, &owned_name, n_bytes, file));
        let mut chunks = found.into_stream();
        let mut n_stored = 0;
        while let Some(chunk) = within(self.limits.stall, "loading a file", chunks.next()).await? {
            let chunk = chunk.map_err(|error| ShareError::store(&error))?;
            n_stored += chunk.len() as u64;
            if sender.send(chunk).await.is_err() {
                // Whoever unpacks has found something, and tells it.
                break;
            }
        }
        drop(sender);
        unpacking.await.map_err(|error| pipe::local(name, std::io::Error::other(error)))??;
        Ok(n_stored)
    }

    async fn find(&self, path: &Path, name: &str) -> Result<GetResult, ShareError> {
        match within(self.limits.stall, "loading a file", self.store.get(path)).await? {
            Ok(found) => Ok(found),
            Err(object_store::Error::NotFound { .. }) => Err(ShareError::Damaged(format!("`{name}` is missing"))),
            Err(error) => Err(ShareError::store(&error)),
        }
    }
}
