//! The files of a repository at one commit.

use std::fmt;

use model::{BlobId, CommitId, FileClass};

use crate::{Checkout, CheckoutKind, Head, PathDiagnostic, SourceError, folder, git};

/// Bytes up to which a file is read. Hand-written files are far smaller; what is larger is data or generated, and
/// would cost more to parse than it could ever answer.
pub const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// Files and folders that are listed of one repository: twice the largest public monorepos, and a bound on the
/// memory that a tree made to exhaust it can take.
pub const MAX_FILES: usize = 200_000;

/// Bytes of a path within its repository; `PATH_MAX` of Linux, so that no work tree holds a longer one.
pub const MAX_PATH_BYTES: usize = 4_096;

/// Diagnostics that are kept of one listing; the rest is counted. More than this nobody reads.
const MAX_DIAGNOSTICS: usize = 100;

/// The files of a repository at one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The commit that this lists. For a folder that changed in between, another than the one that was resolved.
    pub commit: CommitId,
    /// Sorted by path, no path twice.
    pub files: Vec<TreeFile>,
    /// What was left out, and why.
    pub diagnostics: Vec<PathDiagnostic>,
}

impl Tree {
    /// Returns path and content of every file, in the order of paths: what `diff` compares.
    pub fn blobs(&self) -> impl Iterator<Item = (&str, BlobId)> {
        self.files.iter().map(|file| (file.path.as_str(), file.blob))
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the repository, with `/`. Bytes that are no UTF-8 are written `\xNN`.
    pub path: String,
    pub blob: BlobId,
    /// 0 if the content is missing from this clone.
    pub size: u64,
    /// By the path alone; `refine` it when the content is at hand.
    pub class: FileClass,
    pub mode: FileMode,
}

impl TreeFile {
    /// Says whether the file is worth reading: it may be text, and it is small enough.
    pub fn is_readable(&self) -> bool {
        self.class != FileClass::Binary && self.size <= MAX_FILE_BYTES
    }
}

/// What git knows of a file's permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    Regular,
    Executable,
}

/// Lists the files of a checkout at `head`. Symbolic links and submodules are left out, and counted in the diagnostics.
pub fn list(checkout: &Checkout, head: &Head) -> Result<Tree, SourceError> {
    match checkout.kind {
        CheckoutKind::Folder => folder::list(checkout),
        _ => git::list(checkout, head.commit),
    }
}

/// A listing while it is made: knows the limits, and counts what it leaves out.
#[derive(Default)]
pub(crate) struct Listing {
    files: Vec<TreeFile>,
    diagnostics: Vec<PathDiagnostic>,
    n_entries: usize,
    n_unreported: usize,
    n_symlinks: usize,
    n_submodules: usize,
    n_specials: usize,
}

impl Listing {
    /// Counts one more file or folder; false once there are too many.
    pub(crate) fn admit_entry(&mut self) -> bool {
        self.n_entries += 1;
        self.n_entries <= MAX_FILES
    }

    pub(crate) fn add(&mut self, file: TreeFile) {
        if file.size > MAX_FILE_BYTES && file.class != FileClass::Binary {
            let message = format!("{} bytes, more than the {MAX_FILE_BYTES} that are read of one file", file.size);
            self.report(&file.path, message);
        }
        self.files.push(file);
    }

    pub(crate) fn skip_symlink(&mut self) {
        self.n_symlinks += 1;
    }

    pub(crate) fn skip_submodule(&mut self) {
        self.n_submodules += 1;
    }

    pub(crate) fn skip_special(&mut self) {
        self.n_specials += 1;
    }

    pub(crate) fn report(&mut self, path: &str, message: impl fmt::Display) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(PathDiagnostic { path: path.to_owned(), message: message.to_string() });
        } else {
            self.n_unreported += 1;
        }
    }

    /// Seals the listing. A path that a malformed tree holds twice is kept once.
    pub(crate) fn finish(mut self, commit: CommitId) -> Tree {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.files.dedup_by(|a, b| a.path == b.path);
        let counts = [
            (self.n_symlinks, "symbolic links are not followed"),
            (self.n_submodules, "submodules are not part of this repository"),
            (self.n_specials, "pipes, sockets and devices are not opened"),
            (
                self.n_entries.saturating_sub(MAX_FILES),
                "or more files and folders are left out, over the limit of one repository",
            ),
            (self.n_unreported, "further diagnostics"),
        ];
        let counted = counts.iter().filter(|(count, _)| *count > 0);
        let counted =
            counted.map(|(count, what)| PathDiagnostic { path: String::new(), message: format!("{count} {what}") });
        self.diagnostics.extend(counted);
        Tree { commit, files: self.files, diagnostics: self.diagnostics }
    }
}

#[cfg(test)]
mod tests;
