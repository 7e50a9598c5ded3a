//! The history of a file.
//!
//! Ages count from the newest commit of the repository, not from the clock, so that history is constant while the
//! repository is. Robots' commits are listed in `changes` but not counted otherwise. Merges are ignored.

use serde::{Deserialize, Serialize};

use crate::CommitId;

/// Length of the recent window in seconds, and of the one before: a quarter, within which most teams release.
pub const RECENT_SECONDS: u64 = 91 * 86_400;

/// The history of one file across renames.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileHistory {
    /// Number of commits that touched it.
    pub n_commits: u32,
    /// Number of commits, each with a weight that halves per half-life of its age: the current activity.
    pub churn: f32,
    /// Number of commits in the recent window.
    pub n_recent: u32,
    /// Number of commits in the window before, of equal length.
    pub n_before: u32,
    /// Number of commits whose message names a fix or a revert.
    pub n_fixes: u32,
    /// The same, decayed like `churn`.
    pub fix_churn: f32,
    /// Number of authors.
    pub n_authors: u32,
    /// Authors by share of the churn, largest first. Limited in number, so shares may sum to less than 1.
    pub owners: Vec<Ownership>,
    /// Author with the most commits in the recent window.
    pub recent_owner: Option<String>,
    /// Bus factor: the smallest number of authors with more than half of the churn; 0 without churn.
    pub bus_factor: u32,
    /// The latest commits that touched it, newest first, robots included.
    pub changes: Vec<FileChange>,
    /// The oldest known commit that touched it, robots included.
    pub first_change: Option<FileChange>,
    /// Files that change together with it, strongest first.
    pub co_changes: Vec<CoChange>,
    /// Hotspot score; `None` for files that are no source code of the product.
    pub hotspot: Option<Hotspot>,
}

impl FileHistory {
    /// Returns the ratio of recent to earlier commits: above 1 means more activity. Both counts are incremented by one,
    /// so that none against none is 1.
    pub fn trend(&self) -> f32 {
        (self.n_recent as f32 + 1.0) / (self.n_before as f32 + 1.0)
    }

    /// Returns the trend as a word.
    pub fn direction(&self) -> Direction {
        Direction::of(self.n_recent, self.n_before)
    }

    /// Returns the latest commit that touched it, robots included.
    pub fn last_change(&self) -> Option<&FileChange> {
        self.changes.first()
    }
}

/// Hotspot rank of a file among the source files of its repository, by churn and complexity. Tests, documents,
/// generated and vendored files are excluded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Hotspot {
    /// Ten times the geometric mean of both shares, from 0 to 10. Defects concentrate in code that is complex and
    /// changes often (Tornhill, "Your Code as a Crime Scene", 2015).
    pub score: f32,
    /// Share of the other source files with less churn, from 0 to 1.
    pub churn_share: f32,
    /// Share of the other source files that are less complex, from 0 to 1.
    pub complexity_share: f32,
}

/// Trend of the activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// More commits than before.
    Rising,
    /// No significant difference.
    Steady,
    /// Fewer commits than before.
    Falling,
}

impl Direction {
    /// Minimum number of commits in both windows for a trend.
    pub const MIN_COMMITS: u32 = 3;

    /// Minimum ratio of both counts, each incremented by one, for a trend.
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

    /// Returns the name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Rising => "rising",
            Direction::Steady => "steady",
            Direction::Falling => "falling",
        }
    }
}

/// One author's share of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ownership {
    /// Name of the author, or the address of an author without a name.
    pub author: String,
    /// Share of the decayed commits to the file, from 0 to 1.
    pub share: f32,
}

/// A commit that touched a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The commit.
    pub commit: CommitId,
    /// Commit time in seconds since 1970, as recorded in the commit.
    pub at: i64,
    /// Seconds between it and the newest commit of the repository.
    pub age: u64,
    /// Name or address of the author.
    pub author: String,
    /// First line of the message.
    pub subject: String,
    /// True for commits of robots.
    pub is_robot: bool,
}

/// A commit by a person, with the touched files that still exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveCommit {
    /// The commit.
    pub change: FileChange,
    /// The files.
    pub paths: Vec<String>,
}

/// A file that changes together with another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoChange {
    /// The other file.
    pub path: String,
    /// Number of commits that touched both.
    pub support: u32,
    /// The same, decayed like `churn`.
    pub weight: f32,
    /// Share of the file's decayed commits that also touched the other one, from 0 to 1.
    pub confidence: f32,
}

/// A commit message, for full-text search of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// The first line.
    pub subject: &'a str,
    /// The first paragraph after the subject; may be empty.
    pub body: &'a str,
    /// Number of files of the commit, existing or not. A message of many files is less specific to each.
    pub n_files: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trend_needs_enough_commits_and_difference() {
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
