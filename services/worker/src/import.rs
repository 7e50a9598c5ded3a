//! The import of a SCIP index into a data folder. The next indexing run of its repository uses it.
//!
//! An import needs no lock: the index appears under its final name, and a worker that owns the folder notices it.

use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use compiler_index::{IndexReadError, IndexReader, MAX_INDEX_BYTES};
use index::RepositoryDir;
use model::{CommitId, RepoId};
use source::Discoverer;

use crate::repositories::{NamesFile, PushedIndex, generations_dir, names_path};

/// Why an index is not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There is no such repository.
    #[error("there is no repository `{name}`; name the folder of one, or one of: {}", known.join(", "))]
    Unknown {
        /// The requested alias or folder.
        name: String,
        /// The aliases of the data folder.
        known: Vec<String>,
    },
    /// The commit is no full id.
    #[error("`{text}` is no commit: it has 40 hexadecimal digits")]
    Commit {
        /// The argument.
        text: String,
    },
    /// The file cannot be read.
    #[error("`{path}` cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The file is no SCIP index.
    #[error("`{path}` is not imported: {error}")]
    NoIndex {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: IndexReadError,
    },
    /// The index has no document.
    #[error("`{path}` is not imported: it has no document")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The data folder cannot be written.
    #[error("the index cannot be stored: {0}")]
    Store(io::Error),
}

/// An index that was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedIndex {
    /// The alias of the repository, or its folder if it has none yet.
    pub repository: String,
    /// The number of files that the index describes.
    pub n_documents: usize,
}

/// Stores a SCIP index for a repository, which is named by its alias or its folder. `commit` is the commit that the index describes.
pub fn import_index(
    data: &Path,
    repository: &str,
    path: &Path,
    commit: Option<&str>,
) -> Result<ImportedIndex, ImportError> {
    let parse = |text: &str| text.parse().map_err(|_| ImportError::Commit { text: text.to_owned() });
    let commit: Option<CommitId> = commit.map(parse).transpose()?;
    let repo = find_repository(data, repository)?;
    let n_documents = count_documents(path)?;
    let directory = RepositoryDir::new(&generations_dir(data), repo);
    let mut input = open(path)?;
    PushedIndex::store(&directory, &mut input, MAX_INDEX_BYTES, commit).map_err(ImportError::Store)?;
    Ok(ImportedIndex { repository: repository.to_owned(), n_documents })
}

/// Returns the alias of the repository in a folder; `None` if the data folder has none.
pub fn alias_of_folder(data: &Path, folder: &Path) -> Option<String> {
    let repo = find_repository(data, folder.to_str()?).ok()?;
    let names = NamesFile::new(names_path(data)).read("");
    names.assigned().find(|(_, assigned)| *assigned == repo).map(|(alias, _)| alias.to_owned())
}

/// Returns the repository with an alias, or in a folder.
fn find_repository(data: &Path, name: &str) -> Result<RepoId, ImportError> {
    let names = NamesFile::new(names_path(data)).read("");
    if let Some((_, repo)) = names.assigned().find(|(alias, _)| *alias == name) {
        return Ok(repo);
    }
    let known: Vec<String> = names.assigned().map(|(alias, _)| alias.to_owned()).collect();
    let folder = Path::new(name);
    // Only the user of this process names the folder.
    let discoverer = Discoverer::new(vec![folder.to_owned()], source::OutsideLinks::Follow);
    let found = if folder.is_dir() { discoverer.discover(names).checkouts } else { Vec::new() };
    match &found[..] {
        [checkout] => Ok(checkout.repo),
        _ => Err(ImportError::Unknown { name: name.to_owned(), known }),
    }
}

/// Reads an index to its end, and returns the number of its documents.
fn count_documents(path: &Path) -> Result<usize, ImportError> {
    let mut input = BufReader::new(open(path)?);
    let documents: Result<Vec<bool>, IndexReadError> =
        IndexReader::new(&mut input).documents().map(|document| document.map(|document| document.is_ok())).collect();
    let documents = documents.map_err(|error| ImportError::NoIndex { path: path.to_owned(), error })?;
    match documents.into_iter().filter(|is_valid| *is_valid).count() {
        0 => Err(ImportError::Empty { path: path.to_owned() }),
        n_documents => Ok(n_documents),
    }
}

fn open(path: &Path) -> Result<File, ImportError> {
    files::open(path).map_err(|error| ImportError::Unreadable { path: path.to_owned(), error })
}
