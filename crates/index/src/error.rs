//! Errors of this crate.

use std::{io, path::Path};

use tantivy::TantivyError;

/// Why a generation could not be written, published, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The file system failed.
    #[error("{action} `{path}`: {source}")]
    Io {
        /// The operation, as the start of a message: `cannot read`.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The files on disk differ from those that were sealed. The generation must be rebuilt.
    #[error("generation `{path}` is damaged: {reason}")]
    Damaged {
        /// The folder of the generation, or the damaged file in it.
        path: String,
        /// The first inconsistency that was found.
        reason: String,
    },
    /// Another version of the software wrote the generation. It must be rebuilt.
    #[error("generation `{path}` has format {found}, this version reads format {expected}")]
    Format {
        /// The folder of the generation.
        path: String,
        /// The format on disk.
        found: u32,
        /// The format that this version reads.
        expected: u32,
    },
    /// The text index failed.
    #[error("text index: {0}")]
    Text(#[from] TantivyError),
    /// The caller gave an invalid glob or regular expression.
    #[error("{0}")]
    Pattern(String),
}

impl IndexError {
    /// Returns true if files that were read may be the cause, so that a run without them may succeed. A full disk is no such cause.
    pub fn is_of_reading(&self) -> bool {
        match self {
            IndexError::Damaged { .. } | IndexError::Format { .. } => true,
            IndexError::Io { source, .. } => !is_of_writing(source),
            IndexError::Text(TantivyError::IoError(source)) => !is_of_writing(source),
            IndexError::Text(TantivyError::OpenWriteError(_)) | IndexError::Pattern(_) => false,
            IndexError::Text(_) => true,
        }
    }

    /// Returns true if rebuilding the generation would fix the error.
    pub fn needs_rebuild(&self) -> bool {
        !matches!(self, IndexError::Pattern(_))
    }
}

fn is_of_writing(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | ReadOnlyFilesystem | StorageFull)
}

/// Converts an error of the file system, given the attempted action and its path.
pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IndexError {
    let path = path.display().to_string();
    move |source| IndexError::Io { action, path, source }
}

/// Returns the error of a damaged generation.
pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> IndexError {
    IndexError::Damaged { path: path.display().to_string(), reason: reason.into() }
}
