//! Files by the terms of their rows, with BM25F.
//!
//! Terms are scored in order of weight. As soon as the remaining terms cannot lift a new file into the result, scoring
//! continues only for candidate files, by seeking in the postings (early termination, as in MaxScore). So the cost of common
//! words does not grow with the corpus. Both ways give scores that are equal to the bit.

use ranking::aggregate::{MAX_AGGREGATION, MENTIONED_REPO_FACTOR, TOP_ROWS, class_factor, file_score};
use ranking::bm25f::{field_weight, saturation};
use ranking::{Field, RequestedClasses};
use tantivy::{
    DocSet, SegmentReader, TERMINATED, Term, columnar::Column, fieldnorm::FieldNormReader, postings::Postings,
    schema::IndexRecordOption,
};

use super::{query::SearchQuery, top_files::TopFiles};
use crate::{
    error::IndexError,
    snapshot::{FileRowRange, Snapshot},
    text_index::split_row,
};

/// Factor that makes a sum of rounded floats an upper bound.
const ROUNDING: f32 = 1.0001;

/// Minimum number of remaining postings for which the check for early termination pays off.
const MIN_POSTINGS_TO_SKIP: u64 = 2_000;

/// A file with its matching rows.
pub(super) struct TextFile {
    pub(super) file_idx: u32,
    pub(super) score: f32,
    /// Score and number of each row, best first.
    pub(super) rows: Vec<(f32, u32)>,
}

impl SearchQuery<'_> {
    /// Returns the score that each file gets for the name of its repository.
    fn repository_score(&self) -> f32 {
        MENTIONED_REPO_FACTOR * self.name_weight
    }
}

impl Snapshot {
    /// Returns an upper bound of the text scores of this repository.
    pub fn text_score_bound(&self, query: &SearchQuery<'_>) -> f32 {
        let bounds = self.term_bounds(query);
        if bounds.iter().all(|bound| *bound == 0.0) {
            0.0
        } else {
            bounds.iter().sum::<f32>() * ROUNDING + query.repository_score()
        }
    }

    /// Returns score and index of the best files, best first. Files below `min_score` may be omitted.
    pub fn rank_by_text(&self, query: &SearchQuery<'_>, min_score: f32) -> Result<Vec<(f32, u32)>, IndexError> {
        let mut top = TopFiles::new(query.limit, min_score);
        let bounds = self.term_bounds(query);
        for (segment_idx, segment) in self.segments().enumerate() {
            for found in self.rank_segment(segment_idx, segment, query, &bounds, &top)? {
                top.push(found.score, found.file_idx);
            }
        }
        Ok(top.into_sorted())
    }

    /// Returns the given files with rows and exact scores. Files without a matching row are omitted.
    pub(super) fn score_files(&self, query: &SearchQuery<'_>, files: &[u32]) -> Result<Vec<TextFile>, IndexError> {
        let mut scored = Vec::new();
        for (segment_idx, segment) in self.segments().enumerate() {
            let ranges: Vec<FileRowRange> = files
                .iter()
                .flat_map(|file_idx| self.row_range_of(*file_idx))
                .filter(|d| d.segment == segment_idx as u32)
                .collect();
            scored.extend(self.score_ranges(segment, query, ranges)?);
        }
        Ok(scored)
    }

    /// Returns an upper bound of the score of any file for each term, with demotion unless the query overrides it.
    fn term_bounds(&self, query: &SearchQuery<'_>) -> Vec<f32> {
        let of_term = |(term, weight): &(String, f32)| {
            let count = self.terms().get(term);
            match count.rows {
                0 => 0.0,
                _ if query.kept == RequestedClasses::default() => weight * count.impact.bound(),
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
        top: &TopFiles,
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
                let scored = self.scored_files(segment_idx, segment, &sums.scores, query)?;
                let mut reached = TopFiles::new(query.limit, top.floor());
                scored.iter().for_each(|file| reached.push(file.score, file.file_idx));
                if rest + query.repository_score() < reached.floor() {
                    let candidates = scored.iter().filter(|file| file.score + rest >= reached.floor());
                    let ranges = candidates.flat_map(|file| self.row_range_of(file.file_idx)).collect();
                    return self.score_ranges(segment, query, ranges);
                }
            }
            postings_left = postings_left.saturating_sub(self.terms().get(term).rows);
            for (field_idx, field) in Field::ALL.into_iter().enumerate() {
                let tantivy_field = self.text_fields().text[field_idx];
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
        self.scored_files(segment_idx, segment, &sums.scores, query)
    }

    /// Scores the rows of the given files only, by seeking in the postings.
    fn score_ranges(
        &self,
        segment: &SegmentReader,
        query: &SearchQuery<'_>,
        mut ranges: Vec<FileRowRange>,
    ) -> Result<Vec<TextFile>, IndexError> {
        ranges.sort_unstable_by_key(|range| range.first);
        let norms = self.norms(segment)?;
        let starts: Vec<usize> = ranges
            .iter()
            .scan(0, |next, range| {
                let start = *next;
                *next += (range.end - range.first) as usize;
                Some(start)
            })
            .collect();
        let n_rows = ranges.iter().map(|range| (range.end - range.first) as usize).sum();
        let numbers = segment.fast_fields().u64("row")?;
        let mut sums = RowSums::new(n_rows);
        for (term, weight) in query.terms.iter().filter(|(term, _)| self.terms().get(term).rows > 0) {
            for (field_idx, field) in Field::ALL.into_iter().enumerate() {
                let tantivy_field = self.text_fields().text[field_idx];
                let inverted = segment.inverted_index(tantivy_field)?;
                let term = Term::from_field_text(tantivy_field, term);
                let postings =
                    inverted.read_postings(&term, IndexRecordOption::WithFreqs).map_err(tantivy::TantivyError::from)?;
                let Some(mut postings) = postings else { continue };
                for (range, start) in ranges.iter().zip(&starts) {
                    let mut doc = postings.doc();
                    if doc < range.first {
                        doc = postings.seek(range.first);
                    }
                    while doc != TERMINATED && doc < range.end {
                        let length = norms[field_idx].fieldnorm(doc);
                        let row = start + (doc - range.first) as usize;
                        sums.add(row, postings.term_freq() as f32 * field_weight(field, length));
                        doc = postings.advance();
                    }
                }
            }
            sums.end_term(*weight);
        }
        let scored = ranges.iter().zip(starts).map(|(range, start)| {
            let rows = &sums.scores[start..start + (range.end - range.first) as usize];
            self.text_file(&numbers, *range, rows, query)
        });
        Ok(scored.flatten().collect())
    }

    /// Returns every file of a segment with a matching row.
    fn scored_files(
        &self,
        segment_idx: usize,
        segment: &SegmentReader,
        scores: &[f32],
        query: &SearchQuery<'_>,
    ) -> Result<Vec<TextFile>, IndexError> {
        let numbers = segment.fast_fields().u64("row")?;
        let files = self.row_ranges_of_segment(segment_idx).iter();
        let file = |range: &FileRowRange| {
            self.text_file(&numbers, *range, &scores[range.first as usize..range.end as usize], query)
        };
        Ok(files.filter_map(file).collect())
    }

    /// Aggregates the scores of the rows of a file; `None` if no admitted row matches.
    fn text_file(
        &self,
        numbers: &Column<u64>,
        range: FileRowRange,
        scores: &[f32],
        query: &SearchQuery<'_>,
    ) -> Option<TextFile> {
        if scores.iter().all(|score| *score == 0.0) || !self.admits(range.file_idx, query) {
            return None;
        }
        let number = |place: usize| split_row(numbers.first(range.first + place as u32).unwrap_or(0)).1;
        let mut rows: Vec<(f32, u32)> = (scores.iter().enumerate())
            .filter(|(_, score)| **score > 0.0)
            .map(|(place, score)| (*score, number(place)))
            .filter(|(_, number)| self.admits_row(range.file_idx, *number, query))
            .collect();
        if rows.is_empty() {
            return None;
        }
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let row_scores: Vec<f32> = rows.iter().take(TOP_ROWS).map(|row| row.0).collect();
        let class = self.tables().files[range.file_idx as usize].class();
        let score = (file_score(&row_scores) + query.repository_score()) * class_factor(class, query.kept);
        // Each row is scored as if it contained the name of the repository.
        rows.iter_mut().for_each(|row| row.0 += query.name_weight);
        (score > 0.0).then_some(TextFile { file_idx: range.file_idx, score, rows })
    }

    fn norms(&self, segment: &SegmentReader) -> Result<Vec<FieldNormReader>, IndexError> {
        let norms = self.text_fields().text.iter().map(|field| segment.get_fieldnorms_reader(*field));
        Ok(norms.collect::<Result<_, _>>()?)
    }
}

/// The scores of rows, accumulated term by term.
struct RowSums {
    scores: Vec<f32>,
    /// Weighted frequencies of the current term.
    frequencies: Vec<f32>,
    /// Rows with a frequency of the current term.
    touched: Vec<u32>,
    /// The best score so far.
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
