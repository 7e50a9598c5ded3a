//! Loading: the manifest of a generation, then all files, several at a time; then verification and publication.

use futures::{StreamExt, TryStreamExt, stream};
use index::{Checksum, GenerationImport, GenerationKey, RepositoryDir, Snapshot};
use object_store::{GetResult, ObjectStoreExt, path::Path};
use tokio::{sync::mpsc, task};

use crate::{
    error::ShareError,
    generation_store::GenerationStore,
    keys,
    limits::{CHUNKS_IN_FLIGHT, FILES_AT_ONCE, MAX_MANIFEST_BYTES, within},
    pipe, seal,
};

/// A generation that was loaded and published.
pub struct LoadedGeneration {
    /// The open generation.
    pub snapshot: Snapshot,
    /// Number of bytes read from the store.
    pub bytes: u64,
}

impl GenerationStore {
    /// Loads and publishes a generation; `None` if it is not stored. An error leaves the current generation in place.
    pub async fn load(
        &self,
        key: &GenerationKey,
        repository: &RepositoryDir,
    ) -> Result<Option<LoadedGeneration>, ShareError> {
        let Some(manifest) = self.manifest(key).await? else { return Ok(None) };
        let loaded = self.load_files(key, repository, manifest).await;
        if loaded.is_err() {
            repository.discard_staging();
        }
        match loaded {
            // Another worker swept it while it was read.
            Err(ShareError::Damaged(_)) if !self.has_generation(key).await? => Ok(None),
            loaded => loaded.map(Some),
        }
    }

    async fn load_files(
        &self,
        key: &GenerationKey,
        repository: &RepositoryDir,
        manifest: Vec<u8>,
    ) -> Result<LoadedGeneration, ShareError> {
        let import = repository.import(*key, &manifest).map_err(ShareError::from_import)?;
        let n_bytes = import.files().map(|(_, checksum)| checksum.bytes).sum();
        let fetching = self.fetch_all(key, &import);
        let bytes = within(self.limits.of_bytes(n_bytes), "loading a generation", fetching).await??;
        let published = task::spawn_blocking(move || import.publish()).await;
        let snapshot = published.map_err(|error| ShareError::Damaged(format!("opening it failed: {error}")))?;
        Ok(LoadedGeneration {
            snapshot: snapshot.map_err(ShareError::from_import)?,
            bytes: bytes + manifest.len() as u64,
        })
    }

    /// Returns the manifest of a generation; `None` if the generation is not stored.
    async fn manifest(&self, key: &GenerationKey) -> Result<Option<Vec<u8>>, ShareError> {
        let path = keys::seal(&self.root, key);
        let asking = async {
            let found = self.store.get(&path).await?;
            let is_bounded = found.meta.size <= MAX_MANIFEST_BYTES;
            if is_bounded { found.bytes().await.map(Some) } else { Ok(None) }
        };
        let sealed = match within(self.limits.request, "asking for a generation", asking).await? {
            Ok(sealed) => sealed,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(ShareError::unavailable(&error)),
        };
        let manifest = sealed.as_deref().and_then(seal::unseal);
        manifest
            .map(|manifest| Some(manifest.to_vec()))
            .ok_or_else(|| ShareError::Damaged("the manifest fails its checksum".to_owned()))
    }

    async fn fetch_all(&self, key: &GenerationKey, import: &GenerationImport) -> Result<u64, ShareError> {
        let files: Vec<_> = import.files().map(|(name, checksum)| self.fetch(key, import, name, checksum)).collect();
        let bytes: Vec<u64> = stream::iter(files).buffer_unordered(FILES_AT_ONCE).try_collect().await?;
        Ok(bytes.iter().sum())
    }

    /// Loads one file, and returns its stored length.
    async fn fetch(
        &self,
        key: &GenerationKey,
        import: &GenerationImport,
        name: &str,
        checksum: &Checksum,
    ) -> Result<u64, ShareError> {
        let file = import.create_file(name).map_err(ShareError::from_import)?;
        if checksum.bytes == 0 {
            return Ok(0);
        }
        let object = self.get_object(&keys::file(&self.root, key, name, checksum), name).await?;
        let (sender, receiver) = mpsc::channel(CHUNKS_IN_FLIGHT);
        let (owned_name, n_bytes, encoding) = (name.to_owned(), checksum.bytes, keys::ObjectEncoding::of(name));
        let decoding = task::spawn_blocking(move || pipe::decode(receiver, encoding, &owned_name, n_bytes, file));
        let mut chunks = object.into_stream();
        let mut n_stored = 0;
        while let Some(chunk) = within(self.limits.stall, "loading a file", chunks.next()).await? {
            let chunk = chunk.map_err(|error| ShareError::unavailable(&error))?;
            n_stored += chunk.len() as u64;
            if sender.send(chunk).await.is_err() {
                // The decoder failed and returns the error.
                break;
            }
        }
        drop(sender);
        decoding.await.map_err(|error| pipe::local_error(name, std::io::Error::other(error)))??;
        Ok(n_stored)
    }

    async fn get_object(&self, path: &Path, name: &str) -> Result<GetResult, ShareError> {
        match within(self.limits.stall, "loading a file", self.store.get(path)).await? {
            Ok(found) => Ok(found),
            Err(object_store::Error::NotFound { .. }) => Err(ShareError::Damaged(format!("`{name}` is missing"))),
            Err(error) => Err(ShareError::unavailable(&error)),
        }
    }
}
