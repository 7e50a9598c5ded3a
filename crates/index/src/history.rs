//! Queries on the change history of files.
//!
//! A generation also stores the state that its history was computed from. The next indexing run continues from it.

mod activity;

use model::{CoChange, CommitId, Extent, FileChange, FileHistory, Hotspot, Ownership};

use crate::{
    compression::decompress_file,
    error::{IndexError, io_error},
    records::{
        HISTORY_STATE_FILE,
        history::{ArchivedFileHistoryRecord, EXTENTS, NO_AUTHOR},
        page_tables::ArchivedHotspotRecord,
    },
    snapshot::Snapshot,
};

pub use activity::{ActiveDays, CommitQuery, FoundCommit};

impl Snapshot {
    /// Returns how much of the history is known.
    pub fn history_extent(&self) -> Extent {
        EXTENTS.get(self.history().extent as usize).copied().unwrap_or_default()
    }

    /// Reads the state that the next indexing run continues from. The file is not mapped, and may have changed since the generation was
    /// opened.
    pub fn history_state(&self) -> Result<Vec<u8>, IndexError> {
        let compressed = self.read_unmapped(HISTORY_STATE_FILE)?;
        decompress_file(&compressed).map_err(io_error("cannot read", &self.dir().join(HISTORY_STATE_FILE)))
    }

    /// Returns the history of a file, if it is known.
    pub fn file_history(&self, path: &str) -> Option<FileHistory> {
        let file_idx = self.file_index(path)?;
        let record = self.history().files.get(file_idx)?.as_ref()?;
        let hotspot = self.page_tables().hotspots.get(file_idx).and_then(|hotspot| hotspot.as_ref());
        Some(self.read_history(record, hotspot))
    }

    /// Returns the time of the last commit that touched a file, in seconds since the epoch; 0 if unknown.
    pub fn changed_at(&self, file_idx: u32) -> i64 {
        if let Some((base, file_idx)) = self.base_file(file_idx as usize) {
            return file_idx.map_or(0, |file_idx| base.changed_at(file_idx as u32));
        }
        let record = self.history().files.get(file_idx as usize).and_then(|record| record.as_ref());
        let newest = record.and_then(|record| record.changes.first());
        newest
            .and_then(|idx| self.history().commits.get(idx.to_native() as usize))
            .map_or(0, |commit| commit.at.to_native())
    }

    fn read_history(&self, record: &ArchivedFileHistoryRecord, hotspot: Option<&ArchivedHotspotRecord>) -> FileHistory {
        let owners = record.owners.iter().map(|owner| Ownership {
            author: self.author(owner.0.to_native()).unwrap_or_default(),
            share: owner.1.to_native(),
        });
        FileHistory {
            n_commits: record.n_commits.to_native(),
            churn: record.churn.to_native(),
            n_recent: record.n_recent.to_native(),
            n_before: record.n_before.to_native(),
            n_fixes: record.n_fixes.to_native(),
            fix_churn: record.fix_churn.to_native(),
            n_authors: record.n_authors.to_native(),
            owners: owners.collect(),
            recent_owner: Some(record.recent_owner.to_native())
                .filter(|author| *author != NO_AUTHOR)
                .and_then(|author| self.author(author)),
            bus_factor: record.bus_factor.to_native(),
            changes: record.changes.iter().filter_map(|commit| self.change(commit.to_native())).collect(),
            first_change: record.first_change.as_ref().and_then(|commit| self.change(commit.to_native())),
            co_changes: record
                .co_changes
                .iter()
                .filter_map(|other| {
                    let path = self.tables().files.get(other.file.to_native() as usize)?.path.as_str().to_owned();
                    let (support, weight) = (other.support.to_native(), other.weight.to_native());
                    Some(CoChange { path, support, weight, confidence: other.confidence.to_native() })
                })
                .collect(),
            hotspot: hotspot.map(|hotspot| Hotspot {
                score: hotspot.score.to_native(),
                churn_share: hotspot.churn_share.to_native(),
                complexity_share: hotspot.complexity_share.to_native(),
            }),
        }
    }

    fn change(&self, commit: u32) -> Option<FileChange> {
        let commit = self.history().commits.get(commit as usize)?;
        Some(FileChange {
            commit: CommitId(commit.id),
            at: commit.at.to_native(),
            age: commit.age.to_native(),
            author: self.author(commit.author.to_native())?,
            subject: commit.subject.as_str().to_owned(),
            is_robot: commit.is_robot,
        })
    }

    fn author(&self, author: u32) -> Option<String> {
        self.history().authors.get(author as usize).map(|name| name.as_str().to_owned())
    }
}
