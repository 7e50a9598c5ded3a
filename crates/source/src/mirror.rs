//! Mirrors of remote repositories: bare clones on this disk that follow a URL. Only this part of the crate writes files and
//! runs a program: `git`, with the credentials of the user that runs the process.
//!
//! A mirror contains only the served branch: the remote's `HEAD` unless a branch is configured. This saves disk space, and a
//! poll without news is a single request. Each sync removes the files that a killed `git` left behind.

mod credential;
mod error;
mod git_command;
mod head_log;
mod lifecycle;
mod local_remotes;
mod ls_remote;
mod remote;
mod remote_address;
mod stderr;

use std::{
    fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use model::RepoId;

use crate::{Checkout, CheckoutKind, CheckoutView, git_dirs::GitDirs, head_ref::HeadRef, identity};

pub use credential::Credential;
pub use error::MirrorError;
pub use head_log::seen_at;
pub use lifecycle::{is_released, mark_used, mirrors_in, reclaim, release, remove_incomplete_clones, remove_unused};
pub use local_remotes::LocalRemotes;
pub use remote::{RemoteError, RemoteUrl, is_alias, is_branch};

use git_command::GitCommand;
use ls_remote::{BranchHead, has_branches, ls_remote};
use remote_address::RemoteAddress;

/// The file in a mirror that names its URL and branch.
const REMOTE_FILE: &str = "causeway-remote";

/// Maximum size of the file: more than the longest URL and the longest branch.
const MAX_REMOTE_BYTES: u64 = 64 << 10;

/// The reference to which a detached `HEAD` of the remote is fetched.
const DETACHED_REF: &str = "refs/causeway/head";

/// The deadlines of the `git` commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// To list the references of the remote: one exchange over the network.
    pub list_refs: Duration,
    /// To fetch or clone. The largest repositories take most of an hour. A stalled transfer is cancelled much earlier.
    pub fetch: Duration,
    /// To collect garbage. Unfinished work is left to the next run.
    pub gc: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        Deadlines { list_refs: minutes(1), fetch: minutes(120), gc: minutes(10) }
    }
}

/// A remote repository, and the part of it to mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    /// Satisfies [`is_alias`].
    pub alias: String,
    /// The URL of the remote.
    pub url: RemoteUrl,
    /// The mirrored branch; `None` for the remote's `HEAD`. Satisfies [`is_branch`].
    pub branch: Option<String>,
    /// The number of commits to fetch; `None` for all.
    pub depth: Option<NonZeroU32>,
    /// The folder in which the files of a remote on this disk must be; `None` for the folder of the remote itself.
    pub within: Option<PathBuf>,
}

/// The outcome of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncOutcome {
    /// The mirror was up to date.
    Unchanged,
    /// The mirror is at another commit or branch, or was cloned.
    Moved,
}

impl Mirror {
    /// Returns the identity: a hash of the URL and the branch.
    pub fn repo(&self) -> RepoId {
        let id = identity::of_origin(&self.url.location());
        match &self.branch {
            Some(branch) => identity::with_part(id, "branch", branch),
            None => id,
        }
    }

    /// Returns the folder of the mirror within the folder of all mirrors.
    pub fn folder(&self, mirrors: &Path) -> PathBuf {
        mirrors.join(folder_name(&self.alias))
    }

    /// Returns the checkout of the mirror.
    pub fn checkout(&self, mirrors: &Path) -> Checkout {
        let path = self.folder(mirrors);
        let dirs = GitDirs::of_own(&path);
        let (repo, alias, kind) = (self.repo(), self.alias.clone(), CheckoutKind::Bare);
        Checkout { repo, alias, path, kind, view: CheckoutView::Commit, view_of: None, unread: None, dirs }
    }

    /// Returns true if the mirror was cloned from its current URL and branch.
    pub fn is_cloned(&self, mirrors: &Path) -> bool {
        files::read_text(&self.folder(mirrors).join(REMOTE_FILE), MAX_REMOTE_BYTES)
            .is_ok_and(|content| content == self.remote_file_content())
    }

    /// Returns the content of [`REMOTE_FILE`]: URL and branch.
    fn remote_file_content(&self) -> String {
        format!("{}\n{}\n", self.url, self.branch.as_deref().unwrap_or_default())
    }

    /// Clones the remote, or fetches its news. Blocks; polls `is_stopped` until it returns.
    ///
    /// A mirror must have at most one caller at a time. Concurrent readers see the old state or the new one.
    pub fn sync(
        &self,
        mirrors: &Path,
        credentials: &[Credential],
        local: &LocalRemotes,
        deadlines: Deadlines,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<SyncOutcome, MirrorError> {
        let credential = credentials.iter().find(|credential| credential.is_for(&self.url));
        let folder = self.folder(mirrors);
        let git = GitCommand::new(&self.url, credential, &folder, is_stopped)?;
        let address = RemoteAddress::of(self, local, deadlines.list_refs)?;
        let remote = RemoteSync { mirror: self, address, git, deadlines };
        if self.is_cloned(mirrors) {
            lifecycle::remove_locks(&folder)?;
            return remote.fetch(&folder);
        }
        fs::create_dir_all(mirrors)?;
        let incomplete = lifecycle::incomplete_clone(&folder);
        lifecycle::remove(&incomplete)?;
        let cloned = remote.clone_to(&incomplete);
        let renamed = cloned.and_then(|()| {
            lifecycle::remove(&folder)?;
            Ok(fs::rename(&incomplete, &folder)?)
        });
        if renamed.is_err() {
            lifecycle::remove(&incomplete)?;
        }
        renamed.map(|()| SyncOutcome::Moved)
    }
}

/// Returns the folder name of a mirror. Slashes of the alias are escaped.
fn folder_name(alias: &str) -> String {
    format!("{}.git", alias.replace('%', "%25").replace('/', "%2F"))
}

/// One sync of a mirror with its remote.
struct RemoteSync<'a> {
    mirror: &'a Mirror,
    address: RemoteAddress,
    git: GitCommand<'a>,
    deadlines: Deadlines,
}

impl RemoteSync<'_> {
    fn clone_to(&self, incomplete: &Path) -> Result<(), MirrorError> {
        let path = incomplete.as_os_str();
        let init = ["init", "--quiet", "--bare", "--template=", "--"].map(AsRef::as_ref);
        self.git.run("create a repository", &[&init[..], &[path]].concat(), self.deadlines.list_refs)?;
        match self.remote_head()? {
            Some(remote_head) => self.fetch_head(incomplete, None, &remote_head, SystemTime::now())?,
            // The remote has no commits yet.
            None if !has_branches(&self.git, &self.address, self.deadlines.list_refs)? => {}
            None => return Err(MirrorError::NoHead),
        }
        Ok(files::replace(&incomplete.join(REMOTE_FILE), self.mirror.remote_file_content().as_bytes())?)
    }

    fn fetch(&self, folder: &Path) -> Result<SyncOutcome, MirrorError> {
        let current = local_head(folder);
        let Some(remote_head) = self.remote_head()? else {
            return if current.is_none() { Ok(SyncOutcome::Unchanged) } else { Err(MirrorError::NoHead) };
        };
        let seen = SystemTime::now();
        let is_deepened = self.mirror.depth.is_none() && folder.join("shallow").exists();
        if current.as_ref() == Some(&remote_head) && !is_deepened {
            // The process that fetched it may have been killed before it recorded the time.
            head_log::record(folder, &remote_head.commit, seen)?;
            return Ok(SyncOutcome::Unchanged);
        }
        self.fetch_head(folder, current, &remote_head, seen)?;
        // A failed garbage collection costs only disk space.
        let _ = self.git.run_in(folder, "collect garbage", &["gc", "--auto", "--quiet"], self.deadlines.gc);
        Ok(SyncOutcome::Moved)
    }

    /// Returns the head of the remote; `None` if it has no commits or no `HEAD`.
    fn remote_head(&self) -> Result<Option<BranchHead>, MirrorError> {
        let remote_head = ls_remote(&self.git, &self.address, self.mirror.branch.as_deref(), self.deadlines.list_refs)?;
        match (&remote_head, &self.mirror.branch) {
            (None, Some(branch)) => Err(MirrorError::NoBranch { branch: branch.clone() }),
            _ => Ok(remote_head),
        }
    }

    /// Fetches `remote_head`, moves `HEAD` to it, and records the time at which the remote was seen there.
    fn fetch_head(
        &self,
        folder: &Path,
        from: Option<BranchHead>,
        remote_head: &BranchHead,
        seen: SystemTime,
    ) -> Result<(), MirrorError> {
        let is_renamed = from.as_ref().is_some_and(|from| from.reference != remote_head.reference);
        if let Some(BranchHead { commit, .. }) = from.filter(|_| is_renamed) {
            // `HEAD` must always resolve. The old branch may be a prefix of the new name, so it is removed first.
            self.update_refs(folder, &["update-ref", "--no-deref", "HEAD", &commit])?;
            self.delete_branches(folder)?;
        }
        let (from, to) = match &remote_head.reference {
            Some(reference) => (reference.as_str(), reference.as_str()),
            None => ("HEAD", DETACHED_REF),
        };
        let depth = match self.mirror.depth {
            Some(depth) => Some(format!("--depth={depth}")),
            None => folder.join("shallow").exists().then(|| "--unshallow".to_owned()),
        };
        let refspec = format!("+{from}:{to}");
        let options = ["fetch", "--quiet", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules"];
        let options = options.into_iter().chain(depth.as_deref());
        let arguments = options.chain(self.address.arguments()).chain([refspec.as_str()]);
        self.git.run_in(folder, "fetch", &arguments.collect::<Vec<_>>(), self.deadlines.fetch)?;
        match &remote_head.reference {
            Some(reference) => self.update_refs(folder, &["symbolic-ref", "HEAD", reference])?,
            None => self.update_refs(folder, &["update-ref", "--no-deref", "HEAD", DETACHED_REF])?,
        }
        // A push may have happened between listing and fetching.
        let arrived = local_head(folder).map_or_else(|| remote_head.commit.clone(), |at| at.commit);
        Ok(head_log::record(folder, &arrived, seen)?)
    }

    fn delete_branches(&self, folder: &Path) -> Result<(), MirrorError> {
        let list = ["for-each-ref", "--format=%(refname)"];
        let references = self.git.run_in(folder, "list its branches", &list, self.deadlines.list_refs)?;
        references.lines().try_for_each(|reference| self.update_refs(folder, &["update-ref", "-d", reference]))
    }

    fn update_refs(&self, folder: &Path, arguments: &[&str]) -> Result<(), MirrorError> {
        self.git.run_in(folder, "move a branch", arguments, self.deadlines.list_refs).map(|_| ())
    }
}

/// Returns the head of a mirror; none without commits.
fn local_head(folder: &Path) -> Option<BranchHead> {
    let HeadRef { name, id } = HeadRef::read(&GitDirs::of_own(folder)).ok()?;
    Some(BranchHead { reference: name, commit: id? })
}

#[cfg(test)]
mod tests;
