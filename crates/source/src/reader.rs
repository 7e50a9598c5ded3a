//! Reads a checkout, be it a git repository or a plain folder: its head, its list of files, and their contents.

use std::path::PathBuf;

use crate::{
    Checkout, CheckoutKind, CheckoutView, Head, MAX_FILE_BYTES, ReadError, SourceError, StatCache, Tree, TreeFile,
    UnreadReason, WorkTree, folder, git,
    git::SizeOfBlob,
    work_tree::{self, HeldContents},
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

/// Resolves `HEAD`; `None` before the first commit.
pub(crate) fn resolve_commit(checkout: &Checkout) -> Result<Option<Head>, SourceError> {
    match resolve(checkout) {
        Err(SourceError::NoCommits { .. }) => Ok(None),
        resolved => resolved.map(Some),
    }
}

/// Lists the files of a checkout at `head`. Symbolic links and submodules are skipped and counted in the diagnostics.
pub fn list(checkout: &Checkout, head: &Head) -> Result<Tree, SourceError> {
    list_with_sizes(checkout, head, &|_, _| None)
}

/// Lists as [`list`] does. `size_of` returns the size of the blob at a path if it is known, which saves most of the time.
pub fn list_with_sizes(checkout: &Checkout, head: &Head, size_of: SizeOfBlob<'_>) -> Result<Tree, SourceError> {
    check_readable(checkout)?;
    match checkout.kind {
        CheckoutKind::Folder => folder::list(checkout),
        _ => git::list(checkout, head.commit, size_of),
    }
}

/// Lists the files of a checkout in its work tree; `None` if its commit is read instead. `head` is its `HEAD`, if it has a commit.
/// Files that are as git or `cache` know them are not read. `size_of` returns the size of the blob at a path if it is known.
pub fn list_work_tree(
    checkout: &Checkout,
    head: Option<&Head>,
    cache: &StatCache,
    size_of: SizeOfBlob<'_>,
) -> Result<Option<WorkTree>, SourceError> {
    check_readable(checkout)?;
    match checkout.view {
        CheckoutView::Commit | CheckoutView::Reference(_) => Ok(None),
        CheckoutView::WorkTree => work_tree::list(checkout, head, cache, size_of).map(Some),
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
    held: HeldContents,
}

/// Reads file contents for one thread. Cheap to create.
pub struct BlobReader {
    backend: Backend<gix::Repository>,
    held: HeldContents,
}

enum Backend<R> {
    Repository(Box<R>),
    /// The objects of a repository, and a work tree with further contents.
    WorkTree(Box<R>, PathBuf),
    Folder(PathBuf),
}

impl BlobSource {
    /// Opens a checkout.
    pub fn open(checkout: &Checkout) -> Result<BlobSource, SourceError> {
        check_readable(checkout)?;
        let backend = match checkout.kind {
            CheckoutKind::Folder => Backend::Folder(folder::canonical_root(checkout)?),
            _ if checkout.view == CheckoutView::WorkTree => {
                Backend::WorkTree(Box::new(git::open_checkout(checkout)?), folder::canonical_root(checkout)?)
            }
            _ => Backend::Repository(Box::new(git::open_checkout(checkout)?)),
        };
        Ok(BlobSource { backend, held: HeldContents::default() })
    }

    /// Adds the contents that were read while a tree was listed.
    pub fn with_contents_of(self, tree: &Tree) -> BlobSource {
        BlobSource { held: tree.held.clone(), ..self }
    }

    /// Returns a reader for one thread.
    pub fn reader(&self) -> BlobReader {
        let backend = match &self.backend {
            Backend::Repository(repository) => Backend::Repository(Box::new(repository.to_thread_local())),
            Backend::WorkTree(repository, root) => {
                Backend::WorkTree(Box::new(repository.to_thread_local()), root.clone())
            }
            Backend::Folder(path) => Backend::Folder(path.clone()),
        };
        BlobReader { backend, held: self.held.clone() }
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
        if let Some(content) = self.held.get(&file.blob) {
            return Ok(content.to_vec());
        }
        match &self.backend {
            Backend::Repository(repository) => git::read(repository, file),
            Backend::WorkTree(repository, root) => match git::read(repository, file) {
                Err(ReadError::Missing { path }) => match folder::read(root, file) {
                    Err(ReadError::Changed { .. }) if !root.join(&path).is_file() => Err(ReadError::Missing { path }),
                    read => read,
                },
                read => read,
            },
            Backend::Folder(root) => folder::read(root, file),
        }
    }
}

#[cfg(test)]
mod tests;
