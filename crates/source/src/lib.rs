//! Reads repositories: git repositories of any layout, and plain folders. This is the only crate that uses git.
//!
//! Reading order: [`discover()`] finds [`Checkout`]s below the configured roots, and assigns each an alias and an
//! identity. One that is refused or does not answer has an [`UnreadReason`]. [`resolve`] returns the commit of a
//! checkout. [`list`] lists the files of that commit, and a [`BlobReader`] reads them. [`diff()`] compares two
//! listings. [`class`] classifies files. [`commits()`] walks the history. A [`HeadSignature`] is a cheap check for
//! changes. [`read_change`] compares two contents of a repository: commits, the index, the work tree. [`mirror`] clones and fetches remote repositories.
//!
//! All functions block. Everything except [`mirror`] is read-only: it takes no lock, writes no file of a repository, and
//! runs no program that a repository's configuration names. The crate knows nothing of indexing, caches and queries.
//!
//! ```
//! use source::{AliasRegistry, BlobSource, discover, list, resolve};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("lib.rs"), "pub fn answer() {}")?;
//! let discovery = discover(&[folder.path().to_owned()], AliasRegistry::default());
//! let checkout = &discovery.checkouts[0];
//! let tree = list(checkout, &resolve(checkout)?)?;
//! assert_eq!(tree.files[0].path, "lib.rs");
//! let content = BlobSource::open(checkout)?.reader().read(&tree.files[0])?;
//! assert_eq!(content, b"pub fn answer() {}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod checkout;
mod error;
mod object_chains;
mod object_files;
mod open_files;
mod path_text;

mod boundary;
mod isolated_reads;

mod alias;
mod alias_registry;
mod crawl;
mod discover;
mod identity;

mod folder;
mod git;
mod git_dirs;
mod git_files;
mod head;
mod head_ref;
mod head_signature;
mod reader;
mod refs;
mod tree;
mod tree_diff;
mod version_tags;
mod work_tree;

mod change;
pub mod class;
mod commits;
mod line_hunks;
pub mod mirror;
#[cfg(test)]
mod testing;

pub use alias_registry::AliasRegistry;
pub use boundary::OutsideLinks;
pub use change::{ChangeError, ChangeSides, ChangedSource, MAX_CHANGED_FILES, SourceChange, read_base, read_change};
pub use checkout::{Checkout, CheckoutKind, CheckoutView, PathDiagnostic, UnreadReason, ViewOf};
pub use class::{classify, classify_path, is_text, refine};
pub use commits::{CommitWalk, MAX_COMMIT_AGE_SECONDS, MAX_COMMITS, WalkBounds, commits};
pub use discover::{Discoverer, Discovery, KnownRoots, discover};
pub use error::{ReadError, SourceError};
pub use git_files::git_files_signature;
pub use head::Head;
pub use head_signature::{HeadSignature, head_signature, work_tree_signature};
pub use isolated_reads::{IsolatedReadError, IsolatedReads, IsolatedResult};
pub use line_hunks::{LineHunk, line_hunks};
pub use object_files::ObjectFiles;
pub use open_files::is_out_of_files;
pub use reader::{BlobReader, BlobSource, list, list_with_sizes, list_work_tree, resolve};
pub use refs::{ReferenceLookup, find_reference};
pub use tree::{FileMode, MAX_FILE_BYTES, MAX_FILES, MAX_PATH_BYTES, Tree, TreeFile};
pub use tree_diff::{TreeDiff, diff};
pub use version_tags::{VersionTags, version_tags};
pub use work_tree::{
    ListingTurn, StatCache, WorkTree, WorkTreeChanges, drop_unused_listings, has_change_events, is_temporary_name,
};
