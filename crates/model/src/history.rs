//! What the past of a file says about it.
//!
//! Ages count from the newest commit of the repository, never from the clock, so that nothing here changes while the
//! repository does not. Commits of robots are among the `changes`, and count for nothing else; merges not even that.

use serde::{Deserialize, Serialize};

use crate::CommitId;

/// Seconds of the recent window, and of the one that it is compared with: a quarter, within which most teams release.
pub const RECENT_SECONDS: u64 = 91 * 86_400;

/// The past of one file, whatever it was called.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileHistory {
    /// Commits that touched it.
    pub n_commits: u32,
    /// Commits that touched it, each halved for every half-life of its age: how much is going on there.
    pub churn: f32,
    /// Commits of the recent window.
    pub n_recent: u32,
    /// Commits of the window before that, which is as long.
    pub n_before: u32,
    /// Commits that say that they fix or take back something.
    pub n_fixes: u32,
    /// The same, decayed as `churn` is.
    pub fix_churn: f32,
    /// People who touched it.
    pub n_authors: u32,
    /// Who stands behind its churn; the largest share first. No more than a handful, so that shares may sum to less than 1.
    pub owners: Vec<Ownership>,
    /// Who touched it most in the recent window, if anyone did.
    pub recent_owner: Option<String>,
    /// The smallest number of people who together stand behind more than half of its churn; 0 without any.
    pub bus_factor: u32,
    /// The commits that touched it last, the newest first, robots' too.
    pub changes: Vec<FileChange>,
    /// Files that tend to change with it; the strongest first.
    pub co_changes: Vec<CoChange>,
    /// How much of a hotspot it is; none for what is no source of the product.
    pub hotspot: Option<Hotspot>,
}

impl FileHistory {
    /// Returns how the recent window compares with the one before: above 1 there is more going on than there was, below 1
    /// less. Either counts one commit more than it has, so that none against none is 1.
    pub fn trend(&self) -> f32 {
        (self.n_recent as f32 + 1.0) / (self.n_before as f32 + 1.0)
    }

    /// Returns the same as a word.
    pub fn direction(&self) -> Direction {
        Direction::of(self.n_recent, self.n_before)
    }

    /// Returns the commit that touched it last, be it a robot's.
    pub fn last_change(&self) -> Option<&FileChange> {
        self.changes.first()
    }
}

/// How a file stands among the source files of its repository, tests, documents, generated and vendored files aside: by how
/// much it changes, and by how complex it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Hotspot {
    /// From 0 to 10: the geometric mean of both shares, times ten. What changes a lot and is complex as well is where
    /// mistakes are made (Tornhill, "Your Code as a Crime Scene", 2015).
    pub score: f32,
    /// The share of the other source files that have less churn, from 0 to 1.
    pub churn_share: f32,
    /// The share of the other source files that are less complex, from 0 to 1.
    pub complexity_share: f32,
}

/// Whether more is going on than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Rising,
    Steady,
    Falling,
}

impl Direction {
    /// Commits of both windows below which a direction is chance.
    pub const MIN_COMMITS: u32 = 3;

    /// From this many times as much on, either counted with one commit more than it has, a change is no chance.
    pub const FACTOR: f32 = 1.5;

    /// Compares the commits of the recent window with those of the one before.
    pub fn of(n_recent: u32, n_before: u32) -> Direction {
        let ratio = (n_recent as f32 + 1.0) / (n_before as f32 + 1.0);
        match ratio {
            _ if n_recent.saturating_add(n_before) < Self::MIN_COMMITS => Direction::Steady,
            ratio if ratio >= Self::FACTOR => Direction::Rising,
            ratio if ratio <= 1.0 / Self::FACTOR => Direction::Falling,
            _ => Direction::Steady,
        }
    }

    /// Returns the word that people read.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Rising => "rising",
            Direction::Steady => "steady",
            Direction::Falling => "falling",
        }
    }
}

/// The part of one person in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ownership {
    /// The name of the author, or the address of one without a name.
    pub author: String,
    /// From 0 to 1: of the decayed commits to the file.
    pub share: f32,
}

/// A commit that touched a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    pub commit: CommitId,
    /// When it took its place in the history, in seconds since 1970, as the commit has it.
    pub at: i64,
    /// Seconds between it and the newest commit of the repository.
    pub age: u64,
    pub author: String,
    pub subject: String,
    pub is_robot: bool,
}

/// A commit of a person, with the files that it touched and that are still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveCommit {
    pub change: FileChange,
    pub paths: Vec<String>,
}

/// A file that changes with another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoChange {
    pub path: String,
    /// Commits that touched both.
    pub support: u32,
    /// The same, decayed as `churn` is.
    pub weight: f32,
    /// From 0 to 1: of the decayed commits to the file, how much touched the other one too.
    pub confidence: f32,
}

/// What a commit says, for those who look for files by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    pub subject: &'a str,
    /// The first paragraph after the subject; may be empty.
    pub body: &'a str,
    /// Files that the commit touched, whether they still exist or not: the more, the less it says about each.
    pub n_files: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_needs_some_commits_and_some_difference() {
        for (n_recent, n_before, expected) in [
            (0, 0, "steady"),
            (2, 0, "steady"),
            (3, 0, "rising"),
            (0, 3, "falling"),
            (5, 4, "steady"),
            (5, 3, "rising"),
            (3, 5, "falling"),
            (u32::MAX, u32::MAX, "steady"),
        ] {
            assert_eq!(Direction::of(n_recent, n_before).name(), expected, "{n_recent} {n_before}");
        }
    }
}
