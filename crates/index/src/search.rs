//! Files by text, by meaning, by the names of their symbols, and by path.
//!
//! Rows are aggregated to files, and only then is anything cut: so that the best files of many repositories, put together,
//! are the best files of all of them. Each ranker names its best files; of those that were chosen over all repositories,
//! [`Snapshot::hits`] then tells what every ranker says of them.

mod by_name;
mod by_path;
mod by_text;
mod by_vector;
mod top;

use model::{Filter, LineSpan, PageType};
use ranking::{
    Kept,
    aggregate::class_factor,
    name::{NameOrder, NameTier},
};
use rustc_hash::FxHashMap;

use crate::{FileView, IndexError, Snapshot, SymbolView, vectors::QueryVector, wording::Wordings};

pub use by_name::BestName;
pub(crate) use top::Top;

/// Rows of a hit by each of terms and meaning.
const ROWS_OF_A_HIT: usize = 4;

/// What a search asks of one repository.
#[derive(Debug, Clone)]
pub struct SearchQuery<'a> {
    /// Terms and what they weigh in all repositories that take part, the weightiest first.
    pub terms: &'a [(String, f32)],
    /// What the name of the repository tells, where the query has it in it; it is none of the terms then.
    pub name_weight: f32,
    pub vector: Option<QueryVector<'a>>,
    /// Names, and how many definitions have them in all repositories that take part.
    pub identifiers: &'a [(String, u64)],
    pub paths: &'a [String],
    pub filter: &'a Filter,
    pub kept: Kept,
    /// How many files each ranker returns at most.
    pub limit: usize,
}

/// Files that were found by name and by path.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// By index of the file: the best symbol that is named so.
    pub by_name: FxHashMap<u32, BestName>,
    /// By index of the file: how well the path matches.
    pub by_path: FxHashMap<u32, f32>,
}

/// A file, with what every ranker says of it.
#[derive(Debug, Clone)]
pub struct FileHit {
    pub file_idx: u32,
    /// Its best rows by terms, aggregated and demoted; 0 if no term occurs.
    pub lexical: f32,
    /// Its best row by terms; 0 if no term occurs.
    pub best_row: f32,
    /// The cosine of its nearest row, demoted.
    pub cosine: f32,
    /// How well the messages of its commits match, demoted.
    pub history: f32,
    pub name: Option<BestName>,
    /// 0 if the path does not match.
    pub path: f32,
    /// The best rows by terms and by meaning, in the order of their numbers.
    pub rows: Vec<RowScore>,
}

/// What is known of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowScore {
    number: u32,
    pub lexical: f32,
    pub cosine: f32,
}

/// The best match of an identifier among the symbols of a file.
#[derive(Debug, Clone)]
pub struct NameHit {
    pub identifier: usize,
    pub tier: NameTier,
    pub symbol: SymbolView,
}

/// A row; without a symbol it is the rest of the file, or a chunk.
#[derive(Debug, Clone)]
pub struct RowHit {
    /// Its place among the rows of its file.
    pub number: u32,
    pub symbol: Option<SymbolView>,
    pub lines: LineSpan,
    pub lexical: f32,
    pub cosine: f32,
}

impl Snapshot {
    /// Finds files by the names of their symbols and by path.
    pub fn named(&self, query: &SearchQuery<'_>) -> Named {
        Named { by_name: self.rank_by_name(query), by_path: self.rank_by_path(query) }
    }

    /// Returns what every ranker says of some files, in their order.
    pub fn hits(&self, query: &SearchQuery<'_>, named: &Named, files: &[u32]) -> Result<Vec<FileHit>, IndexError> {
        let scored = self.score_files(query, files)?;
        let mut by_text: FxHashMap<u32, by_text::TextFile> =
            scored.into_iter().map(|file| (file.file_idx, file)).collect();
        let hit = |file_idx: &u32| {
            let text = by_text.remove(file_idx);
            let by_terms = text.as_ref().map_or(&[][..], |text| &text.rows);
            let by_meaning = self.rows_by_vector(*file_idx, query);
            let factor = class_factor(self.tables().files[*file_idx as usize].class(), query.kept);
            FileHit {
                file_idx: *file_idx,
                lexical: text.as_ref().map_or(0.0, |text| text.score),
                best_row: by_terms.first().map_or(0.0, |row| row.0),
                cosine: by_meaning.first().map_or(0.0, |row| row.0 * factor),
                history: self.history_score(*file_idx as usize, query.terms) * factor,
                name: named.by_name.get(file_idx).copied(),
                path: named.by_path.get(file_idx).copied().unwrap_or(0.0),
                rows: row_scores(by_terms, &by_meaning),
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

    /// Returns what a match by name is ordered by.
    pub fn name_order(&self, file_idx: u32, name: &BestName, kept: Kept) -> NameOrder {
        let class = self.tables().files[file_idx as usize].class();
        let n_lines = self.tables().symbols[name.symbol_idx as usize].lines().len();
        NameOrder::new(name.tier, name.count, Some((name.kind, n_lines)), class, kept)
    }

    /// Returns the symbol of a hit that matched by name, and its rows.
    pub fn symbols_of_hit(&self, hit: &FileHit) -> Result<(Option<NameHit>, Vec<RowHit>), IndexError> {
        let wordings = self.wordings(hit.file_idx as usize)?;
        let rows = hit.rows.iter().map(|row| self.row_hit(hit.file_idx, *row, &wordings)).collect();
        let first = self.tables().files[hit.file_idx as usize].first_symbol.to_native();
        let name = hit.name.as_ref().map(|name| NameHit {
            identifier: name.identifier,
            tier: name.tier,
            symbol: self
                .symbol_view(name.symbol_idx as usize, wordings.at(name.symbol_idx.saturating_sub(first) as usize)),
        });
        Ok((name, rows))
    }

    fn row_hit(&self, file_idx: u32, row: RowScore, wordings: &Wordings) -> RowHit {
        let file = &self.tables().files[file_idx as usize];
        let symbols = self.symbols_of(file_idx as usize);
        let number = row.number as usize;
        let RowScore { number: row_number, lexical, cosine } = row;
        if (1..=symbols.len()).contains(&number) {
            let symbol_idx = file.first_symbol.to_native() as usize + number - 1;
            let symbol = self.symbol_view(symbol_idx, wordings.at(number - 1));
            return RowHit { number: row_number, lines: symbol.lines, symbol: Some(symbol), lexical, cosine };
        }
        let chunk = number.checked_sub(symbols.len() + 1).and_then(|chunk_idx| file.chunks.get(chunk_idx));
        let whole = LineSpan { start: 1, end: file.n_lines.to_native() };
        let lines = chunk.map_or(whole, |chunk| chunk.lines());
        RowHit { number: row_number, symbol: None, lines, lexical, cosine }
    }

    fn admits(&self, file_idx: u32, query: &SearchQuery<'_>) -> bool {
        let file = &self.tables().files[file_idx as usize];
        query.filter.admits_page_of_file(self.page_type_of(file_idx as usize))
            && query.filter.admits_file(&file.path, file.class(), file.language())
    }

    fn admits_row(&self, file_idx: u32, number: u32, query: &SearchQuery<'_>) -> bool {
        let Filter { symbol_kind, page_type, .. } = query.filter;
        if symbol_kind.is_none() && *page_type != Some(PageType::Symbol) {
            return true;
        }
        let symbol = self.symbols_of(file_idx as usize).get((number as usize).wrapping_sub(1));
        symbol.is_some_and(|symbol| symbol_kind.is_none_or(|wanted| symbol.kind() == wanted))
    }
}

/// Returns the best rows of both lists, each with what both say of it.
fn row_scores(by_terms: &[(f32, u32)], by_meaning: &[(f32, u32)]) -> Vec<RowScore> {
    let find = |list: &[(f32, u32)], number: u32| list.iter().find(|row| row.1 == number).map_or(0.0, |row| row.0);
    let best = by_terms.iter().take(ROWS_OF_A_HIT).chain(by_meaning.iter().take(ROWS_OF_A_HIT));
    let mut numbers: Vec<u32> = best.map(|row| row.1).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let row = |number| RowScore { number, lexical: find(by_terms, number), cosine: find(by_meaning, number) };
    numbers.into_iter().map(row).collect()
}
