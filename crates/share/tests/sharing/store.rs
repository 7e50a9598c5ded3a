//! An object store with fault injection.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, memory::InMemory, path::Path,
};

/// The fault of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It fails after this number of puts.
    PutsAfter(usize),
    /// It never answers.
    Silent,
    /// It answers requests for manifests only.
    SilentFiles,
    /// It fails every request.
    Error,
}

#[derive(Debug)]
pub(crate) struct FaultyStore {
    inner: Arc<InMemory>,
    fault: Fault,
    n_puts: AtomicUsize,
}

impl FaultyStore {
    pub(crate) fn new(inner: Arc<InMemory>, fault: Fault) -> FaultyStore {
        FaultyStore { inner, fault, n_puts: AtomicUsize::new(0) }
    }

    async fn inject(&self, path: &Path, is_put: bool) -> Result<()> {
        let refused = || Err(Error::Generic { store: "faulty", source: "500 Internal Server Error".into() });
        match self.fault {
            Fault::PutsAfter(n) if is_put && self.n_puts.fetch_add(1, Ordering::SeqCst) >= n => refused(),
            Fault::PutsAfter(_) => Ok(()),
            Fault::SilentFiles if path.filename() == Some("manifest") => Ok(()),
            Fault::Silent | Fault::SilentFiles => std::future::pending().await,
            Fault::Error => refused(),
        }
    }
}

/// Returns the names of all objects.
pub(crate) async fn objects(store: &dyn ObjectStore) -> Vec<Path> {
    store.list(None).map_ok(|object| object.location).try_collect().await.unwrap()
}

impl fmt::Display for FaultyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("faulty")
    }
}

#[async_trait]
impl ObjectStore for FaultyStore {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.inject(path, true).await?;
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.inject(path, true).await?;
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.inject(path, false).await?;
        self.inner.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let listed = self.inner.list(prefix);
        match self.fault {
            Fault::Error => {
                let refused = Error::Generic { store: "faulty", source: "500 Internal Server Error".into() };
                futures::stream::iter([Err(refused)]).boxed()
            }
            _ => listed,
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
