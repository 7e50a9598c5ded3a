//! Where the files come from: git repositories of any layout, and plain folders. The only crate that knows git.
//!
//! Reading order: [`discover()`] finds [`Checkout`]s below the roots that a user names, and gives each an alias and an
//! identity; [`resolve`] says which commit one is at; [`list`] lists the files of that commit; a [`BlobReader`] reads
//! them; [`diff()`] compares two listings; [`class`] says what a file is for; [`commits()`] walks
//! its past; a [`HeadSignature`] tells cheaply whether any of this is out of date. [`mirror`] brings repositories by URL to this
//! disk.
//!
//! Everything here blocks, and all but [`mirror`] only ever reads: no lock is taken, no file of a repository is written, no
//! program that a repository's configuration names is run. The crate deliberately knows nothing of indexing, caches and queries.

mod alias;
mod checkout;
pub mod class;
mod commits;
mod crawl;
mod diff;
mod discover;
mod error;
mod folder;
mod git;
mod head;
mod identity;
pub mod mirror;
mod names;
mod path_text;
mod reader;
mod signature;
#[cfg(test)]
mod testing;
mod tree;

pub use checkout::{Checkout, CheckoutKind, PathDiagnostic};
pub use class::{classify, classify_path, is_text, refine};
pub use commits::{CommitWalk, MAX_COMMIT_AGE_SECONDS, MAX_COMMITS, WalkBounds, commits};
pub use diff::{TreeDiff, diff};
pub use discover::{Discovery, discover};
pub use error::{ReadError, SourceError};
pub use head::{Head, resolve};
pub use names::Names;
pub use reader::{BlobReader, BlobSource};
pub use signature::{HeadSignature, head_signature};
pub use tree::{FileMode, MAX_FILE_BYTES, MAX_FILES, MAX_PATH_BYTES, Tree, TreeFile, list};
