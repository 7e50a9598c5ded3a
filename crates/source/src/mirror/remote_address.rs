//! The address of a remote as git is told of it.

use std::time::Duration;

use super::{LocalRemotes, Mirror, MirrorError};

/// The program that serves a repository on this disk. It is told to look for no other folder than that which was checked.
const STRICT_UPLOAD_PACK: &str = "--upload-pack=git-upload-pack --strict";

/// A URL, or the checked git folder of a repository on this disk.
pub(super) struct RemoteAddress {
    text: String,
    is_local: bool,
}

impl RemoteAddress {
    /// Returns the address of the remote of a mirror. A remote on this disk is checked before.
    pub(super) fn of(mirror: &Mirror, local: &LocalRemotes, patience: Duration) -> Result<RemoteAddress, MirrorError> {
        let Some(path) = mirror.url.local_path() else {
            return Ok(RemoteAddress { text: mirror.url.as_str().to_owned(), is_local: false });
        };
        let git_dir = local.check(&path, mirror.within.as_deref(), patience)?;
        let not_unicode = || MirrorError::Unchecked { reason: "its path is not UTF-8 text".to_owned() };
        let text = git_dir.into_os_string().into_string().map_err(|_| not_unicode())?;
        Ok(RemoteAddress { text, is_local: true })
    }

    /// Returns the last options of a command, and the address.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        self.is_local.then_some(STRICT_UPLOAD_PACK).into_iter().chain(["--", self.text.as_str()])
    }
}
