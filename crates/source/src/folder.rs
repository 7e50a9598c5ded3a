//! Reads a plain folder as a repository with a single commit: its current files.

use std::{
    fs::{self, Metadata},
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::UNIX_EPOCH,
};

use ignore::{DirEntry, WalkBuilder};
use model::{BlobId, CommitId};

use crate::{
    Checkout, FileMode, Head, MAX_FILE_BYTES, MAX_PATH_BYTES, ReadError, SourceError, Tree, TreeFile, classify_path,
    error::Cause, git, open_files::is_out_of_files, path_text, tree::TreeBuilder,
};

/// Hidden names that are read, since they describe the build. All others are skipped, since they may contain secrets.
const ALLOWED_HIDDEN_NAMES: &[&str] =
    &[".cargo", ".circleci", ".editorconfig", ".github", ".gitlab", ".gitlab-ci.yml", ".travis.yml"];

/// Folders that tools fill.
const GENERATED_FOLDERS: &[&str] = &["__pycache__", "node_modules"];

/// The files with rules that the walk reads.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore"];

/// Maximum size in bytes of a file with such rules.
const MAX_IGNORE_FILE_BYTES: u64 = 1 << 20;

/// The file that marks a folder as a cache that can be rebuilt (bford.info/cachedir).
pub(crate) const CACHE_TAG: &str = "CACHEDIR.TAG";

/// Resolves a folder: its commit is a hash of all paths and contents.
pub(crate) fn resolve(checkout: &Checkout) -> Result<Head, SourceError> {
    let (tree, newest) = scan(checkout)?;
    Ok(Head { commit: tree.commit, branch: None, committed_at: newest })
}

/// Lists the files of a folder.
pub(crate) fn list(checkout: &Checkout) -> Result<Tree, SourceError> {
    scan(checkout).map(|(tree, _)| tree)
}

fn scan(checkout: &Checkout) -> Result<(Tree, i64), SourceError> {
    let root = canonical_root(checkout)?;
    let mut builder = TreeBuilder::default();
    let mut newest = 0;
    let refused = |error: io::Error| SourceError::Refused { alias: checkout.alias.clone(), reason: error.to_string() };
    check_ignore_files(&root).map_err(refused)?;
    let skipped = SkippedFolders::default();
    let out_of_files = |error: Cause| SourceError::Unreadable { alias: checkout.alias.clone(), source: error };
    for entry in walk(&root, &skipped) {
        let entry = match entry {
            Err(error) if is_out_of_files(&error) => return Err(out_of_files(Box::new(error))),
            entry => entry,
        };
        let Some(file) = regular_file(entry, &root, &mut builder) else { continue };
        if !builder.admit_entry() {
            break;
        }
        newest = newest.max(modified_seconds(&file.metadata));
        match hash_file(&root, &file) {
            Ok(blob) => builder.add(TreeFile {
                class: classify_path(&file.path),
                blob,
                size: file.metadata.len(),
                mode: if file.metadata.mode() & 0o111 == 0 { FileMode::Regular } else { FileMode::Executable },
                path: file.path,
            }),
            Err(error) if is_out_of_files(&error) => return Err(out_of_files(Box::new(error))),
            Err(error) => builder.report(&file.path, format!("cannot be read: {}", error.kind())),
        }
    }
    for (folder, reason) in skipped.take() {
        let path = folder.strip_prefix(&root).unwrap_or(&folder);
        builder.report(&path_text::to_text(path.as_os_str().as_bytes()), format!("the folder is not read: {reason}"));
    }
    let mut tree = builder.finish(CommitId([0; 20]));
    tree.commit = commit_hash(&tree.files);
    Ok((tree, newest))
}

/// Returns a hash of the paths, sizes, times and inodes of all files. It changes whenever a file is written or replaced: programs
/// that set the time of modification cannot set that of the change of the inode.
pub(crate) fn fingerprint(root: &Path) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let mut unused = TreeBuilder::default();
    for entry in walk(root, &SkippedFolders::default()) {
        let Some(file) = regular_file(entry, root, &mut unused) else { continue };
        if !unused.admit_entry() {
            break;
        }
        hasher.update(file.path.as_bytes());
        hasher.update(&[0]);
        let metadata = &file.metadata;
        let times = [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
        for number in [metadata.len() as i64, metadata.ino() as i64].into_iter().chain(times) {
            hasher.update(&number.to_le_bytes());
        }
    }
    let mut fingerprint = [0; 16];
    hasher.finalize_xof().fill(&mut fingerprint);
    fingerprint
}

/// Returns true if a folder contains at least one readable file.
pub(crate) fn has_readable_file(root: &Path) -> bool {
    let mut unused = TreeBuilder::default();
    walk(root, &SkippedFolders::default())
        .take(crate::MAX_FILES)
        .filter_map(|entry| regular_file(entry, root, &mut unused))
        .any(|file| files::open(&root.join(to_path(&file.path))).is_ok())
}

/// Returns the canonical path of the folder, against which every file is checked.
pub(crate) fn canonical_root(checkout: &Checkout) -> Result<PathBuf, SourceError> {
    checkout.path.canonicalize().map_err(|_| SourceError::Gone { alias: checkout.alias.clone() })
}

/// Reads one file. Returns an error unless it is still the listed regular file, within the folder and with the listed content.
pub(crate) fn read(root: &Path, file: &TreeFile) -> Result<Vec<u8>, ReadError> {
    let changed = || ReadError::Changed { path: file.path.clone() };
    let limit = file.size.max(MAX_FILE_BYTES);
    let content = read_regular(root, &to_path(&file.path), limit).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput => changed(),
        _ => ReadError::Unreadable { path: file.path.clone(), source: Box::new(error) },
    })?;
    // A larger file was not hashed when it was listed.
    let is_listed = file.size > MAX_FILE_BYTES || git::hash_blob(&content) == Some(file.blob);
    if is_listed { Ok(content) } else { Err(changed()) }
}

struct RegularFile {
    path: String,
    metadata: Metadata,
}

/// The folders that are not read since an ignore file in them is not a regular file, with the reasons.
#[derive(Clone, Default)]
pub(crate) struct SkippedFolders(Arc<Mutex<Vec<(PathBuf, String)>>>);

impl SkippedFolders {
    pub(crate) fn add(&self, folder: &Path, reason: &io::Error) {
        self.folders().push((folder.to_owned(), reason.to_string()));
    }

    pub(crate) fn take(&self) -> Vec<(PathBuf, String)> {
        std::mem::take(&mut self.folders())
    }

    fn folders(&self) -> MutexGuard<'_, Vec<(PathBuf, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Walks over a folder. The walk is empty if an ignore file of the folder itself is not a regular file.
fn walk(root: &Path, skipped: &SkippedFolders) -> impl Iterator<Item = Result<DirEntry, ignore::Error>> {
    let skipped = skipped.clone();
    let walk = check_ignore_files(root).is_ok().then(|| {
        WalkBuilder::new(root)
            .hidden(false)
            .parents(false)
            .git_global(false)
            .git_exclude(false)
            .require_git(false)
            .follow_links(false)
            .sort_by_file_name(|a, b| a.cmp(b))
            .filter_entry(move |entry| is_included(entry, &skipped))
            .build()
    });
    walk.into_iter().flatten()
}

fn is_included(entry: &DirEntry, skipped: &SkippedFolders) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    if name.starts_with('.') && !ALLOWED_HIDDEN_NAMES.contains(&&*name) {
        return false;
    }
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if !is_folder {
        return true;
    }
    if is_generated_folder(entry.path()) {
        return false;
    }
    let checked = check_ignore_files(entry.path());
    if let Err(reason) = &checked {
        skipped.add(entry.path(), reason);
    }
    checked.is_ok()
}

/// Returns true for a folder that a tool fills.
pub(crate) fn is_generated_folder(folder: &Path) -> bool {
    let is_known = folder.file_name().is_some_and(|name| GENERATED_FOLDERS.iter().any(|known| name == *known));
    is_known || folder.join(CACHE_TAG).exists()
}

/// Returns an error if an ignore file in a folder is a pipe, a device or too large. The walk would read it, and wait.
fn check_ignore_files(folder: &Path) -> io::Result<()> {
    IGNORE_FILES.iter().try_for_each(|name| check_ignore_file(&folder.join(name)))
}

/// Returns an error if an ignore file is a pipe, a device or too large.
pub(crate) fn check_ignore_file(path: &Path) -> io::Result<()> {
    let name = || path.file_name().unwrap_or_default().to_string_lossy();
    files::check_if_present(path, MAX_IGNORE_FILE_BYTES)
        .map_err(|error| io::Error::new(error.kind(), format!("`{}`: {error}", name())))
}

fn regular_file(entry: Result<DirEntry, ignore::Error>, root: &Path, builder: &mut TreeBuilder) -> Option<RegularFile> {
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => {
            builder
                .report("", error.io_error().map_or("an unreadable ignore rule", |_| "a folder that cannot be read"));
            return None;
        }
    };
    let relative = entry.path().strip_prefix(root).ok()?;
    let path = path_text::to_text(relative.as_os_str().as_bytes());
    let kind = entry.file_type()?;
    if kind.is_symlink() {
        builder.skip_symlink();
    } else if !kind.is_dir() && !kind.is_file() {
        builder.skip_special();
    }
    if !kind.is_file() {
        return None;
    }
    if path.len() > MAX_PATH_BYTES {
        builder.report(&path.chars().take(256).collect::<String>(), "the path is too long");
        return None;
    }
    match fs::symlink_metadata(entry.path()) {
        Ok(metadata) if metadata.is_file() => Some(RegularFile { path, metadata }),
        _ => None,
    }
}

/// Returns the git blob id of a file. A file over the size limit is hashed by its size and modification time instead.
fn hash_file(root: &Path, file: &RegularFile) -> io::Result<BlobId> {
    if file.metadata.len() > MAX_FILE_BYTES {
        return Ok(hash_of_large(&file.metadata));
    }
    let content = read_regular(root, &to_path(&file.path), MAX_FILE_BYTES)?;
    git::hash_blob(&content).ok_or_else(|| io::Error::other("cannot be hashed"))
}

/// Returns the id of a file that is too large to be read: a hash of its size and modification time.
pub(crate) fn hash_of_large(metadata: &Metadata) -> BlobId {
    let stamp = format!("{} {} {}", metadata.len(), metadata.mtime(), metadata.mtime_nsec());
    BlobId(first_bytes(&blake3::hash(stamp.as_bytes())))
}

/// Reads a regular file below `root`. Returns `InvalidInput` if it is not one, if a link leads out of `root`, or if it grew.
pub(crate) fn read_regular(root: &Path, relative: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let refused = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
    let path = root.join(relative);
    let parent = path.parent().unwrap_or(root).canonicalize()?;
    let expected_parent = root.join(relative.parent().unwrap_or(Path::new("")));
    if parent != expected_parent {
        return Err(refused("a component of its path is a symbolic link"));
    }
    let listed = fs::symlink_metadata(&path)?;
    if !listed.is_file() {
        return Err(refused("not a regular file"));
    }
    let file = files::open(&path)?;
    let opened = file.metadata()?;
    if (opened.dev(), opened.ino()) != (listed.dev(), listed.ino()) {
        return Err(refused("replaced while it was opened"));
    }
    let mut content = Vec::with_capacity(opened.len().min(limit) as usize);
    file.take(limit + 1).read_to_end(&mut content)?;
    if content.len() as u64 > limit { Err(refused("too large")) } else { Ok(content) }
}

fn commit_hash(files: &[TreeFile]) -> CommitId {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        hasher.update(file.path.as_bytes());
        hasher.update(&[0]);
        hasher.update(&file.blob.0);
    }
    CommitId(first_bytes(&hasher.finalize()))
}

fn first_bytes(hash: &blake3::Hash) -> [u8; 20] {
    std::array::from_fn(|byte_idx| hash.as_bytes()[byte_idx])
}

pub(crate) fn to_path(text: &str) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(&path_text::to_bytes(text)))
}

fn modified_seconds(metadata: &Metadata) -> i64 {
    let since_1970 = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since_1970.map_or(0, |duration| duration.as_secs() as i64)
}
