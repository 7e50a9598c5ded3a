//! The text score of a file: its terms, its meaning, its messages and the votes of messages near the query, blended over all
//! repositories.

use std::collections::{BTreeMap, HashSet};

use proto::v1;
use ranking::{
    aggregate::class_factor,
    blend::{Components, Maxima, N_FINALISTS, reranked_score},
};

use super::{FoundFile, FoundMessage, ScoreScale, by_place, class, descending, list, list_of, path, votes};
use crate::repo_idx::RepoIdx;

/// Score bonus of recently changed files: it breaks near ties only. Files of the last 30 days get all of it, of the last 90 days
/// half.
const FRESHNESS: f32 = 0.02;
const FRESH_SECONDS: i64 = 30 * 24 * 3600;
const RECENT_SECONDS: i64 = 90 * 24 * 3600;

/// Files in the order of repository and path, with their text scores.
#[derive(Debug, Clone)]
pub struct ScoredFiles {
    pub(super) found: Vec<FoundFile>,
    pub(super) text: Vec<f32>,
}

impl ScoredFiles {
    pub(crate) fn new(mut found: Vec<FoundFile>, said: &[FoundMessage], scale: ScoreScale<'_>) -> ScoredFiles {
        found.sort_unstable_by(by_place);
        let text = text_scores(&found, said, scale);
        ScoredFiles { found, text }
    }

    /// Returns the leading files by text score.
    pub fn finalists(&self) -> Vec<&FoundFile> {
        self.leading().into_iter().map(|found_idx| &self.found[found_idx]).collect()
    }

    /// Returns the files with reranked scores of the leading ones. `nearness` is by repository and path.
    ///
    /// Returns the files unchanged, as an error, if a leading file is missing from `nearness`.
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

/// Returns, for each file, whether it is among the best by terms or by meaning. Other files were found by name or path; their
/// number depends on the number of workers.
pub(super) fn is_ranked_by_text(found: &[FoundFile], scale: ScoreScale<'_>) -> Vec<bool> {
    let mut takes_part = vec![false; found.len()];
    for key in [|hit: &v1::FileHit| hit.lexical, |hit: &v1::FileHit| hit.cosine] {
        for found_idx in list(found, scale.depth, |hit| descending(key(hit))).into_iter().flatten() {
            takes_part[found_idx] = true;
        }
    }
    takes_part
}

/// Returns the text score of each file: terms, meaning, messages and votes, each relative to the best file.
fn text_scores(found: &[FoundFile], said: &[FoundMessage], scale: ScoreScale<'_>) -> Vec<f32> {
    let takes_part = is_ranked_by_text(found, scale);
    let components = found.iter().zip(votes::votes(found, said, scale)).map(|(FoundFile { hit, .. }, votes)| {
        Components { lexical: hit.lexical, cosine: hit.cosine, history: hit.history, votes }
    });
    let components: Vec<Components> = components.collect();
    let taking_part = components.iter().zip(&takes_part).filter(|(_, takes_part)| **takes_part);
    let maxima = Maxima::of(taking_part.map(|(components, _)| *components), |nearest_row| {
        votes::vote_trust(said, nearest_row, scale)
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
