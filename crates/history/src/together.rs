//! Whether the same people work on two things at the same time, more than their days alone would bring about.
//!
//! What is compared are days. How many of the days of one thing fall on days of the other says little by itself: who commits to
//! everything every day brings all of them together. So each day of the one is compared with the days around it: how many
//! days of the other would be met if the day had been a little earlier or later. Who is busy in general, or was in that
//! week, is as busy around it; who worked on both at once is not.

use std::collections::BTreeSet;

/// Seconds of a day, as days are counted here.
const DAY_SECONDS: i64 = 86_400;

/// How close two days have to be to be together, and up to which distance the days around are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub near: i64,
    pub around: i64,
}

/// For repositories as wholes: the same day, against the three days before and after, which keeps within a working week.
pub const SAME_DAY: Window = Window { near: 0, around: 3 };

/// For files: a day before or after at most, against ten days before and after. Few commits touch a file, so that more days
/// have to be looked at to know how usual they are.
pub const WITHIN_A_DAY: Window = Window { near: 1, around: 10 };

/// What evidence has to come to before it is told. All of it, so that most pairs tell nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Distinct days together.
    pub days: usize,
    /// Of the days of the one with fewer days, the part that is together.
    pub share: f64,
    /// The log-likelihood ratio of the days found against those expected.
    pub surprise: f64,
}

/// For repositories: five days, which one piece of work that spans both does not reach; a fifth of the days of the quieter;
/// and a ratio that chance reaches once in a thousand (chi-squared with one degree of freedom).
pub const OF_REPOSITORIES: Thresholds = Thresholds { days: 5, share: 0.2, surprise: 10.8 };

/// For files: four days, one more than files of one repository need; a third of the days of the file that is asked about;
/// and a ratio that chance reaches once in ten thousand, since a file is compared with all files of all repositories.
pub const OF_FILES: Thresholds = Thresholds { days: 4, share: 0.33, surprise: 15.1 };

/// Days from the first to the last one together: within two weeks it may all be one piece of work.
pub const MIN_SPREAD_DAYS: i64 = 14;

/// How often more than expected. Who commits to everything on all working days comes to 1.5, and on three of seven to 2.
pub const MIN_LIFT: f64 = 3.0;

/// What the days of one person, or of several together, come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Days of the first that are together with one of the second, each once.
    pub days: BTreeSet<i64>,
    /// The same, once for each person.
    pub n_together: usize,
    /// How many there would be by chance.
    pub expected: f64,
    /// Days of the first and of the second, summed over people.
    pub n_first: usize,
    pub n_second: usize,
    pub n_people: usize,
}

/// Returns the day of a time in seconds since 1970.
pub fn day(at: i64) -> i64 {
    at.div_euclid(DAY_SECONDS)
}

impl Evidence {
    /// Compares the days of one person, both sorted and each once.
    pub fn of(first: &[i64], second: &[i64], window: Window) -> Evidence {
        let mut evidence = Evidence { n_first: first.len(), n_second: second.len(), ..Evidence::default() };
        let mut expected = 0.0;
        for day in first {
            if within(second, *day, window.near) > 0 {
                evidence.days.insert(*day);
            }
            expected += chance(second, *day, window);
        }
        evidence.n_together = evidence.days.len();
        // Seen from the other side it may be more likely, which is the careful reading.
        let reversed: f64 = second.iter().map(|day| chance(first, *day, window)).sum();
        evidence.expected = expected.max(reversed);
        evidence.n_people = usize::from(evidence.n_together > 0);
        evidence
    }

    /// Adds what another person did.
    pub fn add(&mut self, other: Evidence) {
        if other.n_together == 0 {
            // Who was never active in both says nothing of whether they hang together.
            return;
        }
        self.days.extend(other.days);
        self.n_together += other.n_together;
        self.expected += other.expected;
        self.n_first += other.n_first;
        self.n_second += other.n_second;
        self.n_people += other.n_people;
    }

    /// Returns how much more often it is than by chance; 0 where nothing is together.
    pub fn lift(&self) -> f64 {
        if self.n_together == 0 { 0.0 } else { self.n_together as f64 / self.expected.max(f64::MIN_POSITIVE) }
    }

    /// Returns the log-likelihood ratio of a Poisson of what was found against one of what was expected; 0 where there is
    /// no more than that.
    pub fn surprise(&self) -> f64 {
        let (found, expected) = (self.n_together as f64, self.expected);
        if found <= expected { 0.0 } else { 2.0 * (found * (found / expected).ln() - (found - expected)) }
    }

    /// Returns the part of the days of the first that is together, from 0 to 1.
    pub fn confidence(&self) -> f64 {
        self.n_together as f64 / self.n_first.max(1) as f64
    }

    /// Says whether it is enough to be told.
    pub fn is_strong(&self, thresholds: Thresholds) -> bool {
        let fewer = self.n_first.min(self.n_second).max(1);
        let spread = self.days.last().zip(self.days.first()).map_or(0, |(last, first)| last - first);
        self.days.len() >= thresholds.days
            && spread >= MIN_SPREAD_DAYS
            && self.n_together as f64 >= thresholds.share * fewer as f64
            && self.lift() >= MIN_LIFT
            && self.surprise() >= thresholds.surprise
    }
}

/// Returns how likely a day would be near one of `days` if it were one of those around it.
fn chance(days: &[i64], day: i64, window: Window) -> f64 {
    let n_around = 2 * (window.around - window.near);
    let n_met = within(days, day, window.around) - within(days, day, window.near);
    // Nothing around does not make it impossible: half a day more is counted on either side.
    let rate = (n_met as f64 + 0.5) / (n_around as f64 + 1.0);
    1.0 - (1.0 - rate).powi((2 * window.near + 1) as i32)
}

/// Counts the days that are no further away than `distance`.
fn within(days: &[i64], day: i64, distance: i64) -> usize {
    let start = days.partition_point(|other| *other < day.saturating_sub(distance));
    let end = days.partition_point(|other| *other <= day.saturating_add(distance));
    end - start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn strong(first: &[i64], second: &[i64]) -> bool {
        Evidence::of(first, second, SAME_DAY).is_strong(OF_REPOSITORIES)
    }

    fn days(days: impl Iterator<Item = i64>) -> Vec<i64> {
        days.collect()
    }

    #[test]
    fn days_together_are_evidence() {
        let together = days((0..8).map(|n| n * 11));
        assert!(strong(&together, &together));
        let first = days((0..100).filter(|day| day % 11 == 0 || day % 17 == 3));
        let second = days((0..100).filter(|day| day % 11 == 0 || day % 13 == 5));
        let evidence = Evidence::of(&first, &second, SAME_DAY);
        assert!(evidence.is_strong(OF_REPOSITORIES), "{evidence:?}");
        assert_eq!(evidence.days.len(), 10, "{evidence:?}");
        let weekly = days((0..8).map(|n| n * 7));
        assert!(strong(&weekly, &weekly), "once a week in both");
    }

    #[test]
    fn who_commits_to_everything_is_none() {
        let daily = days(0..700);
        assert!(!strong(&daily, &daily));
        let on_weekdays = days((0..700).filter(|day| day % 7 < 5));
        assert!(!strong(&on_weekdays, &on_weekdays));
        let every_other = days((0..700).filter(|day| day % 2 == 0));
        assert!(!strong(&every_other, &every_other));
        let in_bursts = days((0..700).filter(|day| day % 60 < 6));
        assert!(!strong(&in_bursts, &in_bursts));
        assert!(!strong(&days(0..700), &days((0..700).filter(|day| day % 9 == 0))));
        let lift = Evidence::of(&daily, &daily, SAME_DAY).lift();
        assert!((0.9..1.2).contains(&lift), "{lift}");
    }

    #[test]
    fn little_is_none() {
        let few = [0, 10, 20, 30];
        assert!(!strong(&few, &few), "too few days");
        let close = days((0..5).map(|n| n * 3));
        assert!(!strong(&close, &close), "too short a time");
        let rarely = days((0..60).map(|n| n * 10));
        assert!(!strong(&rarely, &days((0..60).map(|n| n * 10 + if n % 12 == 0 { 0 } else { 5 }))), "too small a part");
        assert!(!strong(&rarely, &days(rarely.iter().map(|day| day + 1))), "never on one day");
        assert!(!strong(&[], &rarely) && !strong(&rarely, &[]));
    }

    #[test]
    fn people_add_up() {
        let mut sum = Evidence::default();
        for first_day in [0, 3] {
            let own = days((0..4).map(|n| first_day + n * 10));
            sum.add(Evidence::of(&own, &own, SAME_DAY));
        }
        assert_eq!((sum.days.len(), sum.n_together, sum.n_people), (8, 8, 2));
        assert!(sum.is_strong(OF_REPOSITORIES), "{sum:?}");
        let before = sum.clone();
        sum.add(Evidence::of(&[1, 2, 3], &[500], SAME_DAY));
        assert_eq!(sum, before);
    }

    #[test]
    fn files_are_together_within_a_day() {
        let first = days((0..5).map(|n| n * 30));
        let evidence = Evidence::of(&first, &days(first.iter().map(|day| day + 1)), WITHIN_A_DAY);
        assert!(evidence.is_strong(OF_FILES), "{evidence:?}");
        assert_eq!(evidence.confidence(), 1.0);
        let busy = days(0..150);
        assert!(!Evidence::of(&first, &busy, WITHIN_A_DAY).is_strong(OF_FILES));
    }

    proptest! {
        #[test]
        fn any_days_give_numbers(
            first in prop::collection::btree_set(any::<i64>(), 0..20),
            second in prop::collection::btree_set(-50_i64..50, 0..20),
        ) {
            let (first, second): (Vec<i64>, Vec<i64>) = (first.into_iter().collect(), second.into_iter().collect());
            for window in [SAME_DAY, WITHIN_A_DAY] {
                let evidence = Evidence::of(&first, &second, window);
                prop_assert!(evidence.lift().is_finite() && evidence.surprise() >= 0.0);
                prop_assert!((0.0..=1.0).contains(&evidence.confidence()));
                prop_assert!(evidence.expected >= 0.0);
            }
        }
    }
}
