//! The places within ranked files that an answer shows: definitions, or the rest of a file, each in its own right.
//!
//! Files are ranked first, and a place counts by itself and by its file. What was named leads, as it does among files.

use model::{LineSpan, SymbolKind};
use proto::v1;
use ranking::fusion::{Ranker, fuse};

use crate::tools::filters::span;

use super::{Ranked, Scale, by_name, descending, list_of, meaning_relevance, name_relevance};

/// What its nearest meaning counts for a place beside its best match of terms: more than for a file, measured on the
/// functions that comments describe.
const COSINE_WEIGHT: f32 = 0.8;

/// What the score of its file counts.
const FILE_WEIGHT: f32 = 1.0;

/// What types, the rest of a file and chunks are worth beside what is called: a question is mostly about something that is
/// done. Who writes no more than a name may as well mean a type.
const NOT_CALLED: f32 = 0.7;

/// Places of one file at most: beyond a few, the file as a whole is the answer.
const MAX_SPOTS_PER_FILE: usize = 4;

/// A place in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    /// Unset for the rest of a file.
    pub(crate) symbol: Option<&'a v1::Symbol>,
    pub(crate) lines: LineSpan,
}

/// A place in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpotRank<'a> {
    /// Its file's place among the ranked files.
    pub(crate) file_idx: usize,
    pub(crate) spot: Spot<'a>,
    /// 0 to 10, comparable between queries and repositories.
    pub(crate) relevance: f32,
    text: f32,
    name: Option<&'a v1::NameMatch>,
    path: f32,
}

impl<'a> Spot<'a> {
    /// Returns what stands for a file: the definition that was named, or its best row.
    pub(crate) fn of(hit: &'a v1::FileHit) -> Spot<'a> {
        let named = hit.name.as_ref();
        let is_exact = named.is_some_and(|name| matches!(name.tier(), v1::NameTier::Exact | v1::NameTier::Folded));
        let by_name = named.and_then(|name| name.symbol.as_ref()).and_then(Spot::of_symbol);
        // The first of those that tie.
        let best = hit.rows.iter().rev().max_by(|a, b| {
            (a.lexical, a.cosine).partial_cmp(&(b.lexical, b.cosine)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let by_text = best.and_then(Spot::of_row);
        let chosen = if is_exact { by_name.or(by_text) } else { by_text.or(by_name) };
        chosen.unwrap_or(Spot::whole(hit))
    }

    fn whole(hit: &v1::FileHit) -> Spot<'a> {
        let n_lines = hit.file.as_ref().map_or(1, |file| file.lines.max(1));
        Spot { symbol: None, lines: LineSpan { start: 1, end: n_lines } }
    }

    fn of_symbol(symbol: &'a v1::Symbol) -> Option<Spot<'a>> {
        Some(Spot { symbol: Some(symbol), lines: span(symbol.lines?) })
    }

    fn of_row(row: &'a v1::Row) -> Option<Spot<'a>> {
        Some(Spot { symbol: row.symbol.as_ref(), lines: span(row.lines?) })
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

/// Returns the places of the ranked files in order.
pub(crate) fn spots<'a>(files: &'a [Ranked], scale: Scale<'_>) -> Vec<SpotRank<'a>> {
    let rows = || files.iter().flat_map(|file| &file.found.hit.rows);
    let most_lexical = rows().map(|row| row.lexical).fold(0.0, f32::max);
    let most_cosine = rows().map(|row| row.cosine).fold(0.0, f32::max);
    let names_something = !scale.name_counts.is_empty();
    let score = |file: &Ranked, spot: &Spot<'_>, row: &v1::Row| {
        let share = |part: f32, most: f32| if most > 0.0 { part / most } else { 0.0 };
        let own = share(row.lexical, most_lexical) + COSINE_WEIGHT * share(row.cosine, most_cosine);
        let class = ranking::aggregate::class_factor(super::class(&file.found.hit), scale.kept);
        let is_meant = spot.is_called() || (names_something && spot.is_type());
        (own + FILE_WEIGHT * file.text) * class * if is_meant { 1.0 } else { NOT_CALLED }
    };
    let mut all: Vec<SpotRank<'a>> = Vec::new();
    for (file_idx, file) in files.iter().enumerate() {
        let hit = &file.found.hit;
        let mut of_file: Vec<SpotRank<'a>> = hit
            .rows
            .iter()
            .filter_map(|row| Some((row, Spot::of_row(row)?)))
            .map(|(row, spot)| SpotRank {
                file_idx,
                spot,
                relevance: ranking::relevance(row.lexical, scale.total_weight).max(meaning_relevance(row.cosine)),
                text: score(file, &spot, row),
                name: None,
                path: 0.0,
            })
            .collect();
        of_file.sort_by(|a, b| b.text.total_cmp(&a.text));
        // The rest of a file beside a definition in it would be the file twice.
        let mut place = 0..;
        let has_relevant = of_file.iter().any(|spot| spot.relevance >= ranking::RELEVANCE_FLOOR);
        of_file.retain(|spot| {
            let is_relevant = spot.relevance >= ranking::RELEVANCE_FLOOR;
            let is_first = place.next() == Some(0);
            (is_first && !has_relevant) || (is_relevant && (is_first || spot.spot.symbol.is_some()))
        });
        add_named(&mut of_file, file_idx, file);
        if hit.path > 0.0 {
            // A path means the file, whatever stands in it.
            let text = of_file.iter().map(|spot| spot.text).fold(0.0, f32::max);
            let spot = Spot::whole(hit);
            of_file.retain(|spot| spot.spot.symbol.is_some());
            of_file.insert(0, SpotRank { file_idx, spot, relevance: file.relevance, text, name: None, path: hit.path });
        }
        of_file.truncate(MAX_SPOTS_PER_FILE);
        all.extend(of_file);
    }
    in_order(all, files, scale)
}

/// Puts the definition that was named at the head of the places of its file; if there are none, the file itself.
fn add_named<'a>(of_file: &mut Vec<SpotRank<'a>>, file_idx: usize, file: &'a Ranked) {
    let hit = &file.found.hit;
    let named = hit.name.as_ref().and_then(|name| Some((name, name.symbol.as_ref()?)));
    if let Some((name, symbol)) = named {
        let is_it = |spot: &SpotRank<'_>| spot.spot.symbol.is_some_and(|other| other.node == symbol.node);
        let known = of_file.iter().position(is_it).map(|place| of_file.remove(place));
        let spot = Spot::of_symbol(symbol);
        let fresh = spot.map(|spot| SpotRank { file_idx, spot, relevance: 0.0, text: 0.0, name: None, path: 0.0 });
        if let Some(mut spot) = known.or(fresh) {
            spot.name = Some(name);
            spot.relevance = spot.relevance.max(name_relevance(name));
            of_file.insert(0, spot);
        }
    }
    if of_file.is_empty() {
        let (spot, relevance) = (Spot::of(hit), file.relevance);
        of_file.push(SpotRank { file_idx, spot, relevance, text: 0.0, name: None, path: hit.path });
    }
}

fn in_order<'a>(all: Vec<SpotRank<'a>>, files: &[Ranked], scale: Scale<'_>) -> Vec<SpotRank<'a>> {
    let order = by_name(files.iter().map(|file| &file.found.hit), scale);
    let by_name = |spot: &SpotRank<'_>| spot.name.and_then(|_| order(&files[spot.file_idx].found.hit));
    let lists = [
        (Ranker::Text, list_of(&all, usize::MAX, |spot| descending(spot.text))),
        (Ranker::Symbol, list_of(&all, usize::MAX, by_name)),
        (Ranker::Path, list_of(&all, usize::MAX, |spot| descending(spot.path))),
    ];
    let mut fused = fuse(&lists);
    let is_of_the_words = |spot_idx: usize| files[all[spot_idx].file_idx].is_of_the_words;
    fused.sort_by(|(a_idx, a_sum), (b_idx, b_sum)| {
        let by_words = is_of_the_words(*b_idx).cmp(&is_of_the_words(*a_idx));
        let by_sum = b_sum.total_cmp(a_sum).then(all[*b_idx].text.total_cmp(&all[*a_idx].text));
        // `all` is in the order of files, and within one of their places.
        by_words.then(by_sum).then(a_idx.cmp(b_idx))
    });
    fused.into_iter().map(|(spot_idx, _)| all[spot_idx]).collect()
}
