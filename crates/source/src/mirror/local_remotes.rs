//! Remotes on this disk. Their files are checked before `git` opens them: whoever can write to the folder of a remote may have made
//! links to other repositories, pipes and devices there.

use std::{
    ffi::OsString,
    io,
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use super::MirrorError;
use crate::{IsolatedReads, OutsideLinks, boundary::Boundary, git_dirs::GitDirs};

/// The policy for remotes on this disk, and the checks of them that have not ended.
#[derive(Debug, Default)]
pub struct LocalRemotes {
    outside_links: OutsideLinks,
    checks: IsolatedReads<io::Result<PathBuf>>,
}

impl LocalRemotes {
    /// Creates the policy: where the files of a remote may be.
    pub fn new(outside_links: OutsideLinks) -> LocalRemotes {
        LocalRemotes { outside_links, checks: IsolatedReads::default() }
    }

    /// Checks the remote at `path`, and returns its git folder. Its files must be in `within`, or else in its own folder.
    pub(super) fn check(&self, path: &Path, within: Option<&Path>, patience: Duration) -> Result<PathBuf, MirrorError> {
        let (outside_links, within) = (self.outside_links, within.map(Path::to_owned));
        let check = move |path: &Path| checked_git_dir(path, within.as_deref(), outside_links);
        match self.checks.read(path, patience, check) {
            Ok(checked) => checked.map_err(|error| MirrorError::Unchecked { reason: error.to_string() }),
            Err(error) => Err(MirrorError::Unchecked { reason: error.to_string() }),
        }
    }
}

fn checked_git_dir(path: &Path, within: Option<&Path>, outside_links: OutsideLinks) -> io::Result<PathBuf> {
    let path = existing(path);
    let unopened =
        |error: io::Error| io::Error::new(error.kind(), format!("its folder cannot be opened: {}", error.kind()));
    let real = path.canonicalize().map_err(unopened)?;
    let own = || real_place(&path);
    let boundary = Boundary::new([within.map_or_else(own, Path::canonicalize)?], outside_links);
    boundary.check(&real)?;
    let dirs = GitDirs::locate(&path, boundary)?;
    dirs.check_objects()?;
    dirs.check_references()?;
    Ok(dirs.git_dir)
}

/// Returns the place of a folder, without following a link in that place: whoever can write beside it may have made the link.
fn real_place(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}

/// Returns the path with the suffix that git adds to a path that does not exist.
fn existing(path: &Path) -> PathBuf {
    if path.symlink_metadata().is_ok() {
        return path.to_owned();
    }
    let mut with_suffix = OsString::from(path);
    with_suffix.push(".git");
    with_suffix.into()
}

/// Returns the path that a `file` URL names. Git decodes `%20` in URLs, and not in paths.
pub(super) fn path_of(url: &str) -> PathBuf {
    let Some(encoded) = url.strip_prefix("file://") else { return PathBuf::from(url) };
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high << 4 | low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_decoded_and_paths_are_not() {
        for (url, expected) in [
            ("file:///srv/a%20b.git", "/srv/a b.git"),
            ("file:///srv/a%2", "/srv/a%2"),
            ("file:///srv/%zz", "/srv/%zz"),
            ("/srv/a%20b.git", "/srv/a%20b.git"),
        ] {
            assert_eq!(path_of(url), Path::new(expected), "{url}");
        }
    }
}
