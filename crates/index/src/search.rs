//! Search for files by text, vector, symbol name and path; and for pages and commit messages.
//!
//! A search has two rounds. First, each ranker returns its best files of this repository. The caller merges them over all
//! repositories, and then [`Snapshot::file_hits`] returns the scores of all rankers for the chosen files.
//!
//! Row scores are aggregated to file scores before any list is truncated. Therefore the best files of all repositories are
//! among the union of the best files of each.

mod by_message;
mod by_name;
mod by_page;
mod by_path;
mod by_text;
mod by_vector;
mod query;
mod top_files;

use model::{Filter, LineSpan, PageType};
use ranking::{
    RequestedClasses, Statistics,
    aggregate::class_factor,
    name::{NameOrder, NameTier},
};
use rustc_hash::FxHashMap;

use crate::{
    error::IndexError,
    records::symbol_texts::SymbolTexts,
    snapshot::Snapshot,
    views::{FileView, SymbolView},
};

pub use by_message::MessageHit;
pub use by_name::BestName;
pub use by_page::PageHit;
pub use query::{QueryVector, SearchQuery};

/// Maximum number of rows per hit and ranker, for the rankers by text and by vector.
const ROWS_PER_HIT: usize = 4;

/// The files that match by symbol name or by path.
#[derive(Debug, Clone, Default)]
pub struct NameMatches {
    /// By file index: the symbol with the best matching name.
    pub by_name: FxHashMap<u32, BestName>,
    /// By file index: the score of the path.
    pub by_path: FxHashMap<u32, f32>,
}

/// A file with the scores of all rankers. Scores are 0 for a ranker that did not match.
#[derive(Debug, Clone)]
pub struct FileHit {
    /// Index of the file.
    pub file_idx: u32,
    /// Aggregated text score of its best rows, demoted by file class.
    pub lexical: f32,
    /// Text score of its best row.
    pub best_row: f32,
    /// Largest cosine of its rows, demoted by file class.
    pub cosine: f32,
    /// Text score of the messages of its commits, demoted by file class.
    pub history: f32,
    /// The symbol with the best matching name.
    pub name: Option<BestName>,
    /// Score of its path.
    pub path: f32,
    /// The best rows by text and by vector, sorted by number.
    pub rows: Vec<RowScore>,
}

/// The scores of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowScore {
    number: u32,
    /// Text score.
    pub lexical: f32,
    /// Cosine with the query.
    pub cosine: f32,
}

/// The best match of an identifier among the symbols of a file.
#[derive(Debug, Clone)]
pub struct NameHit {
    /// Index of the identifier in the query.
    pub identifier: usize,
    /// Match tier of the name, from exact to fuzzy.
    pub tier: NameTier,
    /// The symbol.
    pub symbol: SymbolView,
}

/// A row of a hit.
#[derive(Debug, Clone)]
pub struct RowHit {
    /// Number of the row within its file.
    pub number: u32,
    /// Its symbol; `None` for a chunk, and for the row of the text outside of symbols.
    pub symbol: Option<SymbolView>,
    /// The lines that it covers.
    pub lines: LineSpan,
    /// Text score.
    pub lexical: f32,
    /// Cosine with the query.
    pub cosine: f32,
}

impl Snapshot {
    /// Returns the statistics of this repository for terms and identifiers. They add up over repositories.
    pub fn statistics(&self, terms: &[String], identifiers: &[String]) -> Statistics {
        Statistics {
            rows: self.manifest().rows,
            document_frequencies: terms.iter().map(|term| self.rows_with_term(term)).collect(),
            name_counts: identifiers.iter().map(|typed| self.count_definitions(typed)).collect(),
        }
    }

    /// Returns the files that match by symbol name or by path.
    pub fn match_names_and_paths(&self, query: &SearchQuery<'_>) -> NameMatches {
        NameMatches { by_name: self.rank_by_name(query), by_path: self.rank_by_path(query) }
    }

    /// Returns the scores of all rankers for files, in the given order.
    pub fn file_hits(
        &self,
        query: &SearchQuery<'_>,
        names: &NameMatches,
        files: &[u32],
    ) -> Result<Vec<FileHit>, IndexError> {
        let scored = self.score_files(query, files)?;
        let mut by_file: FxHashMap<u32, by_text::TextFile> =
            scored.into_iter().map(|file| (file.file_idx, file)).collect();
        let hit = |file_idx: &u32| {
            let text = by_file.remove(file_idx);
            let text_rows = text.as_ref().map_or(&[][..], |text| &text.rows);
            let vector_rows = self.rows_by_vector(*file_idx, query);
            let factor = class_factor(self.tables().files[*file_idx as usize].class(), query.kept);
            FileHit {
                file_idx: *file_idx,
                lexical: text.as_ref().map_or(0.0, |text| text.score),
                best_row: text_rows.first().map_or(0.0, |row| row.0),
                cosine: vector_rows.first().map_or(0.0, |row| row.0 * factor),
                history: self.history_score(*file_idx as usize, query.terms) * factor,
                name: names.by_name.get(file_idx).copied(),
                path: names.by_path.get(file_idx).copied().unwrap_or(0.0),
                rows: row_scores(text_rows, &vector_rows),
            }
        };
        Ok(files.iter().map(hit).collect())
    }

    /// Returns the file of a hit.
    pub fn hit_file(&self, file_idx: u32) -> FileView {
        self.file_view(file_idx as usize)
    }

    /// Returns the path of the file of a hit.
    pub fn hit_path(&self, file_idx: u32) -> &str {
        &self.tables().files[file_idx as usize].path
    }

    /// Returns the sort key of a match by name.
    pub fn name_order(&self, file_idx: u32, name: &BestName, kept: RequestedClasses) -> NameOrder {
        let class = self.tables().files[file_idx as usize].class();
        let n_lines = self.tables().symbols[name.symbol_idx as usize].lines().len();
        NameOrder::new(name.tier, name.count, Some((name.kind, n_lines)), class, kept)
    }

    /// Returns the symbol of a hit that matches by name, if there is one, and the rows of the hit.
    pub fn symbols_of_hit(&self, hit: &FileHit) -> Result<(Option<NameHit>, Vec<RowHit>), IndexError> {
        let texts = self.symbol_texts(hit.file_idx as usize)?;
        let rows = hit.rows.iter().map(|row| self.row_hit(hit.file_idx, *row, &texts)).collect();
        let first = self.tables().files[hit.file_idx as usize].first_symbol.to_native();
        let name = hit.name.as_ref().map(|name| NameHit {
            identifier: name.identifier,
            tier: name.tier,
            symbol: self
                .symbol_view(name.symbol_idx as usize, texts.get(name.symbol_idx.saturating_sub(first) as usize)),
        });
        Ok((name, rows))
    }

    fn row_hit(&self, file_idx: u32, row: RowScore, texts: &SymbolTexts) -> RowHit {
        let file = &self.tables().files[file_idx as usize];
        let symbols = self.symbols_of(file_idx as usize);
        let number = row.number as usize;
        let RowScore { number: row_number, lexical, cosine } = row;
        if (1..=symbols.len()).contains(&number) {
            let symbol_idx = file.first_symbol.to_native() as usize + number - 1;
            let symbol = self.symbol_view(symbol_idx, texts.get(number - 1));
            return RowHit { number: row_number, lines: symbol.lines, symbol: Some(symbol), lexical, cosine };
        }
        let chunk = number.checked_sub(symbols.len() + 1).and_then(|chunk_idx| file.chunks.get(chunk_idx));
        let whole_file = LineSpan { start: 1, end: file.n_lines.to_native() };
        let lines = chunk.map_or(whole_file, |chunk| chunk.lines());
        RowHit { number: row_number, symbol: None, lines, lexical, cosine }
    }

    /// Returns true if the filter of the query admits a file.
    fn admits(&self, file_idx: u32, query: &SearchQuery<'_>) -> bool {
        let file = &self.tables().files[file_idx as usize];
        !self.is_replaced(file_idx)
            && query.filter.admits_page_of_file(self.page_type_of(file_idx as usize))
            && query.filter.admits_file(&file.path, file.class(), file.language())
    }

    /// Returns true if the filter of the query admits a row of an admitted file.
    fn admits_row(&self, file_idx: u32, number: u32, query: &SearchQuery<'_>) -> bool {
        let Filter { symbol_kind, page_type, .. } = query.filter;
        if symbol_kind.is_none() && *page_type != Some(PageType::Symbol) {
            return true;
        }
        let symbol = self.symbols_of(file_idx as usize).get((number as usize).wrapping_sub(1));
        symbol.is_some_and(|symbol| symbol_kind.is_none_or(|kind| symbol.kind() == kind))
    }
}

/// Returns the best rows of both lists, each with its score in both.
fn row_scores(by_text: &[(f32, u32)], by_vector: &[(f32, u32)]) -> Vec<RowScore> {
    let score = |list: &[(f32, u32)], number: u32| list.iter().find(|row| row.1 == number).map_or(0.0, |row| row.0);
    let best = by_text.iter().take(ROWS_PER_HIT).chain(by_vector.iter().take(ROWS_PER_HIT));
    let mut numbers: Vec<u32> = best.map(|row| row.1).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let row = |number| RowScore { number, lexical: score(by_text, number), cosine: score(by_vector, number) };
    numbers.into_iter().map(row).collect()
}
