//! Weights commits by exponential decay.

/// Seconds in which the weight of a commit halves: half a year. A change of last week outweighs one of a year ago four to
/// one, and the teams and designs of three years ago hardly count.
pub const HALF_LIFE_SECONDS: u64 = 182 * 86_400;

/// Maximum number of half-lives. Beyond it weights stay equal, so shares of a very old file are still defined.
const MAX_HALF_LIVES: f64 = 256.0;

/// Returns the age of a commit in seconds before the newest one; 0 if it claims to be newer.
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
    fn age_is_defined_for_any_two_times() {
        for (newest, at, expected) in
            [(5, 3, 2), (3, 5, 0), (0, -7, 7), (i64::MAX, i64::MIN, u64::MAX), (i64::MIN, i64::MAX, 0)]
        {
            assert_eq!(age(newest, at), expected);
        }
    }

    #[test]
    fn weights_halve_and_stay_positive() {
        assert_eq!((weight(0), weight(HALF_LIFE_SECONDS), weight(3 * HALF_LIFE_SECONDS)), (1.0, 0.5, 0.125));
        assert!(weight(u64::MAX) > 0.0);
    }
}
