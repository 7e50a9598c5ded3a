//! Commits, as the input of history analysis.

use serde::{Deserialize, Serialize};

use crate::CommitId;

/// A commit of a history walk. Merges are included, since they tell which files a branch added or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The id.
    pub id: CommitId,
    /// The author, with the name and address of the repository's `.mailmap`.
    pub author: Person,
    /// Author time in seconds since 1970. It is unreliable: it may lie before 1970, or in the future.
    pub authored_at: i64,
    /// Commit time in seconds since 1970; as unreliable as `authored_at`.
    pub committed_at: i64,
    /// The first line of the message.
    pub subject: String,
    /// The message after the first line; truncated if it is long.
    pub body: String,
    /// True for a commit with several parents. `changes` are those against the first parent.
    pub is_merge: bool,
    /// Distinct paths, sorted. Empty for a merge on a side branch.
    pub changes: Vec<Change>,
}

/// A committer. Either text may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The mail address.
    pub email: String,
}

/// The change of one file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Path relative to the repository: the new path for a rename, the old one for a deletion.
    pub path: String,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// A kind of change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file is new.
    Added,
    /// The file has new content.
    Modified,
    /// The file was removed.
    Deleted,
    /// The file was moved, possibly with edits.
    Renamed {
        /// The old path.
        from: String,
    },
}

/// The position at which the next incremental walk continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkedTo {
    /// The newest commit of the walk.
    pub tip: CommitId,
    /// Hash of all other inputs of the walk: the mailmap, the shallow boundary and the version of the walk. A history
    /// with another basis cannot be continued.
    pub basis: [u8; 16],
}

/// The available part of a repository's history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// None: a plain folder, or a repository without commits.
    #[default]
    Nothing,
    /// Complete, back to the first commit.
    Whole,
    /// The newest commits; older ones exist beyond the limits of the walk.
    Bounded,
    /// The commits of a shallow or damaged clone.
    Shallow,
}

/// The newest plausible commit time, computed incrementally.
///
/// Ages count from it. A few commits far ahead of all others, made under a wrong clock, are ignored, since all other
/// commits would seem equally old.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newest {
    n_times: u64,
    /// The latest times, in descending order.
    latest: Vec<i64>,
}

impl Newest {
    /// Gap in seconds between two of the newest commits that indicates a wrong clock: ten years.
    const CLOCK_FAULT_SECONDS: i64 = 10 * 365 * 86_400;

    /// At most one commit in this many has a wrong clock; if more lie ahead, they are the present.
    const CLOCK_FAULT_RARITY: u64 = 100;

    /// Maximum number of commits with a wrong clock.
    const MAX_CLOCK_FAULTS: u64 = 16;

    /// Adds the time of one commit.
    pub fn add(&mut self, time: i64) {
        self.n_times += 1;
        let rank = self.latest.partition_point(|later| *later >= time);
        self.latest.insert(rank, time);
        self.latest.truncate(Self::MAX_CLOCK_FAULTS as usize + 1);
    }

    /// Returns the newest plausible time; `None` without commits.
    pub fn get(&self) -> Option<i64> {
        let n_faulty = (self.n_times / Self::CLOCK_FAULT_RARITY).clamp(1, Self::MAX_CLOCK_FAULTS) as usize;
        let is_gap = |idx: usize| self.latest[idx - 1].saturating_sub(self.latest[idx]) > Self::CLOCK_FAULT_SECONDS;
        let n_ahead = (1..self.latest.len().min(n_faulty + 1)).rfind(|idx| is_gap(*idx));
        self.latest.get(n_ahead.unwrap_or(0)).copied()
    }
}

impl FromIterator<i64> for Newest {
    fn from_iter<I: IntoIterator<Item = i64>>(times: I) -> Newest {
        let mut newest = Newest::default();
        times.into_iter().for_each(|time| newest.add(time));
        newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: i64 = 365 * 86_400;

    #[test]
    fn implausible_times_are_ignored() {
        for (years, expected) in [
            (vec![], None),
            (vec![3], Some(3)),
            (vec![3, 9, 5], Some(9)),
            (vec![50, 40, 45, 49], Some(50)),
            (vec![50, 90, 49, 0], Some(50)),
            (vec![50, 91, 90, 49], Some(91)),
            (vec![0, 50], Some(0)),
            (vec![0, 49, 50], Some(50)),
        ] {
            let newest: Newest = years.iter().map(|year| year * YEAR).collect();
            assert_eq!(newest.get(), expected.map(|year: i64| year * YEAR), "{years:?}");
        }
        assert_eq!([i64::MIN, i64::MAX, 5, 4].into_iter().collect::<Newest>().get(), Some(5));
        let many = (0..300).map(|year| year % 3).chain([99, 98, 97]);
        assert_eq!(many.map(|year| year * YEAR).collect::<Newest>().get(), Some(2 * YEAR));
    }
}
