//! Who was active when, and the commits behind it.

use std::collections::BTreeMap;

use model::FileChange;

use crate::Snapshot;

/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;

/// The days on which somebody was active, ascending, each once; counted from 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveDays {
    pub author: String,
    pub days: Vec<i64>,
}

/// Which commits are looked for. What is empty asks for nothing in particular.
#[derive(Debug, Clone, Default)]
pub struct CommitQuery<'a> {
    pub authors: &'a [String],
    pub paths: &'a [String],
    /// First and last days.
    pub days: &'a [(i64, i64)],
    pub limit: usize,
}

/// A commit that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCommit {
    pub change: FileChange,
    pub paths: Vec<String>,
}

impl Snapshot {
    /// Returns on which days people were active, in the order of their names; names that differ in case alone are one,
    /// spelled as the last commit has it.
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

    /// Returns the latest commits that a query asks for, the last of the history first.
    pub fn active_commits(&self, query: &CommitQuery<'_>) -> Vec<FoundCommit> {
        let mut files: Vec<u32> =
            query.paths.iter().filter_map(|path| self.file_index(path)).map(|file| file as u32).collect();
        files.sort_unstable();
        let authors: Vec<String> = query.authors.iter().map(|author| author.to_lowercase()).collect();
        let mut found = Vec::new();
        for record in self.history().activity.iter() {
            if found.len() >= query.limit {
                break;
            }
            let touches = || record.files.iter().any(|file| files.binary_search(&file.to_native()).is_ok());
            if !query.paths.is_empty() && !touches() {
                continue;
            }
            let Some(change) = self.change(record.commit.to_native()) else { continue };
            let day = change.at.div_euclid(DAY_SECONDS);
            let is_then =
                query.days.is_empty() || query.days.iter().any(|(first, last)| (*first..=*last).contains(&day));
            let is_theirs = authors.is_empty() || authors.contains(&change.author.to_lowercase());
            if is_then && is_theirs {
                let path = |file: u32| Some(self.tables().files.get(file as usize)?.path.as_str().to_owned());
                let paths = record.files.iter().filter_map(|file| path(file.to_native())).collect();
                found.push(FoundCommit { change, paths });
            }
        }
        found
    }
}
