//! Files by path.

use ranking::path::path_score;
use rustc_hash::FxHashMap;

use super::query::SearchQuery;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// Returns every file whose path matches, with its score.
    pub(super) fn rank_by_path(&self, query: &SearchQuery<'_>) -> FxHashMap<u32, f32> {
        if query.paths.is_empty() {
            return FxHashMap::default();
        }
        let files = self.tables().files.iter().enumerate();
        files
            .filter(|(file_idx, _)| self.admits(*file_idx as u32, query))
            .map(|(file_idx, file)| {
                let scores = query.paths.iter().map(|typed| path_score(typed, &file.path));
                (file_idx as u32, scores.fold(0.0, f32::max))
            })
            .filter(|(_, score)| *score > 0.0)
            .collect()
    }
}
