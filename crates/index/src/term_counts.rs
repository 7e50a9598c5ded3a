//! Document frequency and maximum impact of each term. Frequencies are exact, so that they add up over repositories. The
//! impact is an upper bound of the score of a term, by which a search skips repositories without a possible hit.

use std::{fs, path::Path};

use fst::{IntoStreamer, Map, MapBuilder, Streamer};
use ranking::{
    Field,
    aggregate::{TOP_ROWS, file_score},
    analyser::Analyser,
    bm25f::{MaxImpact, field_weight, saturation},
};

use crate::{
    error::{IndexError, damaged, io_error},
    mapped::MappedBytes,
    rows::RowTerms,
};

/// Number of low bits of a stored value that hold the impact. The high bits hold the row count.
const IMPACT_BITS: u32 = 8;

/// Maximum field length that the text index stores exactly. It rounds longer lengths down, in steps of an eighth, which
/// raises the scores of these rows.
const EXACT_LENGTH: u32 = 40;

/// Document frequency and impact of a term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TermCount {
    /// Number of rows that contain it.
    pub(crate) rows: u64,
    /// Upper bound of its score in any file, after demotion. It does not shrink when files are removed.
    pub(crate) impact: MaxImpact,
}

/// Term counts of the added rows, minus those of the removed rows.
#[derive(Default)]
pub(crate) struct TermCounts {
    /// By term id.
    terms: Vec<TermDelta>,
    /// Number of the current row over all files.
    row: u64,
    /// Terms of the current row.
    in_row: Vec<u32>,
    /// Terms of the rows of the current file so far, with their saturations.
    in_file: Vec<(u32, f32)>,
}

#[derive(Clone, Copy, Default)]
struct TermDelta {
    rows: i64,
    impact: MaxImpact,
    /// The last row that contained the term, and its weighted frequency there.
    last_row: u64,
    frequency: f32,
}

impl TermCounts {
    /// Counts each distinct term of an added row. The rows of a file must be added consecutively.
    pub(crate) fn add(&mut self, row: &RowTerms, analyser: &Analyser) {
        self.count(row, analyser, 1);
        let terms = &self.terms;
        self.in_file.extend(self.in_row.drain(..).map(|term| (term, saturation(terms[term as usize].frequency))));
    }

    /// Ends the current file, whose score is multiplied by `factor`.
    pub(crate) fn end_file(&mut self, factor: f32) {
        self.in_file.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        for of_term in self.in_file.chunk_by(|a, b| a.0 == b.0) {
            let mut best = [0.0; TOP_ROWS];
            best.iter_mut().zip(of_term).for_each(|(best, (_, saturation))| *best = *saturation);
            let delta = &mut self.terms[of_term[0].0 as usize];
            delta.impact = delta.impact.max(MaxImpact::above(factor * file_score(&best)));
        }
        self.in_file.clear();
    }

    /// Subtracts the terms of a removed row.
    pub(crate) fn remove(&mut self, row: &RowTerms, analyser: &Analyser) {
        self.count(row, analyser, -1);
        self.in_row.clear();
    }

    fn count(&mut self, row: &RowTerms, analyser: &Analyser, by: i64) {
        self.row += 1;
        self.terms.resize(analyser.n_terms(), TermDelta::default());
        for (field, terms) in Field::ALL.into_iter().zip(&row.fields) {
            let weight = field_weight(field, min_stored_length(terms.len() as u32));
            for term in terms {
                let delta = &mut self.terms[*term as usize];
                if delta.last_row != self.row {
                    (delta.last_row, delta.frequency) = (self.row, 0.0);
                    delta.rows += by;
                    self.in_row.push(*term);
                }
                delta.frequency += weight;
            }
        }
    }

    /// Writes the counts, added to those of the previous generation if its text index is extended.
    pub(crate) fn write(&self, analyser: &Analyser, previous: Option<&TermMap>, path: &Path) -> Result<(), IndexError> {
        let counted = self.terms.iter().enumerate().filter(|(_, delta)| delta.last_row > 0);
        let mut changes: Vec<(&[u8], TermDelta)> =
            counted.map(|(term_idx, delta)| (analyser.term(term_idx as u32).as_bytes(), *delta)).collect();
        changes.sort_unstable_by_key(|(term, _)| *term);
        let mut changes = changes.into_iter().peekable();
        let mut builder = MapBuilder::memory();
        let mut insert = |term: &[u8], rows: i64, impact: MaxImpact| match u64::try_from(rows) {
            Ok(rows @ 1..) => builder.insert(term, rows << IMPACT_BITS | u64::from(impact.0)),
            _ => Ok(()),
        };
        let mut merge = || {
            let mut stream = previous.map(|previous| previous.0.stream());
            while let Some((term, value)) = stream.as_mut().and_then(|stream| stream.next()) {
                while let Some((new, delta)) = changes.next_if(|(new, _)| *new < term) {
                    insert(new, delta.rows, delta.impact)?;
                }
                let same = changes.next_if(|(new, _)| *new == term).map(|(_, delta)| delta).unwrap_or_default();
                let TermCount { rows, impact } = decode(value);
                insert(term, rows as i64 + same.rows, impact.max(same.impact))?;
            }
            changes.try_for_each(|(term, delta)| insert(term, delta.rows, delta.impact))
        };
        merge().map_err(|error: fst::Error| damaged(path, error.to_string()))?;
        let bytes = builder.into_inner().map_err(|error| damaged(path, error.to_string()))?;
        fs::write(path, bytes).map_err(io_error("cannot write", path))
    }
}

/// The counts of a sealed generation.
pub(crate) struct TermMap(Map<MappedBytes>);

impl TermMap {
    pub(crate) fn open(path: &Path) -> Result<TermMap, IndexError> {
        Map::new(MappedBytes::open(path)?).map(TermMap).map_err(|error| damaged(path, error.to_string()))
    }

    /// Returns the count of a term; zero if no row contains it.
    pub(crate) fn get(&self, term: &str) -> TermCount {
        self.0.get(term).map(decode).unwrap_or_default()
    }

    /// Calls `visit` with each term that begins with this letter, and its number of rows.
    pub(crate) fn for_each_with_initial(&self, letter: char, mut visit: impl FnMut(&str, u64)) {
        let mut buffer = [0; 4];
        let prefix = letter.encode_utf8(&mut buffer);
        let mut stream = self.0.range().ge(prefix.as_bytes()).into_stream();
        while let Some((term, value)) = stream.next() {
            let Some(term) = std::str::from_utf8(term).ok().filter(|term| term.starts_with(letter)) else { break };
            visit(term, decode(value).rows);
        }
    }
}

fn decode(value: u64) -> TermCount {
    TermCount { rows: value >> IMPACT_BITS, impact: MaxImpact(value as u8) }
}

/// Returns a lower bound of the length that the text index stores for a field.
fn min_stored_length(length: u32) -> u32 {
    if length <= EXACT_LENGTH { length } else { length - length / 8 - 1 }
}
