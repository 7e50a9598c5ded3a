//! The score of a file by text: how well its rows match, how near their meaning is, and what was said when it changed.

use rustc_hash::FxHashMap;

/// What the nearest meaning counts beside the best match of terms.
const COSINE_WEIGHT: f32 = 0.5;

/// What the best match of messages counts. More of it costs questions what it gives to others.
const HISTORY_WEIGHT: f32 = 0.3;

/// What most votes of messages count, as far as they are trusted. .2 and .3 do as well.
const VOTES_WEIGHT: f32 = 0.25;

/// The files that lead, which are then looked at word by word. 30 do no better.
pub const N_FINALISTS: usize = 15;

/// What it counts to say most of the words of the query. More of it costs commits what it gives to comments.
const NEARNESS_WEIGHT: f32 = 0.2;

/// How soon more mentions in messages stop counting, as `k1` of BM25 has it, and how far the length of all messages is held
/// against a file; 60 weighted tokens are usual.
const HISTORY_K1: f32 = 1.2;
const HISTORY_LENGTH_PENALTY: f32 = 0.3;
const HISTORY_AVERAGE_LENGTH: f32 = 60.0;

/// What is known of one file by text.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Components {
    /// Its best rows by terms, aggregated and demoted.
    pub lexical: f32,
    /// How near its best row is to the query in meaning, demoted; not below 0.
    pub cosine: f32,
    /// How well the messages of its commits match, demoted.
    pub history: f32,
    /// The votes of messages for it, demoted.
    pub votes: f32,
}

/// The largest of each component over all files that take part: what they are divided by.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Maxima {
    components: Components,
    /// What the votes count.
    votes_weight: f32,
}

impl Maxima {
    /// Returns the maxima over some files, where votes are trusted so far, by the largest cosine of them.
    pub fn of(files: impl Iterator<Item = Components>, trust: impl FnOnce(f32) -> f32) -> Maxima {
        let components = files.fold(Components::default(), |most, file| Components {
            lexical: most.lexical.max(file.lexical),
            cosine: most.cosine.max(file.cosine),
            history: most.history.max(file.history),
            votes: most.votes.max(file.votes),
        });
        Maxima { components, votes_weight: VOTES_WEIGHT * trust(components.cosine) }
    }

    /// Returns the score of a file: L / max L + .5 C / max C + .3 H / max H + .25 t V / max V, where t is how far votes are
    /// trusted. A component that nobody has adds nothing.
    pub fn blend(self, file: Components) -> f32 {
        let most = self.components;
        share(file.lexical, most.lexical)
            + COSINE_WEIGHT * share(file.cosine, most.cosine)
            + HISTORY_WEIGHT * share(file.history, most.history)
            + self.votes_weight * share(file.votes, most.votes)
    }
}

/// Returns the score of a file that leads: S + .2 N / max N, where N is how much of the query the words of its best row say,
/// demoted. Measured: comments .817 to .824 (recall@5 .926 to .934), messages of commits .769 to .772, over all repositories
/// .657 to .663.
pub fn settled(score: f32, nearness: f32, most_nearness: f32) -> f32 {
    score + NEARNESS_WEIGHT * share(nearness, most_nearness)
}

/// Returns what one term of the query adds for the messages of a file: `frequency` counts messages, each of a commit of n
/// files as 1 / sqrt(n); `length` counts all their tokens so.
pub fn message_score(weight: f32, frequency: f32, length: f32) -> f32 {
    let norm = 1.0 - HISTORY_LENGTH_PENALTY + HISTORY_LENGTH_PENALTY * length / HISTORY_AVERAGE_LENGTH;
    weight * frequency * (HISTORY_K1 + 1.0) / (frequency + HISTORY_K1 * norm)
}

/// Returns a score of messages as one of rows: the part of the weight of the terms that it stands for.
pub fn message_share(score: f32) -> f32 {
    score / (HISTORY_K1 + 1.0)
}

/// Terms of the messages of a file, with how often they stand there: the commits of few files tell most about each.
///
/// `messages` holds each message's terms and how many files its commit touched.
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

fn share(part: f32, most: f32) -> f32 {
    if most > 0.0 { part / most } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::votes;

    #[test]
    fn terms_lead_and_the_others_settle() {
        let best = Components { lexical: 10.0, ..Components::default() };
        let nearest = Components { cosine: 0.8, history: 3.0, ..Components::default() };
        let both = Components { lexical: 8.0, cosine: 0.7, ..Components::default() };
        let maxima = Maxima::of([best, nearest, both].into_iter(), |_| 0.0);
        assert!(maxima.blend(best) > maxima.blend(nearest), "what holds no term never leads");
        assert!(maxima.blend(both) > maxima.blend(best));
        assert_eq!(Maxima::default().blend(best), 0.0);
    }

    #[test]
    fn votes_count_as_far_as_messages_are_as_near_as_code() {
        let voted = Components { lexical: 10.0, cosine: 0.5, votes: 2.0, ..Components::default() };
        let score =
            |nearest: f32| Maxima::of(std::iter::once(voted), |cosine| votes::trust(nearest, cosine)).blend(voted);
        assert_eq!((score(0.0), score(0.4), score(0.6)), (1.5, 1.5, 1.75));
    }

    #[test]
    fn messages_of_small_commits_tell_more() {
        let (frequencies, length) = message_terms([(&[1, 2][..], 1), (&[1][..], 4)].into_iter());
        assert_eq!((frequencies[&1], frequencies[&2], length), (1.5, 1.0, 2.5));
        assert!(message_score(2.0, 1.0, 10.0) > message_score(2.0, 0.5, 10.0));
        assert!(message_score(2.0, 1.0, 10.0) > message_score(2.0, 1.0, 200.0));
    }
}
