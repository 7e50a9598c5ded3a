//! Errors of the store as a whole. Every caller can continue without it.

use std::{io, path::PathBuf};

/// Why a store cannot be used. A single damaged entry is not an error but a miss.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has opened the store.
    #[error("another process uses the store in `{}`; stop it, or configure another directory", path.display())]
    Locked {
        /// The directory of the store.
        path: PathBuf,
    },
    /// The file system failed.
    #[error("the store in `{}` cannot be written: {source}; free space or check permissions", path.display())]
    Io {
        /// The directory of the store, or of one generation.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Damage was found in use. The store takes no more entries.
    #[error("the store in `{}` is damaged and takes no more entries; the next start replaces it by an empty one", path.display())]
    Damaged {
        /// The directory of the damaged generation.
        path: PathBuf,
    },
}
