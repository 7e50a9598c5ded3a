//! The change history of files on disk.

use model::Extent;
use rkyv::{Archive, Deserialize, Serialize};

/// The history of the files of a generation.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct HistoryTables {
    /// Index into `EXTENTS`.
    pub(crate) extent: u8,
    /// By file; empty if no file has a known history.
    pub(crate) files: Vec<Option<FileHistoryRecord>>,
    /// The commits that files refer to, in the order of first reference.
    pub(crate) commits: Vec<CommitRecord>,
    pub(crate) authors: Vec<String>,
    /// The latest commits by people, newest first.
    pub(crate) activity: Vec<ActivityRecord>,
}

#[derive(Archive, Serialize, Deserialize, Debug)]
pub(crate) struct ActivityRecord {
    /// Index into `commits`.
    pub(crate) commit: u32,
    /// File indices, ascending.
    pub(crate) files: Vec<u32>,
}

/// Known extents of the history, by the stored number.
pub(crate) const EXTENTS: [Extent; 4] = [Extent::Nothing, Extent::Whole, Extent::Bounded, Extent::Shallow];

#[derive(Archive, Serialize, Deserialize, Debug)]
pub(crate) struct FileHistoryRecord {
    pub(crate) n_commits: u32,
    pub(crate) churn: f32,
    pub(crate) n_recent: u32,
    pub(crate) n_before: u32,
    pub(crate) n_fixes: u32,
    pub(crate) fix_churn: f32,
    pub(crate) n_authors: u32,
    /// Indices into `authors`, with their shares.
    pub(crate) owners: Vec<(u32, f32)>,
    /// Index into `authors`, or `NO_AUTHOR`.
    pub(crate) recent_owner: u32,
    pub(crate) bus_factor: u32,
    /// Indices into `commits`.
    pub(crate) changes: Vec<u32>,
    /// Index into `commits`.
    pub(crate) first_change: Option<u32>,
    pub(crate) co_changes: Vec<CoChangeRecord>,
}

/// Marks an unknown author.
pub(crate) const NO_AUTHOR: u32 = u32::MAX;

#[derive(Archive, Serialize, Deserialize, Debug)]
pub(crate) struct CoChangeRecord {
    pub(crate) file: u32,
    pub(crate) support: u32,
    pub(crate) weight: f32,
    pub(crate) confidence: f32,
}

#[derive(Archive, Serialize, Deserialize, Debug)]
pub(crate) struct CommitRecord {
    pub(crate) id: [u8; 20],
    pub(crate) at: i64,
    pub(crate) age: u64,
    pub(crate) author: u32,
    pub(crate) subject: String,
    pub(crate) is_robot: bool,
}
