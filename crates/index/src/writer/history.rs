//! Writing the change history: records of files that share commits and authors.

pub(super) mod hotspots;

use model::{ActiveCommit, CommitId, Extent, FileChange, FileHistory, Message};
use rkyv::rancor;
use rustc_hash::FxHashMap;

use crate::{
    error::{IndexError, damaged},
    records::{
        history::{ActivityRecord, CoChangeRecord, CommitRecord, EXTENTS, FileHistoryRecord, HistoryTables, NO_AUTHOR},
        tables::FileRecord,
    },
    snapshot::Snapshot,
};

/// The change history of a new generation.
pub struct NewHistory<'a> {
    /// Known extent of the history.
    pub extent: Extent,
    /// The state that the next indexing run continues from.
    pub state: &'a [u8],
    /// Returns the history of a file, if it is known.
    pub of_file: &'a (dyn Fn(&str) -> Option<FileHistory> + Sync),
    /// Returns the messages of the commits that touched a file, newest first.
    pub messages_of_file: &'a (dyn Fn(&str) -> Vec<Message<'a>> + Sync),
    /// The latest commits by people, newest first.
    pub activity: Vec<ActiveCommit>,
    /// Parts of the history that could not be read, one message each.
    pub diagnostics: Vec<String>,
}

impl<'a> NewHistory<'a> {
    /// Returns an empty history.
    pub fn none() -> NewHistory<'a> {
        NewHistory {
            extent: Extent::Nothing,
            state: &[],
            of_file: &|_| None,
            messages_of_file: &|_| Vec::new(),
            activity: Vec::new(),
            diagnostics: Vec::new(),
        }
    }
}

/// Returns the history records of the previous generation, whose files have the same paths.
pub(crate) fn previous_history_tables(previous: &Snapshot) -> Result<HistoryTables, IndexError> {
    let tables = rkyv::deserialize::<HistoryTables, rancor::Error>(previous.history());
    tables.map_err(|error| damaged(previous.dir(), error.to_string()))
}

/// Returns the history records of all files, which are sorted by path.
pub(crate) fn history_tables(new: &NewHistory<'_>, files: &[FileRecord]) -> HistoryTables {
    let mut builder = HistoryBuilder { files, ..HistoryBuilder::default() };
    let extent = EXTENTS.iter().position(|extent| *extent == new.extent).unwrap_or(0) as u8;
    let records: Vec<Option<FileHistoryRecord>> =
        files.iter().map(|file| (new.of_file)(&file.path).map(|history| builder.record(history))).collect();
    let activity = new.activity.iter().map(|commit| builder.activity(commit)).collect();
    let is_known = records.iter().any(Option::is_some);
    let files = if is_known { records } else { Vec::new() };
    HistoryTables { extent, files, commits: builder.commits, authors: builder.authors, activity }
}

/// Interns commits and authors.
#[derive(Default)]
struct HistoryBuilder<'a> {
    files: &'a [FileRecord],
    commits: Vec<CommitRecord>,
    commit_index: FxHashMap<CommitId, u32>,
    authors: Vec<String>,
    author_index: FxHashMap<String, u32>,
}

impl HistoryBuilder<'_> {
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
            recent_owner: history.recent_owner.map_or(NO_AUTHOR, |author| self.author(author)),
            bus_factor: history.bus_factor,
            changes: history.changes.into_iter().map(|change| self.commit(change)).collect(),
            first_change: history.first_change.map(|change| self.commit(change)),
        }
    }

    fn activity(&mut self, commit: &ActiveCommit) -> ActivityRecord {
        let files = self.files;
        let index = |path: &String| files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
        let mut touched: Vec<u32> = commit.paths.iter().filter_map(index).map(|file| file as u32).collect();
        touched.sort_unstable();
        ActivityRecord { commit: self.commit(commit.change.clone()), files: touched }
    }

    fn commit(&mut self, change: FileChange) -> u32 {
        if let Some(commit_idx) = self.commit_index.get(&change.commit) {
            return *commit_idx;
        }
        let commit_idx = self.commits.len() as u32;
        self.commit_index.insert(change.commit, commit_idx);
        let author = self.author(change.author);
        self.commits.push(CommitRecord {
            id: change.commit.0,
            at: change.at,
            age: change.age,
            author,
            subject: change.subject,
            is_robot: change.is_robot,
        });
        commit_idx
    }

    fn author(&mut self, name: String) -> u32 {
        let next = self.authors.len() as u32;
        *self.author_index.entry(name).or_insert_with_key(|name| {
            self.authors.push(name.clone());
            next
        })
    }
}
