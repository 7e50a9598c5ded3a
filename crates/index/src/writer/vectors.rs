//! Writing the vectors of rows.

use embed::{ModelId, Vector, inverse_norm};

use crate::{records::vectors::VectorTables, rows::RowSource, snapshot::Snapshot};

/// Collects the vectors of rows, file after file.
pub(crate) struct VectorsWriter {
    /// `None` as soon as a row has no vector. The generation has no vectors at all then.
    model: Option<ModelId>,
    tables: VectorTables,
}

impl VectorsWriter {
    pub(crate) fn new(model: Option<ModelId>) -> VectorsWriter {
        VectorsWriter { model, tables: VectorTables::default() }
    }

    /// Reuses the vectors of a file of the previous generation.
    pub(crate) fn reuse_file(&mut self, previous: &Snapshot, file_idx: usize) {
        self.tables.first_rows.push(self.tables.numbers.len() as u32);
        let Some(previous) = self.model.as_ref().and_then(|model| previous.vectors_of_model(model)) else {
            self.model = None;
            return;
        };
        self.tables.n_dims = previous.n_dims.to_native();
        let rows = previous.rows_of(file_idx);
        let n_dims = self.tables.n_dims as usize;
        self.tables.numbers.extend(previous.numbers[rows.clone()].iter().map(|number| number.to_native()));
        self.tables.inverse_norms.extend(previous.inverse_norms[rows.clone()].iter().map(|norm| norm.to_native()));
        self.tables.codes.extend_from_slice(&previous.codes[rows.start * n_dims..rows.end * n_dims]);
    }

    /// Adds the vectors of a new file, in the order of its rows.
    pub(crate) fn add_file(&mut self, source: &RowSource<'_>, vectors: &[Vector]) {
        self.tables.first_rows.push(self.tables.numbers.len() as u32);
        let numbers: Vec<u32> = source.rows().map(|row| row.number).collect();
        if self.model.is_none() || numbers.len() != vectors.len() {
            self.model = None;
            return;
        }
        for (number, vector) in numbers.into_iter().zip(vectors) {
            self.tables.n_dims = vector.n_dims() as u32;
            self.tables.numbers.push(number);
            self.tables.inverse_norms.push(inverse_norm(vector.codes()));
            self.tables.codes.extend_from_slice(vector.codes());
        }
    }

    /// Returns the vectors and their model; no vectors and `None` unless every row has a vector.
    pub(crate) fn finish(mut self) -> (Option<ModelId>, VectorTables) {
        if self.model.is_none() {
            return (None, VectorTables::default());
        }
        self.tables.first_rows.push(self.tables.numbers.len() as u32);
        (self.model, self.tables)
    }
}
