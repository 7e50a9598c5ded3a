//! The files of a repository at one commit.

mod builder;

use model::{BlobId, CommitId, FileClass};

use crate::{PathDiagnostic, work_tree::HeldContents};

pub(crate) use builder::TreeBuilder;

/// Maximum size in bytes of a file that is read. Hand-written files are far smaller. A larger file is data or generated,
/// and parsing it would cost more than its facts are worth.
pub const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// Maximum number of files and folders that are listed of one repository. This is twice the size of the largest public
/// monorepos, and bounds the memory that a hostile tree can take.
pub const MAX_FILES: usize = 200_000;

/// Maximum length in bytes of a path within its repository. It is `PATH_MAX` of Linux: no work tree holds a longer path.
pub const MAX_PATH_BYTES: usize = 4_096;

/// The files of a repository at one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The listed commit. It differs from the resolved commit if a plain folder changed in between.
    pub commit: CommitId,
    /// Sorted by path, without duplicate paths.
    pub files: Vec<TreeFile>,
    /// The paths that were skipped, and the reasons.
    pub diagnostics: Vec<PathDiagnostic>,
    /// The contents that were read while a work tree was listed.
    pub(crate) held: HeldContents,
}

impl Tree {
    /// Returns the tree of a commit without files, and a diagnostic that says why.
    pub fn without_files(commit: CommitId, reason: &str) -> Tree {
        let diagnostics = vec![PathDiagnostic { path: String::new(), message: reason.to_owned() }];
        Tree { commit, files: Vec::new(), diagnostics, held: HeldContents::default() }
    }

    /// Returns the file at a path.
    pub fn file(&self, path: &str) -> Option<&TreeFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(&self.files[at])
    }

    /// Returns the path and the blob id of every file, sorted by path. [`crate::diff()`] compares two such lists.
    pub fn blobs(&self) -> impl Iterator<Item = (&str, BlobId)> {
        self.files.iter().map(|file| (file.path.as_str(), file.blob))
    }
}

/// One file of a [`Tree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the repository, separated by `/`. Bytes that are not UTF-8 are escaped as `\xNN`.
    pub path: String,
    /// The id that git gives to the content.
    pub blob: BlobId,
    /// In bytes; 0 if the content is missing from this clone.
    pub size: u64,
    /// The class by path alone. Call [`crate::refine`] once the content is known.
    pub class: FileClass,
    /// Regular or executable.
    pub mode: FileMode,
}

impl TreeFile {
    /// Returns true if the file may be text and is small enough to be read.
    pub fn is_readable(&self) -> bool {
        self.class != FileClass::Binary && self.size <= MAX_FILE_BYTES
    }
}

/// The permissions of a file, as far as git stores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// Git mode `100644`.
    Regular,
    /// Git mode `100755`.
    Executable,
}
