//! From the past of each file to records that share their commits and authors.

use model::{ActiveCommit, CommitId, FileChange, FileHistory};
use rustc_hash::FxHashMap;

use super::{
    NewHistory,
    hotspots::hotspots,
    records::{ActivityRecord, CoChangeRecord, CommitRecord, EXTENTS, FileHistoryRecord, HistoryTables, NOBODY},
};
use crate::table::FileRecord;

/// Lays out the records of the past of all files, which are in the order of their paths.
pub(crate) fn tables(new: &NewHistory<'_>, files: &[FileRecord]) -> HistoryTables {
    let mut layout = Layout { files, ..Layout::default() };
    let extent = EXTENTS.iter().position(|extent| *extent == new.extent).unwrap_or(0) as u8;
    let mut records: Vec<Option<FileHistoryRecord>> =
        files.iter().map(|file| (new.of_file)(&file.path).map(|history| layout.record(history))).collect();
    let hotspots = hotspots(files, &records);
    for (record, hotspot) in records.iter_mut().zip(hotspots) {
        record.iter_mut().for_each(|record| record.hotspot = hotspot);
    }
    let activity = new.activity.iter().map(|commit| layout.active(commit)).collect();
    let is_known = records.iter().any(Option::is_some);
    let files = if is_known { records } else { Vec::new() };
    HistoryTables { extent, files, commits: layout.commits, authors: layout.authors, activity }
}

#[derive(Default)]
struct Layout<'a> {
    files: &'a [FileRecord],
    commits: Vec<CommitRecord>,
    commit_at: FxHashMap<CommitId, u32>,
    authors: Vec<String>,
    author_at: FxHashMap<String, u32>,
}

impl Layout<'_> {
    fn record(&mut self, history: FileHistory) -> FileHistoryRecord {
        let files = self.files;
        let co_changes = history.co_changes.into_iter().filter_map(|other| {
            let file = files.binary_search_by(|file| file.path.as_str().cmp(&other.path)).ok()? as u32;
            let (support, weight, confidence) = (other.support, other.weight, other.confidence);
            Some(CoChangeRecord { file, support, weight, confidence })
        });
        FileHistoryRecord {
            n_commits: history.n_commits,
            churn: history.churn,
            n_recent: history.n_recent,
            n_before: history.n_before,
            n_fixes: history.n_fixes,
            fix_churn: history.fix_churn,
            n_authors: history.n_authors,
            co_changes: co_changes.collect(),
            owners: history.owners.into_iter().map(|owner| (self.author(owner.author), owner.share)).collect(),
            recent_owner: history.recent_owner.map_or(NOBODY, |author| self.author(author)),
            bus_factor: history.bus_factor,
            changes: history.changes.into_iter().map(|change| self.commit(change)).collect(),
            hotspot: None,
        }
    }

    fn active(&mut self, commit: &ActiveCommit) -> ActivityRecord {
        let files = self.files;
        let index = |path: &String| files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
        let mut touched: Vec<u32> = commit.paths.iter().filter_map(index).map(|file| file as u32).collect();
        touched.sort_unstable();
        ActivityRecord { commit: self.commit(commit.change.clone()), files: touched }
    }

    fn commit(&mut self, change: FileChange) -> u32 {
        if let Some(at) = self.commit_at.get(&change.commit) {
            return *at;
        }
        let at = self.commits.len() as u32;
        self.commit_at.insert(change.commit, at);
        let author = self.author(change.author);
        self.commits.push(CommitRecord {
            id: change.commit.0,
            at: change.at,
            age: change.age,
            author,
            subject: change.subject,
            is_robot: change.is_robot,
        });
        at
    }

    fn author(&mut self, name: String) -> u32 {
        let next = self.authors.len() as u32;
        *self.author_at.entry(name).or_insert_with_key(|name| {
            self.authors.push(name.clone());
            next
        })
    }
}
