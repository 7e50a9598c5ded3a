//! The vectors of the rows of a generation.

use rkyv::{Archive, Deserialize, Serialize};

/// The vectors of all rows, file after file.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct VectorTables {
    pub(crate) n_dims: u32,
    /// By file: index of its first row. The last entry is the number of rows.
    pub(crate) first_rows: Vec<u32>,
    /// Row numbers within the file.
    pub(crate) numbers: Vec<u32>,
    pub(crate) inverse_norms: Vec<f32>,
    /// The codes of all rows, concatenated.
    pub(crate) codes: Vec<i8>,
}

impl ArchivedVectorTables {
    /// Returns the row indices of a file.
    pub(crate) fn rows_of(&self, file_idx: usize) -> std::ops::Range<usize> {
        let start = |idx: usize| self.first_rows.get(idx).map_or(0, |row| row.to_native() as usize);
        start(file_idx)..start(file_idx + 1).max(start(file_idx))
    }
}
