//! The text score of a file: a blend of term matches, vector similarity and commit messages.

use rustc_hash::FxHashMap;

/// Weight of the cosine component relative to the lexical one.
const COSINE_WEIGHT: f32 = 0.5;

/// Weight of the commit-message component. A higher weight helps other query kinds at the expense of questions.
const HISTORY_WEIGHT: f32 = 0.3;

/// Weight of commit votes at full trust. .2 and .3 perform equally.
const VOTES_WEIGHT: f32 = 0.25;

/// Number of leading files that are re-ranked by words of the best row. 30 performs no better.
pub const N_FINALISTS: usize = 15;

/// Weight of query coverage in the re-ranking. A higher weight helps comments at the expense of commit messages.
const COVERAGE_WEIGHT: f32 = 0.2;

/// BM25 parameters for commit messages: saturation `k1`, length penalty `b`, and the average length in weighted tokens.
const HISTORY_K1: f32 = 1.2;
const HISTORY_LENGTH_PENALTY: f32 = 0.3;
const HISTORY_AVERAGE_LENGTH: f32 = 60.0;

/// Component scores of one file by text.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Components {
    /// Aggregated and demoted score of its best rows by terms.
    pub lexical: f32,
    /// Cosine between the query and its best row, demoted; at least 0.
    pub cosine: f32,
    /// Match score of the messages of its commits, demoted.
    pub history: f32,
    /// Votes of similar commit messages for it, demoted.
    pub votes: f32,
}

/// The maximum of each component over all candidate files, for normalisation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Maxima {
    components: Components,
    /// Effective weight of the votes component.
    votes_weight: f32,
}

impl Maxima {
    /// Returns the component maxima over `files`. `trust` maps the largest cosine to the trust in votes, from 0 to 1.
    pub fn of(files: impl Iterator<Item = Components>, trust: impl FnOnce(f32) -> f32) -> Maxima {
        let components = files.fold(Components::default(), |max, file| Components {
            lexical: max.lexical.max(file.lexical),
            cosine: max.cosine.max(file.cosine),
            history: max.history.max(file.history),
            votes: max.votes.max(file.votes),
        });
        Maxima { components, votes_weight: VOTES_WEIGHT * trust(components.cosine) }
    }

    /// Returns the score of a file: L / max L + .5 C / max C + .3 H / max H + .25 t V / max V, where t is the trust in
    /// votes. A component with maximum 0 adds nothing.
    pub fn blend(self, file: Components) -> f32 {
        let max = self.components;
        share(file.lexical, max.lexical)
            + COSINE_WEIGHT * share(file.cosine, max.cosine)
            + HISTORY_WEIGHT * share(file.history, max.history)
            + self.votes_weight * share(file.votes, max.votes)
    }
}

/// Returns the re-ranked score of a leading file: S + .2 N / max N, where N is the demoted share of the query that the
/// words of its best row cover. Measured: comments .817 to .824 (recall@5 .926 to .934), commit messages .769 to .772,
/// over all repositories .657 to .663.
pub fn reranked_score(score: f32, coverage: f32, max_coverage: f32) -> f32 {
    score + COVERAGE_WEIGHT * share(coverage, max_coverage)
}

/// Returns the contribution of one query term to the message score of a file. In `frequency`, a message of a commit of
/// n files counts as 1 / sqrt(n); `length` counts all its tokens in the same way.
pub fn message_score(weight: f32, frequency: f32, length: f32) -> f32 {
    let norm = 1.0 - HISTORY_LENGTH_PENALTY + HISTORY_LENGTH_PENALTY * length / HISTORY_AVERAGE_LENGTH;
    weight * frequency * (HISTORY_K1 + 1.0) / (frequency + HISTORY_K1 * norm)
}

/// Converts a message score to the scale of row scores: the covered share of the total term weight.
pub fn message_share(score: f32) -> f32 {
    score / (HISTORY_K1 + 1.0)
}

/// Returns the weighted term frequencies of the messages of a file, and their total length. A commit of few files has
/// more weight.
///
/// `messages` has the terms of each message and the number of files of its commit.
pub fn message_terms<'a>(messages: impl Iterator<Item = (&'a [u32], u32)>) -> (FxHashMap<u32, f32>, f32) {
    let mut frequencies: FxHashMap<u32, f32> = FxHashMap::default();
    let mut length = 0.0;
    for (terms, n_files) in messages {
        let weight = 1.0 / (n_files.max(1) as f32).sqrt();
        for term in terms {
            *frequencies.entry(*term).or_default() += weight;
            length += weight;
        }
    }
    (frequencies, length)
}

fn share(part: f32, max: f32) -> f32 {
    if max > 0.0 { part / max } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::votes;

    #[test]
    fn lexical_component_outweighs_the_others() {
        let best = Components { lexical: 10.0, ..Components::default() };
        let similar = Components { cosine: 0.8, history: 3.0, ..Components::default() };
        let both = Components { lexical: 8.0, cosine: 0.7, ..Components::default() };
        let maxima = Maxima::of([best, similar, both].into_iter(), |_| 0.0);
        assert!(maxima.blend(best) > maxima.blend(similar), "a file without any term never ranks first");
        assert!(maxima.blend(both) > maxima.blend(best));
        assert_eq!(Maxima::default().blend(best), 0.0);
    }

    #[test]
    fn votes_count_by_trust_in_messages() {
        let voted = Components { lexical: 10.0, cosine: 0.5, votes: 2.0, ..Components::default() };
        let score =
            |message: f32| Maxima::of(std::iter::once(voted), |cosine| votes::trust(message, cosine)).blend(voted);
        assert_eq!((score(0.0), score(0.4), score(0.6)), (1.5, 1.5, 1.75));
    }

    #[test]
    fn small_commits_have_more_weight() {
        let (frequencies, length) = message_terms([(&[1, 2][..], 1), (&[1][..], 4)].into_iter());
        assert_eq!((frequencies[&1], frequencies[&2], length), (1.5, 1.0, 2.5));
        assert!(message_score(2.0, 1.0, 10.0) > message_score(2.0, 0.5, 10.0));
        assert!(message_score(2.0, 1.0, 10.0) > message_score(2.0, 1.0, 200.0));
    }
}
