//! Counting the document frequency and maximum impact of each term. Frequencies are exact, so that they add up over repositories. The
//! impact is an upper bound of the score of a term, by which a search skips repositories without a possible hit.

use std::{fs, path::Path};

use ranking::{
    Field,
    aggregate::{TOP_ROWS, file_score},
    analyser::Analyser,
    bm25f::{MaxImpact, field_weight, saturation},
};

use crate::{
    error::{IndexError, damaged, io_error},
    records::{TERMS_CHANGES_FILE, TERMS_FILE},
    rows::RowTerms,
    snapshot::Snapshot,
    term_map::{TermChange, TermMap},
    writer::link_file,
};

/// Maximum field length that the text index stores exactly. It rounds longer lengths down, in steps of an eighth, which
/// raises the scores of these rows.
const EXACT_LENGTH: u32 = 40;

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

    /// Writes the counts into `dir`, added to those of the previous generation if its text index is extended. With `can_link`, the map
    /// of the previous generation is linked. Returns true if it is.
    pub(crate) fn write(
        &self,
        analyser: &Analyser,
        previous: Option<&Snapshot>,
        can_link: bool,
        dir: &Path,
    ) -> Result<bool, IndexError> {
        let changes = self.changes(analyser);
        let linked = previous.filter(|previous| can_link && previous.terms().is_linkable());
        let (name, encoded) = match linked {
            Some(previous) => {
                link_file(&previous.dir().join(TERMS_FILE), &dir.join(TERMS_FILE))?;
                (TERMS_CHANGES_FILE, previous.terms().encode_changes(&changes))
            }
            None => (TERMS_FILE, TermMap::encode_all(previous.map(Snapshot::terms), &changes)),
        };
        let path = dir.join(name);
        let encoded = encoded.map_err(|error| damaged(&path, error.to_string()))?;
        fs::write(&path, encoded).map_err(io_error("cannot write", &path))?;
        Ok(linked.is_some())
    }

    /// Returns the changes of all counted terms, sorted by term.
    pub(crate) fn changes<'a>(&self, analyser: &'a Analyser) -> Vec<(&'a [u8], TermChange)> {
        let counted = (0..).zip(&self.terms).filter(|(_, delta)| delta.last_row > 0);
        let change = |delta: &TermDelta| TermChange { rows: delta.rows, impact: delta.impact };
        let mut changes: Vec<(&[u8], TermChange)> =
            counted.map(|(term_idx, delta)| (analyser.term(term_idx).as_bytes(), change(delta))).collect();
        changes.sort_unstable_by_key(|(term, _)| *term);
        changes
    }
}

/// Returns a lower bound of the length that the text index stores for a field.
fn min_stored_length(length: u32) -> u32 {
    if length <= EXACT_LENGTH { length } else { length - length / 8 - 1 }
}
