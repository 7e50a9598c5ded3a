//! Merges the hits of all workers into one ranking, independent of how repositories are distributed over workers.

mod pages;
mod passages;
mod votes;

use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap, HashSet},
};

use model::{FileClass, SymbolKind};
use proto::v1;
use ranking::{
    RequestedClasses,
    aggregate::class_factor,
    blend::{Components, Maxima, N_FINALISTS, reranked_score},
    fusion::{Ranker, fuse},
    name::{NameOrder, NameTier},
};

use crate::{outline::span, repo_idx::RepoIdx};

pub use pages::{FoundPage, ResultItem, file_pages, items};
pub use passages::{CodePassage, RankedPassage, passages};
pub use votes::FoundMessage;

/// Score bonus of recently changed files: it breaks near ties only. Files of the last 30 days get all of it, of the last 90 days
/// half.
const FRESHNESS: f32 = 0.02;
const FRESH_SECONDS: i64 = 30 * 24 * 3600;
const RECENT_SECONDS: i64 = 90 * 24 * 3600;

/// Cosine up to which a match is noise: the nearest of 57,000 rows to questions about no code had a median of .31 and never
/// exceeded this.
const COSINE_FLOOR: f32 = 0.44;

/// Cosine that counts as a full match: the median between descriptive names and the code that they name.
const COSINE_CEILING: f32 = 0.86;

/// Minimum relevance of hits that only the vector ranker found.
const MEANING_FLOOR: f32 = 1.0;

/// A file that a ranker found.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// Its repository. The directory is in the order of aliases.
    pub repo_idx: RepoIdx,
    pub hit: v1::FileHit,
}

/// The ranked files.
#[derive(Debug, Clone)]
pub struct FileRanking {
    pub files: Vec<RankedFile>,
    /// Whether the list of a ranker reached its limit, so that there may be more files.
    pub is_capped: bool,
}

/// A ranked file.
#[derive(Debug, Clone)]
pub struct RankedFile {
    pub found: FoundFile,
    /// Its text score relative to the best file.
    pub text: f32,
    /// 0 to 10, comparable between queries and repositories.
    pub relevance: f32,
    /// Whether a word of the query occurs in its repository; false if only vectors matched.
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
    /// Whether cosines of rows and of messages are of one model.
    pub rows_compare_with_messages: bool,
}

/// Files in the order of repository and path, with their text scores.
#[derive(Debug, Clone)]
pub struct ScoredFiles {
    found: Vec<FoundFile>,
    text: Vec<f32>,
}

impl ScoredFiles {
    pub fn new(mut found: Vec<FoundFile>, said: &[FoundMessage], scale: ScoreScale<'_>) -> ScoredFiles {
        found.sort_unstable_by(by_place);
        let text = text_scores(&found, said, scale);
        ScoredFiles { found, text }
    }

    /// Returns the leading files by text score.
    pub fn finalists(&self) -> Vec<&FoundFile> {
        self.leading().into_iter().map(|found_idx| &self.found[found_idx]).collect()
    }

    /// Returns the files with scores that take into account how much of the query the leading ones say, by repository and path.
    /// Returns them as they are, as an error, if one of the leading files was not compared: nothing is made of the others then.
    pub fn rerank(
        self,
        nearness: &BTreeMap<(RepoIdx, String), f32>,
        scale: ScoreScale<'_>,
    ) -> Result<ScoredFiles, ScoredFiles> {
        let leading = self.leading();
        let near = |found_idx: &usize| {
            let found = &self.found[*found_idx];
            let near = nearness.get(&(found.repo_idx, path(found).to_owned())).copied()?;
            Some(near * class_factor(class(&found.hit), scale.kept))
        };
        let Some(near) = leading.iter().map(near).collect::<Option<Vec<f32>>>() else { return Err(self) };
        let most = near.iter().copied().fold(0.0, f32::max);
        let mut text = self.text.clone();
        for (found_idx, near) in leading.into_iter().zip(near) {
            text[found_idx] = reranked_score(text[found_idx], near, most);
        }
        Ok(ScoredFiles { found: self.found, text })
    }

    /// Returns the leading files without duplicate content.
    fn leading(&self) -> Vec<usize> {
        let mut blobs: HashSet<&str> = HashSet::new();
        let mut leading = list_of(&self.text, usize::MAX, |score| descending(*score)).concat();
        leading.retain(|found_idx| {
            let blob = self.found[*found_idx].hit.file.as_ref().map_or("", |file| file.blob.as_str());
            blobs.len() < N_FINALISTS && (blob.is_empty() || blobs.insert(blob))
        });
        leading.truncate(N_FINALISTS);
        leading
    }
}

/// Ranks the files: builds each ranker's list over all repositories, then fuses the lists.
pub fn merge(scored: ScoredFiles, scale: ScoreScale<'_>) -> FileRanking {
    let ScoredFiles { found, text } = scored;
    let lists = [
        (Ranker::Text, list_of(&text, usize::MAX, |score| descending(*score))),
        (Ranker::Symbol, list(&found, scale.depth, by_name(found.iter().map(|found| &found.hit), scale))),
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

/// Returns the files that have any word of the query, in their text or in a message: a repository without one never outranks
/// theirs, however near its meaning.
fn found_by_words(found: &[FoundFile], scale: ScoreScale<'_>) -> impl Iterator<Item = usize> {
    let taking_part = is_ranked_by_text(found, scale).into_iter().zip(found).enumerate();
    let has_words = |hit: &v1::FileHit| hit.lexical > 0.0 || hit.history > 0.0;
    taking_part
        .filter(move |(_, (takes_part, found))| *takes_part && has_words(&found.hit))
        .map(|(found_idx, _)| found_idx)
}

/// Says of each file whether it is among the best by terms or by meaning: others are here for their name or path, and how
/// many of them there are depends on the workers.
fn is_ranked_by_text(found: &[FoundFile], scale: ScoreScale<'_>) -> Vec<bool> {
    let mut takes_part = vec![false; found.len()];
    for key in [|hit: &v1::FileHit| hit.lexical, |hit: &v1::FileHit| hit.cosine] {
        for found_idx in list(found, scale.depth, |hit| descending(key(hit))).into_iter().flatten() {
            takes_part[found_idx] = true;
        }
    }
    takes_part
}

/// Returns how well each file matches by text: its terms, its meaning, its messages and the votes of those near to the query, each
/// beside the best of all.
fn text_scores(found: &[FoundFile], said: &[FoundMessage], scale: ScoreScale<'_>) -> Vec<f32> {
    let takes_part = is_ranked_by_text(found, scale);
    let components = found.iter().zip(votes::votes(found, said, scale)).map(|(FoundFile { hit, .. }, votes)| {
        Components { lexical: hit.lexical, cosine: hit.cosine, history: hit.history, votes }
    });
    let components: Vec<Components> = components.collect();
    let taking_part = components.iter().zip(&takes_part).filter(|(_, takes_part)| **takes_part);
    let maxima = Maxima::of(taking_part.map(|(components, _)| *components), |nearest_row| {
        votes::trust_in(said, nearest_row, scale)
    });
    let score = |(found_idx, components): (usize, Components)| {
        let fresh = 1.0 + FRESHNESS * freshness(found[found_idx].hit.changed_at, scale.newest);
        if takes_part[found_idx] { maxima.blend(components) * fresh } else { 0.0 }
    };
    components.into_iter().enumerate().map(score).collect()
}

/// Returns the freshness of a file, from 0 to 1, relative to the newest commit and not to the clock.
fn freshness(changed_at: i64, newest: i64) -> f32 {
    let age = newest.saturating_sub(changed_at);
    if changed_at == 0 || age > RECENT_SECONDS {
        0.0
    } else if age > FRESH_SECONDS {
        0.5
    } else {
        1.0
    }
}

fn is_capped(found: &[FoundFile], scale: ScoreScale<'_>) -> bool {
    let is_full = |is_in: fn(&v1::FileHit) -> bool| found.iter().filter(|f| is_in(&f.hit)).count() >= scale.depth;
    is_full(|hit| hit.lexical > 0.0) || is_full(|hit| hit.name.is_some()) || is_full(|hit| hit.path > 0.0)
}

/// Returns the places of the items that have a key, best first, those that tie together, no deeper than `depth`.
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

/// Returns a key that puts higher scores first, and nothing for no score.
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

/// Returns what hits are ordered by that were found by name: tests and examples come after everything else where code of its own
/// has that very name.
fn by_name<'a>(
    hits: impl Iterator<Item = &'a v1::FileHit>,
    scale: ScoreScale<'_>,
) -> impl Fn(&v1::FileHit) -> Option<(bool, NameOrder)> {
    let is_there = hits.filter_map(|hit| name_order(hit, scale)).any(|order| order.is_definition());
    move |hit| name_order(hit, scale).map(|order| (is_there && order.is_demoted(), order))
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

/// Returns the relevance of a hit: that of its best match.
fn relevance(hit: &v1::FileHit, total_weight: f32) -> f32 {
    let by_text = if hit.best_row > 0.0 { ranking::relevance(hit.best_row, total_weight) } else { 0.0 };
    let by_name = hit.name.as_ref().map_or(0.0, name_relevance);
    // The score of a path is above 1 for a match of its end in whole components, and 2 for all of it.
    let by_path = hit.path.min(2.0) * 3.0;
    by_text.max(by_name).max(by_path).max(meaning_relevance(hit.cosine)).clamp(0.0, 10.0)
}

/// Returns the relevance of a name match, on the scale of a row that contains a corresponding share of the query.
fn name_relevance(name: &v1::NameMatch) -> f32 {
    match name.tier() {
        v1::NameTier::Exact => 6.0,
        v1::NameTier::Folded => 5.0,
        v1::NameTier::Prefix => 3.0,
        v1::NameTier::SubWord => 2.0,
        v1::NameTier::Fuzzy => 1.0,
        v1::NameTier::Unspecified => 0.0,
    }
}

/// Returns the relevance of a cosine.
fn meaning_relevance(cosine: f32) -> f32 {
    10.0 * ((cosine - COSINE_FLOOR) / (COSINE_CEILING - COSINE_FLOOR)).clamp(0.0, 1.0)
}

fn is_relevant(ranked: &RankedFile) -> bool {
    let hit = &ranked.found.hit;
    let floor = if hit.lexical > 0.0 { ranking::RELEVANCE_FLOOR } else { MEANING_FLOOR };
    ranked.relevance >= floor || hit.name.is_some() || hit.path > 0.0
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ranking::votes::N_VOTING;

    const SCALE: ScoreScale<'_> = ScoreScale {
        total_weight: 10.0,
        name_counts: &[3, 1],
        kept: RequestedClasses { tests: false, docs: false, config: false },
        depth: 100,
        newest: 0,
        rows_compare_with_messages: true,
    };

    fn found(repo_idx: usize, path: &str, lexical: f32) -> FoundFile {
        let file = v1::File { path: path.to_owned(), blob: format!("{repo_idx}{path}"), ..Default::default() };
        FoundFile {
            repo_idx: RepoIdx(repo_idx),
            hit: v1::FileHit { file: Some(file), lexical, best_row: lexical, ..Default::default() },
        }
    }

    fn named(mut found: FoundFile, tier: v1::NameTier, identifier: u32, kind: SymbolKind) -> FoundFile {
        let symbol = v1::Symbol { kind: kind.name().to_owned(), ..Default::default() };
        found.hit.name = Some(v1::NameMatch { identifier, tier: tier.into(), symbol: Some(symbol) });
        found
    }

    fn of_class(mut found: FoundFile, class: FileClass) -> FoundFile {
        found.hit.file.as_mut().unwrap().class = v1::FileClass::from(class).into();
        found
    }

    fn check(found: Vec<FoundFile>, expected: &str) {
        let merged = merge(ScoredFiles::new(found, &[], SCALE), SCALE).files;
        let paths: Vec<&str> = merged.iter().map(|ranked| path(&ranked.found)).collect();
        assert_eq!(paths.join(" "), expected);
    }

    #[test]
    fn scores_decide_not_ranks_inside_a_repository() {
        check(vec![found(0, "a", 1.0), found(0, "b", 0.9), found(1, "c", 3.0), found(1, "d", 2.0)], "c d a b");
    }

    #[test]
    fn ties_end_in_alias_and_path() {
        check(vec![found(1, "a", 1.0), found(0, "z", 1.0), found(0, "b", 1.0)], "b z a");
    }

    #[test]
    fn names_are_ordered_by_tier_rarity_kind_and_class() {
        use v1::NameTier::*;
        let hits = vec![
            named(found(0, "fuzzy", 0.0), Fuzzy, 1, SymbolKind::Class),
            named(found(0, "field", 0.0), Exact, 1, SymbolKind::Field),
            of_class(named(found(0, "a-test", 0.0), Exact, 1, SymbolKind::Class), FileClass::Test),
            named(found(0, "class", 0.0), Exact, 1, SymbolKind::Class),
            named(found(0, "common", 0.0), Exact, 0, SymbolKind::Class),
            named(found(0, "method", 0.0), Exact, 1, SymbolKind::Method),
            named(found(0, "folded", 0.0), Folded, 1, SymbolKind::Class),
        ];
        check(hits, "class method field common folded fuzzy a-test");
    }

    #[test]
    fn what_is_hardly_relevant_is_left_out() {
        let mut by_path = found(0, "b", 0.0);
        by_path.hit.path = 0.001;
        check(vec![found(0, "a", 0.1), by_path, found(0, "c", 1.0)], "b c");
    }

    #[test]
    fn a_repository_without_the_words_comes_after_those_with_them() {
        let near = |mut found: FoundFile, cosine: f32| {
            found.hit.cosine = cosine;
            found
        };
        let by_meaning = near(found(0, "near", 0.0), 0.9);
        let strong = found(1, "strong", 3.0);
        check(vec![by_meaning.clone(), strong.clone(), found(2, "weak", 0.9)], "strong weak near");
        // Its own repository has the words elsewhere.
        check(vec![by_meaning, strong, found(0, "weak", 0.9)], "strong near weak");
    }

    #[test]
    fn copies_collapse_to_the_best() {
        let copy_of = |mut found: FoundFile, blob: &str| {
            found.hit.file.as_mut().unwrap().blob = blob.to_owned();
            found
        };
        let copies =
            vec![copy_of(found(0, "a", 1.0), "x"), copy_of(found(1, "b", 2.0), "x"), copy_of(found(2, "c", 2.0), "x")];
        let merged = merge(ScoredFiles::new(copies, &[], SCALE), SCALE).files;
        assert_eq!(merged.len(), 1);
        assert_eq!(path(&merged[0].found), "b");
        assert_eq!(merged[0].also_in, [(RepoIdx(0), "a".to_owned()), (RepoIdx(2), "c".to_owned())]);
    }

    #[test]
    fn a_list_that_is_full_may_not_be_all() {
        let of = |n_files: usize| {
            merge(ScoredFiles::new((0..n_files).map(|n| found(n, "a", 1.0)).collect(), &[], SCALE), SCALE).is_capped
        };
        assert_eq!((of(SCALE.depth - 1), of(SCALE.depth), of(SCALE.depth + 1)), (false, true, true));
    }

    fn any_found() -> impl Strategy<Value = FoundFile> {
        let score = prop_oneof![Just(0.0f32), Just(1.0), 0.0f32..9.0];
        let scores = (score.clone(), 0.0f32..1.0, score.clone());
        let name = proptest::option::of((1i32..=5, 0u32..2));
        (0usize..6, 0u8..40, scores, score, name, 0u8..8).prop_map(
            |(repo_idx, path, (lexical, cosine, history), path_score, name, blob)| {
                let mut found = found(repo_idx, &format!("p{path}"), lexical);
                found.hit.cosine = cosine;
                found.hit.history = history;
                found.hit.path = path_score;
                found.hit.file.as_mut().unwrap().blob = format!("{repo_idx}-{path}-{}", blob % 2);
                found.hit.name = name.map(|(tier, identifier)| v1::NameMatch { tier, identifier, symbol: None });
                found
            },
        )
    }

    /// Messages near to the query, in the order in which one worker that holds everything tells them.
    fn any_said() -> impl Strategy<Value = Vec<FoundMessage>> {
        let paths = proptest::collection::vec("[a-c]", 0..3);
        let one = (0usize..6, (1u32..5).prop_map(|cosine| cosine as f32 / 4.0), 1u32..9, paths);
        proptest::collection::vec(one, 0..40).prop_map(|said| {
            let said = said.into_iter().map(|(repo_idx, cosine, files, paths)| FoundMessage {
                repo_idx: RepoIdx(repo_idx),
                hit: v1::MessageHit { cosine, files, paths, ..Default::default() },
            });
            nearest_first(said.collect())
        })
    }

    fn nearest_first(mut said: Vec<FoundMessage>) -> Vec<FoundMessage> {
        said.sort_by(|a, b| b.hit.cosine.total_cmp(&a.hit.cosine).then(a.repo_idx.cmp(&b.repo_idx)));
        said.truncate(N_VOTING);
        said
    }

    #[test]
    fn of_those_that_lead_the_one_that_says_most_wins() {
        let files: Vec<FoundFile> = (0..N_FINALISTS + 1).map(|n| found(n, "a", 2.0 - n as f32 / 100.0)).collect();
        let scored = ScoredFiles::new(files, &[], SCALE);
        assert_eq!(
            scored.finalists().iter().map(|found| found.repo_idx.0).collect::<Vec<_>>(),
            (0..15).collect::<Vec<_>>()
        );
        let near = |repo_idx: usize, nearness: f32| ((RepoIdx(repo_idx), "a".to_owned()), nearness);
        let mut known: BTreeMap<_, _> = (0..N_FINALISTS).map(|repo_idx| near(repo_idx, 0.0)).collect();
        known.extend([near(0, 0.1), near(3, 0.9), near(15, 1.0)]);
        let lacking = known.clone().into_iter().skip(1).collect();
        let scored = scored.rerank(&lacking, SCALE).expect_err("one is not known");
        let scored = scored.rerank(&known, SCALE).expect("all are known");
        let merged = merge(scored, SCALE).files;
        let order: Vec<usize> = merged.iter().map(|ranked| ranked.found.repo_idx.0).collect();
        assert_eq!((&order[..3], order[15]), (&[3, 0, 1][..], 15));
    }

    #[test]
    fn what_was_said_before_votes_for_what_it_touched() {
        let files = || vec![found(0, "a", 1.0), found(0, "b", 1.0), found(1, "a", 1.0)];
        let said = |repo_idx: usize, cosine: f32, path: &str| FoundMessage {
            repo_idx: RepoIdx(repo_idx),
            hit: v1::MessageHit { cosine, files: 1, paths: vec![path.to_owned()], ..Default::default() },
        };
        for (said, expected) in [
            (vec![], "0a 0b 1a"),
            (vec![said(0, 0.6, "b")], "0b 0a 1a"),
            (vec![said(0, 0.5, "b"), said(1, 0.6, "a")], "1a 0b 0a"),
            (vec![said(1, 0.6, "b"), said(2, 0.7, "a")], "0a 0b 1a"),
        ] {
            let merged = merge(ScoredFiles::new(files(), &said, SCALE), SCALE).files;
            let name = |ranked: &RankedFile| format!("{}{}", ranked.found.repo_idx.0, path(&ranked.found));
            assert_eq!(merged.iter().map(name).collect::<Vec<_>>().join(" "), expected);
        }
    }

    proptest! {
        #[test]
        fn the_order_of_replies_does_not_matter(
            (hits, shuffled) in proptest::collection::vec(any_found(), 0..60).prop_map(|mut hits| {
                hits.sort_by(by_place);
                hits.dedup_by(|a, b| by_place(a, b) == Ordering::Equal);
                hits
            }).prop_flat_map(|hits| (Just(hits.clone()), Just(hits).prop_shuffle())),
            said in any_said(),
            depth in 1usize..30,
        ) {
            let scale = ScoreScale { depth, ..SCALE };
            let by_repository = |repo_idx: usize| said.iter().filter(move |said| said.repo_idx.0 == repo_idx).cloned();
            let reordered: Vec<FoundMessage> = (0..6).rev().flat_map(by_repository).collect();
            prop_assert_eq!(
                format!("{:?}", merge(ScoredFiles::new(hits, &said, scale), scale)),
                format!("{:?}", merge(ScoredFiles::new(shuffled, &reordered, scale), scale))
            );
        }

        #[test]
        fn what_workers_cut_off_changes_nothing(
            hits in proptest::collection::vec(any_found(), 0..60),
            said in any_said(),
            depth in 1usize..10,
        ) {
            let mut hits = hits;
            hits.sort_by(by_place);
            hits.dedup_by(|a, b| by_place(a, b) == Ordering::Equal);
            let scale = ScoreScale { depth, ..SCALE };
            let whole = merge(ScoredFiles::new(hits.clone(), &said, scale), scale);
            // Each worker sends the union of its best of each ranker; here one worker per repository.
            let mut sent: Vec<FoundFile> = Vec::new();
            for repo_idx in 0..6 {
                let own: Vec<FoundFile> = hits.iter().filter(|found| found.repo_idx.0 == repo_idx).cloned().collect();
                let mut kept: Vec<usize> = list(&own, depth, |hit| descending(hit.lexical)).concat();
                kept.extend(list(&own, depth, |hit| name_order(hit, scale)).concat());
                kept.extend(list(&own, depth, |hit| descending(hit.path)).concat());
                kept.extend(list(&own, depth, |hit| descending(hit.cosine)).concat());
                kept.sort_unstable();
                kept.dedup();
                sent.extend(kept.into_iter().map(|own_idx| own[own_idx].clone()));
            }
            prop_assert_eq!(format!("{whole:?}"), format!("{:?}", merge(ScoredFiles::new(sent, &said, scale), scale)));
        }
    }
}
