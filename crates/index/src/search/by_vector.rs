//! Files by the meaning of their rows: every vector is compared, so that the nearest are found for certain.

use ranking::aggregate::class_factor;

use super::{SearchQuery, Top};
use crate::Snapshot;

impl Snapshot {
    /// Returns score and index of the nearest files, best first; the score is the cosine of the nearest row, demoted.
    pub fn rank_by_vector(&self, query: &SearchQuery<'_>) -> Vec<(f32, u32)> {
        let mut top = Top::new(query.limit, 0.0);
        let Some(wanted) = &query.vector else { return Vec::new() };
        let Some(vectors) = self.vectors_for(wanted) else { return Vec::new() };
        let mut cosines = Vec::with_capacity(vectors.numbers.len());
        embed::scan(&vectors.codes, wanted.codes, |row, dot| cosines.push(vectors.cosine_of(row, dot, wanted)));
        for file_idx in 0..self.tables().files.len() as u32 {
            let rows = vectors.rows_of(file_idx as usize);
            let class = self.tables().files[file_idx as usize].class();
            let factor = class_factor(class, query.kept);
            let nearest = cosines[rows.clone()].iter().copied().fold(0.0, f32::max);
            if nearest * factor <= top.floor() || !self.admits(file_idx, query) {
                continue;
            }
            let admitted = rows.filter(|row| self.admits_row(file_idx, vectors.numbers[*row].to_native(), query));
            top.push(admitted.map(|row| cosines[row]).fold(0.0, f32::max) * factor, file_idx);
        }
        top.into_sorted()
    }

    /// Returns cosine and number of the rows of a file, nearest first.
    pub(super) fn rows_by_vector(&self, file_idx: u32, query: &SearchQuery<'_>) -> Vec<(f32, u32)> {
        let Some(wanted) = &query.vector else { return Vec::new() };
        let Some(vectors) = self.vectors_for(wanted) else { return Vec::new() };
        let rows = vectors.rows_of(file_idx as usize).map(|row| (row, vectors.numbers[row].to_native()));
        let mut near: Vec<(f32, u32)> = rows
            .filter(|(_, number)| self.admits_row(file_idx, *number, query))
            .map(|(row, number)| (vectors.cosine(row, wanted).max(0.0), number))
            .collect();
        near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        near
    }
}
