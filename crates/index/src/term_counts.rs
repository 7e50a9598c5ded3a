//! In how many rows each term stands, and how well at best: exact counts, for statistics that add up over repositories,
//! and bounds, by which a repository is left out that cannot have what is looked for.

use std::{collections::BTreeMap, fs, path::Path};

use fst::{IntoStreamer, Map, MapBuilder, Streamer};
use ranking::{
    Field,
    aggregate::{TOP_ROWS, file_score},
    analyser::Analyser,
    bm25f::{Impact, field_weight, saturation},
};

use crate::{
    IndexError,
    error::{at, damaged},
    mapped::MappedBytes,
    row::RowTerms,
};

/// Bits of a value that hold the impact; the count is above them.
const IMPACT_BITS: u32 = 8;

/// The text index rounds longer fields down, in steps of an eighth, so that rows there score a little more.
const EXACT_LENGTH: u32 = 40;

/// What is known of a term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TermCount {
    /// Rows that hold it.
    pub(crate) rows: u64,
    /// It does not do more for any file, demoted as that is. Files that went may have been the best ones.
    pub(crate) impact: Impact,
}

/// Counts of the rows that come, less those that go.
#[derive(Default)]
pub(crate) struct TermCounts {
    /// By number of the term.
    terms: Vec<Delta>,
    row: u64,
    /// The terms of the row that is being counted.
    in_row: Vec<u32>,
    /// The terms of the rows so far of the file that is being counted, and their saturations there.
    in_file: Vec<(u32, f32)>,
}

#[derive(Clone, Copy, Default)]
struct Delta {
    rows: i64,
    impact: Impact,
    /// The last row that it was counted in, and its weighted frequency there.
    last_row: u64,
    frequency: f32,
}

impl TermCounts {
    /// Counts each term of a row that comes once. The rows of a file come one after another.
    pub(crate) fn add(&mut self, row: &RowTerms, analyser: &Analyser) {
        self.count(row, analyser, 1);
        let terms = &self.terms;
        self.in_file.extend(self.in_row.drain(..).map(|term| (term, saturation(terms[term as usize].frequency))));
    }

    /// Ends the file whose rows came. `factor` is what its score is multiplied by.
    pub(crate) fn end_file(&mut self, factor: f32) {
        self.in_file.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        for of_term in self.in_file.chunk_by(|a, b| a.0 == b.0) {
            let mut best = [0.0; TOP_ROWS];
            best.iter_mut().zip(of_term).for_each(|(best, (_, saturation))| *best = *saturation);
            let delta = &mut self.terms[of_term[0].0 as usize];
            delta.impact = delta.impact.max(Impact::above(factor * file_score(&best)));
        }
        self.in_file.clear();
    }

    /// Takes back what was counted for a row that goes.
    pub(crate) fn remove(&mut self, row: &RowTerms, analyser: &Analyser) {
        self.count(row, analyser, -1);
        self.in_row.clear();
    }

    fn count(&mut self, row: &RowTerms, analyser: &Analyser, by: i64) {
        self.row += 1;
        self.terms.resize(analyser.n_terms(), Delta::default());
        for (field, terms) in Field::ALL.into_iter().zip(&row.fields) {
            let weight = field_weight(field, shortened(terms.len() as u32));
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

    /// Writes the counts, added to those of an older generation if there is one.
    pub(crate) fn write(&self, analyser: &Analyser, older: Option<&TermMap>, path: &Path) -> Result<(), IndexError> {
        let mut counts: BTreeMap<Vec<u8>, (i64, Impact)> = BTreeMap::new();
        for (term_idx, delta) in self.terms.iter().enumerate().filter(|(_, delta)| delta.last_row > 0) {
            counts.insert(analyser.term(term_idx as u32).as_bytes().to_vec(), (delta.rows, delta.impact));
        }
        if let Some(older) = older {
            let mut stream = older.0.into_stream();
            while let Some((term, value)) = stream.next() {
                let TermCount { rows, impact } = unpack(value);
                let (sum, most) = counts.entry(term.to_vec()).or_default();
                *sum += rows as i64;
                *most = impact.max(*most);
            }
        }
        let mut builder = MapBuilder::memory();
        for (term, (rows, impact)) in counts {
            if let Ok(rows @ 1..) = u64::try_from(rows) {
                let value = rows << IMPACT_BITS | u64::from(impact.0);
                builder.insert(term, value).map_err(|error| damaged(path, error.to_string()))?;
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

    /// Returns what is known of the term; zero if it stands nowhere.
    pub(crate) fn get(&self, term: &str) -> TermCount {
        self.0.get(term).map(unpack).unwrap_or_default()
    }

    /// Calls `visit` with each term that begins with this letter, and the rows that hold it.
    pub(crate) fn for_each_from(&self, letter: char, mut visit: impl FnMut(&str, u64)) {
        let mut buffer = [0; 4];
        let prefix = letter.encode_utf8(&mut buffer);
        let mut stream = self.0.range().ge(prefix.as_bytes()).into_stream();
        while let Some((term, value)) = stream.next() {
            let Some(term) = std::str::from_utf8(term).ok().filter(|term| term.starts_with(letter)) else { break };
            visit(term, unpack(value).rows);
        }
    }
}

fn unpack(value: u64) -> TermCount {
    TermCount { rows: value >> IMPACT_BITS, impact: Impact(value as u8) }
}

/// Returns a length that the text index does not round below.
fn shortened(length: u32) -> u32 {
    if length <= EXACT_LENGTH { length } else { length - length / 8 - 1 }
}
