//! Files by text, by the names of their symbols, and by path.
//!
//! Text is scored row by row under global statistics, rows are aggregated to files, and only then is anything cut: so
//! that the best files of many repositories, put together, are the best files of all of them.

mod by_name;
mod by_path;
mod by_text;

use std::cmp::Ordering;

use model::{Filter, LineSpan};
use ranking::{
    Statistics,
    name::{NameOrder, NameTier},
};

use crate::{FileView, IndexError, Snapshot, SymbolView};

use by_name::BestName;

/// What a search asks of one repository.
#[derive(Debug, Clone)]
pub struct SearchQuery<'a> {
    pub terms: &'a [String],
    /// Of all repositories that take part, not of this one.
    pub statistics: &'a Statistics,
    pub identifiers: &'a [String],
    pub paths: &'a [String],
    pub filter: &'a Filter,
    pub keeps_demoted: bool,
    /// How many files each ranker returns at most.
    pub limit: usize,
}

/// A file, with what every ranker says of it: numbers alone, since most hits of most repositories are cut before
/// anybody reads their names.
#[derive(Debug, Clone)]
pub struct FileHit {
    file_idx: u32,
    /// Its best rows, aggregated and demoted; 0 if no term occurs.
    pub lexical: f32,
    name: Option<BestName>,
    /// 0 if the path does not match.
    pub path: f32,
    /// Score and number of the best rows, best first.
    rows: Vec<(f32, u32)>,
}

impl FileHit {
    /// Returns the score of its best row alone; 0 if no term occurs.
    pub fn best_row(&self) -> f32 {
        self.rows.first().map_or(0.0, |row| row.0)
    }
}

/// The best match of an identifier among the symbols of a file.
#[derive(Debug, Clone)]
pub struct NameHit {
    pub identifier: usize,
    pub tier: NameTier,
    pub symbol: SymbolView,
}

/// A row by its score; without a symbol it is the rest of the file, or a chunk.
#[derive(Debug, Clone)]
pub struct RowHit {
    pub symbol: Option<SymbolView>,
    pub lines: LineSpan,
    pub score: f32,
}

impl Snapshot {
    /// Returns the union of the best files of each ranker, each with the scores of all rankers, in the order of paths.
    pub fn search(&self, query: &SearchQuery<'_>) -> Result<Vec<FileHit>, IndexError> {
        let by_text = self.rank_by_text(query)?;
        let by_name = self.rank_by_name(query);
        let by_path = self.rank_by_path(query);

        let mut chosen: Vec<u32> =
            best(by_text.values(), query.limit, |a, b| b.score.total_cmp(&a.score).then(a.file_idx.cmp(&b.file_idx)))
                .into_iter()
                .map(|file| file.file_idx)
                .collect();
        let name_order = |file_idx: u32| {
            let lexical = by_text.get(&file_idx).map_or(0.0, |text| text.score);
            self.name_order(file_idx, &by_name[&file_idx], query.keeps_demoted, lexical)
        };
        let by_name_order =
            |a: &u32, b: &u32| name_order(*a).partial_cmp(&name_order(*b)).unwrap_or(Ordering::Equal).then(a.cmp(b));
        chosen.extend(best(by_name.keys().copied(), query.limit, by_name_order));
        let path_order = |a: &(&u32, &f32), b: &(&u32, &f32)| b.1.total_cmp(a.1).then(a.0.cmp(b.0));
        chosen.extend(best(by_path.iter(), query.limit, path_order).into_iter().map(|(file_idx, _)| *file_idx));
        chosen.sort_unstable();
        chosen.dedup();

        let hit = |file_idx: u32| {
            let text = by_text.get(&file_idx);
            FileHit {
                file_idx,
                lexical: text.map_or(0.0, |text| text.score),
                name: by_name.get(&file_idx).copied(),
                path: by_path.get(&file_idx).copied().unwrap_or(0.0),
                rows: text.map_or_else(Vec::new, |text| text.rows.clone()),
            }
        };
        Ok(chosen.into_iter().map(hit).collect())
    }

    /// Returns the file of a hit.
    pub fn hit_file(&self, hit: &FileHit) -> FileView {
        self.file_view(hit.file_idx as usize)
    }

    /// Returns the path of the file of a hit.
    pub fn hit_path(&self, hit: &FileHit) -> &str {
        &self.tables().files[hit.file_idx as usize].path
    }

    /// Returns the best named symbol of a hit.
    pub fn hit_name(&self, hit: &FileHit) -> Option<NameHit> {
        hit.name.map(|name| NameHit {
            identifier: name.identifier,
            tier: name.tier,
            symbol: self.symbol_view(name.symbol_idx as usize),
        })
    }

    /// Returns what the hits by name are ordered by; nothing where no name matched.
    pub fn hit_name_order(&self, hit: &FileHit, keeps_demoted: bool) -> Option<NameOrder> {
        hit.name.as_ref().map(|name| self.name_order(hit.file_idx, name, keeps_demoted, hit.lexical))
    }

    /// Returns the rows of a hit, best first.
    pub fn hit_rows(&self, hit: &FileHit) -> Vec<RowHit> {
        hit.rows.iter().map(|(score, number)| self.row_hit(hit.file_idx as usize, *score, *number)).collect()
    }

    fn row_hit(&self, file_idx: usize, score: f32, number: u32) -> RowHit {
        let file = &self.tables().files[file_idx];
        let symbols = self.symbols_of(file_idx);
        let number = number as usize;
        if (1..=symbols.len()).contains(&number) {
            let symbol = self.symbol_view(file.first_symbol.to_native() as usize + number - 1);
            return RowHit { lines: symbol.lines, symbol: Some(symbol), score };
        }
        let chunk = number.checked_sub(symbols.len() + 1).and_then(|chunk_idx| file.chunks.get(chunk_idx));
        let whole = LineSpan { start: 1, end: file.n_lines.to_native() };
        RowHit { symbol: None, lines: chunk.map_or(whole, |chunk| chunk.lines()), score }
    }
}

/// Returns the first `limit` of the items, in order.
fn best<T>(items: impl Iterator<Item = T>, limit: usize, order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    if items.len() > limit {
        items.select_nth_unstable_by(limit, &order);
        items.truncate(limit);
    }
    items.sort_unstable_by(order);
    items
}
