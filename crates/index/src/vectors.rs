//! The vectors of the rows of a generation: one archive, which is mapped and scanned where it lies.

use embed::{ModelId, Vector, cosine, inverse_norm};
use rkyv::{Archive, Deserialize, Serialize};

use crate::{Snapshot, row::RowSource};

/// The vectors of all rows, file after file.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct VectorTables {
    pub(crate) n_dims: u32,
    /// By index of the file: its first row here; and, last, how many rows there are.
    pub(crate) first_rows: Vec<u32>,
    /// The numbers of the rows within their files.
    pub(crate) numbers: Vec<u32>,
    pub(crate) inverse_norms: Vec<f32>,
    /// The codes of each row, one after the other.
    pub(crate) codes: Vec<i8>,
}

/// Puts vectors together, file after file.
pub(crate) struct VectorsWriter {
    /// None once a row has no vector: then the generation has none at all.
    model: Option<ModelId>,
    tables: VectorTables,
}

impl VectorsWriter {
    pub(crate) fn new(model: Option<ModelId>) -> VectorsWriter {
        VectorsWriter { model, tables: VectorTables::default() }
    }

    /// Adds a file of the generation before.
    pub(crate) fn keep(&mut self, previous: &Snapshot, file_idx: usize) {
        self.tables.first_rows.push(self.tables.numbers.len() as u32);
        let Some(older) = self.model.as_ref().and_then(|model| previous.vectors(model)) else {
            self.model = None;
            return;
        };
        self.tables.n_dims = older.n_dims.to_native();
        let rows = older.rows_of(file_idx);
        let n_dims = self.tables.n_dims as usize;
        self.tables.numbers.extend(older.numbers[rows.clone()].iter().map(|number| number.to_native()));
        self.tables.inverse_norms.extend(older.inverse_norms[rows.clone()].iter().map(|norm| norm.to_native()));
        self.tables.codes.extend_from_slice(&older.codes[rows.start * n_dims..rows.end * n_dims]);
    }

    /// Adds the vectors of a new file, in the order of its rows.
    pub(crate) fn add(&mut self, source: &RowSource<'_>, vectors: &[Vector]) {
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

    /// Returns the vectors and their model; no model, and no vectors, unless every row has one.
    pub(crate) fn finish(mut self) -> (Option<ModelId>, VectorTables) {
        if self.model.is_none() {
            return (None, VectorTables::default());
        }
        self.tables.first_rows.push(self.tables.numbers.len() as u32);
        (self.model, self.tables)
    }
}

impl ArchivedVectorTables {
    /// Returns the rows of a file.
    pub(crate) fn rows_of(&self, file_idx: usize) -> std::ops::Range<usize> {
        let at = |idx: usize| self.first_rows.get(idx).map_or(0, |row| row.to_native() as usize);
        at(file_idx)..at(file_idx + 1).max(at(file_idx))
    }

    /// Returns how near a row is to a query.
    pub(crate) fn cosine(&self, row: usize, query: &QueryVector<'_>) -> f32 {
        let n_dims = query.codes.len();
        let dot = embed::dot(&self.codes[row * n_dims..(row + 1) * n_dims], query.codes);
        self.cosine_of(row, dot, query)
    }

    /// Returns the cosine that belongs to a product.
    pub(crate) fn cosine_of(&self, row: usize, dot: i32, query: &QueryVector<'_>) -> f32 {
        cosine(dot, self.inverse_norms[row].to_native(), query.inverse_norm)
    }
}

/// The vector of a query, and the model that it is of.
#[derive(Debug, Clone)]
pub struct QueryVector<'a> {
    pub model: ModelId,
    pub codes: &'a [i8],
    pub inverse_norm: f32,
}

impl<'a> QueryVector<'a> {
    pub fn new(model: ModelId, codes: &'a [i8]) -> QueryVector<'a> {
        QueryVector { model, codes, inverse_norm: inverse_norm(codes) }
    }
}

impl Snapshot {
    /// Returns the vectors, if they are of this model.
    pub(crate) fn vectors(&self, model: &ModelId) -> Option<&ArchivedVectorTables> {
        (self.manifest().model.as_deref() == Some(model.as_str())).then(|| self.vector_tables())
    }

    /// Returns the vectors that a query can be compared with.
    pub(crate) fn vectors_for(&self, query: &QueryVector<'_>) -> Option<&ArchivedVectorTables> {
        self.vectors(&query.model).filter(|vectors| vectors.n_dims.to_native() as usize == query.codes.len())
    }

    /// Says whether a query of this model finds vectors here.
    pub fn has_vectors_of(&self, query: &QueryVector<'_>) -> bool {
        self.vectors_for(query).is_some()
    }
}
