//! What can go wrong with a generation.

use std::{io, path::Path};

/// Why a generation could not be written, published, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{action} `{path}`: {source}")]
    Io { action: &'static str, path: String, source: io::Error },
    /// What is on disk is not what was sealed. The generation has to be made anew.
    #[error("generation `{path}` is damaged: {what}")]
    Damaged { path: String, what: String },
    /// It was written by another version of the software. The generation has to be made anew.
    #[error("generation `{path}` has format {found}, this version reads format {expected}")]
    Format { path: String, found: u32, expected: u32 },
    #[error("text index: {0}")]
    Text(#[from] tantivy::TantivyError),
    /// A pattern that somebody typed cannot be used.
    #[error("{0}")]
    Pattern(String),
}

impl IndexError {
    /// Says whether making the generation anew would mend this.
    pub fn needs_rebuild(&self) -> bool {
        !matches!(self, IndexError::Pattern(_))
    }
}

/// Gives an error of the file system the name of the file and of what was tried.
pub(crate) fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IndexError {
    let path = path.display().to_string();
    move |source| IndexError::Io { action, path, source }
}

pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> IndexError {
    IndexError::Damaged { path: path.display().to_string(), what: what.into() }
}
