//! Reads a checkout, be it a git repository or a plain folder: its head, its list of files, and their contents.

use std::path::PathBuf;

use crate::{
    Checkout, CheckoutKind, Head, MAX_FILE_BYTES, ReadError, SourceError, Tree, TreeFile, UnreadReason, folder, git,
};

/// Resolves `HEAD`. For a plain folder this reads all its files.
pub fn resolve(checkout: &Checkout) -> Result<Head, SourceError> {
    check_readable(checkout)?;
    if !checkout.path.is_dir() {
        return Err(SourceError::Gone { alias: checkout.alias.clone() });
    }
    match checkout.kind {
        CheckoutKind::Folder => folder::resolve(checkout),
        _ => git::resolve(checkout),
    }
}

/// Lists the files of a checkout at `head`. Symbolic links and submodules are skipped and counted in the diagnostics.
pub fn list(checkout: &Checkout, head: &Head) -> Result<Tree, SourceError> {
    check_readable(checkout)?;
    match checkout.kind {
        CheckoutKind::Folder => folder::list(checkout),
        _ => git::list(checkout, head.commit),
    }
}

/// Returns an error for a checkout that the discovery has refused.
fn check_readable(checkout: &Checkout) -> Result<(), SourceError> {
    let reason = match &checkout.unread {
        None => return Ok(()),
        Some(UnreadReason::Reading) => "it is still being read".to_owned(),
        Some(UnreadReason::Refused(reason)) => reason.clone(),
    };
    Err(SourceError::Refused { alias: checkout.alias.clone(), reason })
}

/// The file contents of one checkout. Threads share it; each takes its own reader.
pub struct BlobSource {
    backend: Backend<gix::ThreadSafeRepository>,
}

/// Reads file contents for one thread. Cheap to create.
pub struct BlobReader {
    backend: Backend<gix::Repository>,
}

enum Backend<R> {
    Repository(Box<R>),
    Folder(PathBuf),
}

impl BlobSource {
    /// Opens a checkout.
    pub fn open(checkout: &Checkout) -> Result<BlobSource, SourceError> {
        check_readable(checkout)?;
        let backend = match checkout.kind {
            CheckoutKind::Folder => Backend::Folder(folder::canonical_root(checkout)?),
            _ => Backend::Repository(Box::new(git::open_checkout(checkout)?)),
        };
        Ok(BlobSource { backend })
    }

    /// Returns a reader for one thread.
    pub fn reader(&self) -> BlobReader {
        let backend = match &self.backend {
            Backend::Repository(repository) => Backend::Repository(Box::new(repository.to_thread_local())),
            Backend::Folder(path) => Backend::Folder(path.clone()),
        };
        BlobReader { backend }
    }
}

impl BlobReader {
    /// Returns the content of a listed file. The content has the id `file.blob`; anything else is an error.
    pub fn read(&self, file: &TreeFile) -> Result<Vec<u8>, ReadError> {
        self.read_up_to(file, MAX_FILE_BYTES)
    }

    /// Returns the content of a listed file of at most `limit` bytes, for files that are not source code.
    pub fn read_up_to(&self, file: &TreeFile, limit: u64) -> Result<Vec<u8>, ReadError> {
        if file.size > limit {
            return Err(ReadError::TooLarge { path: file.path.clone(), size: file.size });
        }
        match &self.backend {
            Backend::Repository(repository) => git::read(repository, file),
            Backend::Folder(root) => folder::read(root, file),
        }
    }
}

#[cfg(test)]
mod tests;
