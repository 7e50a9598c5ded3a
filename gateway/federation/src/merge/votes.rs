//! Votes of the commit messages nearest to the query for the files that those commits changed.

use proto::v1;
use ranking::{
    aggregate::class_factor,
    votes::{N_VOTING, UNMEASURED_TRUST, trust, vote},
};

use super::{FoundFile, ScoreScale, class, path};
use crate::repo_idx::RepoIdx;

/// A commit message near to the query.
#[derive(Debug, Clone)]
pub struct FoundMessage {
    /// Its repository.
    pub repo_idx: RepoIdx,
    /// Its cosine with the query, and the files of its commit.
    pub hit: v1::MessageHit,
}

/// Returns the trust in votes, given the cosine of the nearest row.
pub(super) fn vote_trust(said: &[FoundMessage], nearest_row: f32, scale: ScoreScale<'_>) -> f32 {
    let nearest = said.iter().map(|said| said.hit.cosine).fold(0.0, f32::max);
    if scale.rows_compare_with_messages { trust(nearest, nearest_row) } else { UNMEASURED_TRUST }
}

/// Returns the votes for each file, demoted by file class, in the order of `found`.
pub(super) fn votes(found: &[FoundFile], said: &[FoundMessage], scale: ScoreScale<'_>) -> Vec<f32> {
    let mut votes = vec![0.0; found.len()];
    // Stable: messages of one repository keep their order.
    let mut said: Vec<&FoundMessage> = said.iter().collect();
    said.sort_by(|a, b| b.hit.cosine.total_cmp(&a.hit.cosine).then(a.repo_idx.cmp(&b.repo_idx)));
    said.truncate(N_VOTING);
    let best = said.first().map_or(0.0, |said| said.hit.cosine);
    for said in said {
        let weight = vote(said.hit.cosine, best, said.hit.files);
        for touched in &said.hit.paths {
            let place = |found: &FoundFile| found.repo_idx.cmp(&said.repo_idx).then_with(|| path(found).cmp(touched));
            if let Ok(found_idx) = found.binary_search_by(place) {
                votes[found_idx] += weight;
            }
        }
    }
    let demoted = |(votes, found): (f32, &FoundFile)| votes * class_factor(class(&found.hit), scale.kept);
    votes.into_iter().zip(found).map(demoted).collect()
}
