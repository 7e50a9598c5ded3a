//! The import of a SCIP index into a data folder. The next indexing run of its repository uses it.
//!
//! An import needs no lock: the index appears under its final name, and a worker that owns the folder notices it.

use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    time::Duration,
};

use compiler_index::{IndexReadError, IndexReader, MAX_INDEX_BYTES};
use index::RepositoryDir;
use model::{CommitId, RepoId};
use source::{AliasRegistry, Discoverer};

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

/// Returns the alias of the repository at a folder; `None` if the data folder has none. It waits for each read of the folder for the time
/// of `patience`.
pub fn alias_of_folder(data: &Path, folder: &Path, patience: Duration) -> Option<String> {
    let names = NamesFile::new(names_path(data)).read("").aliases;
    let real = folder.canonicalize().ok()?;
    if let Some(alias) = names.alias_at(&real) {
        return Some(alias.to_owned());
    }
    // Another clone of an indexed repository.
    let repo = repository_at(&real, patience, names.clone())?;
    names.assigned().find(|(_, assigned)| *assigned == repo).map(|(alias, _)| alias.to_owned())
}

/// Returns the repository with an alias, or in a folder.
fn find_repository(data: &Path, name: &str) -> Result<RepoId, ImportError> {
    let names = NamesFile::new(names_path(data)).read("").aliases;
    if let Some((_, repo)) = names.assigned().find(|(alias, _)| *alias == name) {
        return Ok(repo);
    }
    let known: Vec<String> = names.assigned().map(|(alias, _)| alias.to_owned()).collect();
    let repo = repository_at(Path::new(name), IMPORT_PATIENCE, names);
    repo.ok_or_else(|| ImportError::Unknown { name: name.to_owned(), known })
}

/// Time that an import waits for each read of a repository.
const IMPORT_PATIENCE: Duration = Duration::from_secs(15);

/// Returns the only repository at a folder or below it, without those in its work tree.
fn repository_at(folder: &Path, patience: Duration, names: AliasRegistry) -> Option<RepoId> {
    if !folder.is_dir() {
        return None;
    }
    // Only the user of this process names the folder.
    let discoverer = Discoverer::new(vec![folder.to_owned()], source::OutsideLinks::Follow);
    let found = discoverer.with_patience(patience).without_nested().discover(names).checkouts;
    if let [checkout] = &found[..] { Some(checkout.repo) } else { None }
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

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;
    use crate::repositories::StoredNames;

    #[test]
    fn repository_with_a_vendored_one_has_its_alias_at_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let script = "git init -q app && git init -q app/vendored/kit && git init -q stranger
            for repository in app app/vendored/kit stranger; do
                git -C $repository -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m $repository
            done
            cp -R app clone";
        assert!(Command::new("sh").args(["-ec", script]).current_dir(&root).status().unwrap().success());
        let data = root.join("data");
        let names = names_path(&data);
        fs::create_dir_all(names.parent().unwrap()).unwrap();
        let discovery = source::discover(&[root.join("app")], AliasRegistry::new("w"));
        NamesFile::new(names).write(&StoredNames { aliases: discovery.aliases, ..StoredNames::default() });
        for (folder, expected) in [
            ("app", Some("app")),
            ("app/vendored/kit", Some("kit")),
            ("clone", Some("app")),
            ("stranger", None),
            ("missing", None),
        ] {
            let alias = alias_of_folder(&data, &root.join(folder), IMPORT_PATIENCE);
            assert_eq!(alias.as_deref(), expected, "{folder}");
        }
    }
}
