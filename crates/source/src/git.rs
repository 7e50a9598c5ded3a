//! Reads git repositories: `HEAD`, origin, first commit, trees and blobs.

use std::{error::Error, io, path::Path};

use gix::{ObjectId, bstr::ByteSlice, objs::tree::EntryKind};
use model::{BlobId, CommitId};

use crate::{
    Checkout, CheckoutView, FileMode, Head, MAX_PATH_BYTES, ReadError, SourceError, Tree, TreeFile,
    boundary::Boundary,
    classify_path,
    crawl::has_dot_git,
    error::Cause,
    git_dirs::GitDirs,
    head_ref::HeadRef,
    object_chains::{oldest_first_parent, peel_to_commit},
    open_files::is_out_of_files,
    path_text, refs,
    tree::TreeBuilder,
};

/// Size of the cache of decoded delta bases of one thread; the default of git.
const DELTA_CACHE: &str = "core.deltaBaseCacheLimit=96m";

/// Maximum allocation for one object. An object declares its size, whatever its file holds. Trees have some 60 bytes for each file, and
/// larger blobs are not read.
const ALLOCATION_LIMIT: &str = "gitoxide.objects.allocLimit=67108864";

/// The configuration of a repository replaces no objects: a commit has the same content for every reader. The library would also read
/// replacements whole, in a folder that the configuration names.
const NO_REPLACEMENTS: &str = "core.useReplaceRefs=false";

/// The configuration of a repository names no other file than the one that is checked. The library reads it whole.
const SHALLOW_FILE: &str = "gitoxide.core.shallowFile=shallow";

/// The configuration of a repository does not set the memory of decoded objects.
const NO_OBJECT_CACHE: &str = "gitoxide.objects.cacheLimit=0";

/// Opens the shared part of a repository, with its own configuration only. Its owner is not checked.
///
/// The ownership check of git protects from configuration that names programs, and this crate runs none of them. The library
/// neither follows `.git` files nor resolves `HEAD`: that is done before, with checks.
fn open(dirs: &GitDirs) -> Result<gix::ThreadSafeRepository, gix::Error> {
    let options = gix::open::Options::isolated().filter_config_section(|_| true).config_overrides([
        DELTA_CACHE,
        ALLOCATION_LIMIT,
        NO_REPLACEMENTS,
        SHALLOW_FILE,
        NO_OBJECT_CACHE,
    ]);
    options.open_path_as_is(true).open(&dirs.common_dir)
}

/// The facts of which an identity is derived, and the folders of a repository.
#[derive(Debug, Clone)]
pub(crate) struct RepositoryFacts {
    pub(crate) dirs: GitDirs,
    pub(crate) origin: Option<String>,
    pub(crate) first_commit: Option<FirstCommit>,
}

/// The first commit along first parents from `HEAD`; in a shallow clone, the oldest available one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstCommit {
    pub(crate) id: CommitId,
    /// The commit of `HEAD`; `None` if another commit may be the first one later: a shallow clone is deepened, and commits that are
    /// missing come back.
    head: Option<ObjectId>,
}

/// Why the facts of a repository cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FactsError {
    /// A file is not read. The error names no path of the machine.
    #[error(transparent)]
    Refused(#[from] io::Error),
    #[error("it uses SHA-256 object ids; only repositories with SHA-1 ids can be indexed")]
    Sha256,
    #[error("git cannot read it; run `git fsck` and check the permissions of its files")]
    Unreadable(#[source] Cause),
}

/// Reads the facts that distinguish the repository at `path` from others.
///
/// `known` is the first commit that the last discovery found. It stays while the head is the same, since the walk to it is long.
pub(crate) fn repository_facts(
    path: &Path,
    boundary: Boundary,
    known: Option<FirstCommit>,
) -> Result<RepositoryFacts, FactsError> {
    let dirs = GitDirs::locate(path, boundary)?;
    let repository = open(&dirs).map_err(|error| match dirs.uses_sha256() {
        true => FactsError::Sha256,
        false => FactsError::Unreadable(box_error(error)),
    })?;
    let repository = repository.to_thread_local();
    let origin = repository.config_snapshot().string("remote.origin.url").map(|url| url.to_str_lossy().into_owned());
    let has_identity = origin.as_deref().is_some_and(|url| crate::identity::normalise_url(url).is_some());
    let first_commit = if has_identity { None } else { first_commit(&dirs, &repository, known)? };
    Ok(RepositoryFacts { dirs, origin, first_commit })
}

fn first_commit(
    dirs: &GitDirs,
    repository: &gix::Repository,
    known: Option<FirstCommit>,
) -> io::Result<Option<FirstCommit>> {
    dirs.check_objects()?;
    let head = HeadRef::read(dirs)?;
    let Some(head) = head.id.and_then(|id| ObjectId::from_hex(id.as_bytes()).ok()) else { return Ok(None) };
    if let Some(known) = known.filter(|known| known.head == Some(head)) {
        return Ok(Some(known));
    }
    let is_shallow = dirs.common_dir.join("shallow").exists();
    let (oldest, has_no_parent) = oldest_first_parent(repository, head).unzip();
    let oldest = oldest.and_then(commit_id);
    if !is_shallow && has_no_parent != Some(true) {
        // Commits are missing. A file may be truncated now, and another identity would be another repository.
        let id = known.map(|known| known.id).or(oldest);
        return Ok(id.map(|id| FirstCommit { id, head: None }));
    }
    Ok(oldest.map(|id| FirstCommit { id, head: (!is_shallow).then_some(head) }))
}

/// Resolves `HEAD` of a repository.
pub(crate) fn resolve(checkout: &Checkout) -> Result<Head, SourceError> {
    if checkout.dirs.common_dir.join("reftable").is_dir() {
        return Err(SourceError::Unsupported {
            alias: checkout.alias.clone(),
            feature: "the reftable format",
            remedy: "`git refs migrate --ref-format=files` converts it",
        });
    }
    check_dirs(checkout)?;
    if let CheckoutView::Reference(full_name) = &checkout.view {
        return resolve_reference(checkout, full_name);
    }
    let head = HeadRef::read(&checkout.dirs).map_err(|error| refused_error(checkout, &error))?;
    let branch = head.name.as_deref().and_then(|name| name.strip_prefix("refs/heads/")).map(str::to_owned);
    let id = head.id.ok_or_else(|| SourceError::NoCommits { alias: checkout.alias.clone() })?;
    let id = ObjectId::from_hex(id.as_bytes()).map_err(|_| sha256_error(checkout))?;
    let repository = open_checkout(checkout)?.to_thread_local();
    head_at(checkout, &repository, id, branch)
}

/// Resolves the reference of a view.
fn resolve_reference(checkout: &Checkout, full_name: &str) -> Result<Head, SourceError> {
    let repository = open_with_references(checkout)?.to_thread_local();
    // A branch or tag may be removed at any time.
    let gone = || SourceError::Gone { alias: checkout.alias.clone() };
    let commit = refs::resolve(&repository, full_name).ok_or_else(gone)?;
    let branch = full_name.strip_prefix("refs/heads/").map(str::to_owned);
    head_at(checkout, &repository, ObjectId::from_bytes_or_panic(&commit.0), branch)
}

fn head_at(
    checkout: &Checkout,
    repository: &gix::Repository,
    id: ObjectId,
    branch: Option<String>,
) -> Result<Head, SourceError> {
    let unreadable = |error: gix::Error| unreadable_error(checkout, error);
    repository.find_object(id).map_err(unreadable)?;
    let no_commit = || io::Error::new(io::ErrorKind::InvalidData, "the reference leads to no commit");
    let commit = peel_to_commit(repository, id)
        .ok_or_else(|| SourceError::Unreadable { alias: checkout.alias.clone(), source: Box::new(no_commit()) })?;
    // Git reads a date that is no number as 1970, too.
    let committed_at = commit.time().map_or(0, |time| time.seconds);
    let commit = commit_id(commit.id).ok_or_else(|| sha256_error(checkout))?;
    Ok(Head { commit, branch, committed_at })
}

/// Returns the size of a blob at a path if the caller knows it, which saves a look-up.
pub(crate) type SizeOfBlob<'a> = &'a dyn Fn(&str, BlobId) -> Option<u64>;

/// Lists the files of a commit.
pub(crate) fn list(checkout: &Checkout, commit: CommitId, size_of: SizeOfBlob<'_>) -> Result<Tree, SourceError> {
    let repository = open_checkout(checkout)?.to_thread_local();
    let object_id = ObjectId::from_bytes_or_panic(&commit.0);
    let commit_object = repository.find_commit(object_id).map_err(|error| unreadable_error(checkout, error))?;
    let root = commit_object.tree_id().map_err(|error| unreadable_error(checkout, error))?.detach();
    repository.find_tree(root).map_err(|error| unreadable_error(checkout, error))?;
    let mut builder = TreeBuilder::default();
    list_subtree(&repository, b"", root, size_of, &mut builder)
        .map_err(|source| SourceError::Unreadable { alias: checkout.alias.clone(), source })?;
    Ok(builder.finish(commit))
}

/// Lists the files below a tree object.
pub(crate) fn list_subtree(
    repository: &gix::Repository,
    prefix: &[u8],
    root: ObjectId,
    size_of: SizeOfBlob<'_>,
    builder: &mut TreeBuilder,
) -> Result<(), Cause> {
    let mut folders = vec![(prefix.to_vec(), root)];
    while let Some((prefix, id)) = folders.pop() {
        list_folder(repository, &prefix, id, size_of, &mut folders, builder)?;
    }
    Ok(())
}

/// Lists one tree object. If it is missing or malformed, only its own files are lost. Fails if the process has too many open files.
fn list_folder(
    repository: &gix::Repository,
    prefix: &[u8],
    id: ObjectId,
    size_of: SizeOfBlob<'_>,
    folders: &mut Vec<(Vec<u8>, ObjectId)>,
    builder: &mut TreeBuilder,
) -> Result<(), Cause> {
    let tree = match repository.find_tree(id) {
        Ok(tree) => tree,
        Err(error) => {
            builder.report(&path_text::to_text(prefix), "this folder is missing from the clone or damaged");
            return fail_if_out_of_files(error);
        }
    };
    for entry in tree.iter() {
        let Ok(entry) = entry else {
            builder.report(&path_text::to_text(prefix), "the rest of this folder is damaged");
            return Ok(());
        };
        // Links and invalid names take time, too. The folders that are left over are not read.
        if !builder.admit_entry() {
            return Ok(());
        }
        let name = entry.filename().as_bytes();
        let path = if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() };
        if !is_valid_name(name) || path.len() > MAX_PATH_BYTES {
            builder.report(&path_text::to_text(&path[..path.len().min(256)]), "not a valid path of a file");
            continue;
        }
        match entry.kind() {
            EntryKind::Link => builder.skip_symlink(),
            EntryKind::Commit => builder.skip_submodule(),
            EntryKind::Tree => folders.push((path, entry.object_id())),
            EntryKind::Blob => {
                add_file(repository, &path, entry.object_id(), FileMode::Regular, size_of, builder)?;
            }
            EntryKind::BlobExecutable => {
                add_file(repository, &path, entry.object_id(), FileMode::Executable, size_of, builder)?;
            }
        }
    }
    Ok(())
}

/// Adds a file whose content is in the database of objects.
pub(crate) fn add_file(
    repository: &gix::Repository,
    path: &[u8],
    id: ObjectId,
    mode: FileMode,
    size_of: SizeOfBlob<'_>,
    builder: &mut TreeBuilder,
) -> Result<(), Cause> {
    let path = path_text::to_text(path);
    let Some(blob) = blob_id(id) else { return Ok(()) };
    let size = match size_of(&path, blob)
        .map_or_else(|| repository.try_find_header(id).map(size_in_header), |size| Ok(Some(size)))
    {
        Ok(Some(size)) => size,
        Ok(None) => {
            builder.report(&path, "missing from this clone");
            0
        }
        Err(error) => {
            fail_if_out_of_files(error)?;
            builder.report(&path, "damaged");
            0
        }
    };
    builder.add(TreeFile { class: classify_path(&path), path, blob, size, mode });
    Ok(())
}

fn size_in_header(header: Option<gix::odb::find::Header>) -> Option<u64> {
    header.map(|header| header.size())
}

/// Fails if an error is about the process rather than about the object that was read.
fn fail_if_out_of_files(error: gix::Error) -> Result<(), Cause> {
    let error = box_error(error);
    if is_out_of_files(&*error) { Err(error) } else { Ok(()) }
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
    check_dirs(checkout)?;
    checkout.dirs.check_objects().map_err(|error| refused_error(checkout, &error))?;
    open(&checkout.dirs).map_err(|error| unreadable_error(checkout, error))
}

/// Opens a discovered checkout to look up references by name.
pub(crate) fn open_with_references(checkout: &Checkout) -> Result<gix::ThreadSafeRepository, SourceError> {
    let repository = open_checkout(checkout)?;
    checkout.dirs.check_references().map_err(|error| refused_error(checkout, &error))?;
    Ok(repository)
}

fn check_dirs(checkout: &Checkout) -> Result<(), SourceError> {
    if !checkout.dirs.git_dir.is_dir() {
        return Err(match checkout.dirs.locate_again(&checkout.path) {
            // Something else is in its place.
            Err(error) if has_dot_git(&checkout.path) => refused_error(checkout, &error),
            _ => SourceError::Gone { alias: checkout.alias.clone() },
        });
    }
    checkout.dirs.check().map_err(|error| refused_error(checkout, &error))
}

pub(crate) fn is_valid_name(name: &[u8]) -> bool {
    !name.is_empty() && name != b"." && name != b".." && !name.eq_ignore_ascii_case(b".git") && !name.contains(&b'/')
}

pub(crate) fn commit_id(id: ObjectId) -> Option<CommitId> {
    id.as_bytes().try_into().ok().map(CommitId)
}

pub(crate) fn blob_id(id: ObjectId) -> Option<BlobId> {
    id.as_bytes().try_into().ok().map(BlobId)
}

fn sha256_error(checkout: &Checkout) -> SourceError {
    SourceError::Unsupported {
        alias: checkout.alias.clone(),
        feature: "SHA-256 object ids",
        remedy: "only repositories with SHA-1 ids can be indexed",
    }
}

pub(crate) fn refused_error(checkout: &Checkout, error: &io::Error) -> SourceError {
    SourceError::Refused { alias: checkout.alias.clone(), reason: error.to_string() }
}

fn unreadable_error(checkout: &Checkout, error: gix::Error) -> SourceError {
    SourceError::Unreadable { alias: checkout.alias.clone(), source: box_error(error) }
}

fn box_error(error: gix::Error) -> Box<dyn Error + Send + Sync> {
    Box::new(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sandbox;

    #[test]
    fn the_first_commit_stays_while_older_ones_are_missing() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "")]);
        let root = sandbox.run("app", "git rev-parse HEAD");
        sandbox.commit("app");
        let first =
            |known| repository_facts(&sandbox.path("app"), Boundary::none(), known).unwrap().first_commit.unwrap();
        let whole = first(None);
        assert_eq!((whole.id.to_string(), whole.head.is_some()), (root.clone(), true));

        sandbox.commit("app");
        let object = sandbox.path(&format!("app/.git/objects/{}/{}", &root[..2], &root[2..]));
        let hidden = object.with_extension("hidden");
        std::fs::rename(&object, &hidden).unwrap();
        let kept = first(Some(whole));
        assert_eq!((kept.id, kept.head), (whole.id, None), "the identity stays, and is read again");
        let unknown = first(None);
        assert!(unknown.id != whole.id && unknown.head.is_none());
        std::fs::rename(&hidden, &object).unwrap();
        let healed = first(Some(unknown));
        assert!(healed.id == whole.id && healed.head.is_some());
    }
}
