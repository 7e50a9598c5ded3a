//! Reads git repositories: `HEAD`, origin, first commit, trees and blobs.

use std::{
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use gix::{ObjectId, bstr::ByteSlice, objs::tree::EntryKind};
use model::{BlobId, CommitId};

use crate::{
    Checkout, FileMode, Head, MAX_PATH_BYTES, ReadError, SourceError, Tree, TreeFile, classify_path, path_text,
    tree::TreeBuilder,
};

/// Size of the cache of decoded delta bases of one thread; the default of git.
const DELTA_CACHE: &str = "core.deltaBaseCacheLimit=96m";

/// Files that are read of every repository. Reading a pipe instead of a regular file would block forever.
const REGULAR_FILES: &[&str] = &["HEAD", "commondir", "config", "objects/info/alternates", "packed-refs", "shallow"];

/// Opens the repository at exactly `path`, with its own configuration only. Its owner is not checked.
///
/// The ownership check of git protects from configuration that names programs, and this crate runs none of them.
pub(crate) fn open(path: &Path) -> Result<gix::ThreadSafeRepository, gix::Error> {
    refuse_pipes(path).map_err(gix::Error::from_error)?;
    gix::open::Options::isolated().filter_config_section(|_| true).config_overrides([DELTA_CACHE]).open(path)
}

fn refuse_pipes(path: &Path) -> io::Result<()> {
    let dot_git = path.join(".git");
    let git_dir = match fs::metadata(&dot_git) {
        // The repository of a linked work tree or a submodule is elsewhere.
        Ok(metadata) if metadata.is_file() => return Ok(()),
        Ok(metadata) if metadata.is_dir() => dot_git,
        _ => path.to_owned(),
    };
    for name in REGULAR_FILES {
        if fs::metadata(git_dir.join(name)).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::other(format!("`{name}` of the repository is not a regular file")));
        }
    }
    Ok(())
}

/// The facts of which an identity is derived, and the directories of a repository.
pub(crate) struct RepositoryFacts {
    pub(crate) git_dir: PathBuf,
    pub(crate) common_dir: PathBuf,
    pub(crate) origin: Option<String>,
    /// The first commit along first parents from `HEAD`; in a shallow clone, the oldest available one.
    pub(crate) first_commit: Option<CommitId>,
}

/// Reads the facts that distinguish the repository at `path` from others.
pub(crate) fn repository_facts(path: &Path) -> Result<RepositoryFacts, gix::Error> {
    let repository = open(path)?.to_thread_local();
    let origin = repository.config_snapshot().string("remote.origin.url").map(|url| url.to_str_lossy().into_owned());
    let has_identity = origin.as_deref().is_some_and(|url| crate::identity::normalise_url(url).is_some());
    Ok(RepositoryFacts {
        git_dir: repository.git_dir().to_owned(),
        common_dir: repository.common_dir().to_owned(),
        first_commit: if has_identity { None } else { first_commit(&repository) },
        origin,
    })
}

fn first_commit(repository: &gix::Repository) -> Option<CommitId> {
    let mut oldest = repository.head().ok()?.try_into_peeled_id().ok()??.detach();
    repository.find_commit(oldest).ok()?;
    while let Ok(commit) = repository.find_commit(oldest)
        && let Some(parent) = commit.parent_ids().next().map(gix::Id::detach)
        && repository.has_object(parent)
    {
        oldest = parent;
    }
    commit_id(oldest)
}

/// Resolves `HEAD` of a repository.
pub(crate) fn resolve(checkout: &Checkout) -> Result<Head, SourceError> {
    if checkout.common_dir.join("reftable").is_dir() {
        return Err(SourceError::Unsupported {
            alias: checkout.alias.clone(),
            feature: "the reftable format",
            remedy: "`git refs migrate --ref-format=files` converts it",
        });
    }
    let repository = open_checkout(checkout)?.to_thread_local();
    let head = repository.head().map_err(|error| unreadable_error(checkout, error))?;
    let branch = head.referent_name().and_then(|name| {
        let branch = name.as_bstr().strip_prefix(b"refs/heads/")?;
        Some(path_text::to_text(branch))
    });
    let id = head.try_into_peeled_id().map_err(|error| unreadable_error(checkout, error))?;
    let id = id.ok_or_else(|| SourceError::NoCommits { alias: checkout.alias.clone() })?;
    let commit = repository.find_commit(id).map_err(|error| unreadable_error(checkout, error))?;
    let committed_at = commit.time().map_err(|error| unreadable_error(checkout, error))?.seconds;
    let commit = commit_id(id.detach()).ok_or_else(|| sha256_error(checkout))?;
    Ok(Head { commit, branch, committed_at })
}

/// Lists the files of a commit.
pub(crate) fn list(checkout: &Checkout, commit: CommitId) -> Result<Tree, SourceError> {
    let repository = open_checkout(checkout)?.to_thread_local();
    let object_id = ObjectId::from_bytes_or_panic(&commit.0);
    let commit_object = repository.find_commit(object_id).map_err(|error| unreadable_error(checkout, error))?;
    let root = commit_object.tree_id().map_err(|error| unreadable_error(checkout, error))?.detach();
    repository.find_tree(root).map_err(|error| unreadable_error(checkout, error))?;
    let mut builder = TreeBuilder::default();
    let mut folders = vec![(Vec::new(), root)];
    while let Some((prefix, id)) = folders.pop() {
        list_folder(&repository, &prefix, id, &mut folders, &mut builder);
    }
    Ok(builder.finish(commit))
}

/// Lists one tree object. If it is missing or malformed, only its own files are lost.
fn list_folder(
    repository: &gix::Repository,
    prefix: &[u8],
    id: ObjectId,
    folders: &mut Vec<(Vec<u8>, ObjectId)>,
    builder: &mut TreeBuilder,
) {
    let Ok(tree) = repository.find_tree(id) else {
        return builder.report(&path_text::to_text(prefix), "this folder is missing from the clone or damaged");
    };
    for entry in tree.iter() {
        let Ok(entry) = entry else {
            return builder.report(&path_text::to_text(prefix), "the rest of this folder is damaged");
        };
        let name = entry.filename().as_bytes();
        let path = if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() };
        if !is_valid_name(name) || path.len() > MAX_PATH_BYTES {
            builder.report(&path_text::to_text(&path[..path.len().min(256)]), "not a valid path of a file");
            continue;
        }
        match entry.kind() {
            EntryKind::Link => builder.skip_symlink(),
            EntryKind::Commit => builder.skip_submodule(),
            EntryKind::Tree if builder.admit_entry() => folders.push((path, entry.object_id())),
            EntryKind::Blob if builder.admit_entry() => {
                add_file(repository, &path, entry.object_id(), FileMode::Regular, builder);
            }
            EntryKind::BlobExecutable if builder.admit_entry() => {
                add_file(repository, &path, entry.object_id(), FileMode::Executable, builder);
            }
            EntryKind::Tree | EntryKind::Blob | EntryKind::BlobExecutable => {}
        }
    }
}

fn add_file(repository: &gix::Repository, path: &[u8], id: ObjectId, mode: FileMode, builder: &mut TreeBuilder) {
    let path = path_text::to_text(path);
    let Some(blob) = blob_id(id) else { return };
    let size = match repository.try_find_header(id) {
        Ok(Some(header)) => header.size(),
        Ok(None) => {
            builder.report(&path, "missing from this clone");
            0
        }
        Err(_) => {
            builder.report(&path, "damaged");
            0
        }
    };
    builder.add(TreeFile { class: classify_path(&path), path, blob, size, mode });
}

/// Reads one blob.
pub(crate) fn read(repository: &gix::Repository, file: &TreeFile) -> Result<Vec<u8>, ReadError> {
    let path = || file.path.clone();
    let id = ObjectId::from_bytes_or_panic(&file.blob.0);
    if id.is_empty_blob() {
        // Git does not always store the empty blob.
        return Ok(Vec::new());
    }
    match repository.try_find_object(id) {
        Ok(Some(mut object)) => Ok(std::mem::take(&mut object.data)),
        Ok(None) => Err(ReadError::Missing { path: path() }),
        Err(error) => Err(ReadError::Unreadable { path: path(), source: box_error(error) }),
    }
}

/// Returns the id that git gives to a blob with this content.
pub(crate) fn hash_blob(content: &[u8]) -> Option<BlobId> {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, content).ok()?;
    blob_id(id)
}

/// Opens a discovered checkout.
pub(crate) fn open_checkout(checkout: &Checkout) -> Result<gix::ThreadSafeRepository, SourceError> {
    if !checkout.git_dir.is_dir() {
        return Err(SourceError::Gone { alias: checkout.alias.clone() });
    }
    open(&checkout.path).map_err(|error| unreadable_error(checkout, error))
}

fn is_valid_name(name: &[u8]) -> bool {
    !name.is_empty() && name != b"." && name != b".." && !name.eq_ignore_ascii_case(b".git") && !name.contains(&b'/')
}

pub(crate) fn commit_id(id: ObjectId) -> Option<CommitId> {
    id.as_bytes().try_into().ok().map(CommitId)
}

fn blob_id(id: ObjectId) -> Option<BlobId> {
    id.as_bytes().try_into().ok().map(BlobId)
}

fn sha256_error(checkout: &Checkout) -> SourceError {
    SourceError::Unsupported {
        alias: checkout.alias.clone(),
        feature: "SHA-256 object ids",
        remedy: "only repositories with SHA-1 ids can be indexed",
    }
}

fn unreadable_error(checkout: &Checkout, error: gix::Error) -> SourceError {
    SourceError::Unreadable { alias: checkout.alias.clone(), source: box_error(error) }
}

fn box_error(error: gix::Error) -> Box<dyn Error + Send + Sync> {
    Box::new(error)
}
