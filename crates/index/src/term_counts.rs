//! In how many rows each term stands: exact, for statistics that add up over repositories.

use std::{collections::BTreeMap, fs, path::Path};

use fst::{IntoStreamer, Map, MapBuilder, Streamer};
use ranking::analyser::Analyser;

use crate::{
    IndexError,
    error::{at, damaged},
    mapped::MappedBytes,
    row::RowTerms,
};

/// Counts of the rows that come, less those that go.
#[derive(Default)]
pub(crate) struct TermCounts {
    /// By number of the term.
    deltas: Vec<i64>,
    /// By number of the term: the last row that it was counted in.
    last_row: Vec<u64>,
    row: u64,
}

impl TermCounts {
    /// Counts each term of a row once.
    pub(crate) fn count(&mut self, row: &RowTerms, analyser: &Analyser, by: i64) {
        self.row += 1;
        self.deltas.resize(analyser.n_terms(), 0);
        self.last_row.resize(analyser.n_terms(), 0);
        for term in row.fields.iter().flatten() {
            let term_idx = *term as usize;
            if self.last_row[term_idx] != self.row {
                self.last_row[term_idx] = self.row;
                self.deltas[term_idx] += by;
            }
        }
    }

    /// Writes the counts, added to those of an older generation if there is one.
    pub(crate) fn write(&self, analyser: &Analyser, older: Option<&TermMap>, path: &Path) -> Result<(), IndexError> {
        let mut counts: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
        for (term_idx, delta) in self.deltas.iter().enumerate().filter(|(_, delta)| **delta != 0) {
            counts.insert(analyser.term(term_idx as u32).as_bytes().to_vec(), *delta);
        }
        if let Some(older) = older {
            let mut stream = older.0.into_stream();
            while let Some((term, count)) = stream.next() {
                match counts.get_mut(term) {
                    Some(sum) => *sum += count as i64,
                    None => {
                        counts.insert(term.to_vec(), count as i64);
                    }
                }
            }
        }
        let mut builder = MapBuilder::memory();
        for (term, count) in counts {
            if let Ok(count @ 1..) = u64::try_from(count) {
                builder.insert(term, count).map_err(|error| damaged(path, error.to_string()))?;
            }
        }
        let bytes = builder.into_inner().map_err(|error| damaged(path, error.to_string()))?;
        fs::write(path, bytes).map_err(at("cannot write", path))
    }
}

/// The counts of a sealed generation.
pub(crate) struct TermMap(Map<MappedBytes>);

impl TermMap {
    pub(crate) fn open(path: &Path) -> Result<TermMap, IndexError> {
        Map::new(MappedBytes::open(path)?).map(TermMap).map_err(|error| damaged(path, error.to_string()))
    }

    /// Returns in how many rows the term stands.
    pub(crate) fn get(&self, term: &str) -> u64 {
        self.0.get(term).unwrap_or(0)
    }
}
