//! The places of the files of a git repository. They are found and checked here, before any of them is opened.
//!
//! A work tree names its repository in a file `.git`, a linked work tree names the shared part in `commondir`, and objects
//! may be borrowed from other repositories through `alternates`. All three are text that anybody may have written.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use crate::boundary::Boundary;

/// Maximum size in bytes of a file that names a folder, or a reference: more than the longest path.
const MAX_NAME_BYTES: u64 = 8 << 10;

/// Maximum size in bytes of the configuration of a repository. Parsed, it takes up to 160 times as much memory.
const MAX_CONFIG_BYTES: u64 = 256 << 10;

/// Maximum size in bytes of the lists of alternates and of shallow commits.
const MAX_LIST_BYTES: u64 = 16 << 20;

/// Maximum size in bytes of the packed references. One takes some 70 bytes, and large servers have a million.
const MAX_PACKED_REFS_BYTES: u64 = 128 << 20;

/// Maximum number of repositories that objects are borrowed from, with those that are missing. Git follows at most five in a chain.
const MAX_ALTERNATES: usize = 64;

/// The folders of a repository. Both are canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitDirs {
    /// Contains `HEAD`.
    pub(crate) git_dir: PathBuf,
    /// Contains branches, objects and configuration. It differs from `git_dir` in a linked work tree.
    pub(crate) common_dir: PathBuf,
    boundary: Boundary,
}

impl GitDirs {
    /// Finds the folders of the work tree or the bare repository at `path`, and checks them.
    pub(crate) fn locate(path: &Path, boundary: Boundary) -> io::Result<GitDirs> {
        let dot_git = path.join(".git");
        let git_dir = match fs::symlink_metadata(&dot_git) {
            Err(error) if files::is_missing(&error) => path.to_owned(),
            // Older tools make `.git` a link to the folder of a repository.
            _ if dot_git.is_dir() => dot_git,
            _ => named(".git", path, b"gitdir:")?,
        };
        let git_dir = canonical_folder(".git", &git_dir)?;
        let common_dir = common_dir_of(&git_dir)?;
        let dirs = GitDirs { git_dir, common_dir, boundary };
        dirs.check()?;
        Ok(dirs)
    }

    /// Returns the folders of a bare repository that this process writes itself, or of a plain folder.
    pub(crate) fn of_own(path: &Path) -> GitDirs {
        GitDirs { git_dir: path.to_owned(), common_dir: path.to_owned(), boundary: Boundary::none() }
    }

    /// Finds the folders of the same repository again.
    pub(crate) fn locate_again(&self, path: &Path) -> io::Result<GitDirs> {
        GitDirs::locate(path, self.boundary.clone())
    }

    /// Returns an error if a file that is read of every repository is not a regular file of a sensible size, or if a folder
    /// is outside of the boundary.
    pub(crate) fn check(&self) -> io::Result<()> {
        if common_dir_of(&self.git_dir)? != self.common_dir {
            return Err(named_error(
                "commondir",
                &files::refused("it was changed since the repository was found".to_owned()),
            ));
        }
        if self.common_dir != self.git_dir && self.common_dir.join("commondir").exists() {
            return Err(named_error("commondir", &files::refused("it names a linked work tree".to_owned())));
        }
        for (folder, name, limit) in [
            (&self.git_dir, "HEAD", MAX_NAME_BYTES),
            (&self.common_dir, "HEAD", MAX_NAME_BYTES),
            (&self.common_dir, "config", MAX_CONFIG_BYTES),
            (&self.git_dir, "config.worktree", MAX_CONFIG_BYTES),
            (&self.common_dir, "config.worktree", MAX_CONFIG_BYTES),
            (&self.common_dir, "packed-refs", MAX_PACKED_REFS_BYTES),
            (&self.common_dir, "shallow", MAX_LIST_BYTES),
        ] {
            files::check_if_present(&folder.join(name), limit).map_err(|error| named_error(name, &error))?;
        }
        self.links()?
            .iter()
            .try_for_each(|(name, path)| self.boundary.check(path).map_err(|error| named_error(name, &error)))?;
        // Its target may be missing: `HEAD` was a symbolic link once.
        fs::symlink_metadata(self.git_dir.join("HEAD")).map(drop).map_err(|error| named_error("HEAD", &error))
    }

    /// Returns an error if anything in the folders of objects is neither a regular file nor a folder. It costs a listing of
    /// some 256 folders.
    pub(crate) fn check_objects(&self) -> io::Result<()> {
        for folder in self.object_folders()? {
            check_special(&folder, OBJECTS, &self.boundary, 2)?;
        }
        Ok(())
    }

    /// Returns an error if a reference is not a regular file of a sensible size, or is a link out of the boundary. It costs a listing
    /// of the folders of references.
    pub(crate) fn check_references(&self) -> io::Result<()> {
        let folder = canonical_folder(REFERENCES, &self.common_dir.join(REFERENCES))?;
        self.boundary.check(&folder).map_err(|error| named_error(REFERENCES, &error))?;
        check_references(folder, &self.boundary)
    }

    /// Returns true if the configuration names SHA-256 as the format of objects.
    pub(crate) fn uses_sha256(&self) -> bool {
        let config = files::read(&self.common_dir.join("config"), MAX_CONFIG_BYTES).unwrap_or_default();
        let is_format = |line: &str| {
            let (key, value) = line.split_once('=').unwrap_or_default();
            key.trim().eq_ignore_ascii_case("objectformat") && value.trim().eq_ignore_ascii_case("sha256")
        };
        String::from_utf8_lossy(&config).lines().any(is_format)
    }

    /// Returns the names of the links that lead out of the configured folders.
    pub(crate) fn outside_links(&self) -> Vec<&'static str> {
        let links = self.links().unwrap_or_default();
        let outside: BTreeSet<&'static str> =
            links.into_iter().filter(|(_, path)| !self.boundary.contains(path)).map(|(name, _)| name).collect();
        outside.into_iter().collect()
    }

    /// Returns the canonical folders that are read.
    pub(crate) fn folders(&self) -> io::Result<Vec<PathBuf>> {
        Ok(self.links()?.into_iter().map(|(_, folder)| folder).collect())
    }

    /// Returns the canonical folders of objects, also of those that are borrowed.
    pub(crate) fn object_folders(&self) -> io::Result<Vec<PathBuf>> {
        let links = self.links()?.into_iter();
        Ok(links.filter(|(name, _)| matches!(*name, OBJECTS | ALTERNATES)).map(|(_, folder)| folder).collect())
    }

    /// Returns the canonical folders that are read, each with the name of the file or folder that leads there.
    fn links(&self) -> io::Result<Vec<(&'static str, PathBuf)>> {
        let mut links = vec![(".git", self.git_dir.clone()), ("commondir", self.common_dir.clone())];
        for name in [OBJECTS, REFERENCES] {
            links.push((name, canonical_folder(name, &self.common_dir.join(name))?));
        }
        let packs = self.common_dir.join("objects/pack");
        if packs.exists() {
            links.push(("objects/pack", canonical_folder("objects/pack", &packs)?));
        }
        links.extend(alternates(&canonical_folder(OBJECTS, &self.common_dir.join(OBJECTS))?)?);
        Ok(links)
    }
}

const OBJECTS: &str = "objects";
const REFERENCES: &str = "refs";
const ALTERNATES: &str = "objects/info/alternates";

/// Returns the folder that `commondir` names, or the same folder if there is no such file.
fn common_dir_of(git_dir: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(git_dir.join("commondir")) {
        Err(error) if files::is_missing(&error) => Ok(git_dir.to_owned()),
        _ => canonical_folder("commondir", &named("commondir", git_dir, b"")?),
    }
}

/// Returns the folders that objects are borrowed from, directly or through others.
fn alternates(objects: &Path) -> io::Result<Vec<(&'static str, PathBuf)>> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut queue = vec![objects.to_owned()];
    let mut n_named = 0;
    while let Some(folder) = queue.pop() {
        let list = folder.join("info/alternates");
        let content = match files::read(&list, MAX_LIST_BYTES) {
            Err(error) if files::is_missing(&error) => continue,
            content => content.map_err(|error| named_error(ALTERNATES, &error))?,
        };
        for line in content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line[0] != b'#') {
            n_named += 1;
            if n_named > MAX_ALTERNATES {
                let reason = format!("it names more than {MAX_ALTERNATES} repositories");
                return Err(named_error(ALTERNATES, &files::refused(reason)));
            }
            // A missing alternate has no objects.
            let path = unquoted(line).map_err(|error| named_error(ALTERNATES, &error))?;
            let Ok(path) = folder.join(OsStr::from_bytes(path)).canonicalize() else { continue };
            if path == objects || found.contains(&path) {
                continue;
            }
            found.push(path.clone());
            queue.push(path);
        }
    }
    Ok(found.into_iter().map(|path| (ALTERNATES, path)).collect())
}

/// Returns the path of a line of `alternates`. A quoted path may have escapes, which would hide where it leads.
fn unquoted(line: &[u8]) -> io::Result<&[u8]> {
    let Some(rest) = line.strip_prefix(b"\"") else { return Ok(line) };
    let path = rest.strip_suffix(b"\"").filter(|path| !path.contains(&b'\\'));
    path.ok_or_else(|| files::refused("it contains an escaped path".to_owned()))
}

/// Reads the folder that a file names after a prefix, relative to the folder of the file.
fn named(name: &str, folder: &Path, prefix: &[u8]) -> io::Result<PathBuf> {
    let content = files::read(&folder.join(name), MAX_NAME_BYTES).map_err(|error| named_error(name, &error))?;
    let path = content.strip_prefix(prefix).map(<[u8]>::trim_ascii);
    let path = path.filter(|path| !path.is_empty() && !path.contains(&0));
    let path = path.ok_or_else(|| named_error(name, &files::refused("it names no folder".to_owned())))?;
    Ok(folder.join(OsStr::from_bytes(path)))
}

fn canonical_folder(name: &str, path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Ok(real) if real.is_dir() => Ok(real),
        Ok(_) => Err(named_error(name, &files::refused("it does not lead to a folder".to_owned()))),
        Err(error) => Err(named_error(name, &error)),
    }
}

/// Returns an error for anything below a folder that is neither a regular file nor a folder, or that is a link out of the boundary.
fn check_special(folder: &Path, name: &str, boundary: &Boundary, depth: usize) -> io::Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| named_error(name, &error))? {
        let entry = entry.map_err(|error| named_error(name, &error))?;
        let own_name = format!("{name}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(|error| named_error(&own_name, &error))?;
        let kind = if kind.is_symlink() {
            // A link to nothing is like a missing file.
            let Ok(target) = entry.path().canonicalize() else { continue };
            boundary.check(&target).map_err(|error| named_error(&own_name, &error))?;
            fs::metadata(&target).map_or(kind, |metadata| metadata.file_type())
        } else {
            kind
        };
        if kind.is_dir() && depth > 0 {
            check_special(&entry.path(), &own_name, boundary, depth - 1)?;
        } else if !kind.is_dir() && !kind.is_symlink() {
            files::check(kind).map_err(|error| named_error(&own_name, &error))?;
        }
    }
    Ok(())
}

/// Returns an error for anything in the folder of references, at any depth, that is not a regular file of a sensible size or a folder. No
/// link to a folder is followed.
fn check_references(references: PathBuf, boundary: &Boundary) -> io::Result<()> {
    // A name need not be UTF-8, so the names of errors do not lead back to files.
    let mut folders = vec![(references, REFERENCES.to_owned())];
    while let Some((folder, name)) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            // Git removes empty folders at any time.
            Err(error) if files::is_missing(&error) => continue,
            entries => entries.map_err(|error| named_error(&name, &error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| named_error(&name, &error))?;
            let own_name = format!("{name}/{}", entry.file_name().to_string_lossy());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push((entry.path(), own_name)),
                kind => {
                    check_reference(&entry.path(), kind, boundary).map_err(|error| named_error(&own_name, &error))?
                }
            }
        }
    }
    Ok(())
}

fn check_reference(path: &Path, kind: io::Result<fs::FileType>, boundary: &Boundary) -> io::Result<()> {
    if kind?.is_symlink() {
        // A link to nothing is like a missing file.
        let Ok(target) = path.canonicalize() else { return Ok(()) };
        boundary.check(&target)?;
    }
    files::check_if_present(path, MAX_NAME_BYTES)
}

/// Puts the name of a file of the repository before an error. The error names no path of the machine.
pub(crate) fn named_error(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{name}` of the repository: {error}"))
}

#[cfg(test)]
mod tests;
