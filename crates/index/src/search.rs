//! Files by text, by the names of their symbols, and by path.
//!
//! Text is scored row by row under global statistics, rows are aggregated to files, and only then is anything cut: so
//! that the best files of many repositories, put together, are the best files of all of them.

use std::cmp::Ordering;

use model::{Filter, LineSpan, SymbolKind};
use ranking::{
    Field, Statistics,
    aggregate::{TOP_ROWS, class_factor, file_score},
    bm25f::Scorer,
    name::{NameOrder, NamePattern, NameTier, kind_order},
    path::path_score,
};
use rustc_hash::FxHashMap;
use tantivy::{
    SegmentReader, Term, fieldnorm::FieldNormReader, postings::BlockSegmentPostings, schema::IndexRecordOption,
};

use crate::{FileView, IndexError, Snapshot, SymbolView, snapshot::NO_FILE, text::split_row};

/// Shorter identifiers match whole names alone: half of all names start with `re`.
const MIN_PREFIX_BYTES: usize = 4;

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

/// The union of the best files of each ranker.
#[derive(Debug, Clone, Default)]
pub struct SearchHits {
    /// In the order of paths.
    pub hits: Vec<FileHit>,
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

/// The rows of one file that hold a term.
#[derive(Clone)]
struct FileRows {
    file_idx: u32,
    score: f32,
    /// Score and number of the best rows, best first.
    rows: Vec<(f32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct BestName {
    identifier: usize,
    tier: NameTier,
    count: u64,
    kind: SymbolKind,
    symbol_idx: u32,
}

impl BestName {
    fn key(&self) -> (NameTier, u64, u8, usize, u32) {
        (self.tier, self.count, kind_order(Some(self.kind)), self.identifier, self.symbol_idx)
    }
}

impl Snapshot {
    /// Returns the best files of each ranker, each with the scores of all rankers.
    pub fn search(&self, query: &SearchQuery<'_>) -> Result<SearchHits, IndexError> {
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
        Ok(SearchHits { hits: chosen.into_iter().map(hit).collect() })
    }

    /// Returns the file of a hit.
    pub fn hit_file(&self, hit: &FileHit) -> FileView {
        self.tables().files[hit.file_idx as usize].view()
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

    fn name_order(&self, file_idx: u32, name: &BestName, keeps_demoted: bool, lexical: f32) -> NameOrder {
        let class = self.tables().files[file_idx as usize].class();
        NameOrder::new(name.tier, name.count, Some(name.kind), class, keeps_demoted, lexical)
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
            let symbol = SymbolView::new(&symbols[number - 1], file);
            return RowHit { lines: symbol.lines, symbol: Some(symbol), score };
        }
        let chunk = number.checked_sub(symbols.len() + 1).and_then(|chunk_idx| file.chunks.get(chunk_idx));
        let whole = LineSpan { start: 1, end: file.n_lines.to_native() };
        RowHit { symbol: None, lines: chunk.map_or(whole, |chunk| chunk.lines()), score }
    }

    fn rank_by_text(&self, query: &SearchQuery<'_>) -> Result<FxHashMap<u32, FileRows>, IndexError> {
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

    /// Returns how many definitions have the name of this identifier, in any notation.
    pub(crate) fn count_named(&self, typed: &str) -> u64 {
        let pattern = NamePattern::parse(typed);
        let names = &self.tables().names;
        let found = names.binary_search_by(|name| name.folded.as_str().cmp(pattern.folded.as_str()));
        let Some(name) = found.ok().map(|name_idx| &names[name_idx]).filter(|_| !pattern.is_empty()) else { return 0 };
        let symbols = name.symbols.iter().map(|idx| &self.tables().symbols[idx.to_native() as usize]);
        symbols.filter(|symbol| pattern.admits_container(&symbol.container)).count() as u64
    }

    /// Returns the best named symbol of each file.
    fn rank_by_name(&self, query: &SearchQuery<'_>) -> FxHashMap<u32, BestName> {
        let mut files: FxHashMap<u32, BestName> = FxHashMap::default();
        let names = &self.tables().names;
        for (identifier, typed) in query.identifiers.iter().enumerate() {
            let pattern = NamePattern::parse(typed);
            if pattern.is_empty() {
                continue;
            }
            let first = names.partition_point(|name| name.folded.as_str() < pattern.folded.as_str());
            let takes_prefixes = pattern.folded.len() >= MIN_PREFIX_BYTES;
            let matching = names[first..].iter().take_while(|name| {
                if takes_prefixes {
                    name.folded.starts_with(&pattern.folded)
                } else {
                    name.folded.as_str() == pattern.folded
                }
            });
            for symbol_idx in matching.flat_map(|name| name.symbols.iter()).map(|idx| idx.to_native()) {
                let symbol = &self.tables().symbols[symbol_idx as usize];
                if !pattern.admits_container(&symbol.container)
                    || query.filter.symbol_kind.is_some_and(|kind| kind != symbol.kind())
                {
                    continue;
                }
                let folded = ranking::analyser::fold(&symbol.name);
                let Some((tier, _)) = pattern.closeness(&symbol.name, &folded) else { continue };
                let file_idx = symbol.file.to_native();
                let file = &self.tables().files[file_idx as usize];
                if !query.filter.admits_file(&file.path, file.class(), file.language()) {
                    continue;
                }
                let count = query.statistics.name_counts.get(identifier).copied().unwrap_or(0);
                let found = BestName { identifier, tier, count, kind: symbol.kind(), symbol_idx };
                files
                    .entry(file_idx)
                    .and_modify(|best| *best = if found.key() < best.key() { found } else { *best })
                    .or_insert(found);
            }
        }
        files
    }

    fn rank_by_path(&self, query: &SearchQuery<'_>) -> FxHashMap<u32, f32> {
        if query.paths.is_empty() {
            return FxHashMap::default();
        }
        let files = self.tables().files.iter().enumerate();
        files
            .filter(|(_, file)| query.filter.admits_file(&file.path, file.class(), file.language()))
            .map(|(file_idx, file)| {
                let scores = query.paths.iter().map(|typed| path_score(typed, &file.path));
                (file_idx as u32, scores.fold(0.0, f32::max))
            })
            .filter(|(_, score)| *score > 0.0)
            .collect()
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

fn for_each_posting(mut postings: BlockSegmentPostings, mut visit: impl FnMut(u32, u32)) {
    while postings.block_len() > 0 {
        for (doc, frequency) in postings.docs().iter().zip(postings.freqs()) {
            visit(*doc, *frequency);
        }
        postings.advance();
    }
}
