//! Reads the content of files, from many threads at once.

use std::path::PathBuf;

use crate::{Checkout, CheckoutKind, MAX_FILE_BYTES, ReadError, SourceError, TreeFile, folder, git};

/// The contents of one checkout; shared between threads, each of which takes its own reader.
pub struct BlobSource {
    origin: Origin<gix::ThreadSafeRepository>,
}

/// Reads files for one thread. Cheap to make.
pub struct BlobReader {
    origin: Origin<gix::Repository>,
}

enum Origin<R> {
    Repository(Box<R>),
    Folder(PathBuf),
}

impl BlobSource {
    /// Opens a checkout.
    pub fn open(checkout: &Checkout) -> Result<BlobSource, SourceError> {
        let origin = match checkout.kind {
            CheckoutKind::Folder => Origin::Folder(folder::canonical(checkout)?),
            _ => Origin::Repository(Box::new(git::open_checkout(checkout)?)),
        };
        Ok(BlobSource { origin })
    }

    /// Returns a reader for one thread.
    pub fn reader(&self) -> BlobReader {
        let origin = match &self.origin {
            Origin::Repository(repository) => Origin::Repository(Box::new(repository.to_thread_local())),
            Origin::Folder(path) => Origin::Folder(path.clone()),
        };
        BlobReader { origin }
    }
}

impl BlobReader {
    /// Reads a file that was listed: exactly the content that `file.blob` names, or an error.
    pub fn read(&self, file: &TreeFile) -> Result<Vec<u8>, ReadError> {
        if file.size > MAX_FILE_BYTES {
            return Err(ReadError::TooLarge { path: file.path.clone(), size: file.size });
        }
        match &self.origin {
            Origin::Repository(repository) => git::read(repository, file),
            Origin::Folder(root) => folder::read(root, file),
        }
    }
}
