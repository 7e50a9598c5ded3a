//! Co-change across repositories: whether the same people work on two items on the same days, more often than by chance.
//!
//! A count of shared days alone is weak evidence: a person who commits to everything every day relates all items. So each day of
//! the first item is compared with the days around it: the expected number of matches is that of slightly earlier or later
//! days. A person who is busy in general, or was in that week, is equally busy on the days around. A person who worked on
//! both items at once is not.

use std::collections::BTreeSet;

/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;

/// The distances in days of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayWindow {
    /// Maximum distance of two matching days.
    pub max_distance: i64,
    /// Maximum distance of the days that give the expected number of matches.
    pub comparison_distance: i64,
}

/// The window for repositories: matches on the same day, compared with the three days before and after, which stay within a
/// working week.
pub const SAME_DAY: DayWindow = DayWindow { max_distance: 0, comparison_distance: 3 };

/// The window for files: matches at most one day apart, compared with ten days before and after. Few commits touch a file,
/// so more days are needed to estimate the usual rate.
pub const WITHIN_A_DAY: DayWindow = DayWindow { max_distance: 1, comparison_distance: 10 };

/// The minimum evidence of a co-change. All conditions must hold, so most pairs are rejected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoChangeThresholds {
    /// Minimum number of distinct matching days.
    pub days: usize,
    /// Minimum share of matching days among the days of the item with fewer days.
    pub share: f64,
    /// Minimum log-likelihood ratio of the matching days against the expected ones.
    pub log_likelihood_ratio: f64,
}

/// Thresholds for repositories: five days, more than one piece of work across both takes; a fifth of the days of the
/// quieter one; and a ratio that chance reaches once in a thousand cases (chi-squared with one degree of freedom).
pub const REPOSITORY_THRESHOLDS: CoChangeThresholds =
    CoChangeThresholds { days: 5, share: 0.2, log_likelihood_ratio: 10.8 };

/// Thresholds for files: four days, one more than within one repository; a third of the days of the requested file; and a
/// ratio that chance reaches once in ten thousand cases, since a file is compared with all files of all repositories.
pub const FILE_THRESHOLDS: CoChangeThresholds = CoChangeThresholds { days: 4, share: 0.33, log_likelihood_ratio: 15.1 };

/// Minimum number of days between the first and the last match. Matches within two weeks may be one piece of work.
pub const MIN_SPREAD_DAYS: i64 = 14;

/// Minimum ratio of matches to expected matches. A person who commits to everything reaches 1.5 on working days, and 2 on
/// three days a week.
pub const MIN_LIFT: f64 = 3.0;

/// The evidence from the days of one person, or of several people in sum.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CoChangeEvidence {
    /// Distinct days of the first item that match a day of the second.
    pub days: BTreeSet<i64>,
    /// Number of matching days, counted for each person.
    pub n_matches: usize,
    /// Number of matching days expected by chance.
    pub n_expected: f64,
    /// Number of days of the first item, summed over people.
    pub n_first: usize,
    /// Number of days of the second item, summed over people.
    pub n_second: usize,
    /// Number of people with a match.
    pub n_people: usize,
}

/// Returns the day number of a time in seconds since 1970 (UTC).
pub fn day(at: i64) -> i64 {
    at.div_euclid(DAY_SECONDS)
}

impl CoChangeEvidence {
    /// Compares the days of one person; both lists are sorted and without duplicates.
    pub fn of(first: &[i64], second: &[i64], window: DayWindow) -> CoChangeEvidence {
        let mut evidence =
            CoChangeEvidence { n_first: first.len(), n_second: second.len(), ..CoChangeEvidence::default() };
        let mut expected = 0.0;
        for day in first {
            if count_within(second, *day, window.max_distance) > 0 {
                evidence.days.insert(*day);
            }
            expected += chance(second, *day, window);
        }
        evidence.n_matches = evidence.days.len();
        // The expectation is not symmetric; the larger value is the cautious one.
        let reversed: f64 = second.iter().map(|day| chance(first, *day, window)).sum();
        evidence.n_expected = expected.max(reversed);
        evidence.n_people = usize::from(evidence.n_matches > 0);
        evidence
    }

    /// Adds the evidence of another person.
    pub fn add(&mut self, other: CoChangeEvidence) {
        if other.n_matches == 0 {
            // A person without a match is no evidence against a relation.
            return;
        }
        self.days.extend(other.days);
        self.n_matches += other.n_matches;
        self.n_expected += other.n_expected;
        self.n_first += other.n_first;
        self.n_second += other.n_second;
        self.n_people += other.n_people;
    }

    /// Returns the ratio of matches to expected matches; 0 without matches.
    pub fn lift(&self) -> f64 {
        if self.n_matches == 0 { 0.0 } else { self.n_matches as f64 / self.n_expected.max(f64::MIN_POSITIVE) }
    }

    /// Returns the log-likelihood ratio of a Poisson distribution with the found rate against the expected rate; 0 if no more
    /// matches were found than expected.
    pub fn log_likelihood_ratio(&self) -> f64 {
        let (found, expected) = (self.n_matches as f64, self.n_expected);
        if found <= expected { 0.0 } else { 2.0 * (found * (found / expected).ln() - (found - expected)) }
    }

    /// Returns the share of matching days among the days of the first item, from 0 to 1.
    pub fn confidence(&self) -> f64 {
        self.n_matches as f64 / self.n_first.max(1) as f64
    }

    /// Returns true if the evidence meets all thresholds.
    pub fn is_strong(&self, thresholds: CoChangeThresholds) -> bool {
        let fewer = self.n_first.min(self.n_second).max(1);
        let spread = self.days.last().zip(self.days.first()).map_or(0, |(last, first)| last - first);
        self.days.len() >= thresholds.days
            && spread >= MIN_SPREAD_DAYS
            && self.n_matches as f64 >= thresholds.share * fewer as f64
            && self.lift() >= MIN_LIFT
            && self.log_likelihood_ratio() >= thresholds.log_likelihood_ratio
    }
}

/// Returns the probability that a random day around `day` matches one of `days`.
fn chance(days: &[i64], day: i64, window: DayWindow) -> f64 {
    let n_compared_days = 2 * (window.comparison_distance - window.max_distance);
    let n_matching_days =
        count_within(days, day, window.comparison_distance) - count_within(days, day, window.max_distance);
    // Half a day is added, since a rate of zero would make a match impossible.
    let rate = (n_matching_days as f64 + 0.5) / (n_compared_days as f64 + 1.0);
    1.0 - (1.0 - rate).powi((2 * window.max_distance + 1) as i32)
}

/// Counts the days within `distance`.
fn count_within(days: &[i64], day: i64, distance: i64) -> usize {
    let start = days.partition_point(|other| *other < day.saturating_sub(distance));
    let end = days.partition_point(|other| *other <= day.saturating_add(distance));
    end - start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn strong(first: &[i64], second: &[i64]) -> bool {
        CoChangeEvidence::of(first, second, SAME_DAY).is_strong(REPOSITORY_THRESHOLDS)
    }

    fn days(days: impl Iterator<Item = i64>) -> Vec<i64> {
        days.collect()
    }

    #[test]
    fn matching_days_are_evidence() {
        let shared = days((0..8).map(|n| n * 11));
        assert!(strong(&shared, &shared));
        let first = days((0..100).filter(|day| day % 11 == 0 || day % 17 == 3));
        let second = days((0..100).filter(|day| day % 11 == 0 || day % 13 == 5));
        let evidence = CoChangeEvidence::of(&first, &second, SAME_DAY);
        assert!(evidence.is_strong(REPOSITORY_THRESHOLDS), "{evidence:?}");
        assert_eq!(evidence.days.len(), 10, "{evidence:?}");
        let weekly = days((0..8).map(|n| n * 7));
        assert!(strong(&weekly, &weekly), "once a week in both");
    }

    #[test]
    fn general_activity_is_no_evidence() {
        let daily = days(0..700);
        assert!(!strong(&daily, &daily));
        let on_weekdays = days((0..700).filter(|day| day % 7 < 5));
        assert!(!strong(&on_weekdays, &on_weekdays));
        let every_other = days((0..700).filter(|day| day % 2 == 0));
        assert!(!strong(&every_other, &every_other));
        let in_bursts = days((0..700).filter(|day| day % 60 < 6));
        assert!(!strong(&in_bursts, &in_bursts));
        assert!(!strong(&days(0..700), &days((0..700).filter(|day| day % 9 == 0))));
        let lift = CoChangeEvidence::of(&daily, &daily, SAME_DAY).lift();
        assert!((0.9..1.2).contains(&lift), "{lift}");
    }

    #[test]
    fn few_matches_are_no_evidence() {
        let few = [0, 10, 20, 30];
        assert!(!strong(&few, &few), "too few days");
        let within_two_weeks = days((0..5).map(|n| n * 3));
        assert!(!strong(&within_two_weeks, &within_two_weeks), "too short a time");
        let rarely = days((0..60).map(|n| n * 10));
        assert!(!strong(&rarely, &days((0..60).map(|n| n * 10 + if n % 12 == 0 { 0 } else { 5 }))), "too small a part");
        assert!(!strong(&rarely, &days(rarely.iter().map(|day| day + 1))), "never on one day");
        assert!(!strong(&[], &rarely) && !strong(&rarely, &[]));
    }

    #[test]
    fn evidence_of_people_is_summed() {
        let mut sum = CoChangeEvidence::default();
        for first_day in [0, 3] {
            let own = days((0..4).map(|n| first_day + n * 10));
            sum.add(CoChangeEvidence::of(&own, &own, SAME_DAY));
        }
        assert_eq!((sum.days.len(), sum.n_matches, sum.n_people), (8, 8, 2));
        assert!(sum.is_strong(REPOSITORY_THRESHOLDS), "{sum:?}");
        let before = sum.clone();
        sum.add(CoChangeEvidence::of(&[1, 2, 3], &[500], SAME_DAY));
        assert_eq!(sum, before);
    }

    #[test]
    fn files_match_within_a_day() {
        let first = days((0..5).map(|n| n * 30));
        let evidence = CoChangeEvidence::of(&first, &days(first.iter().map(|day| day + 1)), WITHIN_A_DAY);
        assert!(evidence.is_strong(FILE_THRESHOLDS), "{evidence:?}");
        assert_eq!(evidence.confidence(), 1.0);
        let busy = days(0..150);
        assert!(!CoChangeEvidence::of(&first, &busy, WITHIN_A_DAY).is_strong(FILE_THRESHOLDS));
    }

    proptest! {
        #[test]
        fn any_days_give_finite_numbers(
            first in prop::collection::btree_set(any::<i64>(), 0..20),
            second in prop::collection::btree_set(-50_i64..50, 0..20),
        ) {
            let (first, second): (Vec<i64>, Vec<i64>) = (first.into_iter().collect(), second.into_iter().collect());
            for window in [SAME_DAY, WITHIN_A_DAY] {
                let evidence = CoChangeEvidence::of(&first, &second, window);
                prop_assert!(evidence.lift().is_finite() && evidence.log_likelihood_ratio() >= 0.0);
                prop_assert!((0.0..=1.0).contains(&evidence.confidence()));
                prop_assert!(evidence.n_expected >= 0.0);
            }
        }
    }
}
