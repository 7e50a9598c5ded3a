//! Files by text: rows are scored under global statistics, and rows make up files.

use model::SymbolKind;
use ranking::{
    Field,
    aggregate::{TOP_ROWS, class_factor, file_score},
    bm25f::Scorer,
};
use rustc_hash::FxHashMap;
use tantivy::{
    SegmentReader, Term, fieldnorm::FieldNormReader, postings::BlockSegmentPostings, schema::IndexRecordOption,
};

use super::SearchQuery;
use crate::{IndexError, Snapshot, snapshot::NO_FILE, text::split_row};

/// The rows of one file that hold a term.
#[derive(Clone)]
pub(super) struct FileRows {
    pub(super) file_idx: u32,
    pub(super) score: f32,
    /// Score and number of the best rows, best first.
    pub(super) rows: Vec<(f32, u32)>,
}

impl Snapshot {
    /// Returns every file that holds a term, with its best rows.
    pub(super) fn rank_by_text(&self, query: &SearchQuery<'_>) -> Result<FxHashMap<u32, FileRows>, IndexError> {
        let mut files = FxHashMap::default();
        if query.terms.is_empty() {
            return Ok(files);
        }
        let scorer = Scorer::new(query.statistics);
        for (segment, doc_files) in self.segments() {
            let scores = self.score_rows(segment, query.terms, &scorer)?;
            self.gather_files(segment, doc_files, &scores, query, &mut files)?;
        }
        Ok(files)
    }

    /// Returns the score of every row of a segment, 0 where no term occurs. Sums run over terms in the order of the query
    /// and over fields in the order of the ranking, so that a row has the same score to the bit in any index.
    fn score_rows(&self, segment: &SegmentReader, terms: &[String], scorer: &Scorer) -> Result<Vec<f32>, IndexError> {
        let n_docs = segment.max_doc() as usize;
        let mut scores = vec![0.0_f32; n_docs];
        let mut weighted = vec![0.0_f32; n_docs];
        let mut touched: Vec<u32> = Vec::new();
        let norms: Vec<FieldNormReader> =
            self.fields().text.iter().map(|field| segment.get_fieldnorms_reader(*field)).collect::<Result<_, _>>()?;
        for (term_idx, term) in terms.iter().enumerate().filter(|(_, term)| self.terms().get(term) > 0) {
            for (field_idx, field) in Field::ALL.iter().enumerate() {
                let tantivy_field = self.fields().text[field_idx];
                let inverted = segment.inverted_index(tantivy_field)?;
                let postings = inverted
                    .read_block_postings(&Term::from_field_text(tantivy_field, term), IndexRecordOption::WithFreqs)
                    .map_err(tantivy::TantivyError::from)?;
                let Some(postings) = postings else { continue };
                for_each_posting(postings, |doc, frequency| {
                    let weight = &mut weighted[doc as usize];
                    if *weight == 0.0 {
                        touched.push(doc);
                    }
                    *weight += scorer.weigh(*field, frequency, norms[field_idx].fieldnorm(doc));
                });
            }
            for doc in touched.drain(..) {
                let weight = &mut weighted[doc as usize];
                scores[doc as usize] += scorer.score(term_idx, *weight);
                *weight = 0.0;
            }
        }
        Ok(scores)
    }

    /// Adds the files of the rows that scored. The rows of a file stand side by side.
    fn gather_files(
        &self,
        segment: &SegmentReader,
        doc_files: &[u32],
        scores: &[f32],
        query: &SearchQuery<'_>,
        files: &mut FxHashMap<u32, FileRows>,
    ) -> Result<(), IndexError> {
        let rows = segment.fast_fields().u64("row")?;
        let mut doc = 0;
        while doc < scores.len() {
            let file_idx = doc_files[doc];
            let end = doc + doc_files[doc..].iter().take_while(|other| **other == file_idx).count();
            let range = doc..end;
            doc = end;
            if file_idx == NO_FILE || scores[range.clone()].iter().all(|score| *score == 0.0) {
                continue;
            }
            let file = &self.tables().files[file_idx as usize];
            if !query.filter.admits_file(&file.path, file.class(), file.language()) {
                continue;
            }
            let mut found: Vec<(f32, u32)> = range
                .filter(|doc| scores[*doc] > 0.0 && !segment.is_deleted(*doc as u32))
                .map(|doc| (scores[doc], split_row(rows.first(doc as u32).unwrap_or(0)).1))
                .filter(|(_, number)| self.admits_row(file_idx as usize, *number, query.filter.symbol_kind))
                .collect();
            if found.is_empty() {
                continue;
            }
            found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            found.truncate(TOP_ROWS);
            let row_scores: Vec<f32> = found.iter().map(|row| row.0).collect();
            let score = file_score(&row_scores) * class_factor(file.class(), query.keeps_demoted);
            if score > 0.0 {
                files.insert(file_idx, FileRows { file_idx, score, rows: found });
            }
        }
        Ok(())
    }

    fn admits_row(&self, file_idx: usize, number: u32, wanted: Option<SymbolKind>) -> bool {
        wanted.is_none_or(|kind| {
            let symbol_idx = (number as usize).wrapping_sub(1);
            self.symbols_of(file_idx).get(symbol_idx).is_some_and(|symbol| symbol.kind() == kind)
        })
    }
}

fn for_each_posting(mut postings: BlockSegmentPostings, mut visit: impl FnMut(u32, u32)) {
    while postings.block_len() > 0 {
        for (doc, frequency) in postings.docs().iter().zip(postings.freqs()) {
            visit(*doc, *frequency);
        }
        postings.advance();
    }
}
