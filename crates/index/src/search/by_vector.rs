//! Files by the cosine of their rows. The scan compares every vector, so the result is exact.

use ranking::aggregate::class_factor;

use super::{
    query::{QueryVector, SearchQuery},
    top_files::TopFiles,
};
use crate::{
    records::vectors::{ArchivedVectorTables, GenerationVectors},
    snapshot::Snapshot,
};

impl Snapshot {
    /// Returns true if a query of this model finds vectors here.
    pub fn has_vectors_of(&self, query: &QueryVector<'_>) -> bool {
        self.comparable_vectors(query).is_some()
    }

    /// Returns score and index of the most similar files, best first. The score is the demoted cosine of the best row.
    pub fn rank_by_vector(&self, query: &SearchQuery<'_>) -> Vec<(f32, u32)> {
        let mut top = TopFiles::new(query.limit, 0.0);
        let Some(query_vector) = &query.vector else { return Vec::new() };
        let Some(vectors) = self.comparable_vectors(query_vector) else { return Vec::new() };
        let cosines: Vec<(&ArchivedVectorTables, Vec<f32>)> =
            vectors.layers().map(|tables| (tables, cosines(tables, query_vector))).collect();
        for file_idx in 0..self.tables().files.len() as u32 {
            let (tables, rows) = vectors.of_file(file_idx as usize);
            let Some((_, cosines)) = cosines.iter().find(|(layer, _)| std::ptr::eq(*layer, tables)) else { continue };
            let class = self.tables().files[file_idx as usize].class();
            let factor = class_factor(class, query.kept);
            let best = cosines[rows.clone()].iter().copied().fold(0.0, f32::max);
            if best * factor <= top.floor() || !self.admits(file_idx, query) {
                continue;
            }
            let admitted = rows.filter(|row| self.admits_row(file_idx, tables.numbers[*row].to_native(), query));
            top.push(admitted.map(|row| cosines[row]).fold(0.0, f32::max) * factor, file_idx);
        }
        top.into_sorted()
    }

    /// Returns cosine and number of the rows of a file, largest cosine first.
    pub(super) fn rows_by_vector(&self, file_idx: u32, query: &SearchQuery<'_>) -> Vec<(f32, u32)> {
        let Some(query_vector) = &query.vector else { return Vec::new() };
        let Some(vectors) = self.comparable_vectors(query_vector) else { return Vec::new() };
        let (tables, rows) = vectors.of_file(file_idx as usize);
        let mut ranked: Vec<(f32, u32)> = rows
            .map(|row| (row, tables.numbers[row].to_native()))
            .filter(|(_, number)| self.admits_row(file_idx, *number, query))
            .map(|(row, number)| (row_cosine(tables, row, query_vector).max(0.0), number))
            .collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked
    }

    /// Returns the vectors of the rows, if they have model and dimension of the query.
    fn comparable_vectors(&self, query: &QueryVector<'_>) -> Option<GenerationVectors<'_>> {
        let vectors = self.vectors_of_model(&query.model);
        vectors.filter(|vectors| vectors.n_dims() as usize == query.codes.len())
    }
}

/// Returns the cosine of every row; none if the tables are empty, so that they have no dimensions.
fn cosines(tables: &ArchivedVectorTables, query: &QueryVector<'_>) -> Vec<f32> {
    let mut cosines = Vec::with_capacity(tables.n_rows());
    embed::scan(&tables.codes, query.codes, |row, dot_product| {
        cosines.push(query.cosine(dot_product, tables.inverse_norms[row].to_native()));
    });
    cosines
}

fn row_cosine(vectors: &ArchivedVectorTables, row: usize, query: &QueryVector<'_>) -> f32 {
    let n_dims = query.codes.len();
    let dot_product = embed::dot(&vectors.codes[row * n_dims..(row + 1) * n_dims], query.codes);
    query.cosine(dot_product, vectors.inverse_norms[row].to_native())
}
