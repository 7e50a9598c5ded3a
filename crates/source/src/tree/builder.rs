//! Builds a [`Tree`] within the limits of one repository.

use std::fmt;

use model::{CommitId, FileClass};

use super::{MAX_FILE_BYTES, MAX_FILES, Tree, TreeFile};
use crate::PathDiagnostic;

/// Maximum number of diagnostics of one listing. The rest is only counted.
const MAX_DIAGNOSTICS: usize = 100;

/// A [`Tree`] under construction. Enforces the limits and counts the skipped entries.
#[derive(Default)]
pub(crate) struct TreeBuilder {
    files: Vec<TreeFile>,
    diagnostics: Vec<PathDiagnostic>,
    n_entries: usize,
    n_unreported: usize,
    n_symlinks: usize,
    n_submodules: usize,
    n_specials: usize,
}

impl TreeBuilder {
    /// Counts one more file or folder. Returns false once the limit is exceeded.
    pub(crate) fn admit_entry(&mut self) -> bool {
        self.n_entries += 1;
        self.n_entries <= MAX_FILES
    }

    pub(crate) fn add(&mut self, file: TreeFile) {
        if file.size > MAX_FILE_BYTES && file.class != FileClass::Binary {
            let message = format!("{} bytes, over the limit of {MAX_FILE_BYTES} bytes a file", file.size);
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

    /// Returns the finished tree. A path that a malformed tree contains twice is listed once.
    pub(crate) fn finish(mut self, commit: CommitId) -> Tree {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.files.dedup_by(|a, b| a.path == b.path);
        self.diagnostics.sort();
        let counts = [
            (self.n_symlinks, "symbolic links are not followed"),
            (self.n_submodules, "submodules are not part of this repository"),
            (self.n_specials, "pipes, sockets and devices are not opened"),
            (
                self.n_entries.saturating_sub(MAX_FILES),
                "or more files and folders are skipped, over the limit of one repository",
            ),
            (self.n_unreported, "further diagnostics"),
        ];
        let non_zero = counts.iter().filter(|(count, _)| *count > 0);
        let summaries =
            non_zero.map(|(count, what)| PathDiagnostic { path: String::new(), message: format!("{count} {what}") });
        self.diagnostics.extend(summaries);
        Tree { commit, files: self.files, diagnostics: self.diagnostics, held: Default::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_stops_at_its_limits() {
        let mut builder = TreeBuilder::default();
        for idx in 0..MAX_FILES + 5 {
            if builder.admit_entry() && idx % 2 == 0 {
                builder.report("x", "y");
            }
        }
        let tree = builder.finish(CommitId([0; 20]));
        assert_eq!(tree.diagnostics.len(), MAX_DIAGNOSTICS + 2);
        assert!(tree.diagnostics.iter().any(|diagnostic| diagnostic.message.starts_with("5 or more files")));
    }
}
