//! How much a commit still weighs.

/// Seconds in which the weight of a commit halves: half a year. What changed last week outweighs what changed a year ago
/// four to one, and the teams and designs of three years ago hardly count.
pub const HALF_LIFE_SECONDS: u64 = 182 * 86_400;

/// Half-lives after which nothing decays any further: a share of what is all very old is still a share.
const MAX_HALF_LIVES: f64 = 256.0;

/// Returns how many seconds a commit lies before the newest one; none for those that claim to come after it.
pub(crate) fn age(newest: i64, at: i64) -> u64 {
    newest.checked_sub(at).map_or_else(|| if at < newest { u64::MAX } else { 0 }, |age| u64::try_from(age).unwrap_or(0))
}

/// Returns the weight of a commit of this age: 1 for the newest, and never 0.
pub(crate) fn weight(age: u64) -> f64 {
    let n_half_lives = age as f64 / HALF_LIFE_SECONDS as f64;
    (-n_half_lives.min(MAX_HALF_LIVES)).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_times_have_an_age() {
        for (newest, at, expected) in
            [(5, 3, 2), (3, 5, 0), (0, -7, 7), (i64::MAX, i64::MIN, u64::MAX), (i64::MIN, i64::MAX, 0)]
        {
            assert_eq!(age(newest, at), expected);
        }
    }

    #[test]
    fn weights_halve_and_stay_above_nothing() {
        assert_eq!((weight(0), weight(HALF_LIFE_SECONDS), weight(3 * HALF_LIFE_SECONDS)), (1.0, 0.5, 0.125));
        assert!(weight(u64::MAX) > 0.0);
    }
}
