//! Activity of authors: the days on which they committed, and these commits.

use std::collections::BTreeMap;

use model::FileChange;

use crate::snapshot::Snapshot;

/// Seconds per day.
const DAY_SECONDS: i64 = 86_400;

/// The days on which an author committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveDays {
    /// Name of the author.
    pub author: String,
    /// Days since the epoch, ascending and distinct.
    pub days: Vec<i64>,
}

/// Selects commits. An empty field matches every commit.
#[derive(Debug, Clone, Default)]
pub struct CommitQuery<'a> {
    /// Names of authors, in any case.
    pub authors: &'a [String],
    /// Paths of touched files.
    pub paths: &'a [String],
    /// First and last day of each range, in days since the epoch.
    pub days: &'a [(i64, i64)],
    /// Maximum number of commits.
    pub limit: usize,
}

/// A commit that matches a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCommit {
    /// The commit.
    pub change: FileChange,
    /// Paths of the touched files that still exist.
    pub paths: Vec<String>,
}

impl Snapshot {
    /// Returns the active days of each author, sorted by name. Names that differ only in case are one author, spelled as
    /// in the latest commit.
    pub fn active_days(&self) -> Vec<ActiveDays> {
        let mut by_author: BTreeMap<String, (String, Vec<i64>)> = BTreeMap::new();
        for record in self.history().activity.iter() {
            let Some(change) = self.change(record.commit.to_native()) else { continue };
            let entry = by_author.entry(change.author.to_lowercase()).or_insert_with(|| (change.author, Vec::new()));
            entry.1.push(change.at.div_euclid(DAY_SECONDS));
        }
        let sorted = |(author, mut days): (String, Vec<i64>)| {
            days.sort_unstable();
            days.dedup();
            ActiveDays { author, days }
        };
        by_author.into_values().map(sorted).collect()
    }

    /// Returns the latest commits that match a query, newest first.
    pub fn active_commits(&self, query: &CommitQuery<'_>) -> Vec<FoundCommit> {
        let mut files: Vec<u32> =
            query.paths.iter().filter_map(|path| self.file_index(path)).map(|file| file as u32).collect();
        files.sort_unstable();
        let authors: Vec<String> = query.authors.iter().map(|author| author.to_lowercase()).collect();
        let mut commits = Vec::new();
        for record in self.history().activity.iter() {
            if commits.len() >= query.limit {
                break;
            }
            let touches = || record.files.iter().any(|file| files.binary_search(&file.to_native()).is_ok());
            if !query.paths.is_empty() && !touches() {
                continue;
            }
            let Some(change) = self.change(record.commit.to_native()) else { continue };
            let day = change.at.div_euclid(DAY_SECONDS);
            let is_in_days =
                query.days.is_empty() || query.days.iter().any(|(first, last)| (*first..=*last).contains(&day));
            let is_by_author = authors.is_empty() || authors.contains(&change.author.to_lowercase());
            if is_in_days && is_by_author {
                let path = |file: u32| Some(self.tables().files.get(file as usize)?.path.as_str().to_owned());
                let paths = record.files.iter().filter_map(|file| path(file.to_native())).collect();
                commits.push(FoundCommit { change, paths });
            }
        }
        commits
    }
}
