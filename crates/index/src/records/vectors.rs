//! The vectors of the rows of a generation.

use rkyv::{Archive, Deserialize, Serialize};

/// The vectors of rows, file after file.
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

/// The vectors of files that changed since the generation whose vectors are linked.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct VectorChanges {
    /// The vectors of the changed files, in their order.
    pub(crate) changed: VectorTables,
    /// By file of the generation: the place of its vectors; see [`VectorPlace`].
    pub(crate) places: Vec<u32>,
}

/// The place of the vectors of a file: its index in the linked tables, or in those of the changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VectorPlace {
    Linked(u32),
    Changed(u32),
}

impl VectorPlace {
    /// Bit of an encoded place that stands for the tables of the changed files.
    const CHANGED: u32 = 1 << 31;

    pub(crate) fn encode(self) -> u32 {
        match self {
            VectorPlace::Linked(idx) => idx,
            VectorPlace::Changed(idx) => idx | VectorPlace::CHANGED,
        }
    }

    fn decode(encoded: u32) -> VectorPlace {
        match encoded & VectorPlace::CHANGED {
            0 => VectorPlace::Linked(encoded),
            _ => VectorPlace::Changed(encoded & !VectorPlace::CHANGED),
        }
    }
}

impl ArchivedVectorTables {
    /// Returns the row indices of a file.
    pub(crate) fn rows_of(&self, file_idx: usize) -> std::ops::Range<usize> {
        let start = |idx: usize| self.first_rows.get(idx).map_or(0, |row| row.to_native() as usize);
        start(file_idx)..start(file_idx + 1).max(start(file_idx))
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.numbers.len()
    }
}

/// The vectors of all rows of a generation: those of its own, or linked ones with those of changed files.
#[derive(Clone, Copy)]
pub(crate) struct GenerationVectors<'a> {
    pub(crate) tables: &'a ArchivedVectorTables,
    pub(crate) changes: Option<&'a ArchivedVectorChanges>,
}

impl<'a> GenerationVectors<'a> {
    /// Returns the number of dimensions; 0 if there are no vectors.
    pub(crate) fn n_dims(self) -> u32 {
        let changed = self.changes.map_or(0, |changes| changes.changed.n_dims.to_native());
        self.tables.n_dims.to_native().max(changed)
    }

    /// Returns the place of the vectors of a file.
    pub(crate) fn place(self, file_idx: usize) -> VectorPlace {
        let Some(changes) = self.changes else { return VectorPlace::Linked(file_idx as u32) };
        let encoded = changes.places.get(file_idx).map_or(u32::MAX, |place| place.to_native());
        VectorPlace::decode(encoded)
    }

    /// Returns the tables with the vectors of a file, and its row indices in them.
    pub(crate) fn of_file(self, file_idx: usize) -> (&'a ArchivedVectorTables, std::ops::Range<usize>) {
        let (tables, idx) = match (self.place(file_idx), self.changes) {
            (VectorPlace::Changed(idx), Some(changes)) => (&changes.changed, idx),
            (VectorPlace::Linked(idx) | VectorPlace::Changed(idx), _) => (self.tables, idx),
        };
        (tables, tables.rows_of(idx as usize))
    }

    /// Returns the tables: first those that are not of changed files.
    pub(crate) fn layers(self) -> impl Iterator<Item = &'a ArchivedVectorTables> {
        std::iter::once(self.tables).chain(self.changes.map(|changes| &changes.changed))
    }
}
