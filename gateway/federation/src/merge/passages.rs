//! Ranks the passages of ranked files: definitions, or the remaining rows of a file.
//!
//! The score of a passage combines its own score and that of its file. Exact name matches lead, as they do among files.

use model::{LineSpan, SymbolKind};
use proto::v1;
use ranking::fusion::{Ranker, fuse};

use crate::outline::span;

use super::{
    RankedFile, ScoreScale, descending, list_of, name_order,
    relevance::{meaning_relevance, name_relevance},
};

/// Weight of a passage's cosine relative to its lexical score: higher than for a file, measured on functions that comments
/// describe.
const COSINE_WEIGHT: f32 = 0.8;

/// Weight of the file's score.
const FILE_WEIGHT: f32 = 1.0;

/// Factor of types, file remainders and chunks relative to callables: most questions are about behaviour. A query of
/// identifiers may as well mean a type.
const NOT_CALLED: f32 = 0.7;

/// Maximum number of passages per file: beyond a few, the whole file is the answer.
const MAX_PASSAGES_PER_FILE: usize = 4;

/// A passage of a file.
#[derive(Debug, Clone, Copy)]
pub struct CodePassage<'a> {
    /// Unset for the rest of a file.
    pub symbol: Option<&'a v1::Symbol>,
    /// The whole file if nothing smaller represents it.
    pub lines: LineSpan,
}

/// A ranked passage.
#[derive(Debug, Clone, Copy)]
pub struct RankedPassage<'a> {
    /// The index of its file among the ranked files.
    pub file_idx: usize,
    /// The definition or lines to show.
    pub passage: CodePassage<'a>,
    /// 0 to 10, comparable between queries and repositories.
    pub relevance: f32,
    text: f32,
    name: Option<&'a v1::NameMatch>,
    path: f32,
}

impl<'a> CodePassage<'a> {
    /// Returns the passage that represents a file: the named definition, or the best row.
    pub fn of(hit: &'a v1::FileHit) -> CodePassage<'a> {
        let named = hit.name.as_ref();
        let is_exact = named.is_some_and(|name| matches!(name.tier(), v1::NameTier::Exact | v1::NameTier::Folded));
        let by_name = named.and_then(|name| name.symbol.as_ref()).and_then(CodePassage::of_symbol);
        // The first row wins a tie.
        let best = hit.rows.iter().rev().max_by(|a, b| {
            (a.lexical, a.cosine).partial_cmp(&(b.lexical, b.cosine)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let by_text = best.and_then(CodePassage::of_row);
        let chosen = if is_exact { by_name.or(by_text) } else { by_text.or(by_name) };
        chosen.unwrap_or(CodePassage::whole(hit))
    }

    fn whole(hit: &v1::FileHit) -> CodePassage<'a> {
        let n_lines = hit.file.as_ref().map_or(1, |file| file.lines.max(1));
        CodePassage { symbol: None, lines: LineSpan { start: 1, end: n_lines } }
    }

    fn of_symbol(symbol: &'a v1::Symbol) -> Option<CodePassage<'a>> {
        Some(CodePassage { symbol: Some(symbol), lines: span(symbol.lines?) })
    }

    fn of_row(row: &'a v1::Row) -> Option<CodePassage<'a>> {
        Some(CodePassage { symbol: row.symbol.as_ref(), lines: span(row.lines?) })
    }

    fn kind(&self) -> Option<SymbolKind> {
        self.symbol.and_then(|symbol| SymbolKind::parse(&symbol.kind))
    }

    fn is_called(&self) -> bool {
        use SymbolKind::*;
        matches!(self.kind(), Some(Function | Method | Constructor | Macro | Rpc))
    }

    fn is_type(&self) -> bool {
        self.kind().is_some_and(SymbolKind::is_type)
    }
}

/// Returns the ranked passages of the ranked files.
pub fn passages<'a>(files: &'a [RankedFile], scale: ScoreScale<'_>) -> Vec<RankedPassage<'a>> {
    let rows = || files.iter().flat_map(|file| &file.found.hit.rows);
    let most_lexical = rows().map(|row| row.lexical).fold(0.0, f32::max);
    let most_cosine = rows().map(|row| row.cosine).fold(0.0, f32::max);
    let names_something = !scale.name_counts.is_empty();
    let score = |file: &RankedFile, passage: &CodePassage<'_>, row: &v1::Row| {
        let share = |part: f32, most: f32| if most > 0.0 { part / most } else { 0.0 };
        let own = share(row.lexical, most_lexical) + COSINE_WEIGHT * share(row.cosine, most_cosine);
        let class = ranking::aggregate::class_factor(super::class(&file.found.hit), scale.kept);
        let is_meant = passage.is_called() || (names_something && passage.is_type());
        (own + FILE_WEIGHT * file.text) * class * if is_meant { 1.0 } else { NOT_CALLED }
    };
    let mut all: Vec<RankedPassage<'a>> = Vec::new();
    for (file_idx, file) in files.iter().enumerate() {
        let hit = &file.found.hit;
        let mut of_file: Vec<RankedPassage<'a>> = hit
            .rows
            .iter()
            .filter_map(|row| Some((row, CodePassage::of_row(row)?)))
            .map(|(row, passage)| RankedPassage {
                file_idx,
                passage,
                relevance: ranking::relevance(row.lexical, scale.total_weight).max(meaning_relevance(row.cosine)),
                text: score(file, &passage, row),
                name: None,
                path: 0.0,
            })
            .collect();
        of_file.sort_by(|a, b| b.text.total_cmp(&a.text));
        keep_relevant(&mut of_file);
        add_named(&mut of_file, file_idx, file);
        if hit.path > 0.0 {
            // A path match means the whole file.
            let text = of_file.iter().map(|passage| passage.text).fold(0.0, f32::max);
            let passage = CodePassage::whole(hit);
            of_file.retain(|passage| passage.passage.symbol.is_some());
            of_file.insert(
                0,
                RankedPassage { file_idx, passage, relevance: file.relevance, text, name: None, path: hit.path },
            );
        }
        of_file.truncate(MAX_PASSAGES_PER_FILE);
        all.extend(of_file);
    }
    in_order(all, files, scale)
}

/// Keeps the relevant ones of the passages of a file, best first; without any, the best one. The rest of a file stays only before its
/// definitions: behind one, the file would be shown twice.
fn keep_relevant(of_file: &mut Vec<RankedPassage<'_>>) {
    let is_relevant = |passage: &RankedPassage<'_>| passage.relevance >= ranking::RELEVANCE_FLOOR;
    match of_file.iter().any(is_relevant) {
        true => of_file.retain(is_relevant),
        false => of_file.truncate(1),
    }
    let mut place = 0..;
    of_file.retain(|passage| place.next() == Some(0) || passage.passage.symbol.is_some());
}

/// Puts the named definition first among the passages of its file. A file without passages is its own passage.
fn add_named<'a>(of_file: &mut Vec<RankedPassage<'a>>, file_idx: usize, file: &'a RankedFile) {
    let hit = &file.found.hit;
    let named = hit.name.as_ref().and_then(|name| Some((name, name.symbol.as_ref()?)));
    if let Some((name, symbol)) = named {
        let is_it = |passage: &RankedPassage<'_>| passage.passage.symbol.is_some_and(|other| other.node == symbol.node);
        let known = of_file.iter().position(is_it).map(|place| of_file.remove(place));
        let passage = CodePassage::of_symbol(symbol);
        let fresh = passage.map(|passage| RankedPassage {
            file_idx,
            passage,
            relevance: 0.0,
            text: 0.0,
            name: None,
            path: 0.0,
        });
        if let Some(mut passage) = known.or(fresh) {
            passage.name = Some(name);
            passage.relevance = passage.relevance.max(name_relevance(name));
            of_file.insert(0, passage);
        }
    }
    if of_file.is_empty() {
        let (passage, relevance) = (CodePassage::of(hit), file.relevance);
        of_file.push(RankedPassage { file_idx, passage, relevance, text: 0.0, name: None, path: hit.path });
    }
}

fn in_order<'a>(all: Vec<RankedPassage<'a>>, files: &[RankedFile], scale: ScoreScale<'_>) -> Vec<RankedPassage<'a>> {
    let by_name =
        |passage: &RankedPassage<'_>| passage.name.and_then(|_| name_order(&files[passage.file_idx].found.hit, scale));
    let lists = [
        (Ranker::Text, list_of(&all, usize::MAX, |passage| descending(passage.text))),
        (Ranker::Symbol, list_of(&all, usize::MAX, by_name)),
        (Ranker::Path, list_of(&all, usize::MAX, |passage| descending(passage.path))),
    ];
    let mut fused = fuse(&lists);
    let is_of_the_words = |passage_idx: usize| files[all[passage_idx].file_idx].is_of_the_words;
    fused.sort_by(|(a_idx, a_sum), (b_idx, b_sum)| {
        let by_words = is_of_the_words(*b_idx).cmp(&is_of_the_words(*a_idx));
        let by_sum = b_sum.total_cmp(a_sum).then(all[*b_idx].text.total_cmp(&all[*a_idx].text));
        // `all` is in the order of files, and within a file in the order of its passages.
        by_words.then(by_sum).then(a_idx.cmp(b_idx))
    });
    fused.into_iter().map(|(passage_idx, _)| all[passage_idx]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_relevant_passages_and_never_loses_all() {
        let symbol = v1::Symbol::default();
        let passage = |(place, (relevance, is_symbol)): (usize, &(f32, bool))| RankedPassage {
            file_idx: 0,
            passage: CodePassage {
                symbol: is_symbol.then_some(&symbol),
                lines: LineSpan { start: place as u32 + 1, end: place as u32 + 1 },
            },
            relevance: *relevance,
            text: 1.0,
            name: None,
            path: 0.0,
        };
        for (passages, kept) in [
            (&[][..], &[][..]),
            (&[(0.0, true), (0.0, false)], &[1]),
            (&[(5.0, true), (4.0, false), (3.0, true)], &[1, 3]),
            (&[(5.0, false), (4.0, true)], &[1, 2]),
            // A word in the rest of a file, and a definition that is only a little alike.
            (&[(0.0, true), (4.0, false)], &[2]),
            (&[(0.0, true), (4.0, false), (3.0, true), (2.0, false)], &[2, 3]),
        ] {
            let mut of_file: Vec<RankedPassage<'_>> = passages.iter().enumerate().map(passage).collect();
            keep_relevant(&mut of_file);
            let lines: Vec<u32> = of_file.iter().map(|passage| passage.passage.lines.start).collect();
            assert_eq!(lines, kept, "{passages:?}");
        }
    }
}
