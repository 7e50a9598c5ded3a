//! Files by the terms of their rows.
//!
//! Terms come with the most telling one first. Once those that are left cannot lift a file that none of them so far
//! stands in to the best, only files that still can win are scored on, each at its place in the postings: what common
//! words cost does not grow with the corpus. The scores are the same to the bit either way.

use ranking::aggregate::{ADDRESSED, MAX_AGGREGATION, TOP_ROWS, class_factor, file_score};
use ranking::bm25f::{field_weight, saturation};
use ranking::{Field, Kept};
use tantivy::{
    DocSet, SegmentReader, TERMINATED, Term, columnar::Column, fieldnorm::FieldNormReader, postings::Postings,
    schema::IndexRecordOption,
};

use super::{SearchQuery, Top};
use crate::{IndexError, Snapshot, snapshot::FileDocs, text::split_row};

/// Sums are rounded: a bound that is this much larger is one for sure.
const ROUNDING: f32 = 1.0001;

/// Postings left below which it costs less to read them than to find out whether they matter.
const MIN_POSTINGS_TO_SKIP: u64 = 2_000;

/// A file with its rows that hold any term.
pub(super) struct TextFile {
    pub(super) file_idx: u32,
    pub(super) score: f32,
    /// Score and number, best first.
    pub(super) rows: Vec<(f32, u32)>,
}

impl SearchQuery<'_> {
    /// Returns what a file gets for its repository.
    fn by_name(&self) -> f32 {
        ADDRESSED * self.name_weight
    }
}

impl Snapshot {
    /// Returns what no file of this repository is above.
    pub fn text_bound(&self, query: &SearchQuery<'_>) -> f32 {
        let bounds = self.term_bounds(query);
        if bounds.iter().all(|bound| *bound == 0.0) {
            0.0
        } else {
            bounds.iter().sum::<f32>() * ROUNDING + query.by_name()
        }
    }

    /// Returns score and index of the best files, best first. Files below `floor` may be left out.
    pub fn rank_by_text(&self, query: &SearchQuery<'_>, floor: f32) -> Result<Vec<(f32, u32)>, IndexError> {
        let mut top = Top::new(query.limit, floor);
        let bounds = self.term_bounds(query);
        for (segment_idx, segment) in self.segments().enumerate() {
            for found in self.rank_segment(segment_idx, segment, query, &bounds, &top)? {
                top.push(found.score, found.file_idx);
            }
        }
        Ok(top.into_sorted())
    }

    /// Returns these files with their rows and exact scores; those that hold no term are missing.
    pub(super) fn score_files(&self, query: &SearchQuery<'_>, files: &[u32]) -> Result<Vec<TextFile>, IndexError> {
        let mut scored = Vec::new();
        for (segment_idx, segment) in self.segments().enumerate() {
            let docs: Vec<FileDocs> = files
                .iter()
                .flat_map(|file_idx| self.docs_of(*file_idx))
                .filter(|d| d.segment == segment_idx as u32)
                .collect();
            scored.extend(self.score_docs(segment, query, docs)?);
        }
        Ok(scored)
    }

    /// Returns for each term what no file gets more of, demotion included where the query leaves it in force.
    fn term_bounds(&self, query: &SearchQuery<'_>) -> Vec<f32> {
        let of_term = |(term, weight): &(String, f32)| {
            let known = self.terms().get(term);
            match known.rows {
                0 => 0.0,
                _ if query.kept == Kept::default() => weight * known.impact.bound(),
                _ => weight * MAX_AGGREGATION,
            }
        };
        query.terms.iter().map(of_term).collect()
    }

    fn rank_segment(
        &self,
        segment_idx: usize,
        segment: &SegmentReader,
        query: &SearchQuery<'_>,
        bounds: &[f32],
        top: &Top,
    ) -> Result<Vec<TextFile>, IndexError> {
        let norms = self.norms(segment)?;
        let mut sums = RowSums::new(segment.max_doc() as usize);
        let mut postings_left: u64 = query.terms.iter().map(|(term, _)| self.terms().get(term).rows).sum();
        for (term_idx, (term, weight)) in query.terms.iter().enumerate() {
            if bounds[term_idx] == 0.0 {
                continue;
            }
            let rest = bounds[term_idx..].iter().sum::<f32>() * ROUNDING;
            if postings_left >= MIN_POSTINGS_TO_SKIP && rest < sums.best * MAX_AGGREGATION {
                let found = self.gather(segment_idx, segment, &sums.scores, query)?;
                let mut reached = Top::new(query.limit, top.floor());
                found.iter().for_each(|file| reached.push(file.score, file.file_idx));
                if rest + query.by_name() < reached.floor() {
                    let may_win = found.iter().filter(|file| file.score + rest >= reached.floor());
                    let docs = may_win.flat_map(|file| self.docs_of(file.file_idx)).collect();
                    return self.score_docs(segment, query, docs);
                }
            }
            postings_left = postings_left.saturating_sub(self.terms().get(term).rows);
            for (field_idx, field) in Field::ALL.into_iter().enumerate() {
                let tantivy_field = self.fields().text[field_idx];
                let inverted = segment.inverted_index(tantivy_field)?;
                let term = Term::from_field_text(tantivy_field, term);
                let postings = inverted
                    .read_block_postings(&term, IndexRecordOption::WithFreqs)
                    .map_err(tantivy::TantivyError::from)?;
                let Some(mut postings) = postings else { continue };
                while postings.block_len() > 0 {
                    for (doc, frequency) in postings.docs().iter().zip(postings.freqs()) {
                        let length = norms[field_idx].fieldnorm(*doc);
                        sums.add(*doc as usize, *frequency as f32 * field_weight(field, length));
                    }
                    postings.advance();
                }
            }
            sums.end_term(*weight);
        }
        self.gather(segment_idx, segment, &sums.scores, query)
    }

    /// Scores the rows of some files alone, at their places in the postings.
    fn score_docs(
        &self,
        segment: &SegmentReader,
        query: &SearchQuery<'_>,
        mut docs: Vec<FileDocs>,
    ) -> Result<Vec<TextFile>, IndexError> {
        docs.sort_unstable_by_key(|docs| docs.first);
        let norms = self.norms(segment)?;
        let starts: Vec<usize> = docs
            .iter()
            .scan(0, |next, docs| {
                let start = *next;
                *next += (docs.end - docs.first) as usize;
                Some(start)
            })
            .collect();
        let n_rows = docs.iter().map(|docs| (docs.end - docs.first) as usize).sum();
        let numbers = segment.fast_fields().u64("row")?;
        let mut sums = RowSums::new(n_rows);
        for (term, weight) in query.terms.iter().filter(|(term, _)| self.terms().get(term).rows > 0) {
            for (field_idx, field) in Field::ALL.into_iter().enumerate() {
                let tantivy_field = self.fields().text[field_idx];
                let inverted = segment.inverted_index(tantivy_field)?;
                let term = Term::from_field_text(tantivy_field, term);
                let postings =
                    inverted.read_postings(&term, IndexRecordOption::WithFreqs).map_err(tantivy::TantivyError::from)?;
                let Some(mut postings) = postings else { continue };
                for (docs, start) in docs.iter().zip(&starts) {
                    let mut doc = postings.doc();
                    if doc < docs.first {
                        doc = postings.seek(docs.first);
                    }
                    while doc != TERMINATED && doc < docs.end {
                        let length = norms[field_idx].fieldnorm(doc);
                        let row = start + (doc - docs.first) as usize;
                        sums.add(row, postings.term_freq() as f32 * field_weight(field, length));
                        doc = postings.advance();
                    }
                }
            }
            sums.end_term(*weight);
        }
        let scored = docs.iter().zip(starts).map(|(docs, start)| {
            let rows = &sums.scores[start..start + (docs.end - docs.first) as usize];
            self.text_file(&numbers, *docs, rows, query)
        });
        Ok(scored.flatten().collect())
    }

    /// Returns every file of a segment with a row that scored.
    fn gather(
        &self,
        segment_idx: usize,
        segment: &SegmentReader,
        scores: &[f32],
        query: &SearchQuery<'_>,
    ) -> Result<Vec<TextFile>, IndexError> {
        let numbers = segment.fast_fields().u64("row")?;
        let files = self.docs_of_segment(segment_idx).iter();
        let file =
            |docs: &FileDocs| self.text_file(&numbers, *docs, &scores[docs.first as usize..docs.end as usize], query);
        Ok(files.filter_map(file).collect())
    }

    /// Returns a file by the scores of its rows; none if none of them counts.
    fn text_file(
        &self,
        numbers: &Column<u64>,
        docs: FileDocs,
        scores: &[f32],
        query: &SearchQuery<'_>,
    ) -> Option<TextFile> {
        if scores.iter().all(|score| *score == 0.0) || !self.admits(docs.file_idx, query) {
            return None;
        }
        let number = |place: usize| split_row(numbers.first(docs.first + place as u32).unwrap_or(0)).1;
        let mut rows: Vec<(f32, u32)> = (scores.iter().enumerate())
            .filter(|(_, score)| **score > 0.0)
            .map(|(place, score)| (*score, number(place)))
            .filter(|(_, number)| self.admits_row(docs.file_idx, *number, query))
            .collect();
        if rows.is_empty() {
            return None;
        }
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let row_scores: Vec<f32> = rows.iter().take(TOP_ROWS).map(|row| row.0).collect();
        let class = self.tables().files[docs.file_idx as usize].class();
        let score = (file_score(&row_scores) + query.by_name()) * class_factor(class, query.kept);
        // The name of the repository is as good as said in each of its rows.
        rows.iter_mut().for_each(|row| row.0 += query.name_weight);
        (score > 0.0).then_some(TextFile { file_idx: docs.file_idx, score, rows })
    }

    fn norms(&self, segment: &SegmentReader) -> Result<Vec<FieldNormReader>, IndexError> {
        let norms = self.fields().text.iter().map(|field| segment.get_fieldnorms_reader(*field));
        Ok(norms.collect::<Result<_, _>>()?)
    }
}

/// The scores of rows, term after term, and what they get for the term that is being read.
struct RowSums {
    scores: Vec<f32>,
    frequencies: Vec<f32>,
    touched: Vec<u32>,
    best: f32,
}

impl RowSums {
    fn new(n_rows: usize) -> RowSums {
        RowSums { scores: vec![0.0; n_rows], frequencies: vec![0.0; n_rows], touched: Vec::new(), best: 0.0 }
    }

    fn add(&mut self, row: usize, frequency: f32) {
        let sum = &mut self.frequencies[row];
        if *sum == 0.0 {
            self.touched.push(row as u32);
        }
        *sum += frequency;
    }

    fn end_term(&mut self, weight: f32) {
        for row in self.touched.drain(..) {
            let frequency = std::mem::take(&mut self.frequencies[row as usize]);
            let score = &mut self.scores[row as usize];
            *score += weight * saturation(frequency);
            self.best = self.best.max(*score);
        }
    }
}
