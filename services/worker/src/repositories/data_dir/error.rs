//! Why a folder cannot be used as a data folder.

use std::{
    io::{self, ErrorKind},
    path::Path,
};

use super::DATA_VERSION;

/// Why a folder cannot be used as a data folder.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process owns it.
    #[error(
        "the data folder `{path}` is in use by process {owner}; stop that one, or choose another folder with --data"
    )]
    InUse {
        /// The folder.
        path: String,
        /// The id of the process that owns it.
        owner: String,
    },
    /// Another version of the program wrote it.
    #[error(
        "the data folder `{path}` has version {found}, this causeway writes version {DATA_VERSION}; choose another \
         folder with --data, or remove it (it is rebuilt from the repositories)"
    )]
    Version {
        /// The folder.
        path: String,
        /// The version in the folder.
        found: String,
    },
    /// Its version cannot be known.
    #[error(
        "the data folder `{path}` has an unknown version: its file `VERSION` is not read: {reason}; choose another folder with --data, \
         or remove it (it is rebuilt from the repositories)"
    )]
    UnknownVersion {
        /// The folder.
        path: String,
        /// The problem of the file, such as `it is a folder, not a regular file`.
        reason: String,
    },
    /// It holds other files.
    #[error("the folder `{path}` is not empty and holds no causeway data; choose another one with --data")]
    Foreign {
        /// The folder.
        path: String,
    },
    /// It can only be read, and nothing in it can be served.
    #[error(
        "{reason}; it has no index that could be served meanwhile: free some space or make it writable, or choose another \
         folder with --data"
    )]
    NothingToServe {
        /// The folder and the reason why it cannot be written.
        reason: String,
    },
    /// An operation on it failed.
    #[error("{action} `{path}`: {source}")]
    Io {
        /// The operation, such as `cannot open`.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The cause.
        source: io::Error,
    },
}

impl DataDirError {
    /// Returns the error of the operating system if it is one, without the file.
    pub(super) fn cause(&self) -> String {
        match self {
            DataDirError::Io { source, .. } => source.to_string(),
            other => other.to_string(),
        }
    }

    /// Returns true if the folder cannot be written, and may be readable.
    pub(super) fn is_of_writing(&self) -> bool {
        use ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let DataDirError::Io { source, .. } = self else { return false };
        // A file size limit has the effect of a full disk.
        matches!(source.kind(), FileTooLarge | PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull)
    }
}

/// Converts an error of the file system, given the attempted action and its path.
pub(super) fn io_at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DataDirError {
    let path = path.display().to_string();
    move |source| DataDirError::Io { action, path, source }
}
