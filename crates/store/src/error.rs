//! Why a store cannot be used. Every caller can go on without it.

use std::{io, path::PathBuf};

/// What went wrong with the store as a whole; a single damaged entry is no error but a miss.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store in `{}` belongs to another process; stop it, or give this one a directory of its own", path.display())]
    Locked { path: PathBuf },
    #[error("the store in `{}` cannot be written: {source}; make room or check its permissions", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("the store in `{}` is damaged and takes no more entries; it is begun anew when it is next opened", path.display())]
    Damaged { path: PathBuf },
}
