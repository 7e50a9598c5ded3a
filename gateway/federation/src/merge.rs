//! Merges the hits of all workers into one ranking, independent of how repositories are distributed over workers.

mod pages;
mod passages;
mod relevance;
mod text_score;
mod votes;

use std::{
    cmp::Ordering,
    collections::{HashMap, HashSet},
};

use model::{FileClass, SymbolKind};
use proto::v1;
use ranking::{
    RequestedClasses,
    fusion::{Ranker, fuse},
    name::{NameOrder, NameTier},
};

use crate::{outline::span, repo_idx::RepoIdx};

pub use pages::{FoundPage, ResultItem, file_pages, items};
pub use passages::{CodePassage, RankedPassage, passages};
pub use text_score::ScoredFiles;
pub use votes::FoundMessage;

use relevance::{is_relevant, relevance};
use text_score::is_ranked_by_text;

/// A file that a ranker found.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// Its repository. The directory is in the order of aliases.
    pub repo_idx: RepoIdx,
    /// The hit as its worker sent it.
    pub hit: v1::FileHit,
}

/// The ranked files.
#[derive(Debug, Clone)]
pub struct FileRanking {
    /// Best first; files with identical content are one entry.
    pub files: Vec<RankedFile>,
    /// True if the list of a ranker reached its limit, so that there may be more files.
    pub is_capped: bool,
}

/// A ranked file.
#[derive(Debug, Clone)]
pub struct RankedFile {
    /// The best-ranked of the files with its content.
    pub found: FoundFile,
    /// Its text score relative to the best file.
    pub text: f32,
    /// 0 to 10, comparable between queries and repositories.
    pub relevance: f32,
    /// True if a word of the query occurs in its repository; false if only vectors matched.
    pub is_of_the_words: bool,
    /// Other files with identical content.
    pub also_in: Vec<(RepoIdx, String)>,
}

/// The scale of the scores of one search.
#[derive(Debug, Clone, Copy)]
pub struct ScoreScale<'a> {
    /// The weight of all terms together.
    pub total_weight: f32,
    /// Definitions by the name of each identifier, over all repositories.
    pub name_counts: &'a [u64],
    /// File classes that the query asks for, which are not demoted.
    pub kept: RequestedClasses,
    /// Length of each ranker's list: every worker sends that many.
    pub depth: usize,
    /// The newest commit of all repositories, in seconds since the epoch.
    pub newest: i64,
    /// True if cosines of rows and of messages are of one model, so that they can be compared.
    pub rows_compare_with_messages: bool,
}

/// Ranks the files: builds each ranker's list over all repositories, then fuses the lists.
pub fn merge(scored: ScoredFiles, scale: ScoreScale<'_>) -> FileRanking {
    let ScoredFiles { found, text } = scored;
    let lists = [
        (Ranker::Text, list_of(&text, usize::MAX, |score| descending(*score))),
        (Ranker::Symbol, list(&found, scale.depth, |hit| name_order(hit, scale))),
        (Ranker::Path, list(&found, scale.depth, |hit| descending(hit.path))),
    ];
    let is_capped = is_capped(&found, scale);
    let by_place = lists[1..].iter().flat_map(|(_, list)| list.iter().flatten().copied());
    let with_words: HashSet<RepoIdx> =
        by_place.chain(found_by_words(&found, scale)).map(|found_idx| found[found_idx].repo_idx).collect();
    let is_of_the_words: Vec<bool> = found.iter().map(|found| with_words.contains(&found.repo_idx)).collect();
    let mut fused = fuse(&lists);
    fused.sort_by(|(a_idx, a_sum), (b_idx, b_sum)| {
        let by_words = is_of_the_words[*b_idx].cmp(&is_of_the_words[*a_idx]);
        let by_sum = b_sum.total_cmp(a_sum).then(text[*b_idx].total_cmp(&text[*a_idx]));
        // `found` is in the order of alias and path.
        by_words.then(by_sum).then(a_idx.cmp(b_idx))
    });
    let mut found: Vec<Option<FoundFile>> = found.into_iter().map(Some).collect();
    let in_order = fused.into_iter().filter_map(|(hit_idx, _)| Some((hit_idx, found[hit_idx].take()?)));
    let ranked = in_order.map(|(hit_idx, found)| {
        let relevance = relevance(&found.hit, scale.total_weight);
        let is_of_the_words = is_of_the_words[hit_idx];
        RankedFile { found, text: text[hit_idx], relevance, is_of_the_words, also_in: Vec::new() }
    });
    FileRanking { files: collapse(ranked.filter(is_relevant)), is_capped }
}

/// Returns the files that contain a word of the query, in their text or in a commit message. A repository without such a file
/// never outranks one with it.
fn found_by_words(found: &[FoundFile], scale: ScoreScale<'_>) -> impl Iterator<Item = usize> {
    let taking_part = is_ranked_by_text(found, scale).into_iter().zip(found).enumerate();
    let has_words = |hit: &v1::FileHit| hit.lexical > 0.0 || hit.history > 0.0;
    taking_part
        .filter(move |(_, (takes_part, found))| *takes_part && has_words(&found.hit))
        .map(|(found_idx, _)| found_idx)
}

fn is_capped(found: &[FoundFile], scale: ScoreScale<'_>) -> bool {
    let is_full = |is_in: fn(&v1::FileHit) -> bool| found.iter().filter(|f| is_in(&f.hit)).count() >= scale.depth;
    is_full(|hit| hit.lexical > 0.0) || is_full(|hit| hit.name.is_some()) || is_full(|hit| hit.path > 0.0)
}

/// Returns the indices of the items that have a key, best first and at most `depth`; ties share an entry.
fn list_of<T, K: PartialOrd>(items: &[T], depth: usize, key: impl Fn(&T) -> Option<K>) -> Vec<Vec<usize>> {
    let mut keyed: Vec<(K, usize)> =
        items.iter().enumerate().filter_map(|(item_idx, item)| Some((key(item)?, item_idx))).collect();
    // Stable, so that ties keep the order of the items.
    keyed.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    keyed.truncate(depth);
    let ties = keyed.chunk_by(|(a, _), (b, _)| a == b);
    ties.map(|tied| tied.iter().map(|(_, item_idx)| *item_idx).collect()).collect()
}

fn list<K: PartialOrd>(found: &[FoundFile], depth: usize, key: impl Fn(&v1::FileHit) -> Option<K>) -> Vec<Vec<usize>> {
    list_of(found, depth, |found| key(&found.hit))
}

/// Returns a sort key that puts higher scores first; `None` for a score of 0.
fn descending(score: f32) -> Option<f32> {
    (score > 0.0).then_some(-score)
}

fn name_order(hit: &v1::FileHit, scale: ScoreScale<'_>) -> Option<NameOrder> {
    let name = hit.name.as_ref()?;
    let count = scale.name_counts.get(name.identifier as usize).copied().unwrap_or(u64::MAX);
    let symbol = name.symbol.as_ref().and_then(|symbol| {
        let n_lines = symbol.lines.map_or(0, |lines| span(lines).len());
        Some((SymbolKind::parse(&symbol.kind)?, n_lines))
    });
    Some(NameOrder::new(tier(name.tier())?, count, symbol, class(hit), scale.kept))
}

fn tier(tier: v1::NameTier) -> Option<NameTier> {
    match tier {
        v1::NameTier::Exact => Some(NameTier::Exact),
        v1::NameTier::Folded => Some(NameTier::Folded),
        v1::NameTier::Prefix => Some(NameTier::Prefix),
        v1::NameTier::SubWord => Some(NameTier::SubWord),
        v1::NameTier::Fuzzy => Some(NameTier::Fuzzy),
        v1::NameTier::Unspecified => None,
    }
}

fn class(hit: &v1::FileHit) -> FileClass {
    hit.file.as_ref().map_or(FileClass::Source, |file| file.class().into())
}

/// Collapses files with identical content into the best one, which lists the others.
fn collapse(ranked: impl Iterator<Item = RankedFile>) -> Vec<RankedFile> {
    let mut kept: Vec<RankedFile> = Vec::new();
    let mut by_blob: HashMap<String, usize> = HashMap::new();
    for candidate in ranked {
        let file = candidate.found.hit.file.as_ref().expect("replies without files were refused");
        let blob = file.blob.clone();
        match by_blob.get(&blob).filter(|_| !blob.is_empty()) {
            Some(kept_idx) => kept[*kept_idx].also_in.push((candidate.found.repo_idx, file.path.clone())),
            None => {
                by_blob.insert(blob, kept.len());
                kept.push(candidate);
            }
        }
    }
    kept.iter_mut().for_each(|ranked| ranked.also_in.sort());
    kept
}

fn by_place(a: &FoundFile, b: &FoundFile) -> Ordering {
    a.repo_idx.cmp(&b.repo_idx).then_with(|| path(a).cmp(path(b)))
}

fn path(found: &FoundFile) -> &str {
    found.hit.file.as_ref().map_or("", |file| file.path.as_str())
}

#[cfg(test)]
mod tests;
