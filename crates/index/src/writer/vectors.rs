//! Writing the vectors of rows.
//!
//! The generation of a changed work tree links the vectors of the previous one, and has those of changed files in a second file.

use std::{path::Path, sync::Arc};

use embed::{ModelId, Vector, inverse_norm};

use super::archive_file::{link_file, write_archive};
use crate::{
    error::IndexError,
    records::{
        VECTORS_CHANGES_FILE, VECTORS_FILE,
        vectors::{ArchivedVectorTables, GenerationVectors, VectorChanges, VectorPlace, VectorTables},
    },
    rows::RowSource,
    snapshot::Snapshot,
};

/// The vectors are written again if more than one in this many rows is of a changed file.
const MIN_ROWS_PER_CHANGE: usize = 4;

/// Collects the vectors of rows, file after file.
pub(super) struct VectorsWriter {
    /// `None` as soon as a row has no vector. The generation has no vectors at all then.
    model: Option<ModelId>,
    /// The generation whose vectors are linked.
    linked: Option<Arc<Snapshot>>,
    /// The vectors that are not linked.
    tables: VectorTables,
    /// By file: the place of its vectors, if some are linked.
    places: Vec<VectorPlace>,
}

impl VectorsWriter {
    /// Begins with the vectors of the generation `linked`, if there is one.
    pub(super) fn new(model: Option<ModelId>, linked: Option<&Arc<Snapshot>>) -> VectorsWriter {
        let is_linkable = |previous: &&Arc<Snapshot>| {
            model.as_ref().and_then(|model| previous.vectors_of_model(model)).is_some_and(has_few_changes)
        };
        let linked = linked.filter(is_linkable).cloned();
        VectorsWriter { model, linked, tables: VectorTables::default(), places: Vec::new() }
    }

    /// Reuses the vectors of a file of the previous generation.
    pub(super) fn reuse_file(&mut self, previous: &Snapshot, file_idx: usize) {
        let Some(vectors) = self.model.as_ref().and_then(|model| previous.vectors_of_model(model)) else {
            return self.model = None;
        };
        match vectors.place(file_idx) {
            place @ VectorPlace::Linked(_) if self.linked.is_some() => self.places.push(place),
            _ => {
                let (tables, rows) = vectors.of_file(file_idx);
                self.begin_file();
                self.copy_rows(vectors.n_dims(), tables, rows);
            }
        }
    }

    /// Adds the vectors of a new file, in the order of its rows.
    pub(super) fn add_file(&mut self, source: &RowSource<'_>, vectors: &[Vector]) {
        let numbers: Vec<u32> = source.rows().map(|row| row.number).collect();
        if self.model.is_none() || numbers.len() != vectors.len() {
            return self.model = None;
        }
        self.begin_file();
        for (number, vector) in numbers.into_iter().zip(vectors) {
            self.tables.n_dims = vector.n_dims() as u32;
            self.tables.numbers.push(number);
            self.tables.inverse_norms.push(inverse_norm(vector.codes()));
            self.tables.codes.extend_from_slice(vector.codes());
        }
    }

    /// Returns the model of the vectors; `None` unless every row has one.
    pub(super) fn model(&self) -> Option<&ModelId> {
        self.model.as_ref()
    }

    /// Writes the vectors into `dir`; none unless every row has one. Returns true if those of the previous generation are linked.
    pub(super) fn write(mut self, dir: &Path) -> Result<bool, IndexError> {
        if self.model.is_none() {
            write_archive(dir, VECTORS_FILE, &VectorTables::default())?;
            return Ok(false);
        }
        self.tables.first_rows.push(self.tables.numbers.len() as u32);
        let Some(previous) = &self.linked else {
            write_archive(dir, VECTORS_FILE, &self.tables)?;
            return Ok(false);
        };
        link_file(&previous.dir().join(VECTORS_FILE), &dir.join(VECTORS_FILE))?;
        let places = self.places.iter().map(|place| place.encode()).collect();
        write_archive(dir, VECTORS_CHANGES_FILE, &VectorChanges { changed: self.tables, places })?;
        Ok(true)
    }

    /// Begins a file whose vectors are not linked.
    fn begin_file(&mut self) {
        self.places.push(VectorPlace::Changed(self.tables.first_rows.len() as u32));
        self.tables.first_rows.push(self.tables.numbers.len() as u32);
    }

    fn copy_rows(&mut self, n_dims: u32, from: &ArchivedVectorTables, rows: std::ops::Range<usize>) {
        self.tables.n_dims = n_dims;
        let n_dims = n_dims as usize;
        self.tables.numbers.extend(from.numbers[rows.clone()].iter().map(|number| number.to_native()));
        self.tables.inverse_norms.extend(from.inverse_norms[rows.clone()].iter().map(|norm| norm.to_native()));
        self.tables.codes.extend_from_slice(&from.codes[rows.start * n_dims..rows.end * n_dims]);
    }
}

fn has_few_changes(vectors: GenerationVectors<'_>) -> bool {
    let n_changed = vectors.changes.map_or(0, |changes| changes.changed.n_rows());
    n_changed * MIN_ROWS_PER_CHANGE <= vectors.tables.n_rows()
}
