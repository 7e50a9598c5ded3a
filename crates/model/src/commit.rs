//! One commit, as far as a history is made from it.

use serde::{Deserialize, Serialize};

use crate::CommitId;

/// One commit of a walk. Merges are among them, since they say which files a branch brought or took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: CommitId,
    /// The one who wrote it, under the name that the repository's `.mailmap` gives.
    pub author: Person,
    /// When it was written, in seconds since 1970. Whatever the commit claims: it may lie before 1970, or ahead.
    pub authored_at: i64,
    /// When it took its place in the history, in seconds since 1970; as unreliable as `authored_at`.
    pub committed_at: i64,
    /// The first line of its message.
    pub subject: String,
    /// The message after that line; cut where it is long.
    pub body: String,
    /// It has more than one parent. `changes` are then those against the first one.
    pub is_merge: bool,
    /// Sorted by path, no path twice. Empty for a merge on a side branch.
    pub changes: Vec<Change>,
}

/// Somebody who commits. Either text may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: String,
}

/// What a commit did to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the repository, as listings write it; where the file lies after the commit, if it still does.
    pub path: String,
    pub kind: ChangeKind,
}

/// How a commit changed a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// Moved, perhaps edited on the way.
    Renamed {
        from: String,
    },
}

/// How far a walk came: where the next one goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkedTo {
    pub tip: CommitId,
    /// A hash of all else that the walk depended on: who is who, where a shallow clone ends, and the way of walking.
    /// A history that began on another basis cannot be continued.
    pub basis: [u8; 16],
}

/// How much of its past a repository shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// None: a plain folder, or a repository without commits.
    #[default]
    Nothing,
    /// Everything, to the first commit.
    Whole,
    /// The newest commits; older ones are there, but over the bounds of a walk.
    Bounded,
    /// As much as a shallow or damaged clone holds.
    Shallow,
}

/// The times of commits, as far as it takes to tell the newest one.
///
/// Ages count from it. A few commits that lie far ahead of all others, as those made under a wrong clock do, are passed
/// over, for they would make everything else seem of one age.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newest {
    n_times: u64,
    /// The latest ones, the latest first.
    latest: Vec<i64>,
}

impl Newest {
    /// A gap, in seconds, that no history has between two of its newest commits, unless a clock was wrong: ten years.
    const CLOCK_FAULT_SECONDS: i64 = 10 * 365 * 86_400;

    /// One commit in so many may have a wrong clock; where more lie ahead, they are the present.
    const CLOCK_FAULT_RARITY: u64 = 100;

    /// Commits that may have a wrong clock, however many there are.
    const MAX_CLOCK_FAULTS: u64 = 16;

    /// Counts one commit, made at this time.
    pub fn add(&mut self, time: i64) {
        self.n_times += 1;
        let rank = self.latest.partition_point(|later| *later >= time);
        self.latest.insert(rank, time);
        self.latest.truncate(Self::MAX_CLOCK_FAULTS as usize + 1);
    }

    /// Returns the time of the newest commit that has a likely one; none without commits.
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
    fn ages_count_from_the_newest_commit_with_a_likely_date() {
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
