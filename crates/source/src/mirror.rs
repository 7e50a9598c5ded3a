//! Repositories by URL: a bare repository on this disk that follows a remote one. The only part of this crate that writes, and
//! that runs a program: `git`, with the credentials of whoever runs it.
//!
//! A mirror holds the one branch that is served, which is the remote's `HEAD` unless another is named: what nobody reads takes
//! no room, and a poll that finds nothing new is a single question. What a killed `git` leaves behind is swept by the next one.

mod ask;
mod credential;
mod heads;
mod leftovers;
mod program;
mod remote;
mod said;

use std::{
    fs, io,
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use model::RepoId;

use crate::{Checkout, CheckoutKind, git, identity};

pub use credential::Credential;
pub use heads::seen_at;
pub use leftovers::{is_released, mark_used, mirrors_in, release, remove_incoming, remove_unused, take_back};
pub use remote::{RemoteError, RemoteUrl, is_alias, is_branch};

use ask::{At, ask, has_branches};
use program::Program;

/// The file in a mirror that says what it is a mirror of.
const REMOTE_FILE: &str = "causeway-remote";

/// Where a detached `HEAD` of the remote is fetched to.
const DETACHED: &str = "refs/causeway/head";

/// How long each thing may take that `git` is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// To say what the remote is at: one exchange over the network.
    pub ask: Duration,
    /// To fetch, be it everything: the largest repositories there are take the better part of an hour. Transfers that stand
    /// still end much earlier.
    pub fetch: Duration,
    /// To tidy up: what is not done then is done another time.
    pub tidy: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        Deadlines { ask: minutes(1), fetch: minutes(120), tidy: minutes(10) }
    }
}

/// A repository by URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    /// Satisfies [`is_alias`].
    pub alias: String,
    pub url: RemoteUrl,
    /// The branch that is followed; none for the remote's `HEAD`. Satisfies [`is_branch`].
    pub branch: Option<String>,
    /// Commits that are fetched; none for all.
    pub depth: Option<NonZeroU32>,
}

/// What came of following a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synced {
    Unchanged,
    /// It is at another commit or branch, or there for the first time.
    Moved,
}

/// Why a remote could not be followed. One line, without credentials and without places of this machine.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    #[error("the `git` program cannot be run ({0}); install git, and see that it is found")]
    NoGit(io::Error),
    #[error("git refused to {action}: {said}")]
    Refused { action: &'static str, said: String },
    #[error("git did not {action} within {seconds} seconds")]
    TooLong { action: &'static str, seconds: u64 },
    #[error("the remote has no branch `{branch}`; name another one in the listing")]
    NoBranch { branch: String },
    #[error(
        "the HEAD of the remote names no branch that is there; set its default branch, or name a `branch` in the listing"
    )]
    NoHead,
    #[error("the token file for `{host}` cannot be read: {reason}")]
    Token { host: String, reason: String },
    #[error("the mirror cannot be written: {0}")]
    Io(#[from] io::Error),
    #[error("fetching was stopped")]
    Stopped,
}

impl Mirror {
    /// Returns what makes it this repository, wherever it is mirrored. Another branch of the same remote is another one.
    pub fn repo(&self) -> RepoId {
        let id = identity::of_origin(&self.url.place());
        match &self.branch {
            Some(branch) => identity::with_part(id, "branch", branch),
            None => id,
        }
    }

    /// Returns where it lies in a folder of mirrors.
    pub fn folder(&self, mirrors: &Path) -> PathBuf {
        mirrors.join(folder_name(&self.alias))
    }

    /// Returns the checkout that is read of it.
    pub fn checkout(&self, mirrors: &Path) -> Checkout {
        let path = self.folder(mirrors);
        let (git_dir, common_dir) = (path.clone(), path.clone());
        Checkout { repo: self.repo(), alias: self.alias.clone(), path, kind: CheckoutKind::Bare, git_dir, common_dir }
    }

    /// Says whether it was cloned before, from where it is now.
    pub fn is_cloned(&self, mirrors: &Path) -> bool {
        fs::read_to_string(self.folder(mirrors).join(REMOTE_FILE)).is_ok_and(|followed| followed == self.followed())
    }

    /// Returns what it follows, as it is written into it.
    fn followed(&self) -> String {
        format!("{}\n{}\n", self.url, self.branch.as_deref().unwrap_or_default())
    }

    /// Clones the remote, or fetches what is new of it. Blocking; `stopped` is asked all the time.
    ///
    /// Only one caller at a time may do so for one mirror. Readers see the old state or the new one.
    pub fn sync(
        &self,
        mirrors: &Path,
        credentials: &[Credential],
        deadlines: Deadlines,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Synced, MirrorError> {
        let credential = credentials.iter().find(|credential| credential.is_for(&self.url));
        let folder = self.folder(mirrors);
        let remote =
            Remote { mirror: self, program: Program::new(&self.url, credential, &folder, stopped)?, deadlines };
        if self.is_cloned(mirrors) {
            leftovers::remove_locks(&folder)?;
            return remote.fetch(&folder);
        }
        fs::create_dir_all(mirrors)?;
        let incoming = leftovers::incoming(&folder);
        leftovers::remove(&incoming)?;
        let cloned = remote.clone_to(&incoming);
        let renamed = cloned.and_then(|()| {
            leftovers::remove(&folder)?;
            Ok(fs::rename(&incoming, &folder)?)
        });
        if renamed.is_err() {
            leftovers::remove(&incoming)?;
        }
        renamed.map(|()| Synced::Moved)
    }
}

/// Returns the name of the folder of a mirror: an alias may hold slashes, a folder may not.
fn folder_name(alias: &str) -> String {
    format!("{}.git", alias.replace('%', "%25").replace('/', "%2F"))
}

struct Remote<'a> {
    mirror: &'a Mirror,
    program: Program<'a>,
    deadlines: Deadlines,
}

impl Remote<'_> {
    fn clone_to(&self, incoming: &Path) -> Result<(), MirrorError> {
        let path = incoming.as_os_str();
        let init = ["init", "--quiet", "--bare", "--template=", "--"].map(AsRef::as_ref);
        self.program.run("make a repository", &[&init[..], &[path]].concat(), self.deadlines.ask)?;
        match self.wanted()? {
            Some(wanted) => self.move_to(incoming, None, &wanted, SystemTime::now())?,
            // Nobody has pushed yet.
            None if !has_branches(&self.program, &self.mirror.url, self.deadlines.ask)? => {}
            None => return Err(MirrorError::NoHead),
        }
        Ok(fs::write(incoming.join(REMOTE_FILE), self.mirror.followed())?)
    }

    fn fetch(&self, folder: &Path) -> Result<Synced, MirrorError> {
        let current = current(folder);
        let Some(wanted) = self.wanted()? else {
            return if current.is_none() { Ok(Synced::Unchanged) } else { Err(MirrorError::NoHead) };
        };
        let seen = SystemTime::now();
        let deepens = self.mirror.depth.is_none() && folder.join("shallow").exists();
        if current.as_ref() == Some(&wanted) && !deepens {
            // Whoever fetched it may have been killed before this was noted.
            heads::note(folder, &wanted.commit, seen)?;
            return Ok(Synced::Unchanged);
        }
        self.move_to(folder, current, &wanted, seen)?;
        // What this leaves undone takes room, and nothing else.
        let _ = self.program.run_in(folder, "tidy up", &["gc", "--auto", "--quiet"], self.deadlines.tidy);
        Ok(Synced::Moved)
    }

    /// Returns where the remote is; none if it has no commits, or no `HEAD`.
    fn wanted(&self) -> Result<Option<At>, MirrorError> {
        let wanted = ask(&self.program, &self.mirror.url, self.mirror.branch.as_deref(), self.deadlines.ask)?;
        match (&wanted, &self.mirror.branch) {
            (None, Some(branch)) => Err(MirrorError::NoBranch { branch: branch.clone() }),
            _ => Ok(wanted),
        }
    }

    /// Fetches, points `HEAD` there, and notes when the remote was seen to be there.
    fn move_to(&self, folder: &Path, from: Option<At>, wanted: &At, seen: SystemTime) -> Result<(), MirrorError> {
        let is_renamed = from.as_ref().is_some_and(|from| from.reference != wanted.reference);
        if let Some(At { commit, .. }) = from.filter(|_| is_renamed) {
            // `HEAD` stays at a commit all the time; the name of the old branch may stand in the way of the new one's.
            self.set(folder, &["update-ref", "--no-deref", "HEAD", &commit])?;
            self.drop_references(folder)?;
        }
        let (from, to) = match &wanted.reference {
            Some(reference) => (reference.as_str(), reference.as_str()),
            None => ("HEAD", DETACHED),
        };
        let depth = match self.mirror.depth {
            Some(depth) => Some(format!("--depth={depth}")),
            None => folder.join("shallow").exists().then(|| "--unshallow".to_owned()),
        };
        let refspec = format!("+{from}:{to}");
        let options =
            ["fetch", "--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules"];
        let arguments = options.into_iter().chain(depth.as_deref()).chain(["--", self.mirror.url.as_str(), &refspec]);
        self.program.run_in(folder, "fetch", &arguments.collect::<Vec<_>>(), self.deadlines.fetch)?;
        match &wanted.reference {
            Some(reference) => self.set(folder, &["symbolic-ref", "HEAD", reference])?,
            None => self.set(folder, &["update-ref", "--no-deref", "HEAD", DETACHED])?,
        }
        // Somebody may have pushed since it was asked.
        let arrived = current(folder).map_or_else(|| wanted.commit.clone(), |at| at.commit);
        Ok(heads::note(folder, &arrived, seen)?)
    }

    fn drop_references(&self, folder: &Path) -> Result<(), MirrorError> {
        let list = ["for-each-ref", "--format=%(refname)"];
        let references = self.program.run_in(folder, "list its branches", &list, self.deadlines.ask)?;
        references.lines().try_for_each(|reference| self.set(folder, &["update-ref", "-d", reference]))
    }

    fn set(&self, folder: &Path, arguments: &[&str]) -> Result<(), MirrorError> {
        self.program.run_in(folder, "move a branch", arguments, self.deadlines.ask).map(|_| ())
    }
}

/// Returns where a mirror is; none without commits.
fn current(folder: &Path) -> Option<At> {
    let repository = git::open(folder).ok()?.to_thread_local();
    let head = repository.head().ok()?;
    let reference = head.referent_name().map(|name| name.as_bstr().to_string());
    let commit = head.try_into_peeled_id().ok()??.to_string();
    Some(At { reference, commit })
}

#[cfg(test)]
mod tests;
